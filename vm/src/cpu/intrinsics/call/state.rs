//! Handles of a call: states of intrinsics, and tables that Star bodies store. Note [Handles] in `handle` says more.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use star_base::BitTable;
use star_intrinsics::{IntrinsicState, LineOrder, state_of};

use super::tables::home_lines;
use super::{IntrinsicCall, IntrinsicResult, NotTaken, Target};
use crate::cpu::handle::{Handle, state_bytes};
use crate::cpu::operand::{Reg, RegRef};
use crate::cpu::table::Table;
use crate::interrupt::{Exec, internal_error};

/// A table that a handle holds as Star bodies store it. It is gone before the handle takes something else, so that
/// its bytes are counted off.
#[derive(Debug)]
pub struct HandlePart<'c>(Arc<Table>, PhantomData<&'c ()>);

impl HandlePart<'_> {
    /// Its rows and columns.
    pub fn size(&self) -> [usize; 2] {
        [self.0.n_rows(), self.0.n_cols()]
    }

    /// The table as it lies: the columns of the bit table are its rows, or its columns.
    pub fn home(&self) -> (&BitTable, LineOrder) {
        (self.0.home().0, home_lines(&self.0))
    }
}

impl IntrinsicCall<'_, '_, '_, '_> {
    fn handle_reg(&self, idx: usize) -> Exec<Reg> {
        let target = Target::Param(idx);
        match self.place(target)? {
            RegRef::Handle(reg) => Ok(reg),
            RegRef::Int(_)
            | RegRef::Bool(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Table(_)
            | RegRef::Text(_) => Err(Self::other_kind(target)),
        }
    }

    /// The handle, if something was put into it.
    fn handle(&self, idx: usize) -> IntrinsicResult<&Arc<Handle>> {
        let handle = self.interpreter.handle_slot(self.handle_reg(idx)?).as_ref();
        handle.ok_or_else(NotTaken::declined)
    }

    /// The state in a handle.
    ///
    /// # Errors
    /// If the parameter is no handle. The Star body runs if it holds something else, tables for example.
    pub fn state<T: IntrinsicState>(&self, idx: usize) -> IntrinsicResult<Arc<T>> {
        let state = self.handle(idx)?.state().and_then(state_of);
        state.ok_or_else(NotTaken::declined)
    }

    /// Does a handle hold a state of this kind?
    ///
    /// # Errors
    /// If the parameter is no handle. The Star body runs if nothing was put into it.
    pub fn has_state<T: IntrinsicState>(&self, idx: usize) -> IntrinsicResult<bool> {
        Ok(self.handle(idx)?.state().and_then(state_of::<T>).is_some())
    }

    /// A table in a handle that has no state, or has lost it, of the intrinsic's own module: a state can be made of it
    /// again.
    ///
    /// # Errors
    /// If the parameter is no handle. The Star body runs if it does not hold such a table.
    pub fn part(&self, idx: usize, name: &str) -> IntrinsicResult<HandlePart<'_>> {
        let table = self.handle(idx)?.table(self.module, name);
        let table = table.ok_or_else(NotTaken::declined)?;
        Ok(HandlePart(table, PhantomData))
    }

    /// Bytes that [`IntrinsicCall::put_state`] takes: those of the state and of its tables.
    pub fn state_bytes(state: &dyn IntrinsicState) -> u64 {
        state_bytes(state)
    }

    /// A handle takes a state; [`IntrinsicCall::state_bytes`] of it are reserved.
    ///
    /// # Errors
    /// If the parameter is no handle.
    pub fn put_state(&mut self, idx: usize, state: impl IntrinsicState) -> IntrinsicResult {
        self.put_handle(idx, Handle::of_state(self.module, Arc::new(state)))
    }

    /// The same where there is no memory for the tables of a state: its own bytes are reserved.
    ///
    /// # Errors
    /// If the parameter is no handle.
    pub fn put_state_alone(&mut self, idx: usize, state: impl IntrinsicState) -> IntrinsicResult {
        self.put_handle(idx, Handle::of_state_alone(self.module, Arc::new(state)))
    }

    fn put_handle(&mut self, idx: usize, handle: Handle) -> IntrinsicResult {
        self.result_place(Target::Param(idx))?;
        let reg = self.handle_reg(idx)?;
        let handle = Arc::new(handle);
        let n_bytes = handle.n_bytes();
        self.spend(n_bytes)?;
        self.has_written = true;
        self.interpreter.budget.commit(n_bytes);
        self.interpreter.watch_state(&handle);
        self.interpreter.put_handle(reg, Some(handle));
        Ok(())
    }

    /// Sees to it that [`IntrinsicCall::change_state`] may change a state: that nobody else has it. There are no copies
    /// of states: those of a Star body may share tables, and so take less memory.
    ///
    /// # Errors
    /// If the parameter is no handle. The Star body runs if the handle holds something else, or if others have it
    /// too.
    pub fn own_state<T: IntrinsicState>(&mut self, idx: usize) -> IntrinsicResult {
        self.result_place(Target::Param(idx))?;
        let is_own = self.handle(idx)?.has_own_state();
        if is_own && self.has_state::<T>(idx)? { Ok(()) } else { Err(NotTaken::declined()) }
    }

    /// Changes a state in place; [`IntrinsicCall::own_state`] comes before, and so many bytes are reserved as it and its
    /// tables may grow by. Meanwhile the handle holds nothing.
    ///
    /// # Errors
    /// Those of `change`; if the parameter is no handle, or others have the state too.
    pub fn change_state<T: IntrinsicState, R>(
        &mut self,
        idx: usize,
        change: impl FnOnce(&mut T, &mut Self) -> IntrinsicResult<R>,
    ) -> IntrinsicResult<R> {
        self.result_place(Target::Param(idx))?;
        let not_own = || internal_error("an intrinsic changes a state that it does not own");
        let handle = self.handle(idx)?;
        let mut state = handle.lend_state().ok_or_else(not_own)?;
        // Nobody gets at a handle that is lent, and it stays where it is.
        let handle = handle.clone();
        let before = state_bytes(&*state);
        self.has_written = true;
        let state_mut: Option<&mut dyn Any> = Arc::get_mut(&mut state).map(|state| state as _);
        let done = match state_mut.and_then(|state| state.downcast_mut()) {
            Some(state) => change(state, self),
            None => Err(not_own().into()),
        };
        let after = state_bytes(&*state);
        handle.return_state(state);
        if after > before {
            self.spend(after - before)?;
        }
        self.interpreter.budget.exchange(before, after);
        done
    }
}
