//! A tile of 64 × 64 cells as bit boards: one limb for each row.
//!
//! Note [Boards]. A step of the wave moves the whole front of a tile at once: `front & right` one
//! bit along, and similarly in all directions, without the cells reached before. Rows are processed
//! in groups of eight, which is one register of AVX-512.
//!
//! Note [Windows]. A board advances by a window of steps at a time, while it is in the L1 cache,
//! with the known arrivals over its border; departures are passed to the neighbours when it is
//! done. A later arrival at a time that has already passed in the window makes the board go back to
//! that time and advance again. Every message was the length of some path, so that labels can only
//! decrease, and when there are no more arrivals they are exact: then the window ends.
//!
//! Note [Times]. The step in which a cell was reached is not written to memory cell by cell. A
//! board counts the steps since its *base*. Eight bit planes hold that count in Gray code for all
//! cells that are not reached yet: from one step to the next, one plane changes, by the bits of
//! these cells. So a reached cell keeps the code of its step, and going back means comparing codes.
//! After 255 steps, or when the wave has left the tile, the planes are converted to labels, with
//! some bit operations for 64 cells.

use super::grid::Step;
use super::label::{Form, More};
use super::planes::{add, transpose};
use super::steps::{rewind, run, run_diagonally};
use crate::environment::Ended;

/// Cells along the side of a tile.
pub(super) const SIDE: usize = 64;

/// Rows in a group.
pub(super) const GROUP: usize = 8;

/// The number of steps that the planes can distinguish.
const PERIOD: u32 = 255;

/// The number of times in a window.
pub(super) const WINDOW: usize = 24;

/// A side of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

impl Side {
    pub(super) const ALL: [Side; 4] = [Side::Top, Side::Bottom, Side::Left, Side::Right];
}

/// Cells of the border rows and columns of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Border {
    pub(super) top: u64,
    pub(super) bottom: u64,
    pub(super) left: u64,
    pub(super) right: u64,
}

impl Border {
    pub(super) fn at(&self, side: Side) -> u64 {
        match side {
            Side::Top => self.top,
            Side::Bottom => self.bottom,
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    fn at_mut(&mut self, side: Side) -> &mut u64 {
        match side {
            Side::Top => &mut self.top,
            Side::Bottom => &mut self.bottom,
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }
}

/// The open transitions of a tile, and those over its border.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Open {
    /// To the right of each cell.
    pub(super) right: [u64; SIDE],
    /// Padding that aligns the groups with cache lines, for the rows below each row and in the next
    /// field.
    filler: [u64; GROUP - 1],
    /// Above each row, and below the last one.
    pub(super) down: [u64; SIDE + 1],
    more_filler: [u64; GROUP - 1],
    /// 2 × 2 squares that begin in the row above each row, and in the last one. With four
    /// neighbours all are closed.
    pub(super) squares: [u64; SIDE + 1],
    /// To the left of column 0, one bit for each row.
    pub(super) left_edge: u64,
    /// To the right of column 63.
    pub(super) right_edge: u64,
    /// Squares that begin in the column to the left, one bit for each row.
    pub(super) left_squares: u64,
    /// Squares that begin in column 63.
    pub(super) right_squares: u64,
    /// The square that begins to the upper left of the tile.
    pub(super) corner_square: bool,
}

impl Open {
    fn closed() -> Self {
        Open {
            right: [0; SIDE],
            filler: [0; GROUP - 1],
            down: [0; SIDE + 1],
            more_filler: [0; GROUP - 1],
            squares: [0; SIDE + 1],
            left_edge: 0,
            right_edge: 0,
            left_squares: 0,
            right_squares: 0,
            corner_square: false,
        }
    }
}

/// A tile that the wave passes through.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Board {
    /// The cells that were reached in the last step; with a group of zeros on either side, so that
    /// groups are aligned with cache lines.
    pub(super) front: [u64; SIDE + 2 * GROUP],
    /// Cells that have not been reached.
    pub(super) fresh: [u64; SIDE],
    /// Arrivals over the border in the current step.
    pub(super) coming: [u64; SIDE],
    /// Groups with arrivals.
    pub(super) coming_groups: u8,
    pub(super) open: Open,
    /// The times when cells were reached; see Note [Times]. A plane is contiguous: the lower ones
    /// change most often and should stay in the cache.
    pub(super) planes: [[u64; SIDE]; 8],
    /// The code of the fresh cells of each group.
    pub(super) codes: [u8; SIDE / GROUP],
    /// Groups that contain parts of the front.
    pub(super) groups: u8,
    /// Whether any plane has a one.
    pub(super) is_written: bool,
    /// The time that the planes count from.
    pub(super) base: u32,
    /// The first time of the window.
    pub(super) begin: u32,
    /// The time to which the wave has advanced.
    pub(super) done: u32,
    /// The earliest time up to `done` with an arrival that came too late to be included.
    late: u32,
    /// Arrivals at each time of the window, and at the one after it.
    pub(super) inbox: [Border; WINDOW + 1],
    /// Times of the window with arrivals, one bit for each.
    pub(super) expected: u64,
    /// The reached part of the border before each time of the window, and after the last one, up to
    /// `done`.
    pub(super) seen: [Border; WINDOW + 1],
    /// The tile.
    pub(super) tile: Tile,
    /// Whether it is in the list of active tiles.
    pub(super) is_listed: bool,
    /// Whether it must be advanced in this window.
    pub(super) is_pending: bool,
}

/// The location of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub(super) x: usize,
    pub(super) y: usize,
    /// Cells in a row, fewer than 64 at the right border.
    pub(super) width: usize,
    /// Rows, fewer than 64 at the lower border.
    pub(super) height: usize,
}

impl Board {
    /// A board without a tile.
    pub(super) fn new() -> Self {
        Board {
            front: [0; SIDE + 2 * GROUP],
            fresh: [0; SIDE],
            coming: [0; SIDE],
            coming_groups: 0,
            open: Open::closed(),
            planes: [[0; SIDE]; 8],
            codes: [0; SIDE / GROUP],
            groups: 0,
            is_written: false,
            base: 0,
            begin: 0,
            done: 0,
            late: u32::MAX,
            inbox: [Border::default(); WINDOW + 1],
            expected: 0,
            seen: [Border::default(); WINDOW + 1],
            is_pending: false,
            tile: Tile { x: 0, y: 0, width: 0, height: 0 },
            is_listed: false,
        }
    }

    /// Starts on a tile of which nothing was reached, in the window that begins at a time. The
    /// board is new, or was flushed when the wave had left it, so no front or planes need clearing.
    /// The open transitions must be set afterwards.
    pub(super) fn take(&mut self, tile: Tile, begin: u32) {
        let row = u64::MAX >> (SIDE - tile.width);
        self.fresh = [0; SIDE];
        self.fresh[..tile.height].fill(row);
        self.expected = 0;
        self.inbox = [Border::default(); WINDOW + 1];
        self.planes = [[0; SIDE]; 8];
        self.codes = [0; SIDE / GROUP];
        self.is_written = false;
        self.base = begin.wrapping_sub(2);
        self.tile = tile;
        self.start(begin);
    }

    /// Starts at a time, with the reached border derived from `fresh` alone.
    fn start(&mut self, begin: u32) {
        self.begin = begin;
        self.done = begin - 1;
        self.late = u32::MAX;
        let columns = |x: usize| (0..SIDE).fold(0, |bits, y| bits | (!self.fresh[y] >> x & 1) << y);
        self.seen[0] = Border {
            top: !self.fresh[0],
            bottom: !self.fresh[SIDE - 1],
            left: columns(0),
            right: columns(SIDE - 1),
        };
    }

    /// Begins the window at this time, after all boards have finished the previous one.
    pub(super) fn enter(&mut self, begin: u32) {
        if self.begin == begin {
            return;
        }
        self.seen[0] = self.seen[(self.done + 1 - self.begin) as usize];
        // Arrivals after the last window come first; there are none if that is long ago.
        let n_times = WINDOW.min((begin - self.begin) as usize);
        let next = self.expected >> n_times & 1;
        let first = self.inbox[n_times];
        while self.expected != 0 {
            self.inbox[self.expected.trailing_zeros() as usize] = Border::default();
            self.expected &= self.expected - 1;
        }
        self.inbox[0] = first;
        self.expected = next;
        self.begin = begin;
        self.done = begin - 1;
    }

    /// Records arrivals over a side at a time of the window or after it. Returns false if all of
    /// them were known.
    pub(super) fn arrive(&mut self, time: u32, side: Side, cells: u64) -> bool {
        let known = &self.seen[(time.min(self.done) + 1 - self.begin) as usize];
        let idx = (time - self.begin) as usize;
        let inbox = self.inbox[idx].at_mut(side);
        let cells = cells & !known.at(side) & !*inbox;
        if cells == 0 {
            return false;
        }
        *inbox |= cells;
        self.expected |= 1 << idx;
        if time <= self.done {
            self.late = self.late.min(time);
        }
        true
    }

    /// Returns whether there is a front or an arrival after the window.
    pub(super) fn goes_on(&self) -> bool {
        self.groups != 0 || self.expected >> (self.done + 1 - self.begin) != 0
    }

    /// Departures over a side at a time of the window, one bit for each cell that is reached beyond
    /// it.
    pub(super) fn leaving(&self, idx: usize, side: Side, with_diagonals: bool) -> u64 {
        let reached = self.reached(idx, side);
        let open = &self.open;
        let (straight, squares) = match side {
            Side::Top => (open.down[0], open.squares[0]),
            Side::Bottom => (open.down[SIDE], open.squares[SIDE]),
            Side::Left => (open.left_edge, open.left_squares),
            Side::Right => (open.right_edge, open.right_squares),
        };
        // Straight back, where it came from, every cell is already reached.
        let straight = reached & straight & !self.inbox[idx].at(side);
        match with_diagonals {
            false => straight,
            true => straight | (reached & squares) << 1 | reached >> 1 & squares,
        }
    }

    /// The corners that the wave crosses at a time of the window.
    pub(super) fn leaving_corners(&self, idx: usize) -> [Option<Step>; 4] {
        let (top, bottom) = (self.reached(idx, Side::Top), self.reached(idx, Side::Bottom));
        let open = &self.open;
        let last = SIDE - 1;
        [
            (open.corner_square && top & 1 == 1, Step::UpLeft),
            (open.squares[0] >> last & top >> last == 1, Step::UpRight),
            (open.squares[SIDE] >> last & bottom >> last == 1, Step::DownRight),
            (open.left_squares >> last & bottom & 1 == 1, Step::DownLeft),
        ]
        .map(|(is_open, step)| is_open.then_some(step))
    }

    /// The cells of a side that were reached at a time of the window.
    fn reached(&self, idx: usize, side: Side) -> u64 {
        self.seen[idx + 1].at(side) & !self.seen[idx].at(side)
    }

    /// The time of an index in the window.
    pub(super) fn time(&self, idx: usize) -> u32 {
        self.begin + idx as u32
    }

    /// Returns whether every cell was reached.
    pub(super) fn is_full(&self) -> bool {
        self.fresh.iter().all(|&row| row == 0)
    }

    /// Returns whether this cell of the tile was reached.
    pub(super) fn has_reached(&self, x: usize, y: usize) -> bool {
        self.fresh[y] >> x & 1 == 0
    }

    /// Steps since it was last advanced.
    pub(super) fn rests(&self, time: u32) -> u32 {
        time - self.done
    }

    /// Returns whether this time exceeds the range of the planes.
    pub(super) fn is_over(&self, time: u32) -> bool {
        time.wrapping_sub(self.base) > PERIOD
    }

    /// Returns whether it was not yet advanced in this window.
    pub(super) fn is_behind(&self) -> bool {
        self.done < self.begin
    }

    /// Returns whether there was an arrival at a time that has passed.
    pub(super) fn is_late(&self) -> bool {
        self.late <= self.done
    }

    /// Advances to a time within the range of the planes, starting again from the first late
    /// arrival, if any. Returns for each side the times of the window at which it was reached.
    pub(super) fn run(&mut self, until: u32, with_diagonals: bool) -> [u64; 4] {
        let from = self.late.min(self.done + 1);
        self.late = u32::MAX;
        if from <= self.done {
            self.rewind(from - 1);
        }
        match with_diagonals {
            false => run(self, from, until),
            true => run_diagonally(self, from, until),
        }
    }

    /// Goes back to a time of the window, or the one before it.
    pub(super) fn rewind(&mut self, time: u32) {
        if time < self.done {
            rewind(self, time);
            self.done = time;
        }
    }

    /// The time when a cell of the tile was reached, in this window or shortly before.
    pub(super) fn when(&self, x: usize, y: usize) -> u32 {
        let code = (0..8).fold(0, |code, k| code | (self.planes[k][y] >> x & 1) << k) as u8;
        let step = code ^ code >> 1;
        let step = step ^ step >> 2;
        self.base.wrapping_add(u32::from(step ^ step >> 4))
    }

    /// Writes the labels of the cells reached since the base, and counts from `time` on. `bytes`
    /// are the lowest bytes of the labels of the tile; `form` describes the others.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub(super) fn flush(
        &mut self,
        time: u32,
        bytes: &mut [u8],
        form: &mut Form,
        more: &mut More,
    ) -> Result<(), Ended> {
        if self.is_written {
            let is_first = form.n_bytes == 0;
            if is_first {
                // Time t is label t − 1.
                form.zero = self.base.wrapping_sub(1);
            }
            let shift = self.base.wrapping_sub(1).wrapping_sub(form.zero);
            form.widen(shift + time.wrapping_sub(self.base), more)?;
            let mut steps = [[0u8; SIDE]; GROUP];
            for first in (0..SIDE).step_by(GROUP) {
                let planes = self.planes.each_ref().map(|plane| *part(plane, first));
                transpose(&planes, part(&self.fresh, first), &mut steps);
                let cells = first * SIDE..(first + GROUP) * SIDE;
                let steps = steps.as_flattened();
                match is_first {
                    true => bytes[cells].copy_from_slice(steps),
                    false => {
                        add(steps, shift, 0, &mut bytes[cells.clone()]);
                        for (idx, &plane) in form.others().iter().enumerate() {
                            let plane = &mut more[plane as usize][cells.clone()];
                            add(steps, shift, 8 * (idx as u32 + 1), plane);
                        }
                    }
                }
            }
        }
        self.begin(time);
        Ok(())
    }

    /// Clears the planes, which count from the step before `time` on: the front keeps its time,
    /// since the wave may go back there.
    fn begin(&mut self, time: u32) {
        self.is_written = self.groups != 0;
        self.planes = [[0; SIDE]; 8];
        self.codes = [1; SIDE / GROUP];
        for (y, plane) in self.planes[0].iter_mut().enumerate() {
            *plane = self.front[GROUP + y] | self.fresh[y];
        }
        self.base = time.wrapping_sub(1);
    }

    /// Restores the reached cells from the labels.
    pub(super) fn recall(&mut self, bytes: &[u8], form: &Form, more: &More) {
        for (y, fresh) in self.fresh.iter_mut().enumerate() {
            let others = form.others().iter().map(|&plane| &*more[plane as usize]);
            for plane in [bytes].into_iter().chain(others) {
                let row = plane[y * SIDE..][..SIDE].iter().enumerate();
                *fresh &= row.fold(0, |bits, (x, &byte)| bits | u64::from(byte == 0) << x);
            }
        }
        self.start(self.begin);
    }

    /// Lets the wave begin at a cell of the tile in the next step.
    pub(super) fn seed(&mut self, x: usize, y: usize) {
        self.coming[y] |= 1 << x;
        self.coming_groups |= 1 << (y / GROUP);
    }

    /// Distributes the arrivals at a time to their rows.
    #[inline(always)]
    pub(super) fn unpack(&mut self, Border { top, bottom, left, right }: Border) {
        self.coming[0] |= top;
        self.coming[SIDE - 1] |= bottom;
        self.coming_groups |= u8::from(top != 0) | u8::from(bottom != 0) << 7;
        for (mut column, bit) in [(left, 1), (right, 1 << (SIDE - 1))] {
            while column != 0 {
                let y = column.trailing_zeros() as usize;
                column &= column - 1;
                self.coming[y] |= bit;
                self.coming_groups |= 1 << (y / GROUP);
            }
        }
    }
}

/// `N` rows from the first one on. The callers' groups are in range.
#[inline(always)]
pub(super) fn part<const N: usize>(rows: &[u64], first: usize) -> &[u64; N] {
    rows[first..].first_chunk().expect("groups lie inside the rows of a tile")
}

/// The mutable version.
#[inline(always)]
pub(super) fn part_mut<const N: usize>(rows: &mut [u64], first: usize) -> &mut [u64; N] {
    rows[first..].first_chunk_mut().expect("groups lie inside the rows of a tile")
}
