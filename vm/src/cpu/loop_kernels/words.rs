//! Kernels that search for the rows that hold a word, or store a word in some rows, and the index
//! of a table: see Note [Inverted index] in `table/index`.

use super::super::interpreter::Interpreter;
use super::super::operand::Reg;
use super::super::settings::Settings;
use super::super::summary::Blocks;
use super::super::table::{Becomes, Table};
use super::run::Indices;
use super::sparse_mask::MaskedIterations;
use super::{LoopKernel, Port, Source};
use crate::interrupt::Exec;
use crate::tape::{Given, PortId, Tape};

/// A search or merge of a word, if the iterations visit all columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowsAndWord {
    table: Reg,
    word: Reg,
    slice: Reg,
    action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Removes the rows that do not hold the word from the slice.
    Search,
    /// Stores the word in the rows of the slice.
    Merge,
}

impl RowsAndWord {
    /// `kernel` is complete except for this.
    pub(super) fn of(kernel: &LoopKernel, tapes: &[Tape]) -> Option<RowsAndWord> {
        let [word] = kernel.words[..] else { return None };
        let rows = |slice: &Port, column: &Port, action| match (slice.source, column.source) {
            (Source::Slice(slice), Source::Column(table, None)) => {
                Some(RowsAndWord { table, word, slice, action })
            }
            (Source::Slice(_) | Source::Column(..), _) => None,
        };
        let port = |PortId(idx)| &kernel.ports[idx as usize];
        if let Some(narrowing) = &kernel.narrowing {
            let (slice, column) = narrowing.of_word()?;
            return rows(port(slice), port(column), Action::Search);
        }
        let mut written = (0..kernel.ports.len()).filter(|idx| kernel.ports[*idx].is_written);
        let (Some(column), None) = (written.next(), written.next()) else { return None };
        let mask = (0..kernel.ports.len()).find(|mask| {
            let takes = |tape: &Tape, bit| {
                let given = |is_marked| tape.given(PortId(*mask as u32), is_marked)[column];
                given(false) == Given::Kept && given(true) == bit
            };
            matches!(kernel.ports[*mask].source, Source::Slice(_))
                && takes(&tapes[0], Given::Zeros)
                && takes(&tapes[1], Given::Ones)
        });
        rows(&kernel.ports[mask?], &kernel.ports[column], Action::Merge)
    }
}

impl Interpreter<'_, '_, '_> {
    /// Tests whether a loop that is about to begin searches a table that has an index of its rows,
    /// or should have one. Recorded operations must be executed before the index is used.
    pub(in crate::cpu) fn wants_index(&mut self, kernel: &LoopKernel) -> bool {
        let Settings { indexed_limbs, index_after, .. } = self.parallelism.settings;
        let is_masked = |search: &RowsAndWord| {
            let mask = kernel.few.as_ref().and_then(|few| few.mask());
            search.action == Action::Search && mask == Some(search.slice)
        };
        let Some(search) = kernel.rows.filter(is_masked) else { return false };
        // The table may be shared.
        let table = self.table_slot_mut(search.table).table.get_mut();
        let table = table.filter(|table| table.n_rows().div_ceil(64) >= indexed_limbs);
        table.is_some_and(|table| table.wants_index(index_after))
    }

    /// Lists the limbs in which rows may hold the word that a kernel searches for, if an index
    /// lists them; its slice becomes zero elsewhere. Call [`Interpreter::wants_index`] first.
    pub(super) fn find_indexed(
        &mut self,
        kernel: &LoopKernel,
        indices: Indices,
        n_rows: usize,
        limbs: &mut Vec<u64>,
    ) -> Exec<Option<MaskedIterations>> {
        let Some(search) = kernel.rows else { return Ok(None) };
        let Some(word) = self.whole_word(search, indices) else { return Ok(None) };
        let at = self.table_at(search.table);
        let mut holding = std::mem::take(&mut self.tables[at].table);
        let found = match holding.get_mut() {
            Some(table) => {
                let before = table.extra_bytes();
                let has_room = |bytes| self.copies.may_add(&self.budget, bytes);
                let found = table.find_rows(word, limbs, &self.parallelism, has_room);
                self.copies.count(table, before);
                found
            }
            None => Ok(false),
        };
        self.tables[at].table = holding;
        if !found? {
            return Ok(None);
        }
        let settings = self.parallelism.settings;
        let slot = self.bits_slot_mut(search.slice);
        let mut next = 0;
        let of_slice = slot.bits.limbs_mut();
        for limb in &*limbs {
            of_slice[next..*limb as usize].fill(0);
            next = *limb as usize + 1;
        }
        of_slice[next..].fill(0);
        match Blocks::of(n_rows, &settings) {
            Some(blocks) => {
                slot.known.set_constant(blocks, false);
                slot.known.may_hold(limbs, &settings);
            }
            None => slot.known.forget(),
        }
        self.paths.searches_indexed += 1;
        Ok(Some(MaskedIterations::Masked))
    }

    /// Returns the new contents of rows after a kernel, if the table has an index that must be
    /// updated.
    pub(super) fn rows_become(&self, kernel: &LoopKernel, indices: Indices) -> Becomes {
        let has_index = |rows: RowsAndWord| {
            self.table_slot(rows.table).table.get().is_some_and(Table::has_index)
        };
        let merge = kernel.rows.filter(|rows| rows.action == Action::Merge && has_index(*rows));
        let word = merge.and_then(|merge| self.whole_word(merge, indices));
        word.map_or(Becomes::Anything, Becomes::Word)
    }

    /// Lists the limbs of the rows in which a kernel stores a word, if they are few.
    pub(super) fn list_marked(&self, kernel: &LoopKernel, limbs: &mut Vec<u64>) -> bool {
        let Some(merge) = kernel.rows else { return false };
        let of_mask = self.bits(merge.slice).limbs();
        limbs.clear();
        limbs.resize(of_mask.len() / 8, 0);
        let n = self.parallelism.kernels.list_nonzero(of_mask, limbs);
        limbs.truncate(n.unwrap_or(0));
        n.is_some()
    }

    /// Returns the word, bit c for column c, if the iterations visit all columns of a table of
    /// fewer than 64.
    fn whole_word(&self, rows: RowsAndWord, indices: Indices) -> Option<u64> {
        let n_cols = self.table_slot(rows.table).table.get()?.n_cols();
        let is_whole = indices.least() == 1 && indices.greatest() == n_cols as i64;
        let word = self.bits(rows.word).limbs().first()?;
        match n_cols {
            1..64 => is_whole.then_some(word & ((1 << n_cols) - 1)),
            _ => None,
        }
    }
}
