//! Handles: state that the library keeps for a program.
//!
//! Note [Handles]. A handle stands for named tables. Star bodies store them one by one. An
//! intrinsic stores a state instead, of which this backend knows the size in bytes and those tables
//! ([`IntrinsicState`]). A state counts in addition to its tables, so that there is memory for
//! them: they replace it, for all owners of the handle, when a Star body reads one of them, or when
//! the run would otherwise be refused memory. So a run with intrinsics reaches the limit no earlier
//! than one without. If there is no memory for the tables, an intrinsic may keep a state *alone*:
//! then only the state counts, it stays a state when memory is short, and a reader of one of its
//! tables needs the memory at that time. An intrinsic changes a uniquely owned state in place;
//! meanwhile the state is outside the handle.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use star_intrinsics::{Ended, IntrinsicState, StateTable};

use crate::budget::Reclaim;
use crate::cpu::copies::Copies;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::Table;

/// The value of a handle; only its form can change.
#[derive(Debug)]
pub(in crate::cpu) struct Handle {
    /// The library module that created it.
    pub(in crate::cpu) module: Arc<str>,
    pub(in crate::cpu) form: Mutex<Form>,
}

#[derive(Debug)]
pub(in crate::cpu) enum Form {
    /// The state of an intrinsic, and the tables that it stands for.
    State(Arc<dyn IntrinsicState>, Vec<StateTable>),
    /// The same, but without memory reserved for the tables.
    Alone(Arc<dyn IntrinsicState>, Vec<StateTable>),
    /// Tables stored by Star bodies.
    Tables(Tables),
    /// An intrinsic is changing its state.
    Lent,
}

/// Tables by their names.
pub(in crate::cpu) type Tables = BTreeMap<Arc<str>, Arc<Table>>;

impl Form {
    fn tables_of_state(&self, parallelism: &Parallelism<'_>) -> Result<Option<Tables>, Ended> {
        let (Form::State(state, parts) | Form::Alone(state, parts)) = self else { return Ok(None) };
        let mut tables = Tables::new();
        for (idx, part) in parts.iter().enumerate() {
            let mut lines = part.zeros()?;
            state.write(idx, &mut lines, parallelism)?;
            tables.insert(part.name.into(), Arc::new(Table::of_lines(lines, part.lines)));
        }
        Ok(Some(tables))
    }
}

impl Handle {
    /// Creates a handle with the state of an intrinsic of a module.
    pub(in crate::cpu) fn of_state(module: &str, state: Arc<dyn IntrinsicState>) -> Self {
        let tables = state.tables();
        Handle { module: module.into(), form: Mutex::new(Form::State(state, tables)) }
    }

    /// Does the same without memory for its tables.
    pub(in crate::cpu) fn of_state_alone(module: &str, state: Arc<dyn IntrinsicState>) -> Self {
        let tables = state.tables();
        Handle { module: module.into(), form: Mutex::new(Form::Alone(state, tables)) }
    }

    fn form(&self) -> MutexGuard<'_, Form> {
        // A form is replaced as a whole: it is valid even if a thread panicked meanwhile.
        self.form.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns its size in bytes, as counted towards the memory limit.
    pub(in crate::cpu) fn n_bytes(&self) -> u64 {
        match &*self.form() {
            Form::State(state, tables) => bytes_with(&**state, tables),
            Form::Alone(state, _) => state.n_bytes(),
            Form::Tables(tables) => tables.values().map(|table| table.n_bytes()).sum(),
            Form::Lent => 0,
        }
    }

    /// Returns the state of an intrinsic, unless tables have replaced it.
    pub(in crate::cpu) fn state(&self) -> Option<Arc<dyn IntrinsicState>> {
        match &*self.form() {
            Form::State(state, _) | Form::Alone(state, _) => Some(state.clone()),
            Form::Tables(_) | Form::Lent => None,
        }
    }

    /// Returns the bytes that its tables need in addition to the counted ones, if it holds a state
    /// alone.
    pub(in crate::cpu) fn bytes_to_settle(&self) -> u64 {
        match &*self.form() {
            Form::Alone(_, tables) => tables.iter().map(StateTable::n_bytes).sum(),
            Form::State(..) | Form::Tables(_) | Form::Lent => 0,
        }
    }

    /// Is its state uniquely owned, so that no change of it can be observed?
    pub(in crate::cpu) fn has_own_state(self: &Arc<Self>) -> bool {
        let Form::State(state, _) = &*self.form() else { return false };
        Arc::strong_count(self) == 1 && Arc::strong_count(state) == 1
    }

    /// Takes a uniquely owned state out so that it can be changed; [`Handle::return_state`] puts it
    /// back.
    pub(in crate::cpu) fn lend_state(self: &Arc<Self>) -> Option<Arc<dyn IntrinsicState>> {
        if !self.has_own_state() {
            return None;
        }
        match std::mem::replace(&mut *self.form(), Form::Lent) {
            Form::State(state, _) => Some(state),
            Form::Alone(..) | Form::Tables(_) | Form::Lent => None,
        }
    }

    /// Puts a lent state back.
    pub(in crate::cpu) fn return_state(&self, state: Arc<dyn IntrinsicState>) {
        let tables = state.tables();
        *self.form() = Form::State(state, tables);
    }

    /// Returns a table stored by Star bodies; `None` for a state.
    pub(in crate::cpu) fn table(&self, module: &str, name: &str) -> Option<Arc<Table>> {
        if *self.module == *module { self.stored(name) } else { None }
    }

    /// Returns the table of this name; `None` for a state.
    pub(in crate::cpu) fn stored(&self, name: &str) -> Option<Arc<Table>> {
        match &*self.form() {
            Form::State(..) | Form::Alone(..) | Form::Lent => None,
            Form::Tables(tables) => tables.get(name).cloned(),
        }
    }

    /// Returns the rows and columns of a table, if the handle holds it.
    pub(in crate::cpu) fn size_of(&self, module: &str, name: &str) -> Option<[usize; 2]> {
        if *self.module != *module {
            return None;
        }
        match &*self.form() {
            Form::State(_, tables) | Form::Alone(_, tables) => {
                let table = tables.iter().find(|table| table.name == name)?;
                Some([table.n_rows, table.n_cols])
            }
            Form::Tables(tables) => tables.get(name).map(|table| [table.n_rows(), table.n_cols()]),
            Form::Lent => None,
        }
    }

    /// Returns rows, columns and ones of a table that its state stands for, if they are known
    /// without building it.
    pub(in crate::cpu) fn measure(
        &self,
        name: &str,
        parallelism: &Parallelism<'_>,
    ) -> Result<Option<(usize, usize, u64)>, Ended> {
        let form = self.form();
        let (Form::State(state, parts) | Form::Alone(state, parts)) = &*form else {
            return Ok(None);
        };
        let Some(idx) = parts.iter().position(|part| part.name == name) else { return Ok(None) };
        let n_ones = state.n_ones(idx, parallelism)?;
        Ok(n_ones.map(|n_ones| (parts[idx].n_rows, parts[idx].n_cols, n_ones)))
    }

    /// Replaces a state by its tables, whose bytes are already counted. Returns the number of bytes
    /// released.
    pub(in crate::cpu) fn settle(&self, parallelism: &Parallelism<'_>) -> Result<u64, Ended> {
        let mut form = self.form();
        let Some(tables) = form.tables_of_state(parallelism)? else { return Ok(0) };
        let (Form::State(state, _) | Form::Alone(state, _)) = &*form else { return Ok(0) };
        let n_bytes = state.n_bytes();
        *form = Form::Tables(tables);
        Ok(n_bytes)
    }

    /// Returns the tables that a state stands for, without replacing it.
    pub(in crate::cpu) fn tables_of_state(
        &self,
        parallelism: &Parallelism<'_>,
    ) -> Result<Option<Tables>, Ended> {
        self.form().tables_of_state(parallelism)
    }

    /// Counts the second forms of its tables.
    pub(in crate::cpu) fn count_copies(&self, copies: &mut Copies) {
        match &*self.form() {
            Form::State(..) | Form::Alone(..) | Form::Lent => {}
            Form::Tables(tables) => tables.values().for_each(|table| copies.count(table, 0)),
        }
    }

    /// Returns its tables; none for a state.
    pub(in crate::cpu) fn tables(&self) -> Tables {
        match &*self.form() {
            Form::State(..) | Form::Alone(..) | Form::Lent => Tables::new(),
            Form::Tables(tables) => tables.clone(),
        }
    }
}

/// Returns the bytes of a state and of its tables.
pub(in crate::cpu) fn state_bytes(state: &dyn IntrinsicState) -> u64 {
    bytes_with(state, &state.tables())
}

pub(in crate::cpu) fn bytes_with(state: &dyn IntrinsicState, tables: &[StateTable]) -> u64 {
    let tables = tables.iter().map(StateTable::n_bytes);
    tables.fold(state.n_bytes(), u64::saturating_add)
}

/// A state that is replaced by its tables if the run is short of memory.
pub(in crate::cpu) struct KeptState<'a> {
    pub(in crate::cpu) handle: Weak<Handle>,
    pub(in crate::cpu) parallelism: Parallelism<'a>,
}

impl Reclaim for KeptState<'_> {
    fn is_gone(&self) -> bool {
        self.handle.upgrade().is_none_or(|handle| match &*handle.form() {
            Form::State(..) | Form::Lent => false,
            Form::Alone(..) | Form::Tables(_) => true,
        })
    }

    fn reclaim(&self) -> u64 {
        // No memory is reserved for the tables of a state that is alone.
        if self.is_gone() {
            return 0;
        }
        // If this fails, the run is refused the memory, or ends at the flag.
        self.handle.upgrade().map_or(0, |handle| handle.settle(&self.parallelism).unwrap_or(0))
    }
}
