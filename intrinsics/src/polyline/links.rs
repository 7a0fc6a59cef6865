//! Scores of links: how strongly the image gradient is perpendicular to them.
//!
//! The pixels of a link from P to Q are P + t·Δ/n for t = 0 … n with Δ = Q − P and n = max(|Δx|,
//! |Δy|), rounded half away from P. Its score is (Σ |u·Δy − v·Δx| · 2¹²) div ⌊√(2²⁰·l²)⌋ with unit
//! gradients (u, v) in units of 2⁻¹⁴ and l² = Δx² + Δy²: the sum of |sin| of the angle between
//! gradient and link, in units of 2⁻¹⁶. A link of one pixel has no direction and scores 0.
//!
//! Guides are lines, so the pairs with one difference of indices, a row of a [`LinkTable`], have
//! few different Δ: their offsets are computed once ([`Shape`]). If the points of a guide are
//! closer than pixels, neighbours share a pixel, and a link between the same pixels is scored once.

use std::ops::Range;

use rayon::prelude::*;

use super::geometry::{Guide, Pixel};
use super::shape::{Shape, Shapes};
use super::table::Block;
use super::window::N_LANES;
use super::{Gradient, LinkTable};
use crate::environment::{Ended, Environment};
use crate::reserved;

/// Differences of indices that are processed together: the pixels of the links of one block are
/// nearly the same for all of them.
const N_DIFFERENCES: i64 = 8;

/// The maximum number of blocks that share offsets.
const MOST_BLOCKS: usize = 16;

/// Scores links in an image.
#[derive(Clone, Copy, Debug)]
pub struct LinkScores<'a> {
    gradient: &'a Gradient,
}

/// The points at one end of the links.
#[derive(Clone, Debug)]
struct Points<'p> {
    /// Their indices.
    range: Range<usize>,
    pixels: &'p [Pixel],
}

impl<'a> LinkScores<'a> {
    /// Creates a scorer for the image with these gradients.
    pub fn new(gradient: &'a Gradient) -> Self {
        LinkScores { gradient }
    }

    /// Bytes needed to compute the scores between two guides of `n_points` points.
    pub fn n_bytes(n_points: usize) -> u64 {
        LinkTable::n_bytes(n_points)
    }

    /// The score of one link, in units of 2⁻¹⁶.
    pub fn score(&self, from: Pixel, to: Pixel) -> u32 {
        let mut shape = Shape::default();
        shape.set((to.x - from.x, to.y - from.y), self.gradient.strides());
        let place = self.gradient.place(from);
        let mut sums = [0; 1];
        shape.sums(&[place], self.gradient.vectors(), &mut sums);
        shape.score(sums[0])
    }

    /// The scores of all links between two lists of pixels, in rows by the first. All pixels must
    /// be in the part of the image whose gradients are known, and neighbours in the lists must be
    /// neighbours on a line.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn between(
        &self,
        from: &[Pixel],
        to: &[Pixel],
        environment: &dyn Environment,
    ) -> Result<Vec<u32>, Ended> {
        let [from, to] = [from, to].map(|pixels| Points { range: 0..pixels.len(), pixels });
        let table = self.fill(&from, &to, environment)?;
        let mut scores = reserved(from.pixels.len() * to.pixels.len())?;
        for a in from.range {
            environment.poll()?;
            scores.extend(to.range.clone().map(|b| table.value(a, b) as u32));
        }
        Ok(scores)
    }

    /// The scores of the links between the points of two guides inside the image, as a
    /// [`Search`](super::Search) reads them.
    ///
    /// # Errors
    /// Those of [`LinkScores::between`].
    pub fn table(
        &self,
        from: &Guide<'_>,
        to: &Guide<'_>,
        environment: &dyn Environment,
    ) -> Result<LinkTable, Ended> {
        let (starts, ends) = (Distinct::new(&from.pixels()?)?, Distinct::new(&to.pixels()?)?);
        let (from, to) = (from.inside.clone(), to.inside.clone());
        if starts.pixels.len() == from.len() && ends.pixels.len() == to.len() {
            let from = Points { range: from, pixels: &starts.pixels };
            return self.fill(&from, &Points { range: to, pixels: &ends.pixels }, environment);
        }
        let [of_starts, of_ends] =
            [&starts.pixels, &ends.pixels].map(|pixels| Points { range: 0..pixels.len(), pixels });
        let scores = self.fill(&of_starts, &of_ends, environment)?;
        let [first, first_to] = [from.start, to.start];
        LinkTable::of_values(from, to, environment, |a, b| {
            scores.value(starts.of[a - first], ends.of[b - first_to])
        })
    }

    /// Computes the scores of all links.
    fn fill(
        &self,
        from: &Points<'_>,
        to: &Points<'_>,
        environment: &dyn Environment,
    ) -> Result<LinkTable, Ended> {
        let mut table = LinkTable::without_rows(from.range.clone(), to.range.clone())?;
        let n_together = table.blocks.len().div_ceil(environment.threads().max(1));
        let blocks = table.blocks.par_chunks_mut(n_together.clamp(1, MOST_BLOCKS));
        blocks.try_for_each(|blocks| -> Result<(), Ended> {
            blocks.iter_mut().try_for_each(|block| block.make_rows(to.range.len()))?;
            let mut shapes = Shapes::default();
            let ends = blocks.iter().map(|block| block.first + block.rows.len() as i64);
            let firsts = blocks.iter().map(|block| block.first);
            let (Some(mut first), Some(end)) = (firsts.min(), ends.max()) else { return Ok(()) };
            while first < end {
                shapes.clear();
                for block in &mut *blocks {
                    environment.poll()?;
                    for difference in first..first + N_DIFFERENCES {
                        self.fill_row(block, difference, [from, to], &mut shapes);
                    }
                }
                first += N_DIFFERENCES;
            }
            Ok(())
        })?;
        Ok(table)
    }

    /// Computes the scores of the links with a difference of indices, if a block has any.
    fn fill_row(
        &self,
        block: &mut Block,
        difference: i64,
        [from, to]: [&Points<'_>; 2],
        shapes: &mut Shapes,
    ) {
        let Ok(idx) = usize::try_from(difference - block.first) else { return };
        if idx >= block.rows.len() {
            return;
        }
        let lanes = block.lanes_with_links(idx, to.range.len());
        let first = block.lanes.start + lanes.start;
        let second = (first as i64 + difference) as usize - to.range.start;
        let from = &from.pixels[first - from.range.start..][..lanes.len()];
        let to = &to.pixels[second..][..lanes.len()];
        let scores = &mut block.rows[idx][lanes];
        let (Some(&start), Some(&end)) = (from.first(), from.last()) else { return };
        let place = |pixel: Pixel| self.gradient.place(pixel);
        // In ascending memory order: along a guide, indices rise or fall.
        let falls = place(start) > place(end);
        let lane = |at: usize| if falls { from.len() - 1 - at } else { at };
        let (mut deltas, mut places) = ([(0, 0); N_LANES], [0; N_LANES]);
        for at in 0..from.len() {
            let (from, to) = (from[lane(at)], to[lane(at)]);
            (deltas[at], places[at]) = ((to.x - from.x, to.y - from.y), place(from));
        }
        let mut left = u64::MAX >> (N_LANES - from.len());
        while left != 0 {
            let delta = deltas[left.trailing_zeros() as usize];
            let is_same = |at: usize| u64::from(deltas[at] == delta) << at;
            let same = (0..from.len()).map(is_same).fold(0, |all, one| all | one);
            left &= !same;
            let (mut lanes, mut n) = ([0; N_LANES], 0);
            let mut of_same = [0; N_LANES];
            for at in (0..from.len()).filter(|at| same >> at & 1 == 1) {
                (lanes[n], of_same[n]) = (lane(at), places[at]);
                n += 1;
            }
            let mut sums = [0; N_LANES];
            let shape = shapes.get(delta, self.gradient.strides());
            shape.sums(&of_same[..n], self.gradient.vectors(), &mut sums[..n]);
            for (&lane, &sum) in lanes[..n].iter().zip(&sums) {
                scores[lane] = shape.score(sum) as i32;
            }
        }
    }
}

/// Pixels without consecutive repetitions.
struct Distinct {
    pixels: Vec<Pixel>,
    /// The index of the distinct pixel for each pixel.
    of: Vec<usize>,
}

impl Distinct {
    fn new(pixels: &[Pixel]) -> Result<Self, Ended> {
        let mut distinct =
            Distinct { pixels: reserved(pixels.len())?, of: reserved(pixels.len())? };
        for &pixel in pixels {
            if distinct.pixels.last() != Some(&pixel) {
                distinct.pixels.push(pixel);
            }
            distinct.of.push(distinct.pixels.len() - 1);
        }
        Ok(distinct)
    }
}
