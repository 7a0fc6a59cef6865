//! A backend that is wrong is found out, and with the smallest input.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use star_base::{BitTable, Code};
use star_harness::{Argument, Compiled, Configuration, Loaded, Purpose};
use star_ir::RoutineId;
use star_vm::{Control, HostValue, Outcome, Profile, StoreError};

use super::row::{self, Row};
use super::trial::{Ready, Trial};
use crate::access::{Access, Grants};
use crate::flags::Flags;
use crate::headers::inputs::ReadContext;
use crate::headers::subject::{Runnable, Subject};
use crate::report::{ErrorFormat, Reporter};

/// A machine that loses a one wherever a row has two.
struct Spoiled(Box<dyn Compiled>);

struct SpoiledRun(Box<dyn Loaded>);

impl Compiled for Spoiled {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn load(&self, entry: RoutineId, arguments: Vec<Argument>) -> Box<dyn Loaded> {
        Box::new(SpoiledRun(self.0.load(entry, arguments)))
    }
}

impl Loaded for SpoiledRun {
    fn explain(&self) -> String {
        self.0.explain()
    }

    fn run(&mut self, control: &mut Control<'_>) -> Outcome {
        self.0.run(control)
    }

    fn run_profiled(&mut self, control: &mut Control<'_>, profile: &mut Profile) -> Outcome {
        self.0.run_profiled(control, profile)
    }

    fn values(&self, interrupt: &AtomicBool) -> Result<Vec<HostValue>, StoreError> {
        Ok(self.0.values(interrupt)?.into_iter().map(spoil).collect())
    }

    fn into_results(self: Box<Self>, interrupt: &AtomicBool) -> Result<Vec<HostValue>, StoreError> {
        self.0.into_results(interrupt)
    }

    fn abandon(self: Box<Self>) {
        self.0.abandon();
    }
}

fn spoil(value: HostValue) -> HostValue {
    let HostValue::Table(mut table) = value else { return value };
    for row in 0..table.n_rows() {
        let ones: Vec<usize> = (0..table.n_cols()).filter(|&col| table.get(row, col)).collect();
        if let [_, second, ..] = ones[..] {
            table.put(row, second, false);
        }
    }
    HostValue::Table(table)
}

/// Runs the only test of a text, the CPU backend spoiled.
fn run(text: &str) -> Row {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.star").display().to_string();
    std::fs::write(&file, text).unwrap();
    let subject = Subject::read(&file);
    assert_eq!((subject.faults.len(), subject.compilation.has_errors()), (0, false));
    let runnable = Runnable::of(&subject.compilation, false).unwrap();
    let header = &subject.headers[0];
    let routine = runnable.of_header(header, &subject.headers).unwrap();
    let ready = |name: &str| {
        let configuration = Configuration::find(name).unwrap();
        let machine = configuration.machine().unwrap();
        Ready { configuration, compiled: machine.compile(runnable.program.clone()) }
    };
    let mut machines = vec![ready("reference"), ready("cpu")];
    let last = machines.pop().unwrap();
    machines.push(Ready { compiled: Box::new(Spoiled(last.compiled)), ..last });
    let limits = star_vm::Limits { steps: None, memory: None, output: None, depth: 100 };
    let access = Access::new(&file, Grants::default()).unwrap();
    let (flags, reporter) = (Flags::default(), Reporter::new(ErrorFormat::Text));
    let around = ReadContext {
        folder: &subject.folder(),
        flags: &flags,
        reporter: &reporter,
        max_bytes: 1 << 20,
    };
    let (subject, runnable) = (&subject, &runnable);
    let limits = &[limits, limits];
    let (machines, access) = (&machines[..], &access);
    let trial = Trial { subject, runnable, header, routine, machines, limits, access };
    let cases = header.cases(Purpose::Test).unwrap();
    row::run(trial, &cases, around, Duration::from_secs(60))
}

#[test]
fn a_backend_that_differs_is_told_with_the_smallest_input() {
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
fn a_backend_that_does_not_differ_is_not_told() {
    let text = "procedure P(T: table; var U: table); begin U:=T end;
        /* @test no two ones
           T = 01 10 */";
    assert!(run(text).failure.is_none());
}
