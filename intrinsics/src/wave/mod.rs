//! Lee's wave on a grid (C. Y. Lee, 1961): the labels of all cells, which are their distances from
//! the nearest goal, and paths to it.
//!
//! * [`Grid`]: cells and open transitions, from heights with a threshold, from free cells, or edge
//!   by edge.
//! * [`Wave`]: labels with four or eight neighbours, one goal or several; distance and path.
//! * [`Weighed`]: the same with weighted steps and cells, by Dijkstra's algorithm.
//!
//! Definitions follow the source of the library module `wave`: passability belongs to the
//! transition between two cells, the goal has label 0, and a path leads to the first neighbour
//! whose label is one less, in the order left, up, right, down, and then the diagonals.

mod board;
mod field;
mod flood;
mod gate;
mod grid;
mod label;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod pictures;
mod planes;
mod queue;
mod steps;
mod weighed;
mod worker;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Mutex, MutexGuard};

pub use flood::FloodStats;
pub use grid::{Cell, Grid, GridError, MAX_CELLS, Neighbourhood, Step};
pub use label::{Labels, UNREACHED};
pub use pictures::planes;
pub use weighed::{Costs, Weighed};

use crate::environment::{Ended, Environment};

/// Reasons why a wave cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveError {
    /// The cell is outside the grid.
    Outside(Cell),
    /// The number of weights is not the number of cells.
    WrongLength,
    /// The cell has weight 0: a path could cycle in it forever.
    NoWeight(Cell),
    /// The labels do not belong to this grid: a path cannot be continued.
    OtherGrid,
    /// The run was interrupted or memory allocation failed.
    Ended(Ended),
}

impl fmt::Display for WaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaveError::Outside(Cell { x, y }) => {
                write!(f, "the cell ({}, {}) is outside the grid", x + 1, y + 1)
            }
            WaveError::WrongLength => f.write_str(
                "the number of weights must be the number of \
                cells",
            ),
            WaveError::NoWeight(Cell { x, y }) => {
                write!(f, "the cell ({}, {}) has the weight 0", x + 1, y + 1)
            }
            WaveError::OtherGrid => f.write_str("the labels belong to another grid"),
            WaveError::Ended(Ended::Interrupted) => f.write_str("interrupted"),
            WaveError::Ended(Ended::OutOfMemory) => f.write_str(
                "cannot allocate memory for the \
                wave",
            ),
            WaveError::Ended(Ended::Internal(why)) => f.write_str(why),
        }
    }
}

impl std::error::Error for WaveError {}

impl From<Ended> for WaveError {
    fn from(ended: Ended) -> WaveError {
        WaveError::Ended(ended)
    }
}

/// The labels of all cells: the number of steps from each to the nearest goal.
#[derive(Debug, PartialEq, Eq)]
pub struct Wave {
    neighbourhood: Neighbourhood,
    labels: Labels,
    stats: FloodStats,
}

impl Wave {
    /// An upper bound on the bytes that a wave needs in addition to the grid: labels of four bytes,
    /// and the boards if the wave is in all tiles at once, which is about 2 bytes for each cell.
    pub fn n_bytes(width: usize, height: usize) -> u64 {
        Labels::n_most_bytes(width, height).saturating_add(flood::n_bytes(width, height))
    }

    /// Runs a wave from all goals at once until nothing changes. With `stop_at`, it ends when that
    /// cell is reached: then exactly the cells that are no farther from the goals have labels.
    ///
    /// # Errors
    /// [`WaveError::Outside`] for a goal or an end outside the grid, [`WaveError::Ended`].
    pub fn spread(
        grid: &Grid,
        neighbourhood: Neighbourhood,
        goals: &[Cell],
        stop_at: Option<Cell>,
        environment: &dyn Environment,
    ) -> Result<Wave, WaveError> {
        goals.iter().chain(&stop_at).try_for_each(|&cell| inside(grid, cell))?;
        let (labels, stats) =
            flood::flood(flood::LONG, grid, neighbourhood, goals, stop_at, environment)?;
        Ok(Wave { neighbourhood, labels, stats })
    }

    /// The labels, row by row.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Counters of the computation.
    pub fn stats(&self) -> FloodStats {
        self.stats
    }

    /// The label of a cell: its distance from the nearest goal in steps, or `None` if the wave did
    /// not reach it.
    ///
    /// # Errors
    /// [`WaveError::Outside`], [`WaveError::OtherGrid`].
    pub fn distance(&self, grid: &Grid, cell: Cell) -> Result<Option<u32>, WaveError> {
        inside(grid, cell)?;
        if self.labels.len() != grid.n_cells() {
            return Err(WaveError::OtherGrid);
        }
        let label = self.labels.at(cell.y * grid.width() + cell.x);
        Ok((label != UNREACHED).then_some(label))
    }

    /// The path from a cell to the nearest goal, both inclusive: one cell more than its distance,
    /// each step to the first neighbour with a label one less. Empty if there is none.
    ///
    /// # Errors
    /// [`WaveError::Outside`], [`WaveError::OtherGrid`].
    pub fn path(&self, grid: &Grid, start: Cell) -> Result<Vec<Cell>, WaveError> {
        let Some(mut left) = self.distance(grid, start)? else { return Ok(Vec::new()) };
        let mut path = crate::reserved(left as usize + 1)?;
        path.push(start);
        let mut at = start;
        while left > 0 {
            let nearer = |cell: &Cell| self.labels.at(cell.y * grid.width() + cell.x) == left - 1;
            let mut steps = self.neighbourhood.steps().iter();
            let next = steps.find_map(|&step| grid.go(at, step).filter(nearer));
            // Every label except 0 was reached from one that is one less.
            at = next.ok_or(WaveError::OtherGrid)?;
            path.push(at);
            left -= 1;
        }
        Ok(path)
    }
}

fn inside(grid: &Grid, cell: Cell) -> Result<(), WaveError> {
    match cell.x < grid.width() && cell.y < grid.height() {
        true => Ok(()),
        false => Err(WaveError::Outside(cell)),
    }
}

/// Locks a mutex, even if a thread that held it has panicked: the panic propagates anyway.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
