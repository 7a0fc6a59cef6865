//! Operations on handles.
//!
//! Note [Refused parts]. A Star body that reads a table of a state may trap before it reads any bit
//! of it: REACHES of a missing vertex. If there is no memory for the table, the guards that follow
//! are therefore tested before the run ends at the limit. They see a table with its sizes, and so
//! do the values of the trap, which contain its number of ones. No table of this kind outlives the
//! run.

use std::sync::{Arc, Mutex, PoisonError};

use star_intrinsics::Ended;
use star_ir::{HandlePart, LimitKind};
use star_value::OutOfMemory;

use crate::cpu::inst::{Inst, TableInst};
use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::{Passing, Reg, RegRef};
use crate::cpu::registers::CowTable;
use crate::cpu::table::Table;
use crate::cpu::value::handle::{Form, Handle, KeptState, Tables, bytes_with};
use crate::interrupt::{Exec, Stop, internal_error};

impl Interpreter<'_, '_, '_> {
    pub(in crate::cpu) fn handle_slot(&self, reg: Reg) -> &Option<Arc<Handle>> {
        &self.handles[self.base.handles + reg as usize]
    }

    fn handle(&self, reg: Reg) -> Exec<Arc<Handle>> {
        self.handle_slot(reg).clone().ok_or_else(|| internal_error("a handle that was never set"))
    }

    /// Stores a handle whose bytes are already counted in a register.
    pub(in crate::cpu) fn put_handle(&mut self, reg: Reg, handle: Option<Arc<Handle>>) {
        let at = self.base.handles + reg as usize;
        let before = std::mem::replace(&mut self.handles[at], handle);
        self.release_handle(before);
    }

    /// Registers a handle, from outside or from an intrinsic, whose state may have to be replaced
    /// by its tables.
    pub(in crate::cpu) fn watch_state(&mut self, handle: &Arc<Handle>) {
        if handle.state().is_some() {
            let parallelism = self.parallelism.clone();
            let kept = KeptState { handle: Arc::downgrade(handle), parallelism };
            self.budget.add_reclaimable(Box::new(kept));
        }
    }

    /// Drops the handle of a register: its bytes are released if it was uniquely owned.
    pub(in crate::cpu) fn release_handle(&mut self, handle: Option<Arc<Handle>>) {
        let Some(handle) = handle.and_then(Arc::into_inner) else { return };
        match handle.form.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Form::State(state, tables) => self.budget.release(bytes_with(&*state, &tables)),
            Form::Alone(state, _) => self.budget.release(state.n_bytes()),
            Form::Tables(tables) => {
                tables.into_values().for_each(|table| self.release(CowTable::Shared(table)));
            }
            Form::Lent => {}
        }
    }

    /// Replaces a state by its tables.
    fn settle(&mut self, handle: &Handle) -> Exec<()> {
        let n_more = handle.bytes_to_settle();
        self.budget.reserve(n_more)?;
        match handle.settle(&self.parallelism) {
            Ok(freed) => {
                self.budget.commit(n_more);
                self.budget.release(freed);
            }
            Err(Ended::Interrupted) => return Err(self.interrupted()),
            Err(Ended::Internal(why)) => return Err(internal_error(why)),
            Err(Ended::OutOfMemory) => {
                let n_bytes = u128::from(handle.n_bytes());
                return Err(self.out_of_memory(OutOfMemory { n_bytes }));
            }
        }
        Ok(())
    }

    /// `H.part := T`
    pub(in crate::cpu) fn put_handle_part(
        &mut self,
        reg: Reg,
        part: &HandlePart,
        value: Reg,
    ) -> Exec<()> {
        let HandlePart { module, name } = part;
        let mut tables = match self.handle_slot(reg).clone() {
            Some(handle) if handle.module == *module => {
                self.settle(&handle)?;
                handle.tables()
            }
            Some(_) | None => Tables::new(),
        };
        let table = self.table_slot_mut(value).table.share().into_shared();
        let table = table.ok_or_else(|| internal_error("a table that was never set"))?;
        // The replaced table is still in the register.
        tables.insert(name.clone(), table);
        let form = Mutex::new(Form::Tables(tables));
        self.put_handle(reg, Some(Arc::new(Handle { module: module.clone(), form })));
        Ok(())
    }

    /// `T := H.part`
    pub(in crate::cpu) fn handle_part(
        &mut self,
        dst: Reg,
        reg: Reg,
        part: &HandlePart,
    ) -> Exec<()> {
        let handle = self.handle(reg)?;
        match self.settle(&handle) {
            Err(stop @ Stop::Limit(LimitKind::Memory { .. })) => {
                return Err(self.trap_before(dst, &handle, part)?.unwrap_or(stop));
            }
            settled => settled?,
        }
        let table = handle.stored(&part.name);
        let table = table.ok_or_else(|| internal_error("a part that is missing from a handle"))?;
        self.put_table(dst, CowTable::Shared(table));
        Ok(())
    }

    /// Returns the trap of a guard after this instruction, which needs a table for which there is
    /// no memory; see Note [Refused parts].
    #[cold]
    fn trap_before(&mut self, dst: Reg, handle: &Handle, part: &HandlePart) -> Exec<Option<Stop>> {
        let measured = match handle.measure(&part.name, &self.parallelism) {
            Ok(measured) => measured,
            Err(Ended::Interrupted) => return Err(self.interrupted()),
            Err(Ended::Internal(why)) => return Err(internal_error(why)),
            Err(Ended::OutOfMemory) => None,
        };
        let Some((n_rows, n_cols, n_ones)) = measured else { return Ok(None) };
        let routine = self.routine()?;
        // The bits of everything that the caller sees are complete.
        let is_own = |reg: Reg| {
            let place = |(place, _): &(RegRef, Passing)| place.table() == Some(reg);
            !routine.params.iter().any(place) && routine.result.and_then(RegRef::table) != Some(reg)
        };
        if !is_own(dst) {
            return Ok(None);
        }
        let (at, table) = (self.pc, Table::without_bits(n_rows, n_cols, n_ones));
        self.put_table(dst, CowTable::Own(Box::new(table)));
        for (pc, inst) in routine.insts.iter().enumerate().skip(at + 1) {
            if let Inst::Table(TableInst::Copy { dst, src }) = *inst
                && is_own(dst)
            {
                let table = self.table_slot_mut(src).table.share();
                self.put_table(dst, table);
            } else if let Inst::Guard { test, check } = *inst {
                if !self.holds(test) {
                    self.pc = pc;
                    return self.trapped(&routine.checks[check as usize]).map(Some);
                }
            } else {
                break;
            }
        }
        Ok(None)
    }
}
