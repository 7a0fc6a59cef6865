//! Generated programs on every backend.
//!
//! `STAR_SEED` and `STAR_PROGRAMS` select other programs than the fixed ones: the given number of
//! programs, with consecutive seeds from the given one. Each is optimised by all passes and by a
//! subset that its seed chooses; `STAR_NO_PASS` names passes that do not run, instead of that
//! subset. `STAR_THREADS` is the number that run at once: a device runs more programs from the
//! threads of one process than from several processes, between which it has to switch.
//!
//! `STAR_RANKS_PROGRAMS` is the number of programs that run on two and three ranks.

use std::collections::BTreeSet;

use star_base::Builtin;
use star_compiler::LowerOptions;
use star_harness::TEAMS;
use star_ir::LimitKind;
use star_tests::backends::{Compiled, Machine, backends, on};
use star_tests::case::ending;
use star_tests::differ::{Same, same_as_lowered};
use star_tests::generator::report::Report;
use star_tests::generator::trial::{LIMITS, Verdict};
use star_tests::generator::{CONSTRUCTS, NEAR_MISSES, PROCEDURES, STATEMENTS, generate, shrink};
use star_tests::run::{Program, done};
use star_value::Value as HostValue;
use star_vm::{Limits, Outcome, Reference};

/// The usual number of programs on ranks, which take longer.
const RANKS_PROGRAMS: u64 = 40;

/// Returns a number from the environment.
fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn generated_programs_leave_the_same_on_every_backend() {
    let n = setting("STAR_PROGRAMS", 600);
    let report = all_agree(n, backends);
    // A few programs do not give reliable shares.
    if n >= 500 {
        contains_everything(&report);
    }
}

#[test]
fn generated_programs_leave_the_same_on_ranks() {
    let ranks = || {
        let teams =
            TEAMS.iter().filter(|spec| ["ranks-2", "ranks-3", "ranks-sparse"].contains(&spec.name));
        let teams = teams.map(|spec| spec.machine().expect("it needs no device"));
        std::iter::once(Machine::reference()).chain(teams).collect()
    };
    all_agree(setting("STAR_RANKS_PROGRAMS", RANKS_PROGRAMS), ranks);
}

/// Runs this number of programs on the machines, of which the first is the reference.
fn all_agree(n: u64, machines: impl Fn() -> Vec<Machine> + Sync) -> Report {
    let first = setting("STAR_SEED", 1);
    let n_threads = setting("STAR_THREADS", 1).max(1);
    let passes = std::env::var("STAR_NO_PASS").ok().map(|names| {
        let names: Vec<&str> = names.split(',').collect();
        star_opt::Options::without(&names).expect("names of passes")
    });
    let tried = |thread: u64| {
        let machines = machines();
        let mut report = Report::default();
        let mut faults = Vec::new();
        for seed in (first + thread..first + n).step_by(n_threads as usize) {
            let mut generated = generate(seed);
            if let Some(passes) = &passes {
                generated.passes = vec![passes.clone()];
            }
            match generated.tried(&machines) {
                Err(why) => faults.push((seed, why)),
                Ok(None) => report.n_refused += 1,
                Ok(Some(run)) => {
                    report.note(&generated.source.to_string(), &generated.counts, &run);
                }
            }
        }
        (report, faults)
    };
    let all: Vec<(Report, Vec<(u64, String)>)> = std::thread::scope(|scope| {
        let tried = &tried;
        let threads: Vec<_> =
            (0..n_threads).map(|thread| scope.spawn(move || tried(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread ends")).collect()
    });
    let mut report = Report::default();
    let mut faults = Vec::new();
    for (more, others) in all {
        report.add(&more);
        faults.extend(others);
    }
    #[expect(clippy::print_stdout, reason = "the report, for `--nocapture`")]
    {
        println!("seeds {first} to {}\n{report}", first + n - 1);
    }
    if let Some((seed, why)) = faults.first() {
        let all: Vec<String> =
            faults.iter().map(|(seed, why)| format!("seed {seed}: {why}")).collect();
        #[expect(clippy::print_stdout, reason = "shrinking may take minutes")]
        {
            println!("{}", all.join("\n"));
        }
        panic!("seed {seed}: {why}\n{}", generate(*seed).shrunk(why, &machines()));
    }
    report
}

/// Asserts that the shares are as expected, and that every construct that a program can contain
/// occurs.
fn contains_everything(report: &Report) {
    assert!(report.well() >= 80.0, "{report}");
    assert!(report.trapped() >= 5.0, "{report}");
    assert!(report.n_refused * 20 <= report.n_programs, "{report}");
    let counts = &report.counts;
    let missing: Vec<&str> = Builtin::ALL
        .iter()
        .filter(|builtin| !counts.builtins.contains_key(builtin))
        .map(|builtin| builtin.name())
        .chain(STATEMENTS.into_iter().filter(|kind| !counts.statements.contains_key(kind)))
        .chain(PROCEDURES.into_iter().filter(|name| !counts.library.contains_key(name)))
        .chain(NEAR_MISSES.into_iter().filter(|kind| !counts.near_misses.contains_key(kind)))
        .collect();
    assert_eq!(missing, Vec::<&str>::new(), "{report}");
    let rare: Vec<&str> = CONSTRUCTS.into_iter().filter(|one| report.share(one) < 5.0).collect();
    assert_eq!(rare, Vec::<&str>::new(), "{report}");
}

#[test]
fn the_generator_knows_every_procedure_of_the_library() {
    let mut declared = BTreeSet::new();
    for (_, text) in star_stdlib::BASIC {
        for line in text.lines() {
            let name = line.strip_prefix("procedure ").or_else(|| line.strip_prefix("function "));
            declared.extend(name.and_then(|name| name.split('(').next()));
        }
    }
    assert_eq!(declared, PROCEDURES.into_iter().collect());
}

#[test]
fn a_seed_reproduces_its_program() {
    for seed in 1..20 {
        let (one, two) = (generate(seed), generate(seed));
        assert_eq!(one.source.to_string(), two.source.to_string());
        assert_eq!(one.args, two.args);
    }
    assert_ne!(generate(1).source.to_string(), generate(2).source.to_string());
}

/// Both halves of the comparison can fail: a backend with a wrong result is found, and the text is
/// shrunk.
#[test]
fn a_faulty_backend_is_found_and_its_program_shrunk() {
    let machines = vec![on("reference", Reference::new()), on("faulty", faulty::Faulty::new())];
    let (seed, why) = (1..100)
        .find_map(|seed| Some((seed, generate(seed).tried(&machines).err()?)))
        .expect("one of a hundred programs meets the fault");
    assert!(why.contains("`reference` and `faulty`"), "{why}");
    let whole = generate(seed).source.to_string().lines().count();
    let message = generate(seed).shrunk(&why, &machines);
    let smaller = message.split("smaller:\n").nth(1).expect("a smaller text");
    assert!(smaller.contains("MIRROR"), "{smaller}");
    assert!(smaller.lines().count() < whole / 2, "{smaller}");
}

#[test]
fn shrinking_preserves_the_given_property() {
    let machines = vec![on("reference", Reference::new())];
    let mut n_shrunk = 0;
    for seed in 1..600 {
        let generated = generate(seed);
        if !generated.counts.near_misses.contains_key("division by zero") {
            continue;
        }
        let divides = |source: &_| match generated.try_text(source, &machines).0 {
            Verdict::Same(run) => matches!(
                &run.outcome,
                Outcome::Trap(trap) if trap.kind.code().as_str() == "T0105"
            ),
            Verdict::Refused(_) | Verdict::Wrong(_) => false,
        };
        if divides(&generated.source) {
            let smallest = shrink::shrink(&generated.source, 2000, divides);
            let text = smallest.to_string();
            assert!(divides(&smallest) && text.lines().count() < 20, "{text}");
            n_shrunk += 1;
        }
    }
    assert!(n_shrunk > 0, "one of these programs divides by zero");
}

/// Returns one limit set to what a run needs, and to one less.
fn tight(limits: Limits, kind: usize, needed: u64) -> [Limits; 2] {
    [needed, needed - 1].map(|most| match kind {
        0 => Limits { steps: Some(most), ..limits },
        1 => Limits { memory: Some(most), ..limits },
        2 => Limits { output: Some(most), ..limits },
        _ => Limits { depth: most, ..limits },
    })
}

/// Runs a program with just enough of steps, memory and output, and with one too few; returns the
/// number of limits reached.
fn meets_limits(program: &Program, name: &str, args: &[HostValue]) -> usize {
    let machines: Vec<_> = backends().iter().map(|machine| machine.as_lowered()).collect();
    let compiled = program.compile_on(&machines);
    let run = |limits| match same_as_lowered(program, &compiled, name, args, limits) {
        Same::Yes(agreement) => agreement.run,
        Same::No(difference) => panic!("{limits:?}: {difference}"),
    };
    let free = run(LIMITS);
    let stats = free.stats;
    let mut n_met = 0;
    n_met += meets_memory_limit(program, &compiled, name, args);
    for (kind, needed) in [(0, stats.steps), (2, stats.output_bytes)] {
        if needed == 0 {
            continue;
        }
        let [enough, too_few] = tight(LIMITS, kind, needed);
        let again = run(enough);
        assert_eq!(again.outcome, free.outcome, "{enough:?}: {}", ending(program, &again));
        assert_eq!((&again.values, &again.printed), (&free.values, &free.printed));
        let stopped = run(too_few);
        let met = match &stopped.outcome {
            Outcome::Limit { kind: LimitKind::Steps { limit }, .. } if kind == 0 => *limit,
            Outcome::Limit { kind: LimitKind::Output { limit }, .. } if kind == 2 => *limit,
            other => panic!("{too_few:?}: {other:?}"),
        };
        assert_eq!(met, needed - 1);
        n_met += 1;
    }
    n_met
}

/// Each backend counts bytes differently, and exactly.
fn meets_memory_limit(
    program: &Program,
    compiled: &[Compiled],
    name: &str,
    args: &[HostValue],
) -> usize {
    let entry = program.entry(name);
    let mut n_met = 0;
    for backend in compiled {
        let free = backend.run(entry, args, LIMITS);
        let needed = free.stats.peak_bytes;
        // A device frees unused memory before it refuses an allocation, and so may need less. Where
        // layouts change at random, or an initial layout does, they do so only if there is memory,
        // so that less may also be enough.
        let may_do_with_less = backend.name.starts_with("gpu")
            || backend.name == "cpu-forms"
            || free.stats.counters.homes_changed > 0;
        if needed == 0 || may_do_with_less {
            continue;
        }
        let [enough, too_few] = tight(LIMITS, 1, needed);
        let again = backend.run(entry, args, enough);
        assert_eq!(again.outcome, free.outcome, "{}: {enough:?}", backend.name);
        assert_eq!((&again.values, &again.printed), (&free.values, &free.printed));
        match backend.run(entry, args, too_few).outcome {
            Outcome::Limit { kind: LimitKind::Memory { limit, wanted }, .. } => {
                assert_eq!(wanted, needed, "{}", backend.name);
                assert_eq!(limit, needed - 1, "{}", backend.name);
            }
            other => panic!("{}: {too_few:?}: {other:?}", backend.name),
        }
        n_met = 1;
    }
    n_met
}

#[test]
fn generated_programs_reach_their_limits_exactly() {
    let mut n_met = 0;
    for seed in 1001..1061 {
        let generated = generate(seed);
        if !generated.ends_well() {
            continue;
        }
        let program = Program::with(&generated.source.to_string(), &generated.options);
        n_met += meets_limits(&program, &generated.entry, &generated.args);
    }
    assert!(n_met > 80, "{n_met}");
}

#[test]
fn limits_are_exact() {
    let text = "
        procedure p(n: integer; X: slice; var T: table);
        var i: integer;
        begin
          for i:=1 to n do begin COL(i,T):=X; X:=not X end;
          print(T)
        end;";
    let program = Program::with(text, &LowerOptions::default());
    let bits = star_tests::bits(&"0110".repeat(33));
    let args = [HostValue::Int(5), HostValue::Slice(bits), HostValue::Unset];
    assert_eq!(meets_limits(&program, "p", &args), 3);
}

#[test]
fn the_depth_limit_is_exact() {
    let text = "
        procedure down(d: integer; var s: integer);
        begin s:=s+d; if d>1 then down(d-1,s) end;
        procedure p(d: integer; var s: integer); begin s:=0; down(d,s) end;";
    let program = Program::with(text, &LowerOptions::default());
    let args = || vec![HostValue::Int(10), HostValue::Unset];
    // Ten calls are active at once; the entry does not count.
    let [enough, too_few] = tight(LIMITS, 3, 10);
    let run = program.run_within("p", args(), enough);
    assert_eq!(done(run)[1], HostValue::Int(55));
    let run = program.run_within("p", args(), too_few);
    match run.outcome {
        Outcome::Limit { kind: LimitKind::Depth { limit }, .. } => {
            assert_eq!(limit, too_few.depth);
            assert_eq!(run.values[1], HostValue::Int(55 - 1));
        }
        other => panic!("{other:?}"),
    }
}

/// The reference with a deliberate fault.
mod faulty {
    use std::sync::atomic::AtomicBool;

    use star_ir::{Block, Op, Program, RoutineId, Simple, StmtKind, Ty, visit};
    use star_value::{BitTable, Value as HostValue};
    use star_vm::reference::{Code, Plan, Value};
    use star_vm::{
        Backend, BackendError, Capabilities, CompileOptions, Compiled, Control, Explanation,
        Outcome, Part, Reference, TypeInfo,
    };

    /// Ignores every MIRROR.
    pub(super) struct Faulty(Reference);

    impl Faulty {
        pub(super) fn new() -> Self {
            Faulty(Reference::new())
        }
    }

    fn spoil(block: &mut Block) {
        for stmt in block {
            if let StmtKind::Simple(Simple::Assign(_, op)) = &mut stmt.kind
                && let Op::Mirror(of) = op
            {
                *op = Op::Rotate(*of, star_ir::Operand::Int(0));
            }
            visit::blocks_mut(&mut stmt.kind).into_iter().flatten().for_each(spoil);
        }
    }

    impl Backend for Faulty {
        type Value = Value;
        type Code = Code;
        type Plan = Plan;

        fn caps(&self) -> Capabilities {
            Capabilities { name: "faulty", ..self.0.caps() }
        }
        fn load(&self, value: HostValue, fixed: bool) -> Result<Value, BackendError> {
            self.0.load(value, fixed)
        }
        fn load_columns(
            &self,
            value: &mut Value,
            n_cols: usize,
            start: usize,
            columns: &BitTable,
        ) -> Result<(), BackendError> {
            self.0.load_columns(value, n_cols, start, columns)
        }
        fn ty(&self, value: &Value) -> Option<TypeInfo> {
            self.0.ty(value)
        }
        fn store(
            &self,
            value: &Value,
            part: Part,
            interrupt: &AtomicBool,
        ) -> Result<HostValue, BackendError> {
            self.0.store(value, part, interrupt)
        }
        fn compile(
            &self,
            mut program: Program,
            options: &CompileOptions,
            earlier: Option<&Code>,
        ) -> Result<Compiled<Code>, BackendError> {
            program.routines_mut().for_each(|routine| spoil(&mut routine.body));
            self.0.compile(program, options, earlier)
        }
        fn plan(
            &self,
            code: &Code,
            entry: RoutineId,
            args: &[Option<Ty>],
        ) -> Result<Plan, BackendError> {
            self.0.plan(code, entry, args)
        }
        fn explain(&self, plan: &Plan) -> Explanation {
            self.0.explain(plan)
        }
        fn run(&self, plan: &Plan, values: &mut [Value], control: &mut Control<'_>) -> Outcome {
            self.0.run(plan, values, control)
        }
    }
}
