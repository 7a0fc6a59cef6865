//! Links with one Δ: the positions of their pixels, and the sums over them.
//!
//! Note [Shared offsets]. The offsets of the pixels of a link from its first one depend on Δ alone:
//! they are computed once, and many links are summed in parallel. Where a guide runs along
//! neighbours in memory, so do the corresponding pixels of its links: those of [`N_TOGETHER`] links
//! are one load. Elsewhere, [`N_APART`] links are loaded one by one, in windows of one length, so
//! that one comparison guards all.

use multiversion::multiversion;

use super::sums::{FULL_RUN, N_APART, N_TOGETHER, sum_apart, sum_run, sum_together};

/// The number of adjacent links from which they are summed with one load.
const SHORT_RUN: usize = 4;

/// Fractional bits of the step that is added to a coordinate: a link has fewer than 2²⁰ pixels, so
/// the accumulated rounding never changes a pixel.
const STEP_BITS: u32 = 44;

/// The links with one Δ: the positions of their pixels, and the weights of gradients.
#[derive(Debug, Default)]
pub(super) struct Shape {
    delta: (i64, i64),
    /// The offset of each pixel from the lowest position.
    offsets: Vec<u32>,
    /// The offset from the lowest position to the first pixel, and to the end of the highest one.
    begin: usize,
    span: usize,
    /// The reciprocal of the length in units of 2⁻¹⁰: a number below 2⁶² is multiplied by `inverse`
    /// and shifted right. Zero for length zero.
    inverse: u64,
    shift: u32,
    /// The number of pixels whose total weight stays below 2³².
    n_safe: usize,
}

/// The current shapes.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    /// The number of valid shapes; the others are memory for new ones.
    n: usize,
}

impl Shapes {
    /// Removes all shapes.
    pub(super) fn clear(&mut self) {
        self.n = 0;
    }

    /// The shape of a Δ, in an image with these strides.
    pub(super) fn get(&mut self, delta: (i64, i64), strides: [usize; 2]) -> &Shape {
        let found = self.shapes[..self.n].iter().position(|shape| shape.delta == delta);
        let idx = found.unwrap_or(self.n);
        if idx == self.n {
            if idx == self.shapes.len() {
                self.shapes.push(Shape::default());
            }
            self.shapes[idx].set(delta, strides);
            self.n += 1;
        }
        &self.shapes[idx]
    }
}

impl Shape {
    /// Becomes the shape of the links with this Δ.
    pub(super) fn set(&mut self, delta: (i64, i64), [right, down]: [usize; 2]) {
        let (dx, dy) = delta;
        let n = dx.abs().max(dy.abs());
        // The positions of the two corners of the bounding box of a link, relative to its first
        // pixel.
        let ways = [(dx, right), (dy, down)].map(|(delta, stride)| delta * stride as i64);
        let least: i64 = ways.iter().map(|&way| way.min(0)).sum();
        let most: i64 = ways.iter().map(|&way| way.max(0)).sum();
        self.delta = delta;
        (self.begin, self.span) = (-least as usize, (most - least) as usize + 1);
        let ways = [Dda::new(dx, n, right), Dda::new(dy, n, down)];
        self.offsets.clear();
        self.offsets.resize(n as usize + 1, self.begin as u32);
        add_ways(&mut self.offsets, ways);
        let squared = (dx * dx + dy * dy) as u64;
        let length = (squared << 20).isqrt();
        self.shift = 63 + length.max(1).ilog2();
        // Between 2⁶² and 2⁶³, and less than one too large: the quotient is exact (Granlund and
        // Montgomery 1994).
        let inverse = (1u128 << self.shift).div_ceil(u128::from(length.max(1)));
        self.inverse = if length == 0 { 0 } else { inverse as u64 };
        // A weight is at most 2^14 times the length, plus a small rounding error.
        self.n_safe = ((1 << 27) / length.max(1)).max(1) as usize;
    }

    /// Computes the sums of |u·Δy − v·Δx| over the pixels of the links that begin at these
    /// positions.
    pub(super) fn sums(&self, places: &[usize], vectors: &[[i16; 2]], sums: &mut [u64]) {
        // No side of an image part is longer than 2^15.
        let weights = [self.delta.1 as i16, -self.delta.0 as i16];
        let mut at = 0;
        while let Some(&place) = places.get(at) {
            let run = places[at..].iter().zip(place..).take(FULL_RUN);
            let n_run = run.take_while(|&(&place, next)| place == next).count();
            let here = &vectors[place - self.begin..];
            // Sums after the end of a run belong to no link and are ignored.
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

    /// Adds the result of `sum` for parts of the offsets to the sums of some links, and returns the
    /// number of these links.
    fn add<const N: usize>(&self, sums: &mut [u64], sum: impl Fn(&[u32]) -> [u32; N]) -> usize {
        for offsets in self.offsets.chunks(self.n_safe) {
            sums.iter_mut().zip(sum(offsets)).for_each(|(sum, part)| *sum += u64::from(part));
        }
        sums.len()
    }

    /// The score of a link with this sum.
    pub(super) fn score(&self, sum: u64) -> u32 {
        ((u128::from(sum << 12) * u128::from(self.inverse)) >> self.shift) as u32
    }
}

/// The change of the position along a link in one coordinate.
#[derive(Clone, Copy, Debug)]
struct Dda {
    /// |Δ|/n, rounded up in the last of [`STEP_BITS`].
    step: u64,
    /// The distance in memory between neighbours in the direction of Δ.
    stride: u32,
}

impl Dda {
    fn new(delta: i64, n: i64, stride: usize) -> Self {
        let step = (delta.unsigned_abs() << STEP_BITS).div_ceil(n.max(1) as u64);
        let stride = stride as u32;
        Dda { step, stride: if delta < 0 { stride.wrapping_neg() } else { stride } }
    }

    /// The memory offset of t·Δ/n, rounded half away from zero.
    #[inline(always)]
    fn at(self, t: u64) -> u32 {
        let rounded = (t * self.step + (1 << (STEP_BITS - 1))) >> STEP_BITS;
        (rounded as u32).wrapping_mul(self.stride)
    }
}

/// Adds the offsets of pixels 0, 1 … of a link from its first one.
#[multiversion(targets(
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn add_ways(offsets: &mut [u32], [along, across]: [Dda; 2]) {
    for (t, offset) in (0..).zip(offsets) {
        *offset = offset.wrapping_add(along.at(t)).wrapping_add(across.at(t));
    }
}

#[cfg(test)]
mod tests {
    use star_base::Random;

    use super::*;

    #[test]
    fn pixels_and_scores_match_the_definition() {
        let mut random = Random::new(9);
        let mut below = |n: i64| (random.next_u64() % n as u64) as i64;
        let mut deltas = vec![(0, 0), (1, 0), (0, -1), (8192, -8192), (-8192, 8191), (8191, 4096)];
        deltas.extend((0..300).map(|_| (below(401) - 200, below(401) - 200)));
        deltas.extend((0..20).map(|_| (below(16_385) - 8192, below(16_385) - 8192)));
        let mut shape = Shape::default();
        for (dx, dy) in deltas {
            let strides = [1, 20_000];
            shape.set((dx, dy), strides);
            let n = dx.abs().max(dy.abs());
            let rounded = |t: i64, d: i64| (2 * t * d.abs() + n) / (2 * n).max(1) * d.signum();
            for (t, &offset) in (0..=n).zip(&shape.offsets) {
                let expected = shape.begin as i64 + rounded(t, dx) + 20_000 * rounded(t, dy);
                assert_eq!(i64::from(offset), expected, "pixel {t} of ({dx},{dy})");
            }
            assert_eq!(shape.offsets.len() as i64, n + 1);
            let length = (((dx * dx + dy * dy) as u64) << 20).isqrt();
            let most = (n as u64 + 1) * (length << 4);
            for sum in (0..99).map(|at| most - at * most / 99).chain(0..99) {
                let expected = (sum << 12).checked_div(length).unwrap_or(0) as u32;
                assert_eq!(shape.score(sum), expected, "sum {sum} of ({dx},{dy})");
            }
        }
    }
}
