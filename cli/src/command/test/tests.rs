//! Detection of a faulty backend, with the smallest input.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use star::pipeline::{Machine, on};
use star_base::Code;
use star_compiler::LowerOptions;
use star_harness::{MachineSpec, Purpose};
use star_ir::{Program, RoutineId, Ty};
use star_os::access::{Access, Grants};
use star_os::flags::Flags;
use star_os::report::{ErrorFormat, Reporter};
use star_os::sources::FileLoader;
use star_value::{BitTable, Table, Value};
use star_vm::{
    Backend, BackendError, Capabilities, CompileOptions, Compiled, Control, Cpu, Explanation,
    Outcome, Part, TypeInfo, cpu,
};

use super::row::{self, Row};
use super::trial::{Ready, Trial};
use crate::headers::inputs::ReadContext;
use crate::headers::test_file::{Runnable, Subject};

/// A backend that drops a one from every result row with two of them.
struct Spoiled(Cpu);

impl Backend for Spoiled {
    type Value = cpu::Value;
    type Code = cpu::Code;
    type Plan = cpu::Plan;

    fn caps(&self) -> Capabilities {
        self.0.caps()
    }
    fn load(&self, value: Value, fixed: bool) -> Result<cpu::Value, BackendError> {
        self.0.load(value, fixed)
    }
    fn load_columns(
        &self,
        value: &mut cpu::Value,
        n_cols: usize,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError> {
        self.0.load_columns(value, n_cols, start, columns)
    }
    fn ty(&self, value: &cpu::Value) -> Option<TypeInfo> {
        self.0.ty(value)
    }
    fn store(
        &self,
        value: &cpu::Value,
        part: Part,
        interrupt: &AtomicBool,
    ) -> Result<Value, BackendError> {
        self.0.store(value, part, interrupt).map(spoil)
    }
    fn compile(
        &self,
        program: Program,
        options: &CompileOptions,
        earlier: Option<&cpu::Code>,
    ) -> Result<Compiled<cpu::Code>, BackendError> {
        self.0.compile(program, options, earlier)
    }
    fn plan(
        &self,
        code: &cpu::Code,
        entry: RoutineId,
        args: &[Option<Ty>],
    ) -> Result<cpu::Plan, BackendError> {
        self.0.plan(code, entry, args)
    }
    fn explain(&self, plan: &cpu::Plan) -> Explanation {
        self.0.explain(plan)
    }
    fn run(
        &self,
        plan: &cpu::Plan,
        values: &mut [cpu::Value],
        control: &mut Control<'_>,
    ) -> Outcome {
        self.0.run(plan, values, control)
    }
}

fn spoil(value: Value) -> Value {
    let Value::Table(Table::Columns(mut table)) = value else { return value };
    for row in 0..table.n_rows() {
        let ones: Vec<usize> = (0..table.n_cols()).filter(|&col| table.get(row, col)).collect();
        if let [_, second, ..] = ones[..] {
            table.put(row, second, false);
        }
    }
    Value::from(table)
}

/// Runs the only test of a text on a faulty CPU backend.
fn run(text: &str) -> Row {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.star").display().to_string();
    std::fs::write(&file, text).unwrap();
    let subject = Subject::read(&file, FileLoader::default());
    assert_eq!((subject.faults.len(), subject.compilation.has_errors()), (0, false));
    let runnable = Runnable::of(&subject.compilation, &LowerOptions::default(), None).unwrap();
    let header = &subject.headers[0];
    let routine = runnable.of_header(header, &subject.headers).unwrap();
    let ready = |name: &str, machine: &dyn Fn(&MachineSpec) -> Machine| {
        let spec = MachineSpec::find(name).unwrap();
        let compiled = machine(spec).compile(runnable.program.clone()).unwrap();
        Ready { spec, compiled }
    };
    let machines = [
        ready("reference", &|spec| spec.machine().unwrap()),
        ready("cpu", &|spec| on(spec.name, Spoiled(Cpu::new()))),
    ];
    let limits = star_vm::Limits { steps: None, memory: None, output: None, depth: 100 };
    let access = Access::new(&file, Grants::default()).unwrap();
    let (flags, reporter) = (Flags::default(), Reporter::new(ErrorFormat::Text));
    let around = ReadContext {
        folder: &subject.folder(),
        access: &access,
        flags: &flags,
        reporter: &reporter,
        max_bytes: 1 << 20,
    };
    let (subject, runnable) = (&subject, &runnable);
    let limits = &[limits, limits];
    let (machines, access) = (&machines[..], &access);
    let trial =
        Trial { subject, runnable, header, routine, machines, observed: None, limits, access };
    let cases = header.cases(Purpose::Test).unwrap();
    row::run(trial, &cases, around, Duration::from_secs(60))
}

#[test]
fn reports_a_faulty_backend_with_the_smallest_input() {
    let text = "procedure P(n: integer; var T: table); var k: integer;
        begin for k:=1 to n do ROW(k,T):=ROW(k,T) end;
        /* @test rows
           n = 1, 30
           T = gen gnp -n {n} -p 0.3
           prints */";
    let row = run(text);
    let failure = row.failure.unwrap();
    assert_eq!((row.n_run, failure.diagnostic.code), (2, Code::TestFails));
    assert_eq!(failure.diagnostic.message, "`reference` and `cpu` differ in `T`");
    let input: Vec<&str> = failure.input.iter().map(|(_, value)| value.as_str()).collect();
    // Three vertices, since a graph has no loops.
    let rows: Vec<&str> = input[1].split(' ').collect();
    let table = BitTable::parse(&rows).unwrap();
    assert!(table.n_rows() <= 3 && table.count_ones() == 2, "{input:?}");
    assert_eq!(input[0], table.n_rows().to_string());
    assert!(failure.diagnostic.notes[0].contains("expected "), "{:?}", failure.diagnostic);
}

#[test]
fn does_not_report_a_correct_backend() {
    let text = "procedure P(T: table; var U: table); begin U:=T end;
        /* @test no two ones
           T = 01 10 */";
    assert!(run(text).failure.is_none());
}
