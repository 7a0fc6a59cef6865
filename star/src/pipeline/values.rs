//! Values of session variables on a backend, kept between lines.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_ir::{Program, RoutineId, Ty};
use star_value::{BitTable, OutOfMemory, TableLayout, Value};
use star_vm::columns::no_table;
use star_vm::{
    BackendError, CompileOptions, Compiled, Control, DynBackend, DynCode, DynValue, Outcome, Part,
    TypeInfo,
};

/// Named values on a backend.
pub struct Values {
    backend: Rc<DynBackend>,
    slots: BTreeMap<String, DynValue>,
    /// Code of the last program that ran.
    code: Option<DynCode>,
    n_compiled: usize,
}

/// A run on values.
pub struct Job<'a> {
    /// The verified program.
    pub program: Program,
    /// The entry routine.
    pub entry: RoutineId,
    /// The slots of its parameters, without duplicates.
    pub slots: &'a [String],
    /// The compile options.
    pub options: CompileOptions,
}

impl Values {
    /// Creates an empty set of values.
    pub fn new(backend: Rc<DynBackend>) -> Self {
        Values { backend, slots: BTreeMap::new(), code: None, n_compiled: 0 }
    }

    /// Stores a value in a slot and replaces the old one. A `fixed` slice or word keeps its size, a
    /// `fixed` table does not grow.
    ///
    /// # Errors
    /// If the backend cannot hold it; the slot is then unchanged.
    pub fn load(&mut self, slot: &str, value: Value, fixed: bool) -> Result<(), BackendError> {
        let value = self.backend.load(value, fixed)?;
        self.slots.insert(slot.to_owned(), value);
        Ok(())
    }

    /// Stores a table of zeros in a slot.
    ///
    /// # Errors
    /// Same as [`Values::load`].
    pub fn new_table(
        &mut self,
        slot: &str,
        (n_rows, n_cols): (usize, usize),
        fixed: bool,
    ) -> Result<(), BackendError> {
        let mut value = self.backend.load(Value::Unset, fixed)?;
        // No columns are given: all of them are zeros.
        let n_bytes = n_rows.div_ceil(64) as u128 * 8;
        let none = BitTable::zeros(n_rows, 0).map_err(|_| OutOfMemory { n_bytes })?;
        self.backend.load_columns(&mut value, n_cols, 0, &none)?;
        self.slots.insert(slot.to_owned(), value);
        Ok(())
    }

    /// Drops the value of a slot.
    pub fn forget(&mut self, slot: &str) {
        self.slots.remove(slot);
    }

    /// Moves the value of a slot to another one, whose value it replaces.
    pub fn rename(&mut self, slot: &str, to: &str) {
        if let Some(value) = self.slots.remove(slot) {
            self.slots.insert(to.to_owned(), value);
        }
    }

    /// Returns the type of the value with its sizes; `None` if there is no value.
    pub fn ty(&self, slot: &str) -> Option<Ty> {
        self.info(slot).map(|info| info.ty)
    }

    /// Returns the layout of the table in a slot; `None` if the slot holds no table or the backend
    /// has only one layout.
    pub fn table_layout(&self, slot: &str) -> Option<TableLayout> {
        self.info(slot)?.layout
    }

    fn info(&self, slot: &str) -> Option<TypeInfo> {
        self.backend.ty(self.slots.get(slot)?)
    }

    /// Tests whether the backend supports sparse tables.
    pub fn takes_sparse(&self) -> bool {
        self.backend.caps().has_sparse
    }

    /// Returns a copy of the value; `Unset` if there is none.
    ///
    /// # Errors
    /// If memory is exhausted or `interrupt` is set.
    pub fn store(&self, slot: &str, interrupt: &AtomicBool) -> Result<Value, BackendError> {
        match self.slots.get(slot) {
            Some(value) => self.backend.store(value, Part::Whole, interrupt),
            None => Ok(Value::Unset),
        }
    }

    /// Returns columns (from 0) of a table.
    ///
    /// # Errors
    /// If it is not a table or has fewer columns, if memory is exhausted, or if `interrupt` is set.
    pub fn columns(
        &self,
        slot: &str,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError> {
        let value = self.slots.get(slot).ok_or_else(|| {
            BackendError::Internal(format!("columns of `{slot}`, which is unset"))
        })?;
        let stored = self.backend.store(value, Part::Columns(columns), interrupt)?;
        stored.into_columns().ok_or_else(no_table)
    }

    /// Returns the number of routines compiled so far.
    pub fn n_compiled(&self) -> usize {
        self.n_compiled
    }

    /// Runs a routine whose parameters, all of them `var` parameters, are these slots, in order. A
    /// slot without a value is an unset variable. However the run ends, the slots hold the
    /// resulting values.
    ///
    /// # Errors
    /// If the program could not start; the slots are then unchanged.
    pub fn run(
        &mut self,
        job: Job<'_>,
        control: &mut Control<'_>,
    ) -> Result<Outcome, BackendError> {
        let Job { program, entry, slots, options } = job;
        let types: Vec<Option<Ty>> = slots.iter().map(|slot| self.ty(slot)).collect();
        let n_routines = program.routines.len();
        let compiled = self.backend.compile(program, &options, self.code.as_ref())?;
        let Compiled { code, n_kept } = compiled;
        self.n_compiled += n_routines - n_kept;
        let plan = self.backend.plan(&code, entry, &types)?;
        self.code = Some(code);
        for slot in slots {
            if !self.slots.contains_key(slot) {
                self.load(slot, Value::Unset, false)?;
            }
        }
        let (names, mut values): (Vec<&String>, Vec<DynValue>) =
            slots.iter().filter_map(|slot| Some((slot, self.slots.remove(slot)?))).unzip();
        // Use the row-major layout for a table accessed by rows. An interrupted transpose leaves
        // its contents unchanged.
        let laid_out =
            self.backend.lay_out(&plan, &mut values, control.limits.memory, control.interrupt);
        let outcome = match laid_out {
            Ok(()) => Ok(self.backend.run(&plan, &mut values, control)),
            Err(error) => Err(error),
        };
        self.slots.extend(names.into_iter().cloned().zip(values));
        outcome
    }
}
