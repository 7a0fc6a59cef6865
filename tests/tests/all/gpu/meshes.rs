//! Meshes of a terrain on an adapter: they stay on the device, and results equal those of the
//! reference and of the CPU backend.

use star_ir::LimitKind;
use star_tests::case::Random;
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, BitTable, BitVector, Value};
use star_vm::{Declined, Limits, Outcome};

use super::{adapters, agree, stats_of_interrupted_run, without_shared_memory};

/// Frames of viewpoints on a line: the triangles of the first and the last mesh, the changes, and a
/// picture.
const FRAMES: &str = "import \"star:terrain\";
procedure TRY(w: integer; Z: table; eps,near,frames: integer; var sum: integer;
  var First,Last,P: table);
var H: handle; f,a,b: integer;
begin
  TERRAIN_INIT(w,Z,eps,near,H);
  TERRAIN_MESH(H,First);
  sum:=0;
  for f:=1 to frames do
    repeat
      TERRAIN_STEP((f-1)*w div frames,2*f-9,H,a,b);
      sum:=(3*sum+7*a+11*b) mod 1000003;
    until a+b=0;
  TERRAIN_MESH(H,Last);
  TERRAIN_PICTURE(H,1+frames mod 3,3,P);
end;";

/// Arguments of [`FRAMES`]: heights of this number of bits, most of them small.
fn arguments(
    random: &mut Random,
    [width, height]: [usize; 2],
    bits: usize,
    [tolerance, near, frames]: [i64; 3],
) -> [Value; 9] {
    let column = |at: usize| random.bits(width * height, if at + 4 < bits { 10 } else { 30 });
    let columns: Vec<Vec<bool>> = (0..bits).map(column).collect();
    let columns: Vec<BitVector> = columns.iter().map(|bits| BitVector::from_bools(bits)).collect();
    let given = [
        Value::Int(width as i64),
        Value::from(BitTable::from_columns(width * height, &columns)),
        Value::Int(tolerance),
        Value::Int(near),
        Value::Int(frames),
    ];
    let mut given = given.into_iter();
    std::array::from_fn(|_| given.next().unwrap_or(Value::Unset))
}

#[test]
fn meshes_leave_the_same_on_an_adapter() {
    let Some(machines) = adapters(&["cpu", "gpu-tiny", "gpu-banks", "gpu"]) else { return };
    let program = Program::new(FRAMES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(14);
    for size in [[2, 2], [3, 5], [5, 3], [9, 9], [12, 7]] {
        for bound in [[0, 0, 1], [2, 1, 3], [1, 3, 2], [200, 0, 1]] {
            let found = agree(&program, &compiled, &arguments(&mut random, size, 7, bound));
            let n_intrinsics = found[0].stats.intrinsics;
            assert!(n_intrinsics >= 5, "{:?}", found[0].stats);
            for found in &found[1..] {
                assert_eq!(found.stats.intrinsics, n_intrinsics, "{size:?} {:?}", found.stats);
                assert!(found.stats.counters.grid_kernels > 10, "{:?}", found.stats);
                assert_eq!(found.stats.counters.declined(Declined::Memory), 0);
            }
        }
    }
}

#[test]
fn meshes_of_many_workgroups_equal_those_of_the_cpu() {
    let Some(mut machines) = adapters(&["cpu", "gpu", "gpu-tiny"]) else { return };
    // The reference takes too long.
    machines.remove(0);
    let program = Program::new(FRAMES);
    let compiled = program.compile_on(&machines);
    let mut random = Random::new(15);
    // The greatest number of bits of a height, and small ones.
    for (size, bits, bound) in
        [([129, 9], 24, [3, 4, 5]), ([33, 33], 3, [0, 9, 5]), ([20, 65], 24, [1 << 20, 20, 5])]
    {
        let args = arguments(&mut random, size, bits, bound);
        let n_intrinsics = |stats: &star_vm::Stats| stats.intrinsics;
        let cpu = compiled[0].run(program.entry("TRY"), &args, Limits { steps: None, ..LIMITS });
        for found in agree(&program, &compiled, &args) {
            assert_eq!(n_intrinsics(&found.stats), n_intrinsics(&cpu.stats), "{:?}", found.stats);
        }
    }
    let args = arguments(&mut random, [201, 257], 10, [30, 20, 6]);
    let found = agree(&program, &compiled[..2], &args);
    assert!(found[0].stats.intrinsics > 20, "{:?}", found[0].stats);
}

#[test]
fn the_mesh_stays_on_the_device_between_frames() {
    let Some(machines) = adapters(&["cpu", "gpu"]) else { return };
    let program = Program::new(FRAMES);
    let compiled = program.compile_on(&machines[1..]);
    let args = arguments(&mut Random::new(16), [257, 200], 8, [60, 10, 12]);
    let found = agree(&program, &compiled, &args);
    let counters = &found[0].stats.counters;
    // The radii have 512 KiB; the window of 32 KiB comes back at each stop.
    let bytes = counters.bytes_to_device + counters.bytes_from_device;
    assert!(found[0].stats.intrinsics > 24, "{counters:?}");
    assert!(bytes / counters.device_reads < 1 << 17, "{counters:?}");
}

#[test]
fn large_heights_are_left_to_the_star_text() {
    let Some(machines) = adapters(&["gpu-tiny"]) else { return };
    let program = Program::new(FRAMES);
    let compiled = program.compile_on(&machines);
    let args = arguments(&mut Random::new(17), [3, 2], 32, [1, 0, 1]);
    let stats = &agree(&program, &compiled, &args)[0].stats;
    // The first mesh and the picture.
    assert_eq!(stats.counters.declined(Declined::Range), 2, "{stats:?}");
    // The text stores the same tables.
    assert!(stats.intrinsics > 2, "{stats:?}");
}

#[test]
fn without_shared_memory_the_star_text_runs_and_the_reason_is_counted() {
    let Some(machines) = without_shared_memory() else { return };
    let program = Program::new(FRAMES);
    let compiled = program.compile_on(&machines);
    let args = arguments(&mut Random::new(18), [3, 2], 4, [1, 0, 1]);
    let stats = &agree(&program, &compiled, &args)[0].stats;
    // Three meshes and one step at least; some of `star:cbt`, which the texts call, need no memory.
    assert!(stats.counters.declined(Declined::Body) > 4, "{stats:?}");
}

/// Memory for the heights but not for the radii: the intrinsic declines, and the text reports the
/// limit.
#[test]
fn refused_memory_is_reported_and_leaves_a_usable_device() {
    let Some(mut machines) = adapters(&["gpu"]) else { return };
    machines.remove(0);
    let program = Program::new(FRAMES);
    let compiled = program.compile_on(&machines);
    let entry = program.entry("TRY");
    let run = |size: [usize; 2]| {
        let limits = Limits { memory: Some(1 << 20), ..LIMITS };
        let args = arguments(&mut Random::new(19), size, 6, [3, 0, 1]);
        compiled[0].run(entry, &args, limits)
    };
    let refused = run([300, 270]);
    let is_limit = matches!(refused.outcome, Outcome::Limit { kind: LimitKind::Memory { .. }, .. });
    assert!(is_limit, "{:?}", refused.outcome);
    assert!(refused.stats.counters.declined(Declined::Memory) > 0, "{:?}", refused.stats);
    let done = run([5, 4]);
    assert_eq!(done.outcome, Outcome::Done);
    assert!(done.stats.intrinsics > 3, "{:?}", done.stats);
}

#[test]
fn an_endless_flight_is_interrupted_between_dispatches() {
    let Some(mut machines) = adapters(&["gpu"]) else { return };
    machines.remove(0);
    let program = Program::new(
        "import \"star:terrain\";
         procedure TRY(w: integer; Z: table; n: integer; var T: table);
         var H: handle; i,a,b: integer;
         begin
           TERRAIN_INIT(w,Z,2,3,H);
           for i:=1 to n do begin TERRAIN_STEP(i mod w,0,H,a,b); TERRAIN_MESH(H,T) end;
         end;",
    );
    let compiled = program.compile_on(&machines);
    let entry = program.entry("TRY");
    let [width, heights, ..] = arguments(&mut Random::new(20), [65, 65], 6, [0; 3]);
    let args = |n: i64| [width.clone(), heights.clone(), Value::Int(n), Value::Unset];
    // A driver compiles each kernel only once.
    assert_eq!(compiled[0].run(entry, &args(1), LIMITS).outcome, Outcome::Done);
    let args = args(i64::MAX);
    let given = args.iter().map(Argument::of).collect();
    let stats = stats_of_interrupted_run(&compiled[0], entry, given);
    assert!(stats.intrinsics > 2, "{stats:?}");
}
