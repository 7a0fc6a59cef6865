//! Tile kernels: one tile of all rows, and everything as before if a guard inside fails.
//!
//! Note [Kernels that trap]. A guard that fails inside a kernel leaves slices and tables as they were
//! before it, private ones too; numbers and words stay as they are. So a kernel with guards keeps
//! what it writes until its end. A table is shared meanwhile, so that only one that is written is
//! copied.

mod block;
mod run;

use super::code::RegRef;
use super::interpreter::Interpreter;
use super::registers::CowTable;
use super::value::{ValueData, bytes_of};
use crate::stop::Run;

pub(super) use block::{TileBlock, compile};

/// A tile kernel.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    /// Its private slices and tables.
    pub(super) privates: Vec<RegRef>,
    /// Other slices and tables that it writes, if it has guards.
    pub(super) written: Vec<RegRef>,
    /// The body for blocks of rows, if it is straight.
    pub(super) block: Option<TileBlock>,
}

impl Interpreter<'_, '_, '_> {
    /// Carries a kernel out, or begins it: what it may have to give back is kept then, and the answer is
    /// false.
    pub(super) fn begin_tile(&mut self, tile: &Tile) -> Run<bool> {
        match self.run_strips_of(tile)? {
            Ok(()) => {
                self.paths.tile_kernels += 1;
                return Ok(true);
            }
            Err(reason) => self.paths.decline(reason),
        }
        for place in &tile.privates {
            let data = self.take_value(*place);
            self.before_tile.push((*place, data));
        }
        for place in &tile.written {
            let data = self.second(*place)?;
            self.before_tile.push((*place, data));
        }
        Ok(false)
    }

    /// Ends a kernel that came to its end.
    pub(super) fn end_tile(&mut self) {
        for (_, data) in std::mem::take(&mut self.before_tile) {
            self.forget(data);
        }
    }

    /// The run stops: what a kernel that did not come to its end wrote is as before.
    pub(super) fn abandon_tile(&mut self) {
        for (place, before) in std::mem::take(&mut self.before_tile) {
            let written = self.take_value(place);
            self.forget(written);
            self.put_value(place, before);
        }
    }

    /// The value of a slice or table, once more.
    fn second(&mut self, place: RegRef) -> Run<ValueData> {
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
            ValueData::Handle(kept) => self.release(kept.into()),
            ValueData::Slice(bits) | ValueData::Word(bits) => {
                self.budget.release(bytes_of(bits.len()))
            }
            ValueData::Nothing | ValueData::Int(_) | ValueData::Bool(_) | ValueData::Text(_) => {}
        }
    }
}
