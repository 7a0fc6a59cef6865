//! The corner turn of a square table in place, for one that leaves no memory for a second form.
//!
//! Tiles of 512 × 512 bits are exchanged across the diagonal. A line of 64 bytes that holds the same afterwards is not
//! written: pages that hold no one are never taken.

use star_base::BitTable;

use super::parallelism::Parallelism;
use crate::kernels::Columns;
use crate::stop::Run;

/// Rows and columns of a tile.
const TILE: usize = 512;

/// Limbs of a column of a tile.
const LIMBS: usize = TILE / 64;

/// The columns of `form`, which is square, become its rows. When a flag stops that, the table holds neither.
pub(super) fn turn_in_place(form: &mut BitTable, parallelism: &Parallelism<'_>) -> Run<()> {
    debug_assert_eq!(form.n_rows(), form.n_cols());
    let zeros = || vec![0; TILE * LIMBS].into_boxed_slice();
    let (mut upper, mut lower, mut turned) = (zeros(), zeros(), zeros());
    for below in 0..form.n_cols().div_ceil(TILE) {
        for above in 0..=below {
            parallelism.poll()?;
            let has_upper = read(form, above, below, &mut upper);
            let has_lower = read(form, below, above, &mut lower);
            if !has_upper && !has_lower {
                continue;
            }
            turn(form.n_cols(), (above, below), &upper, &mut turned, parallelism);
            write(form, below, above, &turned);
            if above != below {
                turn(form.n_cols(), (below, above), &lower, &mut turned, parallelism);
                write(form, above, below, &turned);
            }
        }
    }
    Ok(())
}

/// Lines of a table of `n` in the tile of this number.
fn n_lines(n: usize, tile: usize) -> usize {
    TILE.min(n - tile * TILE)
}

/// The limbs of a column in the tile of this number.
fn limbs(stride: usize, tile: usize) -> std::ops::Range<usize> {
    tile * LIMBS..stride.min((tile + 1) * LIMBS)
}

/// Reads the tile of these rows and columns; is there a one in it?
fn read(form: &BitTable, rows: usize, cols: usize, tile: &mut [u64]) -> bool {
    tile.fill(0);
    let range = limbs(form.stride(), rows);
    let mut any = 0;
    for (idx, column) in tile.chunks_mut(LIMBS).take(n_lines(form.n_cols(), cols)).enumerate() {
        let start = (cols * TILE + idx) * form.stride();
        let from = &form.storage()[start + range.start..start + range.end];
        for (limb, &source) in column.iter_mut().zip(from) {
            *limb = source;
            any |= source;
        }
    }
    any != 0
}

/// `turned` becomes the tile of these rows and columns of a table of `n`, its columns as rows.
fn turn(
    n: usize,
    (rows, cols): (usize, usize),
    tile: &[u64],
    turned: &mut [u64],
    parallelism: &Parallelism<'_>,
) {
    turned.fill(0);
    let (n_rows, n_cols) = (n_lines(n, rows), n_lines(n, cols));
    let source = Columns { storage: tile, stride: LIMBS, n_cols };
    parallelism.kernels.transpose_limbs(source, n_rows, 0..n_rows.div_ceil(64), turned, LIMBS);
}

/// Writes the tile of these rows and columns, where it is another.
fn write(form: &mut BitTable, rows: usize, cols: usize, tile: &[u64]) {
    let (stride, n_cols) = (form.stride(), form.n_cols());
    let range = limbs(stride, rows);
    for (idx, column) in tile.chunks(LIMBS).take(n_lines(n_cols, cols)).enumerate() {
        let start = (cols * TILE + idx) * stride;
        let to = &mut form.storage_mut()[start + range.start..start + range.end];
        let column = &column[..to.len()];
        if to != column {
            to.copy_from_slice(column);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use star_base::BitVector;

    use super::*;
    use crate::budget::MemoryBudget;
    use crate::cpu::parallelism::Settings;
    use crate::cpu::pool::Pool;
    use crate::kernels::{Kernels, Level};

    #[test]
    fn a_square_table_is_turned_in_place_as_it_is_with_a_second_one() {
        let never = AtomicBool::new(false);
        let budget = MemoryBudget::new(&never, &never, u64::MAX);
        let settings = Settings::default();
        for level in Level::supported() {
            let kernels = Kernels::at(level).unwrap();
            let pool = Pool::of(Some(1));
            let parallelism = Parallelism::new(kernels, settings, budget.flags(), pool);
            for n in [0, 1, 63, 64, 65, 511, 512, 513, 1100] {
                let bit =
                    |row: usize, col: usize| (row * 31 + col * 17 + row * col).is_multiple_of(7);
                let column = |col| (0..n).map(|row| bit(row, col)).collect::<Vec<bool>>();
                let columns: Vec<_> =
                    (0..n).map(|col| BitVector::from_bools(&column(col))).collect();
                let mut table = BitTable::from_columns(n, &columns);
                let rows: Vec<BitVector> = (0..n).map(|row| table.row(row)).collect();
                turn_in_place(&mut table, &parallelism).unwrap();
                assert!(table == BitTable::from_columns(n, &rows), "n = {n}");
            }
        }
        let flag = AtomicBool::new(true);
        let budget = MemoryBudget::new(&flag, &flag, u64::MAX);
        let pool = Pool::of(Some(1));
        let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
        let mut table = BitTable::parse(&["01", "11"]).unwrap();
        assert!(turn_in_place(&mut table, &parallelism).is_err());
    }
}
