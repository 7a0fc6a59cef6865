//! The values of a session's variables on a backend. They live here between the lines that change them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_base::{BitTable, SparseLines};
use star_bind::data::LaidOut;
use star_ir::{Program, RoutineId, Ty};
use star_vm::{
    BackendError, CompileOptions, Control, DynBackend, DynCode, DynValue, HostValue, Outcome,
    TableForm, TableLayout,
};

/// Named values on a backend.
pub struct Values {
    backend: Rc<dyn DynBackend>,
    slots: BTreeMap<String, DynValue>,
    /// Code of the last program that ran.
    code: Option<DynCode>,
    n_compiled: usize,
}

/// What is to be run on values.
pub struct Job<'a> {
    /// The program, verified.
    pub program: Program,
    /// Where it begins.
    pub entry: RoutineId,
    /// The slots of its parameters; no slot twice.
    pub slots: &'a [String],
    /// How it is compiled.
    pub options: CompileOptions,
}

impl Values {
    /// No values yet.
    pub fn new(backend: Rc<dyn DynBackend>) -> Self {
        Values { backend, slots: BTreeMap::new(), code: None, n_compiled: 0 }
    }

    /// Puts a value into a slot, whatever the slot held. A `fixed` slice or word keeps its size, a `fixed`
    /// table does not grow.
    ///
    /// # Errors
    /// If the backend cannot hold it; the slot is as before then.
    pub fn load(&mut self, slot: &str, value: HostValue, fixed: bool) -> Result<(), BackendError> {
        let value = self.backend.load(value, fixed)?;
        self.slots.insert(slot.to_owned(), value);
        Ok(())
    }

    /// Puts a table of zeros into a slot.
    ///
    /// # Errors
    /// As for [`Values::load`].
    pub fn new_table(
        &mut self,
        slot: &str,
        (n_rows, n_cols): (usize, usize),
        fixed: bool,
    ) -> Result<(), BackendError> {
        let value = self.backend.new_table(n_rows, n_cols, fixed)?;
        self.slots.insert(slot.to_owned(), value);
        Ok(())
    }

    /// Gives the value of a slot up.
    pub fn forget(&mut self, slot: &str) {
        self.slots.remove(slot);
    }

    /// The type of the value with its sizes; `None` if there is none.
    pub fn ty(&self, slot: &str) -> Option<Ty> {
        // The values are this backend's: it has no error for them.
        self.backend.ty(self.slots.get(slot)?).ok().flatten()
    }

    /// How the table in a slot lies; `None` if it holds none, or the backend has one form only.
    pub fn table_layout(&self, slot: &str) -> Option<TableLayout> {
        self.backend.table_layout(self.slots.get(slot)?).ok().flatten()
    }

    /// Has the backend sparse tables?
    pub fn takes_sparse(&self) -> bool {
        self.backend.load_sparse(SparseLines::default(), TableForm::Columns, true).is_ok()
    }

    /// Puts what a file gave into a slot, as it lies, whatever the slot held. It keeps its size.
    ///
    /// # Errors
    /// As for [`Values::load`].
    pub fn load_laid_out(&mut self, slot: &str, laid_out: LaidOut) -> Result<(), BackendError> {
        let value = match laid_out {
            LaidOut { sparse: Some(lines), form, .. } => {
                self.backend.load_sparse(lines, form, true)?
            }
            LaidOut { value: HostValue::Table(rows), form: TableForm::Rows, .. } => {
                self.backend.load_rows(rows, true)?
            }
            LaidOut { value, .. } => self.backend.load(value, true)?,
        };
        self.slots.insert(slot.to_owned(), value);
        Ok(())
    }

    /// A copy of the value, unless `interrupt` is set meanwhile; `Unset` if there is none.
    ///
    /// # Errors
    /// If there is no memory for it, or the user wants the end.
    pub fn store(&self, slot: &str, interrupt: &AtomicBool) -> Result<HostValue, BackendError> {
        match self.slots.get(slot) {
            Some(value) => self.backend.store(value, interrupt),
            None => Ok(HostValue::Unset),
        }
    }

    /// Columns (from 0) of a table.
    ///
    /// # Errors
    /// If it is no table or has fewer, if there is no memory, or if `interrupt` is set meanwhile.
    pub fn columns(
        &self,
        slot: &str,
        columns: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<BitTable, BackendError> {
        let value = self.slots.get(slot).ok_or_else(|| {
            BackendError::Internal(format!("columns of `{slot}`, which holds nothing"))
        })?;
        self.backend.store_columns(value, columns, interrupt)
    }

    /// How many routines were compiled so far.
    pub fn n_compiled(&self) -> usize {
        self.n_compiled
    }

    /// Runs a routine whose parameters, all of them `var` parameters, are these slots, in order. A slot
    /// without a value is a variable that was never set. However the run ends, the slots hold what it left.
    ///
    /// # Errors
    /// If the program could not begin; the slots are as before then.
    pub fn run(
        &mut self,
        job: Job<'_>,
        control: &mut Control<'_>,
    ) -> Result<Outcome, BackendError> {
        let Job { program, entry, slots, options } = job;
        let types: Vec<Option<Ty>> = slots.iter().map(|slot| self.ty(slot)).collect();
        let n_routines = program.routines.len();
        let (code, n_kept) = match &self.code {
            Some(earlier) => self.backend.recompile(program, &options, earlier)?,
            None => (self.backend.compile(program, &options)?, 0),
        };
        self.n_compiled += n_routines - n_kept;
        let plan = self.backend.plan(&code, entry, &types)?;
        self.code = Some(code);
        for slot in slots {
            if !self.slots.contains_key(slot) {
                self.load(slot, HostValue::Unset, false)?;
            }
        }
        let (names, mut values): (Vec<&String>, Vec<DynValue>) =
            slots.iter().filter_map(|slot| Some((slot, self.slots.remove(slot)?))).unzip();
        // A table that a line looks at by rows had best lie by rows; half turned it is the same table.
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
