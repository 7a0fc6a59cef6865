//! Tile kernels: one tile of all rows, and everything as before if a guard inside fails.
//!
//! Note [Kernels that trap]. A guard that fails inside a kernel leaves slices and tables as they were
//! before it, private ones too; numbers and words stay as they are. So a kernel with guards keeps
//! what it writes until its end. A table is shared meanwhile, so that only one that is written is
//! copied.

mod block;
mod run;

use super::code::Place;
use super::machine::Machine;
use super::registers::Holding;
use super::value::{Held, bytes_of};
use crate::stop::Step;

pub(super) use block::{TileBlock, compile};

/// A tile kernel.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    /// Its private slices and tables.
    pub(super) privates: Vec<Place>,
    /// Other slices and tables that it writes, if it has guards.
    pub(super) written: Vec<Place>,
    /// The body for blocks of rows, if it is straight.
    pub(super) block: Option<TileBlock>,
}

impl Machine<'_, '_, '_> {
    /// Carries a kernel out, or begins it: what it may have to give back is kept then, and the answer is
    /// false.
    pub(super) fn begin_tile(&mut self, tile: &Tile) -> Step<bool> {
        if let Some(block) = &tile.block
            && self.run_tile_block(block)?
        {
            return Ok(true);
        }
        for place in &tile.privates {
            let held = self.take_value(*place);
            self.before_tile.push((*place, held));
        }
        for place in &tile.written {
            let held = self.second(*place)?;
            self.before_tile.push((*place, held));
        }
        Ok(false)
    }

    /// Ends a kernel that came to its end.
    pub(super) fn end_tile(&mut self) {
        for (_, held) in std::mem::take(&mut self.before_tile) {
            self.forget(held);
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
    fn second(&mut self, place: Place) -> Step<Held> {
        Ok(match place {
            Place::Slice(reg) if self.bits_slot(reg).is_set => {
                let bytes = bytes_of(self.bits(reg).len());
                self.room.ask(bytes)?;
                let copy = self.second_bits(self.bits(reg))?;
                self.room.take(bytes);
                Held::Slice(copy)
            }
            Place::Table(reg) => match self.table_slot_mut(reg).table.share().into_shared() {
                Some(table) => Held::Table(table),
                None => Held::Nothing,
            },
            Place::Int(_)
            | Place::Bool(_)
            | Place::Slice(_)
            | Place::Word(_)
            | Place::Text(_)
            | Place::Handle(_) => Held::Nothing,
        })
    }

    /// A value is gone.
    fn forget(&mut self, held: Held) {
        match held {
            Held::Table(table) => self.release(Holding::Shared(table)),
            Held::Handle(kept) => self.release(kept.into()),
            Held::Slice(bits) | Held::Word(bits) => self.room.give(bytes_of(bits.len())),
            Held::Nothing | Held::Int(_) | Held::Bool(_) | Held::Text(_) => {}
        }
    }
}
