//! `print`, `read`, `write`: what the world outside does for a program.

use star_base::BitTable;
use star_base::limbs::OutOfMemory;
use star_ir::{LimitKind, Operand, TrapKind};

use super::code::{FileUse, Place, Reg};
use super::machine::{Holding, Machine};
use super::value::Held;
use crate::backend::HostError;
use crate::checks::Sight;
use crate::display::{self, Shown};
use crate::stop::{Step, Stop, broken};
use crate::value::{HostRef, HostValue};

impl Machine<'_, '_, '_> {
    pub(super) fn print(&mut self, items: &[Operand]) -> Step<()> {
        let mut shown = Vec::new();
        for item in items {
            shown.push(match item {
                Operand::Var(var) => {
                    let place = self.routine()?.places.get(var.0 as usize);
                    let shown = place.and_then(|place| self.shown(*place));
                    shown.ok_or_else(|| broken("a value that cannot be printed"))?
                }
                Operand::Int(number) => Shown::Int(*number),
                Operand::Bool(truth) => Shown::Bool(*truth),
                Operand::Str(text) => Shown::Str(text),
            });
        }
        let line = display::print_line(&shown);
        let output = (self.control.stats.output_bytes).saturating_add(line.len() as u64);
        if let Some(limit) = self.control.limits.output.filter(|&limit| output > limit) {
            return Err(Stop::Limit(LimitKind::Output { limit }));
        }
        self.control.host.print(&line).map_err(file_trap)?;
        self.control.stats.output_bytes = output;
        Ok(())
    }

    /// A table that was read does not grow.
    pub(super) fn read(&mut self, file: &FileUse) -> Step<()> {
        let name = self.text(&file.file)?;
        let layout = file.layout.as_ref().map(|layout| self.text(layout)).transpose()?;
        let max_bytes = Some(self.room.free());
        let value = (self.control.host)
            .read(&name, layout.as_deref(), file.ty, max_bytes)
            .map_err(file_trap)?;
        let held = Held::from_host(value);
        if held.ty().is_none_or(|ty| !ty.same_kind(file.ty)) {
            return Err(broken("a file gave another value"));
        }
        self.room.ask(held.n_bytes())?;
        self.room.take(held.n_bytes());
        match (file.var, held) {
            (Place::Slice(reg) | Place::Word(reg), Held::Slice(bits) | Held::Word(bits)) => {
                let before = self.bits_slot(reg).n_bytes();
                self.room.give(before);
                let slot = self.bits_slot_mut(reg);
                slot.bits = bits;
                slot.is_set = true;
                slot.zeros = 0;
            }
            (Place::Table(reg), Held::Table(table)) => {
                self.put_table(reg, Holding::Shared(table));
                self.table_slot_mut(reg).fixed = true;
            }
            _ => return Err(broken("a file gave another value")),
        }
        Ok(())
    }

    pub(super) fn write(&mut self, file: &FileUse) -> Step<()> {
        let name = self.text(&file.file)?;
        let turned: BitTable;
        let value = match file.var {
            Place::Slice(reg) => HostRef::Slice(&self.bits[self.base.bits + reg as usize].bits),
            Place::Word(reg) => HostRef::Word(&self.bits[self.base.bits + reg as usize].bits),
            Place::Table(reg) => {
                let table = self.tables[self.base.tables + reg as usize].table.get();
                let table = table.ok_or_else(|| broken("a table that was never set"))?;
                match table.as_columns() {
                    Some(form) => HostRef::Table(form),
                    None => {
                        let made = table.to_host(&self.spread)?;
                        let bytes = table.n_bytes();
                        let alive = self.room.alive();
                        let refused = || self.room.refused(alive, alive.saturating_add(bytes));
                        turned = made.ok_or_else(refused)?;
                        HostRef::Table(&turned)
                    }
                }
            }
            Place::Int(_) | Place::Bool(_) | Place::Text(_) | Place::Handle(_) => {
                return Err(broken("a value that cannot be written"));
            }
        };
        self.control.host.write(&name, value).map_err(file_trap)
    }

    pub(super) fn set_text(&mut self, dst: Reg, text: &[Operand]) -> Step<()> {
        let text = text.first().ok_or_else(|| broken("no text"))?;
        let text = self.text(text)?;
        self.texts[self.base.texts + dst as usize] = Some(text);
        Ok(())
    }
}

impl Held {
    /// Bytes of packed bits.
    pub(super) fn n_bytes(&self) -> u64 {
        match self {
            Held::Nothing | Held::Int(_) | Held::Bool(_) | Held::Text(_) => 0,
            Held::Slice(bits) | Held::Word(bits) => super::value::bytes_of(bits.len()),
            Held::Table(table) => table.n_bytes(),
            Held::Handle(kept) => kept.n_bytes(),
        }
    }

    /// The value as a host takes it. No flag is set while it is made.
    ///
    /// # Errors
    /// If the system refuses the memory.
    pub(super) fn to_host(
        &self,
        spread: &super::spread::Spread<'_>,
    ) -> Result<HostValue, OutOfMemory> {
        Ok(match self {
            Held::Nothing | Held::Handle(_) => HostValue::Unset,
            Held::Int(number) => HostValue::Int(*number),
            Held::Bool(truth) => HostValue::Bool(*truth),
            Held::Text(text) => HostValue::Str(text.to_string()),
            Held::Slice(bits) => HostValue::Slice(bits.try_clone()?),
            Held::Word(bits) => HostValue::Word(bits.try_clone()?),
            Held::Table(table) => match table.to_host(spread) {
                Ok(Some(table)) => HostValue::Table(table),
                Ok(None) | Err(_) => {
                    return Err(OutOfMemory { n_bytes: u128::from(table.n_bytes()) });
                }
            },
        })
    }
}

fn file_trap(error: HostError) -> Stop {
    let HostError { code, message } = error;
    Stop::Trap(TrapKind::File { code, message })
}
