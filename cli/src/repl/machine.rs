//! The values of a session's variables on a backend. They live here between the lines that change them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use star_base::BitTable;
use star_ir::{Program, RoutineId, Ty};
use star_vm::{Backend, Control, HostValue, Outcome, StoreError};

use crate::engine::Natives;

/// Named values on some backend.
pub(crate) trait Machine {
    /// Puts a value into a slot, whatever the slot held. A `fixed` slice or word keeps its size, a `fixed`
    /// table does not grow.
    fn load(&mut self, slot: &str, value: HostValue, fixed: bool);

    /// Gives the value of a slot up.
    fn forget(&mut self, slot: &str);

    /// Gives the value of one slot to another, which must not be in use.
    fn rename(&mut self, from: &str, to: &str);

    /// The type of the value with its sizes; `None` if there is none.
    fn ty(&self, slot: &str) -> Option<Ty>;

    /// A copy of the value, unless `interrupt` is set meanwhile; `Unset` if there is none.
    ///
    /// # Errors
    /// If there is no memory for it, or the user wants the end.
    fn store(&self, slot: &str, interrupt: &AtomicBool) -> Result<HostValue, StoreError>;

    /// Columns (from 0) of a table; `None` if it is no table or has fewer, if there is no memory, or if
    /// `interrupt` is set meanwhile.
    fn columns(
        &self,
        slot: &str,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Option<BitTable>;

    /// Runs a routine whose parameters, all of them `var` parameters, are these slots, in order. A slot
    /// without a value is a variable that was never set. However the run ends, the slots hold what it left.
    fn run(&mut self, job: Job<'_>, control: &mut Control<'_>) -> Outcome;
}

/// What a machine is to run.
pub(crate) struct Job<'a> {
    /// The program, verified.
    pub(crate) program: Program,
    /// Where it begins.
    pub(crate) entry: RoutineId,
    /// The slots of its parameters; no slot twice.
    pub(crate) slots: &'a [String],
    /// May library routines be done in the backend's own way?
    pub(crate) natives: Natives,
}

/// A backend with the values that it holds.
pub(crate) struct On<B: Backend> {
    backend: B,
    /// The same, running every routine as it is written.
    plain: B,
    values: BTreeMap<String, B::Value>,
}

impl<B: Backend> On<B> {
    /// No values yet. `plain` is the same backend without natives.
    pub(crate) fn new(backend: B, plain: B) -> Self {
        On { backend, plain, values: BTreeMap::new() }
    }
}

impl<B: Backend> Machine for On<B> {
    fn load(&mut self, slot: &str, value: HostValue, fixed: bool) {
        self.values.insert(slot.to_owned(), self.backend.load(value, fixed));
    }

    fn forget(&mut self, slot: &str) {
        self.values.remove(slot);
    }

    fn rename(&mut self, from: &str, to: &str) {
        if let Some(value) = self.values.remove(from) {
            self.values.insert(to.to_owned(), value);
        }
    }

    fn ty(&self, slot: &str) -> Option<Ty> {
        self.backend.ty(self.values.get(slot)?)
    }

    fn store(&self, slot: &str, interrupt: &AtomicBool) -> Result<HostValue, StoreError> {
        match self.values.get(slot) {
            Some(value) => self.backend.store(value, interrupt),
            None => Ok(HostValue::Unset),
        }
    }

    fn columns(
        &self,
        slot: &str,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Option<BitTable> {
        self.backend.store_columns(self.values.get(slot)?, columns, interrupt).ok().flatten()
    }

    fn run(&mut self, job: Job<'_>, control: &mut Control<'_>) -> Outcome {
        let Job { program, entry, slots, natives } = job;
        let backend = match natives {
            Natives::On => &self.backend,
            Natives::Off => &self.plain,
        };
        let unset = || backend.load(HostValue::Unset, false);
        let mut values: Vec<B::Value> =
            slots.iter().map(|slot| self.values.remove(slot).unwrap_or_else(unset)).collect();
        let types: Vec<_> = values.iter().map(|value| backend.ty(value)).collect();
        let code = backend.compile(program);
        let plan = backend.plan(&code, entry, &types);
        let outcome = backend.run(&plan, &mut values, control);
        self.values.extend(slots.iter().cloned().zip(values));
        outcome
    }
}
