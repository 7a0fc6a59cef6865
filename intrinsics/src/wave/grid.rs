//! A grid of cells and which transitions between neighbours are open: two bits for each cell.

use std::fmt;

use crate::environment::Ended;

/// Most cells of a grid: a side of 46,340 if it is square, so that a number of 31 bits names each.
pub const MAX_CELLS: u64 = 1 << 31;

/// A cell: `x` to the right and `y` down, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Column, from 0.
    pub x: usize,
    /// Row, from 0.
    pub y: usize,
}

/// Which cells are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbourhood {
    /// Left, up, right and down: Lee's.
    VonNeumann,
    /// The four diagonals besides. A diagonal step is open iff all four transitions of its 2 × 2 square are.
    Moore,
}

/// A step from a cell to a neighbour, in the order in which ties are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// x − 1.
    Left,
    /// y − 1.
    Up,
    /// x + 1.
    Right,
    /// y + 1.
    Down,
    /// x − 1, y − 1.
    UpLeft,
    /// x + 1, y − 1.
    UpRight,
    /// x + 1, y + 1.
    DownRight,
    /// x − 1, y + 1.
    DownLeft,
}

impl Step {
    /// All steps, in the order in which ties are decided: left, up, right, down, then the diagonals from
    /// the upper left clockwise.
    pub const ALL: [Step; 8] = [
        Step::Left,
        Step::Up,
        Step::Right,
        Step::Down,
        Step::UpLeft,
        Step::UpRight,
        Step::DownRight,
        Step::DownLeft,
    ];

    /// By how much x and y change.
    pub fn offset(self) -> (isize, isize) {
        match self {
            Step::Left => (-1, 0),
            Step::Up => (0, -1),
            Step::Right => (1, 0),
            Step::Down => (0, 1),
            Step::UpLeft => (-1, -1),
            Step::UpRight => (1, -1),
            Step::DownRight => (1, 1),
            Step::DownLeft => (-1, 1),
        }
    }

    /// Does it change both?
    pub fn is_diagonal(self) -> bool {
        let (dx, dy) = self.offset();
        dx != 0 && dy != 0
    }
}

impl Neighbourhood {
    /// Its steps, in the order in which ties are decided.
    pub fn steps(self) -> &'static [Step] {
        match self {
            Neighbourhood::VonNeumann => &Step::ALL[..4],
            Neighbourhood::Moore => &Step::ALL,
        }
    }
}

/// Why there is no such grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridError {
    /// More than [`MAX_CELLS`] cells.
    TooLarge,
    /// Another number of cells was given than width times height.
    WrongLength,
    /// The system refuses the memory.
    OutOfMemory,
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GridError::TooLarge => write!(f, "more than {MAX_CELLS} cells"),
            GridError::WrongLength => f.write_str("width times height is not the number of cells"),
            GridError::OutOfMemory => f.write_str("no memory for the grid"),
        }
    }
}

impl std::error::Error for GridError {}

impl From<Ended> for GridError {
    fn from(_: Ended) -> GridError {
        GridError::OutOfMemory
    }
}

/// Open transitions. They belong to the edge between two neighbours and not to cells, and are the same both
/// ways; the border is closed.
///
/// Bit `x % 64` of limb `y * row_limbs + x / 64` is the transition from cell (x, y) to its right, or to the one
/// below. A row begins with a limb of its own; bits beyond the width are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    width: usize,
    height: usize,
    row_limbs: usize,
    right: Vec<u64>,
    down: Vec<u64>,
}

impl Grid {
    /// A grid whose transitions are all closed.
    ///
    /// # Errors
    /// [`GridError::TooLarge`], [`GridError::OutOfMemory`].
    pub fn closed(width: usize, height: usize) -> Result<Self, GridError> {
        let n_cells = (width as u64).checked_mul(height as u64);
        if n_cells.is_none_or(|n_cells| n_cells > MAX_CELLS) {
            return Err(GridError::TooLarge);
        }
        let row_limbs = width.div_ceil(64);
        let plane = || {
            let mut plane = crate::reserved(row_limbs * height)?;
            plane.resize(row_limbs * height, 0u64);
            Ok::<_, Ended>(plane)
        };
        Ok(Grid { width, height, row_limbs, right: plane()?, down: plane()? })
    }

    /// Bytes of a grid of this size.
    pub fn n_bytes(width: usize, height: usize) -> u64 {
        (width.div_ceil(64) as u64).saturating_mul(height as u64).saturating_mul(2 * 8)
    }

    /// The grid in which a transition is open iff `open` says so of its two cells, the first of which lies to the
    /// left of the second one, or above.
    ///
    /// # Errors
    /// [`GridError::TooLarge`], [`GridError::OutOfMemory`].
    pub fn of_edges(
        width: usize,
        height: usize,
        open: impl Fn(Cell, Cell) -> bool,
    ) -> Result<Self, GridError> {
        let mut grid = Grid::closed(width, height)?;
        for y in 0..height {
            for x in 0..width {
                let cell = Cell { x, y };
                let (limb, bit) = (y * grid.row_limbs + x / 64, 1 << (x % 64));
                if x + 1 < width && open(cell, Cell { x: x + 1, y }) {
                    grid.right[limb] |= bit;
                }
                if y + 1 < height && open(cell, Cell { x, y: y + 1 }) {
                    grid.down[limb] |= bit;
                }
            }
        }
        Ok(grid)
    }

    /// The grid of a country: a transition is open iff the heights of its cells differ by less than `threshold`.
    /// `heights` lie row by row.
    ///
    /// # Errors
    /// [`GridError`].
    pub fn of_heights(width: usize, heights: &[i64], threshold: u64) -> Result<Self, GridError> {
        let height = rows_of(width, heights.len())?;
        Grid::of_edges(width, height, |a, b| {
            heights[a.y * width + a.x].abs_diff(heights[b.y * width + b.x]) < threshold
        })
    }

    /// The grid of a map: a transition is open iff both cells are free. `free` lies row by row.
    ///
    /// # Errors
    /// [`GridError`].
    pub fn of_cells(width: usize, free: &[bool]) -> Result<Self, GridError> {
        let height = rows_of(width, free.len())?;
        Grid::of_edges(width, height, |a, b| free[a.y * width + a.x] && free[b.y * width + b.x])
    }

    /// The grid of packed transitions, one row of cells directly behind the other: bit `y * width + x`. What leads over the
    /// lower border is closed. `None` if a transition leads over the right one.
    ///
    /// # Errors
    /// [`GridError`].
    pub fn of_bits(
        width: usize,
        n_cells: usize,
        right: &[u64],
        down: &[u64],
    ) -> Result<Option<Self>, GridError> {
        let height = rows_of(width, n_cells)?;
        let n_limbs = n_cells.div_ceil(64);
        if right.len() < n_limbs || down.len() < n_limbs {
            return Err(GridError::WrongLength);
        }
        let mut grid = Grid::closed(width, height)?;
        let last = width.saturating_sub(1);
        for y in 0..height {
            let (first, row) = (y * width, y * grid.row_limbs..(y + 1) * grid.row_limbs);
            cut(right, first, width, &mut grid.right[row.clone()]);
            if y + 1 < height {
                cut(down, first, width, &mut grid.down[row]);
            }
            if grid.opens_right(last, y) {
                return Ok(None);
            }
        }
        Ok(Some(grid))
    }

    /// Cells in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Cells.
    pub fn n_cells(&self) -> usize {
        self.width * self.height
    }

    /// Limbs of a row.
    pub fn row_limbs(&self) -> usize {
        self.row_limbs
    }

    /// Is the transition from (x, y) to the right open?
    #[inline]
    pub fn opens_right(&self, x: usize, y: usize) -> bool {
        self.right[y * self.row_limbs + x / 64] >> (x % 64) & 1 == 1
    }

    /// Is the transition from (x, y) downwards open?
    #[inline]
    pub fn opens_down(&self, x: usize, y: usize) -> bool {
        self.down[y * self.row_limbs + x / 64] >> (x % 64) & 1 == 1
    }

    /// Opens or closes transitions to the right, `(x, y)` being the left cell.
    pub fn put_right(&mut self, x: usize, y: usize, open: bool) {
        let limb = &mut self.right[y * self.row_limbs + x / 64];
        *limb = *limb & !(1 << (x % 64)) | u64::from(open && x + 1 < self.width) << (x % 64);
    }

    /// Opens or closes transitions downwards, `(x, y)` being the upper cell.
    pub fn put_down(&mut self, x: usize, y: usize, open: bool) {
        let limb = &mut self.down[y * self.row_limbs + x / 64];
        *limb = *limb & !(1 << (x % 64)) | u64::from(open && y + 1 < self.height) << (x % 64);
    }

    /// The transitions to the right and downwards, in limbs.
    pub(super) fn planes(&self) -> (&[u64], &[u64]) {
        (&self.right, &self.down)
    }

    /// Is all of the 2 × 2 square open whose upper left cell is (x, y)? Not if it juts out.
    #[inline]
    pub fn opens_square(&self, x: usize, y: usize) -> bool {
        x + 1 < self.width
            && y + 1 < self.height
            && self.opens_right(x, y)
            && self.opens_right(x, y + 1)
            && self.opens_down(x, y)
            && self.opens_down(x + 1, y)
    }

    /// Where a step from a cell leads, if it is open.
    #[inline]
    pub fn go(&self, cell: Cell, step: Step) -> Option<Cell> {
        let (dx, dy) = step.offset();
        let x = cell.x.checked_add_signed(dx).filter(|&x| x < self.width)?;
        let y = cell.y.checked_add_signed(dy).filter(|&y| y < self.height)?;
        let (left, top) = (x.min(cell.x), y.min(cell.y));
        let open = match (dx != 0, dy != 0) {
            (true, true) => self.opens_square(left, top),
            (true, false) => self.opens_right(left, top),
            (false, true) => self.opens_down(left, top),
            (false, false) => false,
        };
        open.then_some(Cell { x, y })
    }

    /// Transitions between neighbours, each counted once: `2wh − w − h`.
    pub fn n_transitions(&self) -> u64 {
        let (width, height) = (self.width as u64, self.height as u64);
        width.saturating_sub(1) * height + width * height.saturating_sub(1)
    }

    /// Those that are blocked. The degree of impassability β is their share.
    pub fn n_blocked(&self) -> u64 {
        let open =
            |plane: &[u64]| plane.iter().map(|limb| u64::from(limb.count_ones())).sum::<u64>();
        self.n_transitions() - open(&self.right) - open(&self.down)
    }
}

/// `to` takes `len` bits from the bit `first` on, and zeros behind them.
fn cut(bits: &[u64], first: usize, len: usize, to: &mut [u64]) {
    let (limb, shift) = (first / 64, first % 64);
    for (idx, to) in to.iter_mut().enumerate() {
        let low = bits.get(limb + idx).map_or(0, |limb| limb >> shift);
        let high = match shift {
            0 => 0,
            shift => bits.get(limb + idx + 1).map_or(0, |limb| limb << (64 - shift)),
        };
        *to = low | high;
    }
    if let (Some(end), 1..) = (to.last_mut(), len % 64) {
        *end &= u64::MAX >> (64 - len % 64);
    }
}

/// The rows of `n_cells` cells.
fn rows_of(width: usize, n_cells: usize) -> Result<usize, GridError> {
    match (width, n_cells) {
        (0, 0) => Ok(0),
        (0, _) => Err(GridError::WrongLength),
        _ if !n_cells.is_multiple_of(width) => Err(GridError::WrongLength),
        _ => Ok(n_cells / width),
    }
}
