//! Intrinsics with partitioned arguments.
//!
//! Note [Intrinsics on ranks]. An intrinsic that works on parts
//! ([`CpuIntrinsic::works_on_parts`]) runs on the rows of each rank, and exchanges what it finds
//! ([`IntrinsicCall::peers`](crate::cpu::IntrinsicCall::peers)). Before any other one, its
//! arguments are gathered on all ranks, sparse ones in sparse form, and it runs on every rank as
//! without ranks. The parts come back into their registers afterwards; a whole table stays with its
//! part for the next call, as a structure (Note [Structures] in `table/structure.rs`). The Star
//! text runs, on the parts, if one host has no room for the whole arguments on each of its ranks.
//!
//! An intrinsic on parts makes the rows of its results that each rank keeps; any other one makes
//! whole results on every rank, which keeps its part.

use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use star_base::intrinsics::ParamMode;
use star_value::BitVector;

use crate::cpu::code::RoutineCode;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::intrinsics::CpuIntrinsic;
use crate::cpu::operand::{Passing, Reg, RegRef};
use crate::cpu::registers::CowTable;
use crate::cpu::table::Table;
use crate::cpu::table::form::bytes_of;
use crate::exchange::{Exchange, Partition, Place, Reduce};
use crate::interrupt::{Exec, Stop};

use super::sparse::GatheredForm;

/// A whole table that its part keeps for the next call.
struct KeptWhole(Mutex<Option<Table>>);

/// The part of an argument, while its register holds the whole; the number of components or rows
/// of other ranks.
enum PutAside {
    Bits(Reg, BitVector, usize),
    Table(Reg, CowTable, usize),
}

impl Interpreter<'_, '_, '_> {
    /// Replaces the routine that was just entered; false if its body must run.
    pub(in crate::cpu) fn intrinsic_across(
        &mut self,
        candidate: CpuIntrinsic,
        routine: &RoutineCode,
    ) -> Exec<bool> {
        let has_run = match candidate.works_on_parts {
            true => self.are_dense_on_all(candidate, routine)? && self.intrinsic(candidate)?,
            false => self.on_whole_arguments(candidate, routine)?,
        };
        self.agree_on_intrinsic(has_run)?;
        self.keep_params(routine)?;
        Ok(has_run)
    }

    /// Ends the run if an intrinsic ran on some ranks only, since memory was refused on others.
    fn agree_on_intrinsic(&mut self, has_run: bool) -> Exec<()> {
        let mut all = [i64::from(has_run), i64::from(!has_run)];
        self.reduce("an intrinsic", Reduce::And, &mut all)?;
        match all {
            [0, 0] => Err(Stop::Lost("a rank has no memory for an intrinsic".to_owned())),
            _ => Ok(()),
        }
    }

    /// Makes the parts dense that the intrinsic does not read directly; false if a rank has no
    /// memory for that.
    fn are_dense_on_all(&mut self, candidate: CpuIntrinsic, routine: &RoutineCode) -> Exec<bool> {
        let is_divided = routine.params.iter().any(|(place, _)| self.elsewhere(*place) > 0);
        if !is_divided || !self.intrinsic_may(candidate.intrinsic)? {
            return Ok(true);
        }
        let mut all = [i64::from(self.all_dense(candidate)?)];
        self.reduce("dense parts", Reduce::And, &mut all)?;
        Ok(all != [0])
    }

    /// Is a parameter of the current routine distributed over the ranks?
    pub(in crate::cpu) fn is_divided_param(&self, idx: usize) -> Exec<bool> {
        let param = self.routine()?.params.get(idx);
        Ok(self.ranks.is_some() && param.is_some_and(|(place, _)| self.elsewhere(*place) > 0))
    }

    /// Returns the exchange of an intrinsic that runs on parts.
    pub(in crate::cpu) fn exchange_of_call(
        &mut self,
    ) -> Exec<(Rc<dyn Exchange>, Partition, Place)> {
        let place = Place { loc: self.loc().0, what: "a search on parts" };
        let ranks = self.ranks()?;
        Ok((Rc::clone(&ranks.exchange), ranks.partition, place))
    }

    /// Gathers the arguments that the intrinsic reads, runs it, and brings the parts back.
    fn on_whole_arguments(&mut self, candidate: CpuIntrinsic, routine: &RoutineCode) -> Exec<bool> {
        let modes = candidate.intrinsic.signature().params.iter().map(|param| param.mode);
        let read: Vec<(RegRef, Passing)> = routine
            .params
            .iter()
            .zip(modes)
            .filter(|((place, _), mode)| *mode != ParamMode::Made && self.elsewhere(*place) > 0)
            .map(|(param, _)| *param)
            .collect();
        if read.is_empty() || !self.intrinsic_may(candidate.intrinsic)? {
            return self.intrinsic(candidate);
        }
        let Some(aside) = self.put_aside(&read)? else { return Ok(false) };
        let has_run = self.intrinsic(candidate)?;
        for ((_, passing), part) in read.into_iter().zip(aside) {
            match part {
                part if !has_run || passing != Passing::Ref => self.bring_back(part),
                PutAside::Bits(_, part, _) => self.budget.release(bytes_of(part.len())),
                PutAside::Table(_, part, _) => self.release(part),
            }
        }
        Ok(has_run)
    }

    /// Gathers distributed variables, and returns their parts; `None` if there is no room.
    fn put_aside(&mut self, read: &[(RegRef, Passing)]) -> Exec<Option<Vec<PutAside>>> {
        let mut forms = Vec::with_capacity(read.len());
        let mut kept = Vec::with_capacity(read.len());
        for (place, _) in read {
            kept.push(place.table().map_or(0, |reg| i64::from(self.has_whole(reg))));
        }
        self.reduce("whole tables", Reduce::And, &mut kept)?;
        let mut n_bytes: u64 = 0;
        for ((place, _), kept) in read.iter().zip(&kept) {
            let mut form = None;
            if let (Some(reg), 0) = (place.table(), kept) {
                let (exchange, place) = self.exchange("the form of a table", 1)?;
                let table = self.table(reg)?;
                let found = GatheredForm::agree(&*exchange, place, table)?;
                let n_rows = table.n_rows() + self.table_slot(reg).elsewhere;
                n_bytes = n_bytes.saturating_add(found.n_bytes(n_rows, table.n_cols()));
                form = Some(found);
            }
            if let Some(reg) = place.bits() {
                let slot = self.bits_slot(reg);
                n_bytes = n_bytes.saturating_add(bytes_of(slot.bits.len() + slot.elsewhere));
            }
            forms.push(form);
        }
        // A host may have several ranks, each of which counts the memory of the host as its own.
        let n_ranks = self.ranks()?.exchange.ranks_of_host().max(1) as u64;
        let mut fits = [i64::from(n_bytes.saturating_mul(n_ranks) <= self.budget.available())];
        self.reduce("memory for arguments", Reduce::And, &mut fits)?;
        if fits == [0] {
            return Ok(None);
        }
        let mut aside = Vec::with_capacity(read.len());
        for ((place, _), form) in read.iter().zip(forms) {
            match *place {
                RegRef::Slice(reg) | RegRef::Word(reg) => {
                    let elsewhere = self.bits_slot(reg).elsewhere;
                    let part = self.second_bits(self.bits(reg))?;
                    self.budget.commit(bytes_of(part.len()));
                    self.make_whole(reg)?;
                    aside.push(PutAside::Bits(reg, part, elsewhere));
                }
                RegRef::Table(reg) => {
                    let whole = match form {
                        Some(form) => self.gathered(reg, form)?,
                        None => self.take_whole(reg)?,
                    };
                    let slot = self.table_slot_mut(reg);
                    let part = std::mem::replace(&mut slot.table, CowTable::Own(Box::new(whole)));
                    let elsewhere = std::mem::take(&mut slot.elsewhere);
                    aside.push(PutAside::Table(reg, part, elsewhere));
                }
                RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_) | RegRef::Handle(_) => {}
            }
        }
        Ok(Some(aside))
    }

    /// Puts a part back into its register. A whole table stays with it if there is room.
    fn bring_back(&mut self, part: PutAside) {
        match part {
            PutAside::Bits(reg, part, elsewhere) => {
                self.budget.release(bytes_of(part.len()));
                self.put_new_bits(reg, part);
                self.bits_slot_mut(reg).elsewhere = elsewhere;
            }
            PutAside::Table(reg, mut part, elsewhere) => {
                let slot = self.table_slot_mut(reg);
                let whole = std::mem::take(&mut slot.table);
                let n_bytes = whole.get().map_or(0, |whole| whole.n_bytes() + whole.extra_bytes());
                match (whole, part.get_mut()) {
                    (CowTable::Own(whole), Some(own))
                        if self.copies.may_add(&self.budget, n_bytes) =>
                    {
                        self.budget.release(whole.n_bytes());
                        self.copies.forget(&whole);
                        let (before, identity) = (own.extra_bytes(), own.identity());
                        let kept = Arc::new(KeptWhole(Mutex::new(Some(*whole))));
                        own.keep_structure(vec![identity], kept, n_bytes);
                        self.copies.count(own, before);
                    }
                    (whole, _) => self.release(whole),
                }
                let slot = self.table_slot_mut(reg);
                (slot.table, slot.elsewhere) = (part, elsewhere);
            }
        }
    }

    /// Does the part in a register, which is not shared, have its whole table?
    fn has_whole(&mut self, reg: Reg) -> bool {
        let part = self.table_slot_mut(reg).table.get_mut();
        let kept = part.and_then(|part| part.structure(&[part.identity()]));
        kept.is_some_and(|kept| kept.is::<KeptWhole>())
    }

    /// Takes the whole table from its part.
    fn take_whole(&mut self, reg: Reg) -> Exec<Table> {
        let mut holding = std::mem::take(&mut self.table_slot_mut(reg).table);
        let whole = holding.get_mut().and_then(|part| {
            let before = part.extra_bytes();
            let kept = part.structure(&[part.identity()]);
            part.drop_structure();
            self.copies.count(part, before);
            let kept: Arc<KeptWhole> = kept?.downcast().ok()?;
            let mut whole = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
            whole.take()
        });
        self.table_slot_mut(reg).table = holding;
        let missing = || crate::interrupt::internal_error("a part without its whole table");
        let whole = whole.ok_or_else(missing)?;
        self.budget.commit(whole.n_bytes());
        self.copies.count(&whole, 0);
        Ok(whole)
    }
}
