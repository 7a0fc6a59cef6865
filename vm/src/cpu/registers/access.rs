//! Register access for instructions.

use star_value::BitVector;

use crate::cpu::code::FrameSize;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::{Number, Reg, RegRef, Size};
use crate::cpu::registers::{Base, BitsSlot, CowTable, MOST_KEPT_BYTES, TableSlot};
use crate::cpu::table::Table;
use crate::cpu::table::form::bytes_of;
use crate::cpu::value::ValueData;
use crate::interrupt::{Exec, internal_error};

impl Interpreter<'_, '_, '_> {
    #[inline]
    pub(in crate::cpu) fn number(&self, number: Number) -> i64 {
        self.numbers[self.base.numbers + number.0 as usize]
    }

    #[inline]
    pub(in crate::cpu) fn set(&mut self, reg: Reg, value: i64) {
        let at = self.base.numbers + reg as usize;
        self.numbers[at] = value;
        self.numbers_set[at] = true;
    }

    /// Returns the index of a bits register among those of all frames.
    #[inline]
    pub(in crate::cpu) fn bits_at(&self, reg: Reg) -> usize {
        self.base.bits + reg as usize
    }

    /// Returns the index of a table register among those of all frames.
    #[inline]
    pub(in crate::cpu) fn table_at(&self, reg: Reg) -> usize {
        self.base.tables + reg as usize
    }

    #[inline]
    pub(in crate::cpu) fn bits(&self, reg: Reg) -> &BitVector {
        &self.bits[self.base.bits + reg as usize].bits
    }

    #[inline]
    pub(in crate::cpu) fn bits_slot(&self, reg: Reg) -> &BitsSlot {
        &self.bits[self.base.bits + reg as usize]
    }

    #[inline]
    pub(in crate::cpu) fn bits_slot_mut(&mut self, reg: Reg) -> &mut BitsSlot {
        &mut self.bits[self.base.bits + reg as usize]
    }

    #[inline]
    pub(in crate::cpu) fn table_slot(&self, reg: Reg) -> &TableSlot {
        &self.tables[self.base.tables + reg as usize]
    }

    #[inline]
    pub(in crate::cpu) fn table_slot_mut(&mut self, reg: Reg) -> &mut TableSlot {
        &mut self.tables[self.base.tables + reg as usize]
    }

    pub(in crate::cpu) fn table(&self, reg: Reg) -> Exec<&Table> {
        let table = self.table_slot(reg).table.get();
        table.ok_or_else(|| internal_error("a table that was never set"))
    }

    /// Returns a size; `None` if the measured variable has no known size.
    #[inline(always)]
    pub(in crate::cpu) fn size(&self, size: Size) -> Option<u64> {
        match size {
            Size::Value(number) => u64::try_from(self.number(number)).ok(),
            Size::Length(reg) => {
                let slot = self.bits_slot(reg);
                if slot.is_set {
                    Some((slot.bits.len() + slot.elsewhere) as u64)
                } else {
                    slot.size.map(|size| size as u64)
                }
            }
            Size::Rows(reg) => {
                let slot = self.table_slot(reg);
                slot.table.get().map(|table| (table.n_rows() + slot.elsewhere) as u64)
            }
            Size::Columns(reg) => {
                self.table_slot(reg).table.get().map(|table| table.n_cols() as u64)
            }
        }
    }

    /// Returns a size that is known and fits in memory.
    pub(in crate::cpu) fn known_size(&self, size: Size) -> Exec<usize> {
        let known = self.size(size).and_then(|size| usize::try_from(size).ok());
        known.ok_or_else(|| internal_error("a size that is not known"))
    }

    /// Unsets a variable and forgets its size.
    pub(in crate::cpu) fn unset(&mut self, place: RegRef) {
        match place {
            RegRef::Int(reg) | RegRef::Bool(reg) => {
                self.numbers_set[self.base.numbers + reg as usize] = false;
            }
            RegRef::Slice(reg) | RegRef::Word(reg) => {
                let slot = &mut self.bits[self.base.bits + reg as usize];
                self.budget.release(slot.n_bytes());
                if slot.n_bytes() > MOST_KEPT_BYTES {
                    self.budget.recycle_bits(std::mem::take(&mut slot.bits));
                    slot.known.forget();
                }
                slot.is_set = false;
                slot.size = None;
            }
            RegRef::Table(reg) => {
                let table = std::mem::take(&mut self.table_slot_mut(reg).table);
                self.release(table);
            }
            RegRef::Handle(reg) => self.put_handle(reg, None),
            RegRef::Text(reg) => self.texts[self.base.texts + reg as usize] = None,
        }
    }

    /// Adds unset registers for another routine and returns the first of them.
    pub(in crate::cpu) fn grow(&mut self, size: FrameSize) -> Base {
        let base = Base {
            numbers: self.numbers.len(),
            bits: self.n_bits,
            tables: self.tables.len(),
            texts: self.texts.len(),
            handles: self.handles.len(),
        };
        self.numbers.resize(base.numbers + size.numbers as usize, 0);
        self.numbers_set.resize(base.numbers + size.numbers as usize, false);
        self.n_bits = base.bits + size.bits as usize;
        for slot in self.bits.iter_mut().take(self.n_bits).skip(base.bits) {
            slot.renew();
            if let Some(n_bytes) = slot.long_bytes() {
                self.long_bytes_of_gone -= n_bytes;
                self.paths.slices_kept += 1;
            }
        }
        if self.bits.len() < self.n_bits {
            self.bits.resize_with(self.n_bits, BitsSlot::default);
        }
        self.tables.resize_with(base.tables + size.tables as usize, TableSlot::default);
        self.texts.resize(base.texts + size.texts as usize, None);
        self.handles.resize(base.handles + size.handles as usize, None);
        base
    }

    /// Stores a value whose bytes are already counted; a value of another kind is ignored.
    pub(in crate::cpu) fn put_value(&mut self, place: RegRef, data: ValueData) {
        match data {
            ValueData::Nothing => {}
            ValueData::Int(number) => self.put_number(place, number),
            ValueData::Bool(truth) => self.put_number(place, i64::from(truth)),
            ValueData::Slice(bits) | ValueData::Word(bits) => {
                if let Some(reg) = place.bits() {
                    self.bits_slot_mut(reg).put(bits);
                }
            }
            ValueData::Table(table) => {
                if let Some(reg) = place.table() {
                    self.table_slot_mut(reg).table = CowTable::Shared(table);
                }
            }
            ValueData::Handle(handle) => {
                if let RegRef::Handle(reg) = place {
                    self.put_handle(reg, Some(handle));
                }
            }
            ValueData::Text(text) => {
                if let Some(reg) = place.text() {
                    self.texts[self.base.texts + reg as usize] = Some(text);
                }
            }
        }
    }

    fn put_number(&mut self, place: RegRef, number: i64) {
        if let Some(reg) = place.number() {
            self.set(reg, number);
        }
    }

    /// Removes and returns the value of a variable.
    pub(in crate::cpu) fn take_value(&mut self, place: RegRef) -> ValueData {
        let data = match place {
            RegRef::Int(reg) => self.take_number(reg).map(ValueData::Int),
            RegRef::Bool(reg) => self.take_number(reg).map(|number| ValueData::Bool(number != 0)),
            RegRef::Slice(reg) => self.bits_slot_mut(reg).take().map(ValueData::Slice),
            RegRef::Word(reg) => self.bits_slot_mut(reg).take().map(ValueData::Word),
            RegRef::Table(reg) => {
                let table = std::mem::take(&mut self.table_slot_mut(reg).table);
                table.into_shared().map(ValueData::Table)
            }
            RegRef::Text(reg) => {
                self.texts[self.base.texts + reg as usize].take().map(ValueData::Text)
            }
            RegRef::Handle(reg) => {
                self.handles[self.base.handles + reg as usize].take().map(ValueData::Handle)
            }
        };
        data.unwrap_or(ValueData::Nothing)
    }

    fn take_number(&mut self, reg: Reg) -> Option<i64> {
        let at = self.base.numbers + reg as usize;
        std::mem::take(&mut self.numbers_set[at]).then(|| self.numbers[at])
    }

    /// Stores bits that were allocated but not yet counted; they count from now on.
    pub(in crate::cpu) fn put_new_bits(&mut self, reg: Reg, bits: BitVector) {
        let before = self.bits_slot(reg).n_bytes();
        self.budget.exchange(before, bytes_of(bits.len()));
        self.bits_slot_mut(reg).put(bits);
    }
}
