//! Labels: the number of the wave that reached a cell.
//!
//! They are stored tile by tile, relative to a base number of each tile: a byte is enough for most
//! tiles, which halves the memory compared with 16-bit numbers, and a tile is written in one piece.
//! Where a byte is not enough, the tile has more bytes of each number, in separate planes.

use star_value::{BitTable, Zeros};

use super::board::SIDE;
use super::field::Field;
use crate::environment::{Ended, InterruptPoller};
use crate::numbers::write_numbers_from;
use crate::reserved;

/// Cells whose labels are transposed into columns at once; a multiple of 64.
const BLOCK: usize = 4096;

/// Cells of a tile.
pub(super) const TILE: usize = SIDE * SIDE;

/// Bytes of a number.
const BYTES: usize = size_of::<u32>();

/// The label of a cell that the wave has not reached.
pub const UNREACHED: u32 = u32::MAX;

/// The encoding of the labels of a tile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Form {
    /// The base that is added to the numbers of the tile, where 0 means no label.
    pub(super) zero: u32,
    /// Bytes of these numbers; none where the wave has not been.
    pub(super) n_bytes: u8,
    /// The positions of the bytes that follow the lowest one.
    pub(super) more: [u32; BYTES - 1],
}

/// Planes of bytes that follow the lowest one, each for one tile.
pub(super) type More = Vec<Vec<u8>>;

impl Form {
    /// Extends the encoding to numbers up to `most`.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub(super) fn widen(&mut self, most: u32, planes: &mut More) -> Result<(), Ended> {
        self.n_bytes = self.n_bytes.max(1);
        while most.checked_shr(8 * u32::from(self.n_bytes)).unwrap_or(0) != 0 {
            planes.try_reserve(1).map_err(|_| Ended::OutOfMemory)?;
            self.more[usize::from(self.n_bytes) - 1] = planes.len() as u32;
            let mut plane = reserved(TILE)?;
            plane.resize(TILE, 0);
            planes.push(plane);
            self.n_bytes += 1;
        }
        Ok(())
    }

    /// The positions of the bytes that follow the lowest one.
    pub(super) fn others(&self) -> &[u32] {
        &self.more[..usize::from(self.n_bytes.saturating_sub(1))]
    }
}

/// The labels of all cells.
#[derive(Debug)]
pub struct Labels {
    width: usize,
    height: usize,
    n_tile_cols: usize,
    forms: Vec<Form>,
    bytes: Zeros<u8>,
    more: More,
}

impl Labels {
    /// An upper bound on the bytes of the labels of a grid.
    pub(super) fn n_most_bytes(width: usize, height: usize) -> u64 {
        let n_tiles = (width.div_ceil(SIDE) as u64).saturating_mul(height.div_ceil(SIDE) as u64);
        let tile = BYTES * TILE + size_of::<Form>() + (BYTES - 1) * size_of::<Vec<u8>>();
        n_tiles.saturating_mul(tile as u64)
    }

    /// The lowest bytes of the labels of a field that no wave has reached.
    pub(super) fn lowest(field: &Field<'_>) -> Result<Zeros<u8>, Ended> {
        Ok(Zeros::new(field.owners.len() * field.n_tile_cols * TILE)?)
    }

    /// The labels of a field, from the workers' encodings of their tiles, and planes.
    pub(super) fn new(
        field: &Field<'_>,
        bytes: Zeros<u8>,
        parts: impl Iterator<Item = (Vec<Form>, More)>,
    ) -> Result<Labels, Ended> {
        let n_tile_cols = field.n_tile_cols;
        let mut forms = reserved(field.owners.len() * n_tile_cols)?;
        forms.resize(field.owners.len() * n_tile_cols, Form::default());
        let mut more: More = Vec::new();
        for (worker, (part, planes)) in parts.enumerate() {
            for (y, _) in field.owners.iter().enumerate().filter(|(_, owner)| owner.0 == worker) {
                let band = field.owners[y].1;
                let row = &mut forms[y * n_tile_cols..][..n_tile_cols];
                row.copy_from_slice(&part[band * n_tile_cols..][..n_tile_cols]);
                row.iter_mut()
                    .flat_map(|form| &mut form.more)
                    .for_each(|place| *place += more.len() as u32);
            }
            more.try_reserve(planes.len()).map_err(|_| Ended::OutOfMemory)?;
            more.extend(planes);
        }
        let (width, height) = (field.grid.width(), field.grid.height());
        Ok(Labels { width, height, n_tile_cols, forms, bytes, more })
    }

    /// Bytes of the numbers of the tile that needs most of them.
    pub(super) fn n_bytes(&self) -> u8 {
        self.forms.iter().map(|form| form.n_bytes).max().unwrap_or(0)
    }

    /// The label of the cell with this number; [`UNREACHED`] if it was not reached.
    #[inline]
    pub fn at(&self, cell: usize) -> u32 {
        let (x, y) = (cell % self.width, cell / self.width);
        let tile = y / SIDE * self.n_tile_cols + x / SIDE;
        self.of_tile(tile, y % SIDE * SIDE + x % SIDE)
    }

    /// The label of a cell of a tile.
    #[inline]
    fn of_tile(&self, tile: usize, cell: usize) -> u32 {
        let form = &self.forms[tile];
        let mut number = u32::from(self.bytes[tile * TILE + cell]);
        for (idx, &plane) in form.others().iter().enumerate() {
            number |= u32::from(self.more[plane as usize][cell]) << (8 * (idx + 1));
        }
        match number {
            0 => UNREACHED,
            number => form.zero.wrapping_add(number),
        }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.width * self.height
    }

    /// Returns whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The width of a label in a table of `n_cells` cells: the least h with `n_cells < 2^h`.
    pub fn n_bits(n_cells: usize) -> usize {
        (usize::BITS - n_cells.leading_zeros()).max(1) as usize
    }

    /// Writes the labels into a zeroed table with a row for each cell: the most significant bit
    /// into column 0.
    ///
    /// # Errors
    /// If the run is interrupted.
    pub fn write(
        &self,
        table: &mut BitTable,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        let n_bits = table.n_cols();
        let mut block = [0; BLOCK];
        let mut labels = self.iter();
        for first in (0..self.len()).step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(self.len() - first)];
            block.iter_mut().zip(&mut labels).for_each(|(to, label)| *to = label);
            write_numbers_from(table, first, 0..n_bits, block, poller)?;
        }
        Ok(())
    }

    /// The labels, in the order of cells.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.height).flat_map(move |y| {
            let first = y / SIDE * self.n_tile_cols;
            (0..self.width).map(move |x| self.of_tile(first + x / SIDE, y % SIDE * SIDE + x % SIDE))
        })
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        self.width == other.width && self.iter().eq(other.iter())
    }
}

impl Eq for Labels {}
