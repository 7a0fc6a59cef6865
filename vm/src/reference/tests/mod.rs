//! Tests of the reference backend, and shared helpers: a memory budget, hand-built programs, a
//! host.

mod corners;
mod flow;
mod forall;
mod interrupts;
mod limits;
mod machine;
mod observe;
mod ops;
mod profiles;
mod traps;

use std::sync::atomic::AtomicBool;

use star_base::{Code, FileId, Span};
use star_ir::{
    Block, Extent, LabelId, LimitKind, LocId, Location, Mode, NamedVar, Op, Operand, Param,
    Program, Routine, RoutineId, Simple, Stmt, StmtKind, Ty, Var, VarId,
};
use star_value::{BitTable, BitVector, BitsRef, Value as HostValue};

use super::{Reference, Settings};
use crate::backend::{
    Backend, BackendError, CompileOptions, Control, Host, HostError, Limits, Outcome, Part, Stats,
    TypeInfo, Wanted,
};
use crate::budget::MemoryBudget;
use crate::cpu::{self, Cpu};
use crate::explain::{Became, Subject};
use crate::kernels::Kernels;

/// The boundary sizes of packed forms.
pub(super) const EDGES: [usize; 14] = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513];

pub(super) const ENTRY: RoutineId = RoutineId(0);
pub(super) const SLICE: Ty = Ty::Slice(Extent::Dynamic);
pub(super) const WORD: Ty = Ty::Word(Extent::Dynamic);
pub(super) const TABLE: Ty = Ty::Table(Extent::Dynamic, Extent::Dynamic);

/// Returns a budget without limits.
pub(super) fn budget() -> MemoryBudget<'static> {
    static OFF: AtomicBool = AtomicBool::new(false);
    MemoryBudget::new(&OFF, &OFF, super::MAX_BYTES)
}

/// Returns pseudo-random bits, the same ones every time.
pub(super) fn noise(len: usize, seed: u64) -> Vec<bool> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 40 & 1 == 1
    };
    (0..len).map(|_| next()).collect()
}

pub(super) fn slice(text: &str) -> HostValue {
    HostValue::Slice(BitVector::parse(text).unwrap())
}

pub(super) fn word(text: &str) -> HostValue {
    HostValue::Word(BitVector::parse(text).unwrap())
}

pub(super) fn table(rows: &[&str]) -> HostValue {
    HostValue::from(BitTable::parse(rows).unwrap())
}

/// A builder of a routine.
pub(super) struct Draft {
    routine: Routine,
}

impl Draft {
    pub(super) fn new(name: &str) -> Self {
        Draft {
            routine: Routine {
                name: name.to_owned(),
                params: Vec::new(),
                result: None,
                vars: Vec::new(),
                body: Vec::new(),
                loc: LocId(0),
                intrinsic: None,
            },
        }
    }

    pub(super) fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.routine.vars.push(Var {
            name: name.to_owned(),
            ty,
            source: Some(name.to_owned()),
            sized: false,
        });
        VarId(self.routine.vars.len() as u32 - 1)
    }

    pub(super) fn sized(&mut self, name: &str, ty: Ty) -> VarId {
        let var = self.var(name, ty);
        self.routine.vars[var.0 as usize].sized = true;
        var
    }

    pub(super) fn param(&mut self, name: &str, ty: Ty, mode: Mode) -> VarId {
        let var = self.var(name, ty);
        self.routine.params.push(Param { var, mode, set_at_end: false });
        var
    }

    pub(super) fn result(&mut self, name: &str, ty: Ty) -> VarId {
        let var = self.var(name, ty);
        self.routine.result = Some(var);
        var
    }

    pub(super) fn body(mut self, body: Block) -> Routine {
        self.routine.body = body;
        self.routine
    }
}

/// Builds a program with a location for every number below 10; none has operands.
pub(super) fn program(routines: Vec<Routine>) -> Program {
    let location = Location {
        span: Span::file_start(FileId(0)),
        inlined: Vec::new(),
        operands: Vec::new(),
        at_call: false,
    };
    Program::new(routines, vec![location; 10])
}

pub(super) fn named(var: VarId, name: &str) -> NamedVar {
    let name = name.to_owned();
    NamedVar { var, name }
}

pub(super) fn at(loc: u32, kind: StmtKind) -> Stmt {
    let loc = LocId(loc);
    Stmt { kind, loc }
}

pub(super) fn st(kind: StmtKind) -> Stmt {
    at(0, kind)
}

pub(super) fn set(var: VarId, op: Op) -> Stmt {
    st(StmtKind::Simple(Simple::Assign(var, op)))
}

pub(super) fn v(var: VarId) -> Operand {
    Operand::Var(var)
}

pub(super) fn n(number: i64) -> Operand {
    Operand::Int(number)
}

pub(super) fn text(text: &str) -> Operand {
    Operand::Str(text.into())
}

/// Builds `var := var + 1`.
pub(super) fn increment(var: VarId) -> Stmt {
    set(var, Op::Int(star_ir::IntOp::Add, v(var), n(1)))
}

pub(super) fn for_up(label: u32, var: VarId, from: Operand, to: Operand, body: Block) -> Stmt {
    st(StmtKind::For { label: LabelId(label), var, from, to, down: false, body })
}

/// A host that records printed and written data, and has one file, `t`.
#[derive(Default)]
pub(super) struct TestHost {
    pub(super) printed: Vec<String>,
    pub(super) written: Vec<(String, HostValue)>,
    pub(super) deaf: bool,
}

impl Host for TestHost {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        if self.deaf {
            return Err(HostError {
                code: Code::CannotWrite,
                message: "the reader closed the pipe".to_owned(),
            });
        }
        self.printed.push(line.to_owned());
        Ok(())
    }

    fn read(
        &mut self,
        file: &str,
        _layout: Option<&str>,
        _ty: Ty,
        _max_bytes: Option<u64>,
    ) -> Result<HostValue, HostError> {
        match file {
            "t" => Ok(table(&["01", "10", "11"])),
            _ => Err(HostError { code: Code::CannotOpen, message: format!("no file `{file}`") }),
        }
    }

    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError> {
        self.written.push((file.to_owned(), value.into()));
        Ok(())
    }
}

/// The settings of a program run, and its results.
pub(super) struct Trial {
    pub(super) settings: Settings,
    pub(super) limits: Limits,
    pub(super) host: TestHost,
    pub(super) fixed: bool,
    pub(super) interrupt: AtomicBool,
    pub(super) deadline: AtomicBool,
    pub(super) stats: Stats,
}

impl Trial {
    pub(super) fn new() -> Self {
        Trial {
            settings: Settings::default(),
            limits: Limits { steps: None, memory: None, output: None, depth: 10_000 },
            host: TestHost::default(),
            fixed: false,
            interrupt: AtomicBool::new(false),
            deadline: AtomicBool::new(false),
            stats: Stats::default(),
        }
    }

    /// Runs a program on the reference. The CPU backend must produce the same result, unless that
    /// is a fault of the program.
    pub(super) fn run(
        &mut self,
        program: &Program,
        values: Vec<HostValue>,
    ) -> (Outcome, Vec<HostValue>) {
        let deaf = self.host.deaf;
        let mut host = std::mem::take(&mut self.host);
        let reference = Reference { settings: self.settings };
        let (outcome, after) = self.run_with(
            (&reference, CompileOptions::AS_LOWERED),
            program,
            values.clone(),
            &mut host,
        );
        let stats = self.stats;
        // Each backend counts bytes differently, and polls flags at different points.
        let is_exact = match &outcome {
            Outcome::Done | Outcome::Trap(_) => true,
            Outcome::Limit { kind, .. } => match kind {
                LimitKind::Steps { .. } | LimitKind::Output { .. } | LimitKind::Depth { .. } => {
                    true
                }
                LimitKind::Memory { .. } | LimitKind::Time | LimitKind::Interrupted => false,
            },
            Outcome::Unsupported { .. } | Outcome::DeviceLost { .. } | Outcome::Internal(_) => {
                false
            }
        };
        if is_exact {
            let tiny = Cpu::with(cpu::Settings::tiny(), Kernels::detect());
            let both = [CompileOptions::default(), CompileOptions::AS_LOWERED];
            for (cpu, options) in [Cpu::new(), tiny].iter().flat_map(|cpu| both.map(|it| (cpu, it)))
            {
                let mut its = TestHost { deaf, ..TestHost::default() };
                let found = self.run_with((cpu, options), program, values.clone(), &mut its);
                assert_eq!(found, (outcome.clone(), after.clone()), "{cpu:?}");
                assert_eq!(its.printed, host.printed, "{cpu:?}");
                assert_eq!(its.written, host.written, "{cpu:?}");
                let counts = |stats: Stats| (stats.operations, stats.steps, stats.output_bytes);
                assert_eq!(counts(self.stats), counts(stats), "{cpu:?}");
                // Shared data counts once there.
                let (most, its) = (stats.peak_bytes, self.stats.peak_bytes);
                assert!(its <= most, "{its} bytes, and the reference {most}: {cpu:?}");
            }
        }
        // Where a program traps, a statement that was joined with a later one was not begun.
        if outcome == Outcome::Done && stats.steps < 10_000 {
            profiles::compare(&reference, program, &values, self.fixed, self.limits);
        }
        self.host = host;
        self.stats = stats;
        (outcome, after)
    }

    fn run_on(
        &mut self,
        backend: &impl Backend,
        program: &Program,
        values: Vec<HostValue>,
        host: &mut TestHost,
    ) -> (Outcome, Vec<HostValue>) {
        self.run_with((backend, CompileOptions::default()), program, values, host)
    }

    fn run_with(
        &mut self,
        (backend, options): (&impl Backend, CompileOptions),
        program: &Program,
        values: Vec<HostValue>,
        host: &mut TestHost,
    ) -> (Outcome, Vec<HostValue>) {
        let plan = planned(backend, program, options);
        let mut values: Vec<_> =
            values.into_iter().map(|value| backend.load(value, self.fixed).unwrap()).collect();
        let mut control = Control {
            interrupt: &self.interrupt,
            deadline: &self.deadline,
            limits: self.limits,
            host,
            profile: None,
            stats: Stats::default(),
        };
        let outcome = backend.run(&plan, &mut values, &mut control);
        self.stats = control.stats;
        let values = values
            .iter()
            .map(|value| backend.store(value, Part::Whole, &AtomicBool::default()).unwrap())
            .collect();
        (outcome, values)
    }
}

/// Prepares a program to run from its first routine.
pub(super) fn planned<B: Backend>(
    backend: &B,
    program: &Program,
    options: CompileOptions,
) -> B::Plan {
    let code = backend.compile(program.clone(), &options, None).unwrap().code;
    backend.plan(&code, ENTRY, &[]).unwrap()
}

/// Runs to the end and returns the final values.
pub(super) fn run(program: &Program, values: Vec<HostValue>) -> Vec<HostValue> {
    let (outcome, values) = Trial::new().run(program, values);
    assert_eq!(outcome, Outcome::Done);
    values
}
