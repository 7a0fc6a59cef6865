//! The reference backend: the specification of every operation, written for reading.
//!
//! * [`Value`]: values as vectors of truth values (`value`); `budget` makes them, within limits.
//! * Operations, each with its definition: `bits`, `words`, `tables`; `stores`: statements that change
//!   one variable. `evaluate` says which stands for which.
//! * The machine: `interpreter`, with frames (`frame`), calls (`calls`), control flow (`control`),
//!   `forall` (and its `recorder`, which asks `touch` what a statement touches) and `tile`; `meter` charges
//!   a profile. [`Observer`]: a run looked at from outside (`observe`).
//!
//! It interprets SIR as given: there is no executable form. Nothing here is written for speed, and it
//! has no natives. It panics for no program; one that the verifier would refuse may end with
//! [`Outcome::Internal`].

mod bits;
mod budget;
mod calls;
mod control;
mod evaluate;
mod forall;
mod frame;
mod interpreter;
mod meter;
mod observe;
mod recorder;
mod stores;
mod tables;
#[cfg(test)]
mod tests;
mod tile;
mod touch;
mod value;
mod words;

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use star_base::BitTable;
use star_ir::{Program, RoutineId, Ty};

use crate::backend::{Backend, Control, Outcome, StoreError};
use crate::profile::Profile;
use crate::value::HostValue;

pub use budget::MAX_BYTES;
pub use observe::{Moment, Observer, Scene};
pub use value::Value;

use meter::Meter;
use value::Data;

/// The reference backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference {
    /// Choices that must not matter; tests vary them.
    pub settings: Settings,
}

/// Choices that must not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// In which order the iterations of a `forall` run.
    pub order: ForallOrder,
    /// How many rows a tile kernel works on at once.
    pub tile: TileHeight,
}

/// In which order the iterations of a `forall` run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForallOrder {
    /// From the first to the last.
    #[default]
    Forward,
    /// From the last to the first.
    Backward,
    /// In an order that depends on the seed.
    Shuffled(u64),
}

/// How many rows a tile kernel works on at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TileHeight {
    /// All.
    #[default]
    Whole,
    /// So many, the last tile possibly fewer.
    Rows(NonZeroUsize),
}

/// A program as the reference runs it: as it is.
#[derive(Clone, Debug)]
pub struct Code {
    program: Arc<Program>,
}

/// A program and its entry.
#[derive(Clone, Debug)]
pub struct Plan {
    program: Arc<Program>,
    entry: RoutineId,
}

impl Reference {
    /// The reference with `forall` forwards and tiles of all rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Like [`Backend::run`], looked at by `observer`. No other backend can be observed: none other runs
    /// one statement after another as they are given.
    pub fn run_observed(
        &self,
        plan: &Plan,
        values: &mut [Value],
        control: &mut Control<'_>,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let (program, entry) = (&plan.program, plan.entry);
        interpreter::run(program, self.settings, entry, values, control, (None, Some(observer)))
    }
}

impl Backend for Reference {
    type Value = Value;
    type Code = Code;
    type Plan = Plan;

    fn name(&self) -> &'static str {
        "reference"
    }

    fn load(&self, value: HostValue, fixed: bool) -> Value {
        Value::new(Data::from_host(value), fixed)
    }

    fn ty(&self, value: &Value) -> Option<Ty> {
        value.data.as_ref().map(Data::ty)
    }

    fn store(&self, value: &Value, _interrupt: &AtomicBool) -> Result<HostValue, StoreError> {
        Ok(value.data.as_ref().map_or(HostValue::Unset, Data::to_host))
    }

    fn store_columns(
        &self,
        value: &Value,
        columns: Range<usize>,
        _interrupt: &AtomicBool,
    ) -> Result<Option<BitTable>, StoreError> {
        let Some(Data::Table(table)) = &value.data else { return Ok(None) };
        Ok(table.columns.get(columns).map(|columns| table.to_host(columns)))
    }

    fn compile(&self, program: Program) -> Code {
        let program = Arc::new(program);
        Code { program }
    }

    fn plan(&self, code: &Code, entry: RoutineId, _args: &[Option<Ty>]) -> Plan {
        let program = code.program.clone();
        Plan { program, entry }
    }

    fn explain(&self, plan: &Plan) -> String {
        let n_routines = plan.program.routines.len();
        let routines = if n_routines == 1 { "routine" } else { "routines" };
        let entry = plan.program.routines.get(plan.entry.0 as usize);
        let entry = entry.map_or("?", |routine| routine.name.as_str());
        format!(
            "reference interpreter, SIR as given, {n_routines} {routines}, entry `{entry}`; \
             one bit after another, no natives"
        )
    }

    fn run(&self, plan: &Plan, values: &mut [Value], control: &mut Control<'_>) -> Outcome {
        let nobody = (None, None);
        interpreter::run(&plan.program, self.settings, plan.entry, values, control, nobody)
    }

    fn run_profiled(
        &self,
        plan: &Plan,
        values: &mut [Value],
        control: &mut Control<'_>,
        profile: &mut Profile,
    ) -> Outcome {
        let meter = Meter::new(&plan.program, plan.entry, profile);
        let meter = (Some(meter), None);
        interpreter::run(&plan.program, self.settings, plan.entry, values, control, meter)
    }
}
