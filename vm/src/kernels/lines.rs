//! Operands of several lines: a loop goes over all of them, so that it is chosen once for a block of lines.

use star_base::bits::zero_tail;

use super::elementwise::{update, zip, zip3};
use super::n_limbs;

/// The lines that are worked on, and how long each is.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// Their indices.
    pub indices: &'a [usize],
    /// The index of the first line that the operands hold.
    pub first: usize,
    /// Bits of each.
    pub len: usize,
}

/// Where the lines of an operand lie: the one with index i, the p-th that is worked on, begins at limb
/// `start + (i - first) * per_index + p * per_place`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spacing {
    /// Limb of the first line that is worked on, or of the one that all lines are.
    pub start: usize,
    /// Limbs between neighbouring lines.
    pub per_index: usize,
    /// Limbs between lines that are worked on one after another.
    pub per_place: usize,
}

/// Lines that are read.
#[derive(Clone, Copy, Debug)]
pub struct LinesOf<'a> {
    /// All limbs.
    pub limbs: &'a [u64],
    /// Where the lines begin.
    pub spacing: Spacing,
}

/// Lines that are written.
#[derive(Debug)]
pub struct LinesMut<'a> {
    /// All limbs.
    pub limbs: &'a mut [u64],
    /// Where the lines begin.
    pub spacing: Spacing,
}

impl Spacing {
    #[inline(always)]
    fn limb(self, place: usize, index: usize) -> usize {
        self.start + index * self.per_index + place * self.per_place
    }
}

impl LinesOf<'_> {
    /// The line with this place and index (from the first one on): `n` limbs.
    #[inline(always)]
    pub fn line(&self, place: usize, index: usize, n: usize) -> &[u64] {
        &self.limbs[self.spacing.limb(place, index)..][..n]
    }
}

impl LinesMut<'_> {
    /// The line with this place and index (from the first one on): `n` limbs.
    #[inline(always)]
    pub fn line(&mut self, place: usize, index: usize, n: usize) -> &mut [u64] {
        &mut self.limbs[self.spacing.limb(place, index)..][..n]
    }
}

/// `dst[i] = f(dst[i], b[i])`, in every line.
#[inline(always)]
pub(super) fn update_lines(
    dst: &mut LinesMut<'_>,
    b: LinesOf<'_>,
    lines: Lines<'_>,
    f: impl Fn(u64, u64) -> u64 + Copy,
) {
    let n = n_limbs(lines.len);
    for (place, index) in lines.indices.iter().enumerate() {
        let index = index - lines.first;
        update(dst.line(place, index, n), b.line(place, index, n), f);
    }
}

/// `dst[i] = f(a[i], b[i])`, in every line.
#[inline(always)]
pub(super) fn zip_lines(
    dst: &mut LinesMut<'_>,
    [a, b]: [LinesOf<'_>; 2],
    lines: Lines<'_>,
    f: impl Fn(u64, u64) -> u64 + Copy,
) {
    let n = n_limbs(lines.len);
    for (place, index) in lines.indices.iter().enumerate() {
        let index = index - lines.first;
        zip(dst.line(place, index, n), a.line(place, index, n), b.line(place, index, n), f);
    }
}

/// `dst[i] = f(a[i], b[i], c[i])`, in every line.
#[inline(always)]
pub(super) fn zip3_lines(
    dst: &mut LinesMut<'_>,
    [a, b, c]: [LinesOf<'_>; 3],
    lines: Lines<'_>,
    f: impl Fn(u64, u64, u64) -> u64 + Copy,
) {
    let n = n_limbs(lines.len);
    for (place, index) in lines.indices.iter().enumerate() {
        let index = index - lines.first;
        let [a, b, c] = [a.line(place, index, n), b.line(place, index, n), c.line(place, index, n)];
        zip3(dst.line(place, index, n), a, b, c, f);
    }
}

/// Zeros beyond the length, in every line.
#[inline(always)]
pub(super) fn zero_tails(dst: &mut LinesMut<'_>, lines: Lines<'_>) {
    let n = n_limbs(lines.len);
    for (place, index) in lines.indices.iter().enumerate() {
        zero_tail(dst.line(place, index - lines.first, n), lines.len);
    }
}
