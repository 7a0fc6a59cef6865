//! Complete transcripts, small enough to check by hand. Text after `step>` was entered.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use star_compiler::{
    Compilation, LoadError, LowerOptions, Source, SourceLoader, Statements, check, lower,
};
use star_ir::Ty;
use star_value::{BitTable, BitsRef, Value as HostValue};
use star_vm::reference::Value;
use star_vm::{
    Backend, CompileOptions, Control, Host, HostError, Limits, Outcome, Part, Reference, Stats,
};

use super::*;

struct One(String);

impl SourceLoader for One {
    fn load(&mut self, _path: &str, _importer: Option<&str>) -> Result<Source, LoadError> {
        Ok(Source { name: "a.star".to_owned(), bytes: self.0.clone().into_bytes() })
    }
}

/// A host for programs that neither read nor write.
pub(crate) struct NoHost;

impl Host for NoHost {
    fn print(&mut self, _line: &str) -> Result<(), HostError> {
        Ok(())
    }
    fn read(
        &mut self,
        _: &str,
        _: Option<&str>,
        _: Ty,
        _: Option<u64>,
    ) -> Result<HostValue, HostError> {
        unreachable!("no program here reads")
    }
    fn write(&mut self, _: &str, _: BitsRef<'_>) -> Result<(), HostError> {
        unreachable!("no program here writes")
    }
}

/// Enters commands and records the output.
struct Script {
    orders: VecDeque<&'static str>,
    seen: String,
    room: usize,
}

impl Guide for Script {
    fn say(&mut self, text: &str) -> bool {
        self.seen += text;
        self.seen.len() <= self.room
    }
    fn ask(&mut self) -> Option<String> {
        let order = self.orders.pop_front()?;
        self.seen += &format!("step> {order}\n");
        Some(order.to_owned())
    }
}

/// The output of a run, its outcome, and the final values of its parameters.
struct Seen {
    text: String,
    outcome: Outcome,
    values: Vec<HostValue>,
    ended: Option<Ended>,
}

fn compiled(text: &str) -> Compilation {
    let library = star_base::Library { basic: &[], modules: &[] };
    let compilation = check("a.star", &mut One(text.to_owned()), &library);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
    compilation
}

/// Runs the last routine of `text`.
fn stepped(text: &str, values: Vec<HostValue>, stops: Stops, orders: &[&'static str]) -> Seen {
    stepped_within(usize::MAX, text, values, stops, orders)
}

fn stepped_within(
    room: usize,
    text: &str,
    values: Vec<HostValue>,
    stops: Stops,
    orders: &[&'static str],
) -> Seen {
    let compilation = compiled(text);
    let options = LowerOptions { by_statement: true, ..LowerOptions::default() };
    let lowered = lower(&compilation, &options).unwrap();
    let entry = lowered.routine(compilation.entries().last().unwrap().id).unwrap();
    let statements = Statements::new(&compilation.hir);
    let reference = Reference::new();
    let mut values: Vec<Value> =
        values.into_iter().map(|value| reference.load(value, false).unwrap()).collect();
    let mut script = Script { orders: orders.iter().copied().collect(), seen: String::new(), room };
    let flag = AtomicBool::new(false);
    let limits = Limits { steps: Some(1_000_000), memory: None, output: None, depth: 100 };
    let mut host = NoHost;
    let mut control = Control {
        interrupt: &flag,
        deadline: &flag,
        limits,
        host: &mut host,
        profile: None,
        stats: Stats::default(),
    };
    let code =
        reference.compile(lowered.program.clone(), &CompileOptions::AS_LOWERED, None).unwrap().code;
    let plan = reference.plan(&code, entry, &[]).unwrap();
    let mut stepper = Stepper::new(
        lowered.program,
        statements,
        &compilation.sources,
        &mut script,
        Screen::default(),
        stops,
    );
    let outcome = reference.run_observed(&plan, &mut values, &mut control, &mut stepper);
    let ended = stepper.ended();
    let values =
        values.iter().map(|value| reference.store(value, Part::Whole, &flag).unwrap()).collect();
    Seen { text: script.seen, outcome, values, ended }
}

fn table(rows: &[&str]) -> HostValue {
    HostValue::from(BitTable::parse(rows).unwrap())
}

const WARSHALL: &str = "\
procedure WARSHALL(n: integer; var P: table);
var X: slice(P); v, w: word(P); i, k: integer;
begin
  for k:=1 to n do
  begin
    X:=COL(k,P); w:=ROW(k,P);
    while SOME(X) do
    begin
      i:=STEP(X); v:=ROW(i,P);
      v:=v or w; ROW(i,P):=v
    end
  end
end;

procedure CLOSE(var P: table);
begin WARSHALL(4,P) end;
";

#[test]
fn warshall_on_four_vertices() {
    // Arcs 1 → 2, 2 → 3, 4 → 1.
    let path = table(&["0100", "0010", "0000", "1000"]);
    let seen = stepped(WARSHALL, vec![path], Stops::None, &[]);
    assert_eq!(seen.outcome, Outcome::Done);
    assert_eq!(seen.values, [table(&["0110", "0010", "0000", "1110"])]);
    golden("warshall", include_str!("warshall.txt"), &seen.text);
}

/// Compares with a file next to this one.
fn golden(name: &str, expected: &str, seen: &str) {
    if std::env::var_os("STAR_BLESS").is_some() {
        let path = format!("{}/src/step/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, seen).unwrap();
    } else {
        assert_eq!(seen, expected, "\n{seen}");
    }
}

const CALLS: &str = "\
function HALF(n: integer): integer;
begin
  HALF:=n div 2
end;

procedure COUNTDOWN(var n: integer; var X: slice);
var i: integer;
begin
  i:=HALF(n);
  repeat
    X(i):=1;
    i:=i-1
  until n>9;
  n:=i
end;
";

fn slice(text: &str) -> HostValue {
    HostValue::Slice(star_value::BitVector::parse(text).unwrap())
}

#[test]
fn calls_are_entered_stepped_over_and_left() {
    let run = |orders: &[&'static str]| {
        stepped(CALLS, vec![HostValue::Int(4), slice("0000")], Stops::Every, orders)
    };
    let seen = run(&["s", "v n", "v m", "v X", "n", "c 12", "what", "q"]);
    golden("calls", include_str!("calls.txt"), &seen.text);
    assert_eq!(seen.ended, Some(Ended::Quit));
    // The changes of the run are kept.
    assert_eq!(seen.values[1], slice("1100"));

    let seen = run(&["o", "q"]);
    assert!(seen.text.ends_with("  11  X(i):=1\nstep> q\n"), "\n{}", seen.text);
    let seen = run(&["c"]);
    assert!(matches!(seen.outcome, Outcome::Trap(_)));
    let expected = "step> c\n   9  i:=HALF(n) is done\n      i: unset → 2\n";
    assert!(seen.text.ends_with(expected), "\n{}", seen.text);
}

#[test]
fn a_trap_ends_the_run_as_on_the_reference_backend() {
    let seen = stepped(CALLS, vec![HostValue::Int(4), slice("0000")], Stops::None, &[]);
    let Outcome::Trap(trap) = &seen.outcome else { panic!("{:?}", seen.outcome) };
    assert_eq!(trap.kind.code(), star_base::Code::IndexTrap);
    assert!(seen.text.ends_with("  13  until n>9\n  11  X(i):=1\n"), "\n{}", seen.text);
    assert_eq!(seen.values, [HostValue::Int(4), slice("1100")]);
}

#[test]
fn branches_and_loops_are_shown_as_executed() {
    let text = "\
procedure P(var a, b: integer; var X: slice);
begin
  a:=0; b:=0;
  foreach b in X do a:=a+b;
  while a>3 do a:=a-2;
  if a=7 then b:=1 else if a=3 then b:=2 else b:=3;
  repeat b:=b-1 until b<2;
  while STEP(X)>0 do ;
  for a:=2 downto 1 do if a=2 then continue else break
end;
";
    let values = vec![HostValue::Unset, HostValue::Unset, slice("0101")];
    let seen = stepped(text, values, Stops::None, &[]);
    assert_eq!(seen.outcome, Outcome::Done);
    assert_eq!(seen.values, [HostValue::Int(1), HostValue::Int(1), slice("0000")]);
    golden("loops", include_str!("loops.txt"), &seen.text);
}

#[test]
fn no_output_without_a_reader() {
    let values = || vec![HostValue::Int(4), slice("0000")];
    // The output is closed.
    let seen = stepped_within(30, CALLS, values(), Stops::None, &[]);
    assert_eq!(seen.ended, Some(Ended::Unheard));
    // The input ends.
    let seen = stepped(CALLS, values(), Stops::Every, &["s"]);
    assert_eq!(seen.ended, Some(Ended::Quit));
    // Exceeds the output limit.
    let text = "procedure P(var i, n: integer); begin n:=0; for i:=1 to 40000 do n:=n+i end;";
    let seen = stepped(text, vec![HostValue::Unset, HostValue::Unset], Stops::None, &[]);
    assert_eq!(seen.outcome, Outcome::Done);
    assert!(seen.text.ends_with("without being shown\n"));
    assert!(seen.text.len() < MAX_SHOWN + 1000, "{}", seen.text.len());
    assert_eq!(seen.values[1], HostValue::Int(800_020_000));
}
