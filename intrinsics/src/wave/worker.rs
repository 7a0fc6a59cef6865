//! The tiles of one thread, the labels of their cells, and the wave in them.

use super::board::{Board, SIDE, Side, Tile, WINDOW};
use super::field::{Bands, Field, MESSAGES, Message};
use super::label::{Form, More, TILE};
use super::locked;
use crate::environment::Ended;
use crate::reserved;

/// Steps between two sweeps for boards that the wave has left.
const SWEEP: u32 = 64;

/// Steps for which a board is kept after the wave has left it.
const REST: u32 = 64;

/// The state of the board of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The wave has never reached it.
    Untouched,
    /// It has a board.
    At(u32),
    /// Its board was released; the labels hold the reached cells.
    Left,
    /// Every cell was reached.
    Full,
}

/// The tiles of one thread.
#[derive(Debug)]
pub(super) struct Worker {
    idx: usize,
    /// The state of each of its tiles, row by row.
    places: Vec<Place>,
    boards: Vec<Board>,
    /// The encoding of the labels of its tiles.
    forms: Vec<Form>,
    more: More,
    /// Boards without a tile.
    unused: Vec<u32>,
    /// Boards with a front, or with arrivals at the next time.
    active: Vec<u32>,
    /// Boards that must be advanced in this window.
    pending: Vec<u32>,
    /// How often a board went back.
    n_returns: u32,
    /// The start of the window.
    begin: u32,
    /// Messages of the current time, for each worker.
    outgoing: Vec<Vec<Message>>,
}

impl Worker {
    /// A worker with capacity for boards of all its tiles: the operating system commits the memory
    /// when it is written to, which most waves do only in part.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub(super) fn new(idx: usize, field: &Field<'_>) -> Result<Self, Ended> {
        let (n_tiles, n_workers) = (field.n_tiles_of(idx), field.n_workers);
        let mut places = reserved(n_tiles)?;
        places.resize(n_tiles, Place::Untouched);
        let mut forms = reserved(n_tiles)?;
        forms.resize(n_tiles, Form::default());
        let mut outgoing = reserved(n_workers)?;
        for to in 0..n_workers {
            let is_beside = (to + 1) % n_workers == idx || (idx + 1) % n_workers == to;
            outgoing.push(reserved(if is_beside { MESSAGES * n_tiles } else { 0 })?);
        }
        Ok(Worker {
            idx,
            places,
            boards: reserved(n_tiles)?,
            forms,
            more: Vec::new(),
            unused: reserved(n_tiles)?,
            active: reserved(n_tiles)?,
            pending: reserved(n_tiles)?,
            n_returns: 0,
            begin: 1,
            outgoing,
        })
    }

    /// Lets the wave begin at one of its cells at time 1.
    pub(super) fn begin_at(
        &mut self,
        x: usize,
        y: usize,
        field: &Field<'_>,
        bands: &mut Bands<'_>,
    ) {
        if field.owners[y / SIDE].0 != self.idx {
            return;
        }
        if let Some(slot) = self.board_of(x / SIDE, y / SIDE, 1, field, bands) {
            let board = &mut self.boards[slot as usize];
            board.seed(x % SIDE, y % SIDE);
            if !board.is_listed {
                board.is_listed = true;
                self.active.push(slot);
            }
        }
    }

    /// Begins a window: all boards with a front must be advanced.
    pub(super) fn open(&mut self, begin: u32) {
        self.begin = begin;
        for &slot in &self.active {
            let board = &mut self.boards[slot as usize];
            board.enter(begin);
            board.is_pending = true;
        }
        self.pending.clear();
        self.pending.extend_from_slice(&self.active);
    }

    /// Receives messages, advances all pending boards to the end of the window, and sends messages.
    /// Returns the number of messages.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub(super) fn work(
        &mut self,
        round: u32,
        until: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_>,
    ) -> Result<usize, Ended> {
        self.receive(round, until, field, bands)?;
        let mut idx = 0;
        while let Some(&slot) = self.pending.get(idx) {
            idx += 1;
            let board = &mut self.boards[slot as usize];
            board.is_pending = false;
            if board.is_behind() && board.is_over(until) {
                self.flush(slot, self.begin - 1, field, bands)?;
            }
            let board = &mut self.boards[slot as usize];
            self.n_returns += u32::from(board.is_late());
            let moved = board.run(until, field.squares.is_some());
            if moved != [0; 4] {
                self.spread(slot, moved, until, field, bands)?;
            }
        }
        self.pending.clear();
        Ok(self.send(round + 1, field))
    }

    /// Ends a window. Returns the number of boards that remain active.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub(super) fn close(
        &mut self,
        until: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_>,
    ) -> Result<usize, Ended> {
        let mut n_active = 0;
        for idx in 0..self.active.len() {
            let slot = self.active[idx];
            let board = &mut self.boards[slot as usize];
            board.is_listed = board.goes_on();
            if board.is_listed {
                self.active[n_active] = slot;
                n_active += 1;
            } else if board.is_full() {
                self.give_up(slot, until, Place::Full, field, bands)?;
            }
        }
        self.active.truncate(n_active);
        if until / SWEEP != (self.begin - 1) / SWEEP {
            self.sweep(until, field, bands)?;
        }
        Ok(n_active)
    }

    /// Goes back to a time of the window.
    pub(super) fn rewind(&mut self, time: u32) {
        for &slot in &self.active {
            self.boards[slot as usize].rewind(time);
        }
    }

    /// The time when this cell was reached, if it is in one of the worker's tiles and was reached
    /// in this window.
    pub(super) fn when(&self, x: usize, y: usize, field: &Field<'_>) -> Option<u32> {
        let (owner, band) = field.owners[y / SIDE];
        if owner != self.idx {
            return None;
        }
        match self.places[band * field.n_tile_cols + x / SIDE] {
            Place::At(slot) => {
                let board = &self.boards[slot as usize];
                board.has_reached(x % SIDE, y % SIDE).then(|| board.when(x % SIDE, y % SIDE))
            }
            // It was found when it was reached, before the board was released.
            Place::Untouched | Place::Left | Place::Full => None,
        }
    }

    /// Writes all labels up to `time`.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub(super) fn settle(
        &mut self,
        time: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_>,
    ) -> Result<(), Ended> {
        for idx in 0..self.places.len() {
            if let Place::At(slot) = self.places[idx] {
                self.flush(slot, time, field, bands)?;
            }
        }
        Ok(())
    }

    /// How often a board went back.
    pub(super) fn n_returns(&self) -> u32 {
        self.n_returns
    }

    /// The encoding of the labels of its tiles, after all are written.
    pub(super) fn take_labels(&mut self) -> (Vec<Form>, More) {
        (std::mem::take(&mut self.forms), std::mem::take(&mut self.more))
    }

    /// Writes the labels of a board up to `time`.
    fn flush(
        &mut self,
        slot: u32,
        time: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_>,
    ) -> Result<(), Ended> {
        let board = &mut self.boards[slot as usize];
        let (band, x) = (field.owners[board.tile.y].1, board.tile.x);
        let form = &mut self.forms[band * field.n_tile_cols + x];
        board.flush(time, &mut bands[band][x * TILE..][..TILE], form, &mut self.more)
    }

    /// Passes the departures of a board to its neighbours.
    fn spread(
        &mut self,
        slot: u32,
        moved: [u64; 4],
        until: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_>,
    ) -> Result<(), Ended> {
        let with_diagonals = field.squares.is_some();
        let Tile { x, y, .. } = self.boards[slot as usize].tile;
        for (side, times) in Side::ALL.into_iter().zip(moved) {
            if times == 0 {
                continue;
            }
            let (to, at) = match side {
                Side::Top => ((Some(x), y.checked_sub(1)), Side::Bottom),
                Side::Bottom => ((Some(x), Some(y + 1)), Side::Top),
                Side::Left => ((x.checked_sub(1), Some(y)), Side::Right),
                Side::Right => ((Some(x + 1), Some(y)), Side::Left),
            };
            let (Some(to_x), Some(to_y)) = to else { continue };
            if to_x >= field.n_tile_cols || to_y >= field.owners.len() {
                continue;
            }
            let mut letter = (0, [(0, 0); WINDOW]);
            let board = &self.boards[slot as usize];
            let mut left = times;
            while left != 0 {
                let idx = left.trailing_zeros() as usize;
                left &= left - 1;
                let cells = board.leaving(idx, side, with_diagonals);
                if cells != 0 {
                    letter.1[letter.0] = (board.time(idx) + 1, cells);
                    letter.0 += 1;
                }
            }
            self.deliver((to_x, to_y), at, &letter.1[..letter.0], until, field, bands)?;
        }
        if !with_diagonals {
            return Ok(());
        }
        let mut left = moved[0] | moved[1];
        while left != 0 {
            let idx = left.trailing_zeros() as usize;
            left &= left - 1;
            let board = &self.boards[slot as usize];
            let time = board.time(idx) + 1;
            for step in board.leaving_corners(idx).into_iter().flatten() {
                let (dx, dy) = step.offset();
                let cell = if dx < 0 { 1 << (SIDE - 1) } else { 1 };
                let side = if dy < 0 { Side::Bottom } else { Side::Top };
                let to = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
                self.deliver(to, side, &[(time, cell)], until, field, bands)?;
            }
        }
        Ok(())
    }

    /// Passes arrivals to a tile, or to its owner.
    fn deliver(
        &mut self,
        (x, y): (usize, usize),
        side: Side,
        arrivals: &[(u32, u64)],
        until: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_>,
    ) -> Result<(), Ended> {
        if arrivals.is_empty() {
            return Ok(());
        }
        let (owner, _) = field.owners[y];
        if owner != self.idx {
            let outgoing = &mut self.outgoing[owner];
            outgoing.try_reserve(arrivals.len()).map_err(|_| Ended::OutOfMemory)?;
            let (x, y) = (x as u32, y as u32);
            outgoing.extend(arrivals.iter().map(|&(time, cells)| Message {
                time,
                x,
                y,
                side,
                cells,
            }));
            return Ok(());
        }
        let Some(slot) = self.board_of(x, y, self.begin, field, bands) else { return Ok(()) };
        let board = &mut self.boards[slot as usize];
        board.enter(self.begin);
        let (mut is_new, mut is_now) = (false, false);
        for &(time, cells) in arrivals {
            if board.arrive(time, side, cells) {
                is_new = true;
                is_now |= time <= until;
            }
        }
        if is_new && !board.is_listed {
            board.is_listed = true;
            self.active.push(slot);
        }
        if is_now && !board.is_pending {
            board.is_pending = true;
            // Each board is on the list at most once at a time, but may be added again.
            self.pending.try_reserve(1).map_err(|_| Ended::OutOfMemory)?;
            self.pending.push(slot);
        }
        Ok(())
    }

    /// Receives the messages of this round.
    fn receive(
        &mut self,
        round: u32,
        until: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_>,
    ) -> Result<(), Ended> {
        if field.n_workers == 1 {
            return Ok(());
        }
        let mut mail = locked(&field.mail[self.idx][round as usize % 2]);
        for Message { time, x, y, side, cells } in mail.drain(..) {
            self.deliver((x as usize, y as usize), side, &[(time, cells)], until, field, bands)?;
        }
        Ok(())
    }

    /// Sends the messages of a round; returns their number.
    fn send(&mut self, round: u32, field: &Field<'_>) -> usize {
        let mut n_messages = 0;
        for (messages, mail) in self.outgoing.iter_mut().zip(&field.mail) {
            if !messages.is_empty() {
                n_messages += messages.len();
                locked(&mail[round as usize % 2]).append(messages);
            }
        }
        n_messages
    }

    /// The board of one of its tiles, created if there is none; `None` if every cell of the tile
    /// was reached.
    fn board_of(
        &mut self,
        x: usize,
        y: usize,
        begin: u32,
        field: &Field<'_>,
        bands: &mut Bands<'_>,
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
        board.take(tile, begin);
        field.open(tile, &mut board.open);
        if is_left {
            let form = &self.forms[band * field.n_tile_cols + x];
            board.recall(&bands[band][x * TILE..][..TILE], form, &self.more);
        }
        *place = Place::At(slot);
        Some(slot)
    }

    /// Writes the labels of a board and releases it for another tile.
    fn give_up(
        &mut self,
        slot: u32,
        time: u32,
        place: Place,
        field: &Field<'_>,
        bands: &mut Bands<'_>,
    ) -> Result<(), Ended> {
        self.flush(slot, time, field, bands)?;
        let tile = self.boards[slot as usize].tile;
        self.places[field.owners[tile.y].1 * field.n_tile_cols + tile.x] = place;
        self.unused.push(slot);
        Ok(())
    }

    /// Releases the boards that the wave left a while ago.
    fn sweep(&mut self, time: u32, field: &Field<'_>, bands: &mut Bands<'_>) -> Result<(), Ended> {
        for slot in 0..self.boards.len() as u32 {
            let board = &self.boards[slot as usize];
            let place = field.owners[board.tile.y].1 * field.n_tile_cols + board.tile.x;
            let has_tile = self.places[place] == Place::At(slot);
            if has_tile && !board.is_listed && board.rests(time) > REST {
                self.give_up(slot, time, Place::Left, field, bands)?;
            }
        }
        Ok(())
    }
}
