//! Scores of links: how far the image gradient stands across them.
//!
//! The pixels of a link from P to Q are P + t·Δ/n for t = 0 … n with Δ = Q − P and n = max(|Δx|, |Δy|), rounded
//! half away from P. Its score is (Σ |u·Δy − v·Δx| · 2¹²) div ⌊√(2²⁰·l²)⌋ with unit gradients (u, v) in units of
//! 2⁻¹⁴ and l² = Δx² + Δy²: the sum of |sin| of the angle between gradient and link, in units of 2⁻¹⁶. A link of
//! one pixel has no direction, and scores 0.
//!
//! Note [Shared offsets]. The offsets of the pixels from P depend on Δ alone. Guides are lines, so the pairs with
//! the same difference of indices have few different Δ: their offsets are made once, and [`N_TOGETHER`] links are
//! summed side by side. If a guide's points are nearer than pixels, neighbours share a pixel, and a link between
//! the same pixels is scored once.

use rayon::prelude::*;

use super::geometry::{Guide, Pixel};
use super::{Gradient, LinkTable};
use crate::environment::{Ended, Environment};
use crate::reserved;

/// Links that are summed side by side.
const N_TOGETHER: usize = 8;

/// Points of a guide that a thread takes at once, each with all points of the next guide.
const N_POINTS: usize = 64;

/// Scores links in an image.
#[derive(Clone, Copy, Debug)]
pub struct LinkScores<'a> {
    gradient: &'a Gradient,
}

/// The links with one Δ: where their pixels lie, and how gradients are weighed.
#[derive(Debug, Default)]
struct Shape {
    dx: i64,
    dy: i64,
    /// From the place of the first pixel to that of each, modulo 2^64.
    offsets: Vec<usize>,
    /// The length, in units of 2⁻¹⁰.
    length: u64,
    /// Pixels whose weights together stay below 2^32.
    n_safe: usize,
}

impl<'a> LinkScores<'a> {
    /// Scores in the image with these gradients.
    pub fn new(gradient: &'a Gradient) -> Self {
        LinkScores { gradient }
    }

    /// Bytes that the scores between two guides of so many points take while their table is made.
    pub fn n_bytes(n_points: usize) -> u64 {
        (n_points as u64).saturating_mul(n_points as u64).saturating_mul(4)
    }

    /// The score of one link, in units of 2⁻¹⁶.
    pub fn score(&self, from: Pixel, to: Pixel) -> u32 {
        let mut shape = Shape::default();
        shape.set(to.x - from.x, to.y - from.y, self.gradient.strides());
        let place = self.gradient.place(from);
        shape.score(shape.sums([place; N_TOGETHER], self.gradient.vectors())[0])
    }

    /// The scores of all links between two lists of pixels, row by row from those of the first one. All pixels lie
    /// in the part of the image whose gradients are known, and neighbours in the lists are neighbours on a line.
    ///
    /// # Errors
    /// If the system refuses the memory, or the run is to end.
    pub fn between(
        &self,
        from: &[Pixel],
        to: &[Pixel],
        environment: &dyn Environment,
    ) -> Result<Vec<u32>, Ended> {
        let mut scores = reserved(from.len() * to.len())?;
        scores.resize(from.len() * to.len(), 0u32);
        let parts =
            scores.par_chunks_mut((N_POINTS * to.len()).max(1)).zip(from.par_chunks(N_POINTS));
        parts.try_for_each(|(scores, from)| self.part(from, to, scores, environment))?;
        Ok(scores)
    }

    /// Likewise, between the points of two guides that lie inside the image, as a [`Search`](super::Search) takes them.
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
        let scores = self.between(&starts.pixels, &ends.pixels, environment)?;
        let n_ends = ends.pixels.len();
        LinkTable::of_rows(
            from.inside.clone(),
            to.inside.clone(),
            environment,
            |idx| &scores[starts.of[idx] * n_ends..][..n_ends],
            |idx| ends.of[idx],
        )
    }

    /// Scores of links from few pixels, difference of indices by difference.
    fn part(
        &self,
        from: &[Pixel],
        to: &[Pixel],
        scores: &mut [u32],
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let (n_from, n_to) = (from.len(), to.len());
        let vectors = self.gradient.vectors();
        let mut shape = Shape::default();
        // Those with the Δ at hand, and those with another one.
        let (mut same, mut others) = (Vec::new(), Vec::new());
        for diagonal in 0..n_from + n_to - 1 {
            environment.poll()?;
            // Point `first` and the last point meet, then all pairs with one difference more.
            let first = (n_from - 1).saturating_sub(diagonal);
            let second = (diagonal + 1).saturating_sub(n_from);
            let len = (n_from - first).min(n_to - second);
            others.clear();
            others.extend((first..first + len).map(|idx| (idx, idx - first + second)));
            while let Some(&(a, b)) = others.first() {
                let (dx, dy) = (to[b].x - from[a].x, to[b].y - from[a].y);
                shape.set(dx, dy, self.gradient.strides());
                same.clear();
                others.retain(|&(a, b)| {
                    let is_same = to[b].x - from[a].x == dx && to[b].y - from[a].y == dy;
                    if is_same {
                        same.push((a, b));
                    }
                    !is_same
                });
                for links in same.chunks(N_TOGETHER) {
                    let mut places = [self.gradient.place(from[links[0].0]); N_TOGETHER];
                    for (place, &(a, _)) in places.iter_mut().zip(links) {
                        *place = self.gradient.place(from[a]);
                    }
                    for (&(a, b), sum) in links.iter().zip(shape.sums(places, vectors)) {
                        scores[a * n_to + b] = shape.score(sum);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Shape {
    /// Becomes that of the links with this Δ.
    fn set(&mut self, dx: i64, dy: i64, [right, down]: [usize; 2]) {
        let n = dx.abs().max(dy.abs());
        self.offsets.clear();
        let (mut right, mut down) = (Steps::new(dx, n, right), Steps::new(dy, n, down));
        self.offsets.extend((0..=n).map(|_| right.next().wrapping_add(down.next())));
        let squared = (dx * dx + dy * dy) as u64;
        (self.dx, self.dy) = (dx, dy);
        self.length = (squared << 20).isqrt();
        // A weight is 2^14 times the length at most, and a little for rounding.
        self.n_safe = ((1 << 27) / self.length.max(1)).max(1) as usize;
    }

    /// The sums of |u·Δy − v·Δx| over the pixels of the links from these places.
    fn sums(&self, places: [usize; N_TOGETHER], vectors: &[[i16; 2]]) -> [u64; N_TOGETHER] {
        // No side of an image part is longer than 2^15.
        let weights = [[self.dy as i16, -self.dx as i16]; N_TOGETHER];
        let mut sums = [0; N_TOGETHER];
        for offsets in self.offsets.chunks(self.n_safe) {
            let mut parts = [0u32; N_TOGETHER];
            for &offset in offsets {
                let vectors = places.map(|place| vectors[place.wrapping_add(offset)]);
                // Products first, then the sums of two: on vectors that is one instruction.
                let (vectors, weights) = (vectors.as_flattened(), weights.as_flattened());
                let mut products = [0; 2 * N_TOGETHER];
                for ((product, &part), &weight) in products.iter_mut().zip(vectors).zip(weights) {
                    *product = i32::from(part) * i32::from(weight);
                }
                for (part, products) in parts.iter_mut().zip(products.as_chunks::<2>().0) {
                    *part += (products[0] + products[1]).unsigned_abs();
                }
            }
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum += u64::from(part);
            }
        }
        sums
    }

    /// The score of a link with this sum.
    fn score(&self, sum: u64) -> u32 {
        (sum << 12).checked_div(self.length).unwrap_or(0) as u32
    }
}

/// t·Δ/n for t = 0, 1 … rounded half away from zero, times a stride: as Bresenham does it, without a division.
struct Steps {
    /// Twice |Δ|, and twice n.
    rise: u64,
    period: u64,
    /// 2·t·|Δ| + n less the whole periods that were stepped over.
    left: u64,
    step: usize,
    sum: usize,
}

impl Steps {
    fn new(delta: i64, n: i64, stride: usize) -> Self {
        let step = if delta < 0 { stride.wrapping_neg() } else { stride };
        let (rise, n) = (2 * delta.unsigned_abs(), n as u64);
        Steps { rise, period: 2 * n, left: n, step, sum: 0 }
    }

    fn next(&mut self) -> usize {
        let sum = self.sum;
        self.left += self.rise;
        // |Δ| is n at most, so one period is all that may be full.
        if self.left >= self.period {
            self.left -= self.period;
            self.sum = sum.wrapping_add(self.step);
        }
        sum
    }
}

/// Pixels without repetitions side by side.
struct Distinct {
    pixels: Vec<Pixel>,
    /// Which of them each pixel is.
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
