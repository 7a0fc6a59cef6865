use super::super::Columns;
use super::*;

/// A table by columns: its bits, and its limbs with `gap` limbs of the pattern after each column.
pub(super) struct Table {
    pub(super) bits: Vec<Vec<bool>>,
    pub(super) storage: Vec<u64>,
    pub(super) stride: usize,
}

impl Table {
    pub(super) fn random(random: &mut Random, n_rows: usize, n_cols: usize, gap: usize) -> Table {
        let bits: Vec<Vec<bool>> = (0..n_cols).map(|_| random_bits(random, n_rows, 1)).collect();
        Table::new(bits, n_rows, gap)
    }

    pub(super) fn new(bits: Vec<Vec<bool>>, n_rows: usize, gap: usize) -> Table {
        let mut storage = Vec::new();
        for column in &bits {
            storage.extend(pack(column));
            storage.extend(std::iter::repeat_n(DIRT, gap));
        }
        Table { bits, storage, stride: n_rows.div_ceil(64) + gap }
    }

    pub(super) fn columns(&self) -> Columns<'_> {
        Columns { storage: &self.storage, stride: self.stride, n_cols: self.bits.len() }
    }
}

const SIZES: [(usize, usize, usize); 14] = [
    (1, 0, 0),
    (0, 3, 1),
    (1, 1, 0),
    (64, 64, 0),
    (65, 63, 1),
    (63, 65, 2),
    (7, 200, 0),
    (512, 512, 0),
    (513, 511, 3),
    (511, 513, 0),
    (1024, 700, 1),
    (700, 1025, 0),
    (1500, 3, 0),
    (5, 1500, 0),
];

#[test]
fn one_bit_of_each_limb() {
    let mut random = Random::new(11);
    for n in [0, 1, 63, 64, 65, 200, 512, 513] {
        let limbs: Vec<u64> = (0..n).map(|_| random.next_u64()).collect();
        for bit in [0, 1, 31, 63] {
            let bits: Vec<bool> = limbs.iter().map(|limb| limb >> bit & 1 == 1).collect();
            for kernels in kernels() {
                let mut dst = dirty(n);
                kernels.gather_bit(&limbs, bit, &mut dst);
                assert_eq!(dst, pack(&bits), "{n} limbs, {kernels:?}");
            }
        }
    }
}

#[test]
fn rows_are_gathered_and_scattered() {
    let mut random = Random::new(5);
    for (n_rows, n_cols, gap) in SIZES {
        let table = Table::random(&mut random, n_rows, n_cols, gap);
        for row in [0, n_rows / 2, n_rows.saturating_sub(1)] {
            if n_rows == 0 {
                continue;
            }
            let bits: Vec<bool> = table.bits.iter().map(|column| column[row]).collect();
            let other = random_bits(&mut random, n_cols, 1);
            let mut changed = table.bits.clone();
            for (column, &bit) in changed.iter_mut().zip(&other) {
                column[row] = bit;
            }
            let changed = Table::new(changed, n_rows, gap);
            for kernels in kernels() {
                let mut dst = dirty(n_cols);
                kernels.gather_row(table.columns(), row, &mut dst);
                assert_eq!(dst, pack(&bits), "{n_rows} × {n_cols} {kernels:?}");
                let mut storage = table.storage.clone();
                kernels.scatter_row(&mut storage, table.stride, n_cols, row, &pack(&other));
                assert_eq!(storage, changed.storage, "{n_rows} × {n_cols} {kernels:?}");
            }
        }
    }
}

fn transposed(table: &Table, n_rows: usize, gap: usize) -> Table {
    let bits = (0..n_rows).map(|row| table.bits.iter().map(|column| column[row]).collect());
    Table::new(bits.collect(), table.bits.len(), gap)
}

#[test]
fn transposes_leave_gaps_unchanged() {
    let mut random = Random::new(6);
    for (n_rows, n_cols, gap) in SIZES {
        for dst_gap in [0, 1] {
            let table = Table::random(&mut random, n_rows, n_cols, gap);
            let expected = transposed(&table, n_rows, dst_gap);
            for kernels in kernels() {
                let mut dst = vec![DIRT; expected.storage.len()];
                let limbs = 0..n_rows.div_ceil(64);
                kernels.transpose_limbs(table.columns(), n_rows, limbs, &mut dst, expected.stride);
                assert_eq!(dst, expected.storage, "{n_rows} × {n_cols} {kernels:?}");
                // In pieces.
                let mut dst = vec![DIRT; expected.storage.len()];
                let n_limbs = n_rows.div_ceil(64);
                for start in (0..n_limbs).step_by(3) {
                    let end = (start + 3).min(n_limbs);
                    let rows = start * 64..n_rows.min(end * 64);
                    let piece = &mut dst[rows.start * expected.stride..rows.end * expected.stride];
                    kernels.transpose_limbs(
                        table.columns(),
                        n_rows,
                        start..end,
                        piece,
                        expected.stride,
                    );
                }
                assert_eq!(dst, expected.storage, "{n_rows} × {n_cols} {kernels:?}");
            }
        }
    }
}
