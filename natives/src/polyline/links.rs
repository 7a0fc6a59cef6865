//! Scores of links: how far the image gradient stands across them.
//!
//! The pixels of a link from P to Q are P + t·Δ/n for t = 0 … n with Δ = Q − P and n = max(|Δx|, |Δy|), rounded
//! half away from P. Its score is (Σ |u·Δy − v·Δx| · 2¹²) div ⌊√(2²⁰·l²)⌋ with unit gradients (u, v) in units of
//! 2⁻¹⁴ and l² = Δx² + Δy²: the sum of |sin| of the angle between gradient and link, in units of 2⁻¹⁶. A link of
//! one pixel has no direction, and scores 0.
//!
//! Note [Shared offsets]. The offsets of the pixels from P depend on Δ alone. Guides are lines, so the pairs with
//! the same difference of indices have few different Δ: their offsets are made once, and many links are summed side by
//! side. Where a guide runs along neighbours in memory, so do the pixels of its links, one for each link: those of
//! [`N_TOGETHER`] links are one load. Elsewhere [`N_APART`] links are loaded one by one, in windows of one length, so that
//! one comparison guards all. If a guide's points are nearer than pixels, neighbours share a pixel, and a link between
//! the same pixels is scored once.

use rayon::prelude::*;

use super::geometry::{Guide, Pixel};
use super::sums::{FULL_RUN, N_APART, N_TOGETHER, sum_apart, sum_run, sum_together};
use super::{Gradient, LinkTable};
use crate::environment::{Ended, Environment};
use crate::reserved;

/// Links side by side from which on they are summed so.
const SHORT_RUN: usize = 4;

/// Points of a guide that a thread takes at once at least and at most, each with all points of the next guide.
const N_POINTS: [usize; 2] = [64, 512];

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
    /// From the least of their places to that of each pixel.
    offsets: Vec<u32>,
    /// From the least place to that of the first pixel, and to behind the greatest one.
    begin: usize,
    span: usize,
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
        let mut sums = [0; 1];
        shape.sums(&[place], self.gradient.vectors(), &mut sums);
        shape.score(sums[0])
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
        let [least, most] = N_POINTS;
        let n_points = from.len().div_ceil(2 * environment.threads().max(1)).clamp(least, most);
        let parts =
            scores.par_chunks_mut((n_points * to.len()).max(1)).zip(from.par_chunks(n_points));
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
        let (mut places, mut sums) = (Vec::new(), Vec::new());
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
                // Along the guide places rise or fall.
                if let (Some(&(first, _)), Some(&(last, _))) = (same.first(), same.last())
                    && self.gradient.place(from[first]) > self.gradient.place(from[last])
                {
                    same.reverse();
                }
                places.clear();
                places.extend(same.iter().map(|&(a, _)| self.gradient.place(from[a])));
                sums.clear();
                sums.resize(same.len(), 0);
                shape.sums(&places, vectors, &mut sums);
                for (&(a, b), &sum) in same.iter().zip(&sums) {
                    scores[a * n_to + b] = shape.score(sum);
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
        // The places of the two corners of the box around a link, seen from its first pixel.
        let ways = [(dx, right), (dy, down)].map(|(delta, stride)| delta * stride as i64);
        let least: i64 = ways.iter().map(|&way| way.min(0)).sum();
        let most: i64 = ways.iter().map(|&way| way.max(0)).sum();
        (self.begin, self.span) = (-least as usize, (most - least) as usize + 1);
        let (mut right, mut down) = (Steps::new(dx, n, right), Steps::new(dy, n, down));
        self.offsets.clear();
        let place =
            (0..=n).map(|_| self.begin.wrapping_add(right.next()).wrapping_add(down.next()));
        self.offsets.extend(place.map(|place| place as u32));
        let squared = (dx * dx + dy * dy) as u64;
        (self.dx, self.dy) = (dx, dy);
        self.length = (squared << 20).isqrt();
        // A weight is 2^14 times the length at most, and a little for rounding.
        self.n_safe = ((1 << 27) / self.length.max(1)).max(1) as usize;
    }

    /// The sums of |u·Δy − v·Δx| over the pixels of the links from these places.
    fn sums(&self, places: &[usize], vectors: &[[i16; 2]], sums: &mut [u64]) {
        // No side of an image part is longer than 2^15.
        let weights = [self.dy as i16, -self.dx as i16];
        let mut at = 0;
        while let Some(&place) = places.get(at) {
            let run = places[at..].iter().zip(place..).take(FULL_RUN);
            let n_run = run.take_while(|&(&place, next)| place == next).count();
            let here = &vectors[place - self.begin..];
            // Sums behind the end of a run are of no link, and are left out.
            let window = |n_links: usize| here.get(..self.span + n_links - 1);
            let rest = &mut sums[at..];
            at += if n_run > FULL_RUN - N_TOGETHER
                && let Some(window) = window(FULL_RUN)
            {
                self.add(&mut rest[..n_run], |part| sum_run(window, part, weights))
            } else if n_run >= SHORT_RUN
                && let Some(window) = window(N_TOGETHER)
            {
                let n_links = n_run.min(N_TOGETHER);
                self.add(&mut rest[..n_links], |part| sum_together(window, part, weights))
            } else {
                let mut windows = [&here[..self.span]; N_APART];
                for (window, &place) in windows.iter_mut().zip(&places[at..]) {
                    *window = &vectors[place - self.begin..][..self.span];
                }
                let n_links = rest.len().min(N_APART);
                self.add(&mut rest[..n_links], |part| sum_apart(windows, part, weights))
            };
        }
    }

    /// Adds what `sum` gives for parts of the offsets to the sums of some links, and says how many these are.
    fn add<const N: usize>(&self, sums: &mut [u64], sum: impl Fn(&[u32]) -> [u32; N]) -> usize {
        for offsets in self.offsets.chunks(self.n_safe) {
            sums.iter_mut().zip(sum(offsets)).for_each(|(sum, part)| *sum += u64::from(part));
        }
        sums.len()
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
