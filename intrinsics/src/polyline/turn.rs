//! The angle limit: which links may follow each other, decided on ideal points.
//!
//! Note [Angles]. A link leads from one guide to the next, or from a or to b. In the frame of the
//! segment it is the vector (A, B·Δo) in units of 1/256 pixel, where o = 2m − (d + 1) is the
//! *offset* of point m of a guide and 0 that of a and of b. Two links with differences u and v may
//! follow each other iff S·dot − C·|cross| ≥ 0, where C and S are cos θ and sin θ in units of 2⁻²⁰:
//! the angle between them is at most that of the vector (C, S). With the angle α(u) = atan(B·u/A),
//! which rises with u, this means |α(u) − α(v)| ≤ θ: for a fixed v, the admissible u form one
//! interval, whose ends rise with v. Pixels are not used because they are rounded, and the sets
//! would not always be intervals.

use std::ops::Range;

use crate::environment::Ended;
use crate::reserved;

/// One, as a cosine.
const ONE: i64 = 1 << 20;

/// The limit of the angle between neighbouring links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Distance between two guides, in units of 1/256 pixel.
    pub along: i64,
    /// Half the distance between two points of a guide, in units of 1/256 pixel.
    pub across: i64,
    /// The cosine of the limit, in units of 2⁻²⁰.
    pub cosine: i64,
    /// The sine of the limit, in units of 2⁻²⁰.
    pub sine: i64,
}

impl Turn {
    /// A limit of `degrees`, at most 180.
    pub fn new(along: i64, across: i64, degrees: usize) -> Self {
        let (cosine, sine) = match degrees.min(180) {
            degrees @ 0..=90 => (sine(90 - degrees), sine(degrees)),
            degrees => (-sine(degrees - 90), sine(180 - degrees)),
        };
        Turn { along, across, cosine, sine }
    }

    /// Returns whether all links are admitted.
    pub fn is_free(&self) -> bool {
        self.sine == 0 && self.cosine < 0
    }

    /// Returns whether a link with the difference of offsets `v` may follow one with `u`. See Note
    /// \[Angles\].
    pub fn admits(&self, u: i64, v: i64) -> bool {
        let Turn { along, across, cosine, sine } = *self;
        let dot = along * along + across * across * u * v;
        let cross = along * across * (v - u);
        // Below 2^62: neither vector is longer than 2^20.5.
        sine * dot - cosine * cross.abs() >= 0
    }

    /// For each of `links`, which rise, the indices of `range` whose difference may precede it; `u`
    /// rises with the index, so both ends of the result rise, too.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn before(
        &self,
        range: Range<i64>,
        links: impl ExactSizeIterator<Item = i64>,
        u: impl Fn(i64) -> i64,
    ) -> Result<Vec<Range<i64>>, Ended> {
        let mut admitted = reserved(links.len())?;
        let Range { mut start, mut end } = range.start..range.start;
        for v in links {
            while start < range.end && u(start) < v && !self.admits(u(start), v) {
                start += 1;
            }
            end = end.max(start);
            while end < range.end && (u(end) <= v || self.admits(u(end), v)) {
                end += 1;
            }
            admitted.push(start..end);
        }
        Ok(admitted)
    }
}

/// The sine of at most 90 degrees in units of 2⁻²⁰, rounded.
fn sine(degrees: usize) -> i64 {
    // A degree in units of 2⁻³⁰; products of two numbers in these units fit into 64 bits.
    let arc = |degrees: usize| degrees as i64 * 3_373_259_426 / 180;
    let times = |a: i64, b: i64| (a * b) >> 30;
    let one = ONE << 10;
    let fine = if degrees <= 45 {
        let x = arc(degrees);
        let square = times(x, x);
        let series = [72, 42, 20, 6].iter().fold(one, |sum, n| one - times(square, sum) / n);
        times(x, series)
    } else {
        let x = arc(90 - degrees);
        let square = times(x, x);
        [56, 30, 12, 2].iter().fold(one, |sum, n| one - times(square, sum) / n)
    };
    (fine + (1 << 9)) >> 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_are_rounded_to_twenty_bits() {
        for degrees in 0..=180 {
            let Turn { cosine, sine, .. } = Turn::new(1, 1, degrees);
            let angle = (degrees as f64).to_radians();
            assert_eq!(cosine, (angle.cos() * ONE as f64).round() as i64, "cos {degrees}");
            assert_eq!(sine, (angle.sin() * ONE as f64).round() as i64, "sin {degrees}");
        }
    }

    #[test]
    fn links_that_may_precede_form_an_interval_with_rising_ends() {
        for (along, across) in [(256, 10), (700, 128), (5000, 128), (1, 300), (300, 0)] {
            for degrees in (0..=180).step_by(5) {
                let turn = Turn::new(along, across, degrees);
                let mut last = -41..-40;
                let ranges =
                    turn.before(-40..41, (0usize..81).map(|v| v as i64 - 40), |u| u).unwrap();
                for (v, range) in (-40..=40).zip(ranges) {
                    for u in -40..=40 {
                        let expected = turn.admits(u, v);
                        assert_eq!(range.contains(&u), expected, "{turn:?}: {u} before {v}");
                    }
                    assert!(last.start <= range.start && last.end <= range.end, "{turn:?}: {v}");
                    last = range;
                }
            }
        }
    }
}
