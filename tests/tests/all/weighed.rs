//! Waves with weights: the Star texts and the intrinsic of the library on every backend, against a
//! search that tries steps until no path becomes cheaper.

use star_tests::backends::{Compiled, Mode, WITH_INTRINSICS, backends, has_others};
use star_tests::case::{Random, traps};
use star_tests::differ::difference;
use star_tests::run::{LIMITS, Program, RunResult};
use star_value::{BitTable, BitVector, Value};

const WEIGH: &str = "import \"star:weighed\";
    procedure WEIGH(w: integer; moore: boolean; straight,diagonal,start: integer;
                    Right,Down,Goals: slice(n); Weight: table(n); var Price,Path: table;
                    var On: slice);
    begin
      WEIGHED_WAVE(w,moore,straight,diagonal,Right,Down,Goals,Weight,Price);
      if start>0 then
        WEIGHED_TRACE(w,moore,straight,diagonal,Right,Down,Weight,start,Price,Path,On);
    end;";

/// Columns and rows to the neighbours, in the order of ties.
const STEPS: [(isize, isize); 8] =
    [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (1, -1), (1, 1), (-1, 1)];

/// A grid with weights, and the costs of steps.
#[derive(Clone, Debug)]
struct Map {
    width: usize,
    moore: bool,
    straight: u64,
    diagonal: u64,
    right: Vec<bool>,
    down: Vec<bool>,
    goals: Vec<bool>,
    weights: Vec<u64>,
    weight_bits: usize,
}

impl Map {
    fn random(width: usize, height: usize, random: &mut Random) -> Map {
        let n = width * height;
        let percent = [50, 70, 90, 100][random.below(4)];
        let mut right = random.bits(n, percent);
        (width - 1..n).step_by(width).for_each(|cell| right[cell] = false);
        let weight_bits = 1 + random.below(6);
        let mut goals = vec![false; n];
        (0..1 + random.below(2)).for_each(|_| goals[random.below(n)] = true);
        let [straight, diagonal] = [[1, 1], [5, 7], [1000, 1414], [1 << 31, 3]][random.below(4)];
        let weight = |_| 1 + random.below((1 << weight_bits) - 1) as u64;
        let weights = (0..n).map(weight).collect();
        let mut down = random.bits(n, percent);
        down[n - width..].fill(false);
        let moore = random.chance(50);
        Map { width, moore, straight, diagonal, right, down, goals, weights, weight_bits }
    }

    /// Returns the cell that a step leads to, if it is open.
    fn go(&self, cell: usize, (dx, dy): (isize, isize)) -> Option<usize> {
        let (n, width) = (self.weights.len(), self.width);
        let x = (cell % width).checked_add_signed(dx).filter(|&x| x < width)?;
        let y = (cell / width).checked_add_signed(dy).filter(|&y| y < n / width)?;
        let (left, top) = (x.min(cell % width), y.min(cell / width));
        let at = top * width + left;
        let open = match (dx, dy) {
            (_, 0) => self.right[at],
            (0, _) => self.down[at],
            (_, _) => {
                let sides = self.right[at] && self.right[at + width];
                self.moore && sides && self.down[at] && self.down[at + 1]
            }
        };
        open.then_some(y * width + x)
    }

    fn step_cost(&self, (dx, dy): (isize, isize), to: usize) -> u64 {
        self.weights[to] * if dx != 0 && dy != 0 { self.diagonal } else { self.straight }
    }

    fn cheapest(&self) -> Vec<Option<u64>> {
        let mut costs: Vec<Option<u64>> = self.goals.iter().map(|goal| goal.then_some(0)).collect();
        loop {
            let mut changes = false;
            for from in 0..costs.len() {
                for step in STEPS {
                    let Some(to) = self.go(from, step) else { continue };
                    let Some(cost) = costs[to] else { continue };
                    let through = cost + self.step_cost(step, to);
                    if costs[from].is_none_or(|cost| through < cost) {
                        (costs[from], changes) = (Some(through), true);
                    }
                }
            }
            if !changes {
                return costs;
            }
        }
    }

    /// Returns the path according to the definition: via the first neighbour that yields the cost.
    fn path(&self, costs: &[Option<u64>], start: usize) -> Vec<usize> {
        let Some(mut left) = costs[start] else { return Vec::new() };
        let (mut at, mut path) = (start, vec![start]);
        while left > 0 {
            let through = |&step: &(isize, isize)| {
                let to = self.go(at, step)?;
                (costs[to]? + self.step_cost(step, to) == left).then_some(to)
            };
            at = STEPS.iter().find_map(through).expect("a cost comes about somehow");
            path.push(at);
            left = costs[at].expect("the path goes on");
        }
        path
    }

    fn args(&self, start: usize) -> Vec<Value> {
        let mut table = BitTable::zeros(self.weights.len(), self.weight_bits).expect("it is small");
        for (row, weight) in self.weights.iter().enumerate() {
            for bit in 0..self.weight_bits.min(64) {
                table.put(row, self.weight_bits - 1 - bit, weight >> bit & 1 == 1);
            }
        }
        let slice = |bits: &[bool]| Value::Slice(BitVector::from_bools(bits));
        vec![
            Value::Int(self.width as i64),
            Value::Bool(self.moore),
            Value::Int(self.straight as i64),
            Value::Int(self.diagonal as i64),
            Value::Int(start as i64),
            slice(&self.right),
            slice(&self.down),
            slice(&self.goals),
            Value::from(table),
            Value::Unset,
            Value::Unset,
            Value::Unset,
        ]
    }
}

/// Returns the result of the first backend; all others must agree and take the given number of
/// intrinsics, where they exist.
fn on_all(
    program: &Program,
    compiled: &[Compiled],
    args: &[Value],
    n_intrinsics: u64,
) -> RunResult {
    let entry = program.entry("WEIGH");
    let expected = compiled[0].run(entry, args, LIMITS);
    for other in &compiled[1..] {
        let found = other.run(entry, args, LIMITS);
        assert_eq!(difference(program, &expected, &found, Mode::AsLowered), None, "{args:?}");
        if has_others(other.name) {
            continue;
        }
        let n_intrinsics = if WITH_INTRINSICS.contains(&other.name) { n_intrinsics } else { 0 };
        assert_eq!(found.stats.intrinsics, n_intrinsics, "{} {args:?}", other.name);
    }
    expected
}

fn number(bits: &BitVector) -> u64 {
    bits.iter().fold(0, |number, bit| number << 1 | u64::from(bit))
}

#[test]
fn the_star_text_and_the_intrinsic_find_the_cheapest_paths() {
    let program = Program::new(WEIGH);
    let compiled = program.compile_on(&backends());
    let mut random = Random::new(1959);
    let sizes = [(1, 1), (1, 9), (9, 1), (13, 7), (8, 8), (17, 12), (64, 3), (65, 2)];
    for (width, height) in sizes.into_iter().cycle().take(40) {
        let map = Map::random(width, height, &mut random);
        let start = random.below(width * height);
        let run = on_all(&program, &compiled, &map.args(start + 1), 1);
        let [.., Value::Table(price), Value::Table(path), Value::Slice(on)] = &run.values[..]
        else {
            panic!("{:?}", run.values)
        };
        let costs = map.cheapest();
        for (cell, cost) in costs.iter().enumerate() {
            let none = u64::MAX >> (64 - price.n_cols());
            assert_eq!(number(&price.row(cell)), cost.unwrap_or(none), "{map:?} {cell}");
        }
        let cells: Vec<usize> = (0..path.n_rows())
            .map(|row| number(&path.row(row)) as usize)
            .map(|place| ((place & 0xffff) - 1) * width + (place >> 16) - 1)
            .collect();
        assert_eq!(cells, map.path(&costs, start), "{map:?} {start}");
        let marked: Vec<usize> = (0..width * height).filter(|&cell| on.get(cell)).collect();
        let mut sorted = cells;
        sorted.sort_unstable();
        assert_eq!(marked, sorted);
    }
}

#[test]
fn unsupported_calls_are_left_to_the_star_text() {
    let program = Program::new(WEIGH);
    let compiled = program.compile_on(&backends());
    let mut random = Random::new(2002);
    let plain = Map { straight: 5, diagonal: 7, ..Map::random(7, 6, &mut random) };
    let changes: [fn(&mut Map); 9] = [
        |map| map.weights[11] = 0,
        |map| map.straight = 0,
        |map| map.diagonal = 0,
        |map| map.straight = 1 << 32,
        |map| map.diagonal = 1 << 32,
        |map| map.weight_bits = 33,
        |map| (map.straight, map.weight_bits) = (u64::from(u32::MAX), 32),
        |map| map.width = 8,
        |map| map.right[6] = true,
    ];
    on_all(&program, &compiled, &plain.args(0), 1);
    for change in changes {
        let mut map = plain.clone();
        change(&mut map);
        on_all(&program, &compiled, &map.args(0), 0);
    }
    // The widest rows for which the least cost of 63 bits still fits.
    let widest = Map { straight: (1 << 25) - 1, weight_bits: 32, ..plain };
    on_all(&program, &compiled, &widest.args(0), 1);
}

#[test]
fn zero_costs_and_prices_of_other_grids_trap() {
    let wave = |straight: u32, weights: &str| {
        traps(&format!(
            "import \"star:weighed\"; program P; var W,Price: table;
             begin
               WCOPY('1','{weights}',W);
               WEIGHED_WAVE(2,false,{straight},1,'10','00','10',W,Price);
             end."
        ))
    };
    assert!(wave(0, "11").contains("a step costs 1 at least"), "{}", wave(0, "11"));
    assert!(wave(1, "10").contains("a cell has the weight 0"), "{}", wave(1, "10"));
    let traced = traps(
        "import \"star:weighed\"; program P; var W,Price,Path: table; On: slice;
         begin
           WCOPY('1','11',W);
           WEIGHED_WAVE(2,false,1,1,'10','00','10',W,Price);
           WEIGHED_TRACE(2,false,1,1,'00','00',W,2,Price,Path,On);
         end.",
    );
    assert!(traced.contains("not those of this grid"), "{traced}");
}
