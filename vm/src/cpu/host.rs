//! `print`, `read` and `write`: services of the host for a program.

use star_ir::{LimitKind, Operand, PrintItem, TrapKind};
use star_value::display::{self, Shown};
use star_value::{BitTable, BitsRef, SparseTable};

use super::code::FileUse;
use super::interpreter::Interpreter;
use super::operand::{Reg, RegRef};
use super::registers::CowTable;
use super::shown::Seen;
use super::value::ValueData;
use crate::backend::HostError;
use crate::checks::GuardContext;
use crate::interrupt::{Exec, Stop, internal_error};

impl Interpreter<'_, '_, '_> {
    pub(super) fn print(&mut self, items: &[PrintItem]) -> Exec<()> {
        let mut names = Vec::new();
        for item in items {
            names.push(match item {
                PrintItem::Name(row) => self.name(row)?,
                PrintItem::Value(_) => None,
            });
        }
        let mut seen = Vec::new();
        for (item, name) in items.iter().zip(&names) {
            if let Some(name) = name {
                seen.push(Seen::Ready(Shown::Str(name)));
                continue;
            }
            seen.push(match item.operand() {
                Operand::Var(var) => {
                    let place = self.routine()?.places.get(var.0 as usize);
                    let place = place.ok_or_else(|| internal_error("an unknown variable"))?;
                    self.seen(*place)?
                        .ok_or_else(|| internal_error("a value that cannot be printed"))?
                }
                Operand::Int(number) => Seen::Ready(Shown::Int(*number)),
                Operand::Bool(truth) => Seen::Ready(Shown::Bool(*truth)),
                Operand::Str(text) => Seen::Ready(Shown::Str(text)),
            });
        }
        let shown: Vec<_> = seen.iter().map(Seen::shown).collect();
        let line = display::print_line(&shown);
        let output = (self.control.stats.output_bytes).saturating_add(line.len() as u64);
        if let Some(limit) = self.control.limits.output.filter(|&limit| output > limit) {
            return Err(Stop::Limit(LimitKind::Output { limit }));
        }
        self.control.host.print(&line).map_err(file_trap)?;
        self.control.stats.output_bytes = output;
        Ok(())
    }

    /// Returns the name of a vertex, if it has one.
    fn name(&self, row: &Operand) -> Exec<Option<String>> {
        let row = match row {
            Operand::Int(row) => *row,
            Operand::Var(var) => {
                let place = self.routine()?.places.get(var.0 as usize);
                let place = place.ok_or_else(|| internal_error("an unknown variable"))?;
                match self.seen(*place)? {
                    Some(Seen::Ready(Shown::Int(row))) => row,
                    _ => return Err(internal_error("the row of a vertex is not an integer")),
                }
            }
            Operand::Bool(_) | Operand::Str(_) => {
                return Err(internal_error("the row of a vertex is not an integer"));
            }
        };
        Ok(self.control.host.name(row))
    }

    /// A table that was read from a file does not grow.
    pub(super) fn read(&mut self, file: &FileUse) -> Exec<()> {
        let name = self.text(&file.file)?;
        let layout = file.layout.as_ref().map(|layout| self.text(layout)).transpose()?;
        let max_bytes = Some(self.budget.available());
        let value = (self.control.host)
            .read(&name, layout.as_deref(), file.ty, max_bytes)
            .map_err(file_trap)?;
        let data = ValueData::from_host(value);
        if data.ty().is_none_or(|ty| !ty.same_kind(file.ty)) {
            return Err(internal_error("a file with a value of another kind"));
        }
        self.budget.reserve(data.n_bytes())?;
        match data {
            ValueData::Slice(bits) | ValueData::Word(bits) => {
                let reg = file.var.bits().ok_or_else(|| {
                    internal_error(
                        "bits of a file for a \
                    variable of another kind",
                    )
                })?;
                self.put_new_bits(reg, bits);
            }
            ValueData::Table(table) => {
                let reg = file.var.table().ok_or_else(|| {
                    internal_error(
                        "a table of a file for a \
                    variable of another kind",
                    )
                })?;
                self.budget.commit(table.n_bytes());
                self.put_table(reg, CowTable::Shared(table));
                self.table_slot_mut(reg).fixed = true;
            }
            ValueData::Nothing
            | ValueData::Int(_)
            | ValueData::Bool(_)
            | ValueData::Text(_)
            | ValueData::Handle(_) => {
                return Err(internal_error("a file with a value of another kind"));
            }
        }
        Ok(())
    }

    pub(super) fn write(&mut self, file: &FileUse) -> Exec<()> {
        let name = self.text(&file.file)?;
        let (transposed, sparse): (BitTable, SparseTable);
        let value = match file.var {
            RegRef::Slice(reg) => BitsRef::Slice(&self.bits[self.base.bits + reg as usize].bits),
            RegRef::Word(reg) => BitsRef::Word(&self.bits[self.base.bits + reg as usize].bits),
            RegRef::Table(reg) => {
                let table = self.tables[self.base.tables + reg as usize].table.get();
                let table = table.ok_or_else(|| internal_error("a table that was never set"))?;
                match table.as_columns() {
                    Some(form) => form.into(),
                    None => {
                        let bytes = table.dense_bytes();
                        let refused = || self.budget.no_memory_for(bytes);
                        let available = self.budget.available();
                        if table.is_sparse() && bytes > available {
                            let fits = table.n_bytes() <= available;
                            let copy = fits.then(|| table.copy_of_sparse()).flatten();
                            sparse = copy.ok_or_else(refused)?;
                            BitsRef::from(&sparse)
                        } else {
                            let made = table.to_host(&self.parallelism)?;
                            transposed = made.ok_or_else(refused)?;
                            BitsRef::from(&transposed)
                        }
                    }
                }
            }
            RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_) | RegRef::Handle(_) => {
                return Err(internal_error("a value that cannot be written"));
            }
        };
        self.control.host.write(&name, value).map_err(file_trap)
    }

    pub(super) fn set_text(&mut self, dst: Reg, text: &[PrintItem]) -> Exec<()> {
        let text = text.first().ok_or_else(|| internal_error("not a text"))?;
        let text = self.text(text.operand())?;
        self.texts[self.base.texts + dst as usize] = Some(text);
        Ok(())
    }
}

fn file_trap(error: HostError) -> Stop {
    let HostError { code, message } = error;
    Stop::Trap(TrapKind::File { code, message })
}
