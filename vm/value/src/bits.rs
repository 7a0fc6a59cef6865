//! Host values: packed bit vectors and tables, as exchanged by files, the command line and the
//! virtual machine.
//!
//! Bit `i` (from 0) is bit `i % 64` of limb `i / 64`; the bits of the last limb beyond the length
//! are zero. There are no computations here: a backend has a separate form of value.

use std::fmt;

use crate::limbs::{Limbs, OutOfMemory};

/// A vector of bits: the contents of a slice or a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct BitVector {
    len: usize,
    limbs: Limbs,
}

impl BitVector {
    /// Creates `len` zeros.
    ///
    /// # Panics
    /// If the system refuses the memory; see [`BitVector::try_zeros`].
    pub fn zeros(len: usize) -> Self {
        BitVector::try_zeros(len).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Creates `len` zeros.
    ///
    /// # Errors
    /// If the system refuses the memory; nothing was allocated then.
    pub fn try_zeros(len: usize) -> Result<Self, OutOfMemory> {
        Ok(BitVector { len, limbs: Limbs::zeros(len.div_ceil(64))? })
    }

    /// Creates a vector of these bits in order.
    pub fn from_bools(bits: &[bool]) -> Self {
        let mut vector = BitVector::zeros(bits.len());
        for (idx, &bit) in bits.iter().enumerate() {
            vector.put(idx, bit);
        }
        vector
    }

    /// Parses a text of `0` and `1`; any other character gives `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let bits: Option<Vec<bool>> = text
            .bytes()
            .map(|byte| match byte {
                b'0' => Some(false),
                b'1' => Some(true),
                _ => None,
            })
            .collect();
        bits.map(|bits| BitVector::from_bools(&bits))
    }

    /// Creates `len` bits from limbs; `None` if there are too few or too many limbs, or a one
    /// beyond `len`.
    pub fn from_limbs(len: usize, limbs: &[u64]) -> Option<Self> {
        let tail_ok = match (len % 64, limbs.last()) {
            (0, _) | (_, None) => true,
            (used, Some(last)) => last >> used == 0,
        };
        if limbs.len() != len.div_ceil(64) || !tail_ok {
            return None;
        }
        let mut vector = BitVector::zeros(len);
        vector.limbs.copy_from_slice(limbs);
        Some(vector)
    }

    /// Creates `len` bits with unspecified values in used memory.
    ///
    /// # Panics
    /// If there are not `len.div_ceil(64)` limbs.
    pub fn in_used(len: usize, mut limbs: Limbs) -> Self {
        assert_eq!(limbs.len(), len.div_ceil(64), "limbs for {len} bits");
        zero_tail(&mut limbs, len);
        BitVector { len, limbs }
    }

    /// Returns the limbs of [`BitVector::limbs`].
    pub fn into_limbs(self) -> Limbs {
        self.limbs
    }

    /// Returns the number of bits.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the `len.div_ceil(64)` limbs.
    #[inline]
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Returns the limbs and trailing zeros, a multiple of eight in total: [`Limbs::whole_lines`].
    #[inline]
    pub fn whole_lines(&self) -> &[u64] {
        self.limbs.whole_lines()
    }

    /// Returns the mutable limbs. Bits beyond the length must stay zero.
    #[inline]
    pub fn limbs_mut(&mut self) -> &mut [u64] {
        &mut self.limbs
    }

    /// Returns a copy.
    ///
    /// # Errors
    /// If the system refuses the memory; nothing was allocated then.
    pub fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Ok(BitVector { len: self.len, limbs: self.limbs.try_clone()? })
    }

    /// Changes the length: bits beyond it are dropped, new ones are zero.
    ///
    /// # Errors
    /// If the system refuses the memory; the vector is unchanged then.
    pub fn resize(&mut self, len: usize) -> Result<(), OutOfMemory> {
        self.limbs.resize(len.div_ceil(64))?;
        self.len = len;
        zero_tail(&mut self.limbs, len);
        Ok(())
    }

    /// Returns bit `idx`, from 0. Panics beyond the length, as indexing does.
    #[inline]
    pub fn get(&self, idx: usize) -> bool {
        assert!(idx < self.len, "bit {idx} of a vector of {} bits", self.len);
        self.limbs[idx / 64] >> (idx % 64) & 1 == 1
    }

    /// Sets bit `idx`, from 0, to `bit`. Panics beyond the length, as indexing does.
    #[inline]
    pub fn put(&mut self, idx: usize, bit: bool) {
        assert!(idx < self.len, "bit {idx} of a vector of {} bits", self.len);
        let mask = 1 << (idx % 64);
        if bit {
            self.limbs[idx / 64] |= mask;
        } else {
            self.limbs[idx / 64] &= !mask;
        }
    }

    /// Returns the number of ones.
    pub fn count_ones(&self) -> u64 {
        self.limbs.iter().map(|limb| u64::from(limb.count_ones())).sum()
    }

    /// Iterates over the bits in order.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|idx| self.get(idx))
    }
}

/// The bits as `0` and `1`, the first one on the left.
impl fmt::Display for BitVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|bit| f.write_str(if bit { "1" } else { "0" }))
    }
}

/// Zeroes the bits of the last limb beyond `len`: the only helper for this invariant, called last
/// by every writer of limbs.
#[inline]
pub fn zero_tail(limbs: &mut [u64], len: usize) {
    if let (used @ 1.., Some(last)) = (len % 64, limbs.get_mut(len / 64)) {
        *last &= (1 << used) - 1;
    }
}

/// A table of bits, `n_rows` × `n_cols`, stored by columns in one allocation. Column `j` (from 0)
/// begins at limb `j * stride`; see Note [Stride]. Limbs between columns are zero.
///
/// Note [Stride]. Columns of 64 limbs or more are aligned to lines of 64 bytes, so that no two of
/// them share one; and their distance is not a multiple of 4 KiB, so that a row is not stored in
/// one set of a cache. Shorter columns are adjacent, because a narrow table would consist mostly of
/// gaps. The gaps are at most an eighth.
#[derive(Clone, Default)]
pub struct BitTable {
    n_rows: usize,
    n_cols: usize,
    stride: usize,
    /// At least `n_cols * stride`; those beyond are zero.
    limbs: Limbs,
}

/// Returns the number of limbs from the start of a column to that of the next one; see Note
/// [Stride]. `None` beyond the addressable range.
pub fn stride_of(n_rows: usize) -> Option<usize> {
    let n_limbs = n_rows.div_ceil(64);
    if n_limbs < 64 {
        return Some(n_limbs);
    }
    let lines = n_limbs.checked_next_multiple_of(8)?;
    if lines.is_multiple_of(512) { lines.checked_add(8) } else { Some(lines) }
}

/// The requested table has more limbs than this machine can address or allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The requested number of rows.
    pub n_rows: usize,
    /// The requested number of columns.
    pub n_cols: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table of {} × {} bits does not fit in memory", self.n_rows, self.n_cols)
    }
}

impl std::error::Error for TooLarge {}

impl BitTable {
    /// Creates a table of zeros.
    ///
    /// # Errors
    /// [`TooLarge`] if the allocator refuses the memory; nothing was allocated then.
    pub fn zeros(n_rows: usize, n_cols: usize) -> Result<Self, TooLarge> {
        let too_large = TooLarge { n_rows, n_cols };
        let stride = stride_of(n_rows).ok_or(too_large)?;
        let n_limbs = stride.checked_mul(n_cols).ok_or(too_large)?;
        let limbs = Limbs::zeros(n_limbs).map_err(|_| too_large)?;
        Ok(BitTable { n_rows, n_cols, stride, limbs })
    }

    /// Returns a copy.
    ///
    /// # Errors
    /// [`TooLarge`] if the allocator refuses the memory; nothing was allocated then.
    pub fn try_clone(&self) -> Result<Self, TooLarge> {
        let mut copy = BitTable::zeros(self.n_rows, self.n_cols)?;
        copy.limbs.copy_from_slice(self.storage());
        Ok(copy)
    }

    /// Creates a table from columns, all of `n_rows` bits. Panics if one has another length, or if
    /// the system refuses the memory.
    pub fn from_columns(n_rows: usize, columns: &[BitVector]) -> Self {
        let table = BitTable::zeros(n_rows, columns.len());
        let mut table = table.unwrap_or_else(|error| panic!("{error}"));
        for (col_idx, column) in columns.iter().enumerate() {
            assert_eq!(column.len(), n_rows, "every column has one bit per row");
            table.column_limbs_mut(col_idx).copy_from_slice(column.limbs());
        }
        table
    }

    /// Changes the number of columns: those beyond it are dropped, new ones are zero. Growth
    /// reserves spare columns, so repeated growth is cheap.
    ///
    /// # Errors
    /// [`TooLarge`] if the allocator refuses the memory; the table is unchanged then.
    pub fn resize_columns(&mut self, n_cols: usize) -> Result<(), TooLarge> {
        let n_limbs = self.stride.checked_mul(n_cols);
        let n_limbs = n_limbs.ok_or(TooLarge { n_rows: self.n_rows, n_cols })?;
        if n_limbs > self.limbs.len() {
            // Spare columns are reserved; the system allocates them on first use.
            self.limbs.reserve(n_limbs, self.limbs.len() / 2);
            let grown = self.limbs.resize(n_limbs);
            grown.map_err(|_| TooLarge { n_rows: self.n_rows, n_cols })?;
        } else if n_cols < self.n_cols {
            let end = self.n_cols * self.stride;
            self.limbs[n_limbs..end].fill(0);
        }
        self.n_cols = n_cols;
        Ok(())
    }

    /// Parses a table from rows of `0` and `1`; `None` if they differ in length or contain other
    /// characters.
    pub fn parse(rows: &[&str]) -> Option<Self> {
        let n_cols = rows.first().map_or(0, |row| row.len());
        let mut table = BitTable::zeros(rows.len(), n_cols).ok()?;
        for (row_idx, row) in rows.iter().enumerate() {
            let bits = BitVector::parse(row)?;
            if bits.len() != n_cols {
                return None;
            }
            for (col_idx, bit) in bits.iter().enumerate() {
                table.put(row_idx, col_idx, bit);
            }
        }
        Some(table)
    }

    /// Creates a table whose columns are stored [`stride_of`] limbs apart from the first of `limbs`
    /// on. Limbs between and after them, and bits beyond `n_rows`, are zero.
    ///
    /// # Panics
    /// If there are too few limbs.
    pub fn from_limbs(n_rows: usize, n_cols: usize, limbs: Limbs) -> Self {
        let stride = stride_of(n_rows).unwrap_or(usize::MAX);
        assert!(stride.checked_mul(n_cols).is_some_and(|n| n <= limbs.len()), "too few limbs");
        BitTable { n_rows, n_cols, stride, limbs }
    }

    /// Creates a table with unspecified bits in used memory. Limbs between columns, and bits beyond
    /// `n_rows`, become zero.
    ///
    /// # Panics
    /// If there are too few limbs.
    pub fn in_used(n_rows: usize, n_cols: usize, limbs: Limbs) -> Self {
        let mut table = BitTable::from_limbs(n_rows, n_cols, limbs);
        let end = n_cols * table.stride;
        table.limbs[end..].fill(0);
        for column in table.storage_mut().chunks_mut(stride_of(n_rows).unwrap_or(0).max(1)) {
            zero_tail(column, n_rows);
            column[n_rows.div_ceil(64)..].fill(0);
        }
        table
    }

    /// Returns the limbs of all columns, and those between and after them; see
    /// [`BitTable::from_limbs`].
    pub fn into_limbs(self) -> Limbs {
        self.limbs
    }

    /// Returns the number of rows.
    #[inline]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Returns the number of columns.
    #[inline]
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Returns the number of limbs of a column.
    #[inline]
    pub fn column_len(&self) -> usize {
        self.n_rows.div_ceil(64)
    }

    /// Returns the number of limbs from the start of a column to that of the next one.
    #[inline]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the limbs of column `col_idx`, from 0. Panics beyond the columns, as indexing does.
    #[inline]
    pub fn column_limbs(&self, col_idx: usize) -> &[u64] {
        assert!(col_idx < self.n_cols, "column {col_idx} of a table of {}", self.n_cols);
        &self.limbs[col_idx * self.stride..][..self.n_rows.div_ceil(64)]
    }

    /// Returns the mutable limbs of column `col_idx`, from 0. Bits beyond `n_rows` must stay zero.
    /// Panics beyond the columns, as indexing does.
    #[inline]
    pub fn column_limbs_mut(&mut self, col_idx: usize) -> &mut [u64] {
        assert!(col_idx < self.n_cols, "column {col_idx} of a table of {}", self.n_cols);
        &mut self.limbs[col_idx * self.stride..][..self.n_rows.div_ceil(64)]
    }

    /// Returns all limbs of all columns, and those between them, which are zero; see
    /// [`BitTable::stride`].
    #[inline]
    pub fn storage(&self) -> &[u64] {
        &self.limbs[..self.n_cols * self.stride]
    }

    /// Returns all limbs, mutable. Limbs between columns and bits beyond `n_rows` must stay zero.
    #[inline]
    pub fn storage_mut(&mut self) -> &mut [u64] {
        &mut self.limbs[..self.n_cols * self.stride]
    }

    /// Returns the number of bytes of packed bits, in whole limbs, without gaps and spare columns.
    pub fn n_bytes(&self) -> u64 {
        (self.column_len() as u64 * 8).saturating_mul(self.n_cols as u64)
    }

    /// Returns column `col_idx`, from 0. Panics if the system refuses the memory.
    pub fn column(&self, col_idx: usize) -> BitVector {
        let mut column = BitVector::zeros(self.n_rows);
        column.limbs.copy_from_slice(self.column_limbs(col_idx));
        column
    }

    /// Returns the first column, reusing the memory of the table. Panics if there is none.
    pub fn into_first_column(mut self) -> BitVector {
        assert!(self.n_cols > 0, "column 0 of a table of 0");
        let len = self.column_len();
        self.limbs.truncate(len);
        BitVector { len: self.n_rows, limbs: self.limbs }
    }

    /// Returns row `row_idx`, from 0.
    pub fn row(&self, row_idx: usize) -> BitVector {
        let mut row = BitVector::zeros(self.n_cols);
        for col_idx in 0..self.n_cols {
            row.put(col_idx, self.get(row_idx, col_idx));
        }
        row
    }

    /// Returns the rows as texts of `0` and `1`.
    pub fn to_rows(&self) -> Vec<String> {
        (0..self.n_rows).map(|row_idx| self.row(row_idx).to_string()).collect()
    }

    /// Returns bit `col_idx` of row `row_idx`, both from 0. Panics outside, as indexing does.
    #[inline]
    pub fn get(&self, row_idx: usize, col_idx: usize) -> bool {
        assert!(row_idx < self.n_rows, "row {row_idx} of a table of {} rows", self.n_rows);
        self.column_limbs(col_idx)[row_idx / 64] >> (row_idx % 64) & 1 == 1
    }

    /// Sets bit `col_idx` of row `row_idx`, both from 0. Panics outside, as indexing does.
    #[inline]
    pub fn put(&mut self, row_idx: usize, col_idx: usize, bit: bool) {
        assert!(row_idx < self.n_rows, "row {row_idx} of a table of {} rows", self.n_rows);
        let mask = 1 << (row_idx % 64);
        let limb = &mut self.column_limbs_mut(col_idx)[row_idx / 64];
        if bit {
            *limb |= mask;
        } else {
            *limb &= !mask;
        }
    }

    /// Returns the number of ones.
    pub fn count_ones(&self) -> u64 {
        self.limbs.iter().map(|limb| u64::from(limb.count_ones())).sum()
    }
}

/// Equality ignores gaps and spare columns.
impl PartialEq for BitTable {
    fn eq(&self, other: &Self) -> bool {
        (self.n_rows, self.n_cols) == (other.n_rows, other.n_cols)
            && self.storage() == other.storage()
    }
}

impl Eq for BitTable {}

impl fmt::Debug for BitTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = f.debug_list();
        for row_idx in 0..self.n_rows {
            rows.entry(&format_args!("{}", self.row(row_idx)));
        }
        rows.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_agree_at_limb_boundaries() {
        for n in [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129] {
            let mut table = BitTable::zeros(n, n).unwrap();
            for i in 0..n {
                table.put(i, n - 1 - i, true);
            }
            assert_eq!(table.count_ones(), n as u64);
            for i in 0..n {
                assert_eq!(table.row(i), table.column(i), "row and column {i} of {n}");
            }
            if n > 0 {
                let first = table.column(0);
                assert_eq!(table.into_first_column(), first);
            }
        }
    }

    #[test]
    fn limbs_with_a_one_beyond_the_length_are_refused() {
        assert!(BitVector::from_limbs(3, &[0b111]).is_some());
        assert!(BitVector::from_limbs(3, &[0b1000]).is_none());
        assert!(BitVector::from_limbs(64, &[u64::MAX]).is_some());
        assert!(BitVector::from_limbs(64, &[]).is_none());
    }

    #[test]
    fn used_memory_leaves_no_bits_beyond_the_rows() {
        let ones = |n_limbs: usize| {
            let mut limbs = Limbs::zeros(n_limbs).unwrap();
            limbs.fill(u64::MAX);
            limbs
        };
        assert_eq!(BitVector::in_used(70, ones(2)).count_ones(), 70);
        for n_rows in [1, 64, 70, 64 * 64, 64 * 65 + 1, 64 * 512] {
            let n_limbs = stride_of(n_rows).unwrap() * 3;
            let table = BitTable::in_used(n_rows, 3, ones(n_limbs));
            assert_eq!(table.count_ones(), 3 * n_rows as u64);
            let table = BitTable::in_used(n_rows, 2, ones(n_limbs));
            assert_eq!(table.count_ones(), 2 * n_rows as u64);
        }
    }

    #[test]
    fn an_impossible_table_is_an_error_not_an_abort() {
        assert!(BitTable::zeros(usize::MAX, 2).is_err());
        assert!(BitTable::zeros(1 << 40, 1 << 20).is_err());
    }
}
