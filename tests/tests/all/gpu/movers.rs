//! Moving objects of a handle on an adapter: results equal those of the reference and of the CPU
//! backend.

use std::collections::VecDeque;

use star_gpu::{DeviceSettings, Movers, MoversError};
use star_intrinsics::moving::{
    AnswerForm, AnswerHash, BatchAnswers, Collector, MovingIndex, Point, Query, Rect, Update,
    Updates,
};
use star_intrinsics::{Ended, Workers};
use star_tests::case::Random;
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, BitVector, Value};
use star_vm::{Declined, Limits, Outcome};

use super::{adapters, agree, stats_of_interrupted_run};
use crate::moving::{SCRIPT, numbers};

/// Sizes of a case: objects, bits of a coordinate, moves, queries.
type Sizes = [usize; 4];

/// Arguments of [`SCRIPT`]: coordinates below a limit, and one in some moves removes its object.
fn arguments(random: &mut Random, [n, k, n_moves, n_queries]: Sizes, limit: usize) -> Vec<Value> {
    let mut field = |n: usize, below: usize, bits: usize| {
        let list: Vec<u32> = (0..n).map(|_| random.below(below) as u32).collect();
        Value::from(numbers(&list, bits))
    };
    let coordinates = |field: &mut dyn FnMut(usize, usize, usize) -> Value, n| field(n, limit, k);
    let (u, v) = (coordinates(&mut field, n_moves), coordinates(&mut field, n_moves));
    let corners: Vec<Value> = (0..4).map(|_| coordinates(&mut field, n_queries)).collect();
    let bits = usize::BITS - n.leading_zeros();
    let ids: Vec<u32> = (0..n_moves).map(|_| 1 + random.below(n) as u32).collect();
    let gone = random.bits(n_moves, 20);
    let given = [n, k, 1 + random.below(n), random.below(6)];
    let mut args: Vec<Value> = given.into_iter().map(|number| Value::Int(number as i64)).collect();
    args.push(Value::from(numbers(&ids, bits as usize)));
    args.extend([u, v, Value::Slice(BitVector::from_bools(&gone))]);
    args.extend(corners);
    args.resize(23, Value::Unset);
    args
}

#[test]
fn objects_of_a_handle_are_the_same_on_an_adapter() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu-banks", "gpu"]) else { return };
    let program = Program::new(SCRIPT);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(31);
    // The first limits put all objects into one cell, or on one point.
    let cases = [
        ([1, 1, 0, 3], 2),
        ([5, 4, 9, 0], 16),
        ([40, 9, 90, 4], 1),
        ([70, 9, 200, 3], 3),
        ([130, 9, 90, 5], 512),
        ([33, 30, 30, 9], 1 << 30),
        ([64, 12, 0, 2], 4096),
    ];
    for (sizes, limit) in cases {
        let found = agree(&program, &compiled, &arguments(&mut random, sizes, limit));
        let n_intrinsics = found[0].stats.intrinsics;
        assert!(n_intrinsics > 8, "{:?}", found[0].stats);
        for found in &found[1..] {
            assert_eq!(found.stats.intrinsics, n_intrinsics, "{sizes:?} {:?}", found.stats);
            assert!(found.stats.counters.grid_kernels > 9, "{:?}", found.stats);
        }
    }
}

#[test]
fn many_objects_equal_those_of_the_cpu() {
    let Some(mut machines) = adapters(&["cpu", "gpu", "gpu-tiny"]) else { return };
    // The reference takes too long.
    machines.remove(0);
    let program = Program::new(SCRIPT);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(32);
    let cases = [
        ([3000, 20, 5000, 40], 1 << 20),
        ([9000, 12, 20_000, 30], 4096),
        ([2000, 24, 4000, 20], 50),
        ([500, 30, 3000, 20], 1 << 30),
    ];
    for (sizes, limit) in cases {
        let args = arguments(&mut random, sizes, limit);
        let found = agree(&program, &compiled, &args);
        for found in &found {
            assert!(found.stats.intrinsics > 8, "{sizes:?} {:?}", found.stats);
            assert_eq!(found.stats.counters.declined(Declined::Memory), 0);
        }
    }
}

/// A large batch, then some small ones of the same moves in turn with their coordinates exchanged,
/// each with the same queries before it.
const STEPS: &str = "import \"star:moving\";
procedure TRY(n,k,rounds: integer; I: table(m); U,V: table(m,k); G: slice(m); J: table(l);
              X,Y: table(l,k); R: slice(l); A,B,C,D: table(q,k);
              var Q,F,Q2,F2,X2,Y2: table; var P: slice);
var H: handle; i: integer;
begin
  MOVING_INIT(n,k,H);
  MOVING_MOVES(I,U,V,G,H);
  for i:=1 to rounds do
  begin
    MOVING_RANGES(A,B,C,D,H,Q,F);
    if i mod 2=1 then MOVING_MOVES(J,X,Y,R,H) else MOVING_MOVES(J,Y,X,not R,H);
  end;
  MOVING_RANGES(A,B,C,D,H,Q,F);
  MOVING_NEAREST(A,B,3,H,Q2,F2);
  MOVING_TABLES(H,X2,Y2,P);
end;";

/// Arguments of [`STEPS`].
fn steps(
    random: &mut Random,
    [n, k, n_moves, n_queries]: Sizes,
    n_few: usize,
    limit: usize,
    rounds: usize,
) -> Vec<Value> {
    let all = arguments(random, [n, k, n_moves, n_queries], limit);
    let few = arguments(random, [n, k, n_few, 0], limit);
    let mut args: Vec<Value> = all[..2].to_vec();
    args.push(Value::Int(rounds as i64));
    args.extend_from_slice(&all[4..8]);
    args.extend_from_slice(&few[4..8]);
    args.extend_from_slice(&all[8..12]);
    args.resize(22, Value::Unset);
    args
}

#[test]
fn small_batches_change_the_index_in_place() {
    let Some(machines) = adapters(&["cpu", "gpu", "gpu-tiny"]) else { return };
    let program = Program::new(STEPS);
    let compiled = program.compile_on(&machines[1..]);
    let mut random = Random::new(33);
    // Objects that leave their cells, stay in one, or all enter one.
    let cases = [
        ([400, 16, 2000, 9], 90, 1 << 16, 3),
        ([300, 9, 1000, 5], 40, 3, 4),
        ([1000, 20, 4000, 20], 200, 1 << 20, 4),
        ([900, 20, 4000, 9], 99, 1, 5),
        ([200, 30, 900, 7], 60, 1 << 30, 9),
    ];
    for (sizes, n_few, limit, rounds) in cases {
        let args = steps(&mut random, sizes, n_few, limit, rounds);
        for found in agree(&program, &compiled, &args) {
            // No text runs.
            assert_eq!(found.stats.intrinsics, 5 + 2 * rounds as u64, "{:?}", found.stats);
        }
    }
    let kernels = |rounds: usize| {
        let args = steps(&mut Random::new(34), [5000, 16, 20_000, 4], 100, 1 << 16, rounds);
        agree(&program, &compiled[..2], &args)[0].stats.counters.grid_kernels
    };
    // Seven for moves. For queries: four to read them, three or four for records, two for the
    // result; six more would put all objects into cells again.
    assert!(kernels(5) - kernels(3) < 2 * (7 + 9 + 6));
}

/// More objects enter a cell than there are free buckets: cells are chosen again.
#[test]
fn an_index_without_free_buckets_is_computed_again() {
    let Some(machines) = adapters(&["cpu", "gpu", "gpu-tiny"]) else { return };
    let program = Program::new(STEPS);
    let compiled = program.compile_on(&machines[1..]);
    let mut args = steps(&mut Random::new(35), [500, 16, 3000, 3], 300, 1 << 16, 2);
    // The moves lead to one point.
    args[8] = Value::from(numbers(&[77; 300], 16));
    args[9] = args[8].clone();
    args[10] = Value::Slice(BitVector::zeros(300));
    for found in agree(&program, &compiled, &args) {
        assert_eq!(found.stats.intrinsics, 9, "{:?}", found.stats);
    }
}

#[test]
fn unknown_objects_are_left_to_the_star_text() {
    let Some(machines) = adapters(&["gpu-tiny"]) else { return };
    let program = Program::new(STEPS);
    let compiled = program.compile_on(&machines[1..]);
    for number in [0, 41] {
        let mut args = steps(&mut Random::new(36), [40, 9, 30, 2], 3, 512, 1);
        args[7] = Value::from(numbers(&[1, number, 2], 6));
        let found = compiled[0].run(program.entry("TRY"), &args, Limits { steps: None, ..LIMITS });
        assert!(matches!(found.outcome, Outcome::Trap(_)), "{:?}", found.outcome);
        assert_eq!(found.stats.counters.declined(Declined::Guard), 1, "{:?}", found.stats);
    }
}

/// Memory for the tables but not for the index.
#[test]
fn refused_memory_is_counted_and_the_star_text_runs() {
    let Some(machines) = adapters(&["gpu"]) else { return };
    let program = Program::new(STEPS);
    let compiled = program.compile_on(&machines[1..]);
    let args = steps(&mut Random::new(37), [60_000, 2, 9, 1], 1, 4, 1);
    let limits = Limits { memory: Some(300_000), steps: None, ..LIMITS };
    let stats = compiled[0].run(program.entry("TRY"), &args, limits).stats;
    assert!(stats.counters.declined(Declined::Memory) > 1, "{stats:?}");
}

#[test]
fn endless_moves_are_interrupted_between_dispatches() {
    let Some(machines) = adapters(&["gpu"]) else { return };
    let program = Program::new(STEPS);
    let compiled = program.compile_on(&machines[1..]);
    let entry = program.entry("TRY");
    let args = |rounds: usize| steps(&mut Random::new(38), [900, 12, 900, 3], 9, 4096, rounds);
    // A driver compiles each kernel only once.
    assert_eq!(compiled[0].run(entry, &args(1), LIMITS).outcome, Outcome::Done);
    let args = args(usize::MAX / 2);
    let given = args.iter().map(Argument::of).collect();
    let stats = stats_of_interrupted_run(&compiled[0], entry, given);
    assert!(stats.intrinsics > 9, "{stats:?}");
}

/// A batch of updates of ids below `n`, some of them removals, to points from `low` on.
fn batch(random: &mut Random, n_updates: usize, n: usize, low: i64, side: usize) -> Vec<Update> {
    let updates = (0..n_updates).map(|_| {
        let mut coordinate = || low + random.below(side) as i64;
        let at = Point::new(coordinate(), coordinate());
        Update { id: random.below(n) as u32, to: at.filter(|_| random.below(9) > 0) }
    });
    updates.collect()
}

fn windows(random: &mut Random, n: usize, low: i64, side: usize) -> Vec<Query> {
    let queries = (0..n).map(|idx| {
        let mut corner = || {
            let mut coordinate = || low + random.below(side) as i64;
            Point::new(coordinate(), coordinate()).expect("in range")
        };
        Query { number: 7 * idx as u32 + 3, range: Rect::new(corner(), corner()) }
    });
    queries.collect()
}

/// A stream on the device and in the index of the CPU.
struct Both {
    opened: Movers,
    index: MovingIndex,
    workers: Workers<'static>,
    /// The expected answers that were not compared yet, with their form.
    expected: VecDeque<(Vec<(u32, u32)>, AnswerForm)>,
}

impl Both {
    fn new(settings: &DeviceSettings, area: Option<Rect>) -> Both {
        let opened = Movers::open(settings, area).expect("an adapter");
        let workers = Workers::new(Some(1), Workers::NEVER).expect("a thread");
        Both { opened, index: MovingIndex::new(area), workers, expected: VecDeque::new() }
    }

    fn begin(&mut self, updates: &[Update], queries: &[Query], form: AnswerForm) {
        let mut expected: Vec<(u32, u32)> = Vec::new();
        self.index.period(updates, queries, &mut expected, &self.workers).expect("memory");
        expected.sort_unstable();
        self.expected.push_back((expected, form));
        self.opened.begin(updates, queries, form, &|| false).expect("memory");
        self.compare();
    }

    /// Compares the answers of completed periods.
    fn compare(&mut self) {
        while let Some(found) = self.opened.take_answers() {
            let (expected, form) = self.expected.pop_front().expect("a period was begun");
            let mut hash = AnswerHash::default();
            expected.iter().for_each(|&(number, id)| hash.hit(number, id));
            match found {
                BatchAnswers::Pairs(mut pairs) => {
                    pairs.sort_unstable();
                    assert_eq!(pairs, expected);
                    assert_eq!(form, AnswerForm::Pairs);
                }
                BatchAnswers::Hash(found) => assert_eq!((found, form), (hash, AnswerForm::Hash)),
            }
        }
    }

    /// Completes all periods and compares answers, positions and statistics.
    fn finish(&mut self, n_ids: u32) {
        self.opened.finish(&|| false).expect("a device");
        self.compare();
        assert!(self.expected.is_empty());
        let mut positions = Vec::new();
        self.opened.for_each(|id, at| positions.push((id, at))).expect("a device");
        let known = (0..n_ids).filter_map(|id| Some((id, self.index.position(id)?)));
        let known: Vec<(u32, Point)> = known.collect();
        let differ = positions.iter().zip(&known).find(|(ours, its)| ours != its);
        assert_eq!(differ, None, "{n_ids} ids");
        assert_eq!(positions.len(), known.len(), "{n_ids} ids");
        let (ours, its) = (self.opened.statistics().expect("a device"), self.index.statistics());
        assert_eq!((ours.objects, ours.batches), (its.objects, its.batches));
        assert_eq!(ours.answering.hits, its.answering.hits);
        assert_eq!(ours.answering.queries, its.answering.queries);
        let of = |updates: Updates| {
            let Updates { superseded, inserted, removed, unknown_removals, .. } = updates;
            (updates.updates, superseded, inserted, removed, unknown_removals)
        };
        assert_eq!(of(ours.updates), of(its.updates));
    }
}

/// The settings of streams; none without an adapter.
fn settings() -> Vec<DeviceSettings> {
    match Movers::open(&DeviceSettings::default(), None) {
        Ok(_) => {
            vec![DeviceSettings::default(), DeviceSettings::tiny(), DeviceSettings::tiny_banks()]
        }
        Err(_) => {
            assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "no adapter");
            Vec::new()
        }
    }
}

#[test]
fn streams_have_the_answers_of_the_cpu() {
    for settings in settings() {
        let mut random = Random::new(39);
        let corner = |c: i64| Point::new(c, c).expect("in range");
        let small = Rect::new(corner(-20), corner(30));
        // Updates, ids, the least coordinate, the side, the area.
        let cases = [
            (200, 60, -500, 1000, None),
            (150, 400, -500, 1000, Some(small)),
            (100, 90, 5, 1, None),
            (300, 900, -(1 << 30) + 1, (1 << 31) - 2, None),
            (90, 50, 0, 40, Some(Rect::new(corner(77), corner(77)))),
        ];
        for (n_updates, n, low, side, area) in cases {
            let mut both = Both::new(&settings, area);
            for round in 0..7 {
                // Some batches are empty, and ids grow.
                let size = [n_updates, 0, n_updates / 3, n_updates, 7, 1, n_updates][round];
                let updates = batch(&mut random, size, 1 + n * (round + 1) / 7, low, side);
                let queries = windows(&mut random, round, low, side);
                let form = if round % 2 == 0 { AnswerForm::Pairs } else { AnswerForm::Hash };
                both.begin(&updates, &queries, form);
            }
            both.finish(n as u32 + 1);
        }
    }
}

/// Small batches follow one another without new cells; batches that were begun after one without
/// room for its answers, or for its objects in a cell, are carried out again.
#[test]
fn batches_in_flight_wait_for_one_without_room() {
    for settings in settings() {
        let mut random = Random::new(41);
        let n = 900;
        let all: Vec<Update> = (0..n)
            .map(|id| {
                let mut coordinate = || random.below(1000) as i64;
                Update { id, to: Point::new(coordinate(), coordinate()) }
            })
            .collect();
        let everything = |number| Query {
            number,
            range: Rect::new(
                Point::new(0, 0).expect("in range"),
                Point::new(999, 999).expect("in range"),
            ),
        };
        for form in [AnswerForm::Pairs, AnswerForm::Hash] {
            let mut both = Both::new(&settings, None);
            both.begin(&all, &[], form);
            for round in 0..12 {
                let mut updates = batch(&mut random, 60, n as usize, 0, 1000);
                let mut queries = windows(&mut random, 2, 0, 1000);
                if round == 3 || round == 4 {
                    // More answers than there is room for.
                    queries.extend((0..3).map(everything));
                }
                if (6..8).contains(&round) {
                    // Cells get more objects than there are free buckets in the smallest sizes.
                    updates = batch(&mut random, 800, n as usize, 100 * round, 1);
                }
                both.begin(&updates, &queries, form);
            }
            both.finish(n);
            let choices = both.opened.statistics().expect("a device").choices;
            let is_full = choices > 1;
            assert!(
                choices < 5 && (is_full || !settings.small_groups),
                "{choices} choices of cells"
            );
        }
    }
}

/// Objects gather in a few cells, which then need many buckets.
#[test]
fn cells_of_a_stream_are_chosen_again_after_many_moves() {
    for settings in settings() {
        let mut random = Random::new(42);
        let n = 600;
        let mut both = Both::new(&settings, None);
        let spread: Vec<Update> = (0..n)
            .map(|id| {
                let mut coordinate = || random.below(1000) as i64;
                Update { id, to: Point::new(coordinate(), coordinate()) }
            })
            .collect();
        both.begin(&spread, &[], AnswerForm::Hash);
        for round in 0..16 {
            // Half of the objects move at a time.
            let (half, place) = (round % 2, 100 * (round / 2 % 4) + 50);
            let at = Point::new(place.into(), place.into());
            let ids = (0..n).filter(|id| id % 2 == half);
            let updates: Vec<Update> = ids.map(|id| Update { id, to: at }).collect();
            let queries = windows(&mut random, 3, 0, 500);
            both.begin(&updates, &queries, AnswerForm::Pairs);
        }
        both.finish(n);
        assert!(both.opened.statistics().expect("a device").choices > 1);
    }
}

#[test]
fn a_stopped_batch_ends_between_dispatches() {
    let Ok(mut movers) = Movers::open(&DeviceSettings::default(), None) else { return };
    let updates = batch(&mut Random::new(40), 9, 9, 0, 9);
    let stopped = movers.begin(&updates, &[], AnswerForm::Hash, &|| true);
    assert!(matches!(stopped, Err(MoversError::Ended(Ended::Interrupted))), "{stopped:?}");
}
