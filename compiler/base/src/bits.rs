//! Host values: packed bit vectors and tables, as files, the command line and the virtual machine
//! exchange them.
//!
//! Bit `i` (from 0) is bit `i % 64` of limb `i / 64`; the bits of the last limb that lie beyond the
//! length are zero. Computing is not done here: a backend has its own form of value.

use std::fmt;

/// A vector of bits: the contents of a slice or a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct BitVector {
    len: usize,
    limbs: Vec<u64>,
}

impl BitVector {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        BitVector { len, limbs: vec![0; len.div_ceil(64)] }
    }

    /// The bits in order.
    pub fn from_bools(bits: &[bool]) -> Self {
        let mut vector = BitVector::zeros(bits.len());
        for (idx, &bit) in bits.iter().enumerate() {
            vector.put(idx, bit);
        }
        vector
    }

    /// Reads a text of `0` and `1`; anything else gives `None`.
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

    /// `len` bits given as limbs; `None` if there are too few or too many limbs, or a one beyond
    /// `len`.
    pub fn from_limbs(len: usize, limbs: Vec<u64>) -> Option<Self> {
        let tail_ok = match (len % 64, limbs.last()) {
            (0, _) | (_, None) => true,
            (used, Some(last)) => last >> used == 0,
        };
        (limbs.len() == len.div_ceil(64) && tail_ok).then_some(BitVector { len, limbs })
    }

    /// Number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Are there no bits at all?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The limbs, `len.div_ceil(64)` of them.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Bit `idx`, from 0. Panics beyond the length, as indexing does.
    pub fn get(&self, idx: usize) -> bool {
        assert!(idx < self.len, "bit {idx} of a vector of {} bits", self.len);
        self.limbs[idx / 64] >> (idx % 64) & 1 == 1
    }

    /// Sets bit `idx`, from 0, to `bit`. Panics beyond the length, as indexing does.
    pub fn put(&mut self, idx: usize, bit: bool) {
        assert!(idx < self.len, "bit {idx} of a vector of {} bits", self.len);
        let mask = 1 << (idx % 64);
        if bit {
            self.limbs[idx / 64] |= mask;
        } else {
            self.limbs[idx / 64] &= !mask;
        }
    }

    /// Number of ones.
    pub fn count_ones(&self) -> u64 {
        self.limbs.iter().map(|limb| u64::from(limb.count_ones())).sum()
    }

    /// The bits in order.
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

/// A table of bits, `n_rows` × `n_cols`, stored by columns: column `j` (from 0) is the limbs
/// `j * stride .. (j + 1) * stride` with `stride = n_rows.div_ceil(64)`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BitTable {
    n_rows: usize,
    n_cols: usize,
    limbs: Vec<u64>,
}

/// The table asked for has more limbs than this machine can address or allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// Rows asked for.
    pub n_rows: usize,
    /// Columns asked for.
    pub n_cols: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table of {} × {} bits does not fit in memory", self.n_rows, self.n_cols)
    }
}

impl std::error::Error for TooLarge {}

impl BitTable {
    /// A table of zeros.
    ///
    /// # Errors
    /// [`TooLarge`] if the allocator refuses the memory; nothing was taken then.
    pub fn zeros(n_rows: usize, n_cols: usize) -> Result<Self, TooLarge> {
        let too_large = TooLarge { n_rows, n_cols };
        let n_limbs = n_rows.div_ceil(64).checked_mul(n_cols).ok_or(too_large)?;
        let mut limbs = Vec::new();
        limbs.try_reserve_exact(n_limbs).map_err(|_| too_large)?;
        limbs.resize(n_limbs, 0);
        Ok(BitTable { n_rows, n_cols, limbs })
    }

    /// A table from columns, all of `n_rows` bits. Panics if one has another length.
    pub fn from_columns(n_rows: usize, columns: &[BitVector]) -> Self {
        let mut limbs = Vec::with_capacity(n_rows.div_ceil(64) * columns.len());
        for column in columns {
            assert_eq!(column.len(), n_rows, "every column has one bit per row");
            limbs.extend_from_slice(column.limbs());
        }
        BitTable { n_rows, n_cols: columns.len(), limbs }
    }

    /// A table from rows written as `0` and `1`; `None` if they differ in length or hold other
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

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Limbs per column.
    pub fn stride(&self) -> usize {
        self.n_rows.div_ceil(64)
    }

    /// The limbs of column `col_idx`, from 0.
    pub fn column_limbs(&self, col_idx: usize) -> &[u64] {
        let stride = self.stride();
        &self.limbs[col_idx * stride..(col_idx + 1) * stride]
    }

    /// The limbs of column `col_idx`, from 0. Bits beyond `n_rows` must stay zero.
    pub fn column_limbs_mut(&mut self, col_idx: usize) -> &mut [u64] {
        let stride = self.stride();
        &mut self.limbs[col_idx * stride..(col_idx + 1) * stride]
    }

    /// Column `col_idx`, from 0.
    pub fn column(&self, col_idx: usize) -> BitVector {
        BitVector { len: self.n_rows, limbs: self.column_limbs(col_idx).to_vec() }
    }

    /// Row `row_idx`, from 0.
    pub fn row(&self, row_idx: usize) -> BitVector {
        let mut row = BitVector::zeros(self.n_cols);
        for col_idx in 0..self.n_cols {
            row.put(col_idx, self.get(row_idx, col_idx));
        }
        row
    }

    /// Bit `col_idx` of row `row_idx`, both from 0. Panics outside, as indexing does.
    pub fn get(&self, row_idx: usize, col_idx: usize) -> bool {
        assert!(row_idx < self.n_rows, "row {row_idx} of a table of {} rows", self.n_rows);
        self.column_limbs(col_idx)[row_idx / 64] >> (row_idx % 64) & 1 == 1
    }

    /// Sets bit `col_idx` of row `row_idx`, both from 0. Panics outside, as indexing does.
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

    /// Number of ones.
    pub fn count_ones(&self) -> u64 {
        self.limbs.iter().map(|limb| u64::from(limb.count_ones())).sum()
    }

    /// All limbs, column after column.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_agree_at_limb_borders() {
        for n in [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129] {
            let mut table = BitTable::zeros(n, n).unwrap();
            for i in 0..n {
                table.put(i, n - 1 - i, true);
            }
            assert_eq!(table.count_ones(), n as u64);
            for i in 0..n {
                assert_eq!(table.row(i), table.column(i), "row and column {i} of {n}");
            }
        }
    }

    #[test]
    fn limbs_with_a_one_beyond_the_length_are_refused() {
        assert!(BitVector::from_limbs(3, vec![0b111]).is_some());
        assert!(BitVector::from_limbs(3, vec![0b1000]).is_none());
        assert!(BitVector::from_limbs(64, vec![u64::MAX]).is_some());
        assert!(BitVector::from_limbs(64, vec![]).is_none());
    }

    #[test]
    fn an_impossible_table_is_an_error_not_an_abort() {
        assert!(BitTable::zeros(usize::MAX, 2).is_err());
        assert!(BitTable::zeros(1 << 40, 1 << 20).is_err());
    }
}
