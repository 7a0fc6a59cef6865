//! The reference backend: the specification of every operation, written for readability.
//!
//! * [`Value`]: values as vectors of truth values (`value`); `budget` creates them, within limits.
//! * Operations, each with its definition: `bits`, `words`, `tables`; `stores`: statements that
//!   change one variable. `evaluate` dispatches to them.
//! * The machine: `interpreter`, with frames (`frame`), calls (`calls`), control flow (`control`),
//!   `forall` (and its `races`, which uses `touch` to find the accesses of a statement), `kernel`;
//!   `meter` charges a profile. [`Observer`]: observation of a run from outside (`observe`).
//!
//! It interprets SIR directly: there is no executable form. Speed is not a goal, and there are no
//! intrinsics. No program makes it panic; one that the verifier would reject may end with
//! [`Outcome::Internal`].

mod bits;
mod budget;
mod calls;
mod control;
mod evaluate;
mod forall;
mod frame;
mod interpreter;
mod kernel;
mod meter;
mod observe;
mod races;
mod stores;
mod tables;
#[cfg(test)]
mod tests;
mod touch;
mod value;
mod words;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use star_ir::{Program, RoutineId, Ty};
use star_value::{BitTable, Value as HostValue};

use crate::backend::{
    Backend, BackendError, Capabilities, CompileOptions, Compiled, Control, Outcome, Part,
    TypeInfo, check_entry,
};
use crate::columns::{
    PART_BYTES, by_columns, check_columns, check_part, load_by_ranges, no_table, store_by_ranges,
};
use crate::explain::{Explanation, Subject};

pub use budget::MAX_BYTES;
pub use observe::{Moment, Observer, Scene};
pub use value::Value;

use meter::Meter;
use value::{Data, Table};

/// The reference backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference {
    /// Settings that must not affect results; tests vary them.
    pub settings: Settings,
}

/// Settings that must not affect results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The order of the iterations of a `forall`, and of a kernel.
    pub order: ForallOrder,
    /// The number of components of its lines that a kernel computes at once; all without one.
    pub part: Option<NonZeroUsize>,
    /// Bytes of columns that enter and leave at once; [`PART_BYTES`] without them.
    pub part_bytes: Option<u64>,
}

/// The order of the iterations of a `forall`.
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

/// A program as the reference runs it: unchanged SIR.
#[derive(Clone, Debug)]
pub struct Code {
    program: Arc<Program>,
    options: CompileOptions,
}

/// A program and its entry.
#[derive(Clone, Debug)]
pub struct Plan {
    program: Arc<Program>,
    options: CompileOptions,
    entry: RoutineId,
}

impl Reference {
    /// Creates the reference with `forall` forwards.
    pub fn new() -> Self {
        Self::default()
    }

    /// Does what [`Backend::run`] does, observed by `observer`. No other backend can be observed,
    /// as no other runs the given statements one after another.
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

    fn caps(&self) -> Capabilities {
        Capabilities {
            name: "reference",
            device: "one bit at a time".to_owned(),
            is_adapter: false,
            threads: 1,
            expansion: 8,
            max_bytes: MAX_BYTES,
            part_bytes: Some(self.settings.part_bytes.unwrap_or(PART_BYTES)),
            has_sparse: false,
            intrinsics: Vec::new(),
        }
    }

    fn load(&self, value: HostValue, fixed: bool) -> Result<Value, BackendError> {
        match value {
            HostValue::Table(table) => load_by_ranges(self, &*by_columns(table.view())?, fixed),
            value @ (HostValue::Unset
            | HostValue::Int(_)
            | HostValue::Bool(_)
            | HostValue::Str(_)
            | HostValue::Slice(_)
            | HostValue::Word(_)) => Ok(Value::new(Data::from_host(value), fixed)),
        }
    }

    fn load_columns(
        &self,
        value: &mut Value,
        n_cols: usize,
        start: usize,
        columns: &BitTable,
    ) -> Result<(), BackendError> {
        let n_rows = columns.n_rows();
        let data = value.data.get_or_insert_with(|| {
            Data::Table(Table { rows: n_rows, columns: vec![vec![false; n_rows]; n_cols] })
        });
        let Data::Table(table) = data else { return Err(no_table()) };
        check_part((table.rows, table.columns.len()), n_cols, start, columns)?;
        for (column, col_idx) in table.columns[start..].iter_mut().zip(0..columns.n_cols()) {
            *column = columns.column(col_idx).iter().collect();
        }
        Ok(())
    }

    fn ty(&self, value: &Value) -> Option<TypeInfo> {
        value.data.as_ref().map(|data| data.ty().into())
    }

    fn store(
        &self,
        value: &Value,
        part: Part,
        interrupt: &AtomicBool,
    ) -> Result<HostValue, BackendError> {
        match (&value.data, part) {
            (Some(Data::Table(table)), Part::Whole) => {
                let sizes = (table.rows, table.columns.len());
                store_by_ranges(self, value, sizes, interrupt).map(HostValue::from)
            }
            (Some(Data::Table(table)), Part::Columns(columns)) => {
                check_columns(&columns, table.columns.len())?;
                Ok(table.to_host(&table.columns[columns]).into())
            }
            (_, Part::Columns(_)) => Err(no_table()),
            (Some(data), Part::Whole) => Ok(data.to_host()),
            (None, Part::Whole) => Ok(HostValue::Unset),
        }
    }

    fn compile(
        &self,
        program: Program,
        options: &CompileOptions,
        _earlier: Option<&Code>,
    ) -> Result<Compiled<Code>, BackendError> {
        Ok(Compiled::new(Code { program: Arc::new(program), options: *options }))
    }

    fn plan(
        &self,
        code: &Code,
        entry: RoutineId,
        _args: &[Option<Ty>],
    ) -> Result<Plan, BackendError> {
        let Code { program, options } = code.clone();
        check_entry(&program, entry)?;
        Ok(Plan { program, options, entry })
    }

    fn explain(&self, plan: &Plan) -> Explanation {
        let n_routines = plan.program.routines.len();
        let routines = if n_routines == 1 { "routine" } else { "routines" };
        let entry = plan.program.routines.get(plan.entry.0 as usize);
        let entry = entry.map_or("?", |routine| routine.name.as_str());
        let mut all = Explanation::default();
        let form = format!("SIR as given, {n_routines} {routines}, entry `{entry}`");
        all.whole(Subject::Program, form);
        all.whole(Subject::Device, self.caps().device);
        all
    }

    fn run(&self, plan: &Plan, values: &mut [Value], control: &mut Control<'_>) -> Outcome {
        let meter = match control.profile.take() {
            Some(_) if !plan.options.profile => return Outcome::not_profiled(),
            Some(profile) => Some(Meter::new(&plan.program, plan.entry, profile)),
            None => None,
        };
        let meter = (meter, None);
        interpreter::run(&plan.program, self.settings, plan.entry, values, control, meter)
    }
}
