//! Lee's wave on an adapter: labels and paths equal those of the reference and of the CPU backend.

use star_ir::LimitKind;
use star_tests::case::Random;
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, BitTable, BitVector, Value};
use star_vm::{Declined, Limits, Outcome};

use super::{adapters, agree, stats_of_interrupted_run, without_shared_memory};

/// All routines with an intrinsic.
const ROUTINES: &str = "import \"star:wave\";
procedure TRY(w: integer; moore: boolean; stop,start: integer;
  Right,Down,Fall,Rise,Goals: slice(n); var Label,Path,Other,Way: table; var On,There: slice);
begin
  WAVE(w,moore,stop,Right,Down,Goals,Label);
  TRACE(w,moore,Right,Down,start,Label,Path,On);
  WAVE8(w,stop,Right,Down,Fall,Rise,Goals,Other);
  TRACE8(w,Right,Down,Fall,Rise,start,Other,Way,There);
end;";
const N_INTRINSICS: u64 = 4;
const N_RESULTS: usize = 6;

/// A grid with arguments of [`ROUTINES`]. Cells count from 0.
#[derive(Clone, Debug)]
struct Case {
    width: usize,
    moore: bool,
    stop: usize,
    start: usize,
    right: Vec<bool>,
    down: Vec<bool>,
    fall: Vec<bool>,
    rise: Vec<bool>,
    goals: Vec<bool>,
}

impl Case {
    /// Returns a grid in which this percentage of the transitions is open. The wave begins at the
    /// last cell.
    fn new(random: &mut Random, [width, height]: [usize; 2], percent: usize) -> Case {
        let n = width * height;
        let mut open = |across: bool, down: bool| {
            let mut bits = random.bits(n, percent);
            for (cell, bit) in bits.iter_mut().enumerate() {
                let leaves = (across && cell % width + 1 == width) || (down && cell + width >= n);
                *bit &= !leaves;
            }
            bits
        };
        let [right, down] = [open(true, false), open(false, true)];
        let [fall, rise] = [open(true, true), open(true, true)];
        let mut goals = vec![false; n];
        goals[n - 1] = true;
        Case { width, moore: false, stop: 0, start: 0, right, down, fall, rise, goals }
    }

    fn n_cells(&self) -> usize {
        self.right.len()
    }

    fn args(&self) -> Vec<Value> {
        let slices = [&self.right, &self.down, &self.fall, &self.rise, &self.goals];
        let numbers = [
            Value::Int(self.width as i64),
            Value::Bool(self.moore),
            Value::Int(self.stop as i64),
            Value::Int(self.start as i64 + 1),
        ];
        let slices = slices.map(|bits| Value::Slice(BitVector::from_bools(bits)));
        let results = vec![Value::Unset; N_RESULTS];
        numbers.into_iter().chain(slices).chain(results).collect()
    }
}

/// Percentage of open transitions in the eleven classes of source 002.
fn classes() -> impl Iterator<Item = usize> {
    (0..10).map(|class| 97 - 5 * class).chain([30])
}

#[test]
fn waves_and_paths_leave_the_same_on_an_adapter() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu-banks", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(2002);
    // Tiles of the tiny machines have 64 × 4 cells.
    let sizes = [[1, 1], [1, 2], [2, 1], [1, 37], [41, 1], [64, 4], [65, 5], [63, 9], [129, 14]];
    for size in sizes {
        for moore in [false, true] {
            let percent = [70, 85, 100][random.below(3)];
            let mut case = Case { moore, ..Case::new(&mut random, size, percent) };
            case.start = random.below(case.n_cells());
            for _ in 0..random.below(3) {
                let goal = random.below(case.n_cells());
                case.goals[goal] = true;
            }
            let found = agree(&program, &compiled, &case.args());
            for found in &found[1..] {
                assert_eq!(found.stats.intrinsics, N_INTRINSICS, "{size:?} {:?}", found.stats);
                assert!(found.stats.counters.grid_kernels > 30, "{:?}", found.stats);
                assert_eq!(found.stats.counters.declined(Declined::Memory), 0);
            }
        }
    }
}

#[test]
fn all_classes_of_impassability_agree() {
    let Some(mut machines) = adapters(&["cpu", "gpu"]) else { return };
    // The reference takes too long.
    machines.remove(0);
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(11);
    for (class, percent) in classes().enumerate() {
        let moore = class % 2 == 1;
        let mut case = Case { moore, ..Case::new(&mut random, [150, 139], percent) };
        // The goal is in a corner, or near the centre.
        if class % 3 == 0 {
            case.goals = vec![false; case.n_cells()];
            case.goals[70 * case.width + 75] = true;
        }
        let found = agree(&program, &compiled, &case.args());
        assert_eq!(found[0].stats.intrinsics, N_INTRINSICS, "{percent}: {:?}", found[0].stats);
    }
}

/// A spiral and a maze of corridors: the wave passes each tile several times.
#[test]
fn long_corridors_agree() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(5);
    for [width, height] in [[67, 13], [9, 70]] {
        let mut case = Case::new(&mut random, [width, height], 0);
        // Rows are joined at alternate ends.
        for y in 0..height {
            case.right[y * width..][..width - 1].fill(true);
            if y + 1 < height {
                case.down[y * width + if y % 2 == 0 { width - 1 } else { 0 }] = true;
            }
        }
        let found = agree(&program, &compiled, &case.args());
        for found in &found[1..] {
            assert_eq!(found.stats.intrinsics, N_INTRINSICS, "{:?}", found.stats);
        }
        let Value::Table(path) = &found[1].values[10] else { panic!("no path") };
        assert!(path.n_rows() > width * (height - 1), "{}", path.n_rows());
    }
}

/// Waves in straight corridors that begin at every distance from the border of a tile: what a cell
/// at the edge of a region lacks arrives at the tile with the last wave of a window.
#[test]
fn straight_waves_from_every_place_agree() {
    let Some(mut machines) = adapters(&["cpu", "gpu", "gpu-tiny"]) else { return };
    // The reference takes too long.
    machines.remove(0);
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(6);
    for (direction, size) in [[35, 170], [170, 35], [140, 137]].into_iter().enumerate() {
        let mut case = Case::new(&mut random, size, 100);
        let is_diagonal = direction == 2;
        for cell in 0..case.n_cells() {
            let (x, y) = (cell % size[0], cell / size[0]);
            // Diagonals begin at the upper border.
            case.goals[cell] = if is_diagonal { y == 0 && x % 35 == 1 } else { x == y };
        }
        if direction != 1 {
            case.right.fill(false);
        }
        if direction != 0 {
            case.down.fill(false);
        }
        if !is_diagonal {
            // These would be faster.
            case.fall.fill(false);
            case.rise.fill(false);
        }
        let found = agree(&program, &compiled, &case.args());
        assert_eq!(found[0].stats.intrinsics, N_INTRINSICS, "{size:?} {:?}", found[0].stats);
    }
}

#[test]
fn walls_everywhere_and_all_cells_as_goals_agree() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(7);
    for (percent, of_goals) in [(0, 0), (0, 50), (100, 0), (100, 100), (60, 100), (80, 3)] {
        let mut case = Case::new(&mut random, [70, 11], percent);
        case.goals = random.bits(case.n_cells(), of_goals);
        case.moore = percent == 80;
        for found in &agree(&program, &compiled, &case.args())[1..] {
            assert_eq!(found.stats.intrinsics, N_INTRINSICS, "{:?}", found.stats);
        }
    }
}

#[test]
fn a_wave_ends_with_the_label_of_the_given_cell() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(8);
    for round in 0..6 {
        let mut case = Case::new(&mut random, [71, 11], [75, 90, 100][round % 3]);
        // Sometimes a goal, or a cell that the wave does not reach.
        case.stop = if round == 4 { case.n_cells() } else { 1 + random.below(case.n_cells()) };
        case.start = if round % 2 == 0 { case.stop - 1 } else { random.below(case.n_cells()) };
        case.moore = round == 3;
        for found in &agree(&program, &compiled, &case.args())[1..] {
            assert!(found.stats.intrinsics >= 2, "{:?}", found.stats);
        }
    }
}

/// The text accepts transitions over the border, and reports labels of other grids.
#[test]
fn unusual_arguments_are_left_to_the_star_text() {
    let Some(machines) = adapters(&["gpu-tiny"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(9);
    let usual = Case::new(&mut random, [9, 5], 90);
    // The number of intrinsics that still run.
    type Change = (fn(&mut Case), u64);
    let changes: [Change; 5] = [
        (|case| case.right[17] = true, 0),
        (|case| case.fall[17] = true, 2),
        (|case| case.rise[26] = true, 2),
        // A wave ignores transitions below the grid, a path does not.
        (|case| case.down[40] = true, 2),
        // The cells do not form whole rows.
        (|case| case.width = 7, 0),
    ];
    for (change, n_intrinsics) in changes {
        let mut case = usual.clone();
        change(&mut case);
        let found = agree(&program, &compiled, &case.args());
        let stats = &found[0].stats;
        assert!(stats.counters.declined(Declined::Guard) > 0, "{stats:?}");
        assert_eq!(stats.intrinsics, n_intrinsics, "{stats:?}");
    }

    let program = Program::new(
        "import \"star:wave\";
         procedure TRY(start: integer; Right,Other: slice(n); var Path: table; var On: slice);
         var Label: table; Down,Goals: slice(n);
         begin
           CLR(Down); CLR(Goals); Goals(1):=1;
           WAVE(n,false,0,Right,Down,Goals,Label);
           TRACE(n,false,Other,Down,start,Label,Path,On);
         end;",
    );
    let entry = program.entry("TRY");
    let slice = |bits: &[bool]| Value::Slice(BitVector::from_bools(bits));
    let mut right = vec![true; 40];
    right[39] = false;
    let mut other = right.clone();
    other[11] = false;
    for (start, is_trap) in [(9, false), (30, true)] {
        let unset = [Value::Unset, Value::Unset];
        let given = [Value::Int(start), slice(&right), slice(&other)];
        let args: Vec<Value> = given.into_iter().chain(unset).collect();
        for compiled in program.compile_on(&machines) {
            let found = compiled.run(entry, &args, LIMITS);
            assert_eq!(matches!(found.outcome, Outcome::Trap { .. }), is_trap, "{found:?}");
        }
    }

    // Labels that are those of a path modulo 4.
    let program = Program::new(
        "import \"star:wave\";
         procedure TRY(Label: table(n); var Path: table; var On: slice(n));
         begin TRACE(3,false,'110','000',3,Label,Path,On) end;",
    );
    let entry = program.entry("TRY");
    for (label, is_trap) in [("0001", false), ("0101", true)] {
        let labels = BitTable::parse(&["0000", label, "0010"]).expect("a table");
        let args = [Value::from(labels), Value::Unset, Value::Unset];
        for compiled in program.compile_on(&machines) {
            let found = compiled.run(entry, &args, LIMITS);
            assert_eq!(matches!(found.outcome, Outcome::Trap { .. }), is_trap, "{found:?}");
        }
    }
}

#[test]
fn rows_of_pictures_agree() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu-banks", "gpu"]) else { return };
    let program = Program::new(
        "import \"star:wave\";
         procedure TRY(w: integer; C: table; var Picture: table);
         begin PLANES(w,C,Picture) end;",
    );
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(24);
    // The last cells may form no row.
    for (width, n_cells, n_columns) in [(1, 1, 1), (5, 170, 3), (64, 135, 2), (33, 1320, 24)] {
        let columns = (0..n_columns).map(|_| BitVector::from_bools(&random.bits(n_cells, 50)));
        let columns: Vec<BitVector> = columns.collect();
        let cells = Value::from(BitTable::from_columns(n_cells, &columns));
        let args = [Value::Int(width), cells, Value::Unset];
        for found in agree(&program, &compiled, &args) {
            assert_eq!(found.stats.intrinsics, 1, "{width}: {:?}", found.stats);
        }
    }
}

#[test]
fn without_shared_memory_the_star_text_runs_and_the_reason_is_counted() {
    let Some(machines) = without_shared_memory() else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let case = Case::new(&mut Random::new(3), [9, 5], 90);
    let stats = &agree(&program, &compiled, &case.args())[0].stats;
    // The texts of WAVE and TRACE call the other two.
    assert_eq!(stats.counters.declined(Declined::Body), N_INTRINSICS + 2, "{stats:?}");
}

/// Memory for the arguments but not for the labels: the intrinsic declines, and the text reports
/// the limit.
#[test]
fn refused_memory_is_reported_and_leaves_a_usable_device() {
    let Some(mut machines) = adapters(&["gpu"]) else { return };
    machines.remove(0);
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let entry = program.entry("TRY");
    let run = |size: [usize; 2]| {
        let limits = Limits { memory: Some(1 << 20), ..LIMITS };
        compiled[0].run(entry, &Case::new(&mut Random::new(4), size, 100).args(), limits)
    };
    let refused = run([800, 700]);
    let is_limit = matches!(refused.outcome, Outcome::Limit { kind: LimitKind::Memory { .. }, .. });
    assert!(is_limit, "{:?}", refused.outcome);
    assert!(refused.stats.counters.declined(Declined::Memory) > 0, "{:?}", refused.stats);
    let done = run([20, 10]);
    assert_eq!((done.outcome, done.stats.intrinsics), (Outcome::Done, N_INTRINSICS));
}

#[test]
fn an_endless_sequence_of_waves_is_interrupted_between_dispatches() {
    let Some(mut machines) = adapters(&["gpu"]) else { return };
    machines.remove(0);
    let program = Program::new(
        "import \"star:wave\";
         procedure TRY(w,n: integer; Free: slice(m); var Label: table);
         var Right,Down,Goals: slice(m); i: integer;
         begin
           OPEN_CELLS(w,Free,Right,Down);
           CLR(Goals); Goals(1):=1;
           for i:=1 to n do WAVE(w,false,0,Right,Down,Goals,Label);
         end;",
    );
    let compiled = program.compile_on(&machines);
    let entry = program.entry("TRY");
    let free = BitVector::from_bools(&vec![true; 300 * 300]);
    let args = |n: i64| {
        let free = Value::Slice(free.clone());
        [Value::Int(300), Value::Int(n), free, Value::Unset]
    };
    // A driver compiles each kernel only once.
    assert_eq!(compiled[0].run(entry, &args(1), LIMITS).outcome, Outcome::Done);
    let args = args(i64::MAX);
    let given = args.iter().map(Argument::of).collect();
    let stats = stats_of_interrupted_run(&compiled[0], entry, given);
    assert!(stats.counters.grid_kernels > 0, "{:?}", stats);
}
