//! The dynamic programme over the guides, in O(d²) for each layer.
//!
//! A state is a link: its value is the greatest score of a polyline from a that ends with it. The link from point j to
//! point k follows one from i to j iff [`Turn`] admits it, which depends on j − i and k − j only.
//!
//! Note [Diagonals]. So the values of a layer lie by the difference s = j − i in rows: for all j at once, the link
//! with the difference t = k − j takes the maximum over the same rows s, an interval whose ends rise with t. That
//! is a window that moves forwards ([`Window`]), with a lane for each j.
//!
//! Note [Ties]. Of several best polylines that with the smallest index on the last guide is taken, then on the one
//! before, and so on back: the smallest point from which the value is reached is looked up on the way back, which
//! takes O(d) for a guide.

use std::ops::Range;

use rayon::prelude::*;

use super::Turn;
use super::geometry::offset;
use super::window::{Lanes, N_LANES, NONE, Window};
use crate::environment::{Ended, Environment};
use crate::reserved;

/// A search for the best polyline, guide by guide.
///
/// Points of a guide that lie outside the image are left out: the others are one piece of its indices. Scores are
/// at least 0, and those of a polyline below 2³¹ together.
#[derive(Debug)]
pub struct Search {
    turn: Turn,
    /// Points of a guide.
    d: usize,
    /// The indices of the guides so far.
    guides: Vec<Range<usize>>,
    /// From a to each point of the first guide.
    first: Vec<i32>,
    /// The values of the links between two guides each; nothing without a limit.
    layers: Vec<Layer>,
    free: Free,
}

/// The best polyline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its score.
    pub score: u32,
    /// The index of its point on each guide.
    pub indices: Vec<usize>,
}

/// Without a limit a point is a state.
#[derive(Debug, Default)]
struct Free {
    /// The greatest score of a polyline from a to each point of the last guide.
    values: Vec<i32>,
    /// For the points of each guide but the first, that of the guide before which it comes from.
    before: Vec<Vec<u32>>,
}

/// The values of the links between two guides; see Note \[Diagonals\].
#[derive(Debug)]
struct Layer {
    from: Range<usize>,
    to: Range<usize>,
    /// For every [`N_LANES`] points that links come from, in order.
    blocks: Vec<Block>,
}

/// The values of the links from [`N_LANES`] neighbouring points.
#[derive(Debug)]
struct Block {
    /// The difference of the first row.
    first: i64,
    rows: Vec<Lanes>,
}

impl Search {
    /// Nothing but the ends, with this limit, for guides of so many points.
    pub fn new(turn: Turn, n_points: usize) -> Self {
        let (guides, first, layers) = (Vec::new(), Vec::new(), Vec::new());
        Search { turn, d: n_points, guides, first, layers, free: Free::default() }
    }

    /// Bytes that it takes for so many guides, and while it is extended on so many threads.
    pub fn n_bytes(n_points: usize, n_guides: usize, threads: usize) -> u64 {
        let d = n_points as u64;
        let block = (d + N_LANES as u64).saturating_mul(4 * N_LANES as u64);
        let n_blocks = d.div_ceil(N_LANES as u64);
        let all = block.saturating_mul(n_blocks.saturating_mul(n_guides as u64));
        all.saturating_add(block.saturating_mul(threads as u64)).saturating_add(64 * d)
    }

    /// The first guide: the indices of its points inside the image, and the scores of the links from a to them.
    pub fn begin(&mut self, guide: Range<usize>, scores: Vec<u32>) {
        self.guides.push(guide);
        self.first = scores.into_iter().map(|score| score as i32).collect();
        self.free.values.clone_from(&self.first);
    }

    /// The next guide: the indices of its points inside the image, and the scores of the links to them, row by row
    /// from the points of the guide before.
    ///
    /// # Errors
    /// If the system refuses the memory, or the run is to end.
    pub fn extend(
        &mut self,
        guide: Range<usize>,
        scores: &[u32],
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let from = self.guides.last().cloned().unwrap_or_default();
        self.guides.push(guide.clone());
        if self.turn.is_free() {
            return self.free.extend(guide.len(), scores, environment);
        }
        let links = Links { from, to: guide, scores };
        let layer = match self.layers.last() {
            None => self.second(&links, environment)?,
            Some(before) => self.next(before, &links, environment)?,
        };
        self.layers.push(layer);
        Ok(())
    }

    /// The best polyline, with the scores of the links from the last guide to b; nothing if the limit leaves none.
    ///
    /// # Errors
    /// If the system refuses the memory, or the run is to end.
    pub fn end(
        &self,
        scores: &[u32],
        environment: &dyn Environment,
    ) -> Result<Option<Found>, Ended> {
        let Some(last) = self.guides.last() else { return Ok(None) };
        let values = match self.layers.last() {
            None if self.turn.is_free() => self.free.values.clone(),
            None => {
                let admitted = |idx: usize| self.turn.admits(self.offset(idx), -self.offset(idx));
                let values = last.clone().zip(&self.first);
                values.map(|(idx, &value)| if admitted(idx) { value } else { NONE }).collect()
            }
            Some(layer) => self.last_values(layer, environment)?,
        };
        let ended = values.iter().zip(scores).map(|(&value, &score)| value + score as i32);
        // Of equal ones the first: `max_by_key` would take the last.
        let best = ended.enumerate().rev().max_by_key(|&(_, value)| value);
        let Some((idx, best)) = best.filter(|&(_, best)| best >= 0) else { return Ok(None) };
        let mut indices = reserved(self.guides.len())?;
        indices.push(last.start + idx);
        self.go_back(&mut indices);
        indices.reverse();
        Ok(Some(Found { score: best as u32, indices }))
    }

    /// Adds the points before the last one, from the end to the beginning.
    fn go_back(&self, indices: &mut Vec<usize>) {
        let mut last = indices[0];
        if self.turn.is_free() {
            for (before, guides) in self.free.before.iter().zip(self.guides.windows(2)).rev() {
                last = guides[0].start + before[last - guides[1].start] as usize;
                indices.push(last);
            }
            return;
        }
        // The difference of the link behind.
        let mut next = -self.offset(last);
        for layer in self.layers.iter().rev() {
            let links = layer.from.clone().map(|idx| (idx, 2 * (last as i64 - idx as i64)));
            let admitted = links.filter(|&(_, difference)| self.turn.admits(difference, next));
            // Of equal ones the first: `max_by_key` would take the last.
            let best = admitted.rev().max_by_key(|&(idx, _)| layer.value(idx, last));
            let Some((idx, difference)) = best else { return };
            (last, next) = (idx, difference);
            indices.push(idx);
        }
    }

    fn offset(&self, idx: usize) -> i64 {
        offset(idx as i64, self.d)
    }

    /// The values of the links between the first two guides.
    fn second(&self, links: &Links<'_>, environment: &dyn Environment) -> Result<Layer, Ended> {
        links.layer(|lanes, first, n_rows| {
            environment.poll()?;
            let mut rows = reserved(n_rows)?;
            for difference in (first..).take(n_rows) {
                let admitted = lanes.start as i64..lanes.end as i64;
                let admitted =
                    self.turn.before(admitted, 2 * difference, |idx| offset(idx, self.d));
                let mut row = [NONE; N_LANES];
                for idx in admitted {
                    row[idx as usize - lanes.start] = self.first[idx as usize - links.from.start];
                }
                links.add(&mut row, lanes.clone(), difference);
                rows.push(row);
            }
            Ok(rows)
        })
    }

    /// The values of the links behind a layer.
    fn next(
        &self,
        before: &Layer,
        links: &Links<'_>,
        environment: &dyn Environment,
    ) -> Result<Layer, Ended> {
        links.layer(|lanes, first, n_rows| {
            environment.poll()?;
            // The differences of all links that end in these lanes.
            let least = lanes.start as i64 - before.from.end as i64 + 1;
            let most = lanes.end as i64 - before.from.start as i64;
            let mut rows = reserved((most - least) as usize)?;
            rows.extend((least..most).map(|difference| before.ending_in(&lanes, difference)));
            let mut window = Window::new(rows);
            let mut rows = reserved(n_rows)?;
            for difference in (first..).take(n_rows) {
                let admitted = self.turn.before(least..most, 2 * difference, |before| 2 * before);
                let [start, end] = [admitted.start, admitted.end].map(|row| (row - least) as usize);
                let mut row = window.maxima(start, end);
                links.add(&mut row, lanes.clone(), difference);
                rows.push(row);
            }
            Ok(rows)
        })
    }

    /// The greatest value of the links to each point of the last guide that the link to b may follow.
    fn last_values(&self, layer: &Layer, environment: &dyn Environment) -> Result<Vec<i32>, Ended> {
        let (from, to) = (&layer.from, &layer.to);
        let mut values = reserved(to.len())?;
        values.resize(to.len(), NONE);
        for (block, start) in layer.blocks.iter().zip(from.clone().step_by(N_LANES)) {
            environment.poll()?;
            for (difference, row) in (block.first..).zip(&block.rows) {
                // The difference of the link to b is minus the offset of its point, which is the offset of the
                // opposite one: it rises when the points are counted from the other end.
                let d = self.d as i64;
                let opposite = self.turn.before(0..d, 2 * difference, |idx| offset(idx, self.d));
                let admitted = d - opposite.end..d - opposite.start;
                let first = start as i64 + difference;
                let reached = first.max(to.start as i64).max(admitted.start)
                    ..(first + N_LANES as i64).min(to.end as i64).min(admitted.end);
                for idx in reached {
                    let value = &mut values[idx as usize - to.start];
                    *value = (*value).max(row[(idx - first) as usize]);
                }
            }
        }
        Ok(values)
    }
}

impl Free {
    /// Goes on to the next guide, which has so many points.
    fn extend(
        &mut self,
        n_points: usize,
        scores: &[u32],
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let mut best: Vec<i32> = reserved(n_points)?;
        best.resize(n_points, NONE);
        let mut before: Vec<u32> = reserved(n_points)?;
        before.resize(n_points, 0);
        let values = &self.values;
        let lanes = best.par_chunks_mut(N_LANES).zip(before.par_chunks_mut(N_LANES)).enumerate();
        lanes.try_for_each(|(idx, (best, before))| -> Result<(), Ended> {
            environment.poll()?;
            for (from, (&value, scores)) in values.iter().zip(scores.chunks(n_points)).enumerate() {
                let scores = &scores[idx * N_LANES..];
                for ((best, before), &score) in best.iter_mut().zip(&mut *before).zip(scores) {
                    let value = value + score as i32;
                    *before = if value > *best { from as u32 } else { *before };
                    *best = value.max(*best);
                }
            }
            Ok(())
        })?;
        self.values = best;
        self.before.push(before);
        Ok(())
    }
}

/// The links between two guides.
struct Links<'a> {
    from: Range<usize>,
    to: Range<usize>,
    /// Their scores, row by row from the points of the first guide.
    scores: &'a [u32],
}

impl Links<'_> {
    /// A layer whose blocks are made by `rows`, from the points of the block, the difference of its first row, and
    /// the number of rows.
    fn layer(
        &self,
        rows: impl Fn(Range<usize>, i64, usize) -> Result<Vec<Lanes>, Ended> + Sync,
    ) -> Result<Layer, Ended> {
        let (from, to) = (self.from.clone(), self.to.clone());
        let n_blocks = from.len().div_ceil(N_LANES);
        let blocks = (0..n_blocks).into_par_iter().map(|idx| {
            let start = from.start + idx * N_LANES;
            let lanes = start..(start + N_LANES).min(from.end);
            // From the last point to the first one, and the other way round.
            let first = to.start as i64 - (lanes.end as i64 - 1);
            let n_rows = (to.end as i64 - lanes.start as i64 - first) as usize;
            Ok(Block { first, rows: rows(lanes, first, n_rows)? })
        });
        let blocks = blocks.collect::<Result<Vec<Block>, Ended>>()?;
        Ok(Layer { from, to, blocks })
    }

    /// Adds the scores of the links with a difference to the values before them; a lane without such a link has none.
    fn add(&self, row: &mut Lanes, lanes: Range<usize>, difference: i64) {
        let Links { from, to, scores } = self;
        let first = (to.start as i64 - difference).clamp(lanes.start as i64, lanes.end as i64);
        let end = (to.end as i64 - difference).clamp(first, lanes.end as i64);
        let (first, end) = (first as usize, end as usize);
        row[..first - lanes.start].fill(NONE);
        row[end - lanes.start..].fill(NONE);
        if first == end {
            return;
        }
        let place = |idx: usize| {
            let target = (idx as i64 + difference) as usize - to.start;
            (idx - from.start) * to.len() + target
        };
        let along = scores[place(first)..].iter().step_by(to.len() + 1);
        // Adding a score to none leaves it below zero: all scores of a polyline are below 2^31.
        for (value, &score) in row[first - lanes.start..end - lanes.start].iter_mut().zip(along) {
            *value += score as i32;
        }
    }
}

impl Layer {
    /// The value of a link.
    fn value(&self, from: usize, to: usize) -> i32 {
        let idx = from - self.from.start;
        let block = &self.blocks[idx / N_LANES];
        block.rows[(to as i64 - from as i64 - block.first) as usize][idx % N_LANES]
    }

    /// The values of the links that end in these points and have a difference.
    fn ending_in(&self, points: &Range<usize>, difference: i64) -> Lanes {
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
