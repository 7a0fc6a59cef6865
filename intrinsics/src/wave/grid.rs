//! A grid of cells and the open transitions between neighbours: two bits for each cell.

use std::fmt;

use crate::environment::Ended;

/// The maximum number of cells of a grid: a side of 46,340 if it is square, so that numbers of 31
/// bits suffice.
pub const MAX_CELLS: u64 = 1 << 31;

/// A cell: `x` to the right and `y` down, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Column, from 0.
    pub x: usize,
    /// Row, from 0.
    pub y: usize,
}

/// The neighbours of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbourhood {
    /// Left, up, right and down, as in Lee's algorithm.
    VonNeumann,
    /// Also the four diagonals. A diagonal step is open iff all four transitions of its 2 × 2
    /// square are.
    Moore,
}

/// A step from a cell to a neighbour, in the order that breaks ties.
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
    /// All steps, in the order that breaks ties: left, up, right, down, then the diagonals from the
    /// upper left clockwise.
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

    /// The change of x and y.
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

    /// Returns whether it changes both coordinates.
    pub fn is_diagonal(self) -> bool {
        let (dx, dy) = self.offset();
        dx != 0 && dy != 0
    }
}

impl Neighbourhood {
    /// Its steps, in the order that breaks ties.
    pub fn steps(self) -> &'static [Step] {
        match self {
            Neighbourhood::VonNeumann => &Step::ALL[..4],
            Neighbourhood::Moore => &Step::ALL,
        }
    }
}

/// Reasons why a grid cannot be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridError {
    /// More than [`MAX_CELLS`] cells.
    TooLarge,
    /// The number of cells is not width times height.
    WrongLength,
    /// Memory allocation failed.
    OutOfMemory,
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GridError::TooLarge => write!(f, "more than {MAX_CELLS} cells"),
            GridError::WrongLength => f.write_str("the number of cells must be width times height"),
            GridError::OutOfMemory => f.write_str("cannot allocate memory for the grid"),
        }
    }
}

impl std::error::Error for GridError {}

impl From<Ended> for GridError {
    fn from(_: Ended) -> GridError {
        GridError::OutOfMemory
    }
}

/// Open transitions. They belong to the edge between two neighbours and not to cells, and are the
/// same in both directions; the border is closed.
///
/// Bit `x % 64` of limb `y * row_limbs + x / 64` is the transition from cell (x, y) to its right,
/// or to the one below. Each row begins at a limb boundary; bits beyond the width are zero.
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

    /// The grid in which a transition is open iff `open` returns true for its two cells, the first
    /// of which is to the left of the second one, or above.
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

    /// The grid of a terrain: a transition is open iff the heights of its cells differ by less than
    /// `threshold`. `heights` are given row by row.
    ///
    /// # Errors
    /// [`GridError`].
    pub fn of_heights(width: usize, heights: &[i64], threshold: u64) -> Result<Self, GridError> {
        let height = rows_of(width, heights.len())?;
        Grid::of_edges(width, height, |a, b| {
            heights[a.y * width + a.x].abs_diff(heights[b.y * width + b.x]) < threshold
        })
    }

    /// The grid of a map: a transition is open iff both cells are free. `free` is given row by row.
    ///
    /// # Errors
    /// [`GridError`].
    pub fn of_cells(width: usize, free: &[bool]) -> Result<Self, GridError> {
        let height = rows_of(width, free.len())?;
        Grid::of_edges(width, height, |a, b| free[a.y * width + a.x] && free[b.y * width + b.x])
    }

    /// The grid of packed transitions, with contiguous rows: bit `y * width + x`. Transitions over
    /// the lower border are closed. Returns `None` if a transition leads over the right one.
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

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.width * self.height
    }

    /// Limbs of a row.
    pub fn row_limbs(&self) -> usize {
        self.row_limbs
    }

    /// Returns whether the transition from (x, y) to the right is open.
    #[inline]
    pub fn opens_right(&self, x: usize, y: usize) -> bool {
        self.right[y * self.row_limbs + x / 64] >> (x % 64) & 1 == 1
    }

    /// Returns whether the transition from (x, y) downwards is open.
    #[inline]
    pub fn opens_down(&self, x: usize, y: usize) -> bool {
        self.down[y * self.row_limbs + x / 64] >> (x % 64) & 1 == 1
    }

    /// Opens or closes the transition to the right of the cell `(x, y)`.
    pub fn put_right(&mut self, x: usize, y: usize, open: bool) {
        let limb = &mut self.right[y * self.row_limbs + x / 64];
        *limb = *limb & !(1 << (x % 64)) | u64::from(open && x + 1 < self.width) << (x % 64);
    }

    /// Opens or closes the transition below the cell `(x, y)`.
    pub fn put_down(&mut self, x: usize, y: usize, open: bool) {
        let limb = &mut self.down[y * self.row_limbs + x / 64];
        *limb = *limb & !(1 << (x % 64)) | u64::from(open && y + 1 < self.height) << (x % 64);
    }

    /// The transitions to the right and downwards, in limbs.
    pub(super) fn planes(&self) -> (&[u64], &[u64]) {
        (&self.right, &self.down)
    }

    /// Returns whether the whole 2 × 2 square with the upper left cell (x, y) is open; false if it
    /// extends beyond the grid.
    #[inline]
    pub fn opens_square(&self, x: usize, y: usize) -> bool {
        x + 1 < self.width
            && y + 1 < self.height
            && self.opens_right(x, y)
            && self.opens_right(x, y + 1)
            && self.opens_down(x, y)
            && self.opens_down(x + 1, y)
    }

    /// The cell that a step from a cell leads to, if the step is open.
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

    /// Blocked transitions. Their share is the degree of impassability β.
    pub fn n_blocked(&self) -> u64 {
        let open =
            |plane: &[u64]| plane.iter().map(|limb| u64::from(limb.count_ones())).sum::<u64>();
        self.n_transitions() - open(&self.right) - open(&self.down)
    }
}

/// Copies `len` bits from the bit `first` on to `to`, followed by zeros.
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

/// The number of rows of `n_cells` cells.
fn rows_of(width: usize, n_cells: usize) -> Result<usize, GridError> {
    match (width, n_cells) {
        (0, 0) => Ok(0),
        (0, _) => Err(GridError::WrongLength),
        _ if !n_cells.is_multiple_of(width) => Err(GridError::WrongLength),
        _ => Ok(n_cells / width),
    }
}
