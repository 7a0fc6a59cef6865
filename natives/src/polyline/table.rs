//! Numbers for all links between two guides, by the difference of the indices of their points.
//!
//! Note [Diagonals]. Row s of a block has the links with the difference s = j − i, with a lane for each point i of
//! [`N_LANES`] neighbouring ones: what may stand before a link depends on differences only, so that all lanes of a row
//! take the maximum over the same rows of the layer before.

use std::ops::Range;

use rayon::prelude::*;

use super::window::{Lanes, N_LANES, NONE};
use crate::environment::{Ended, Environment};
use crate::reserved;

/// Rows that are filled at once: they stay in the nearest cache.
const N_ROWS: usize = 64;

/// A number for each link between two guides: its score, and in a [`Search`](super::Search) its value.
#[derive(Clone, Debug)]
pub struct LinkTable {
    /// The points of both that take part.
    pub(super) from: Range<usize>,
    pub(super) to: Range<usize>,
    /// For every [`N_LANES`] points that links come from, in order.
    pub(super) blocks: Vec<Block>,
}

/// The numbers of the links from [`N_LANES`] neighbouring points; see Note \[Diagonals\].
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The points.
    pub(super) lanes: Range<usize>,
    /// The difference of the first row.
    pub(super) first: i64,
    /// Where there is no link, a score is 0 and a value [`NONE`].
    pub(super) rows: Vec<Lanes>,
}

impl LinkTable {
    /// The scores of the links between these points of two guides, below 2³¹, given row by row from the points of the
    /// first one.
    ///
    /// # Errors
    /// If the system refuses the memory, or the run is to end.
    pub fn new(
        from: Range<usize>,
        to: Range<usize>,
        scores: &[u32],
        environment: &dyn Environment,
    ) -> Result<Self, Ended> {
        let n_to = to.len();
        LinkTable::of_rows(from, to, environment, |idx| &scores[idx * n_to..][..n_to], |idx| idx)
    }

    /// Likewise: the scores of the links from point `idx` stand in its row, that to point `idx` at its place.
    pub(super) fn of_rows<'s>(
        from: Range<usize>,
        to: Range<usize>,
        environment: &dyn Environment,
        row: impl Fn(usize) -> &'s [u32] + Sync,
        place: impl Fn(usize) -> usize + Sync,
    ) -> Result<Self, Ended> {
        let starts = from.clone().into_par_iter().step_by(N_LANES);
        let blocks = starts.map(|start| {
            environment.poll()?;
            let lanes = start..(start + N_LANES).min(from.end);
            let row = |lane: usize| row(start - from.start + lane);
            Block::new(lanes, &to, row, &place)
        });
        let blocks = blocks.collect::<Result<Vec<Block>, Ended>>()?;
        Ok(LinkTable { from, to, blocks })
    }

    /// Bytes for so many points on either side.
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
        // The points that they come from lie in two blocks at most.
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
    /// The links from some points, whose scores stand as [`LinkTable::of_rows`] says.
    fn new<'s>(
        lanes: Range<usize>,
        to: &Range<usize>,
        row: impl Fn(usize) -> &'s [u32],
        place: impl Fn(usize) -> usize,
    ) -> Result<Self, Ended> {
        // From the last point to the first one, and the other way round.
        let first = to.start as i64 - (lanes.end as i64 - 1);
        let n_rows = to.len() + lanes.len() - 1;
        let mut rows: Vec<Lanes> = reserved(n_rows)?;
        while rows.len() < n_rows {
            let start = rows.len();
            let end = (start + N_ROWS).min(n_rows);
            rows.resize(end, [0; N_LANES]);
            for lane in 0..lanes.len() {
                // The row of the link to the first point.
                let above = lanes.len() - 1 - lane;
                let (begin, end) = (start.max(above), end.min(above + to.len()));
                let scores = row(lane);
                for (idx, row) in (begin..end).zip(rows.get_mut(begin..end).unwrap_or_default()) {
                    row[lane] = scores[place(idx - above)] as i32;
                }
            }
        }
        Ok(Block { lanes, first, rows })
    }

    /// Of values: where there is no link to one of so many points there is none.
    pub(super) fn clear_absent(&mut self, n_to: usize) {
        let n_lanes = self.lanes.len();
        for (idx, row) in self.rows.iter_mut().enumerate() {
            // The lane of the link to the first point, and behind the one to the last.
            let first = (n_lanes - 1).saturating_sub(idx);
            let end = (n_to + n_lanes - 1).saturating_sub(idx).min(n_lanes);
            row[..first].fill(NONE);
            row[end..].fill(NONE);
        }
    }
}
