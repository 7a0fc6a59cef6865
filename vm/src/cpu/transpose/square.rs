//! In-place transpose of a square table.
//!
//! Tiles of 512 × 512 bits are exchanged across the diagonal. A line of 64 bytes that would be
//! unchanged is not written: pages without ones are never allocated.

use star_value::BitTable;

use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::form::copy_of;
use crate::interrupt::Exec;
use crate::kernels::Columns;

/// Rows and columns of a tile.
const TILE: usize = 512;

/// Limbs of a column of a tile.
const LIMBS: usize = TILE / 64;

/// The pair of tiles that is exchanged next: (`above`, `below`) and (`below`, `above`); pairs are
/// ordered by `below`, then by `above`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Progress {
    below: usize,
    above: usize,
}

impl Progress {
    /// Has the tile of these rows and columns, or of its mirror image, been exchanged?
    fn has(self, rows: usize, cols: usize) -> bool {
        let (above, below) = (rows.min(cols), rows.max(cols));
        (below, above) < (self.below, self.above)
    }
}

/// A transpose of a square form in progress.
#[derive(Debug)]
pub(in crate::cpu) struct Square {
    form: BitTable,
    progress: Progress,
    tiles: Tiles,
}

impl Square {
    pub(super) fn of(form: BitTable) -> Self {
        debug_assert_eq!(form.n_rows(), form.n_cols());
        Square { form, progress: Progress::default(), tiles: Tiles::new() }
    }

    pub(super) fn go_on(&mut self, parallelism: &Parallelism<'_>) -> Exec<()> {
        loop {
            parallelism.poll()?;
            if !self.step(parallelism) {
                return Ok(());
            }
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.progress.below >= self.form.n_cols().div_ceil(TILE)
    }

    /// Exchanges the next pair of tiles; returns whether one was left.
    pub(super) fn step(&mut self, parallelism: &Parallelism<'_>) -> bool {
        if self.is_done() {
            return false;
        }
        let Progress { below, above } = self.progress;
        self.tiles.exchange(&mut self.form, self.progress, parallelism);
        self.progress = match above == below {
            true => Progress { below: below + 1, above: 0 },
            false => Progress { below, above: above + 1 },
        };
        true
    }

    pub(super) fn into_form(self) -> BitTable {
        debug_assert!(self.is_done());
        self.form
    }

    pub(super) fn try_clone(&self, parallelism: &Parallelism<'_>) -> Exec<Option<Self>> {
        let form = copy_of(&self.form, None, parallelism)?;
        let progress = self.progress;
        Ok(form.map(|form| Square { form, progress, tiles: Tiles::new() }))
    }

    /// See [`Transposition::read_line`](super::Transposition::read_line).
    pub(super) fn read_line(&self, transposed: bool, idx: usize, dst: &mut [u64]) {
        dst.fill(0);
        let (n, column) = (self.form.n_cols(), self.form.column_limbs(idx));
        for tile in 0..n.div_ceil(TILE) {
            let (start, n_here) = (tile * TILE, n_lines(n, tile));
            if self.progress.has(tile, idx / TILE) == transposed {
                let limbs = limbs(dst.len(), tile);
                dst[limbs.clone()].copy_from_slice(&column[limbs]);
            } else {
                for at in (start..start + n_here).filter(|&at| self.form.get(idx, at)) {
                    dst[at / 64] |= 1 << (at % 64);
                }
            }
        }
    }
}

/// A pair of tiles, and a transposed one.
#[derive(Debug)]
struct Tiles {
    upper: Box<[u64]>,
    lower: Box<[u64]>,
    transposed: Box<[u64]>,
}

impl Tiles {
    fn new() -> Self {
        let zeros = || vec![0; TILE * LIMBS].into_boxed_slice();
        Tiles { upper: zeros(), lower: zeros(), transposed: zeros() }
    }

    /// Exchanges a pair of tiles, or transposes one on the diagonal.
    fn exchange(&mut self, form: &mut BitTable, pair: Progress, parallelism: &Parallelism<'_>) {
        let Progress { below, above } = pair;
        let has_upper = read(form, above, below, &mut self.upper);
        let has_lower = read(form, below, above, &mut self.lower);
        if !has_upper && !has_lower {
            return;
        }
        transpose(form.n_cols(), (above, below), &self.upper, &mut self.transposed, parallelism);
        write(form, below, above, &self.transposed);
        if above != below {
            transpose(
                form.n_cols(),
                (below, above),
                &self.lower,
                &mut self.transposed,
                parallelism,
            );
            write(form, above, below, &self.transposed);
        }
    }
}

/// Returns the number of lines in the tile with this number, of a table of `n` lines.
fn n_lines(n: usize, tile: usize) -> usize {
    TILE.min(n - tile * TILE)
}

/// Returns the limbs of a column in the tile with this number.
fn limbs(stride: usize, tile: usize) -> std::ops::Range<usize> {
    tile * LIMBS..stride.min((tile + 1) * LIMBS)
}

/// Reads the tile of these rows and columns; returns whether it has a one.
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

/// Transposes the tile of these rows and columns of a table of size `n` into `transposed`.
fn transpose(
    n: usize,
    (rows, cols): (usize, usize),
    tile: &[u64],
    transposed: &mut [u64],
    parallelism: &Parallelism<'_>,
) {
    transposed.fill(0);
    let (n_rows, n_cols) = (n_lines(n, rows), n_lines(n, cols));
    let source = Columns { storage: tile, stride: LIMBS, n_cols };
    parallelism.kernels.transpose_limbs(source, n_rows, 0..n_rows.div_ceil(64), transposed, LIMBS);
}

/// Writes the tile of these rows and columns where it differs.
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
