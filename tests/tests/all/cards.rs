//! Distributed programs on ranks whose backends know no ranks: the same results as the reference.

use star::pipeline::refused_by_backend;
use star_harness::{CARDS, MachineSpec, Mode};
use star_ir::{NamedSize, TrapKind};
use star_opt::Options;
use star_tests::backends::Machine;
use star_tests::generator::generate;
use star_tests::generator::trial::LIMITS;
use star_tests::run::{Program, RunResult};
use star_value::{Argument, BitVector, Value};
use star_vm::{Limits, Outcome};

use super::ranks::{SIZES, TEXT, UNSET, slice, table};

/// The usual number of generated programs; `STAR_CARDS_PROGRAMS` is another one.
const PROGRAMS: u64 = 60;

/// Returns the machines that need no device; `STAR_CARDS` selects one of the others.
fn machines() -> Vec<Machine> {
    let named = std::env::var("STAR_CARDS").ok();
    let selected = CARDS.iter().filter(|spec| match &named {
        Some(name) => spec.name == name,
        None => !spec.name.contains("gpu"),
    });
    selected.map(|spec| spec.machine().expect("it is there")).collect()
}

/// Runs a routine on the reference, and optimised and as lowered on the cards, which must agree.
/// Returns whether they support it.
fn agree(
    program: &star_ir::Program,
    entry: star_ir::RoutineId,
    args: &[Value],
    limits: Limits,
    machines: &[Machine],
) -> Result<bool, String> {
    let reference = Machine::reference().compile(program.clone()).expect("it compiles");
    let expected = reference.run(entry, args, limits);
    if !matches!(expected.outcome, Outcome::Done | Outcome::Trap(_)) {
        return Ok(false);
    }
    let mut optimised = program.clone();
    star_opt::optimise(&mut optimised, &Options::default()).expect("the passes are correct");
    let mut is_supported = true;
    for (how, program) in [("as lowered", program), ("optimised", &optimised)] {
        for machine in machines {
            let compiled =
                machine.compile(program.clone()).map_err(|error| format!("{error:?}"))?;
            let found = compiled.run(entry, args, Mode::Optimised.limits(limits));
            if let Outcome::Unsupported { .. } = found.outcome {
                is_supported = false;
                continue;
            }
            if let Some(what) = difference(&expected, &found) {
                return Err(format!("{} {how}: {what}", machine.name));
            }
        }
    }
    Ok(is_supported)
}

/// Returns the first difference. A trap on cards shows no slices and tables, and counts only what
/// was counted before it.
fn difference(expected: &RunResult, found: &RunResult) -> Option<String> {
    let ends = match (&expected.outcome, &found.outcome) {
        (Outcome::Trap(one), Outcome::Trap(other)) => one.kind.code() == other.kind.code(),
        (one, other) => one == other,
    };
    if !ends || expected.source != found.source {
        return Some(format!(
            "{:?} at {:?}, not {:?} at {:?}",
            found.outcome, found.source, expected.outcome, expected.source
        ));
    }
    let pairs = expected.values.iter().zip(&found.values);
    for (idx, (value, other)) in pairs.enumerate() {
        if value != other {
            return Some(format!("argument {idx}: {other:?}, not {value:?}"));
        }
    }
    if expected.printed != found.printed {
        return Some(format!("printed {:?}, not {:?}", found.printed, expected.printed));
    }
    let (one, other) = (expected.stats.operations, found.stats.operations);
    (one != other).then(|| format!("{other} operations, not {one}"))
}

#[test]
fn operations_on_parts_agree_with_the_reference() {
    let program = Program::new(TEXT);
    let machines = machines();
    let run = |routine: &str, args: &[Value]| {
        let lowered = &program.lowered.program;
        match agree(lowered, program.entry(routine), args, LIMITS, &machines) {
            Ok(is_supported) => assert!(is_supported, "{routine}"),
            Err(why) => panic!("{routine}({args:?}): {why}"),
        }
    };
    for n in SIZES {
        for k in [0, 1, 65] {
            run("moves", &[slice(n, 3), Value::Int(k), UNSET, UNSET, UNSET, UNSET, UNSET]);
        }
        for every in [1, 5, n + 1] {
            let results = std::iter::repeat_n(UNSET, 6);
            let args: Vec<_> = [slice(n, every), slice(n, 3)].into_iter().chain(results).collect();
            run("queries", &args);
            run("lines", &[table(n, 9), slice(n, every), UNSET, UNSET, UNSET, UNSET]);
            run("extremes", &[table(n, 9), slice(n, every), UNSET, UNSET, UNSET]);
            run("traps", &[slice(n, every), table(n, 9), Value::Int(0), UNSET]);
        }
        run("closure", &[Value::Int(n as i64), table(n, n)]);
    }
}

#[test]
fn generated_programs_leave_the_same_on_cards() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (first, n) = (setting("STAR_SEED").unwrap_or(1), setting("STAR_CARDS_PROGRAMS"));
    let n = n.unwrap_or(PROGRAMS);
    let machines = machines();
    let mut n_run = 0;
    for seed in first..first + n {
        let generated = generate(seed);
        let compilation = star_tests::check(&generated.source.to_string());
        if compilation.has_errors() {
            continue;
        }
        let lowered = star_compiler::lower(&compilation, &generated.options).expect("it lowers");
        let program = Program::of(compilation, lowered);
        if !program.compilation.entries().iter().any(|known| known.name == generated.entry) {
            continue;
        }
        let (lowered, entry) = (&program.lowered.program, program.entry(&generated.entry));
        match agree(lowered, entry, &generated.args, LIMITS, &machines) {
            Ok(is_supported) => n_run += u64::from(is_supported),
            Err(why) => panic!("seed {seed}: {why}\n{}\n{:?}", generated.source, generated.args),
        }
    }
    assert!(n_run * 4 > n, "only {n_run} of {n} programs run on cards");
}

/// Runs a routine, optimised, on three ranks with the reference.
fn on_three(text: &str, routine: &str, args: &[Value]) -> RunResult {
    let program = Program::new(text);
    let mut optimised = program.lowered.program.clone();
    star_opt::optimise(&mut optimised, &Options::default()).expect("the passes are correct");
    let machine = MachineSpec::find("cards-reference-3").expect("it is known");
    let compiled = machine.machine().expect("it is there").compile(optimised).expect("it compiles");
    compiled.run(program.entry(routine), args, Mode::Optimised.limits(LIMITS))
}

#[test]
fn a_closure_exchanges_one_row_in_each_iteration() {
    for n in [3, 64, 130] {
        let run = on_three(TEXT, "closure", &[Value::Int(n as i64), table(n, n)]);
        assert_eq!((run.outcome, run.stats.counters.exchanges), (Outcome::Done, n as u64));
    }
}

/// Loops over pivots, whose rows the ranks exchange in blocks.
const PIVOTS: &str = "
procedure up(from,last: integer; u: word(m); var P: table(n,m));
var X: slice(n); w: word(m); i,k: integer;
begin
  for k:=from to last do
  begin
    X:=COL(k,P); w:=ROW(k,P);
    foreach i in X do ROW(i,P):=ROW(i,P) or w;
  end;
end;

procedure down(from,last: integer; u: word(m); var P: table(n,m));
var X: slice(n); w: word(m); i,k: integer;
begin
  for k:=last downto from do
  begin
    X:=COL(k,P); w:=ROW(k,P);
    foreach i in X do ROW(i,P):=ROW(i,P) xor (w and u);
  end;
end;

procedure rest(from,last: integer; u: word(m); var P: table(n,m));
var X: slice(n); w: word(m); i,k: integer;
begin
  for k:=from to last do
  begin
    X:=not COL(k,P); w:=ROW(k,P);
    foreach i in X do ROW(i,P):=(u or not w) xor ROW(i,P);
  end;
end;

procedure sized(from,last: integer; u: word; var P: table);
var w: word(P); i,k: integer;
begin
  for k:=from to last do
  begin
    w:=ROW(k,P);
    foreach i in COL(k,P) do ROW(i,P):=ROW(i,P) or w;
  end;
  COL(2,P):=COL(1,P); SET(w); ROW(1,P):=w;
end;";

/// Returns two ranks with an adapter each, if there is an adapter.
fn two_adapters() -> Option<Machine> {
    if let Err(why) = MachineSpec::find("gpu-tiny").expect("it is known").machine() {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{why}");
        return None;
    }
    Some(MachineSpec::find("cards-gpu-2").expect("it is known").machine().expect("it is there"))
}

#[test]
fn ranks_with_adapters_exchange_blocks_of_pivot_rows() {
    let Some(machine) = two_adapters() else { return };
    let program = Program::new(PIVOTS);
    let lowered = &program.lowered.program;
    let reference = Machine::reference().compile(lowered.clone()).expect("it compiles");
    let mut optimised = lowered.clone();
    star_opt::optimise(&mut optimised, &Options::default()).expect("the passes are correct");
    let compiled = machine.compile(optimised).expect("it compiles");
    // Rows in one or two limbs of a rank, and up to three blocks.
    for (n, m, from, last) in
        [(300, 290, 1, 290), (77, 100, 6, 70), (2, 3, 1, 2), (520, 515, 2, 515)]
    {
        // The loop also determines the size of `w`.
        for routine in ["up", "down", "rest", "sized"] {
            let ends = [from, last].map(Value::Int);
            let word = BitVector::from_bools(&(0..m).map(|at| at % 5 != 2).collect::<Vec<_>>());
            let values = [Value::Word(word), table(n, m)];
            let args: Vec<_> = ends.into_iter().chain(values).collect();
            let entry = program.entry(routine);
            let expected = reference.run(entry, &args, LIMITS);
            let run = compiled.run(entry, &args, Mode::Optimised.limits(LIMITS));
            assert_eq!(difference(&expected, &run), None, "{routine} of {n} × {m}");
            let counters = &run.stats.counters;
            // The ranks also agree that they all can.
            let n_blocks = ((last - from + 1) as u64).div_ceil(256);
            assert_eq!((counters.exchanges, counters.grid_loops), (1 + n_blocks, 1), "{routine}");
        }
    }
}

#[test]
fn a_search_and_its_count_are_one_kernel_on_each_adapter() {
    let Some(machine) = two_adapters() else { return };
    let text = "procedure search(times: integer; T: table(n,k); X: slice(n); var c: integer);
        var Z: slice(n); v: word(k); t: integer;
        begin
          c:=0;
          for t:=1 to times do begin v:=ROW(t,T); MATCH(T,X,v,Z); c:=c+NUMB(Z) end
        end;";
    let program = Program::new(text);
    let mut optimised = program.lowered.program.clone();
    star_opt::optimise(&mut optimised, &Options::default()).expect("the passes are correct");
    let compiled = machine.compile(optimised).expect("it compiles");
    let args = [Value::Int(5), table(200, 9), slice(200, 3), UNSET];
    let run = compiled.run(program.entry("search"), &args, Mode::Optimised.limits(LIMITS));
    assert_eq!(run.outcome, Outcome::Done);
    // A row and a count in each iteration.
    let counters = &run.stats.counters;
    assert_eq!((counters.grid_runs, counters.exchanges), (5, 10));
}

#[test]
fn columns_are_no_exchange() {
    let text = "procedure search(T: table(n,k); X: slice(n); v: word(k); var Y: slice(n));
        begin MATCH(T,X,v,Y) end;";
    let word = Value::Word(BitVector::zeros(9));
    let run = on_three(text, "search", &[table(64, 9), slice(64, 2), word, UNSET]);
    assert_eq!((run.outcome, run.stats.counters.exchanges), (Outcome::Done, 0));
}

#[test]
fn a_trap_names_the_slice_or_table_whose_size_it_compares() {
    let text = "procedure index(X: slice(n); k: integer); begin print(X(k)) end;
        procedure row(T: table(n,m); k: integer); begin print(ROW(k,T)) end;";
    for (routine, arg, named) in [
        ("index", slice(9, 2), NamedSize::Length(Some("X".to_owned()))),
        ("row", table(9, 3), NamedSize::Rows(Some("T".to_owned()))),
    ] {
        for index in [0, 10] {
            let run = on_three(text, routine, &[arg.clone(), Value::Int(index)]);
            let Outcome::Trap(trap) = run.outcome else { panic!("{:?}", run.outcome) };
            assert_eq!(trap.kind, TrapKind::Index { index, high: 9, of: named.clone() });
        }
    }
}

#[test]
fn what_cards_do_not_have_is_refused_by_name() {
    for (statement, named) in
        [("write(T,\"t.stb\")", "`write`"), ("print(T)", "`print` of a table")]
    {
        let text = format!("procedure store(T: table); begin {statement} end;");
        let run = on_three(&text, "store", &[table(9, 3)]);
        let what = format!("{named} on several ranks with graphics cards");
        assert_eq!(run.outcome, Outcome::Unsupported { what });
        // The message shows the place, and how to run the program.
        let machine = MachineSpec::find("cards-reference-3").expect("it is known");
        let program = Program::new(&text);
        let compiled =
            machine.machine().expect("it is there").compile(program.lowered.program.clone());
        let compiled = compiled.expect("it compiles");
        let mut placed = compiled.place();
        placed.add(Argument::new(table(9, 3), false)).expect("memory");
        let error = compiled.plan(program.entry("store"), placed).err().expect("it is refused");
        let refused = refused_by_backend("", &error);
        let label = &refused.labels[0];
        let source = &text[label.span.start as usize..label.span.end as usize];
        assert_eq!((refused.code, source), (star_base::Code::NoBackend, statement));
        assert!(refused.help[0].starts_with("omit `--backend gpu`"), "{:?}", refused.help);
    }
}
