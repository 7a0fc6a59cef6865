//! One thread's tiles, the labels of their cells, and the wave in them.

use super::board::{Board, Edges, SIDE, Side, Tile};
use super::field::{Bands, Field, MESSAGES, Message};
use super::grid::Step;
use super::label::Label;
use super::locked;
use crate::environment::Ended;
use crate::reserved;

/// Steps between two looks for boards that the wave has left.
const SWEEP: u32 = 256;

/// Where the board of a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The wave was never there.
    Untouched,
    /// It has a board.
    At(u32),
    /// Its board was given up; the labels say what was reached.
    Left,
    /// Every cell was reached.
    Full,
}

/// Tiles of one thread.
#[derive(Debug)]
pub(super) struct Worker {
    idx: usize,
    /// For each of its tiles, row by row.
    places: Vec<Place>,
    boards: Vec<Board>,
    /// Boards without a tile.
    unused: Vec<u32>,
    /// Boards with a front, or with arrivals at the next time.
    active: Vec<u32>,
    /// Those that come in at the next time.
    entered: Vec<u32>,
    /// Messages of the time at hand, for each worker.
    outgoing: Vec<Vec<Message>>,
}

impl Worker {
    /// A worker that has room for boards of all its tiles: the system gives the memory when it is written to, which for most
    /// waves is not all at once.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub(super) fn new(idx: usize, field: &Field<'_>) -> Result<Self, Ended> {
        let (n_tiles, n_workers) = (field.n_tiles_of(idx), field.n_workers);
        let mut places = reserved(n_tiles)?;
        places.resize(n_tiles, Place::Untouched);
        let mut outgoing = reserved(n_workers)?;
        for to in 0..n_workers {
            let is_beside = (to + 1) % n_workers == idx || (idx + 1) % n_workers == to;
            outgoing.push(reserved(if is_beside { MESSAGES * n_tiles } else { 0 })?);
        }
        Ok(Worker {
            idx,
            places,
            boards: reserved(n_tiles)?,
            unused: reserved(n_tiles)?,
            active: reserved(n_tiles)?,
            entered: reserved(n_tiles)?,
            outgoing,
        })
    }

    /// Lets the wave begin at a cell of its own at time 1.
    pub(super) fn begin_at<L: Label>(
        &mut self,
        x: usize,
        y: usize,
        field: &Field<'_>,
        bands: &mut Bands<'_, L>,
    ) {
        if field.owners[y / SIDE].0 != self.idx {
            return;
        }
        if let Some(slot) = self.board_of(x / SIDE, y / SIDE, 1, field, bands) {
            self.boards[slot as usize].seed(x % SIDE, y % SIDE);
            self.enter(slot);
        }
    }

    /// Moves the wave on to `time`. Gives the number of boards and messages that are left.
    pub(super) fn advance<L: Label>(
        &mut self,
        time: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_, L>,
    ) -> usize {
        self.receive(time, field, bands);
        self.active.append(&mut self.entered);
        let mut idx = 0;
        while let Some(&slot) = self.active.get(idx) {
            let board = &mut self.boards[slot as usize];
            if board.is_over(time) {
                let band = field.owners[board.tile.y].1;
                board.flush(time - 1, bands[band], field.grid.width());
            }
            let edges = board.step(time, field.squares.is_some());
            if edges.any {
                idx += 1;
                self.spread(slot, edges, time + 1, field, bands);
            } else if board.expects(time + 1) {
                idx += 1;
            } else {
                board.is_listed = false;
                self.active.swap_remove(idx);
                if board.is_full() {
                    self.give_up(slot, time, Place::Full, field, bands);
                }
            }
        }
        if time.is_multiple_of(SWEEP) {
            self.sweep(time, field, bands);
        }
        let n_messages = self.send(time + 1, field);
        self.active.len() + self.entered.len() + n_messages
    }

    /// Was this cell reached, which lies in a tile of its own?
    pub(super) fn has_reached(&self, x: usize, y: usize, field: &Field<'_>) -> bool {
        let (owner, band) = field.owners[y / SIDE];
        owner == self.idx
            && match self.places[band * field.n_tile_cols + x / SIDE] {
                Place::Untouched => false,
                Place::At(slot) => self.boards[slot as usize].has_reached(x % SIDE, y % SIDE),
                // It was found when it was reached, before the board was given up.
                Place::Left => false,
                Place::Full => true,
            }
    }

    /// Writes all labels up to `time`.
    pub(super) fn settle<L: Label>(
        &mut self,
        time: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_, L>,
    ) {
        for place in &self.places {
            if let Place::At(slot) = place {
                let board = &mut self.boards[*slot as usize];
                let band = field.owners[board.tile.y].1;
                board.flush(time, bands[band], field.grid.width());
            }
        }
    }

    /// Says of all cells where the wave never was that they are not reached.
    pub(super) fn finish<L: Label>(&self, field: &Field<'_>, bands: &mut Bands<'_, L>) {
        let width = field.grid.width();
        for (places, labels) in self.places.chunks(field.n_tile_cols.max(1)).zip(bands) {
            for row in labels.chunks_mut(width.max(1)) {
                for (cells, place) in row.chunks_mut(SIDE).zip(places) {
                    if *place == Place::Untouched {
                        cells.fill(L::NONE);
                    }
                }
            }
        }
    }

    /// Tells the neighbours of a board what comes over to them at `time`.
    fn spread<L: Label>(
        &mut self,
        slot: u32,
        edges: Edges,
        time: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_, L>,
    ) {
        let Board { open, tile, .. } = &self.boards[slot as usize];
        let Tile { x, y, .. } = *tile;
        let Edges { came, .. } = edges;
        // Straight back, where it came from, every cell is reached.
        let mut top = edges.top & open.down[0] & !came.top;
        let mut bottom = edges.bottom & open.down[SIDE] & !came.bottom;
        let mut left = edges.left & open.left_edge & !came.left;
        let mut right = edges.right & open.right_edge & !came.right;
        let mut corners = [None; 4];
        if field.squares.is_some() {
            let last = SIDE - 1;
            let across = |cells: u64, squares: u64| (cells & squares) << 1 | cells >> 1 & squares;
            let (up, down) = (open.squares[0], open.squares[SIDE]);
            top |= across(edges.top, up);
            bottom |= across(edges.bottom, down);
            left |= across(edges.left, open.left_squares);
            right |= across(edges.right, open.right_squares);
            corners = [
                (open.corner_square && edges.top & 1 == 1, Step::UpLeft),
                (up >> last & edges.top >> last == 1, Step::UpRight),
                (down >> last & edges.bottom >> last == 1, Step::DownRight),
                (open.left_squares >> last & edges.bottom & 1 == 1, Step::DownLeft),
            ]
            .map(|(is_open, step)| is_open.then_some(step));
        }
        if top != 0 {
            self.deliver(x, y - 1, (Side::Bottom, top), time, field, bands);
        }
        if bottom != 0 {
            self.deliver(x, y + 1, (Side::Top, bottom), time, field, bands);
        }
        if left != 0 {
            self.deliver(x - 1, y, (Side::Right, left), time, field, bands);
        }
        if right != 0 {
            self.deliver(x + 1, y, (Side::Left, right), time, field, bands);
        }
        for step in corners.into_iter().flatten() {
            let (dx, dy) = step.offset();
            let cell = if dx < 0 { 1 << (SIDE - 1) } else { 1 };
            let side = if dy < 0 { Side::Bottom } else { Side::Top };
            let (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            self.deliver(x, y, (side, cell), time, field, bands);
        }
    }

    /// Brings arrivals to a tile, or to its owner.
    fn deliver<L: Label>(
        &mut self,
        x: usize,
        y: usize,
        (side, cells): (Side, u64),
        time: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_, L>,
    ) {
        let (owner, _) = field.owners[y];
        if owner != self.idx {
            self.outgoing[owner].push(Message { x: x as u32, y: y as u32, side, cells });
            return;
        }
        if let Some(slot) = self.board_of(x, y, time, field, bands)
            && self.boards[slot as usize].arrive(time, side, cells)
        {
            self.enter(slot);
        }
    }

    /// Puts a board on the list of the next time, if it is on none.
    fn enter(&mut self, slot: u32) {
        let board = &mut self.boards[slot as usize];
        if !board.is_listed {
            board.is_listed = true;
            self.entered.push(slot);
        }
    }

    /// Takes what others have sent for this time.
    fn receive<L: Label>(&mut self, time: u32, field: &Field<'_>, bands: &mut Bands<'_, L>) {
        if field.n_workers == 1 {
            return;
        }
        let mut mail = locked(&field.mail[self.idx][time as usize % 2]);
        for Message { x, y, side, cells } in mail.drain(..) {
            self.deliver(x as usize, y as usize, (side, cells), time, field, bands);
        }
    }

    /// Sends what others get at `time`; gives the number of messages.
    fn send(&mut self, time: u32, field: &Field<'_>) -> usize {
        let mut n_messages = 0;
        for (messages, mail) in self.outgoing.iter_mut().zip(&field.mail) {
            if !messages.is_empty() {
                n_messages += messages.len();
                locked(&mail[time as usize % 2]).append(messages);
            }
        }
        n_messages
    }

    /// The board of a tile of its own, made if there is none; `None` if every cell of the tile was reached.
    fn board_of<L: Label>(
        &mut self,
        x: usize,
        y: usize,
        time: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_, L>,
    ) -> Option<u32> {
        let band = field.owners[y].1;
        let place = &mut self.places[band * field.n_tile_cols + x];
        let is_left = match *place {
            Place::At(slot) => return Some(slot),
            Place::Full => return None,
            Place::Untouched => false,
            Place::Left => true,
        };
        let slot = self.unused.pop().unwrap_or_else(|| {
            self.boards.push(Board::new());
            self.boards.len() as u32 - 1
        });
        let board = &mut self.boards[slot as usize];
        let tile = field.tile(x, y);
        board.take(tile, time - 1);
        field.open(tile, &mut board.open);
        if is_left {
            board.recall(bands[band], field.grid.width());
        }
        *place = Place::At(slot);
        Some(slot)
    }

    /// Writes the labels of a board, which becomes that of another tile.
    fn give_up<L: Label>(
        &mut self,
        slot: u32,
        time: u32,
        place: Place,
        field: &Field<'_>,
        bands: &mut Bands<'_, L>,
    ) {
        let board = &mut self.boards[slot as usize];
        let band = field.owners[board.tile.y].1;
        board.flush(time, bands[band], field.grid.width());
        self.places[band * field.n_tile_cols + board.tile.x] = place;
        self.unused.push(slot);
    }

    /// Gives up the boards that the wave left long ago.
    fn sweep<L: Label>(&mut self, time: u32, field: &Field<'_>, bands: &mut Bands<'_, L>) {
        for slot in 0..self.boards.len() as u32 {
            let board = &self.boards[slot as usize];
            let place = field.owners[board.tile.y].1 * field.n_tile_cols + board.tile.x;
            let has_tile = self.places[place] == Place::At(slot);
            if has_tile && !board.is_listed && board.age(time) > 2 * SWEEP {
                self.give_up(slot, time, Place::Left, field, bands);
            }
        }
    }
}
