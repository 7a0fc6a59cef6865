//! Note [Sparse tables]. A table may have a third home form: by columns or by rows, with only those
//! limbs of each line that differ from its ground, zeros or ones ([`SparseLines`]). Rows, columns,
//! bits, whole tables by lines and growth work on this form directly. A line against the layout
//! must be searched in every line; after a few such searches, the transpose is kept in addition,
//! like a second form (Note [Forms]). Everything else that needs contiguous lines (kernels over
//! lines, loop kernels, the tape) declines a sparse table, and operations that need the whole table
//! (a field that is written, intrinsics, handles) make it dense first, if there is memory. The
//! following become sparse, too: a field of a table that is sparse by columns; a local table of
//! zeros that gets many columns at once ([`Table::is_worth_sparse`]); a table whose first column is
//! long and has few limbs by its summary (`begins_sparse`; while it grows or fills up, it becomes
//! dense before memory is too short for both forms, `is_due_dense`). Loop kernels that run on few
//! limbs accept the first two (Note [Few limbs] in `loop_kernels`). A table that they do not accept
//! becomes dense if it is [small](Table::may_become_dense), and so does a table of few lines if the
//! first one written is full ([`Table::fills`]), and one that a write leaves with half of the bytes
//! of its packed form. It never becomes sparse again.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use star_value::{BitTable, OutOfMemory, SparseLine, SparseLines, SparseTable};

use super::Table;
use crate::cpu::bits::bits_in;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::form::{Line, transpose};
use crate::interrupt::{Exec, internal_error};

/// A sparse table.
#[derive(Debug)]
pub(super) struct Sparse {
    lines: SparseLines,
    /// Its transpose, if valid.
    transposed: OnceLock<SparseLines>,
    /// Number of ones, if only it and the sizes of the table are known.
    n_ones: Option<u64>,
}

/// Minimum number of columns of a new sparse table.
const LEAST_COLUMNS: usize = 8;
const LEAST_BYTES: u64 = 1 << 15;
/// Empty lines must use at most this fraction (one in `WIDE_SHARE`) of the packed bytes.
const WIDE_SHARE: u64 = 16;
/// A sparse table with more packed bytes becomes dense only for operations without an alternative.
const MOST_BYTES: u64 = 1 << 26;

/// Maximum number of lines of a table that becomes dense if the first one written is full.
const MOST_ALIKE: usize = 64;

/// Approximate number of accesses against a sparse layout that cost as much as a transpose.
const ACCESSES_OF_A_TRANSPOSE: usize = 4;

/// A line of a sparse table.
pub(in crate::cpu) enum Found<'t> {
    /// Stored contiguously.
    Line(SparseLine<'t>),
    /// The nonzero limbs with their positions, gathered from all lines.
    Gathered(Vec<(u32, u64)>),
}

impl Sparse {
    pub(super) fn n_bytes(&self) -> u64 {
        self.lines.n_bytes()
    }

    /// Returns the bytes of the transpose.
    pub(super) fn extra_bytes(&self) -> u64 {
        self.transposed.get().map_or(0, SparseLines::n_bytes)
    }

    pub(super) fn lines(&self) -> &SparseLines {
        &self.lines
    }

    pub(super) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let lines = self.lines.try_clone()?;
        Ok(Sparse { lines, transposed: OnceLock::new(), n_ones: self.n_ones })
    }

    /// Counts the ones.
    pub(super) fn n_ones(&self) -> u64 {
        self.n_ones.unwrap_or_else(|| self.lines.count_ones())
    }

    /// Gathers bit `at` of all lines.
    fn gather(&self, at: usize, parallelism: &Parallelism<'_>) -> Exec<Vec<(u32, u64)>> {
        let mut limbs: Vec<(u32, u64)> = Vec::new();
        for idx in 0..self.lines.n_lines() {
            if idx.is_multiple_of(1 << 16) {
                parallelism.poll()?;
            }
            if self.lines.get(idx, at) {
                let (place, mask) = ((idx / 64) as u32, 1 << (idx % 64));
                match limbs.last_mut() {
                    Some((last, limb)) if *last == place => *limb |= mask,
                    Some(_) | None => limbs.push((place, mask)),
                }
            }
        }
        Ok(limbs)
    }
}

impl Table {
    /// Returns a sparse table whose rows or columns, depending on `line`, are these lines.
    pub(in crate::cpu) fn of_sparse(lines: SparseLines, line: Line) -> Self {
        let (len, n_lines) = (lines.len(), lines.n_lines());
        let by_rows = line == Line::Row;
        let (n_rows, n_cols) = if by_rows { (n_lines, len) } else { (len, n_lines) };
        let sparse = Sparse { lines, transposed: OnceLock::new(), n_ones: None };
        Table { n_rows, n_cols, by_rows, sparse: Some(Box::new(sparse)), ..Table::default() }
    }

    /// Returns a table that has only sizes and a number of ones; see Note [Refused parts] in
    /// `handles`.
    pub(in crate::cpu) fn without_bits(n_rows: usize, n_cols: usize, n_ones: u64) -> Self {
        let (lines, transposed) = (SparseLines::default(), OnceLock::new());
        let sparse = Some(Box::new(Sparse { lines, transposed, n_ones: Some(n_ones) }));
        Table { n_rows, n_cols, sparse, ..Table::default() }
    }

    /// Makes a dense table sparse in its home layout.
    pub(in crate::cpu) fn make_sparse(&mut self) -> Result<(), OutOfMemory> {
        let lines = SparseLines::of_columns(&self.home)?;
        *self = Table::of_sparse(lines, if self.by_rows { Line::Row } else { Line::Column });
        Ok(())
    }

    /// Converts a sparse table for the host; returns the table if it is dense.
    #[expect(clippy::result_large_err, reason = "it is the table, not an error")]
    pub(in crate::cpu) fn into_sparse(self) -> Result<SparseTable, Table> {
        let by_rows = self.by_rows;
        match self.sparse {
            Some(sparse) => Ok(SparseTable { lines: sparse.lines, by_rows }),
            None => Err(self),
        }
    }

    /// Does the same for a shared table; `None` if the system has no memory for it.
    pub(in crate::cpu) fn copy_of_sparse(&self) -> Option<SparseTable> {
        let lines = self.sparse_lines()?.try_clone().ok()?;
        Some(SparseTable { lines, by_rows: self.by_rows })
    }

    /// Is it sparse?
    #[inline]
    pub(in crate::cpu) fn is_sparse(&self) -> bool {
        self.sparse.is_some()
    }

    /// Returns the lines of a sparse table in their layout.
    pub(in crate::cpu) fn sparse_lines(&self) -> Option<&SparseLines> {
        self.sparse.as_deref().map(Sparse::lines)
    }

    /// Returns a sparse table, and whether it has this kind of lines.
    fn sparse_along(&self, line: Line) -> Exec<(&Sparse, bool)> {
        let sparse =
            self.sparse.as_deref().ok_or_else(|| internal_error("a table that is not sparse"))?;
        Ok((sparse, self.by_rows == (line == Line::Row)))
    }

    /// Finds line `idx`, zero-based, of a sparse table. `may_transpose` tells whether a number of
    /// bytes is available for a transpose.
    pub(in crate::cpu) fn find_line(
        &self,
        line: Line,
        idx: usize,
        parallelism: &Parallelism<'_>,
        may_transpose: impl Fn(u64) -> bool,
    ) -> Exec<Found<'_>> {
        let (sparse, is_along) = self.sparse_along(line)?;
        if is_along {
            return Ok(Found::Line(sparse.lines.line(idx)));
        }
        if sparse.transposed.get().is_none() && sparse.lines.common_ground().is_some() {
            let so_far = self.against.fetch_add(1, Ordering::Relaxed);
            let is_due = so_far >= ACCESSES_OF_A_TRANSPOSE || parallelism.settings.eager_transposes;
            if is_due && may_transpose(sparse.lines.bytes_to_transpose()) {
                let transposed = sparse.lines.transposed(|| parallelism.poll().is_ok());
                parallelism.poll()?;
                if let Ok(Some(transposed)) = transposed {
                    // It cannot be set yet: all owners of the table belong to this thread.
                    let _ = sparse.transposed.set(transposed);
                }
            }
        }
        match sparse.transposed.get() {
            Some(transposed) => Ok(Found::Line(transposed.line(idx))),
            None => sparse.gather(idx, parallelism).map(Found::Gathered),
        }
    }

    /// Copies line `idx`, zero-based, of a sparse table to `dst`.
    pub(super) fn read_sparse(
        &self,
        line: Line,
        idx: usize,
        dst: &mut [u64],
        parallelism: &Parallelism<'_>,
        may_transpose: bool,
    ) -> Exec<()> {
        let (of, len) = match line {
            Line::Row => (self.n_rows, self.n_cols),
            Line::Column => (self.n_cols, self.n_rows),
        };
        debug_assert!(idx < of, "line {idx} of {of}");
        let fill = |dst: &mut [u64], ground: bool| {
            parallelism.fill(dst, 1, |start, part| {
                parallelism.kernels.fill(part, ground, bits_in(len, start, part));
            })
        };
        match self.find_line(line, idx, parallelism, |_| may_transpose)? {
            Found::Line(line) => {
                fill(dst, line.ground)?;
                line.each().for_each(|(place, limb)| dst[place as usize] = limb);
            }
            Found::Gathered(limbs) => {
                fill(dst, false)?;
                limbs.iter().for_each(|(place, limb)| dst[*place as usize] = *limb);
            }
        }
        Ok(())
    }

    /// Returns bit (row, column), both zero-based, of a sparse table.
    pub(super) fn sparse_bit(sparse: &Sparse, by_rows: bool, row: usize, col: usize) -> bool {
        if by_rows { sparse.lines.get(row, col) } else { sparse.lines.get(col, row) }
    }

    /// Returns the lines of a sparse table for changes, which invalidates its transpose and what
    /// intrinsics have built from it. `None` if it is not sparse.
    pub(in crate::cpu) fn sparse_mut(&mut self) -> Option<&mut SparseLines> {
        let sparse = self.sparse.as_deref_mut()?;
        self.structure.drop();
        sparse.transposed.take();
        *self.against.get_mut() = 0;
        Some(&mut sparse.lines)
    }

    /// Replaces its lines by these lines of another table; `None` if it is not sparse by columns.
    pub(in crate::cpu) fn copy_sparse_columns(
        &mut self,
        from: &SparseLines,
        columns: Range<usize>,
    ) -> Option<Result<(), OutOfMemory>> {
        let n_cols = columns.len();
        let lines = self.is_sparse_by_columns().then_some(self.sparse_mut()?)?;
        let copied = lines.copy_from(from, columns);
        (self.n_rows, self.n_cols) = (from.len(), n_cols);
        Some(copied)
    }

    /// Is it sparse, and are the lines its columns?
    #[inline]
    pub(in crate::cpu) fn is_sparse_by_columns(&self) -> bool {
        self.is_sparse() && !self.by_rows
    }

    /// Returns the bytes of its packed form.
    pub(in crate::cpu) fn dense_bytes(&self) -> u64 {
        match &self.sparse {
            Some(sparse) => sparse.lines.dense_bytes(),
            None => self.n_bytes(),
        }
    }

    /// Should a new table of zeros with these columns be sparse? Then no memory is touched that is
    /// never written.
    pub(in crate::cpu) fn is_worth_sparse(n_columns: usize, n_bytes: u64) -> bool {
        n_columns >= LEAST_COLUMNS && n_bytes >= LEAST_BYTES
    }

    /// Should a sparse table of zeros change to this kind of lines when the first one is written?
    /// Against the layout, each line would be spread over all others. It should if it is large and
    /// has wide lines, which cost little while they are empty.
    pub(in crate::cpu) fn transposes_for_first(&self, line: Line) -> bool {
        let is_zero =
            |lines: &SparseLines| lines.n_limbs() == 0 && lines.common_ground() == Some(false);
        let n_lines = if line == Line::Row { self.n_rows } else { self.n_cols };
        let (empty, dense) = (SparseLines::bytes_for(n_lines, 0), self.dense_bytes());
        let is_wide = dense > MOST_BYTES && empty <= dense / WIDE_SHARE;
        is_wide && self.sparse_lines().is_some_and(is_zero)
    }

    /// Is it sparse, and small enough to become dense if necessary?
    pub(in crate::cpu) fn may_become_dense(&self, available: u64) -> bool {
        self.is_sparse() && self.dense_bytes() <= MOST_BYTES.min(available)
    }

    /// Is it a sparse table of zeros that will be full if all lines are like the first one, which
    /// has this number of limbs? The columns of numbers are few, and alike.
    pub(in crate::cpu) fn fills(&self, n_limbs: usize) -> bool {
        self.sparse_lines().is_some_and(|lines| {
            let is_full = 2 * n_limbs > lines.len().div_ceil(64);
            is_full && lines.n_lines() <= MOST_ALIKE && lines.n_limbs() == 0
        })
    }

    /// Is a sparse table so full that it should be dense?
    pub(in crate::cpu) fn is_full(&self) -> bool {
        self.is_sparse() && self.n_bytes() > self.dense_bytes() / 2
    }

    /// Makes a sparse table dense in its layout; false if the system has no memory for it, or if it
    /// is dense already.
    pub(in crate::cpu) fn make_dense(&mut self, parallelism: &Parallelism<'_>) -> Exec<bool> {
        let Some(sparse) = self.sparse.as_deref() else { return Ok(false) };
        let Some(home) = packed(&sparse.lines, parallelism)? else { return Ok(false) };
        let lines = &sparse.lines;
        self.is_unwritten = lines.n_limbs() == 0 && lines.common_ground() == Some(false);
        self.home = home;
        self.sparse = None;
        self.all_changes();
        Ok(true)
    }

    /// Converts a sparse table to a dense one by columns for the host; `None` if the system has no
    /// memory for it.
    pub(super) fn sparse_to_host(
        &self,
        sparse: &Sparse,
        parallelism: &Parallelism<'_>,
    ) -> Exec<Option<BitTable>> {
        if !self.by_rows {
            return packed(&sparse.lines, parallelism);
        }
        if sparse.lines.common_ground() != Some(false) {
            // Nearly all bits are ones: transposed like a dense table.
            let Some(rows) = packed(&sparse.lines, parallelism)? else { return Ok(None) };
            return transpose(&rows, parallelism);
        }
        let Ok(mut table) = BitTable::zeros(self.n_rows, self.n_cols) else { return Ok(None) };
        for row in 0..self.n_rows {
            if row.is_multiple_of(1 << 12) {
                parallelism.poll()?;
            }
            sparse.lines.ones(row, |col| table.put(row, col, true));
        }
        Ok(Some(table))
    }

    /// Grows a sparse table to `n_cols` columns; [`Table::sparse_growth`] returns the memory for
    /// this.
    pub(in crate::cpu) fn grow_sparse(&mut self, n_cols: usize) -> Result<(), OutOfMemory> {
        let (by_rows, more) = (self.by_rows, n_cols - self.n_cols);
        if let Some(lines) = self.sparse_mut() {
            if by_rows {
                lines.lengthen(n_cols)?
            } else {
                lines.add_lines(more)?
            };
            self.n_cols = n_cols;
        }
        Ok(())
    }

    /// Returns the bytes that a sparse table temporarily needs to grow to `n_cols` columns.
    pub(in crate::cpu) fn sparse_growth(&self, n_cols: usize) -> u64 {
        match &self.sparse {
            Some(sparse) if self.by_rows => sparse.lines.bytes_to_lengthen(),
            Some(sparse) => sparse.lines.bytes_to_add(n_cols - self.n_cols),
            None => 0,
        }
    }
}

/// Packs the lines into the columns of a table.
fn packed(lines: &SparseLines, parallelism: &Parallelism<'_>) -> Exec<Option<BitTable>> {
    let Ok(mut table) = BitTable::zeros(lines.len(), lines.n_lines()) else { return Ok(None) };
    for idx in 0..lines.n_lines() {
        if idx.is_multiple_of(1 << 12) {
            parallelism.poll()?;
        }
        let line = lines.line(idx);
        if line.places.is_empty() && !line.ground {
            continue;
        }
        let to = table.column_limbs_mut(idx);
        if line.ground {
            parallelism.kernels.fill(to, true, lines.len());
        }
        line.each().for_each(|(place, limb)| to[place as usize] = limb);
    }
    Ok(Some(table))
}
