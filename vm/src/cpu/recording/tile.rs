//! Tile kernels: a tile is a scope in which everything is recorded, however short.
//!
//! Note [Kernels that trap]. A guard that fails inside a kernel leaves slices and tables as they
//! were before it, private ones too; numbers and words stay as they are. While nothing is flushed
//! inside, that is what forgetting the tape does: only what a slice was that had another length, or
//! none, is logged. Loops and branches do not count, since control is the same for every row. Where
//! a body holds something that a tape does not take, what the kernel writes is copied before that
//! is executed (a table is shared, so that only one that is written is copied), and the kernel goes
//! on as if it were no kernel.

use super::super::class::Class;
use super::super::interpreter::Interpreter;
use super::super::operand::{Reg, RegRef};
use super::super::registers::CowTable;
use super::super::table::form::bytes_of;
use super::super::value::ValueData;
use super::{Port, Tile, TileScope};
use crate::counters::Declined;
use crate::interrupt::Exec;

impl Interpreter<'_, '_, '_> {
    /// Begins a kernel.
    pub(in crate::cpu) fn begin_tile(&mut self, tile: u32) -> Exec<()> {
        self.flush()?;
        let privates = &self.routine()?.tiles[tile as usize].privates;
        let before = privates.iter().map(|place| (*place, self.take_value(*place))).collect();
        self.tile = Some(TileScope { tile, before, is_kept: false });
        self.recorder.is_open = true;
        if !self.code.options.optimise {
            self.keep_tile()?;
        }
        Ok(())
    }

    /// Ends a kernel that came to its end: what is recorded is executed, with its reductions.
    pub(in crate::cpu) fn end_tile(&mut self, tile: u32) -> Exec<()> {
        let Tile { privates, reductions, .. } = &self.routine()?.tiles[tile as usize];
        let n_rows = self.recorder.n_rows;
        let are_recorded = reductions
            .iter()
            .all(|(_, _, of)| !self.recorder.deferred.is_empty() && self.bits(*of).len() == n_rows);
        if are_recorded {
            for (_, ask, of) in reductions {
                let value = self.recorder.value(self.base.bits + *of as usize);
                self.recorder.tape.reduce((*ask).into(), value);
            }
        }
        // Whatever is recorded is of this frame.
        let base = self.base;
        self.recorder.keep(|port| match port {
            Port::Slice(at) => {
                let reg = (at - base.bits) as Reg;
                let is_asked = reductions.iter().any(|(_, _, of)| *of == reg);
                !privates.contains(&RegRef::Slice(reg)) || (is_asked && !are_recorded)
            }
            Port::Column(at, _) => !privates.contains(&RegRef::Table((at - base.tables) as Reg)),
            Port::Gone => false,
        });
        let answers = self.run_tape()?;
        for (idx, (dst, ask, of)) in reductions.iter().enumerate() {
            match answers.get(idx) {
                Some(answer) if are_recorded => self.answer(*dst, *ask, &[*of], *answer),
                Some(_) | None => {
                    let found = self.ask(*ask, *of)?;
                    self.set(*dst, found);
                }
            }
        }
        self.recorder.is_open = false;
        if let Some(TileScope { before, is_kept, .. }) = self.tile.take() {
            self.paths.tile_kernels += u64::from(!is_kept);
            for (_, data) in before {
                self.forget(data);
            }
        }
        Ok(())
    }

    /// The run stops: what a kernel that did not come to its end wrote is as before.
    pub(in crate::cpu) fn abandon_tile(&mut self) {
        let Some(TileScope { before, is_kept, .. }) = self.tile.take() else { return };
        self.recorder.clear();
        if !is_kept {
            self.paths.decline(Declined::Guard);
        }
        for (place, before) in before {
            let written = self.take_value(place);
            self.forget(written);
            self.put_value(place, before);
        }
    }

    /// The tile kernel that is running, if its tape can still be forgotten.
    #[inline]
    pub(in crate::cpu) fn recorded_tile(&self) -> Option<&TileScope> {
        self.tile.as_ref().filter(|scope| !scope.is_kept)
    }

    /// Does a register of bits belong to a word, in a kernel? Those are not recorded there, since
    /// they stay as they are when it traps.
    pub(super) fn is_word_in_tile(&self, reg: Reg) -> bool {
        self.tile.is_some()
            && self.frames.last().is_some_and(|frame| {
                let routine = &self.code.routines[frame.routine];
                routine.places.contains(&RegRef::Word(reg))
            })
    }

    /// Would the instruction, executed, change a slice or table that a kernel may have to give
    /// back?
    pub(super) fn changes_tile(&self, class: &Class) -> bool {
        if self.recorded_tile().is_none() {
            return false;
        }
        let writes_slice = class.writes().is_some_and(|reg| !self.is_word_in_tile(reg));
        writes_slice
            || match class {
                Class::Store { .. } => true,
                Class::Other(effects) => effects.writes_table.is_some(),
                Class::Bitwise(_)
                | Class::Fill { .. }
                | Class::Load { .. }
                | Class::Reduce { .. }
                | Class::Guard(_)
                | Class::Cost { .. }
                | Class::Scalar
                | Class::Control => false,
            }
    }

    /// Copies what a kernel writes, before anything that it recorded is executed.
    pub(super) fn keep_tile(&mut self) -> Exec<()> {
        let Some(scope) = self.recorded_tile() else { return Ok(()) };
        let written = &self.routine()?.tiles[scope.tile as usize].written;
        for place in written {
            let is_logged = |scope: &TileScope| scope.before.iter().any(|(of, _)| of == place);
            if self.tile.as_ref().is_some_and(is_logged) {
                continue;
            }
            let data = self.second(*place)?;
            self.log(*place, data);
            if let RegRef::Table(reg) = *place
                && self.stores_to(reg)
            {
                self.own(reg)?;
            }
        }
        if let Some(scope) = &mut self.tile {
            scope.is_kept = true;
        }
        self.recorder.is_open = !self.recorder.deferred.is_empty();
        self.paths.decline(Declined::Body);
        Ok(())
    }

    /// A slice is about to take `len` components of which none are made yet: what it was is logged,
    /// if that is not what its memory will go on holding.
    pub(super) fn log_in_tile(&mut self, reg: Reg, len: usize) {
        let place = RegRef::Slice(reg);
        let slot = self.bits_slot(reg);
        let stays = slot.is_set && slot.bits.len() == len;
        let is_new = self
            .recorded_tile()
            .is_some_and(|scope| !stays && scope.before.iter().all(|(of, _)| *of != place));
        if is_new {
            let data = self.take_value(place);
            self.log(place, data);
        }
    }

    fn log(&mut self, place: RegRef, data: ValueData) {
        if let Some(scope) = &mut self.tile {
            scope.before.push((place, data));
        }
    }

    /// The value of a slice or table, once more.
    fn second(&mut self, place: RegRef) -> Exec<ValueData> {
        Ok(match place {
            RegRef::Slice(reg) if self.bits_slot(reg).is_set => {
                let bytes = bytes_of(self.bits(reg).len());
                self.budget.reserve(bytes)?;
                let copy = self.second_bits(self.bits(reg))?;
                self.budget.commit(bytes);
                ValueData::Slice(copy)
            }
            RegRef::Table(reg) => match self.table_slot_mut(reg).table.share().into_shared() {
                Some(table) => ValueData::Table(table),
                None => ValueData::Nothing,
            },
            RegRef::Int(_)
            | RegRef::Bool(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Text(_)
            | RegRef::Handle(_) => ValueData::Nothing,
        })
    }

    /// A value is gone.
    fn forget(&mut self, data: ValueData) {
        match data {
            ValueData::Table(table) => self.release(CowTable::Shared(table)),
            ValueData::Handle(handle) => self.release_handle(Some(handle)),
            ValueData::Slice(bits) | ValueData::Word(bits) => {
                self.budget.release(bytes_of(bits.len()))
            }
            ValueData::Nothing | ValueData::Int(_) | ValueData::Bool(_) | ValueData::Text(_) => {}
        }
    }
}
