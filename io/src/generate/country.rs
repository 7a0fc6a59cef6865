//! Heights with a threshold that blocks a given share of the transitions: the second kind of maps
//! for Lee's wave.

use super::blocks::{check_sides, n_transitions};
use super::pacer::Pacer;
use super::{GenerateOptions, Terrain, check_probability};
use crate::error::{Fault, FileError};
use crate::numbers::{Numbers, Shape};

/// Bits of a difference that are counted in one pass.
const DIGIT: u32 = 16;

/// The parameters of a height map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Country {
    /// Rows of cells, from 1 to 2^20.
    pub height: u64,
    /// Columns of cells, from 1 to 2^20.
    pub width: u64,
    /// The degree of impassability β: the share of transitions between neighbours, from 0 to 1,
    /// that the threshold blocks.
    pub impassable: f64,
    /// See [`Terrain`].
    pub roughness: f64,
    /// Bits of a height, from 1 to 32.
    pub bits: u32,
}

/// Heights and a threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountryGrid {
    /// A grid with the single field `height`: the upper left part of a [`Terrain`].
    pub heights: Numbers,
    /// A transition is open iff the heights of its cells differ by less than this. The share of
    /// blocked transitions is as close as possible to the requested one; of two such thresholds,
    /// the lower.
    pub threshold: u64,
    /// Number of transitions that it blocks, each counted once.
    pub n_blocked: u64,
}

impl Country {
    /// Generates the heights and finds the threshold. The running time is proportional to the
    /// number of cells of the terrain, whose side is the next 2^k + 1.
    ///
    /// # Errors
    /// See [`Terrain::generate`].
    pub fn generate(&self, options: &mut GenerateOptions<'_>) -> Result<CountryGrid, FileError> {
        let Country { height, width, impassable, roughness, bits } = *self;
        check_sides(height, width)?;
        check_probability("impassable", impassable)?;
        let size_log2 = (height.max(width) - 1).next_power_of_two().ilog2();
        let terrain = Terrain { size_log2, roughness, bits };
        let mut heights = terrain.generate(options)?;
        let side = (1 << size_log2) + 1;
        let (height, width) = (height as usize, width as usize);
        let mut pacer = Pacer::new(options);
        for field in &mut heights.fields {
            for row in 1..height {
                field.values.copy_within(row * side..row * side + width, row * width);
                pacer.step()?;
            }
            field.values.truncate(height * width);
        }
        heights.shape = Shape::Grid { height, width };
        let values = heights.fields.first().map_or(&[][..], |field| &field.values);
        let n_all = n_transitions(self.height, self.width);
        let n_wanted = (impassable * n_all as f64).round() as u64;
        let (threshold, n_blocked) = threshold(values, width, n_wanted, &mut pacer)?;
        Ok(CountryGrid { heights, threshold, n_blocked })
    }
}

/// Returns the threshold whose number of blocked transitions is closest to the requested one, and
/// that number.
fn threshold(
    heights: &[i64],
    width: usize,
    n_wanted: u64,
    pacer: &mut Pacer<'_, '_>,
) -> Result<(u64, u64), Fault> {
    // Counts the transitions blocked with the threshold `from` or above. Finds the largest
    // difference at which this count still reaches the requested number, upper digit first.
    let mut counts = counted(heights, width, DIGIT, |_| true, pacer)?;
    let (upper, n_above) = passed(&counts, 0, n_wanted);
    counts = counted(heights, width, 0, |difference| difference >> DIGIT == upper, pacer)?;
    let (lower, n_above) = passed(&counts, n_above, n_wanted);
    let difference = upper << DIGIT | lower;
    let n_from = n_above + counts[lower as usize];
    match n_from.abs_diff(n_wanted) <= n_above.abs_diff(n_wanted) {
        true => Ok((difference, n_from)),
        false => Ok((difference + 1, n_above)),
    }
}

/// Counts the selected transitions by the digit of their difference from bit `shift` on.
fn counted(
    heights: &[i64],
    width: usize,
    shift: u32,
    is_wanted: impl Fn(u64) -> bool,
    pacer: &mut Pacer<'_, '_>,
) -> Result<Vec<u64>, Fault> {
    let mut counts = pacer.filled(1 << DIGIT, 0)?;
    let mut count = |a: i64, b: i64| {
        let difference = a.abs_diff(b);
        if is_wanted(difference) {
            counts[(difference >> shift) as usize % (1 << DIGIT)] += 1;
        }
    };
    for (cell, &height) in heights.iter().enumerate() {
        if (cell + 1) % width != 0 {
            count(height, heights[cell + 1]);
        }
        if let Some(&below) = heights.get(cell + width) {
            count(height, below);
        }
        pacer.step()?;
    }
    Ok(counts)
}

/// Returns the greatest digit at which the count, including all digits above it, reaches
/// `n_wanted`, and the count above it. 0 if the count never reaches it.
fn passed(counts: &[u64], mut n_above: u64, n_wanted: u64) -> (u64, u64) {
    for (digit, count) in counts.iter().enumerate().skip(1).rev() {
        if n_above + count >= n_wanted && *count > 0 {
            return (digit as u64, n_above);
        }
        n_above += count;
    }
    (0, n_above)
}
