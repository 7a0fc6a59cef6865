//! Grey images.

use star_value::BitTable;

use crate::environment::{Ended, InterruptPoller};
use crate::numbers::read_numbers;
use crate::reserved;

/// An image with one byte per pixel, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GreyImage {
    /// Pixels in a row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// The pixels: 0 is black, 255 white.
    pub pixels: Vec<u8>,
}

/// The grey value of a colour: the luma of ITU-R BT.601 with weights in units of 2⁻¹⁶, rounded.
pub fn grey(red: u8, green: u8, blue: u8) -> u8 {
    let [red, green, blue] = [red, green, blue].map(u32::from);
    // The sum of the weights is 65,536, so white stays white.
    ((19_595 * red + 38_470 * green + 7_471 * blue + 32_768) >> 16) as u8
}

impl GreyImage {
    /// Creates an image, if the number of pixels matches the size.
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Option<Self> {
        (width.checked_mul(height) == Some(pixels.len())).then_some(GreyImage {
            width,
            height,
            pixels,
        })
    }

    /// The image whose pixels are the rows of 8 columns, the first one most significant; the width
    /// must divide their number.
    ///
    /// # Errors
    /// If the run is interrupted, or memory allocation fails.
    pub fn from_planes(
        width: usize,
        planes: &BitTable,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Self, Ended> {
        let mut pixels = reserved(planes.n_rows())?;
        let numbers = read_numbers(planes, 0, planes.n_cols().min(8), poller)?;
        // Eight bits.
        pixels.extend(numbers.into_iter().map(|number| number as u8));
        Ok(GreyImage { width, height: planes.n_rows() / width.max(1), pixels })
    }

    /// Bytes that [`GreyImage::from_planes`] needs for `n_pixels` pixels.
    pub fn n_bytes(n_pixels: usize) -> u64 {
        (n_pixels as u64).saturating_mul(size_of::<u8>() as u64 + size_of::<u32>() as u64)
    }
}
