//! Concurrent binary trees on an adapter: their fields and rank directories stay on the device, and
//! results equal those of the reference and of the CPU backend.

use star_ir::LimitKind;
use star_tests::case::Random;
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, BitVector, Value};
use star_vm::{Declined, Limits, Outcome};

use super::{adapters, agree, stats_of_interrupted_run, without_shared_memory};
use crate::cbt::{SCRIPT, arguments};

/// A batch on a given field, and all queries.
const QUERIES: &str = "import \"star:cbt\";
procedure COPIED(G: handle; k: integer; var P: slice);
var done: boolean;
begin
  CBT_SPLIT(k,G,done);
  CBT_REDUCE(G);
  CBT_HEAP(G,P);
end;
procedure TRY(F,S,M: slice; k: integer; var K,V: table; var P,B: slice;
  var a,b,c,l,d: integer);
var H: handle; done: boolean;
begin
  CBT_OF(F,H);
  CBT_CHANGE(S,M,H,a,b);
  c:=CBT_COUNT(H,k);
  CBT_LEAF(H,CBT_COUNT(H,1),l,d);
  CBT_LEAVES(H,K,V);
  CBT_SPLIT(l,H,done);
  CBT_MERGE(k,H,done);
  CBT_HEAP(H,P);
  COPIED(H,k,P);
  CBT_OF_HEAP(P,H);
  CBT_FIELD(H,B);
end;";

/// Returns the field of a random tree.
fn field(random: &mut Random, depth: usize) -> BitVector {
    let mut bits = BitVector::zeros(1 << depth);
    let mut nodes = vec![(0, depth)];
    while let Some((bit, levels)) = nodes.pop() {
        // Leaves of every level, most of them small.
        let is_split = random.below(8) < if levels + 4 < depth { 6 } else { 7 };
        if levels > 0 && is_split {
            nodes.extend([(bit, levels - 1), (bit + (1 << (levels - 1)), levels - 1)]);
        } else {
            bits.put(bit, true);
        }
    }
    bits
}

fn queries(random: &mut Random, depth: usize) -> [Value; 13] {
    let mut marks =
        |percent| Value::Slice(BitVector::from_bools(&random.bits(1 << depth, percent)));
    let marks = [marks(20), marks(90)];
    let [splits, merges] = marks;
    let node = 1 + random.below((2 << depth) - 1);
    let field = Value::Slice(field(random, depth));
    let given = [field, splits, merges, Value::Int(node as i64)];
    let mut given = given.into_iter();
    std::array::from_fn(|_| given.next().unwrap_or(Value::Unset))
}

#[test]
fn operations_on_trees_leave_the_same_on_an_adapter() {
    let Some(machines) = adapters(&["gpu-tiny", "gpu-banks"]) else { return };
    let program = Program::new(SCRIPT);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(47);
    for depth in 1..=7 {
        for level in [0, depth - 1] {
            for found in agree(&program, &compiled, &arguments(&mut random, depth, level)) {
                // Nothing but the queries about missing leaves runs as written.
                assert!(found.stats.intrinsics > 30, "{:?}", found.stats);
                assert!(found.stats.counters.grid_kernels > 30, "{:?}", found.stats);
                assert_eq!(found.stats.counters.declined(Declined::Memory), 0);
            }
        }
    }
}

#[test]
fn trees_of_several_workgroups_and_dispatches_equal_those_of_the_cpu() {
    let Some(mut machines) = adapters(&["cpu", "gpu", "gpu-tiny"]) else { return };
    // The reference takes too long.
    machines.remove(0);
    let program = Program::new(QUERIES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(48);
    // Tiles of the tiny machine have 1024 bits, those of the other one 65,536.
    for (depth, n) in [(1, 3), (2, 3), (4, 3), (5, 3), (6, 3), (10, 2), (12, 2)] {
        for _ in 0..n {
            for found in agree(&program, &compiled, &queries(&mut random, depth)) {
                assert_eq!(found.stats.intrinsics, 14, "{depth}: {:?}", found.stats);
            }
        }
    }
    let args = queries(&mut random, 18);
    agree(&program, &compiled[..2], &args);
}

#[test]
fn the_state_of_a_tree_stays_on_the_device() {
    let Some(machines) = adapters(&["gpu"]) else { return };
    let program = Program::new(
        "import \"star:cbt\";
         procedure TRY(D,n: integer; var sum: integer);
         var H: handle; i,k,d: integer; done: boolean;
         begin
           CBT_INIT(D,D-1,H);
           sum:=0;
           for i:=1 to n do
           begin
             CBT_LEAF(H,7*i,k,d);
             CBT_SPLIT(k,H,done);
             if done then sum:=sum+1;
             CBT_REDUCE(H);
             sum:=(sum+k+CBT_COUNT(H,3)) mod 1000003;
           end;
         end;",
    );
    let compiled = program.compile_on(&machines);
    let args = [Value::Int(16), Value::Int(12), Value::Unset];
    let found = agree(&program, &compiled, &args);
    let counters = &found[0].stats.counters;
    // 8 KiB of a field, and the window of 32 KiB at each stop.
    let bytes = counters.bytes_to_device + counters.bytes_from_device;
    assert_eq!(found[0].stats.intrinsics, 1 + 4 * 12, "{counters:?}");
    assert!(counters.grid_kernels > 5 * 12, "{counters:?}");
    assert!(bytes / counters.device_reads < 1 << 17, "{counters:?}");
}

#[test]
fn the_deepest_tree_is_counted_on_the_device() {
    let Some(mut machines) = adapters(&["gpu"]) else { return };
    let gpu = machines.remove(1);
    // An adapter that is a processor rejects longer lines.
    let is_processor = gpu.backend.caps().device.contains("llvmpipe");
    let depth = if is_processor { 22 } else { 30 };
    let program = Program::new(
        "import \"star:cbt\";
         procedure TRY(D,d: integer; var n,k,l: integer);
         var H: handle; done: boolean;
         begin
           CBT_INIT(D,d,H);
           CBT_SPLIT(5,H,done);
           CBT_REDUCE(H);
           n:=CBT_COUNT(H,1);
           CBT_LEAF(H,3,k,l);
         end;",
    );
    let compiled = program.compile_on(&[gpu]);
    let unset = Value::Unset;
    let args = [Value::Int(depth), Value::Int(2), unset.clone(), unset.clone(), unset];
    let limits = Limits { memory: None, ..LIMITS };
    let found = compiled[0].run(program.entry("TRY"), &args, limits);
    assert_eq!(found.outcome, Outcome::Done);
    assert_eq!(found.stats.intrinsics, 5, "{:?}", found.stats);
    let expected = [5, 11, 3].map(Value::Int);
    assert_eq!(found.values[2..], expected);
}

#[test]
fn without_shared_memory_the_star_text_runs_and_the_reason_is_counted() {
    let Some(machines) = without_shared_memory() else { return };
    let program = Program::new(QUERIES);
    let compiled = program.compile_on(&machines);
    let found = agree(&program, &compiled, &queries(&mut Random::new(49), 4));
    let stats = &found[0].stats;
    assert!(stats.counters.declined(Declined::Body) > 5, "{stats:?}");
}

/// Memory for the field but not for a second one: the intrinsic declines, and the text reports the
/// limit.
#[test]
fn refused_memory_is_reported_and_leaves_a_usable_device() {
    let Some(mut machines) = adapters(&["gpu"]) else { return };
    machines.remove(0);
    let program = Program::new(
        "import \"star:cbt\";
         procedure TRY(D: integer; var n: integer);
         var H: handle;
         begin CBT_INIT(D,1,H); n:=CBT_COUNT(H,1) end;",
    );
    let compiled = program.compile_on(&machines);
    let entry = program.entry("TRY");
    let run = |depth: i64, memory: u64| {
        let limits = Limits { memory: Some(memory), ..LIMITS };
        compiled[0].run(entry, &[Value::Int(depth), Value::Unset], limits)
    };
    let refused = run(24, 3 << 20);
    let is_limit = matches!(refused.outcome, Outcome::Limit { kind: LimitKind::Memory { .. }, .. });
    assert!(is_limit, "{:?}", refused.outcome);
    assert!(refused.stats.counters.declined(Declined::Memory) > 0, "{:?}", refused.stats);
    let done = run(10, 3 << 20);
    assert_eq!((done.outcome, &done.values[1]), (Outcome::Done, &Value::Int(2)));
}

#[test]
fn an_endless_cycle_is_interrupted_between_dispatches() {
    let Some(mut machines) = adapters(&["gpu"]) else { return };
    machines.remove(0);
    let program = Program::new(
        "import \"star:cbt\";
         procedure TRY(D,n: integer; var K,V: table);
         var H: handle; i: integer;
         begin
           CBT_INIT(D,D-1,H);
           for i:=1 to n do begin CBT_REDUCE(H); CBT_LEAVES(H,K,V) end;
         end;",
    );
    let compiled = program.compile_on(&machines);
    let entry = program.entry("TRY");
    let args = |n: i64| [Value::Int(16), Value::Int(n), Value::Unset, Value::Unset];
    // A driver compiles each kernel only once.
    assert_eq!(compiled[0].run(entry, &args(1), LIMITS).outcome, Outcome::Done);
    let given = args(i64::MAX).iter().map(Argument::of).collect();
    let stats = stats_of_interrupted_run(&compiled[0], entry, given);
    assert!(stats.intrinsics > 2, "{:?}", stats);
}
