//! Gaussian blur by repeated binomial smoothing.

use rayon::prelude::*;

use crate::environment::{Ended, Environment};
use crate::reserved;

/// Pixels in units of 1/16, for repeated smoothing.
///
/// One smoothing is (1 2 1; 2 4 2; 1 2 1)/16, rounded, with the border repeated: n smoothings
/// approximate a Gaussian of standard deviation √(n/2) pixels.
#[derive(Clone, Debug)]
pub struct Blur {
    width: usize,
    pixels: Vec<u16>,
}

impl Blur {
    /// The pixels of an image with rows of `width` pixels.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn new(width: usize, pixels: impl ExactSizeIterator<Item = u8>) -> Result<Self, Ended> {
        let mut sixteenths = reserved(pixels.len())?;
        sixteenths.extend(pixels.map(|pixel| u16::from(pixel) << 4));
        Ok(Blur { width: width.max(1), pixels: sixteenths })
    }

    /// The pixels, row by row, in units of 1/16.
    pub fn pixels(&self) -> &[u16] {
        &self.pixels
    }

    /// Smooths once.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn smooth(&mut self, environment: &dyn Environment) -> Result<(), Ended> {
        let Blur { width, pixels } = self;
        let width = *width;
        let mut sums = reserved(pixels.len())?;
        sums.resize(pixels.len(), 0u16);
        // (1 2 1) along the rows: at most 16,320.
        sums.par_chunks_mut(width).zip(pixels.par_chunks(width)).try_for_each(
            |(sums, row)| -> Result<(), Ended> {
                environment.poll()?;
                for (x, sum) in sums.iter_mut().enumerate() {
                    let [left, right] = [row[x.saturating_sub(1)], row[(x + 1).min(width - 1)]];
                    *sum = left + 2 * row[x] + right;
                }
                Ok(())
            },
        )?;
        let height = sums.len() / width;
        pixels.par_chunks_mut(width).enumerate().try_for_each(|(y, row)| -> Result<(), Ended> {
            environment.poll()?;
            let line = |y: usize| &sums[y * width..][..width];
            let [above, here, below] =
                [line(y.saturating_sub(1)), line(y), line((y + 1).min(height - 1))];
            for (x, pixel) in row.iter_mut().enumerate() {
                let sum = u32::from(above[x]) + 2 * u32::from(here[x]) + u32::from(below[x]);
                *pixel = ((sum + 8) >> 4) as u16;
            }
            Ok(())
        })
    }
}
