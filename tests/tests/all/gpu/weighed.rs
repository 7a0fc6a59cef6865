//! Weighted waves on an adapter: prices equal those of the reference and of the CPU backend.

use star_ir::LimitKind;
use star_tests::case::Random;
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, BitTable, BitVector, Value};
use star_vm::{Declined, Limits, Outcome};

use super::{adapters, agree, stats_of_interrupted_run, without_shared_memory};

/// Both routines.
const ROUTINES: &str = "import \"star:weighed\";
procedure TRY(w: integer; moore: boolean; straight,diagonal: integer;
  Right,Down,Fall,Rise,Goals: slice(n); Weight: table(n); var Price,Other: table);
begin
  WEIGHED_WAVE(w,moore,straight,diagonal,Right,Down,Goals,Weight,Price);
  WEIGHED_WAVE8(w,straight,diagonal,Right,Down,Fall,Rise,Goals,Weight,Other);
end;";
const N_INTRINSICS: u64 = 2;

/// The routine that the CPU backend has, too.
const WAVE: &str = "import \"star:weighed\";
procedure TRY(w: integer; moore: boolean; straight,diagonal: integer;
  Right,Down,Fall,Rise,Goals: slice(n); Weight: table(n); var Price,Other: table);
begin WEIGHED_WAVE(w,moore,straight,diagonal,Right,Down,Goals,Weight,Price) end;";

/// A grid with weights and arguments of [`ROUTINES`]. Cells count from 0.
#[derive(Clone, Debug)]
struct Case {
    width: usize,
    moore: bool,
    steps: [i64; 2],
    /// Right, Down, Fall and Rise.
    open: [Vec<bool>; 4],
    goals: Vec<bool>,
    weights: Vec<u32>,
    weight_bits: usize,
}

impl Case {
    /// Returns a grid in which this percentage of the transitions is open. The goal is the last
    /// cell.
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
        let open = [open(true, false), open(false, true), open(true, true), open(true, true)];
        let weight_bits = 1 + random.below(6);
        let weights = (0..n).map(|_| 1 + random.below((1 << weight_bits) - 1) as u32).collect();
        let mut goals = vec![false; n];
        goals[n - 1] = true;
        let (moore, steps) = (false, [5, 7]);
        Case { width, moore, steps, open, goals, weights, weight_bits }
    }

    fn n_cells(&self) -> usize {
        self.weights.len()
    }

    fn args(&self) -> Vec<Value> {
        let column = |column: usize| {
            let bit = self.weight_bits - 1 - column;
            let bits = self.weights.iter().map(|weight| bit < 32 && weight >> bit & 1 == 1);
            BitVector::from_bools(&bits.collect::<Vec<bool>>())
        };
        let columns: Vec<BitVector> = (0..self.weight_bits).map(column).collect();
        let numbers = [
            Value::Int(self.width as i64),
            Value::Bool(self.moore),
            Value::Int(self.steps[0]),
            Value::Int(self.steps[1]),
        ];
        let slices = self.open.iter().chain([&self.goals]);
        let slices = slices.map(|bits| Value::Slice(BitVector::from_bools(bits)));
        let weights = Value::from(BitTable::from_columns(self.n_cells(), &columns));
        let rest = [weights, Value::Unset, Value::Unset];
        numbers.into_iter().chain(slices).chain(rest).collect()
    }
}

/// Returns the price of a cell according to a table.
fn price(table: &Value, cell: usize) -> u64 {
    let Value::Table(table) = table else { panic!("{table:?}") };
    table.row(cell).iter().fold(0, |number, bit| number << 1 | u64::from(bit))
}

#[test]
fn prices_leave_the_same_on_an_adapter() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu-banks", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(1959);
    // Tiles of the tiny machines have 4 × 4 cells.
    let sizes = [[1, 1], [1, 2], [2, 1], [1, 37], [41, 1], [4, 4], [33, 5], [5, 9], [23, 14]];
    for size in sizes {
        for moore in [false, true] {
            let percent = [70, 85, 100][random.below(3)];
            let mut case = Case { moore, ..Case::new(&mut random, size, percent) };
            case.steps = [[1, 1], [5, 7], [1000, 1414], [7, 3]][random.below(4)];
            for _ in 0..random.below(3) {
                let goal = random.below(case.n_cells());
                case.goals[goal] = true;
            }
            let found = agree(&program, &compiled, &case.args());
            // The CPU backend has one of the two.
            assert_eq!(found[0].stats.intrinsics, 1, "{:?}", found[0].stats);
            for found in &found[1..] {
                assert_eq!(found.stats.intrinsics, N_INTRINSICS, "{size:?} {:?}", found.stats);
                assert!(found.stats.counters.grid_kernels > 30, "{:?}", found.stats);
                assert_eq!(found.stats.counters.declined(Declined::Memory), 0);
            }
        }
    }
}

/// Prices of more than 32 bits.
#[test]
fn prices_beyond_a_part_agree() {
    let Some(machines) = adapters(&["gpu-tiny", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(2003);
    let mut case = Case::new(&mut random, [90, 2], 0);
    case.open[0] = (0..180).map(|cell| cell % 90 != 89).collect();
    case.open[1][86] = true;
    // A part is as long as a step or two.
    (case.steps, case.weight_bits) = ([127, 1], 24);
    case.weights = (0..180).map(|_| (1 << 24) - 1 - random.below(1000) as u32).collect();
    let found = agree(&program, &compiled, &case.args());
    for found in &found {
        assert_eq!(found.stats.intrinsics, N_INTRINSICS, "{:?}", found.stats);
        assert!(price(&found.values[10], 0) > 1 << 36, "{}", price(&found.values[10], 0));
        // 16 windows, the prices and the begin of the next part.
        assert!(found.stats.counters.grid_kernels > 18 * 40, "{:?}", found.stats);
    }
}

/// A cheap detour through many tiles: their costs decrease after a dear path has labelled them.
#[test]
fn cheaper_detours_replace_costs_that_other_tiles_have_used() {
    let Some(mut machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    // The reference takes too long.
    machines.remove(0);
    let program = Program::new(WAVE);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(31);
    let (width, height) = (70, 41);
    for moore in [false, true] {
        let mut case = Case { moore, ..Case::new(&mut random, [width, height], 100) };
        case.weight_bits = 12;
        // A snake of cheap cells between dear ones.
        for (cell, weight) in case.weights.iter_mut().enumerate() {
            let (x, y) = (cell % width, cell / width);
            let is_gap = if y % 4 == 1 { x + 1 == width } else { x == 0 };
            *weight = if y % 2 == 0 || is_gap { 1 } else { 4095 };
        }
        for found in agree(&program, &compiled, &case.args()) {
            assert_eq!(found.stats.intrinsics, 1, "{:?}", found.stats);
        }
    }
}

#[test]
fn grids_of_several_tiles_equal_those_of_the_cpu() {
    let Some(mut machines) = adapters(&["cpu", "gpu"]) else { return };
    // The reference takes too long.
    machines.remove(0);
    let program = Program::new(WAVE);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(14);
    for (idx, percent) in [100, 85, 70, 60].into_iter().enumerate() {
        let mut case = Case::new(&mut random, [230, 197], percent);
        (case.moore, case.steps) = (idx % 2 == 0, [1000, 1414]);
        case.weight_bits = 8;
        case.weights.iter_mut().for_each(|weight| *weight = 1 + random.below(255) as u32);
        let found = agree(&program, &compiled, &case.args());
        assert_eq!(found[0].stats.intrinsics, 1, "{percent}: {:?}", found[0].stats);
        assert!(found[0].stats.counters.grid_kernels >= 18, "{:?}", found[0].stats);
    }
}

#[test]
fn walls_everywhere_and_all_cells_as_goals_agree() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(7);
    for (percent, of_goals) in [(0, 0), (0, 50), (100, 0), (100, 100), (60, 100), (80, 3)] {
        let mut case = Case::new(&mut random, [37, 11], percent);
        case.goals = random.bits(case.n_cells(), of_goals);
        case.moore = percent == 80;
        for found in &agree(&program, &compiled, &case.args())[1..] {
            assert_eq!(found.stats.intrinsics, N_INTRINSICS, "{:?}", found.stats);
        }
    }
}

/// The text accepts transitions over the border, reports weights of 0, and has numbers of any size.
#[test]
fn unusual_arguments_are_left_to_the_star_text() {
    let Some(machines) = adapters(&["gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(9);
    let usual = Case::new(&mut random, [5, 3], 90);
    // The number of intrinsics that still run.
    type Change = (fn(&mut Case), u64, Declined);
    let changes: [Change; 8] = [
        (|case| case.open[0][9] = true, 0, Declined::Guard),
        (|case| case.open[2][9] = true, 1, Declined::Guard),
        (|case| case.open[3][4] = true, 1, Declined::Guard),
        // The cells do not form whole rows.
        (|case| case.width = 7, 0, Declined::Guard),
        (|case| (case.weights[3], case.weight_bits) = (1 << 24, 25), 0, Declined::Range),
        (|case| case.steps = [u32::MAX.into(), 1], 0, Declined::Range),
        (|case| case.steps = [1, u32::MAX.into()], 1, Declined::Range),
        (|case| (case.steps, case.weight_bits) = ([1 << 31, 1], 28), 0, Declined::Guard),
    ];
    for (change, n_intrinsics, reason) in changes {
        let mut case = usual.clone();
        change(&mut case);
        let stats = &agree(&program, &compiled, &case.args())[0].stats;
        assert!(stats.counters.declined(reason) > 0, "{stats:?}");
        assert_eq!(stats.intrinsics, n_intrinsics, "{stats:?}");
    }
    let mut zero = usual;
    zero.weights[11] = 0;
    let found = compiled[1].run(program.entry("TRY"), &zero.args(), LIMITS);
    assert!(matches!(found.outcome, Outcome::Trap { .. }), "{found:?}");
}

#[test]
fn without_shared_memory_the_star_text_runs_and_the_reason_is_counted() {
    let Some(machines) = without_shared_memory() else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let case = Case::new(&mut Random::new(3), [3, 2], 90);
    let stats = &agree(&program, &compiled, &case.args())[0].stats;
    // The text of WEIGHED_WAVE calls the other one.
    assert_eq!(stats.counters.declined(Declined::Body), N_INTRINSICS + 1, "{stats:?}");
}

/// Memory for the arguments but not for the costs: the intrinsic declines, and the text reports the
/// limit.
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
    let refused = run([500, 700]);
    let is_limit = matches!(refused.outcome, Outcome::Limit { kind: LimitKind::Memory { .. }, .. });
    assert!(is_limit, "{:?}", refused.outcome);
    assert!(refused.stats.counters.declined(Declined::Memory) > 0, "{:?}", refused.stats);
    let done = run([20, 10]);
    assert_eq!((done.outcome, done.stats.intrinsics), (Outcome::Done, N_INTRINSICS));
}

/// One wave in a corridor that takes many windows: the run ends inside the intrinsic.
#[test]
fn a_long_wave_is_interrupted_between_dispatches() {
    let Some(mut machines) = adapters(&["gpu-tiny"]) else { return };
    machines.remove(0);
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let entry = program.entry("TRY");
    let case = |n: usize| Case::new(&mut Random::new(5), [n, 1], 100).args();
    // A driver compiles each kernel only once.
    assert_eq!(compiled[0].run(entry, &case(2), LIMITS).outcome, Outcome::Done);
    let args = case(10_000);
    let given = args.iter().map(Argument::of).collect();
    let stats = stats_of_interrupted_run(&compiled[0], entry, given);
    assert_eq!(stats.intrinsics, 0, "{stats:?}");
    assert_eq!(stats.counters.declined(Declined::Range), 0, "{stats:?}");
    assert!(stats.counters.grid_kernels > 30, "{stats:?}");
}
