//! Lists of arcs on an adapter: results equal those of the reference and of the CPU backend.

use star_ir::LimitKind;
use star_tests::case::Random;
use star_tests::run::{LIMITS, Program, RunResult};
use star_value::{Argument, BitTable, BitVector, Value};
use star_vm::{Declined, Limits, Outcome};

use super::{adapters, agree, stats_of_interrupted_run, without_shared_memory};

/// All routines with an intrinsic; MST calls KRUSKAL.
const ROUTINES: &str = "import \"star:arcs\";
procedure TRY(s,n,h: integer; both: boolean; left,right: table(m,b); weight: table(m);
  S: slice(m); var Level,Dist,Far,Pred,Label: table; var T,F: slice);
begin
  BFS(s,n,both,left,right,S,Level);
  SSSP(s,n,h,both,left,right,weight,S,Dist);
  SSSP_TREE(s,n,h,both,left,right,weight,S,Far,Pred,T);
  COMPONENTS(n,left,right,S,Label);
  MST(left,right,weight,S,F);
end;";
const N_INTRINSICS: u64 = 5;
/// Those whose results do not depend on weights.
const N_WITHOUT_WEIGHTS: u64 = 3;

/// A search alone.
const SEARCH: &str = "import \"star:arcs\";
procedure TRY(s,n,h: integer; both: boolean; left,right: table(m,b); weight: table(m);
  S: slice(m); var Level,Dist,Far,Pred,Label: table; var T,F: slice);
begin BFS(s,n,both,left,right,S,Level) end;";

/// The arguments of [`ROUTINES`].
#[derive(Clone, Debug)]
struct Case {
    n: usize,
    start: usize,
    h: usize,
    both: bool,
    /// Tail, head and weight of each row, and whether it is an arc. Codes count from 1.
    rows: Vec<([u64; 3], bool)>,
    code_bits: usize,
    weight_bits: usize,
}

impl Case {
    /// Returns these arcs from vertex 1, with weights and sums of them below `2^(h-1)`.
    fn new(n: usize, arcs: impl IntoIterator<Item = [usize; 3]>) -> Case {
        let rows: Vec<([u64; 3], bool)> =
            arcs.into_iter().map(|arc| (arc.map(|number| number as u64), true)).collect();
        let most = rows.iter().map(|(arc, _)| arc[2]).max().unwrap_or(0);
        let code_bits = n.ilog2() as usize + 1;
        let weight_bits = most.max(1).ilog2() as usize + 1;
        let h = weight_bits + code_bits + 1;
        Case { n, start: 1, h, both: false, rows, code_bits, weight_bits }
    }

    /// Returns random arcs with weights below `most`, with loops and parallel arcs. Rows that are
    /// no arcs have arbitrary bits.
    fn random(random: &mut Random, n: usize, m: usize, most: usize) -> Case {
        let arcs = (0..m).map(|_| [1 + random.below(n), 1 + random.below(n), random.below(most)]);
        let mut case = Case::new(n, arcs.collect::<Vec<[usize; 3]>>());
        let percent = [100, 80][random.below(2)];
        for (arc, is_arc) in &mut case.rows {
            *is_arc = random.chance(percent);
            if !*is_arc {
                *arc = [u64::MAX, 0, u64::MAX];
            }
        }
        case.start = 1 + random.below(n);
        case.both = random.chance(50);
        case
    }

    fn args(&self) -> Vec<Value> {
        let table = |place: usize, n_columns: usize| {
            let column = |column: usize| {
                let bit = n_columns - 1 - column;
                let bits = self.rows.iter().map(|(arc, _)| arc[place] >> bit & 1 == 1);
                BitVector::from_bools(&bits.collect::<Vec<bool>>())
            };
            let columns: Vec<BitVector> = (0..n_columns).map(column).collect();
            Value::from(BitTable::from_columns(self.rows.len(), &columns))
        };
        let among: Vec<bool> = self.rows.iter().map(|(_, is_arc)| *is_arc).collect();
        let mut args = vec![
            Value::Int(self.start as i64),
            Value::Int(self.n as i64),
            Value::Int(self.h as i64),
            Value::Bool(self.both),
            table(0, self.code_bits),
            table(1, self.code_bits),
            table(2, self.weight_bits),
            Value::Slice(BitVector::from_bools(&among)),
        ];
        args.resize(15, Value::Unset);
        args
    }
}

/// Asserts that all intrinsics ran, as kernels on an adapter.
fn ran(found: &[RunResult], context: &str) {
    for found in found {
        assert_eq!(found.stats.intrinsics, N_INTRINSICS, "{context} {:?}", found.stats);
        assert_eq!(found.stats.counters.declined(Declined::Memory), 0, "{context}");
    }
}

#[test]
fn random_lists_leave_the_same_on_an_adapter() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu-banks", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(1956);
    for (n, m) in [(1, 0), (1, 3), (2, 1), (3, 8), (9, 20), (31, 33), (33, 64), (40, 130)] {
        for most in [1, 2, 5, 1000] {
            let case = Case::random(&mut random, n, m, most);
            let context = format!("{n} vertices, {m} rows, weights below {most}, {}", case.both);
            let found = agree(&program, &compiled, &case.args());
            ran(&found, &context);
            for found in &found[1..] {
                assert!(found.stats.counters.grid_kernels > 50, "{context} {:?}", found.stats);
            }
        }
    }
}

/// Several workgroups, and hubs with several parts.
#[test]
fn large_lists_equal_those_of_the_cpu() {
    let Some(mut machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    // The reference takes too long.
    machines.remove(0);
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(1959);
    for (n, m, most, both) in
        [(700, 1500, 300, false), (700, 900, 4, true), (900, 800, 1 << 20, true)]
    {
        let case = Case { both, ..Case::random(&mut random, n, m, most) };
        ran(&agree(&program, &compiled, &case.args()), &format!("{n}, {m}, {most}"));
    }
    // Two hubs, each of which has arcs to most vertices, and a few others.
    for both in [false, true] {
        let n = 600;
        let arcs = (0..1500).map(|_| {
            let hub = [1, 300][random.below(2)];
            let tail = if random.chance(90) { hub } else { 1 + random.below(n) };
            [tail, 1 + random.below(n), random.below(50)]
        });
        let arcs: Vec<[usize; 3]> = arcs.collect();
        let case = Case { both, start: 300, ..Case::new(n, arcs) };
        ran(&agree(&program, &compiled, &case.args()), "hubs");
    }
}

/// The path is found, but later a cheaper one with more arcs: many buckets, and vertices that enter
/// a bucket again.
#[test]
fn cheaper_detours_replace_costs_that_were_used() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let n = 48;
    let steps = (1..n).map(|tail| [tail, tail + 1, 1 + tail % 3]);
    let leaps = (1..n - 7).map(|tail| [tail, tail + 7, 60 - tail % 5]);
    let case = Case::new(n, steps.chain(leaps));
    let found = agree(&program, &compiled, &case.args());
    ran(&found, "detours");
    let found = agree(&program, &compiled, &Case { both: true, start: 20, ..case }.args());
    ran(&found, "detours in both directions");
}

/// Among vertices at one distance, the order of the text depends on all rows.
#[test]
fn trees_of_arcs_without_weight_are_those_of_the_text() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(48);
    for round in 0..12 {
        let n = 6 + random.below(14);
        let mut case = Case::random(&mut random, n, 4 * n, 2);
        case.both = round % 2 == 0;
        for (arc, is_arc) in &mut case.rows {
            // Mostly without weight.
            if *is_arc && random.chance(60) {
                arc[2] = 0;
            }
        }
        ran(&agree(&program, &compiled, &case.args()), &format!("round {round}: {case:?}"));
    }
}

/// Long paths of sets, which take many steps.
#[test]
fn chains_in_any_order_are_one_component() {
    let Some(mut machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    // The reference takes too long.
    machines.remove(0);
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let n = 400;
    for order in 0..3 {
        let mut vertices: Vec<usize> = (1..=n).collect();
        match order {
            0 => {}
            1 => vertices.reverse(),
            // Steps of another length, which has no common divisor with 400.
            _ => vertices = (0..n).map(|at| at * 147 % n + 1).collect(),
        }
        // Two chains.
        let arcs = vertices.windows(2).enumerate().filter(|(at, _)| *at != n / 3);
        let arcs = arcs.map(|(at, ends)| [ends[0], ends[1], at * at % 17]);
        let case = Case { both: true, start: vertices[n / 2], ..Case::new(n, arcs) };
        ran(&agree(&program, &compiled, &case.args()), &format!("order {order}"));
    }
}

/// Weights and distances up to the last that 32 bits hold, and beyond.
#[test]
fn large_weights_run_as_long_as_distances_have_32_bits() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let path = |weight: usize, is_long: bool| {
        let mut arcs = vec![[1, 2, weight], [2, 3, weight], [1, 4, 1], [4, 1, weight - 1]];
        arcs.push([3, 5, 0]);
        if is_long {
            // A sum without its highest bit would replace the distances of both vertices.
            arcs.extend([[3, 6, weight], [6, 3, 0]]);
        }
        Case { h: 40, ..Case::new(6, arcs) }
    };
    let most = (u32::MAX as usize - 2) / 3;
    for (weight, reason) in [
        (most, None),
        (most + 1, Some(Declined::Range)),
        (u32::MAX as usize, Some(Declined::Range)),
        (1 << 32, Some(Declined::Guard)),
    ] {
        let found = agree(&program, &compiled, &path(weight, reason.is_some()).args());
        for found in &found[1..] {
            let (n_intrinsics, stats) = (found.stats.intrinsics, &found.stats);
            let Some(reason) = reason else {
                assert_eq!(n_intrinsics, N_INTRINSICS, "{weight} {stats:?}");
                continue;
            };
            // A forest has weights of 32 bits.
            let n_forests = u64::from(reason == Declined::Range);
            assert_eq!(n_intrinsics, N_WITHOUT_WEIGHTS - 1 + n_forests, "{weight} {stats:?}");
            // The text of SSSP calls SSSP_TREE.
            assert_eq!(stats.counters.declined(reason), 4 - n_forests, "{weight} {stats:?}");
        }
    }
}

#[test]
fn codes_of_no_vertex_and_short_distances_are_left_to_the_star_text() {
    let Some(machines) = adapters(&["gpu"]) else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let usual = Case::new(5, (1..5).map(|tail| [tail, tail + 1, 3]));
    // The text reports these arguments; that of SSSP calls SSSP_TREE.
    type Change = fn(&mut Case);
    let changes: [(Change, u64); 4] = [
        (|case| case.rows[2].0[0] = 0, 1),
        (|case| case.rows[2].0[1] = 6, 1),
        (|case| case.h = 4, 2),
        (|case| (case.h, case.rows[1].0[2], case.weight_bits) = (4, 8, 4), 2),
    ];
    for (idx, (change, n_declined)) in changes.into_iter().enumerate() {
        let mut case = usual.clone();
        change(&mut case);
        let runs = [&compiled[0], &compiled[1]]
            .map(|on| on.run(program.entry("TRY"), &case.args(), LIMITS));
        let stats = &runs[1].stats;
        assert!(matches!(runs[1].outcome, Outcome::Trap { .. }), "{idx}: {:?}", runs[1]);
        assert_eq!(runs[0].outcome, runs[1].outcome, "{idx}");
        assert_eq!(stats.counters.declined(Declined::Guard), n_declined, "{idx}: {stats:?}");
    }
    // There are many more codes than edges.
    let mut case = usual;
    case.code_bits = 20;
    let stats = &agree(&program, &compiled, &case.args())[0].stats;
    assert_eq!(stats.intrinsics, N_INTRINSICS - 1, "{stats:?}");
    assert_eq!(stats.counters.declined(Declined::Range), 1, "{stats:?}");
}

#[test]
fn without_shared_memory_the_star_text_runs_and_the_reason_is_counted() {
    let Some(machines) = without_shared_memory() else { return };
    let program = Program::new(ROUTINES);
    let compiled = program.compile_on(&machines);
    let case = Case::random(&mut Random::new(3), 5, 9, 4);
    let stats = &agree(&program, &compiled, &case.args())[0].stats;
    // The text of SSSP calls SSSP_TREE.
    assert_eq!(stats.counters.declined(Declined::Body), N_INTRINSICS + 1, "{stats:?}");
}

/// Memory for the arguments but not for the words of the arcs: the intrinsic declines, and the text
/// reports the limit.
#[test]
fn refused_memory_is_reported_and_leaves_a_usable_device() {
    let Some(mut machines) = adapters(&["gpu"]) else { return };
    machines.remove(0);
    let program = Program::new(SEARCH);
    let compiled = program.compile_on(&machines);
    let entry = program.entry("TRY");
    let run = |n: usize, m: usize| {
        let limits = Limits { memory: Some(1 << 19), ..LIMITS };
        let case = Case::random(&mut Random::new(4), n, m, 2);
        compiled[0].run(entry, &case.args(), limits)
    };
    let refused = run(100_000, 100_000);
    let is_limit = matches!(refused.outcome, Outcome::Limit { kind: LimitKind::Memory { .. }, .. });
    assert!(is_limit, "{:?}", refused.outcome);
    assert!(refused.stats.counters.declined(Declined::Memory) > 0, "{:?}", refused.stats);
    let done = run(20, 40);
    assert_eq!((done.outcome, done.stats.intrinsics), (Outcome::Done, 1));
}

/// A search along a path takes many windows: the run ends inside the intrinsic.
#[test]
fn a_long_search_is_interrupted_between_dispatches() {
    let Some(mut machines) = adapters(&["gpu-tiny"]) else { return };
    machines.remove(0);
    let program = Program::new(SEARCH);
    let compiled = program.compile_on(&machines);
    let entry = program.entry("TRY");
    let case = |n: usize| Case::new(n, (1..n).map(|tail| [tail, tail + 1, 1])).args();
    // A driver compiles each kernel only once, those for wide lines included.
    assert_eq!(compiled[0].run(entry, &case(300), LIMITS).outcome, Outcome::Done);
    let args = case(30_000);
    let given = args.iter().map(Argument::of).collect();
    let stats = stats_of_interrupted_run(&compiled[0], entry, given);
    assert_eq!(stats.intrinsics, 0, "{stats:?}");
    assert_eq!(stats.counters.declined(Declined::Range), 0, "{stats:?}");
    assert!(stats.counters.grid_kernels > 30, "{stats:?}");
}
