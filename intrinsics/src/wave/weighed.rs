//! Waves with weighted steps: Dijkstra's algorithm from the goals (E. W. Dijkstra, 1959).

use star_value::BitTable;

use super::grid::{Cell, Grid, Neighbourhood};
use super::label::Labels;
use super::queue::CostQueue;
use super::{WaveError, inside};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::numbers::write_numbers_from;

/// Cells whose costs are transposed into columns at once; a multiple of 64.
const BLOCK: usize = 4096;

/// A cell that was not reached.
const NONE: u64 = u64::MAX;

/// The costs of steps. A step costs that of its direction times the weight of the cell that it
/// enters on the way to the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs<'a> {
    /// The cost of a step to the left, up, right or down.
    pub straight: u32,
    /// The cost of a diagonal step.
    pub diagonal: u32,
    /// A weight of at least 1 for every cell, row by row; without it all are 1.
    pub weights: Option<&'a [u32]>,
}

impl Costs<'_> {
    /// 1 for a straight step, and √2 for a diagonal one, in units of 2⁻²⁰: the lengths of the
    /// MovingAI benchmarks.
    pub const OCTILE: Costs<'static> =
        Costs { straight: 1 << 20, diagonal: 1_482_910, weights: None };

    fn weight(&self, cell: usize) -> u64 {
        self.weights.map_or(1, |weights| u64::from(weights[cell]))
    }
}

/// The cost of the cheapest path to a goal from every cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighed {
    costs: Vec<u64>,
}

impl Weighed {
    /// The width of a cost in a table of `n_cells` cells whose weights have `weight_bits`: the sum
    /// of the widths of the weights, of the greater step, and of a [label](Labels::n_bits). All
    /// ones mean that there is no path.
    pub fn n_bits(n_cells: usize, weight_bits: usize, straight: u32, diagonal: u32) -> usize {
        let step_bits = Labels::n_bits(straight.max(diagonal) as usize);
        weight_bits.saturating_add(step_bits).saturating_add(Labels::n_bits(n_cells))
    }

    /// Bytes that a wave needs in addition to the grid and the weights.
    pub fn n_bytes(n_cells: u64) -> u64 {
        n_cells.saturating_mul(size_of::<u64>() as u64).saturating_add(CostQueue::n_bytes(n_cells))
    }

    /// Finds the costs from all cells to the nearest of the goals.
    ///
    /// Costs are below 2⁶⁴ if [`Weighed::n_bits`] of the weights are at most 64.
    ///
    /// # Errors
    /// [`WaveError`].
    pub fn spread(
        grid: &Grid,
        neighbourhood: Neighbourhood,
        goals: &[Cell],
        costs: Costs<'_>,
        environment: &dyn Environment,
    ) -> Result<Weighed, WaveError> {
        goals.iter().try_for_each(|&goal| inside(grid, goal))?;
        let width = grid.width();
        if let Some(weights) = costs.weights {
            if weights.len() != grid.n_cells() {
                return Err(WaveError::WrongLength);
            }
            if let Some(idx) = weights.iter().position(|&weight| weight == 0) {
                return Err(WaveError::NoWeight(Cell { x: idx % width, y: idx / width }));
            }
        }
        let mut found = crate::reserved(grid.n_cells())?;
        found.resize(grid.n_cells(), NONE);
        let mut poller = InterruptPoller::new(environment);
        let mut front = CostQueue::new(grid.n_cells())?;
        for goal in goals {
            let idx = goal.y * width + goal.x;
            found[idx] = 0;
            front.put(idx, 0);
        }
        while let Some(idx) = front.take(&found) {
            poller.spend(neighbourhood.steps().len())?;
            let (cell, cost) = (Cell { x: idx % width, y: idx / width }, found[idx]);
            for &step in neighbourhood.steps() {
                let Some(to) = grid.go(cell, step) else { continue };
                // The path leads in the opposite direction and enters this cell.
                let through = cost + step_cost(&costs, step.is_diagonal()) * costs.weight(idx);
                let to = to.y * width + to.x;
                if through < found[to] {
                    found[to] = through;
                    front.put(to, through);
                }
            }
        }
        Ok(Weighed { costs: found })
    }

    /// The cost of the cheapest path from a cell, or `None` if there is none.
    ///
    /// # Errors
    /// [`WaveError::Outside`], [`WaveError::OtherGrid`].
    pub fn cost(&self, grid: &Grid, cell: Cell) -> Result<Option<u64>, WaveError> {
        inside(grid, cell)?;
        if self.costs.len() != grid.n_cells() {
            return Err(WaveError::OtherGrid);
        }
        let cost = self.costs[cell.y * grid.width() + cell.x];
        Ok((cost != NONE).then_some(cost))
    }

    /// Writes the costs into a zeroed table with a row for each cell: the most significant bit into
    /// column 0.
    ///
    /// # Errors
    /// If the run is interrupted.
    pub fn write(
        &self,
        table: &mut BitTable,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        let n_bits = table.n_cols();
        let n_high = n_bits.saturating_sub(u32::BITS as usize);
        let mut half = [0; BLOCK];
        for (block, costs) in self.costs.chunks(BLOCK).enumerate() {
            for (columns, shift) in [(0..n_high, u32::BITS), (n_high..n_bits, 0)] {
                let half = &mut half[..costs.len()];
                for (half, cost) in half.iter_mut().zip(costs) {
                    *half = (cost >> shift) as u32;
                }
                write_numbers_from(table, block * BLOCK, columns, half, poller)?;
            }
        }
        Ok(())
    }

    /// The cheapest path from a cell to a goal, both inclusive, always to the first neighbour on a
    /// cheapest path in the order that breaks ties. Empty if there is none. Neighbourhood and costs
    /// must be those of the wave.
    ///
    /// # Errors
    /// [`WaveError::Outside`]; [`WaveError::OtherGrid`], also for other costs.
    pub fn path(
        &self,
        grid: &Grid,
        neighbourhood: Neighbourhood,
        costs: Costs<'_>,
        start: Cell,
    ) -> Result<Vec<Cell>, WaveError> {
        let (width, mut at, mut path) = (grid.width(), start, Vec::new());
        let Some(mut left) = self.cost(grid, start)? else { return Ok(path) };
        path.push(start);
        while left > 0 {
            let next = neighbourhood.steps().iter().find_map(|&step| {
                let to = grid.go(at, step)?;
                let idx = to.y * width + to.x;
                let cost = step_cost(&costs, step.is_diagonal()) * costs.weight(idx);
                (self.costs[idx].checked_add(cost) == Some(left)).then_some(to)
            });
            at = next.ok_or(WaveError::OtherGrid)?;
            left = self.costs[at.y * width + at.x];
            path.push(at);
        }
        Ok(path)
    }
}

fn step_cost(costs: &Costs<'_>, is_diagonal: bool) -> u64 {
    u64::from(if is_diagonal { costs.diagonal } else { costs.straight })
}
