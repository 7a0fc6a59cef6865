//! Input and output: rank 0 prints, reads and writes, and tells the others how that ended.

use star_base::Code;
use star_ir::{LimitKind, Operand, PrintItem, TrapKind};
use star_value::{BitTable, BitVector, OutOfMemory};

use super::sparse::{decode, encode};
use super::unsupported;
use crate::cpu::code::FileUse;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::{Reg, RegRef};
use crate::cpu::registers::CowTable;
use crate::cpu::table::Table;
use crate::cpu::table::form::{Line, bytes_of};
use crate::interrupt::{Exec, Stop, internal_error};

/// The rank that has the host.
const HOST: usize = 0;

impl Interpreter<'_, '_, '_> {
    fn has_host(&self) -> Exec<bool> {
        Ok(self.ranks()?.partition.rank() == HOST)
    }

    /// Runs `work` on the rank with the host; all ranks end as it ends. The others get the number
    /// that it returns.
    fn on_host(
        &mut self,
        what: &'static str,
        work: impl FnOnce(&mut Self) -> Exec<u64>,
    ) -> Exec<u64> {
        let mut end = [0; 2];
        let mut stop = None;
        if self.has_host()? {
            match work(self) {
                Ok(number) => end = [0, number],
                Err(Stop::Trap(TrapKind::File { code, message })) => {
                    let code_idx = Code::ALL.iter().position(|known| *known == code);
                    end = [1, code_idx.unwrap_or(0) as u64];
                    stop = Some(Stop::Trap(TrapKind::File { code, message }));
                }
                Err(Stop::Limit(LimitKind::Output { limit })) => {
                    end = [2, limit];
                    stop = Some(Stop::Limit(LimitKind::Output { limit }));
                }
                // This rank alone ends here, and thereby the others.
                Err(other) => return Err(other),
            }
        }
        self.broadcast(what, HOST, &mut end)?;
        match (stop, end) {
            (Some(stop), _) => Err(stop),
            (None, [0, number]) => Ok(number),
            (None, [1, code]) => {
                let code = Code::ALL.get(code as usize).copied();
                let code = code.ok_or_else(|| internal_error("an unknown code"))?;
                // Only rank 0 shows the message.
                Err(Stop::Trap(TrapKind::File { code, message: String::new() }))
            }
            (None, [_, limit]) => Err(Stop::Limit(LimitKind::Output { limit })),
        }
    }

    pub(super) fn print_across(&mut self, items: &[PrintItem]) -> Exec<()> {
        let mut places = Vec::new();
        for item in items {
            if let Operand::Var(var) = item.operand() {
                places.extend(self.routine()?.places.get(var.0 as usize).copied());
            }
        }
        for place in &places {
            self.make_place_whole(*place)?;
        }
        let output = self.on_host("print", |interpreter| {
            interpreter.print(items)?;
            Ok(interpreter.control.stats.output_bytes)
        })?;
        self.control.stats.output_bytes = output;
        places.into_iter().try_for_each(|place| self.keep_part_of(place))
    }

    pub(super) fn write_across(&mut self, file: &FileUse) -> Exec<()> {
        self.make_place_whole(file.var)?;
        self.on_host("write", |interpreter| interpreter.write(file).map(|()| 0))?;
        self.keep_part_of(file.var)
    }

    /// Reads a file on the rank with the host, which broadcasts the value.
    pub(super) fn read_across(&mut self, file: &FileUse) -> Exec<()> {
        self.set_elsewhere(file.var, 0);
        self.on_host("read", |interpreter| interpreter.read(file).map(|()| 0))?;
        match file.var {
            RegRef::Slice(reg) | RegRef::Word(reg) => {
                let has_host = self.has_host()?;
                let n = if has_host { self.bits(reg).len() } else { 0 };
                let mut size = [n as u64];
                self.broadcast("the size of a file", HOST, &mut size)?;
                let n = size[0] as usize;
                let mut bits = match has_host {
                    true => self.second_bits(self.bits(reg))?,
                    false => {
                        self.budget.reserve(bytes_of(n))?;
                        BitVector::try_zeros(n).map_err(|wanted| self.out_of_memory(wanted))?
                    }
                };
                self.broadcast("a file", HOST, bits.limbs_mut())?;
                self.put_new_bits(reg, bits);
            }
            RegRef::Table(reg) => {
                let table = self.read_table(reg)?;
                if let Some(table) = table {
                    self.budget.commit(table.n_bytes());
                    self.put_table(reg, CowTable::Own(Box::new(table)));
                }
                self.table_slot_mut(reg).fixed = true;
            }
            RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_) | RegRef::Handle(_) => {
                return Err(unsupported("reading a file of this kind"));
            }
        }
        self.keep_part_of(file.var)
    }

    /// Returns the table in this register of the rank with the host; `None` on that rank if it
    /// is sparse.
    fn read_table(&mut self, reg: Reg) -> Exec<Option<Table>> {
        let has_host = self.has_host()?;
        let table = self.table_slot(reg).table.get().filter(|_| has_host);
        let (n_rows, n_cols) = table.map_or((0, 0), |table| (table.n_rows(), table.n_cols()));
        let encoded = table.and_then(Table::sparse_lines).map(encode);
        let by_rows = table.is_some_and(|table| table.lies_along(Line::Row));
        let n_encoded = encoded.as_ref().map_or(0, |limbs| limbs.len() as u64 + 1);
        let mut sizes = [n_rows as u64, n_cols as u64, u64::from(by_rows), n_encoded];
        self.broadcast("the size of a file", HOST, &mut sizes)?;
        let [n_rows, n_cols, by_rows, n_encoded] = sizes.map(|size| size as usize);
        if let Some(n_encoded) = n_encoded.checked_sub(1) {
            let mut limbs = encoded.unwrap_or_default();
            self.budget.reserve(8 * n_encoded as u64)?;
            limbs.resize(n_encoded, 0);
            self.broadcast("a file", HOST, &mut limbs)?;
            let (line, shape) = match by_rows {
                0 => (Line::Column, (n_rows, n_cols)),
                _ => (Line::Row, (n_cols, n_rows)),
            };
            let lines = match has_host {
                true => return Ok(None),
                false => decode(&limbs, shape)?,
            };
            let lines = lines.map_err(|refused| self.out_of_memory(refused))?;
            return Ok(Some(Table::of_sparse(lines, line)));
        }
        let bytes = bytes_of(n_rows).saturating_mul(n_cols as u64);
        self.budget.reserve(bytes)?;
        let refused = OutOfMemory { n_bytes: u128::from(bytes) };
        let zeros = BitTable::zeros(n_rows, n_cols);
        let mut table = zeros.map_err(|_| self.out_of_memory(refused))?;
        for idx in 0..n_cols {
            let column = table.column_limbs_mut(idx);
            if has_host {
                self.table(reg)?.read(Line::Column, idx, column, &self.parallelism, false)?;
            }
            self.broadcast("a file", HOST, column)?;
        }
        Ok(Some(Table::new(table)))
    }
}
