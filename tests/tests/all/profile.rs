//! Profiles: operations add up to those of the run, both backends count the same on every line,
//! time is charged where the clock advanced, and nothing else changes.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use star_base::Span;
use star_compiler::{LowerOptions, Lowered};
use star_ir::Ty;
use star_tests::backends::{Machine, on};
use star_tests::generator::generate;
use star_tests::run::{LIMITS, Printed, Program};
use star_value::{BitsRef, Value};
use star_vm::profile::{Clock, LineTable, Tally};
use star_vm::{
    Backend, CompileOptions, Control, Cpu, Host, HostError, Limits, Outcome, Profile, Reference,
    Stats,
};

/// The result of a profiled run.
struct Profiled {
    outcome: Outcome,
    stats: Stats,
    profile: Profile,
    /// The meaning of each line of the profile.
    keys: Vec<(u32, u32)>,
    printed: String,
}

impl Profiled {
    /// Returns the tally of a key.
    fn tally(&self, key: (u32, u32)) -> Tally {
        let at = self.keys.iter().position(|known| *known == key);
        at.map_or_else(Tally::default, |at| self.profile.lines[at])
    }

    /// Returns the tally of a line, from 1, of the root file.
    fn line(&self, line: u32) -> Tally {
        let files: Vec<u32> = self.keys.iter().map(|(file, _)| *file).collect();
        // The root follows the library that is visible to every program.
        let root = star_stdlib::BASIC.len() as u32;
        assert!(files.contains(&root), "{files:?}");
        self.tally((root, line))
    }

    /// Returns keys with runs and operations, sorted; those that were not run are omitted.
    fn counts(&self) -> Vec<((u32, u32), u64, u64, u64)> {
        let tallies = self.keys.iter().zip(&self.profile.lines);
        let mut counts: Vec<_> = tallies
            .filter(|(_, tally)| tally.runs > 0 || tally.operations > 0)
            .map(|(key, tally)| (*key, tally.runs, tally.operations, tally.total_operations))
            .collect();
        counts.sort_unstable();
        counts
    }
}

/// A world whose clock advances by a millisecond with every printed line.
#[derive(Default)]
struct World {
    inner: Printed,
    ticks: Arc<AtomicU64>,
    time: Rc<Cell<u64>>,
}

impl Host for World {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        self.time.set(self.time.get() + 1_000_000);
        self.ticks.fetch_add(1, Ordering::Relaxed);
        self.inner.print(line)
    }

    fn read(
        &mut self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: Option<u64>,
    ) -> Result<Value, HostError> {
        self.inner.read(file, layout, ty, max_bytes)
    }

    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError> {
        self.inner.write(file, value)
    }
}

/// Runs with a profile in which the parts of the source with equal keys are one line.
fn profiled<B: Backend>(
    (backend, options): (&B, CompileOptions),
    program: &Program,
    entry: &str,
    args: &[Value],
    limits: Limits,
    key: impl Fn(Span) -> (u32, u32),
) -> Profiled {
    let clock = Rc::default();
    profiled_by(&clock, 0, (backend, options), program, (entry, args, limits), key)
}

/// Runs with a profile; `time` advances by `step` at every reading.
fn profiled_by<B: Backend>(
    time: &Rc<Cell<u64>>,
    step: u64,
    (backend, options): (&B, CompileOptions),
    program: &Program,
    (entry, args, limits): (&str, &[Value], Limits),
    key: impl Fn(Span) -> (u32, u32),
) -> Profiled {
    let lowered = &program.lowered;
    let (lines, keys) = lines(lowered, key);
    let mut world = World { time: Rc::clone(time), ..World::default() };
    let time = Rc::clone(time);
    let now = Box::new(move || time.replace(time.get() + step));
    let clock = Clock { ticks: Arc::clone(&world.ticks), now };
    let mut profile = Profile::new(&lowered.program, lines, clock);
    let load = |value: &Value| backend.load(value.clone(), *value != Value::Unset).expect("memory");
    let mut values: Vec<_> = args.iter().map(load).collect();
    let types: Vec<_> = values.iter().map(|value| Some(backend.ty(value)?.ty)).collect();
    let options = CompileOptions { profile: true, ..options };
    let code = backend.compile(lowered.program.clone(), &options, None).expect("compiled").code;
    let plan = backend.plan(&code, program.entry(entry), &types).expect("planned");
    let flag = AtomicBool::new(false);
    let mut control = Control {
        interrupt: &flag,
        deadline: &flag,
        limits,
        host: &mut world,
        profile: Some(&mut profile),
        stats: Stats::default(),
    };
    let outcome = backend.run(&plan, &mut values, &mut control);
    let stats = control.stats;
    let sum = |of: fn(&Tally) -> u64, tallies: &[Tally]| tallies.iter().map(of).sum::<u64>();
    for tallies in [&profile.lines, &profile.routines] {
        assert_eq!(sum(|tally| tally.operations, tallies), stats.operations);
        assert_eq!(sum(|tally| tally.time, tallies), profile.time);
        for tally in tallies {
            assert!(tally.time <= tally.total_time && tally.total_time <= profile.time);
            assert!(tally.operations <= tally.total_operations);
            assert!(tally.total_operations <= stats.operations);
        }
    }
    Profiled { outcome, stats, profile, keys, printed: world.inner.text }
}

fn lines(lowered: &Lowered, key: impl Fn(Span) -> (u32, u32)) -> (LineTable, Vec<(u32, u32)>) {
    let mut keys = Vec::new();
    let mut numbers = HashMap::new();
    let mut number = |span: Span| {
        *numbers.entry(key(span)).or_insert_with_key(|key| {
            keys.push(*key);
            keys.len() as u32 - 1
        })
    };
    let of = lowered.program.locations.iter().map(|location| number(location.span)).collect();
    let costs = lowered.costs.iter().map(|(loc, parts)| {
        (*loc, parts.iter().map(|(span, units)| (number(*span), *units)).collect())
    });
    let costs = costs.collect();
    (LineTable { count: keys.len(), of, costs }, keys)
}

fn with_places() -> LowerOptions {
    LowerOptions { cost_places: true, ..LowerOptions::default() }
}

/// Returns file and line, from 1.
fn by_line(program: &Program) -> impl Fn(Span) -> (u32, u32) {
    |span| {
        let file = program.compilation.sources.get(span.file).expect("a file of the program");
        (span.file.0, file.line_column(span.start as usize).line as u32)
    }
}

/// Runs on both backends, with a profile by lines.
fn on_both(text: &str, entry: &str, args: &[Value]) -> [Profiled; 2] {
    let program = Program::with(text, &with_places());
    let cpu = Cpu::new();
    [
        profiled(
            (&Reference::new(), CompileOptions::default()),
            &program,
            entry,
            args,
            LIMITS,
            by_line(&program),
        ),
        profiled(
            (&cpu, CompileOptions::default()),
            &program,
            entry,
            args,
            LIMITS,
            by_line(&program),
        ),
    ]
}

#[test]
fn both_backends_have_equal_counts_in_generated_programs() {
    let cpu = Cpu::new();
    let plainly = CompileOptions { intrinsics: false, ..CompileOptions::default() };
    let machines = [Machine { options: plainly, ..on("cpu", cpu.clone()) }];
    let limits = Limits { steps: Some(300_000), ..LIMITS };
    let mut n_compared = 0;
    for seed in 3001..3101 {
        let generated = generate(seed);
        let options = LowerOptions { cost_places: true, ..generated.options };
        let text = generated.source.to_string();
        let plain = Program::with(&text, &generated.options);
        let program = Program::with(&text, &options);
        let compiled = plain.compile_on(&machines);
        let entry = plain.entry(&generated.entry);
        let expected = compiled[0].run(entry, &generated.args, limits);
        // Every part of the source is counted separately here, which is stricter than lines.
        let key = |span: Span| (span.file.0, span.start << 12 ^ span.end);
        let (entry, args) = (generated.entry.as_str(), generated.args.as_slice());
        let slow = profiled(
            (&Reference::new(), CompileOptions::default()),
            &program,
            entry,
            args,
            limits,
            key,
        );
        let fast = profiled((&cpu, plainly), &program, entry, args, limits, key);
        for run in [&slow, &fast] {
            assert_eq!(run.printed, expected.printed, "seed {seed}");
            assert_eq!(run.stats.operations, expected.stats.operations, "seed {seed}");
            assert_eq!(run.stats.steps, expected.stats.steps, "seed {seed}");
        }
        match (&expected.outcome, &slow.outcome) {
            (Outcome::Trap(one), Outcome::Trap(other)) => {
                assert_eq!((&one.kind, &one.values), (&other.kind, &other.values), "seed {seed}");
            }
            (
                Outcome::Limit { kind: one, loc: at },
                Outcome::Limit { kind: other, loc: other_at },
            ) => {
                let span = |program: &Program, loc| program.lowered.program.location(loc).span;
                let places = (span(&plain, *at), span(&program, *other_at));
                assert_eq!((one, places.0), (other, places.1), "seed {seed}");
            }
            (one, other) => assert_eq!(one, other, "seed {seed}"),
        }
        if slow.outcome == Outcome::Done {
            n_compared += 1;
            assert_eq!(slow.counts(), fast.counts(), "seed {seed}:\n{text}");
        }
    }
    assert!(n_compared > 70, "{n_compared}");
}

/// Runs and operations, including totals, are those of the reference; time is distributed.
#[cfg(feature = "gpu")]
#[test]
fn a_device_counts_like_the_reference_in_generated_programs() {
    use star_gpu::{EmulatorSettings, Gpu};
    let tiny = EmulatorSettings { words: 1 << 12, budget: 2000, ..EmulatorSettings::TINY };
    let (mut n_compared, mut n_operations) = (0, 0);
    for seed in 3001..3041 {
        let generated = generate(seed);
        let options = LowerOptions { cost_places: true, ..generated.options };
        let program = Program::with(&generated.source.to_string(), &options);
        let (entry, args) = (generated.entry.as_str(), generated.args.as_slice());
        let limits = Limits { steps: Some(20_000), ..LIMITS };
        let key = |span: Span| (span.file.0, span.start << 12 ^ span.end);
        let plainly = CompileOptions::default();
        let slow = profiled((&Reference::new(), plainly), &program, entry, args, limits, key);
        if slow.outcome != Outcome::Done {
            continue;
        }
        let (time, emulator) = (Rc::default(), Gpu::emulator(tiny));
        let run = (entry, args, limits);
        let found = profiled_by(&time, 1000, (&emulator, plainly), &program, run, key);
        n_compared += 1;
        n_operations += found.stats.operations;
        assert_eq!(found.outcome, Outcome::Done, "seed {seed}");
        assert_eq!(slow.counts(), found.counts(), "seed {seed}:\n{}", generated.source);
        assert!(found.profile.time > 0, "seed {seed}");
        let of_routines = |run: &Profiled| -> Vec<(u64, u64, u64)> {
            let routines = run.profile.routines.iter();
            routines.map(|it| (it.runs, it.operations, it.total_operations)).collect()
        };
        assert_eq!(of_routines(&slow), of_routines(&found), "seed {seed}");
    }
    assert!(n_compared > 20 && n_operations > 500, "{n_compared}, {n_operations} operations");
}

const LOOPS: &str = "\
function ONES(X: slice): integer;
begin
  ONES := NUMB(X)
end;
procedure P(n: integer; X: slice; var Y: slice; var k: integer);
var i: integer;
begin
  Y := X;
  k := 0;
  for i := 1 to n do
    Y := (Y and X)
      or (X xor Y);
  while SOME(Y) do begin
    i := STEP(Y);
    k := k + ONES(Y)
  end
end;
";

#[test]
fn lines_have_separate_operations_and_runs() {
    let args =
        [Value::Int(7), Value::Slice(star_tests::bits("0110110")), Value::Unset, Value::Unset];
    for run in on_both(LOOPS, "P", &args) {
        assert_eq!(run.outcome, Outcome::Done);
        // Four ones: four iterations, five queries.
        let expected = [
            (2, 0, 0, 0),
            (3, 4, 4, 4),
            (8, 0, 0, 1),
            (10, 0, 0, 8),
            (11, 14, 14, 7),
            (12, 7, 7, 7),
            (13, 5, 5, 5),
            (14, 4, 4, 4),
            (15, 0, 4, 4),
        ];
        for (line, operations, total, runs) in expected {
            let tally = run.line(line);
            let found = (tally.operations, tally.total_operations, tally.runs);
            assert_eq!(found, (operations, total, runs), "line {line}");
        }
        assert_eq!(run.line(1).runs, 4, "the header of what is called");
        assert_eq!(run.line(5).runs, 1, "the header of the entry");
    }
}

const TAPE: &str = "\
procedure P(X,Y: slice; var Z,W: slice; var k: integer);
begin
  Z := X and Y;
  W := X or Y;
  k := NUMB(Z)
end;
";

#[test]
fn a_tape_is_charged_to_the_lines_that_recorded_it() {
    let args = |n| {
        let slice = || Value::Slice(star_value::BitVector::from_bools(&vec![true; n]));
        [slice(), slice(), Value::Unset, Value::Unset, Value::Unset]
    };
    let program = Program::with(TAPE, &with_places());
    // The first instructions are timed one by one: every reading of the clock is charged to a line.
    let times = |n| {
        let clock = Rc::default();
        let args = args(n);
        let cpu = (&Cpu::new(), CompileOptions::default());
        let run = profiled_by(&clock, 100, cpu, &program, ("P", &args, LIMITS), by_line(&program));
        let n_recorded = run.stats.counters.ops_recorded;
        assert_eq!(n_recorded > 0, n > 1000, "{n_recorded} for {n}: {:?}", run.outcome);
        [3, 4, 5].map(|line| run.line(line).time)
    };
    let (short, long) = (times(1000), times(1 << 20));
    for line in 0..2 {
        assert!(long[line] > short[line], "line {}: {short:?}, {long:?}", line + 3);
    }
}

const PRINTS: &str = "\
procedure DEEP(n: integer);
begin
  if n > 0 then
    DEEP(n - 1);
  print(n)
end;
procedure P(n: integer);
begin
  print(n);
  DEEP(n);
  DEEP(0)
end;
";

#[test]
fn time_is_charged_to_its_line_and_once_to_each_caller() {
    for run in on_both(PRINTS, "P", &[Value::Int(3)]) {
        assert_eq!(run.outcome, Outcome::Done);
        assert_eq!(run.profile.time, 6_000_000);
        let expected = [(9, 1, 1), (10, 0, 4), (11, 0, 1), (5, 5, 5), (4, 0, 3)];
        for (line, time, total) in expected {
            let tally = run.line(line);
            let found = (tally.time / 1_000_000, tally.total_time / 1_000_000);
            assert_eq!(found, (time, total), "line {line}");
        }
        let routines: Vec<(u64, u64, u64)> = (run.profile.routines.iter())
            .map(|tally| (tally.time / 1_000_000, tally.total_time / 1_000_000, tally.runs))
            .collect();
        assert_eq!(routines, [(5, 5, 5), (1, 6, 1)]);
    }
}

#[test]
fn a_stopped_run_has_a_profile_up_to_that_point() {
    let program = Program::with(PRINTS, &with_places());
    let limits = Limits { output: Some(6), ..LIMITS };
    let args = [Value::Int(9)];
    let both = [
        profiled(
            (&Reference::new(), CompileOptions::default()),
            &program,
            "P",
            &args,
            limits,
            by_line(&program),
        ),
        profiled(
            (&Cpu::new(), CompileOptions::default()),
            &program,
            "P",
            &args,
            limits,
            by_line(&program),
        ),
    ];
    for run in both {
        assert!(matches!(run.outcome, Outcome::Limit { .. }), "{:?}", run.outcome);
        assert_eq!(run.printed, "9\n0\n1\n");
        assert_eq!(run.profile.time, 3_000_000);
        assert_eq!((run.line(5).runs, run.line(5).time), (3, 2_000_000));
        // It was still active.
        assert_eq!(run.line(10).total_time, 2_000_000);
    }
}

#[test]
fn an_intrinsic_is_charged_to_the_calling_line() {
    let text = "\
import \"star:closure\";
procedure P(n: integer; var T: table);
begin
  WARSHALL(n,T);
  WARSHALL(n,T)
end;
";
    let table = star_tests::table(&["010", "001", "000"]);
    let args = [Value::Int(3), Value::from(table)];
    let [slow, fast] = on_both(text, "P", &args);
    assert!(slow.profile.intrinsics.is_empty());
    assert_eq!(slow.line(4).operations, 0);
    assert!(slow.line(4).total_operations > 0);
    let intrinsics: Vec<(u32, u64)> = (fast.profile.intrinsics.iter())
        .map(|((line, _), tally)| (fast.keys[*line as usize].1, tally.runs))
        .collect();
    assert_eq!(intrinsics, [(4, 1), (5, 1)]);
    assert_eq!((fast.stats.operations, fast.stats.intrinsics), (0, 2));
}
