//! A second kind of state in a handle, and intrinsics with parameters of every kind, known to this
//! folder alone: a module, entries and functions that are registered from outside show that no file
//! of the machine names a kind.

mod faults;
mod kinds;
mod states;

use star_base::Library;
use star_base::intrinsics::{Intrinsic, Kind, Param, Precondition, Signature, SizeExpr};
use star_compiler::LowerOptions;
use star_intrinsics::{Ended, Environment, IntrinsicState, LineOrder, StateTable};
use star_tests::backends::{Compiled, on};
use star_tests::compile_with;
use star_tests::run::LIMITS;
use star_value::{BitTable, Value};
use star_vm::cpu::{CpuIntrinsic, IntrinsicCall, IntrinsicFn, IntrinsicResult, Settings, Target};
use star_vm::kernels::Kernels;
use star_vm::{Cpu, Reference};

const MODULE: &str = "procedure KEEP(T: table; var H: handle);
var S,N: table; j: integer;
begin
  for j:=1 to size(T) do begin COL(j,S):=COL(j,T); COL(j,N):=not COL(j,T); end;
  H.same:=S; H.other:=N;
end;

function HAS(H: handle; i,j: integer): boolean;
var T: table;
begin T:=H.same; HAS:=T(i,j)=1; end;

procedure OPEN(H: handle; var A,B: table);
begin A:=H.same; B:=H.other; end;

procedure FIRST(var H: handle; T: table);
begin H.same:=T; end;

procedure TOGGLE(var H: handle; X: slice; j: integer);
var S,N: table;
begin
  S:=H.same; N:=H.other;
  COL(j,S):=COL(j,S) xor X; COL(j,N):=COL(j,N) xor X;
  H.same:=S; H.other:=N;
end;

procedure WIDEN(var H: handle; X: slice);
var S,N: table;
begin
  S:=H.same; N:=H.other;
  COL(size(S)+1,S):=X; COL(size(N)+1,N):=not X;
  H.same:=S; H.other:=N;
end;
";

/// A module that has a handle too.
const OTHER: &str = "procedure OTHER(T: table; var H: handle);
begin H.same:=T; end;
";

/// A table that represents itself and its complement, here by rows.
#[derive(Debug)]
struct Doubled(BitTable);

impl IntrinsicState for Doubled {
    fn n_bytes(&self) -> u64 {
        self.0.n_bytes()
    }

    fn tables(&self) -> Vec<StateTable> {
        let (n_rows, n_cols) = (self.0.n_rows(), self.0.n_cols());
        let table = |name, lines| StateTable { name, n_rows, n_cols, lines };
        vec![table("same", LineOrder::Columns), table("other", LineOrder::Rows)]
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
                    1 => lines.put(col, row, !self.0.get(row, col)),
                    2.. => return Err(StateTable::MISSING),
                }
            }
        }
        Ok(())
    }
}

const KEEP: Intrinsic = Intrinsic::new(&Signature {
    name: "toy-keep",
    module: "toy",
    routines: &["KEEP"],
    params: &[Param::value("T", Kind::Table), Param::made("H", Kind::Handle)],
    result: None,
    preconditions: &[Precondition::AtMost(SizeExpr::Number(1), SizeExpr::columns(0))],
    declines: None,
    summary: "keeps one table instead of two",
});

/// Valid indices, required through a sum and a product.
const HAS: Intrinsic = Intrinsic::new(&Signature {
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

const TOGGLE: Intrinsic = Intrinsic::new(&Signature {
    name: "toy-toggle",
    module: "toy",
    routines: &["TOGGLE"],
    params: &[
        Param::changed("H", Kind::Handle),
        Param::value("X", Kind::Slice),
        Param::value("j", Kind::Int),
    ],
    result: None,
    preconditions: &[
        Precondition::Equal(SizeExpr::length(1), SizeExpr::part_rows(0, "same")),
        Precondition::Within(
            SizeExpr::Number(1),
            SizeExpr::value(2),
            SizeExpr::part_columns(0, "same"),
        ),
    ],
    declines: None,
    summary: "changes one column instead of two",
});

const WIDEN: Intrinsic = Intrinsic::new(&Signature {
    name: "toy-widen",
    module: "toy",
    routines: &["WIDEN"],
    params: &[Param::changed("H", Kind::Handle), Param::value("X", Kind::Slice)],
    result: None,
    preconditions: &[Precondition::Equal(SizeExpr::length(1), SizeExpr::part_rows(0, "same"))],
    declines: None,
    summary: "adds one column instead of two",
});

fn keep(call: &mut IntrinsicCall) -> IntrinsicResult {
    let [n_rows, n_cols] = call.table_size(0)?;
    call.reserve(3 * bytes_of(n_rows) * n_cols as u64)?;
    let (home, lines) = call.home(0)?;
    let copy = by_columns(home, lines)?;
    call.put_state(1, Doubled(copy))
}

fn has(call: &mut IntrinsicCall) -> IntrinsicResult {
    let state = call.state::<Doubled>(0)?;
    call.put_truth(Target::Value, state.0.get(call.index(1)?, call.index(2)?))
}

fn toggle(call: &mut IntrinsicCall) -> IntrinsicResult {
    let column = call.index(2)?;
    own(call)?;
    call.change_state(0, |Doubled(table), call| {
        let bits = call.bits(1)?.limbs();
        table.column_limbs_mut(column).iter_mut().zip(bits).for_each(|(to, bits)| *to ^= bits);
        Ok(())
    })
}

fn widen(call: &mut IntrinsicCall) -> IntrinsicResult {
    call.reserve(3 * bytes_of(call.bits(1)?.len()))?;
    own(call)?;
    call.change_state(0, |Doubled(table), call| {
        let n_cols = table.n_cols();
        table.resize_columns(n_cols + 1).map_err(Ended::from)?;
        table.column_limbs_mut(n_cols).copy_from_slice(call.bits(1)?.limbs());
        Ok(())
    })
}

/// Makes the state of handle 0 mutable: it is rebuilt if tables have replaced it.
fn own(call: &mut IntrinsicCall) -> IntrinsicResult {
    if call.has_state::<Doubled>(0)? {
        return call.own_state::<Doubled>(0);
    }
    let [n_rows, n_cols] = call.part(0, "same")?.size();
    call.reserve(3 * bytes_of(n_rows) * n_cols as u64)?;
    let copy = {
        let part = call.part(0, "same")?;
        let (home, lines) = part.home();
        by_columns(home, lines)?
    };
    call.put_state(0, Doubled(copy))
}

fn by_columns(home: &BitTable, lines: LineOrder) -> Result<BitTable, Ended> {
    let (n_rows, n_cols) = match lines {
        LineOrder::Columns => return Ok(home.try_clone()?),
        LineOrder::Rows => (home.n_cols(), home.n_rows()),
    };
    let mut table = BitTable::zeros(n_rows, n_cols)?;
    for row in 0..n_rows {
        (0..n_cols).for_each(|col| table.put(row, col, home.get(col, row)));
    }
    Ok(table)
}

/// Returns the number of bytes of packed bits.
fn bytes_of(len: usize) -> u64 {
    8 * len.div_ceil(64) as u64
}

/// A program with its entry on the reference, on the CPU backend, and there with mock intrinsics,
/// in default and tiny sizes.
struct MockIntrinsics {
    machines: [Compiled; 4],
    entry: star_ir::RoutineId,
}

impl MockIntrinsics {
    /// Compiles a text with the module of states.
    fn new(text: &str) -> Self {
        MockIntrinsics::with(
            MODULE,
            &[(KEEP, keep), (HAS, has), (TOGGLE, toggle), (WIDEN, widen)],
            text,
        )
    }

    /// Compiles a text with a module and intrinsics for it.
    fn with(module: &'static str, intrinsics: &[(Intrinsic, IntrinsicFn)], text: &str) -> Self {
        let modules = Box::leak(Box::new([("toy", module), ("other", OTHER)]));
        let library = Library { basic: star_stdlib::BASIC, modules };
        let (_, lowered) = compile_with(&[("test.star", text)], &LowerOptions::default(), &library);
        let mut program = lowered.program;
        for (intrinsic, _) in intrinsics {
            for routine in program.routines_mut() {
                if intrinsic.signature().routines.contains(&routine.name.as_str()) {
                    routine.intrinsic = Some(*intrinsic);
                }
            }
        }
        assert_eq!(star_ir::verify(&program), Ok(()));
        let entry = program.find("TRY").expect("the entry");
        let with_toys = |cpu: Cpu| {
            let intrinsics = intrinsics.iter().map(|&(intrinsic, run)| CpuIntrinsic {
                intrinsic,
                run,
                sparse: &[],
                works_on_parts: false,
            });
            intrinsics.fold(cpu, Cpu::with_intrinsic)
        };
        let tiny = Cpu::with(Settings::tiny(), Kernels::detect());
        let machines = [
            on("reference", Reference::default()),
            on("cpu", Cpu::new()),
            on("mocks", with_toys(Cpu::new())),
            on("mocks-tiny", with_toys(tiny)),
        ];
        let compile = |machine: star_tests::backends::Machine| {
            machine.compile(program.clone()).expect("code")
        };
        MockIntrinsics { machines: machines.map(compile), entry }
    }

    /// Runs on all backends, which must agree, and returns the number of intrinsics taken.
    fn agree(&self, args: &[Value]) -> u64 {
        let runs = self.machines.each_ref().map(|machine| machine.run(self.entry, args, LIMITS));
        for run in &runs {
            assert_eq!(run.outcome, runs[0].outcome);
            assert_eq!(run.values, runs[0].values);
        }
        let [reference, plain, mocks, tiny] = runs.map(|run| run.stats.intrinsics);
        assert_eq!((reference, plain, tiny), (0, 0, mocks));
        mocks
    }
}

/// Runs a text with the module of states on all backends, and returns the number of intrinsics
/// taken.
fn agree(text: &str, args: &[Value]) -> u64 {
    MockIntrinsics::new(text).agree(args)
}

fn table(n_rows: usize, n_cols: usize) -> BitTable {
    let mut table = BitTable::zeros(n_rows, n_cols).expect("memory");
    for row in 0..n_rows {
        (0..n_cols).filter(|col| (row * 7 + col * 3) % 5 < 2).for_each(|col| {
            table.put(row, col, true);
        });
    }
    table
}
