//! Handles: what the library keeps for a program.
//!
//! Note [Handles]. A handle stands for tables with names. Star bodies store them one by one. An intrinsic puts a state
//! of its own in their place, of which this backend knows the bytes and those tables
//! ([`IntrinsicState`]). A state counts beside its tables, so that there is memory for them: they take its
//! place, for everyone who shares the handle, when a Star body reads one of them, and when the run would be refused memory
//! otherwise. So a run with intrinsics meets the limit no earlier than one without. Where there is no memory for the tables, an intrinsic may keep a state
//! *alone*: then only itself counts, it stays what it is when memory is short, and whoever reads a table of it needs the memory then. An intrinsic changes a state that nobody
//! shares in place; it lies outside the handle meanwhile.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use star_intrinsics::{Ended, IntrinsicState, StateTable};

use super::copies::Copies;
use super::parallelism::Parallelism;
use super::table::Table;
use crate::budget::Reclaim;

/// What a handle holds; it does not change but for its form.
#[derive(Debug)]
pub(super) struct Handle {
    /// The library module that made it.
    pub(super) module: Arc<str>,
    pub(super) form: Mutex<Form>,
}

#[derive(Debug)]
pub(super) enum Form {
    /// As an intrinsic keeps it, and the tables that it stands for.
    State(Arc<dyn IntrinsicState>, Vec<StateTable>),
    /// Likewise, and there is no memory kept for the tables.
    Alone(Arc<dyn IntrinsicState>, Vec<StateTable>),
    /// As Star bodies keep it.
    Tables(Tables),
    /// An intrinsic is changing its state.
    Lent,
}

/// Tables by their names.
pub(super) type Tables = BTreeMap<Arc<str>, Arc<Table>>;

impl Handle {
    /// What an intrinsic of a module keeps.
    pub(super) fn of_state(module: &str, state: Arc<dyn IntrinsicState>) -> Self {
        let tables = state.tables();
        Handle { module: module.into(), form: Mutex::new(Form::State(state, tables)) }
    }

    /// The same without memory for its tables.
    pub(super) fn of_state_alone(module: &str, state: Arc<dyn IntrinsicState>) -> Self {
        let tables = state.tables();
        Handle { module: module.into(), form: Mutex::new(Form::Alone(state, tables)) }
    }

    fn form(&self) -> MutexGuard<'_, Form> {
        // A form is replaced as a whole: it is right even if a thread died meanwhile.
        self.form.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes, as memory counts them.
    pub(super) fn n_bytes(&self) -> u64 {
        match &*self.form() {
            Form::State(state, tables) => bytes_with(&**state, tables),
            Form::Alone(state, _) => state.n_bytes(),
            Form::Tables(tables) => tables.values().map(|table| table.n_bytes()).sum(),
            Form::Lent => 0,
        }
    }

    /// The state that an intrinsic keeps, unless tables have taken its place.
    pub(super) fn state(&self) -> Option<Arc<dyn IntrinsicState>> {
        match &*self.form() {
            Form::State(state, _) | Form::Alone(state, _) => Some(state.clone()),
            Form::Tables(_) | Form::Lent => None,
        }
    }

    /// Bytes that its tables take beside what is counted, if it holds a state alone.
    pub(super) fn bytes_to_settle(&self) -> u64 {
        match &*self.form() {
            Form::Alone(_, tables) => tables.iter().map(StateTable::n_bytes).sum(),
            Form::State(..) | Form::Tables(_) | Form::Lent => 0,
        }
    }

    /// Is nobody else able to see a change of its state?
    pub(super) fn has_own_state(self: &Arc<Self>) -> bool {
        let Form::State(state, _) = &*self.form() else { return false };
        Arc::strong_count(self) == 1 && Arc::strong_count(state) == 1
    }

    /// Takes the state out, to be changed, if nobody else would see that; [`Handle::return_state`] puts it back.
    pub(super) fn lend_state(self: &Arc<Self>) -> Option<Arc<dyn IntrinsicState>> {
        if !self.has_own_state() {
            return None;
        }
        match std::mem::replace(&mut *self.form(), Form::Lent) {
            Form::State(state, _) => Some(state),
            Form::Alone(..) | Form::Tables(_) | Form::Lent => None,
        }
    }

    /// Puts a state back that was lent.
    pub(super) fn return_state(&self, state: Arc<dyn IntrinsicState>) {
        let tables = state.tables();
        *self.form() = Form::State(state, tables);
    }

    /// A table, if Star bodies have stored it; none of a state.
    pub(super) fn table(&self, module: &str, name: &str) -> Option<Arc<Table>> {
        if *self.module == *module { self.stored(name) } else { None }
    }

    /// A table of this name; none of a state.
    pub(super) fn stored(&self, name: &str) -> Option<Arc<Table>> {
        match &*self.form() {
            Form::State(..) | Form::Alone(..) | Form::Lent => None,
            Form::Tables(tables) => tables.get(name).cloned(),
        }
    }

    /// Rows and columns of a table, if it holds it.
    pub(super) fn size_of(&self, module: &str, name: &str) -> Option<[usize; 2]> {
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

    /// Rows, columns and ones of a table that its state stands for, if these are known without it.
    pub(super) fn measure(
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

    /// Turns a state into its tables, whose bytes are counted; how many bytes that gives back.
    pub(super) fn settle(&self, parallelism: &Parallelism<'_>) -> Result<u64, Ended> {
        let mut form = self.form();
        let (Form::State(state, parts) | Form::Alone(state, parts)) = &*form else { return Ok(0) };
        let mut tables = Tables::new();
        for (idx, part) in parts.iter().enumerate() {
            let mut lines = part.zeros()?;
            state.write(idx, &mut lines, parallelism)?;
            tables.insert(part.name.into(), Arc::new(Table::of_lines(lines, part.lines)));
        }
        let n_bytes = state.n_bytes();
        *form = Form::Tables(tables);
        Ok(n_bytes)
    }

    /// Counts the second forms that its tables have.
    pub(super) fn count_copies(&self, copies: &mut Copies) {
        match &*self.form() {
            Form::State(..) | Form::Alone(..) | Form::Lent => {}
            Form::Tables(tables) => tables.values().for_each(|table| copies.count(table, 0)),
        }
    }

    /// The tables that it holds; none of a state.
    pub(super) fn tables(&self) -> Tables {
        match &*self.form() {
            Form::State(..) | Form::Alone(..) | Form::Lent => Tables::new(),
            Form::Tables(tables) => tables.clone(),
        }
    }
}

/// Bytes of a state and of its tables.
pub(super) fn state_bytes(state: &dyn IntrinsicState) -> u64 {
    bytes_with(state, &state.tables())
}

pub(super) fn bytes_with(state: &dyn IntrinsicState, tables: &[StateTable]) -> u64 {
    let tables = tables.iter().map(StateTable::n_bytes);
    tables.fold(state.n_bytes(), u64::saturating_add)
}

/// A state that becomes its tables if the run is short of memory.
pub(super) struct KeptState<'a> {
    pub(super) handle: Weak<Handle>,
    pub(super) parallelism: Parallelism<'a>,
}

impl Reclaim for KeptState<'_> {
    fn is_gone(&self) -> bool {
        self.handle.upgrade().is_none_or(|handle| match &*handle.form() {
            Form::State(..) | Form::Lent => false,
            Form::Alone(..) | Form::Tables(_) => true,
        })
    }

    fn reclaim(&self) -> u64 {
        // Nothing is kept for the tables of a state that is alone.
        if self.is_gone() {
            return 0;
        }
        // If it cannot be done, the run is refused the memory, or ends at the flag.
        self.handle.upgrade().map_or(0, |handle| handle.settle(&self.parallelism).unwrap_or(0))
    }
}
