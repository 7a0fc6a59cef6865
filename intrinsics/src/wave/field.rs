//! The state shared by the threads of a wave: the grid in tiles, their owners, and the messages
//! between these.
//!
//! Bands of tiles over the whole width of the grid are assigned to the workers in round-robin
//! order. When the wave leaves the tiles of a worker, the worker sends the owner a [`Message`],
//! which arrives at the next time.

use std::sync::Mutex;

use super::board::{Board, Open, SIDE, Side, Tile};
use super::grid::{Grid, Neighbourhood};
use super::label::{Form, TILE};
use super::worker::Place;
use crate::environment::Ended;
use crate::reserved;

/// Rows of tiles in a band: where two bands meet, much work is done twice.
const BAND: usize = 8;

/// The maximum number of messages of a tile at one time: straight on and over two corners. It
/// borders on at most one other band.
pub(super) const MESSAGES: usize = 3;

/// A message to a tile at a time from a neighbour that another worker owns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) time: u32,
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) side: Side,
    pub(super) cells: u64,
}

/// The state shared by all workers.
#[derive(Debug)]
pub(super) struct Field<'g> {
    pub(super) grid: &'g Grid,
    /// The open 2 × 2 squares by their upper left cells, if there are diagonal steps.
    pub(super) squares: Option<Vec<u64>>,
    pub(super) n_tile_cols: usize,
    /// For each row of tiles, the worker that owns it, and the index of the row among the worker's
    /// own.
    pub(super) owners: Vec<(usize, usize)>,
    pub(super) n_workers: usize,
    /// For each worker, the messages for even and odd rounds.
    pub(super) mail: Vec<[Mutex<Vec<Message>>; 2]>,
}

/// The lowest bytes of the labels of the tiles of a worker, for each of its rows of tiles.
pub(super) type Bands<'l> = Vec<&'l mut [u8]>;

impl<'g> Field<'g> {
    /// The field of a wave over a grid.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub(super) fn new(
        grid: &'g Grid,
        neighbourhood: Neighbourhood,
        n_workers: usize,
    ) -> Result<Self, Ended> {
        let squares = match neighbourhood {
            Neighbourhood::VonNeumann => None,
            Neighbourhood::Moore => Some(squares(grid)?),
        };
        let n_tile_rows = grid.height().div_ceil(SIDE);
        let mut owners = reserved(n_tile_rows)?;
        owners.extend(
            (0..n_tile_rows)
                .map(|y| (y / BAND % n_workers, y / BAND / n_workers * BAND + y % BAND)),
        );
        let n_tile_cols = grid.width().div_ceil(SIDE);
        let mut field =
            Field { grid, squares, n_tile_cols, owners, n_workers, mail: reserved(n_workers)? };
        for worker in 0..n_workers {
            let n_messages = MESSAGES * field.n_tiles_of(worker);
            let mail = || Ok::<_, Ended>(Mutex::new(reserved(n_messages)?));
            field.mail.push([mail()?, mail()?]);
        }
        Ok(field)
    }

    /// An upper bound on the bytes of a field and of its workers.
    pub(super) fn n_bytes(width: usize, height: usize) -> u64 {
        // In lists: active, entered and unused boards; messages for two neighbours, and those at
        // two times.
        let tile = size_of::<Board>()
            + size_of::<Place>()
            + size_of::<Form>()
            + 3 * size_of::<u32>()
            + 4 * MESSAGES * size_of::<Message>();
        let row = size_of::<(usize, usize)>() + size_of::<&mut [u8]>();
        let (n_cols, n_rows) = (width.div_ceil(SIDE) as u64, height.div_ceil(SIDE) as u64);
        let n_bytes = n_cols.saturating_mul(n_rows).saturating_mul(tile as u64);
        n_bytes
            .saturating_add(n_rows.saturating_mul(row as u64))
            .saturating_add(Grid::n_bytes(width, height) / 2)
    }

    /// Distributes labels to the workers.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub(super) fn deal<'l>(&self, labels: &'l mut [u8]) -> Result<Vec<Bands<'l>>, Ended> {
        let mut bands = reserved(self.n_workers)?;
        for worker in 0..self.n_workers {
            bands.push(reserved(self.n_tile_rows_of(worker))?);
        }
        let n_labels = TILE * self.n_tile_cols;
        for (tile_y, labels) in labels.chunks_mut(n_labels.max(1)).enumerate() {
            bands[self.owners[tile_y].0].push(labels);
        }
        Ok(bands)
    }

    fn n_tile_rows_of(&self, worker: usize) -> usize {
        self.owners.iter().filter(|(owner, _)| *owner == worker).count()
    }

    pub(super) fn n_tiles_of(&self, worker: usize) -> usize {
        self.n_tile_rows_of(worker) * self.n_tile_cols
    }

    pub(super) fn tile(&self, x: usize, y: usize) -> Tile {
        let width = (self.grid.width() - x * SIDE).min(SIDE);
        let height = (self.grid.height() - y * SIDE).min(SIDE);
        Tile { x, y, width, height }
    }

    /// Writes the open transitions of a tile.
    pub(super) fn open(&self, tile: Tile, open: &mut Open) {
        let limbs = self.grid.row_limbs();
        let (right, down) = self.grid.planes();
        let first = tile.y * SIDE;
        let limb = |plane: &[u64], x: usize, y: usize| plane[y * limbs + x];
        open.right = [0; SIDE];
        open.down = [0; SIDE + 1];
        (open.left_edge, open.right_edge) = (0, 0);
        if tile.y > 0 {
            open.down[0] = limb(down, tile.x, first - 1);
        }
        for y in 0..tile.height {
            open.right[y] = limb(right, tile.x, first + y);
            open.down[y + 1] = limb(down, tile.x, first + y);
            open.right_edge |= open.right[y] >> (SIDE - 1) << y;
            if tile.x > 0 {
                open.left_edge |= limb(right, tile.x - 1, first + y) >> (SIDE - 1) << y;
            }
        }
        if let Some(squares) = &self.squares {
            open.squares = [0; SIDE + 1];
            (open.left_squares, open.right_squares, open.corner_square) = (0, 0, false);
            if tile.y > 0 {
                open.squares[0] = limb(squares, tile.x, first - 1);
                open.corner_square =
                    tile.x > 0 && limb(squares, tile.x - 1, first - 1) >> (SIDE - 1) == 1;
            }
            for y in 0..tile.height {
                open.squares[y + 1] = limb(squares, tile.x, first + y);
                open.right_squares |= open.squares[y + 1] >> (SIDE - 1) << y;
                if tile.x > 0 {
                    open.left_squares |= limb(squares, tile.x - 1, first + y) >> (SIDE - 1) << y;
                }
            }
        }
    }
}

/// The open 2 × 2 squares of a grid, in the layout of its transitions.
fn squares(grid: &Grid) -> Result<Vec<u64>, Ended> {
    let limbs = grid.row_limbs();
    let (right, down) = grid.planes();
    let mut squares = reserved(right.len())?;
    squares.resize(right.len(), 0);
    for y in 0..grid.height().saturating_sub(1) {
        let row = y * limbs;
        for limb in 0..limbs {
            let here = down[row + limb];
            let beside = if limb + 1 < limbs { down[row + limb + 1] << (SIDE - 1) } else { 0 };
            squares[row + limb] =
                right[row + limb] & right[row + limbs + limb] & here & (here >> 1 | beside);
        }
    }
    Ok(squares)
}
