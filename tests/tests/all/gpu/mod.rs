//! The GPU backend: always on the emulator of its control unit, and on an adapter where there is
//! one.
//!
//! `STAR_REQUIRE_ADAPTER` makes a missing adapter a failure. The whole suite runs on a device with
//! `STAR_MACHINES=gpu,gpu-tiny`; `STAR_SEED` and `STAR_PROGRAMS` choose generated programs as
//! elsewhere.

mod arcs;
mod choice;
mod faults;
mod fields;
mod fused;
mod iterations;
mod lines;
mod meshes;
mod movers;
mod polylines;
mod printed;
mod queries;
mod trees;
mod waves;
mod weighed;
mod wide;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use star::pipeline::Printed;
use star_gpu::{DeviceSettings, Gpu, Mode};
use star_harness::MachineSpec;
use star_ir::{LimitKind, RoutineId, print};
use star_tests::backends::{Compiled, Machine, Mode as Comparison, on};
use star_tests::case::Random;
use star_tests::differ::{Same, difference};
use star_tests::run::{LIMITS, Program, RunResult};
use star_tests::sir::Sir;
use star_tests::{generator, sir};
use star_value::{Argument, BitTable, Value};
use star_vm::{Control, Limits, Outcome, Reference, Stats};

/// Returns the reference and the machines of these names.
fn machines(names: &[&str]) -> Result<Vec<Machine>, String> {
    let mut machines = vec![on("reference", Reference::new())];
    for name in names {
        let found = MachineSpec::find(name).ok_or_else(|| format!("no machine `{name}`"))?;
        machines.push(found.machine()?);
    }
    Ok(machines)
}

/// Returns the named machines after the reference, if there is an adapter.
fn adapters(names: &[&str]) -> Option<Vec<Machine>> {
    let found = machines(names);
    if let Err(why) = &found {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{why}");
    }
    found.ok()
}

/// Returns the reference and a device with too little shared memory for the kernels of intrinsics,
/// if there is an adapter.
fn without_shared_memory() -> Option<Vec<Machine>> {
    let settings = DeviceSettings { shared_bytes: Some(64), ..DeviceSettings::tiny() };
    let Ok(gpu) = Gpu::open(&settings) else {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "no adapter");
        return None;
    };
    let mut machines = adapters(&[])?;
    machines.push(on("gpu-without-shared-memory", gpu));
    Some(machines)
}

/// Asserts that `TRY` leaves the same on all machines, and returns what the others than the first
/// one left.
fn agree(program: &Program, compiled: &[Compiled], args: &[Value]) -> Vec<RunResult> {
    let entry = program.entry("TRY");
    let limits = Limits { steps: None, ..LIMITS };
    let expected = compiled[0].run(entry, args, limits);
    assert_eq!(expected.outcome, Outcome::Done);
    let others = compiled[1..].iter().map(|machine| {
        let found = machine.run(entry, args, limits);
        let difference = difference(program, &expected, &found, Comparison::AsLowered);
        assert_eq!(difference, None, "`{}`", machine.name);
        found
    });
    others.collect()
}

/// Runs a routine that does not end, interrupts it after half a second, and returns its counters.
/// The run ends within two seconds: a processor may be busy with other tests.
fn stats_of_interrupted_run(compiled: &Compiled, entry: RoutineId, given: Vec<Argument>) -> Stats {
    let mut loaded = compiled.load(entry, given).expect("memory");
    let (interrupt, deadline) = (AtomicBool::new(false), AtomicBool::new(false));
    let mut control = Control {
        interrupt: &interrupt,
        deadline: &deadline,
        limits: Limits { steps: None, memory: None, output: None, depth: 100 },
        host: &mut Printed::default(),
        profile: None,
        stats: Stats::default(),
    };
    std::thread::scope(|scope| {
        let pressed = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(500));
            interrupt.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let outcome = loaded.run(&mut control);
        let ended = Instant::now();
        let limit = LimitKind::Interrupted;
        assert!(matches!(&outcome, Outcome::Limit { kind, .. } if *kind == limit), "{outcome:?}");
        let took = ended.duration_since(pressed.join().expect("it sleeps only"));
        assert!(took < Duration::from_secs(2), "{took:?}");
    });
    control.stats
}

/// The control unit of an adapter alone, with default and smallest sizes: no loop becomes a
/// separate kernel, which a driver would have to compile.
const CONTROL_UNITS: [&str; 2] = ["gpu-resident", "gpu-resident-tiny"];

/// Returns the reference and the control units, if there is an adapter.
fn control_units() -> Option<Vec<Machine>> {
    let of = |settings| Gpu::open(&DeviceSettings { mode: Mode::Resident, ..settings });
    match (of(DeviceSettings::default()), of(DeviceSettings::tiny())) {
        (Ok(usual), Ok(tiny)) => {
            let [first, second] = CONTROL_UNITS;
            Some(vec![on("reference", Reference::new()), on(first, usual), on(second, tiny)])
        }
        (Err(why), _) | (_, Err(why)) => {
            assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{why}");
            None
        }
    }
}

fn agree_about_programs(machines: &[Machine], seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let generated = generator::generate(seed);
        if let Err(why) = generated.tried(machines) {
            #[expect(clippy::print_stdout, reason = "shrinking may take minutes")]
            {
                println!("seed {seed}: {why}");
            }
            panic!("seed {seed}: {why}\n{}", generated.shrunk(&why, machines));
        }
    }
}

fn agree_about_sir(machines: &[Machine], seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let generated = sir::generator::generate(seed);
        if let Same::No(why) = Sir::new(&generated.program, machines).run(&generated.args) {
            panic!("seed {seed}: {why}\n{}\n{:?}", print(&generated.program), generated.args);
        }
    }
}

/// The emulator also fails if two threads access one limb between barriers and one of them writes.
#[test]
fn generated_programs_leave_the_same_on_the_emulator() {
    let machines =
        machines(&["gpu-emulator", "gpu-emulator-tiny"]).expect("the emulator needs no adapter");
    agree_about_programs(&machines, 2001..2061);
    agree_about_sir(&machines, 2001..2201);
}

#[test]
fn generated_programs_leave_the_same_on_an_adapter() {
    match machines(&["gpu", "gpu-tiny", "gpu-banks"]) {
        Ok(machines) => {
            // Frames are stored in the first buffer: those of a deep recursion (seed 3003), or of
            // a routine with many temporaries (seed 3004), exceed the 32 KiB of `gpu-banks`, the
            // last one.
            agree_about_programs(&machines[..3], 3001..3005);
            agree_about_programs(&machines, 3005..3014);
            agree_about_sir(&machines, 3001..3041);
        }
        Err(why) => {
            assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{why}");
            #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
            {
                eprintln!("skipped: {why}");
            }
        }
    }
}

/// Listings 1 and 2 of source 001, verbatim.
const PUBLISHED: &str = include_str!("../../../programs/published/warshall.star");

/// WARSHALL-adapt, whose word may be longer than the table is wide according to static analysis.
const ADAPTED: &str = "
procedure WARSHALL-adapt(n: integer; var P: table);
var X: slice; w: word; j,k: integer;
begin
  for k:=1 to n do
  begin
    X:=COL(k,P); w:=ROW(k,P);
    foreach j in w do COL(j,P):=COL(j,P) or X;
  end;
end;";

/// The textbook closure after passes runs as kernels, with a dispatch for eight vertices; its
/// intrinsic needs fewer.
#[test]
fn the_published_closures_run_as_grid_kernels() {
    let Ok(machines) = machines(&["gpu"]) else {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "there is no adapter");
        return;
    };
    let n = 150;
    let mut random = Random::new(19);
    let mut graph = BitTable::zeros(n, n).expect("small");
    for column in 0..n {
        let bits = random.bits(n, 3);
        bits.iter().enumerate().for_each(|(row, bit)| graph.put(row, column, *bit));
    }
    let args = [Value::Int(n as i64), Value::from(graph)];
    let limits = Limits { steps: None, ..LIMITS };
    for (text, names, has_idiom) in
        [(PUBLISHED, &["WARSHALL", "WARSHALL-C"][..], true), (ADAPTED, &["WARSHALL-adapt"], false)]
    {
        let program = Program::new(text);
        for (without, intrinsics) in [("idioms", 0), ("unreachable", u64::from(has_idiom))] {
            let options =
                star_opt::Options { disabled: vec![without.to_owned()], ..Default::default() };
            let mut optimised = program.lowered.program.clone();
            star_opt::optimise(&mut optimised, &options).expect("it verifies");
            let compiled = star_tests::differ::compile(&optimised, &machines);
            for name in names {
                let entry = program.entry(name);
                let [expected, found] =
                    [0, 1].map(|at: usize| compiled[at].run(entry, &args, limits));
                assert_eq!(found.values, expected.values, "{name} without {without}");
                assert_eq!(found.stats.intrinsics, intrinsics, "{name} without {without}");
                let paths = found.stats.counters;
                assert_eq!(paths.grid_loops, 1 - intrinsics, "{name} without {without}");
                let kernels = if intrinsics == 1 { n.div_ceil(128) + 1 } else { n.div_ceil(8) + 1 };
                assert_eq!(paths.grid_kernels, kernels as u64, "{name} without {without}");
            }
        }
    }
}

/// A dispatch ends where an object requests memory, and a run waits for it: so the objects of a
/// frame have some from the start.
#[test]
fn a_small_program_needs_one_dispatch() {
    let text = "
        function SECOND(Q: slice): integer;
        var A,B: slice(Q); i: integer;
        begin A:=Q; i:=STEP(A); B:=A; i:=STEP(B); SECOND:=i end;
        procedure P(X: slice; T: table; var Z: slice; var n: integer);
        var A,B,C: slice(X); v,w: word(T); k: integer;
        begin
          A:=not X; B:=A or COL(1,T); C:=B; Z:=not (C and A);
          v:=ROW(1,T); w:=not v; k:=NUMB(w);
          n:=k+SECOND(Z)
        end;";
    let program = Program::new(text);
    let mut table = BitTable::zeros(70, 9).expect("small");
    table.put(3, 4, true);
    let bits = star_tests::bits(&"0110010".repeat(10));
    let args = [Value::Slice(bits), Value::from(table), Value::Unset, Value::Unset];
    let machines =
        machines(&["gpu-emulator", "gpu-emulator-tiny"]).expect("the emulator needs no adapter");
    let compiled = program.compile_on(&machines);
    let limits = Limits { steps: None, ..LIMITS };
    let runs: Vec<_> =
        compiled.iter().map(|on| on.run(program.entry("P"), &args, limits)).collect();
    assert!(runs.iter().all(|run| run.values == runs[0].values), "{runs:?}");
    let dispatches: Vec<u64> = runs.iter().map(|run| run.stats.counters.unit_dispatches).collect();
    assert_eq!(dispatches[..2], [0, 1], "{dispatches:?}");
    // With tiny sizes, each object requests memory.
    assert!(dispatches[2] > 9, "{dispatches:?}");
}

/// More numbers than there are registers: a decision after a result that is written to a cell
/// follows that write, too.
#[test]
fn results_in_cells_are_kept_across_branches() {
    const N: usize = 60;
    let list = |text: &dyn Fn(usize) -> String| (0..N).map(text).collect::<String>();
    let text = format!(
        "procedure P(n: integer; var s: integer);
         var i{}: integer;
         begin
           {}
           for i:=1 to n do begin {} end;
           s:=n;
           {}
         end;",
        list(&|at| format!(",a{at}")),
        list(&|at| format!("if n>{at} then a{at}:={at} else a{at}:=n;\n")),
        list(&|at| format!("a{at}:=a{at}*i mod 1009; if a{at}>{at} then a{at}:=a{at}-n;\n")),
        list(&|at| format!("s:=s*3 mod 1000003+a{at};\n")),
    );
    let program = Program::new(&text);
    let machines =
        machines(&["gpu-emulator", "gpu-emulator-tiny"]).expect("the emulator needs no adapter");
    let compiled = program.compile_on(&machines);
    for n in [0, 1, 7, 40, 61] {
        let args = [Value::Int(n), Value::Unset];
        let run = |on: &Compiled| on.run(program.entry("P"), &args, LIMITS);
        let runs: Vec<_> = compiled.iter().map(run).collect();
        for run in &runs {
            assert_eq!(run.outcome, Outcome::Done, "n = {n}");
            assert_eq!(run.values, runs[0].values, "n = {n}");
        }
    }
}
