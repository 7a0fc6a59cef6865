//! Table accesses of a program, which decide the layouts of its table arguments.

use star_ir::RoutineId;
use star_ir::analysis::line_accesses::{
    ITERATIONS, IntrinsicUse, LineAccesses, TableUse, line_accesses,
};
use star_value::{SparseWish, TableForm, TableWish};

use super::code::Code;
use super::intrinsics::CpuIntrinsic;

/// Returns the accesses of an entry to its tables, including those of the intrinsics that it calls.
pub(super) fn accesses_of(
    intrinsics: &[CpuIntrinsic],
    code: &Code,
    entry: RoutineId,
) -> Vec<LineAccesses> {
    line_accesses(&code.program, entry, &|routine, place| {
        let mut intrinsics = intrinsics.iter().filter(|_| code.options.intrinsics);
        match intrinsics.find(|candidate| routine.intrinsic == Some(candidate.intrinsic)) {
            Some(candidate) if candidate.ground(place).is_some() => IntrinsicUse::Lines,
            Some(_) => IntrinsicUse::Any,
            None => IntrinsicUse::None,
        }
    })
}

/// Does the table benefit from a layout by rows?
pub(super) fn wants_rows(accesses: LineAccesses) -> bool {
    accesses.rows > accesses.columns
}

/// Do loops access its rows, but never its columns?
pub(super) fn wants_rows_alone(accesses: LineAccesses) -> bool {
    accesses.rows >= ITERATIONS && accesses.columns == 0
}

/// Returns the layout that suits the accesses to a table.
pub(super) fn wish_of(accesses: LineAccesses) -> TableWish {
    let form = if wants_rows(accesses) { TableForm::Rows } else { TableForm::Columns };
    let sparse = match use_of(accesses) {
        TableUse::Looks => SparseWish::WhereSmaller,
        TableUse::Changes => SparseWish::WhereNeeded,
        TableUse::Whole => SparseWish::WhereAsked,
    };
    TableWish { form, sparse }
}

/// Returns the most general use of a table. Where no line is accessed, a sparse table gains
/// nothing.
pub(super) fn use_of(accesses: LineAccesses) -> TableUse {
    match accesses.rows.max(accesses.columns) {
        0 => accesses.used.max(TableUse::Changes),
        _ => accesses.used,
    }
}
