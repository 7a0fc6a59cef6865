//! The dynamic programme over the guides, in O(d²) for each layer.
//!
//! A state is a link: its value is the greatest score of a polyline from a that ends with it. The
//! link from point j to point k follows one from i to j iff [`Turn`] admits it, which depends on j
//! − i and k − j only. So the link with the difference t = k − j takes the maximum over an interval
//! of differences s = j − i whose ends rise with t: a window that moves forwards ([`Window`]), for
//! many j in parallel (Note [Diagonals] in `table.rs`).
//!
//! Note [Ties]. Of several best polylines, the one with the smallest index on the last guide is
//! chosen, then on the one before, and so on. When the path is traced back, the smallest point from
//! which the value is reached is searched for, which takes O(d) for a guide.

use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

use super::Turn;
use super::geometry::offset;
use super::table::{Block, LinkTable};
use super::window::{Lanes, N_LANES, NONE, Window};
use crate::environment::{Ended, Environment};
use crate::reserved;

/// A search for the best polyline, guide by guide.
///
/// Points of a guide outside the image are left out: the others form one range of its indices.
/// Scores are at least 0, and the total score of a polyline is below 2³¹.
#[derive(Debug)]
pub struct Search {
    turn: Turn,
    /// The number of points of a guide.
    d: usize,
    /// With an angle limit.
    admitted: Option<Admitted>,
    /// The indices of the guides so far.
    guides: Vec<Range<usize>>,
    /// The greatest score of a polyline from a to each point of each guide. With an angle limit
    /// only for the first guide, since points are then not states.
    points: Vec<Vec<i32>>,
    /// The links between each two guides: with an angle limit their values, without one their
    /// scores.
    layers: Vec<LinkTable>,
    /// Working memory of the windows over links, one for each thread.
    memory: Vec<Vec<Lanes>>,
}

/// The best polyline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its score.
    pub score: u32,
    /// The index of its point on each guide.
    pub indices: Vec<usize>,
}

/// The links that may precede the links with the differences from −(d − 1) to d − 1.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The differences of the preceding links.
    pub links: Vec<Range<i64>>,
    /// For preceding links that start at a, the points at which they end.
    pub first: Vec<Range<i64>>,
    /// The points that the only guide of a polyline may be crossed at.
    pub alone: Range<usize>,
}

impl Admitted {
    /// The links that an angle limit admits between guides of `n_points` points.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn new(turn: Turn, n_points: usize) -> Result<Self, Ended> {
        let most = n_points as i64 - 1;
        let n_differences = (2 * n_points).saturating_sub(1);
        let differences = || (0..n_differences).map(|idx| 2 * (idx as i64 - most));
        let of_point = |idx: usize| offset(idx as i64, n_points);
        // The angle at a point falls towards the middle of the guide.
        let is_admitted = |&idx: &usize| turn.admits(of_point(idx), -of_point(idx));
        let alone = (0..n_points.div_ceil(2)).find(is_admitted).map(|idx| idx..n_points - idx);
        Ok(Admitted {
            links: turn.before(-most..most + 1, differences(), |before| 2 * before)?,
            first: turn.before(0..most + 1, differences(), |idx| offset(idx, n_points))?,
            alone: alone.unwrap_or(0..0),
        })
    }
}

impl Search {
    /// Creates a search with this angle limit, for guides of `n_points` points, without any guides
    /// yet.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn new(turn: Turn, n_points: usize) -> Result<Self, Ended> {
        let admitted = match turn.is_free() {
            true => None,
            false => Some(Admitted::new(turn, n_points)?),
        };
        let (guides, points, layers) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Search { turn, d: n_points, admitted, guides, points, layers, memory: Vec::new() })
    }

    /// Bytes needed for `n_guides` guides, and to extend the search on the given number of threads.
    pub fn n_bytes(n_points: usize, n_guides: usize, threads: usize) -> u64 {
        let window =
            (2 * n_points as u64 + N_LANES as u64).saturating_mul(size_of::<Lanes>() as u64);
        let of_points = (n_guides as u64 + 16).saturating_mul(8 * n_points as u64);
        let tables = LinkTable::n_bytes(n_points).saturating_mul(n_guides as u64);
        tables.saturating_add(window.saturating_mul(threads as u64)).saturating_add(of_points)
    }

    /// Adds the first guide: the indices of its points inside the image, and the scores of the
    /// links from a to them.
    pub fn begin(&mut self, guide: Range<usize>, scores: Vec<u32>) {
        self.guides.push(guide);
        self.points.push(scores.into_iter().map(|score| score as i32).collect());
    }

    /// Adds the next guide, with the scores of the links to it from the previous guide.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn extend(
        &mut self,
        mut links: LinkTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let (before, d) = (self.layers.last(), self.d);
        if let Some(Admitted { links: before_links, first: ends, .. }) = &self.admitted {
            let (to, start) = (links.to.len(), links.from.start);
            let n_together = links.blocks.len().div_ceil(environment.threads().max(1)).max(1);
            let memory = &mut self.memory;
            memory.resize_with(links.blocks.len().div_ceil(n_together), Vec::new);
            let blocks = links.blocks.par_chunks_mut(n_together).zip(memory);
            let first = self.points.last().map_or(&[][..], |first| first);
            blocks.try_for_each(|(blocks, memory)| -> Result<(), Ended> {
                for block in blocks {
                    environment.poll()?;
                    match before {
                        None => follow_ends(block, &first[block.lanes.start - start..], ends, d),
                        Some(before) => follow_links(block, before, before_links, d, memory)?,
                    }
                    block.clear_absent(to);
                }
                Ok(())
            })?;
        } else {
            let values =
                self.points.last().map_or(Ok(Vec::new()), |values| free(values, &links))?;
            self.points.push(values);
        }
        self.guides.push(links.to.clone());
        self.layers.push(links);
        Ok(())
    }

    /// Returns the best polyline, given the scores of the links from the last guide to b, or
    /// nothing if the angle limit admits none.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn end(
        &self,
        scores: &[u32],
        environment: &dyn Environment,
    ) -> Result<Option<Found>, Ended> {
        let (Some(last), Some(points)) = (self.guides.last(), self.points.last()) else {
            return Ok(None);
        };
        let limited;
        let values = match (&self.admitted, self.layers.last()) {
            (None, _) => points,
            (Some(Admitted { alone, .. }), None) => {
                let values = last.clone().zip(points);
                let values =
                    values.map(|(idx, &value)| if alone.contains(&idx) { value } else { NONE });
                limited = values.collect();
                &limited
            }
            (Some(admitted), Some(layer)) => {
                limited = self.last_values(layer, admitted, environment)?;
                &limited
            }
        };
        let ended = values.iter().zip(scores).map(|(&value, &score)| value + score as i32);
        // The first of equal ones: `max_by_key` would return the last.
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
        // The difference of the following link.
        let mut next = -self.offset(last);
        for (guide, layer) in self.layers.iter().enumerate().rev() {
            let links = layer.from.clone().map(|idx| (idx, 2 * (last as i64 - idx as i64)));
            let value = |idx: usize| match self.turn.is_free() {
                true => self.points[guide][idx - layer.from.start] + layer.value(idx, last),
                false => layer.value(idx, last),
            };
            let admitted = |difference| self.turn.is_free() || self.turn.admits(difference, next);
            let links = links.filter(|&(_, difference)| admitted(difference));
            // The first of equal ones: `max_by_key` would return the last.
            let best = links.rev().max_by_key(|&(idx, _)| value(idx));
            let Some((idx, difference)) = best else { return };
            (last, next) = (idx, difference);
            indices.push(last);
        }
    }

    fn offset(&self, idx: usize) -> i64 {
        offset(idx as i64, self.d)
    }

    /// The greatest value of the links to each point of the last guide that the link to b may
    /// follow.
    fn last_values(
        &self,
        layer: &LinkTable,
        admitted: &Admitted,
        environment: &dyn Environment,
    ) -> Result<Vec<i32>, Ended> {
        let to = &layer.to;
        let d = self.d as i64;
        let mut values = reserved(to.len())?;
        values.resize(to.len(), NONE);
        for block in &layer.blocks {
            environment.poll()?;
            let start = block.lanes.start as i64;
            for (difference, row) in (block.first..).zip(&block.rows) {
                // The difference of the link to b is minus the offset of its point, which equals
                // the offset of the opposite point: it rises when the points are counted from the
                // other end.
                let opposite = &admitted.first[(difference + d - 1) as usize];
                let admitted = d - opposite.end..d - opposite.start;
                let first = start + difference;
                let reached = first.max(to.start as i64).max(admitted.start)
                    ..(first + N_LANES as i64).min(to.end as i64).min(admitted.end);
                if reached.is_empty() {
                    continue;
                }
                let values = &mut values[reached.start as usize - to.start..];
                let row = &row[(reached.start - first) as usize..(reached.end - first) as usize];
                for (value, other) in values.iter_mut().zip(row) {
                    *value = (*value).max(*other);
                }
            }
        }
        Ok(values)
    }
}

/// The values of the points of a guide after a layer of scores, if every link may follow every
/// other.
fn free(before: &[i32], layer: &LinkTable) -> Result<Vec<i32>, Ended> {
    let n_to = layer.to.len();
    let values = layer.blocks.par_iter().map(|block| -> Result<Vec<i32>, Ended> {
        let n_lanes = block.lanes.len();
        // Row r has the links to the points from r − (n_lanes − 1) on, hence the padding before;
        // there is one extra row at the end.
        let mut values = reserved(n_to + 2 * N_LANES)?;
        values.resize(n_to + 2 * N_LANES, NONE);
        let mut from = [NONE; N_LANES];
        let start = block.lanes.start - layer.from.start;
        from[..n_lanes].copy_from_slice(&before[start..start + n_lanes]);
        follow_points(&mut values, &from, &block.rows);
        Ok(values)
    });
    let of_blocks = values.collect::<Result<Vec<Vec<i32>>, Ended>>()?;
    let mut values = reserved(n_to)?;
    values.resize(n_to, NONE);
    for (block, others) in layer.blocks.iter().zip(&of_blocks) {
        for (value, other) in values.iter_mut().zip(&others[block.lanes.len() - 1..]) {
            *value = (*value).max(*other);
        }
    }
    Ok(values)
}

/// Raises the values of the points of a guide to the maximum over the links from points with these
/// values.
#[multiversion(targets(
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn follow_points(values: &mut [i32], from: &Lanes, rows: &[Lanes]) {
    for (idx, row) in rows.iter().enumerate() {
        let values = &mut values[idx..][..N_LANES];
        for ((value, &score), &from) in values.iter_mut().zip(row).zip(from) {
            *value = (*value).max(from + score);
        }
    }
}

/// Replaces the scores of links from the first guide by their values, given the values `first` of
/// the links from a.
fn follow_ends(block: &mut Block, first: &[i32], admitted: &[Range<i64>], d: usize) {
    let Block { lanes, rows, .. } = block;
    let before = &admitted[(block.first + d as i64 - 1) as usize..];
    for (row, admitted) in rows.iter_mut().zip(before) {
        let admitted = admitted.start - lanes.start as i64..admitted.end - lanes.start as i64;
        for ((lane, value), &first) in (0..).zip(row).zip(first) {
            *value = if admitted.contains(&lane) { *value + first } else { NONE };
        }
    }
}

/// Replaces the scores of links by their values, given the links of the previous layer.
#[multiversion(targets(
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn follow_links(
    block: &mut Block,
    before: &LinkTable,
    admitted: &[Range<i64>],
    d: usize,
    memory: &mut Vec<Lanes>,
) -> Result<(), Ended> {
    let Block { lanes, first, rows } = block;
    // The differences of all links that end in these lanes.
    let least = lanes.start as i64 - before.from.end as i64 + 1;
    let most = lanes.end as i64 - before.from.start as i64;
    let mut window = Window::new(memory, (most - least) as usize)?;
    let admitted = &admitted[(*first + d as i64 - 1) as usize..];
    for (row, admitted) in rows.iter_mut().zip(admitted) {
        let [start, end] = [admitted.start, admitted.end]
            .map(|difference| (difference.clamp(least, most) - least) as usize);
        let fetch = |idx: usize| before.ending_in(lanes, least + idx as i64);
        window.add_maxima((start, end), fetch, row);
    }
    Ok(())
}
