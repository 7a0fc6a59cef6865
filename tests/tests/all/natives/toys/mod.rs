//! A second kind of state in a handle, known to this file alone: a module, a native and its state that are
//! registered from outside show that no file of the machine names a kind.

use star_base::BitTable;
use star_base::natives::{Kind, Native, Param, Precondition, Signature, SizeExpr};
use star_compiler::{Library, LowerOptions};
use star_ir::LimitKind;
use star_natives::{Ended, Environment, Lines, NativeState, StateTable};
use star_tests::backends::{Compiled, on};
use star_tests::run::LIMITS;
use star_vm::cpu::{NativeCall, NativeResult, NativeTwin, Target};
use star_vm::{Cpu, HostValue, Limits, Outcome, Reference};

const MODULE: &str = "procedure KEEP(T: table; var H: handle);
var N: table; j: integer;
begin
  N:=T;
  for j:=1 to size(T) do COL(j,N):=not COL(j,T);
  H.same:=T; H.other:=N;
end;

function HAS(H: handle; i,j: integer): boolean;
var T: table;
begin T:=H.same; HAS:=T(i,j)=1; end;

procedure OPEN(H: handle; var A,B: table);
begin A:=H.same; B:=H.other; end;

procedure FIRST(var H: handle; T: table);
begin H.same:=T; end;
";

/// A module that has a handle of its own, too.
const OTHER: &str = "procedure OTHER(T: table; var H: handle);
begin H.same:=T; end;
";

/// A table, which stands for itself and for its complement, here by rows.
#[derive(Debug)]
struct Doubled(BitTable);

impl NativeState for Doubled {
    fn n_bytes(&self) -> u64 {
        self.0.n_bytes()
    }

    fn tables(&self) -> Vec<StateTable> {
        let (n_rows, n_cols) = (self.0.n_rows(), self.0.n_cols());
        let table = |name, lines| StateTable { name, n_rows, n_cols, lines };
        vec![table("same", Lines::Columns), table("other", Lines::Rows)]
    }

    fn write(
        &self,
        idx: usize,
        lines: &mut BitTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        environment.poll()?;
        for row in 0..self.0.n_rows() {
            for col in 0..self.0.n_cols() {
                match idx {
                    0 => lines.put(row, col, self.0.get(row, col)),
                    _ => lines.put(col, row, !self.0.get(row, col)),
                }
            }
        }
        Ok(())
    }
}

const KEEP: Native = Native::new(&Signature {
    name: "toy-keep",
    module: "toy",
    routines: &["KEEP"],
    params: &[Param::value("T", Kind::Table), Param::made("H", Kind::Handle)],
    result: None,
    preconditions: &[Precondition::AtMost(SizeExpr::Number(1), SizeExpr::rows(0))],
    declines: None,
    summary: "keeps one table instead of two",
});

/// Indices inside, by a sum and a product that say it in a roundabout way.
const HAS: Native = Native::new(&Signature {
    name: "toy-has",
    module: "toy",
    routines: &["HAS"],
    params: &[
        Param::value("H", Kind::Handle),
        Param::value("i", Kind::Int),
        Param::value("j", Kind::Int),
    ],
    result: Some(Kind::Bool),
    preconditions: &[
        Precondition::Within(
            SizeExpr::Number(1),
            SizeExpr::value(1),
            SizeExpr::part_rows(0, "same"),
        ),
        Precondition::AtMost(
            SizeExpr::Sum(&[SizeExpr::Number(1), SizeExpr::Number(1)]),
            SizeExpr::Sum(&[SizeExpr::Number(1), SizeExpr::value(2)]),
        ),
        Precondition::AtMost(
            SizeExpr::Product(&[SizeExpr::Number(2), SizeExpr::value(2)]),
            SizeExpr::Product(&[SizeExpr::Number(2), SizeExpr::part_columns(0, "other")]),
        ),
    ],
    declines: None,
    summary: "looks at one bit",
});

fn keep(call: &mut NativeCall) -> NativeResult {
    let [n_rows, n_cols] = call.table_size(0)?;
    let n_bytes = 8 * (n_rows.div_ceil(64) * n_cols) as u64;
    call.reserve(3 * n_bytes)?;
    let mut copy = BitTable::zeros(n_rows, n_cols).map_err(Ended::from)?;
    let (home, lines) = call.home(0)?;
    for row in 0..n_rows {
        for col in 0..n_cols {
            let bit = match lines {
                Lines::Columns => home.get(row, col),
                Lines::Rows => home.get(col, row),
            };
            copy.put(row, col, bit);
        }
    }
    call.put_state(1, Doubled(copy))
}

fn has(call: &mut NativeCall) -> NativeResult {
    let state = call.state::<Doubled>(0)?;
    call.put_truth(Target::Value, state.0.get(call.index(1)?, call.index(2)?))
}

/// The program on the reference, on the CPU backend, and there with the natives of this file.
fn compiled(text: &str) -> ([Compiled; 3], star_ir::RoutineId) {
    let library =
        Library { basic: star_stdlib::BASIC, modules: &[("toy", MODULE), ("other", OTHER)] };
    let compilation = star_compiler::check(
        "test.star",
        &mut star_tests::Texts(vec![("test.star".to_owned(), text.to_owned())]),
        &library,
    );
    assert!(!compilation.has_errors(), "{:#?}", star_tests::messages(&compilation));
    let lowered = star_compiler::lower(&compilation, &LowerOptions::default());
    let mut program = lowered.expect("it is lowered").program;
    for native in [KEEP, HAS] {
        for routine in &mut program.routines {
            if native.signature().routines.contains(&routine.name.as_str()) {
                routine.native = Some(native);
            }
        }
    }
    assert_eq!(star_ir::verify(&program), Ok(()));
    let entry = program.find("TRY").expect("the entry");
    let toys = [NativeTwin { native: KEEP, run: keep }, NativeTwin { native: HAS, run: has }];
    let cpu = toys.into_iter().fold(Cpu::new(), Cpu::with_native);
    let machines = [on("reference", Reference::default()), on("cpu", Cpu::new()), on("toys", cpu)];
    (machines.map(|machine| machine.compile(program.clone()).expect("it compiles")), entry)
}

/// Without a limit on steps, which turns natives off.
const FREE: Limits = Limits { steps: None, ..LIMITS };

fn table(n_rows: usize, n_cols: usize) -> BitTable {
    let mut table = BitTable::zeros(n_rows, n_cols).expect("memory");
    for row in 0..n_rows {
        (0..n_cols).filter(|col| (row * 7 + col * 3) % 5 < 2).for_each(|col| {
            table.put(row, col, true);
        });
    }
    table
}

/// Runs on all three, which have to agree; the natives taken.
fn agree(text: &str, args: &[HostValue]) -> u64 {
    let (compiled, entry) = compiled(text);
    let runs = compiled.map(|compiled| compiled.run(entry, args, FREE));
    for run in &runs {
        assert_eq!(run.outcome, runs[0].outcome);
        assert_eq!(run.values, runs[0].values);
    }
    assert_eq!((runs[0].stats.natives, runs[1].stats.natives), (0, 0));
    runs[2].stats.natives
}

#[test]
fn a_state_gives_itself_back_as_its_tables() {
    let text = "import \"star:toy\";
        procedure TRY(T: table; var A,B: table; var b: boolean);
        var H: handle;
        begin
          KEEP(T,H); b:=HAS(H,2,3); OPEN(H,A,B); b:=HAS(H,2,3);
        end;";
    let unset = HostValue::Unset;
    for (n_rows, n_cols) in [(2, 3), (63, 5), (64, 65), (130, 64), (5, 129)] {
        let args =
            [HostValue::Table(table(n_rows, n_cols)), unset.clone(), unset.clone(), unset.clone()];
        // Its tables have taken the place of the state when it is asked again.
        assert_eq!(agree(text, &args), 2, "{n_rows} x {n_cols}");
    }
}

#[test]
fn a_part_that_is_stored_leaves_the_others() {
    // FIRST changes a copy of the handle.
    let text = "import \"star:toy\";
        procedure PROBE(H: handle; T: table; var C: table);
        var D: table;
        begin FIRST(H,T); OPEN(H,C,D); end;
        procedure TRY(T,S: table; var A,B,C: table);
        var H: handle;
        begin KEEP(T,H); PROBE(H,S,C); OPEN(H,A,B); end;";
    let unset = HostValue::Unset;
    let args = [
        HostValue::Table(table(9, 4)),
        HostValue::Table(table(3, 3)),
        unset.clone(),
        unset.clone(),
        unset,
    ];
    assert_eq!(agree(text, &args), 1);
}

#[test]
fn a_part_of_another_module_gives_the_handle_up() {
    for call in ["OPEN(H,A,B)", "KEEP(T,H); OTHER(T,H); OPEN(H,A,B)", "OTHER(T,H); b:=HAS(H,1,1)"] {
        let text = format!(
            "import \"star:toy\"; import \"star:other\";
            procedure TRY(T: table; var A,B: table; var b: boolean);
            var H: handle;
            begin if T(1,1)=0 then FIRST(H,T); {call}; end;"
        );
        let unset = HostValue::Unset;
        let args = [HostValue::Table(table(3, 3)), unset.clone(), unset.clone(), unset];
        agree(&text, &args);
        let (compiled, entry) = compiled(&text);
        for compiled in &compiled {
            let outcome = compiled.run(entry, &args, FREE).outcome;
            let Outcome::Trap(trap) = outcome else { panic!("{call}: {outcome:?}") };
            assert_eq!(trap.kind.code().to_string(), "T0103", "{call}");
        }
    }
}

#[test]
fn memory_runs_out_no_earlier_than_without_natives() {
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
    let input = table(n_rows, n_cols);
    let unset = HostValue::Unset;
    let args = [
        HostValue::Int(n_rows as i64),
        HostValue::Table(input.clone()),
        unset.clone(),
        unset.clone(),
        unset,
    ];
    let (compiled, entry) = compiled(text);
    let [_, plain, toys] = &compiled;
    let needed = plain.run(entry, &args, FREE).stats.peak_bytes;
    let mut n_taken = 0;
    for more in [0, 1, input.n_bytes() / 2, input.n_bytes(), 2 * input.n_bytes()] {
        let within = |memory: u64| Limits { memory: Some(memory), ..FREE };
        let [expected, found] =
            [plain, toys].map(|compiled| compiled.run(entry, &args, within(needed + more)));
        assert_eq!(expected.outcome, Outcome::Done);
        assert_eq!(
            (&found.outcome, &found.values),
            (&expected.outcome, &expected.values),
            "{more}"
        );
        assert!(found.stats.peak_bytes <= needed + more);
        n_taken += found.stats.natives;
    }
    assert!(n_taken > 0);
    let tight = plain.run(entry, &args, Limits { memory: Some(needed - 1), ..FREE }).outcome;
    assert!(matches!(tight, Outcome::Limit { kind: LimitKind::Memory { .. }, .. }), "{tight:?}");
}
