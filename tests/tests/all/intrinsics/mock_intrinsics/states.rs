//! States in handles: created, read, changed, shared, freed, kept from one run to the next.

use std::sync::atomic::AtomicBool;

use star_tests::run::{LIMITS, Printed};
use star_value::{Argument, Value};
use star_vm::{Control, Outcome, Stats};

use super::super::memory::memory_runs_out_no_earlier;
use super::{MockIntrinsics, agree, table};

const UNSET: Value = Value::Unset;

/// Builds a slice that differs for each length.
fn slice(len: usize) -> Value {
    Value::Slice(table(len, 2).column(1))
}

#[test]
fn a_state_is_returned_as_its_tables() {
    let text = "import \"star:toy\";
        procedure TRY(T: table; var A,B: table; var b: boolean);
        var H: handle;
        begin
          KEEP(T,H); b:=HAS(H,2,3); OPEN(H,A,B); b:=HAS(H,2,3);
        end;";
    for (n_rows, n_cols) in [(2, 3), (63, 5), (64, 65), (130, 64), (5, 129)] {
        let args = [Value::from(table(n_rows, n_cols)), UNSET, UNSET, UNSET];
        // Its tables have replaced the state when it is queried again.
        assert_eq!(agree(text, &args), 2, "{n_rows} x {n_cols}");
    }
}

#[test]
fn storing_a_part_leaves_the_others_unchanged() {
    // FIRST changes a copy of the handle.
    let text = "import \"star:toy\";
        procedure PROBE(H: handle; T: table; var C: table);
        var D: table;
        begin FIRST(H,T); OPEN(H,C,D); end;
        procedure TRY(T,S: table; var A,B,C: table);
        var H: handle;
        begin KEEP(T,H); PROBE(H,S,C); OPEN(H,A,B); end;";
    let args = [Value::from(table(9, 4)), Value::from(table(3, 3)), UNSET, UNSET, UNSET];
    assert_eq!(agree(text, &args), 1);
}

#[test]
fn a_part_of_another_module_discards_the_handle() {
    for call in ["OPEN(H,A,B)", "KEEP(T,H); OTHER(T,H); OPEN(H,A,B)", "OTHER(T,H); b:=HAS(H,1,1)"] {
        let text = format!(
            "import \"star:toy\"; import \"star:other\";
            procedure TRY(T: table; var A,B: table; var b: boolean);
            var H: handle;
            begin if T(1,1)=0 then FIRST(H,T); {call}; end;"
        );
        let args = [Value::from(table(3, 3)), UNSET, UNSET, UNSET];
        let mocks = MockIntrinsics::new(&text);
        mocks.agree(&args);
        for machine in &mocks.machines {
            let outcome = machine.run(mocks.entry, &args, LIMITS).outcome;
            let Outcome::Trap(trap) = outcome else { panic!("{call}: {outcome:?}") };
            assert_eq!(trap.kind.code().to_string(), "T0103", "{call}");
        }
    }
}

#[test]
fn a_state_is_changed_in_place_and_grows() {
    let text = "import \"star:toy\";
        procedure TRY(T: table; X: slice; n: integer; var A,B: table; var b: boolean);
        var H: handle; i: integer;
        begin
          KEEP(T,H);
          for i:=1 to n do begin TOGGLE(H,X,i); WIDEN(H,X); end;
          b:=HAS(H,1,size(T)+n);
          TOGGLE(H,X,size(T)+n);
          OPEN(H,A,B);
        end;";
    for (n_rows, n_cols) in [(2, 3), (63, 5), (130, 64)] {
        let (input, n) = (Value::from(table(n_rows, n_cols)), n_cols as i64);
        let args = [input, slice(n_rows), Value::Int(n), UNSET, UNSET, UNSET];
        assert_eq!(agree(text, &args), 3 + 2 * n as u64, "{n_rows} x {n_cols}");
    }
    // A slice of another size is left to the Star body, which traps.
    let args = [Value::from(table(9, 4)), slice(8), Value::Int(1), UNSET, UNSET, UNSET];
    assert_eq!(agree(text, &args), 1);
}

/// A program whose handle is shared when it is changed.
const SHARED: &str = "import \"star:toy\";
    procedure PROBE(H: handle; X: slice; var C,D: table);
    begin TOGGLE(H,X,1); WIDEN(H,X); OPEN(H,C,D); end;
    procedure TRY(T: table; X: slice; var A,B,C,D: table; var b: boolean);
    var H: handle;
    begin KEEP(T,H); PROBE(H,X,C,D); b:=HAS(H,1,1); TOGGLE(H,X,1); OPEN(H,A,B); end;";

#[test]
fn a_shared_state_becomes_tables_before_it_is_changed() {
    let args = |n| [Value::from(table(n, 4)), slice(n), UNSET, UNSET, UNSET, UNSET, UNSET];
    for n in [1, 64, 65] {
        // KEEP; then WIDEN, and the second TOGGLE, rebuild a state.
        assert_eq!(agree(SHARED, &args(n)), 3, "{n} rows");
    }
}

/// See [`memory_runs_out_no_earlier`].
fn of_toys(text: &str, args: &[Value]) -> [u64; 2] {
    let MockIntrinsics { machines: [_, plain, mocks, tiny], entry } = MockIntrinsics::new(text);
    memory_runs_out_no_earlier(&plain, &[mocks, tiny], entry, args)
}

#[test]
fn memory_runs_out_no_earlier_than_without_intrinsics() {
    let text = "import \"star:toy\";
        procedure TRY(n: integer; T: table; var A,B,C: table);
        var H: handle; S: slice(n); i: integer;
        begin
          KEEP(T,H);
          S:=COL(1,T);
          for i:=1 to size(T) do COL(i,C):=S;
          OPEN(H,A,B);
        end;";
    let (n_rows, n_cols) = (640, 64);
    let input = Value::from(table(n_rows, n_cols));
    let args = [Value::Int(n_rows as i64), input, UNSET, UNSET, UNSET];
    assert_eq!(of_toys(text, &args), [1, 1]);
    let input = Value::from(table(n_rows, n_cols));
    let args = [input, slice(n_rows), UNSET, UNSET, UNSET, UNSET, UNSET];
    // Without WIDEN: a table stored by rows, as a state may leave one, is transposed before it
    // grows, which needs memory.
    let text = SHARED.replace("WIDEN(H,X);", "TOGGLE(H,X,2);");
    let [least, most] = of_toys(&text, &args);
    assert!(least < 3 && most == 3, "{least}, {most}");
}

#[test]
fn a_replaced_or_dropped_state_is_freed() {
    let text = "import \"star:toy\";
        procedure MAKE(T: table; X: slice);
        var H: handle;
        begin KEEP(T,H); KEEP(T,H); WIDEN(H,X); end;
        procedure TRY(T: table; X: slice; n: integer);
        var i: integer;
        begin for i:=1 to n do MAKE(T,X); end;";
    let MockIntrinsics { machines: [_, _, mocks, tiny], entry } = MockIntrinsics::new(text);
    for machine in [mocks, tiny] {
        let [once, often] = [1, 20].map(|n| {
            let args = [Value::from(table(640, 64)), slice(640), Value::Int(n)];
            let run = machine.run(entry, &args, LIMITS);
            assert_eq!((run.outcome, run.stats.intrinsics), (Outcome::Done, 3 * n as u64));
            run.stats.peak_bytes
        });
        assert_eq!(once, often);
    }
}

#[test]
fn a_host_handle_keeps_its_state_between_runs() {
    let text = "import \"star:toy\";
        procedure TRY(T: table; X: slice; var n: integer; var H: handle; var A,B: table);
        begin
          if n=0 then KEEP(T,H);
          TOGGLE(H,X,1); WIDEN(H,X);
          if n=2 then OPEN(H,A,B);
          n:=n+1;
        end;";
    let MockIntrinsics { machines, entry } = MockIntrinsics::new(text);
    let flag = AtomicBool::new(false);
    let mut all = Vec::new();
    for machine in &machines {
        let input = Value::from(table(70, 3));
        let args = [input, slice(70), Value::Int(0), UNSET, UNSET, UNSET];
        let args = args.iter().map(Argument::of).collect();
        let mut loaded = machine.load(entry, args).expect("it can run");
        let mut n_intrinsics = 0;
        for _ in 0..3 {
            let mut host = Printed::default();
            let mut control = Control {
                interrupt: &flag,
                deadline: &flag,
                limits: LIMITS,
                host: &mut host,
                profile: None,
                stats: Stats::default(),
            };
            assert_eq!(loaded.run(&mut control), Outcome::Done);
            n_intrinsics += control.stats.intrinsics;
        }
        let has_toys = machine.name.starts_with("mocks");
        assert_eq!(n_intrinsics, if has_toys { 7 } else { 0 }, "{}", machine.name);
        all.push(loaded.values(&flag).expect("memory"));
    }
    // A handle is opaque outside; its tables were requested.
    assert!(all.iter().all(|values| *values == all[0] && values[3] == UNSET));
    assert!(matches!(&all[0][4], Value::Table(table) if table.n_cols() == 6));
}
