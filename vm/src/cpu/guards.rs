//! Guards: fast tests; the text of a trap comes from the checks that all backends share.

use std::sync::Arc;

use star_ir::{Check, HandlePart, IntOp, Names, Operand, SizeOperand, VarId};

use super::interpreter::Interpreter;
use super::operand::{Number, Reg, RegRef, Size, Test};
use super::value::handle::Handle;
use crate::checks::{self, GuardContext};
use crate::interrupt::{Exec, Stop, internal_error};
use crate::scalars;

impl Interpreter<'_, '_, '_> {
    /// Was the variable set?
    pub(super) fn holds_value(&self, place: RegRef) -> bool {
        match place {
            RegRef::Int(reg) | RegRef::Bool(reg) => self.holds(Test::NumberSet(reg)),
            RegRef::Slice(reg) | RegRef::Word(reg) => self.holds(Test::BitsSet(reg)),
            RegRef::Table(reg) => self.holds(Test::TableSet(reg)),
            RegRef::Handle(reg) => self.holds(Test::HandleSet(reg)),
            RegRef::Text(reg) => self.holds(Test::TextSet(reg)),
        }
    }

    /// Does the guard hold?
    #[inline(always)]
    pub(super) fn holds(&self, test: Test) -> bool {
        match test {
            Test::NumberSet(reg) => self.numbers_set[self.base.numbers + reg as usize],
            Test::BitsSet(reg) => self.bits_slot(reg).is_set,
            Test::TableSet(reg) => !self.table_slot(reg).table.is_none(),
            Test::TextSet(reg) => self.texts[self.base.texts + reg as usize].is_some(),
            Test::HandleSet(reg) => self.handle_slot(reg).is_some(),
            Test::HandlePart(reg, part) => self.holds_part(reg, part),
            Test::BitsSized(reg) => {
                let slot = self.bits_slot(reg);
                slot.is_set || slot.size.is_some()
            }
            Test::Index(index, limit) => {
                let index = self.number(index);
                index >= 1 && index as u64 <= self.size(limit).unwrap_or(0)
            }
            Test::NewColumn(table, index) => {
                let index = self.number(index);
                let columns = self.size(Size::Columns(table)).unwrap_or(0);
                index >= 1 && (!self.table_slot(table).fixed || index as u64 <= columns)
            }
            Test::Size(left, right) => self.sizes_agree(left, right),
            Test::Range { base, width, limit } => {
                let (base, width) = (self.number(base), self.number(width));
                let high = self.size(limit).unwrap_or(0);
                base >= 0 && width >= 0 && base as u64 + width as u64 <= high
            }
            Test::Int(op, left, right) => op.apply(self.number(left), self.number(right)).is_some(),
            Test::Bit(number) => matches!(self.number(number), 0 | 1),
            Test::NotNegative(number) => self.number(number) >= 0,
            Test::Fits { value, width } => {
                let width = self.number(width);
                width >= 0 && scalars::fits(self.number(value), width as usize)
            }
            Test::FitsRow { row, width: _ } => self.number(row) == 0,
            // If a flag interrupts the test, the check finds the flag.
            Test::FitsInt(word) => matches!(self.int_of(word), Ok(Some(_))),
            Test::Even(bits) => {
                self.size(Size::Length(bits)).is_some_and(|length| length.is_multiple_of(2))
            }
            Test::NoCarry(op, left, right) => {
                matches!(self.word_carries(op, left, right), Ok(false))
            }
            Test::Holds(number) => self.number(number) != 0,
        }
    }

    #[cold]
    fn holds_part(&self, reg: Reg, part: u32) -> bool {
        // Without an active routine, the check finds the fault.
        let part = self.routine().map(|routine| &routine.parts[part as usize]);
        part.is_ok_and(|part| self.has_handle_part(reg, part))
    }

    fn has_handle_part(&self, reg: Reg, part: &HandlePart) -> bool {
        let HandlePart { module, name } = part;
        let size = |handle: &Arc<Handle>| handle.size_of(module, name);
        self.handle_slot(reg).as_ref().and_then(size).is_some()
    }

    fn sizes_agree(&self, left: Size, right: Size) -> bool {
        let negative = |size| matches!(size, Size::Value(number) if self.number(number) < 0);
        if negative(left) || negative(right) {
            return false;
        }
        match (self.size(left), self.size(right)) {
            (Some(n), Some(m)) => n == m,
            (None, _) | (_, None) => true,
        }
    }

    /// Returns the end of the run at a guard that does not hold.
    #[cold]
    pub(super) fn trapped(&self, check: &Check) -> Exec<Stop> {
        match checks::check(self, check)? {
            Some(kind) => Ok(Stop::Trap(kind)),
            None => Err(internal_error("a guard that fails although its check holds")),
        }
    }

    fn place_of(&self, var: VarId) -> Exec<RegRef> {
        let places = &self.routine()?.places;
        let place = places.get(var.0 as usize).copied();
        place.ok_or_else(|| internal_error(format!("unknown variable number {}", var.0)))
    }

    fn bits_of(&self, var: VarId) -> Exec<Reg> {
        self.place_of(var)?.bits().ok_or_else(|| internal_error("neither a slice nor a word"))
    }

    fn table_of(&self, var: VarId) -> Exec<Reg> {
        self.place_of(var)?.table().ok_or_else(|| internal_error("not a table"))
    }
}

impl GuardContext for Interpreter<'_, '_, '_> {
    fn names(&self) -> Exec<Names<'_>> {
        let program = &self.code.program;
        let routine = program.routines.get(self.routine()?.id.0 as usize);
        let routine = routine.ok_or_else(|| internal_error("unknown routine"))?;
        Ok(Names { routine, place: program.locations.get(self.loc()) })
    }

    fn int(&self, operand: &Operand) -> Exec<i64> {
        match operand {
            Operand::Int(number) => Ok(*number),
            Operand::Bool(truth) => Ok(i64::from(*truth)),
            Operand::Var(var) => {
                let reg =
                    self.place_of(*var)?.number().ok_or_else(|| internal_error("not a number"))?;
                Ok(self.number(Number(reg)))
            }
            Operand::Str(_) => Err(internal_error("not a number")),
        }
    }

    fn boolean(&self, operand: &Operand) -> Exec<bool> {
        self.int(operand).map(|number| number != 0)
    }

    fn text(&self, operand: &Operand) -> Exec<Arc<str>> {
        match operand {
            Operand::Str(text) => Ok(text.clone()),
            Operand::Var(var) => {
                let reg =
                    self.place_of(*var)?.text().ok_or_else(|| internal_error("not a text"))?;
                let text = &self.texts[self.base.texts + reg as usize];
                text.clone().ok_or_else(|| internal_error("a text that was never set"))
            }
            Operand::Int(_) | Operand::Bool(_) => Err(internal_error("not a text")),
        }
    }

    fn measure(&self, measure: &SizeOperand) -> Exec<Option<u64>> {
        let size = match measure {
            SizeOperand::Length(var) => Size::Length(self.bits_of(*var)?),
            SizeOperand::Rows(var) => Size::Rows(self.table_of(*var)?),
            SizeOperand::Columns(var) => Size::Columns(self.table_of(*var)?),
            SizeOperand::Value(operand) => return Ok(u64::try_from(self.int(operand)?).ok()),
        };
        Ok(self.size(size))
    }

    fn is_table(&self, var: VarId) -> Exec<bool> {
        Ok(self.place_of(var)?.table().is_some())
    }

    fn is_set(&self, var: VarId) -> Exec<bool> {
        Ok(self.holds_value(self.place_of(var)?))
    }

    fn is_sized(&self, var: VarId) -> Exec<bool> {
        match self.place_of(var)?.bits() {
            Some(reg) => Ok(self.holds(Test::BitsSized(reg))),
            None => self.is_set(var),
        }
    }

    fn is_fixed(&self, var: VarId) -> Exec<bool> {
        Ok(self.table_slot(self.table_of(var)?).fixed)
    }

    fn has_part(&self, handle: VarId, part: &HandlePart) -> Exec<bool> {
        match self.place_of(handle)? {
            RegRef::Handle(reg) => Ok(self.has_handle_part(reg, part)),
            RegRef::Int(_)
            | RegRef::Bool(_)
            | RegRef::Slice(_)
            | RegRef::Word(_)
            | RegRef::Table(_)
            | RegRef::Text(_) => Err(internal_error("not a handle")),
        }
    }

    fn length(&self, bits: VarId) -> Exec<u64> {
        Ok(self.size(Size::Length(self.bits_of(bits)?)).unwrap_or(0))
    }

    fn fits_int(&self, word: VarId) -> Exec<bool> {
        Ok(self.int_of(self.bits_of(word)?)?.is_some())
    }

    fn carries(&self, op: IntOp, left: VarId, right: VarId) -> Exec<bool> {
        self.word_carries(op, self.bits_of(left)?, self.bits_of(right)?)
    }
}
