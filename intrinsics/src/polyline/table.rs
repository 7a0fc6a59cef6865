//! Numbers for all links between two guides, by the difference of the indices of their points.
//!
//! Note [Diagonals]. Row s of a block has the links with the difference s = j − i, with a lane for
//! each point i of [`N_LANES`] neighbouring ones. The links that may precede a link depend on
//! differences only, so all lanes of a row take the maximum over the same rows of the previous
//! layer.

use std::ops::Range;

use rayon::prelude::*;

use super::window::{Lanes, N_LANES, NONE};
use crate::environment::{Ended, Environment};
use crate::reserved;

/// Rows that are filled at once: they stay in the L1 cache.
const N_ROWS: usize = 64;

/// A number for each link between two guides: its score, and in a [`Search`](super::Search) its
/// value.
#[derive(Clone, Debug)]
pub struct LinkTable {
    /// The participating points of both guides.
    pub(super) from: Range<usize>,
    pub(super) to: Range<usize>,
    /// One block for every [`N_LANES`] points that links come from, in order.
    pub(super) blocks: Vec<Block>,
}

/// The numbers of the links from [`N_LANES`] neighbouring points; see Note \[Diagonals\].
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The points.
    pub(super) lanes: Range<usize>,
    /// The difference of the first row.
    pub(super) first: i64,
    /// Where there is no link, a score is 0 and a value is [`NONE`].
    pub(super) rows: Vec<Lanes>,
}

impl LinkTable {
    /// The scores of the links between these points of two guides, below 2³¹, given row by row by
    /// the points of the first one.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn new(
        from: Range<usize>,
        to: Range<usize>,
        scores: &[u32],
        environment: &dyn Environment,
    ) -> Result<Self, Ended> {
        let (first, first_to, n_to) = (from.start, to.start, to.len());
        LinkTable::of_values(from, to, environment, |a, b| {
            scores[(a - first) * n_to + b - first_to] as i32
        })
    }

    /// The scores of the links between these points, given one by one by the indices of the points.
    ///
    /// # Errors
    /// Those of [`LinkTable::new`].
    pub(super) fn of_values(
        from: Range<usize>,
        to: Range<usize>,
        environment: &dyn Environment,
        value: impl Fn(usize, usize) -> i32 + Sync,
    ) -> Result<Self, Ended> {
        let mut table = LinkTable::without_rows(from, to)?;
        let LinkTable { to, blocks, .. } = &mut table;
        blocks.par_iter_mut().try_for_each(|block| {
            environment.poll()?;
            block.make_rows(to.len())?;
            block.put(to, &value);
            Ok::<(), Ended>(())
        })?;
        Ok(table)
    }

    /// The blocks for links between these points, without their rows.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub(super) fn without_rows(from: Range<usize>, to: Range<usize>) -> Result<Self, Ended> {
        let mut blocks = reserved(from.len().div_ceil(N_LANES))?;
        blocks.extend(from.clone().step_by(N_LANES).map(|start| {
            let lanes = start..(start + N_LANES).min(from.end);
            // From the last point to the first one, and vice versa.
            let first = to.start as i64 - (lanes.end as i64 - 1);
            Block { lanes, first, rows: Vec::new() }
        }));
        Ok(LinkTable { from, to, blocks })
    }

    /// Bytes for `n_points` points on either side.
    pub fn n_bytes(n_points: usize) -> u64 {
        let d = n_points as u64;
        let block = (d + N_LANES as u64).saturating_mul(size_of::<Lanes>() as u64);
        block.saturating_mul(d.div_ceil(N_LANES as u64))
    }

    /// The number of a link.
    pub(super) fn value(&self, from: usize, to: usize) -> i32 {
        let idx = from - self.from.start;
        let block = &self.blocks[idx / N_LANES];
        block.rows[(to as i64 - from as i64 - block.first) as usize][idx % N_LANES]
    }

    /// The values of the links that end in these points and have a difference.
    #[inline(always)]
    pub(super) fn ending_in(&self, points: &Range<usize>, difference: i64) -> Lanes {
        let mut row = [NONE; N_LANES];
        let first = (self.from.start as i64 + difference).max(points.start as i64);
        let end = (self.from.end as i64 + difference).min(points.end as i64);
        let mut at = first;
        // The points that they come from are in at most two blocks.
        while at < end {
            let idx = (at - difference) as usize - self.from.start;
            let (block, lane) = (&self.blocks[idx / N_LANES], idx % N_LANES);
            let len = (N_LANES - lane).min((end - at) as usize);
            let start = at as usize - points.start;
            let values = &block.rows[(difference - block.first) as usize];
            row[start..start + len].copy_from_slice(&values[lane..lane + len]);
            at += len as i64;
        }
        row
    }
}

impl Block {
    /// Allocates zeroed rows for links to `n_to` points.
    pub(super) fn make_rows(&mut self, n_to: usize) -> Result<(), Ended> {
        let n_rows = n_to + self.lanes.len() - 1;
        self.rows = reserved(n_rows)?;
        self.rows.resize(n_rows, [0; N_LANES]);
        Ok(())
    }

    /// The lanes of a row that have links, which lead to adjacent points among `n_to`.
    pub(super) fn lanes_with_links(&self, row: usize, n_to: usize) -> Range<usize> {
        let n_lanes = self.lanes.len();
        (n_lanes - 1).saturating_sub(row)..(n_to + n_lanes - 1).saturating_sub(row).min(n_lanes)
    }

    /// Writes the numbers of all links to these points.
    fn put(&mut self, to: &Range<usize>, value: impl Fn(usize, usize) -> i32) {
        let n_lanes = self.lanes.len();
        let n_rows = self.rows.len();
        for start in (0..n_rows).step_by(N_ROWS) {
            for (lane, from) in self.lanes.clone().enumerate() {
                // The row of the link to the first point.
                let above = n_lanes - 1 - lane;
                let rows = start.max(above)..(start + N_ROWS).min(above + to.len());
                for row in rows {
                    self.rows[row][lane] = value(from, to.start + row - above);
                }
            }
        }
    }

    /// For values: sets [`NONE`] where there is no link to one of `n_to` points.
    pub(super) fn clear_absent(&mut self, n_to: usize) {
        for idx in 0..self.rows.len() {
            let lanes = self.lanes_with_links(idx, n_to);
            let row = &mut self.rows[idx];
            row[..lanes.start].fill(NONE);
            row[lanes.end..].fill(NONE);
        }
    }
}
