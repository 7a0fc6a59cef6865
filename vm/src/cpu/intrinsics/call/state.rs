//! Handles of a call: states of intrinsics, and tables stored by Star bodies. See Note [Handles] in
//! `handle`.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use star_intrinsics::{IntrinsicState, LineOrder, state_of};
use star_value::BitTable;

use super::tables::home_lines;
use super::{IntrinsicCall, IntrinsicResult, NotTaken, Target};
use crate::cpu::operand::{Reg, RegRef};
use crate::cpu::table::Table;
use crate::cpu::value::handle::{Handle, state_bytes};
use crate::interrupt::{Exec, internal_error};

/// A table in a handle, as stored by Star bodies. It is released before the handle receives another
/// value, so that its bytes are no longer counted.
#[derive(Debug)]
pub struct HandlePart<'c>(Arc<Table>, PhantomData<&'c ()>);

impl HandlePart<'_> {
    /// Returns its rows and columns.
    pub fn size(&self) -> [usize; 2] {
        [self.0.n_rows(), self.0.n_cols()]
    }

    /// Returns the table in its home layout: the columns of the bit table are its rows or its
    /// columns.
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

    /// Returns the handle, if it is set.
    fn handle(&self, idx: usize) -> IntrinsicResult<&Arc<Handle>> {
        let handle = self.interpreter.handle_slot(self.handle_reg(idx)?).as_ref();
        handle.ok_or_else(NotTaken::declined)
    }

    /// Returns the state in a handle.
    ///
    /// # Errors
    /// If the parameter is not a handle. The Star body runs if it holds something else, for example
    /// tables.
    pub fn state<T: IntrinsicState>(&self, idx: usize) -> IntrinsicResult<Arc<T>> {
        let state = self.handle(idx)?.state().and_then(state_of);
        state.ok_or_else(NotTaken::declined)
    }

    /// Does a handle hold a state of this kind?
    ///
    /// # Errors
    /// If the parameter is not a handle. The Star body runs if the handle is unset.
    pub fn has_state<T: IntrinsicState>(&self, idx: usize) -> IntrinsicResult<bool> {
        Ok(self.handle(idx)?.state().and_then(state_of::<T>).is_some())
    }

    /// Returns a table in a handle of the intrinsic's module that has no state or has lost it: a
    /// state can be rebuilt from it.
    ///
    /// # Errors
    /// If the parameter is not a handle. The Star body runs if it does not hold this table.
    pub fn part(&self, idx: usize, name: &str) -> IntrinsicResult<HandlePart<'_>> {
        let table = self.handle(idx)?.table(self.module, name);
        let table = table.ok_or_else(NotTaken::declined)?;
        Ok(HandlePart(table, PhantomData))
    }

    /// Returns the bytes that [`IntrinsicCall::put_state`] needs: those of the state and of its
    /// tables.
    pub fn state_bytes(state: &dyn IntrinsicState) -> u64 {
        state_bytes(state)
    }

    /// Stores a state in a handle; its [`IntrinsicCall::state_bytes`] are reserved.
    ///
    /// # Errors
    /// If the parameter is not a handle.
    pub fn put_state(&mut self, idx: usize, state: impl IntrinsicState) -> IntrinsicResult {
        self.put_handle(idx, Handle::of_state(self.module, Arc::new(state)))
    }

    /// Does the same without memory for the tables of the state: only its own bytes are reserved.
    ///
    /// # Errors
    /// If the parameter is not a handle.
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

    /// Ensures that [`IntrinsicCall::change_state`] may change a state, which requires that it is
    /// uniquely owned. States are never copied: the copies of a Star body may share tables, and so
    /// use less memory.
    ///
    /// # Errors
    /// If the parameter is not a handle. The Star body runs if the handle holds something else, or
    /// is shared.
    pub fn own_state<T: IntrinsicState>(&mut self, idx: usize) -> IntrinsicResult {
        self.result_place(Target::Param(idx))?;
        let is_own = self.handle(idx)?.has_own_state();
        if is_own && self.has_state::<T>(idx)? { Ok(()) } else { Err(NotTaken::declined()) }
    }

    /// Changes a state in place. Call [`IntrinsicCall::own_state`] first, and reserve the bytes by
    /// which the state and its tables may grow. Meanwhile the handle is empty.
    ///
    /// # Errors
    /// Those of `change`; if the parameter is not a handle, or the state is shared.
    pub fn change_state<T: IntrinsicState, R>(
        &mut self,
        idx: usize,
        change: impl FnOnce(&mut T, &mut Self) -> IntrinsicResult<R>,
    ) -> IntrinsicResult<R> {
        self.result_place(Target::Param(idx))?;
        let not_own = || internal_error("an intrinsic changes a state that it does not own");
        let handle = self.handle(idx)?;
        let mut state = handle.lend_state().ok_or_else(not_own)?;
        // A lent handle is inaccessible and does not move.
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
