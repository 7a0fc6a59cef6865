//! Instructions on partitioned tables.

use star_ir::{Query, Sense};

use crate::cpu::inst::{SizeInst, TableInst};
use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::{Number, Reg, Size};
use crate::cpu::table::form::Line;
use crate::interrupt::Exec;
use crate::tape::Answer;

impl Interpreter<'_, '_, '_> {
    /// Returns the rank that owns a row, and the row counted from the first one of this rank, if
    /// it is one of its rows; both from 0.
    fn own_row(&self, table: Reg, index: Number) -> Exec<(usize, Option<usize>)> {
        let idx = self.place(index, Size::Rows(table))?;
        let n = self.known_size(Size::Rows(table))?;
        let partition = &self.ranks()?.partition;
        let owner = partition.owner(n, idx);
        let own = (owner == partition.rank()).then(|| idx - partition.range(n, owner).start);
        Ok((owner, own))
    }

    /// Reads a row, which its owner broadcasts.
    pub(super) fn row_across(&mut self, dst: Reg, table: Reg, index: Number) -> Exec<()> {
        let (owner, own) = self.own_row(table, index)?;
        match own {
            Some(idx) => self.with_index(index, idx, |interpreter| {
                interpreter.line(dst, table, Line::Row, index)
            })?,
            None => {
                let n_cols = self.table(table)?.n_cols();
                self.fill(dst, n_cols, false)?;
            }
        }
        let mut row = std::mem::take(&mut self.bits_slot_mut(dst).bits);
        let done = self.broadcast("a row", owner, row.limbs_mut());
        let slot = self.bits_slot_mut(dst);
        slot.bits = row;
        slot.known.forget();
        done
    }

    /// Writes a row on the rank that owns it.
    pub(super) fn put_row_across(&mut self, table: Reg, index: Number, value: Reg) -> Exec<()> {
        match self.own_row(table, index)? {
            (_, Some(idx)) => self.with_index(index, idx, |interpreter| {
                interpreter.put_line(table, Line::Row, index, value)
            }),
            (_, None) => Ok(()),
        }
    }

    /// Runs an instruction on tables; see [`Interpreter::across_ranks`].
    pub(super) fn table_across(&mut self, inst: TableInst) -> Exec<bool> {
        match inst {
            TableInst::Copy { dst, src: table } | TableInst::Field { dst, table, .. } => {
                self.table_inst(inst)?;
                self.table_slot_mut(dst).elsewhere = self.table_slot(table).elsewhere;
                Ok(true)
            }
            TableInst::Bit { dst, table, row, column } if self.is_divided_table(table) => {
                let (owner, own) = self.own_row(table, row)?;
                let col_idx = self.place(column, Size::Columns(table))?;
                let bit = match own {
                    Some(row_idx) => self.table(table)?.bit(row_idx, col_idx),
                    None => false,
                };
                let mut bit = [u64::from(bit)];
                self.broadcast("a bit of a table", owner, &mut bit)?;
                self.set(dst, bit[0].cast_signed());
                Ok(true)
            }
            TableInst::PutBit { table, row, column, bit } if self.is_divided_table(table) => {
                if let (_, Some(row_idx)) = self.own_row(table, row)? {
                    let col_idx = self.place(column, Size::Columns(table))?;
                    let bit = self.bit(bit)?;
                    self.put_bit(table, (row_idx, col_idx), bit)?;
                }
                Ok(true)
            }
            TableInst::New { dst, rows, columns } => {
                let rows = self.known_size(Size::Value(rows))?;
                let columns = self.known_size(Size::Value(columns))?;
                self.new_part(dst, rows, columns)?;
                Ok(true)
            }
            TableInst::Extreme { dst, table, mask, sense, first: _ } => {
                self.bits_slot_mut(dst).elsewhere = self.bits_slot(mask).elsewhere;
                self.table_inst(inst)?;
                if self.is_divided_table(table) {
                    self.extreme_of_ranks(dst, table, sense)?;
                }
                Ok(true)
            }
            TableInst::CountColumn { count, table, column, mask }
                if self.is_divided_table(table) =>
            {
                self.bits_slot_mut(column).elsewhere = self.table_slot(table).elsewhere;
                let count = self.routine()?.counts[count as usize];
                let n_ones = self.count_column(count, [table, column, mask])?;
                let answer = self.answer_of_ranks(Answer::Count(n_ones), column)?;
                self.set(count.dst, answer.to(Query::Count));
                Ok(true)
            }
            TableInst::Part { dst, .. } => {
                self.table_inst(inst)?;
                self.table_slot_mut(dst).elsewhere = 0;
                self.keep_rows(dst)?;
                Ok(true)
            }
            // A handle holds whole tables.
            TableInst::PutPart { value, .. } => {
                self.make_table_whole(value)?;
                self.table_inst(inst)?;
                self.keep_rows(value)?;
                Ok(true)
            }
            TableInst::Bit { .. }
            | TableInst::CountColumn { .. }
            | TableInst::PutBit { .. }
            | TableInst::CopyHandle { .. }
            | TableInst::PutField { .. } => Ok(false),
        }
    }

    /// Runs an instruction that assigns a size; see [`Interpreter::across_ranks`].
    pub(super) fn size_across(&mut self, inst: SizeInst) -> Exec<bool> {
        let (table, rows, columns) = match inst {
            SizeInst::SetRows { table, rows } => (table, rows, None),
            SizeInst::Init { table, rows, columns } => {
                (table, Size::Value(rows), Some(Size::Value(columns)))
            }
            SizeInst::Latch { .. }
            | SizeInst::EnsureColumns { .. }
            | SizeInst::Adapt { .. }
            | SizeInst::Fix { .. } => return Ok(false),
        };
        if self.table_slot(table).table.is_none() {
            let rows = self.known_size(rows)?;
            let columns = columns.map_or(Ok(0), |columns| self.known_size(columns))?;
            self.new_part(table, rows, columns)?;
        }
        Ok(true)
    }

    /// Stores the rows of this rank of a table of zeros in a register.
    fn new_part(&mut self, dst: Reg, rows: usize, columns: usize) -> Exec<()> {
        let n_own = self.ranks()?.partition.own(rows).map_or(rows, |own| own.len());
        self.new_table(dst, n_own, columns)?;
        self.table_slot_mut(dst).elsewhere = rows - n_own;
        Ok(())
    }

    /// Clears `dst`, the rows of this rank with its extreme word, unless that is the extreme word
    /// of all ranks.
    fn extreme_of_ranks(&mut self, dst: Reg, table: Reg, sense: Sense) -> Exec<()> {
        let n_word = self.table(table)?.n_cols().div_ceil(64);
        // Whether there is a word, and the word.
        let mut word = vec![0; 1 + n_word];
        let first = self.first_from(dst, 0)?;
        if let Some(row_idx) = first {
            word[0] = 1;
            let Interpreter { parallelism, .. } = &*self;
            self.table(table)?.read(Line::Row, row_idx, &mut word[1..], parallelism, false)?;
        }
        let (exchange, place) = self.exchange("the extreme words of ranks", word.len())?;
        let lens = vec![word.len(); exchange.n_ranks()];
        let words = exchange.gather(place, &word, &lens).map_err(super::lost)?;
        let kernels = self.parallelism.kernels;
        let is_better = words.chunks_exact(word.len()).any(|other| {
            let ordering = kernels.compare(&other[1..], &word[1..]);
            other[0] == 1
                && match sense {
                    Sense::Min => ordering.is_lt(),
                    Sense::Max => ordering.is_gt(),
                }
        });
        if is_better && first.is_some() {
            let n_own = self.bits(dst).len();
            self.fill(dst, n_own, false)?;
        }
        Ok(())
    }
}
