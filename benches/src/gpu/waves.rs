//! Lee's wave on the device: the labels of all cells, and a path between opposite corners, on the
//! maps of independently blocked transitions that the CPU backend is measured on.

use star_intrinsics::Workers;
use star_intrinsics::wave::Grid;
use star_value::{BitVector, Value};

use super::{Bench, int};
use crate::results::Figure;
use crate::wave::{goal_near, independent};

const TEXT: &str = "import \"star:wave\";
procedure LABELS(w,goal: integer; moore: boolean; Right,Down: slice(n); var Label: table);
var Goals: slice(n);
begin
  CLR(Goals); Goals(goal):=1;
  WAVE(w,moore,0,Right,Down,Goals,Label);
end;
procedure PATHS(w,goal: integer; moore: boolean; Right,Down: slice(n); var Label: table;
  start: integer; var Path: table; var On: slice);
begin
  LABELS(w,goal,moore,Right,Down,Label);
  TRACE(w,moore,Right,Down,start,Label,Path,On);
end;";

/// The measured classes of impassability of source 002: an easy one, the worst one, and one whose
/// wave does not get far.
const CLASSES: [usize; 3] = [6, 8, 10];

impl Bench {
    /// Labels grids of n × n cells, then follows a path from the opposite cell.
    pub(super) fn waves(&self, n: usize) -> Result<Vec<Figure>, String> {
        if n == 0 {
            return Err("a grid has a cell".to_owned());
        }
        let mut figures = Vec::new();
        let workers = Workers::new(None, Workers::NEVER).map_err(|_| "no threads")?;
        for class in CLASSES {
            let grid = independent(n, class)?;
            let share = grid.n_blocked() as f64 / grid.n_transitions() as f64 * 100.0;
            let [right, down] = slices(&grid);
            for (place, at) in [("corner", n - 1), ("centre", n / 2)] {
                let goal = goal_near(&grid, at, &workers)?;
                let start = (n - 1 - goal.y) * n + n - goal.x;
                let number = int(goal.y * n + goal.x + 1);
                let input = format!("{share:.0} % blocked, goal near the {place}");
                let args = |moore: bool| {
                    let slices = [right.clone(), down.clone()].map(Value::Slice);
                    let numbers = [int(n), number.clone(), Value::Bool(moore)];
                    numbers.into_iter().chain(slices).chain([Value::Unset]).collect()
                };
                let four: Vec<Value> = args(false);
                let labels =
                    self.line(&format!("labels, {input}"), (TEXT, "LABELS", &[]), &four)?;
                let eight: Vec<Value> = args(true);
                let moore = self.line(
                    &format!("labels, eight neighbours, {input}"),
                    (TEXT, "LABELS", &[]),
                    &eight,
                )?;
                let of_path = [int(start), Value::Unset, Value::Unset];
                let args = [four, of_path.into()].concat();
                let paths =
                    self.line(&format!("labels and path, {input}"), (TEXT, "PATHS", &[]), &args)?;
                if labels.stats.intrinsics != 1 || paths.stats.intrinsics != 2 {
                    return Err(format!("{input}: an intrinsic did not run"));
                }
                let mut figure = labels.figure(&input, n);
                let more = [("with a path, device", paths.device), ("eight, device", moore.device)];
                figure.variants.extend(more.map(|(name, time)| (name.to_owned(), time / 1e3)));
                figures.push(figure);
            }
        }
        Ok(figures)
    }
}

/// Returns the open transitions to the right and down.
fn slices(grid: &Grid) -> [BitVector; 2] {
    let (width, height) = (grid.width(), grid.height());
    let [mut right, mut down] = [(); 2].map(|()| BitVector::zeros(width * height));
    for y in 0..height {
        for x in 0..width {
            right.put(y * width + x, grid.opens_right(x, y));
            down.put(y * width + x, grid.opens_down(x, y));
        }
    }
    [right, down]
}
