//! The CPU backend: packed bits, SIMD kernels, threads.
//!
//! * [`Value`]: packed limbs; tables in up to two forms (`table`).
//! * `compile` makes register code (`code`, `inst`) of SIR; `fuse` joins logic operations.
//! * The machine (`interpreter`): frames of `registers`, `calls`, `forall`, blocks of lines (`block`), kernels (`tile`), `guards`; instructions on `bits`
//!   (also `moves`, `words`, `ask`), on `tables` (whose second forms `copies` counts) and on `sizes`; files and output (`host`), values
//!   for people (`shown`).
//! * `probe`: what a profile wants to know of every instruction.
//! * Natives (`natives`): library routines done in ways of their own.
//! * [`Settings`]: how work is spread over pieces and threads (`parallelism`). They change no result.
//!
//! What each operation does is said by the reference; this backend gives the same bits, traps and counts.

mod ask;
mod batch;
mod bits;
mod block;
mod calls;
mod code;
mod compile;
mod copies;
mod forall;
mod fuse;
mod guards;
mod host;
mod inst;
mod interpreter;
mod moves;
mod natives;
mod parallelism;
mod probe;
mod registers;
mod shown;
mod sizes;
mod strip;
mod table;
mod tables;
mod tile;
mod value;
mod words;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use star_base::{BitTable, Native};
use star_ir::{Program, RoutineId, Ty};

use crate::backend::{Backend, Control, Outcome, StoreError};
use crate::budget::MemoryBudget;
use crate::kernels::Kernels;
use crate::profile::Profile;
use crate::value::HostValue;

pub use parallelism::Settings;
pub use value::Value;

use parallelism::Parallelism;
use value::ValueData;

/// The CPU backend.
#[derive(Clone, Debug)]
pub struct Cpu {
    settings: Settings,
    kernels: Kernels,
    /// Threads of its own, if their number was given.
    pool: Option<Arc<rayon::ThreadPool>>,
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Code(Arc<code::Code>);

/// A compiled program and its entry.
#[derive(Clone, Debug)]
pub struct Plan {
    code: Arc<code::Code>,
    entry: RoutineId,
    kernels: Kernels,
    threads: usize,
}

impl Default for Cpu {
    fn default() -> Self {
        Cpu::new()
    }
}

/// A flag that nobody sets.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Cpu {
    /// The backend with the best kernels that this machine can run, and all its threads.
    pub fn new() -> Self {
        Cpu { settings: Settings::default(), kernels: Kernels::detect(), pool: None }
    }

    /// The backend with other choices.
    ///
    /// # Errors
    /// If the system refuses the threads.
    pub fn with(settings: Settings, kernels: Kernels) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = match settings.threads {
            None | Some(1) => None,
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
                Some(Arc::new(pool))
            }
        };
        Ok(Cpu { settings, kernels, pool })
    }

    /// The natives that this backend has.
    pub const NATIVES: &'static [Native] = Native::ALL;

    /// The same, but every routine is run as it is written.
    #[must_use]
    pub fn without_natives(mut self) -> Self {
        self.settings.natives = false;
        self
    }

    /// The kernels that it computes with.
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// How many threads it uses at most.
    pub fn threads(&self) -> usize {
        match (self.settings.threads, &self.pool) {
            (_, Some(pool)) => pool.current_num_threads(),
            (Some(threads), None) => threads,
            (None, None) => rayon::current_num_threads(),
        }
    }

    fn parallelism<'a>(&self, budget: &MemoryBudget<'a>) -> Parallelism<'a> {
        Parallelism::new(self.kernels, self.settings, budget.flags(), self.pool.clone())
    }
}

impl Backend for Cpu {
    type Value = Value;
    type Code = Code;
    type Plan = Plan;

    fn name(&self) -> &'static str {
        "cpu"
    }

    fn load(&self, value: HostValue, fixed: bool) -> Value {
        Value { data: ValueData::from_host(value), size: None, fixed }
    }

    fn ty(&self, value: &Value) -> Option<Ty> {
        value.data.ty()
    }

    fn store(&self, value: &Value, interrupt: &AtomicBool) -> Result<HostValue, StoreError> {
        value.data.to_host(&self.parallelism(&MemoryBudget::new(interrupt, &NEVER, u64::MAX)))
    }

    fn unload(&self, value: Value, interrupt: &AtomicBool) -> Result<HostValue, StoreError> {
        let parallelism = self.parallelism(&MemoryBudget::new(interrupt, &NEVER, u64::MAX));
        let table = match value.data {
            ValueData::Table(table) => table,
            ValueData::Slice(bits) => return Ok(HostValue::Slice(bits)),
            ValueData::Word(bits) => return Ok(HostValue::Word(bits)),
            data @ (ValueData::Nothing
            | ValueData::Int(_)
            | ValueData::Bool(_)
            | ValueData::Text(_)
            | ValueData::Handle(_)) => {
                return data.to_host(&parallelism);
            }
        };
        let shared = match Arc::try_unwrap(table).map(table::Table::into_columns) {
            Ok(Ok(columns)) => return Ok(HostValue::Table(columns)),
            Ok(Err(table)) => Arc::new(table),
            Err(shared) => shared,
        };
        ValueData::Table(shared).to_host(&parallelism)
    }

    fn store_columns(
        &self,
        value: &Value,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<Option<BitTable>, StoreError> {
        let ValueData::Table(table) = &value.data else { return Ok(None) };
        table.some_columns(
            columns,
            &self.parallelism(&MemoryBudget::new(interrupt, &NEVER, u64::MAX)),
        )
    }

    fn compile(&self, program: Program) -> Code {
        Code(Arc::new(compile::compile(program)))
    }

    fn plan(&self, code: &Code, entry: RoutineId, _args: &[Option<Ty>]) -> Plan {
        Plan { code: code.0.clone(), entry, kernels: self.kernels, threads: self.threads() }
    }

    fn explain(&self, plan: &Plan) -> String {
        let routines = &plan.code.routines;
        let sum =
            |count: fn(&code::RoutineCode) -> usize| routines.iter().map(count).sum::<usize>();
        let name = plan.code.program.routines.get(plan.entry.0 as usize);
        let name = name.map_or("?", |routine| routine.name.as_str());
        format!(
            "register code of {} instructions in {} routines, entry `{name}`; {} kernels, {} \
             threads; {} loops, {} forall, {} of them in blocks, {} tile kernels, {} of them straight, {} pairs of operations fused",
            sum(|routine| routine.insts.len()),
            routines.len(),
            plan.kernels.level().name(),
            plan.threads,
            sum(|routine| routine.summary.loops),
            sum(|routine| routine.summary.foralls),
            sum(|routine| routine.summary.blocks),
            sum(|routine| routine.summary.tiles),
            sum(|routine| routine.summary.straight),
            sum(|routine| routine.summary.fused),
        )
    }

    fn run(&self, plan: &Plan, values: &mut [Value], control: &mut Control<'_>) -> Outcome {
        let budget = MemoryBudget::new(control.interrupt, control.deadline, u64::MAX);
        let parallelism = self.parallelism(&budget);
        interpreter::run(&plan.code, parallelism, plan.entry, values, control, &mut probe::NoProbe)
    }

    fn run_profiled(
        &self,
        plan: &Plan,
        values: &mut [Value],
        control: &mut Control<'_>,
        profile: &mut Profile,
    ) -> Outcome {
        let budget = MemoryBudget::new(control.interrupt, control.deadline, u64::MAX);
        let parallelism = self.parallelism(&budget);
        let mut probe = probe::ProfilingProbe::new(&plan.code, plan.entry, profile);
        let outcome =
            interpreter::run(&plan.code, parallelism, plan.entry, values, control, &mut probe);
        probe.end();
        outcome
    }
}
