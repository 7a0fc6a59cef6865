//! Jobs on grids of cells.

use star_value::{BitVector, Value};

use super::super::digest::{Digest, UNREACHABLE};
use super::super::failure::Failure;
use super::super::peer_args::PeerArgs;
use super::super::read::matrix_of;
use super::{Ready, field};
use crate::instance::int;

/// The library's procedure, which the backend has an intrinsic for.
const LABELS: &str = "import \"star:wave\";
procedure LABELS(w: integer; Right,Down,Goals: slice(n); var Label: table);
begin WAVE(w,false,0,Right,Down,Goals,Label) end;";

/// The distances of all cells from the cell `source`, from 1, row by row.
pub(super) fn wave(given: &PeerArgs) -> Result<Ready, Failure> {
    let free = matrix_of(given)?;
    let (height, width) = (free.n_rows(), free.n_cols());
    let n = height * width;
    let is_free = |cell: usize| free.get(cell / width, cell % width);
    let slice = |holds: &dyn Fn(usize) -> bool| {
        Value::Slice(BitVector::from_bools(&(0..n).map(holds).collect::<Vec<bool>>()))
    };
    let goal = given.number::<usize>("source")?;
    let args = vec![
        int(width),
        slice(&|cell| (cell + 1) % width != 0 && is_free(cell) && is_free(cell + 1)),
        slice(&|cell| cell + width < n && is_free(cell) && is_free(cell + width)),
        slice(&|cell| cell + 1 == goal),
        Value::Unset,
    ];
    let digest = Box::new(|value: &Value| match value {
        Value::Table(table) => {
            let table = table.columns()?;
            let h = table.n_cols();
            let none = (1 << h) - 1;
            let labels = field(table, 0, h).into_iter();
            Some(Digest::of(labels.map(|label| if label == none { UNREACHABLE } else { label })))
        }
        Value::Unset
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Slice(_)
        | Value::Word(_) => None,
    });
    let (text, changing) = (LABELS.to_owned(), vec![4]);
    Ok(Ready { text, module: None, routine: "LABELS", args, changing, digest })
}
