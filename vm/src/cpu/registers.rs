//! Registers: what variables hold while a program runs.

use std::sync::Arc;

use star_base::BitVector;
use star_ir::LocId;

use super::code::{FrameSize, Number, Pc, Place, Reg, Size};
use super::machine::Machine;
use super::natives::Reach;
use super::table::Table;
use super::value::{Held, Kept, bytes_of};
use crate::stop::{Step, broken};

/// A register of bits: a slice or word. What it held last stays as memory for what it holds next.
#[derive(Default)]
pub(super) struct BitsSlot {
    pub(super) bits: BitVector,
    pub(super) is_set: bool,
    /// The number of components if it was never set, if it is known.
    pub(super) size: Option<usize>,
    pub(super) fixed: bool,
    /// So many limbs at the beginning are known to be zero: STEP need not look at them again.
    pub(super) zeros: usize,
}

impl BitsSlot {
    /// It takes bits.
    pub(super) fn put(&mut self, bits: BitVector) {
        self.bits = bits;
        self.is_set = true;
        self.zeros = 0;
    }

    /// It gives its bits up, if it holds any.
    pub(super) fn take(&mut self) -> Option<BitVector> {
        std::mem::take(&mut self.is_set).then(|| std::mem::take(&mut self.bits))
    }

    /// Bytes of what it holds.
    pub(super) fn n_bytes(&self) -> u64 {
        if self.is_set { bytes_of(self.bits.len()) } else { 0 }
    }
}

/// Most bytes that a register of bits keeps when it holds nothing any more.
const MOST_KEPT_BYTES: u64 = 1 << 20;

/// A register of a table.
#[derive(Default)]
pub(super) struct TableSlot {
    pub(super) table: Holding,
    pub(super) fixed: bool,
}

/// How a register has a table.
#[derive(Default)]
pub(super) enum Holding {
    /// Not at all.
    #[default]
    None,
    /// Alone: it may write.
    Own(Box<Table>),
    /// Perhaps with others.
    Shared(Arc<Table>),
    /// In a handle, as a native has made it.
    Reach(Arc<Reach>),
}

impl Holding {
    /// The table, if there is one.
    #[inline]
    pub(super) fn get(&self) -> Option<&Table> {
        match self {
            Holding::None | Holding::Reach(_) => None,
            Holding::Own(table) => Some(table),
            Holding::Shared(table) => Some(table),
        }
    }

    #[inline]
    pub(super) fn is_none(&self) -> bool {
        matches!(self, Holding::None)
    }

    /// The table, if it is there alone.
    #[inline]
    pub(super) fn get_mut(&mut self) -> Option<&mut Table> {
        if let Holding::Shared(table) = self
            && let Some(own) = Arc::get_mut(table)
        {
            let own = std::mem::take(own);
            *self = Holding::Own(Box::new(own));
        }
        match self {
            Holding::Own(table) => Some(table),
            Holding::None | Holding::Shared(_) | Holding::Reach(_) => None,
        }
    }

    /// The same table for another register.
    pub(super) fn share(&mut self) -> Holding {
        let shared = match std::mem::take(self) {
            Holding::None => return Holding::None,
            Holding::Own(table) => Arc::from(table),
            Holding::Shared(table) => table,
            Holding::Reach(reach) => {
                *self = Holding::Reach(reach.clone());
                return Holding::Reach(reach);
            }
        };
        *self = Holding::Shared(shared.clone());
        Holding::Shared(shared)
    }

    /// The table as a value outside.
    pub(super) fn into_shared(self) -> Option<Arc<Table>> {
        match self {
            Holding::None | Holding::Reach(_) => None,
            Holding::Own(table) => Some(Arc::from(table)),
            Holding::Shared(table) => Some(table),
        }
    }

    /// What a handle holds, as a value outside.
    pub(super) fn into_kept(self) -> Option<Kept> {
        match self {
            Holding::Reach(reach) => Some(Kept::Reach(reach)),
            table @ (Holding::None | Holding::Own(_) | Holding::Shared(_)) => {
                table.into_shared().map(Kept::Table)
            }
        }
    }
}

impl From<Kept> for Holding {
    fn from(kept: Kept) -> Holding {
        match kept {
            Kept::Table(table) => Holding::Shared(table),
            Kept::Reach(reach) => Holding::Reach(reach),
        }
    }
}

/// An active routine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) routine: usize,
    /// Its first registers.
    pub(super) base: Base,
    /// The instruction of its caller that comes next.
    pub(super) back: Pc,
    /// The call it came from: its number and place in the caller.
    pub(super) call: Option<(u32, LocId)>,
    /// `forall` loops that its callers are in.
    pub(super) n_foralls: usize,
}

/// The first register of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Base {
    pub(super) numbers: usize,
    pub(super) bits: usize,
    pub(super) tables: usize,
    pub(super) texts: usize,
}

impl Machine<'_, '_, '_> {
    #[inline]
    pub(super) fn number(&self, number: Number) -> i64 {
        self.numbers[self.base.numbers + number.0 as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, reg: Reg, value: i64) {
        let at = self.base.numbers + reg as usize;
        self.numbers[at] = value;
        self.numbers_set[at] = true;
    }

    #[inline]
    pub(super) fn bits(&self, reg: Reg) -> &BitVector {
        &self.bits[self.base.bits + reg as usize].bits
    }

    #[inline]
    pub(super) fn bits_slot(&self, reg: Reg) -> &BitsSlot {
        &self.bits[self.base.bits + reg as usize]
    }

    #[inline]
    pub(super) fn bits_slot_mut(&mut self, reg: Reg) -> &mut BitsSlot {
        &mut self.bits[self.base.bits + reg as usize]
    }

    #[inline]
    pub(super) fn table_slot(&self, reg: Reg) -> &TableSlot {
        &self.tables[self.base.tables + reg as usize]
    }

    #[inline]
    pub(super) fn table_slot_mut(&mut self, reg: Reg) -> &mut TableSlot {
        &mut self.tables[self.base.tables + reg as usize]
    }

    pub(super) fn table(&self, reg: Reg) -> Step<&Table> {
        let table = self.table_slot(reg).table.get();
        table.ok_or_else(|| broken("a table that was never set"))
    }

    /// A size; `None` if what it measures has none that is known.
    #[inline(always)]
    pub(super) fn size(&self, size: Size) -> Option<u64> {
        match size {
            Size::Value(number) => u64::try_from(self.number(number)).ok(),
            Size::Length(reg) => {
                let slot = self.bits_slot(reg);
                if slot.is_set {
                    Some(slot.bits.len() as u64)
                } else {
                    slot.size.map(|size| size as u64)
                }
            }
            Size::Rows(reg) => self.table_slot(reg).table.get().map(|table| table.n_rows() as u64),
            Size::Columns(reg) => {
                self.table_slot(reg).table.get().map(|table| table.n_cols() as u64)
            }
        }
    }

    /// A size that is known and that memory can have.
    pub(super) fn known_size(&self, size: Size) -> Step<usize> {
        let known = self.size(size).and_then(|size| usize::try_from(size).ok());
        known.ok_or_else(|| broken("a size that is not known"))
    }

    /// A variable holds nothing any more, and no size of it is known.
    pub(super) fn unset(&mut self, place: Place) {
        match place {
            Place::Int(reg) | Place::Bool(reg) => {
                self.numbers_set[self.base.numbers + reg as usize] = false;
            }
            Place::Slice(reg) | Place::Word(reg) => {
                let slot = &mut self.bits[self.base.bits + reg as usize];
                self.room.give(slot.n_bytes());
                if slot.n_bytes() > MOST_KEPT_BYTES {
                    slot.bits = BitVector::default();
                }
                slot.is_set = false;
                slot.size = None;
            }
            Place::Table(reg) | Place::Handle(reg) => {
                let table = std::mem::take(&mut self.table_slot_mut(reg).table);
                self.release(table);
            }
            Place::Text(reg) => self.texts[self.base.texts + reg as usize] = None,
        }
    }

    /// Registers for another routine, all unset; the first of them.
    pub(super) fn grow(&mut self, size: FrameSize) -> Base {
        let base = Base {
            numbers: self.numbers.len(),
            bits: self.bits.len(),
            tables: self.tables.len(),
            texts: self.texts.len(),
        };
        self.numbers.resize(base.numbers + size.numbers as usize, 0);
        self.numbers_set.resize(base.numbers + size.numbers as usize, false);
        self.bits.resize_with(base.bits + size.bits as usize, BitsSlot::default);
        self.tables.resize_with(base.tables + size.tables as usize, TableSlot::default);
        self.texts.resize(base.texts + size.texts as usize, None);
        base
    }

    /// A variable takes a value whose bytes are counted already; one of another kind is not taken.
    pub(super) fn put_value(&mut self, place: Place, held: Held) {
        match held {
            Held::Nothing => {}
            Held::Int(number) => self.put_number(place, number),
            Held::Bool(truth) => self.put_number(place, i64::from(truth)),
            Held::Slice(bits) | Held::Word(bits) => {
                if let Some(reg) = place.bits() {
                    self.bits_slot_mut(reg).put(bits);
                }
            }
            Held::Table(table) => {
                if let Some(reg) = place.table() {
                    self.table_slot_mut(reg).table = Holding::Shared(table);
                }
            }
            Held::Handle(kept) => {
                if let Place::Handle(reg) = place {
                    self.table_slot_mut(reg).table = kept.into();
                }
            }
            Held::Text(text) => {
                if let Some(reg) = place.text() {
                    self.texts[self.base.texts + reg as usize] = Some(text);
                }
            }
        }
    }

    fn put_number(&mut self, place: Place, number: i64) {
        if let Some(reg) = place.number() {
            self.set(reg, number);
        }
    }

    /// What a variable holds, taken out.
    pub(super) fn take_value(&mut self, place: Place) -> Held {
        let held = match place {
            Place::Int(reg) => self.take_number(reg).map(Held::Int),
            Place::Bool(reg) => self.take_number(reg).map(|number| Held::Bool(number != 0)),
            Place::Slice(reg) => self.bits_slot_mut(reg).take().map(Held::Slice),
            Place::Word(reg) => self.bits_slot_mut(reg).take().map(Held::Word),
            Place::Table(reg) => {
                let table = std::mem::take(&mut self.table_slot_mut(reg).table);
                table.into_shared().map(Held::Table)
            }
            Place::Text(reg) => self.texts[self.base.texts + reg as usize].take().map(Held::Text),
            Place::Handle(reg) => {
                let kept = std::mem::take(&mut self.table_slot_mut(reg).table);
                kept.into_kept().map(Held::Handle)
            }
        };
        held.unwrap_or(Held::Nothing)
    }

    fn take_number(&mut self, reg: Reg) -> Option<i64> {
        let at = self.base.numbers + reg as usize;
        std::mem::take(&mut self.numbers_set[at]).then(|| self.numbers[at])
    }

    /// A register takes bits that were asked for and count from now on.
    pub(super) fn put_new_bits(&mut self, reg: Reg, bits: BitVector) {
        let before = self.bits_slot(reg).n_bytes();
        self.room.exchange(before, bytes_of(bits.len()));
        self.bits_slot_mut(reg).put(bits);
    }
}
