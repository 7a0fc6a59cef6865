//! A tile of 64 × 64 cells as bit boards: one limb for each row.
//!
//! Note [Boards]. A step of the wave moves the whole front of a tile at once: `front & right` one bit along,
//! and so on in all directions, less what was reached before. Rows go in groups of eight, which is one register of
//! AVX-512, and groups that the front does not touch are left out. What crosses the border of the tile
//! is not moved here: [`Edges`] tell it to the crew.
//!
//! Note [Times]. The step in which a cell was reached is not written to memory cell by cell. A board counts the steps
//! since its *base*. Eight bit planes hold that count in Gray code for all cells that are not reached yet: from one step to
//! the next one plane changes, by the bits of these cells. So a cell that is reached keeps the code of its step. After
//! 255 steps, or when the wave has left the tile, the planes are turned into labels, with some bit operations for 64 cells.

use multiversion::multiversion;

use super::label::Label;

/// Cells along the side of a tile.
pub(super) const SIDE: usize = 64;

/// Rows in a group.
const GROUP: usize = 8;

/// Steps that the planes can tell apart.
const PERIOD: u32 = 255;

/// A side of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

/// What a board gets from its neighbours in one step: which cells of its border rows and columns are reached.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrivals {
    pub(super) top: u64,
    pub(super) bottom: u64,
    pub(super) left: u64,
    pub(super) right: u64,
}

impl Arrivals {
    fn is_none(&self) -> bool {
        self.top | self.bottom | self.left | self.right == 0
    }
}

/// What a board has reached in one step on its border, and whether it has reached anything.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Edges {
    pub(super) top: u64,
    pub(super) bottom: u64,
    pub(super) left: u64,
    pub(super) right: u64,
    /// What came in: where that lies on the border, the cell on the other side was reached before.
    pub(super) came: Arrivals,
    pub(super) any: bool,
}

/// The open transitions of a tile, and those over its border.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Open {
    /// To the right of each cell.
    pub(super) right: [u64; SIDE],
    /// Above each row, and below the last one.
    pub(super) down: [u64; SIDE + 1],
    /// 2 × 2 squares that begin in the row above each row, and in the last one. With four neighbours all are closed.
    pub(super) squares: [u64; SIDE + 1],
    /// To the left of column 0, a bit for each row.
    pub(super) left_edge: u64,
    /// To the right of column 63.
    pub(super) right_edge: u64,
    /// Squares that begin in the column to the left, a bit for each row.
    pub(super) left_squares: u64,
    /// Squares that begin in column 63.
    pub(super) right_squares: u64,
    /// The square that begins up left of the tile.
    pub(super) corner_square: bool,
}

impl Open {
    fn closed() -> Self {
        Open {
            right: [0; SIDE],
            down: [0; SIDE + 1],
            squares: [0; SIDE + 1],
            left_edge: 0,
            right_edge: 0,
            left_squares: 0,
            right_squares: 0,
            corner_square: false,
        }
    }
}

/// A tile through which the wave goes.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Board {
    /// The cells that were reached in the last step; a group of zeros on either side, so that groups lie in lines of the cache.
    front: [u64; SIDE + 2 * GROUP],
    /// Cells that were not reached yet.
    fresh: [u64; SIDE],
    /// What comes in over the border in the step at hand.
    coming: [u64; SIDE],
    /// Groups in which anything comes in.
    coming_groups: u8,
    pub(super) open: Open,
    /// When cells were reached; see Note [Times]. A plane lies in one piece: the lower ones change most often, and are what
    /// the cache has to keep.
    planes: [[u64; SIDE]; 8],
    /// The code of the fresh cells of each group.
    codes: [u8; SIDE / GROUP],
    /// Groups in which the front is.
    groups: u8,
    /// Whether any plane has a one.
    is_written: bool,
    /// The time that the planes count from.
    base: u32,
    /// Arrivals of even and of odd times.
    inbox: [Arrivals; 2],
    /// The tile.
    pub(super) tile: Tile,
    /// Is it among those that the wave is in?
    pub(super) is_listed: bool,
    /// Are the labels of the tile in memory, up to what the planes hold?
    pub(super) has_labels: bool,
}

/// Where a tile lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub(super) x: usize,
    pub(super) y: usize,
    /// Cells in a row, below 64 at the right border.
    pub(super) width: usize,
    /// Rows, below 64 at the lower border.
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
            inbox: [Arrivals::default(); 2],
            tile: Tile { x: 0, y: 0, width: 0, height: 0 },
            is_listed: false,
            has_labels: false,
        }
    }

    /// Takes a tile that nothing was reached of, in which the wave arrives after `base`. The board is new, or was
    /// flushed when the wave had left it, so that no front and no planes are to be wiped. What is open is to be said.
    pub(super) fn take(&mut self, tile: Tile, base: u32) {
        let row = u64::MAX >> (SIDE - tile.width);
        self.fresh = [0; SIDE];
        self.fresh[..tile.height].fill(row);
        self.inbox = [Arrivals::default(); 2];
        self.base = base;
        self.tile = tile;
        self.has_labels = false;
    }

    /// What comes in over a side at the next time of this parity. Returns false if all of that is reached already.
    pub(super) fn arrive(&mut self, time: u32, side: Side, cells: u64) -> bool {
        let inbox = &mut self.inbox[time as usize % 2];
        let (arrivals, cells) = match side {
            Side::Top => (&mut inbox.top, cells & self.fresh[0]),
            Side::Bottom => (&mut inbox.bottom, cells & self.fresh[SIDE - 1]),
            Side::Left => (&mut inbox.left, cells),
            Side::Right => (&mut inbox.right, cells),
        };
        *arrivals |= cells;
        cells != 0
    }

    /// Does anything come in at this time?
    pub(super) fn expects(&self, time: u32) -> bool {
        !self.inbox[time as usize % 2].is_none()
    }

    /// Was every cell reached?
    pub(super) fn is_full(&self) -> bool {
        self.fresh.iter().all(|&row| row == 0)
    }

    /// Was this cell of the tile reached?
    pub(super) fn has_reached(&self, x: usize, y: usize) -> bool {
        self.fresh[y] >> x & 1 == 0
    }

    /// Steps since the planes were begun.
    pub(super) fn age(&self, time: u32) -> u32 {
        time - self.base
    }

    /// Do the planes have no room for this time?
    pub(super) fn is_over(&self, time: u32) -> bool {
        self.age(time) > PERIOD
    }

    /// The step at a time that the planes have room for.
    pub(super) fn step(&mut self, time: u32, with_diagonals: bool) -> Edges {
        match with_diagonals {
            false => advance(self, time),
            true => advance_diagonally(self, time),
        }
    }

    /// Writes the labels of what was reached since the base, and makes `time` the base. `labels` begin with the tile's first
    /// row of cells, each of `width`.
    pub(super) fn flush<L: Label>(&mut self, time: u32, labels: &mut [L], width: usize) {
        if self.has_labels && !self.is_written {
            return self.begin(time);
        }
        let Tile { x, width: n_cells, height, .. } = self.tile;
        let rows = labels.chunks_mut(width).take(height);
        let mut bytes = [[0u8; SIDE]; GROUP];
        for (y, row) in rows.enumerate() {
            let row = &mut row[x * SIDE..][..n_cells];
            if self.is_written && y % GROUP == 0 {
                let planes = self.planes.each_ref().map(|plane| *part(plane, y));
                turn(&planes, part(&self.fresh, y), &mut bytes);
            }
            let steps = &bytes[y % GROUP];
            // Time t is label t − 1.
            let base = self.base.wrapping_sub(1);
            for (label, &step) in row.iter_mut().zip(steps) {
                let new = L::of(base.wrapping_add(u32::from(step)));
                let old = if self.has_labels { *label } else { L::NONE };
                *label = if step == 0 { old } else { new };
            }
        }
        self.has_labels = true;
        self.begin(time);
    }

    /// Wipes the planes, which count from `time` on.
    fn begin(&mut self, time: u32) {
        self.is_written = false;
        if self.codes != [0; SIDE / GROUP] {
            self.planes = [[0; SIDE]; 8];
            self.codes = [0; SIDE / GROUP];
        }
        self.base = time;
    }

    /// Takes what was reached from the labels in memory.
    pub(super) fn recall<L: Label>(&mut self, labels: &[L], width: usize) {
        let Tile { x, width: n_cells, height, .. } = self.tile;
        for (fresh, row) in self.fresh.iter_mut().zip(labels.chunks(width).take(height)) {
            let row = &row[x * SIDE..][..n_cells];
            let bits = row.iter().enumerate().map(|(x, label)| u64::from(*label == L::NONE) << x);
            *fresh = bits.fold(0, |bits, bit| bits | bit);
        }
        self.has_labels = true;
    }

    /// The wave begins at a cell of the tile in the next step.
    pub(super) fn seed(&mut self, x: usize, y: usize) {
        self.coming[y] |= 1 << x;
        self.coming_groups |= 1 << (y / GROUP);
    }

    /// Brings what arrives to its rows, and says what that is.
    fn unpack(&mut self, time: u32) -> Arrivals {
        let came = std::mem::take(&mut self.inbox[time as usize % 2]);
        let Arrivals { top, bottom, left, right } = came;
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
        came
    }
}

/// A step with four neighbours.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn advance(board: &mut Board, time: u32) -> Edges {
    go(board, time, |_, _, _| 0)
}

/// A step with eight neighbours.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn advance_diagonally(board: &mut Board, time: u32) -> Edges {
    go(
        board,
        time,
        #[inline(always)]
        |front, squares, i| {
            let (above, below) = (front[i], front[i + 2]);
            (above & squares[i]) << 1
                | above >> 1 & squares[i]
                | (below & squares[i + 1]) << 1
                | below >> 1 & squares[i + 1]
        },
    )
}

/// A step; `diagonal` gives what comes over corners into row i of a group, whose front begins a row above and whose
/// squares likewise.
#[inline(always)]
fn go(
    board: &mut Board,
    time: u32,
    diagonal: impl Fn(&[u64; GROUP + 2], &[u64; GROUP + 1], usize) -> u64,
) -> Edges {
    let came = board.unpack(time);
    let step = (time - board.base) as u8;
    let code = step ^ step >> 1;
    let Board { front, fresh, coming, coming_groups, open, planes, codes, groups, .. } = board;
    let coming_groups = std::mem::take(coming_groups);
    let touched = *groups | *groups << 1 | *groups >> 1 | coming_groups;
    let mut edges = Edges { came, ..Edges::default() };
    let mut reached_groups = 0u8;
    // The last row of the group above, as it was before this step.
    let mut above = 0;
    for (group, kept) in codes.iter_mut().enumerate() {
        if touched >> group & 1 == 0 {
            above = 0;
            continue;
        }
        let first = group * GROUP;
        let mut old: [u64; GROUP + 2] = *part(front, GROUP + first - 1);
        old[0] = above;
        above = old[GROUP];
        let right: &[u64; GROUP] = part(&open.right, first);
        let down: &[u64; GROUP + 1] = part(&open.down, first);
        let squares: &[u64; GROUP + 1] = part(&open.squares, first);
        let unreached: &mut [u64; GROUP] = part_mut(fresh, first);
        let mut spread = [0u64; GROUP];
        if coming_groups >> group & 1 == 1 {
            spread = std::mem::take(part_mut(coming, first));
        }
        let mut reached = [0u64; GROUP];
        for i in 0..GROUP {
            let here = old[i + 1];
            spread[i] |= (here & right[i]) << 1
                | here >> 1 & right[i]
                | old[i] & down[i]
                | old[i + 2] & down[i + 1]
                | diagonal(&old, squares, i);
            reached[i] = spread[i] & unreached[i];
        }
        *part_mut::<GROUP>(front, GROUP + first) = reached;
        let all = reached.iter().fold(0, |all, row| all | row);
        if all == 0 {
            continue;
        }
        let mut changing = *kept ^ code;
        *kept = code;
        while changing != 0 {
            let plane = &mut planes[changing.trailing_zeros() as usize % 8];
            let plane: &mut [u64; GROUP] = part_mut(plane, first);
            changing &= changing - 1;
            for i in 0..GROUP {
                plane[i] ^= unreached[i];
            }
        }
        for i in 0..GROUP {
            unreached[i] &= !reached[i];
        }
        reached_groups |= 1 << group;
        if all & 1 != 0 {
            edges.left |= column(&reached, 0) << first;
        }
        if all >> (SIDE - 1) != 0 {
            edges.right |= column(&reached, SIDE - 1) << first;
        }
    }
    edges.top = front[GROUP];
    edges.bottom = front[GROUP + SIDE - 1];
    edges.any = reached_groups != 0;
    *groups = reached_groups;
    board.is_written |= edges.any;
    edges
}

/// So many rows from the first one on. The callers' groups lie inside.
#[inline(always)]
fn part<const N: usize>(rows: &[u64], first: usize) -> &[u64; N] {
    rows[first..].first_chunk().expect("groups lie inside the rows of a tile")
}

/// Likewise, to be changed.
#[inline(always)]
fn part_mut<const N: usize>(rows: &mut [u64], first: usize) -> &mut [u64; N] {
    rows[first..].first_chunk_mut().expect("groups lie inside the rows of a tile")
}

/// The bits of a column in the rows of a group.
#[inline(always)]
fn column(rows: &[u64; GROUP], x: usize) -> u64 {
    rows.iter().enumerate().fold(0, |bits, (y, row)| bits | (row >> x & 1) << y)
}

/// The steps whose codes lie in eight planes, for the 64 columns of eight rows; 0 where cells are fresh.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn turn(planes: &[[u64; GROUP]; 8], fresh: &[u64; GROUP], bytes: &mut [[u8; SIDE]; GROUP]) {
    let mut words = *planes;
    // From Gray code to binary numbers, and nothing where the wave was not.
    for place in (0..7).rev() {
        let above = words[place + 1];
        words[place].iter_mut().zip(above).for_each(|(word, above)| *word ^= above);
    }
    for word in &mut words {
        word.iter_mut().zip(fresh).for_each(|(word, fresh)| *word &= !fresh);
    }
    // Bits of bytes: byte m of word j becomes the byte of column 8m + j.
    for (distance, mask) in
        [(4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)]
    {
        swap(&mut words, distance, distance, mask);
    }
    // Bytes of words: byte j of word m becomes that of column 8m + j.
    for (distance, mask) in
        [(4, 0x0000_0000_ffff_ffff), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)]
    {
        swap(&mut words, distance, 8 * distance, mask);
    }
    for (y, row) in bytes.iter_mut().enumerate() {
        for (eight, word) in row.chunks_exact_mut(8).zip(&words) {
            eight.copy_from_slice(&word[y].to_le_bytes());
        }
    }
}

/// Exchanges the upper bits of each word with the lower bits of the one at a distance.
#[inline(always)]
fn swap(words: &mut [[u64; GROUP]; 8], distance: usize, shift: usize, mask: u64) {
    for low in (0..8).filter(|word| word & distance == 0) {
        let (lower, upper) = words.split_at_mut(low + distance);
        for (a, b) in lower[low].iter_mut().zip(&mut upper[0]) {
            let differing = (*a >> shift ^ *b) & mask;
            *b ^= differing;
            *a ^= differing << shift;
        }
    }
}
