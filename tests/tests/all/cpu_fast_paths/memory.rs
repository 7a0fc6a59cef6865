//! Tables in the memory of released ones, which are never seen.

use std::sync::atomic::{AtomicBool, Ordering};

use star_harness::machines::MachineSpec;
use star_ir::{LimitKind, Ty};
use star_tests::backends::Compiled;
use star_tests::run::{LIMITS, Program};
use star_value::{Argument, BitsRef, Value};
use star_vm::{Control, Counters, Host, HostError, Limits, Outcome, Stats};

use super::{slice, table};

/// The first number of rows whose operations are recorded, and two with the same distance of
/// columns that end inside other limbs.
const LONG: usize = 1 << 20;
const LONGER: [usize; 2] = [LONG + 64 + 33, LONG + 5];

const TEXT: &str = "
procedure local(T: table(n,k); X: slice(n); var Z: slice(n); var m: integer);
var R: table(n,k); i: integer;
begin
  ADDV(T,T,X,R);
  for i:=1 to size(T) do begin Z:=Z xor COL(i,R); m:=m+NUMB(COL(i,R)) end;
end;
procedure locals(T: table; X: slice; times: integer; var Z: slice; var m: integer);
var i: integer;
begin Z:=X; m:=0; for i:=1 to times do local(T,Z,Z,m) end;
procedure results(T,F: table; X,Y: slice; var R: table);
var Z: slice; m: integer;
begin Z:=X; m:=0; local(T,X,Z,m); ADDV(F,F,Y,R) end;
procedure doubled(T: table(n,k); X: slice(n); var R: table(n,k));
var S: table(n,k);
begin ADDV(T,T,X,S); R:=S end;
procedure assigned(T: table; X: slice; times: integer; var R: table);
var i: integer;
begin R:=T; for i:=1 to times do doubled(R,X,R) end;
procedure partial(T: table(n,k); X: slice(n); var R: table(n,k));
var Z: slice(n); m,i: integer;
begin
  Z:=X; m:=0; local(T,X,Z,m);
  for i:=2 to size(T) do COL(i,R):=COL(i,T) or Z;
end;
procedure read(T: table(n,k); X: slice(n); var R: table(n,k));
var Z: slice(n); m,i: integer;
begin
  Z:=X; m:=0; local(T,X,Z,m);
  for i:=1 to size(T) do COL(i,R):=COL(i,R) or (COL(i,T) and Z);
end;
procedure stopped(T: table(n,2); X: slice(n); var R: table(n,2); var m: integer);
var Z: slice(n);
begin
  Z:=X; m:=0; local(T,X,Z,m); print(m);
  COL(1,R):=X or Z; COL(2,R):=not X; m:=NUMB(COL(2,R));
end;
procedure copies(T: table(n,k); X: slice(n); times: integer; var m: integer);
var S: table(n,k); i: integer;
begin
  m:=0;
  for i:=1 to times do
  begin S:=T; COL(1,S):=X; m:=m+i*NUMB(COL(2,S) xor COL(1,S)); X:=COL(2,S) end;
end;";

fn compiled(program: &Program) -> Compiled {
    let machine = MachineSpec::find("cpu").and_then(|it| it.machine().ok()).expect("a machine");
    machine.compile(program.lowered.program.clone()).expect("it compiles")
}

#[track_caller]
fn counters(routine: &str, args: Vec<Value>) -> Counters {
    Program::new(TEXT).agree(routine, args, LIMITS).optimised("cpu")
}

#[test]
fn local_tables_use_the_memory_of_earlier_ones() {
    for n in [LONG, LONGER[0]] {
        let args = vec![table(n, 5, 1), slice(n, 2), Value::Int(6), Value::Unset, Value::Unset];
        let paths = counters("locals", args);
        assert_eq!(paths.tables_recycled, 5, "{paths:?}");
    }
}

#[test]
fn assigned_and_copied_tables_use_the_memory_of_earlier_ones() {
    for n in [LONG, LONGER[0]] {
        let args = vec![table(n, 5, 1), slice(n, 2), Value::Int(6), Value::Unset];
        let paths = counters("assigned", args);
        assert!(paths.tables_recycled >= 3, "{paths:?}");
        let args = vec![table(n, 5, 1), slice(n, 2), Value::Int(6), Value::Unset];
        let paths = counters("copies", args);
        assert!(paths.tables_recycled >= 4, "{paths:?}");
    }
}

#[test]
fn used_memory_leaves_no_bits_beyond_the_rows() {
    let ([n, m], k) = (LONGER, 5);
    for (n, m) in [(n, m), (m, n)] {
        let (few, more) = (table(n, k, 1), table(m, k, 2));
        let args = vec![few, more, slice(n, 3), slice(m, 4), Value::Unset];
        assert_eq!(counters("results", args).tables_recycled, 1);
    }
}

#[test]
fn a_table_that_is_not_overwritten_has_no_old_bits() {
    for n in [LONG, LONGER[0]] {
        for routine in ["partial", "read"] {
            let args = vec![table(n, 5, 1), slice(n, 2), Value::Unset];
            assert_eq!(counters(routine, args).tables_recycled, 0, "{routine}");
        }
    }
}

/// Sets the interrupt flag when the program prints.
struct Stops<'f>(&'f AtomicBool);

impl Host for Stops<'_> {
    fn print(&mut self, _: &str) -> Result<(), HostError> {
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn read(
        &mut self,
        _: &str,
        _: Option<&str>,
        _: Ty,
        _: Option<u64>,
    ) -> Result<Value, HostError> {
        unreachable!("the program reads no file")
    }

    fn write(&mut self, _: &str, _: BitsRef<'_>) -> Result<(), HostError> {
        unreachable!("the program writes no file")
    }
}

#[test]
fn an_interrupted_run_leaves_no_old_bits() {
    let program = Program::new(TEXT);
    let args = [table(LONG, 2, 1), slice(LONG, 2), Value::Unset, Value::Unset];
    let args = args.iter().map(Argument::of).collect();
    let mut loaded = compiled(&program).load(program.entry("stopped"), args).expect("memory");
    let (flag, never) = (AtomicBool::new(false), AtomicBool::new(false));
    let mut control = Control {
        interrupt: &flag,
        deadline: &never,
        limits: Limits { steps: None, ..LIMITS },
        host: &mut Stops(&flag),
        profile: None,
        stats: Stats::default(),
    };
    let outcome = loaded.run(&mut control);
    let is_interrupted = matches!(outcome, Outcome::Limit { kind: LimitKind::Interrupted, .. });
    assert!(is_interrupted, "{outcome:?}");
    assert_eq!(control.stats.counters.tables_recycled, 1);
    let results = loaded.into_results(&never).expect("memory");
    let Some(Value::Table(found)) = results.first() else { panic!("{results:?}") };
    assert_eq!(found.count_ones(), 0);
}

#[test]
fn recycled_memory_does_not_count_against_the_limit() {
    let program = Program::new(TEXT);
    let compiled = compiled(&program);
    let run = |times: i64, memory: Option<u64>| {
        let times = Value::Int(times);
        let args = [table(LONG, 5, 1), slice(LONG, 2), times, Value::Unset, Value::Unset];
        let limits = Limits { memory, steps: None, ..LIMITS };
        compiled.run_with(program.entry("locals"), args.iter().map(Argument::of).collect(), limits)
    };
    let once = run(1, None);
    assert!(matches!(once.outcome, Outcome::Done), "{:?}", once.outcome);
    // The second call needs no more memory than the first, whether any is recycled or not.
    let needed = once.stats.peak_bytes;
    let tight = run(4, Some(needed));
    assert!(matches!(tight.outcome, Outcome::Done), "{:?}", tight.outcome);
    let free = run(4, None);
    assert_eq!(free.stats.counters.tables_recycled, 3, "{:?}", free.stats.counters);
    assert_eq!((tight.stats.peak_bytes, free.stats.peak_bytes), (needed, needed));
    assert_eq!(tight.values, free.values);
    let tighter = run(4, Some(needed - 1));
    assert!(matches!(tighter.outcome, Outcome::Limit { .. }), "{:?}", tighter.outcome);
}
