//! The corner turn of a square table in place, for one that leaves no memory for a second form.
//!
//! Tiles of 512 × 512 bits are exchanged across the diagonal. A line of 64 bytes that holds the same afterwards is not
//! written: pages that hold no one are never taken.
//!
//! Note [Half turned]. A flag may stop a turn between two exchanges. What it leaves is a table still: [`Progress`] says which tiles
//! lie where. No run works with such a table. It is turned to the end before one begins, and before the host writes to it; the host reads it
//! as it is ([`read_column`]), so that a run that was interrupted ends at once.

use star_base::BitTable;

use super::parallelism::Parallelism;
use crate::kernels::Columns;
use crate::stop::Run;

/// Rows and columns of a tile.
const TILE: usize = 512;

/// Limbs of a column of a tile.
const LIMBS: usize = TILE / 64;

/// The pair of tiles that is exchanged next: those of a pair are (`above`, `below`) and (`below`, `above`), and pairs follow one another by
/// `below`, then by `above`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    below: usize,
    above: usize,
}

impl Progress {
    /// Is the tile of these rows and columns, or columns and rows, exchanged?
    fn has(self, rows: usize, cols: usize) -> bool {
        let (above, below) = (rows.min(cols), rows.max(cols));
        (below, above) < (self.below, self.above)
    }
}

/// The columns of `form`, which is square, become its rows, from `progress` on, which says how far it came when a flag stops that.
pub(super) fn turn_in_place(
    form: &mut BitTable,
    progress: &mut Progress,
    parallelism: &Parallelism<'_>,
) -> Run<()> {
    debug_assert_eq!(form.n_rows(), form.n_cols());
    let mut tiles = Tiles::new();
    let begin = *progress;
    for below in begin.below..form.n_cols().div_ceil(TILE) {
        let first = if below == begin.below { begin.above } else { 0 };
        for above in first..=below {
            *progress = Progress { below, above };
            parallelism.poll()?;
            tiles.exchange(form, *progress, parallelism);
        }
    }
    Ok(())
}

/// A pair of tiles, and one that is turned.
struct Tiles {
    upper: Box<[u64]>,
    lower: Box<[u64]>,
    turned: Box<[u64]>,
}

impl Tiles {
    fn new() -> Self {
        let zeros = || vec![0; TILE * LIMBS].into_boxed_slice();
        Tiles { upper: zeros(), lower: zeros(), turned: zeros() }
    }

    /// Exchanges a pair of tiles, or turns one on the diagonal.
    fn exchange(&mut self, form: &mut BitTable, pair: Progress, parallelism: &Parallelism<'_>) {
        let Progress { below, above } = pair;
        let has_upper = read(form, above, below, &mut self.upper);
        let has_lower = read(form, below, above, &mut self.lower);
        if !has_upper && !has_lower {
            return;
        }
        turn(form.n_cols(), (above, below), &self.upper, &mut self.turned, parallelism);
        write(form, below, above, &self.turned);
        if above != below {
            turn(form.n_cols(), (below, above), &self.lower, &mut self.turned, parallelism);
            write(form, above, below, &self.turned);
        }
    }
}

/// Column `idx` of what `form` was before the turn that came as far as `progress`, or with `turned` of what it is to become.
pub(super) fn read_column(
    form: &BitTable,
    progress: Progress,
    turned: bool,
    idx: usize,
    dst: &mut [u64],
) {
    dst.fill(0);
    let column = form.column_limbs(idx);
    for tile in 0..form.n_cols().div_ceil(TILE) {
        let (start, n) = (tile * TILE, n_lines(form.n_cols(), tile));
        if progress.has(tile, idx / TILE) == turned {
            let limbs = limbs(dst.len(), tile);
            dst[limbs.clone()].copy_from_slice(&column[limbs]);
        } else {
            for at in (start..start + n).filter(|&at| form.get(idx, at)) {
                dst[at / 64] |= 1 << (at % 64);
            }
        }
    }
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

/// A turn that a flag has stopped after so many pairs of tiles.
#[cfg(test)]
pub(super) fn stopped_after(
    form: &mut BitTable,
    n_pairs: usize,
    parallelism: &Parallelism<'_>,
) -> Progress {
    let mut tiles = Tiles::new();
    let mut progress = Progress::default();
    for _ in 0..n_pairs {
        tiles.exchange(form, progress, parallelism);
        let Progress { below, above } = progress;
        progress = match above == below {
            true => Progress { below: below + 1, above: 0 },
            false => Progress { below, above: above + 1 },
        };
    }
    progress
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use star_base::BitVector;

    use super::*;
    use crate::budget::MemoryBudget;
    use crate::cpu::pool::Pool;
    use crate::cpu::settings::Settings;
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
                let before = table.clone();
                turn_in_place(&mut table, &mut Progress::default(), &parallelism).unwrap();
                assert!(table == BitTable::from_columns(n, &rows), "n = {n}");

                // Stopped before each pair of tiles, read as it is, and brought to its end.
                let n_tiles = n.div_ceil(TILE);
                for n_pairs in 0..=n_tiles * (n_tiles + 1) / 2 {
                    let mut half = before.clone();
                    let mut progress = stopped_after(&mut half, n_pairs, &parallelism);
                    for (turned, whole) in [(false, &before), (true, &table)] {
                        for idx in (0..n).step_by(37) {
                            let mut column = vec![!0; n.div_ceil(64)];
                            read_column(&half, progress, turned, idx, &mut column);
                            assert_eq!(column, whole.column_limbs(idx), "{idx}");
                        }
                    }
                    turn_in_place(&mut half, &mut progress, &parallelism).unwrap();
                    assert!(half == table, "n = {n}, from pair {n_pairs}");
                }
            }
        }
        let flag = AtomicBool::new(true);
        let budget = MemoryBudget::new(&flag, &flag, u64::MAX);
        let pool = Pool::of(Some(1));
        let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
        let mut table = BitTable::parse(&["01", "11"]).unwrap();
        let mut progress = Progress::default();
        assert!(turn_in_place(&mut table, &mut progress, &parallelism).is_err());
        assert!(progress == Progress::default());
    }
}
