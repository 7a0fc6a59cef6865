//! Noisy images of a curve: it runs from the left border to the right one, smooth and of constant
//! thickness, with noise over the whole image.

use star_value::BitTable;

use super::pacer::Pacer;
use super::random::{Purpose, Random};
use super::{GenerateOptions, bad, check_range};
use crate::error::{Fault, FileError};
use crate::numbers::{Field, Numbers, Shape};

/// Maximum side of an image in pixels.
const MAX_SIDE: u64 = 1 << 20;
/// Maximum thickness of a curve in pixels.
const MAX_THICKNESS: u64 = 1024;
/// Standard deviation of the sum of four 16-bit numbers.
const SUM_DEVIATION: i64 = 37_837;
/// Twice the mean of that sum.
const SUM_MAX: i64 = 4 * 65_535;

/// The parameters of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoisyCurve {
    /// Rows of pixels, from 1 to 2^20.
    pub height: u64,
    /// Columns of pixels, from 1 to 2^20.
    pub width: u64,
    /// Thickness of the curve in pixels, from 1 to 1024 and to the height.
    pub thickness: u64,
    /// Number of pieces of the curve, from 1 to the width: more pieces, more bends.
    pub bends: u64,
    /// Gray of the curve without noise, from 0 to 255.
    pub line: u8,
    /// Gray of everything else without noise, from 0 to 255.
    pub ground: u8,
    /// Standard deviation of the noise, from 0 to 255 (nearly normal: the sum of four uniform
    /// numbers). Values below 0 or above 255 are clamped.
    pub noise: u8,
}

/// An image and its true curve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurveImage {
    /// The image: a grid with the single 8-bit field `gray`.
    pub image: Numbers,
    /// The true curve: a table of the size of the image, with ones on the curve.
    pub mask: BitTable,
}

impl NoisyCurve {
    /// Generates the image. The running time is proportional to the number of pixels, plus the
    /// length of the curve times the square of its thickness.
    ///
    /// # Errors
    /// [`star_base::Code::BadArgument`] if a parameter is outside its range,
    /// [`star_base::Code::DoesNotFit`] if the memory exceeds the budget (8 bytes and 2 bits for
    /// each pixel), [`star_base::Code::Interrupted`] if the progress sink stops the work.
    pub fn generate(&self, options: &mut GenerateOptions<'_>) -> Result<CurveImage, FileError> {
        self.check()?;
        let mut pacer = Pacer::new(options);
        let n_pixels = self.height * self.width;
        let mask_bytes = u128::from(self.height.div_ceil(64)) * u128::from(self.width) * 9;
        let n_bytes = u128::from(n_pixels) * 8 + mask_bytes + u128::from(self.bends + 4) * 8;
        pacer.check_budget(n_bytes)?;
        let (height, width) = (self.height as usize, self.width as usize);
        let mut mask = BitTable::zeros(height, width).map_err(|_| pacer.out_of_memory(n_bytes))?;
        self.draw(&mut mask, &mut pacer)?;
        let mut values = pacer.reserved(n_pixels)?;
        let mut noise = Random::new(pacer.seed(), Purpose::Noise);
        for row in 0..height {
            for col in 0..width {
                let gray = if mask.get(row, col) { self.line } else { self.ground };
                let noisy = i64::from(gray) + deviation(&mut noise, self.noise);
                values.push(noisy.clamp(0, 255));
                pacer.step()?;
            }
        }
        let field = Field::new("gray", Some(8), values);
        let shape = Shape::Grid { height, width };
        Ok(CurveImage { image: Numbers { shape, fields: vec![field] }, mask })
    }

    fn check(&self) -> Result<(), Fault> {
        check_range("rows", self.height, 1, MAX_SIDE)?;
        check_range("columns", self.width, 1, MAX_SIDE)?;
        check_range("thickness", self.thickness, 1, self.height.min(MAX_THICKNESS))?;
        check_range("bends", self.bends, 1, self.width)?;
        match self.line == self.ground {
            true => Err(bad("line", self.line, "different from `ground`")),
            false => Ok(()),
        }
    }

    /// Draws the curve as discs that are close enough to leave no gap.
    fn draw(&self, mask: &mut BitTable, pacer: &mut Pacer<'_, '_>) -> Result<(), Fault> {
        let radius = self.thickness as f64 / 2.0;
        let spline = Spline::random(self, radius, pacer)?;
        let mut x = 0.0;
        let end = self.width as f64;
        while x <= end {
            let (y, slope) = spline.at(x);
            stamp(mask, x, y, radius, pacer)?;
            // A step of a quarter of a pixel along the curve.
            x += 0.25 / (1.0 + slope * slope).sqrt();
        }
        Ok(())
    }
}

/// A nearly normally distributed number with this standard deviation, rounded.
fn deviation(random: &mut Random, deviation: u8) -> i64 {
    let bits = random.bits64();
    let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    let doubled = 2 * sum as i64 - SUM_MAX;
    (doubled * i64::from(deviation) + SUM_DEVIATION).div_euclid(2 * SUM_DEVIATION)
}

/// A uniform cubic B-spline: y over x. It stays between the minimum and the maximum of its control
/// points, and has no corners or jumps of curvature.
struct Spline {
    controls: Vec<f64>,
    /// Length of a piece in pixels.
    piece: f64,
}

impl Spline {
    /// Draws random control points, far enough from the borders that the whole curve is visible.
    fn random(curve: &NoisyCurve, radius: f64, pacer: &mut Pacer<'_, '_>) -> Result<Self, Fault> {
        let mut random = Random::new(pacer.seed(), Purpose::Shape);
        let n_controls = curve.bends + 3;
        let mut controls = pacer.reserved(n_controls)?;
        let freedom = curve.height as f64 - 2.0 * radius;
        for _ in 0..n_controls {
            let share = (random.bits64() >> 11) as f64 / 9_007_199_254_740_992.0;
            controls.push(radius + freedom * share);
            pacer.step()?;
        }
        Ok(Spline { controls, piece: curve.width as f64 / curve.bends as f64 })
    }

    /// The value and the slope at `x`.
    fn at(&self, x: f64) -> (f64, f64) {
        let n_pieces = self.controls.len() - 3;
        let along = x / self.piece;
        let idx = (along as usize).min(n_pieces - 1);
        let t = along - idx as f64;
        let [a, b, c, d] = [0, 1, 2, 3].map(|offset| self.controls[idx + offset]);
        let (t2, t3) = (t * t, t * t * t);
        let s = 1.0 - t;
        let y = (a * s * s * s
            + b * (3.0 * t3 - 6.0 * t2 + 4.0)
            + c * (-3.0 * t3 + 3.0 * t2 + 3.0 * t + 1.0)
            + d * t3)
            / 6.0;
        let slope =
            (-a * s * s + b * (3.0 * t2 - 4.0 * t) + c * (-3.0 * t2 + 2.0 * t + 1.0) + d * t2)
                / 2.0;
        (y, slope / self.piece)
    }
}

/// Sets the pixels whose centre is inside a disc, and the pixel that contains the centre of the
/// disc.
fn stamp(
    mask: &mut BitTable,
    x: f64,
    y: f64,
    radius: f64,
    pacer: &mut Pacer<'_, '_>,
) -> Result<(), Fault> {
    let (n_rows, n_cols) = (mask.n_rows(), mask.n_cols());
    let (row, col) = ((y as usize).min(n_rows - 1), (x as usize).min(n_cols - 1));
    mask.put(row, col, true);
    let first = |middle: f64| (middle - radius - 0.5).max(0.0) as usize;
    let end = |middle: f64, n: usize| ((middle + radius + 0.5).max(0.0) as usize + 1).min(n);
    for col in first(x)..end(x, n_cols) {
        let dx = col as f64 + 0.5 - x;
        for row in first(y)..end(y, n_rows) {
            let dy = row as f64 + 0.5 - y;
            if dx * dx + dy * dy <= radius * radius {
                mask.put(row, col, true);
            }
        }
        pacer.steps(1 + (radius as u64) * 2)?;
    }
    pacer.step()
}
