//! Allocation in the reference backend, subject to the memory limit and interrupts.
//!
//! [`MAX_BYTES`] applies in addition to any given limit, since this backend uses a byte per bit and
//! must not exhaust the host's memory; an allocation that the system refuses is reported as that
//! limit too.

use super::value::{Data, Handle, Table, bytes_of_bits};
use crate::budget::MemoryBudget;
use crate::interrupt::Exec;

/// Maximum number of bytes of values in this backend, counted as packed bits: 1 GiB.
pub const MAX_BYTES: u64 = 1 << 30;

/// Bits created between two polls of the flags.
const BITS_PER_POLL: usize = 1 << 20;

impl MemoryBudget<'_> {
    /// Creates bits; the one with index `idx`, from 0, is `bit(idx)`.
    pub(super) fn make(&mut self, len: usize, bit: impl Fn(usize) -> bool) -> Exec<Vec<bool>> {
        self.reserve(bytes_of_bits(len))?;
        self.fill(len, bit)
    }

    /// Creates a table; bit `col_idx` of row `row_idx`, both from 0, is `bit(row_idx, col_idx)`.
    pub(super) fn make_table(
        &mut self,
        rows: usize,
        columns: usize,
        bit: impl Fn(usize, usize) -> bool,
    ) -> Exec<Table> {
        let mut table = Table { rows, columns: Vec::new() };
        self.add_columns(&mut table, columns, bit)?;
        Ok(table)
    }

    /// Appends columns to the table; bit `col_idx` (from 0, among the new ones) of row `row_idx` is
    /// `bit(row_idx, col_idx)`. The table is unchanged if there is not enough memory.
    pub(super) fn add_columns(
        &mut self,
        table: &mut Table,
        columns: usize,
        bit: impl Fn(usize, usize) -> bool,
    ) -> Exec<()> {
        let column_bytes = bytes_of_bits(table.rows);
        // A column of no rows needs no limb, but a header of the host.
        let header_bytes = (size_of::<Vec<bool>>() / 8) as u64;
        let taken = (columns as u64).saturating_mul(column_bytes.max(header_bytes));
        if self.alive().saturating_add(taken) > MAX_BYTES {
            return Err(self.refused(self.limit(), self.alive().saturating_add(taken)));
        }
        self.reserve((columns as u64).saturating_mul(column_bytes))?;
        let before = table.columns.len();
        if table.columns.try_reserve(columns).is_err() {
            return Err(self.refused(MAX_BYTES, self.alive().saturating_add(taken)));
        }
        for col_idx in 0..columns {
            let made =
                self.poll().and_then(|()| self.fill(table.rows, |row_idx| bit(row_idx, col_idx)));
            match made {
                Ok(column) => table.columns.push(column),
                Err(stop) => {
                    table.columns.truncate(before);
                    return Err(stop);
                }
            }
        }
        Ok(())
    }

    /// Returns a copy.
    pub(super) fn copy(&mut self, data: &Data) -> Exec<Data> {
        Ok(match data {
            Data::Int(number) => Data::Int(*number),
            Data::Bool(truth) => Data::Bool(*truth),
            Data::Str(text) => Data::Str(text.clone()),
            Data::Slice(bits) => Data::Slice(self.make(bits.len(), |idx| bits[idx])?),
            Data::Word(bits) => Data::Word(self.make(bits.len(), |idx| bits[idx])?),
            Data::Table(table) => Data::Table(self.copy_table(table)?),
            Data::Handle(Handle { module, parts }) => {
                // All parts together; each part needs less.
                self.reserve(data.bytes())?;
                let copies = parts
                    .iter()
                    .map(|(name, table)| self.copy_table(table).map(|table| (name.clone(), table)));
                let parts = copies.collect::<Exec<_>>()?;
                Data::Handle(Handle { module: module.clone(), parts })
            }
        })
    }

    pub(super) fn copy_table(&mut self, table: &Table) -> Exec<Table> {
        self.make_table(table.rows, table.columns.len(), |row_idx, col_idx| {
            table.columns[col_idx][row_idx]
        })
    }

    /// Creates bits for which memory is reserved.
    fn fill(&self, len: usize, bit: impl Fn(usize) -> bool) -> Exec<Vec<bool>> {
        let mut bits = Vec::new();
        if bits.try_reserve_exact(len).is_err() {
            let wanted = self.alive().saturating_add(bytes_of_bits(len));
            return Err(self.refused(MAX_BYTES, wanted));
        }
        while bits.len() < len {
            self.poll()?;
            let from = bits.len();
            let to = len.min(from + BITS_PER_POLL);
            bits.extend((from..to).map(&bit));
        }
        Ok(bits)
    }
}
