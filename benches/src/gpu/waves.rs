//! Lee's wave on the device: the labels of all cells, and a path between opposite corners, on the
//! maps of independently blocked transitions that the CPU backend is measured on; and waves with
//! weights on the same maps.

use star_base::Random;
use star_intrinsics::Workers;
use star_intrinsics::wave::Grid;
use star_value::{BitTable, BitVector, Value};

use super::{Bench, SEED, int};
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

const WEIGHTS: &str = "import \"star:weighed\";
procedure PRICES(w,goal: integer; Right,Down: slice(n); Weight: table(n); var Price: table);
var Goals: slice(n);
begin
  CLR(Goals); Goals(goal):=1;
  WEIGHED_WAVE(w,true,1000,1414,Right,Down,Goals,Weight,Price);
end;";
/// Bits of a weight.
const WEIGHT_BITS: usize = 8;

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

impl Bench {
    /// Finds the prices of all cells of grids of n × n cells with diagonal steps: smooth weights
    /// and random ones, without walls and in an easy class of impassability.
    pub(super) fn weighed(&self, n: usize) -> Result<Vec<Figure>, String> {
        if n == 0 {
            return Err("a grid has a cell".to_owned());
        }
        let open = Grid::of_edges(n, n, |_, _| true).map_err(|error| error.to_string())?;
        let mut random = Random::new(SEED);
        let mut figures = Vec::new();
        for (walls, grid) in [("no walls", open), ("walls", independent(n, CLASSES[0])?)] {
            let [right, down] = slices(&grid);
            for kind in ["smooth", "random"] {
                let weight = |cell: usize| match kind {
                    "smooth" => {
                        let [x, y] = [cell % n, cell / n].map(|at| at as f64);
                        128 + (126.0 * (x / 97.0).sin() * (y / 61.0).cos()) as i64
                    }
                    _ => 1 + random.below(255) as i64,
                };
                let weights: Vec<i64> = (0..n * n).map(weight).collect();
                let column = |column: usize| {
                    let bit = |weight: &i64| weight >> (WEIGHT_BITS - 1 - column) & 1 == 1;
                    BitVector::from_bools(&weights.iter().map(bit).collect::<Vec<bool>>())
                };
                let columns: Vec<BitVector> = (0..WEIGHT_BITS).map(column).collect();
                let args = [
                    int(n),
                    int(n * n),
                    Value::Slice(right.clone()),
                    Value::Slice(down.clone()),
                    Value::from(BitTable::from_columns(n * n, &columns)),
                    Value::Unset,
                ];
                let input = format!("{kind} weights, {walls}");
                let prices =
                    self.line(&format!("prices, {input}"), (WEIGHTS, "PRICES", &[]), &args)?;
                if prices.stats.intrinsics != 1 {
                    return Err(format!("{input}: the intrinsic did not run"));
                }
                figures.push(prices.against_cpu(&input, ("n", n)));
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
