//! Unit gradients of an image, by Sobel's operator.

use rayon::prelude::*;

use super::geometry::{Geometry, Pixel};
use super::{Blur, GreyImage};
use crate::environment::{Ended, Environment};
use crate::reserved;

/// The direction of the gradient at every pixel of a part of an image, as a vector of length 1 in
/// units of 2⁻¹⁴; zero where the gradient is zero.
///
/// A component is 2¹⁴·gx/√(gx² + gy²), rounded to the nearest. Halves do not occur, since the root
/// is irrational or the denominator of the fraction is not a power of two.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// The part of the image.
    left: usize,
    top: usize,
    width: usize,
    height: usize,
    /// Whether the vectors are stored column by column instead of row by row.
    by_columns: bool,
    /// Components to the right and down.
    vectors: Vec<[i16; 2]>,
}

impl Gradient {
    /// Bytes needed to compute and hold the gradient of an image of this size.
    pub fn n_bytes(width: usize, height: usize) -> u64 {
        // Vectors twice, while they are transposed; pixels and their sums while they are smoothed.
        (width as u64).saturating_mul(height as u64).saturating_mul(4 + 4 + 2 + 2)
    }

    /// The gradient of a whole image after `n_blurs` smoothings.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn new(
        image: &GreyImage,
        n_blurs: usize,
        environment: &dyn Environment,
    ) -> Result<Self, Ended> {
        let whole =
            [Pixel { x: 0, y: 0 }, Pixel { x: image.width as i64 - 1, y: image.height as i64 - 1 }];
        Gradient::between(image, n_blurs, whole, false, environment)
    }

    /// The gradient of the part of an image that contains the links of a request. Points of a guide
    /// are adjacent in memory if its direction allows.
    ///
    /// # Errors
    /// Those of [`Gradient::new`].
    pub fn within(
        image: &GreyImage,
        n_blurs: usize,
        geometry: &Geometry,
        environment: &dyn Environment,
    ) -> Result<Self, Ended> {
        let [a, b] = geometry.ends();
        let mut corners = [a, a];
        // All points of a guide are in the bounding box of its first and last points.
        let ends = geometry.guides().flat_map(|guide| {
            let inside = guide.inside.clone();
            [inside.start, inside.end - 1].map(|idx| guide.pixel(idx))
        });
        for Pixel { x, y } in ends.chain([b]) {
            let [least, most] = &mut corners;
            *least = Pixel { x: least.x.min(x), y: least.y.min(y) };
            *most = Pixel { x: most.x.max(x), y: most.y.max(y) };
        }
        let by_columns = (b.x - a.x).abs() > (b.y - a.y).abs();
        Gradient::between(image, n_blurs, corners, by_columns, environment)
    }

    /// The vector at a pixel of the part, to the right and down.
    pub fn at(&self, pixel: Pixel) -> [i16; 2] {
        self.vectors[self.place(pixel)]
    }

    /// All vectors in memory order.
    pub(super) fn vectors(&self) -> &[[i16; 2]] {
        &self.vectors
    }

    /// The index of the vector of a pixel.
    pub(super) fn place(&self, Pixel { x, y }: Pixel) -> usize {
        let (x, y) = (x as usize - self.left, y as usize - self.top);
        if self.by_columns { x * self.height + y } else { y * self.width + x }
    }

    /// The distances between the vectors of adjacent pixels: to the right, and down.
    pub(super) fn strides(&self) -> [usize; 2] {
        if self.by_columns { [self.height, 1] } else { [1, self.width] }
    }

    fn between(
        image: &GreyImage,
        n_blurs: usize,
        [least, most]: [Pixel; 2],
        by_columns: bool,
        environment: &dyn Environment,
    ) -> Result<Self, Ended> {
        let (left, top) = (least.x as usize, least.y as usize);
        let (width, height) = (most.x as usize + 1 - left, most.y as usize + 1 - top);
        // Each smoothing and the operator read one pixel further. Values become wrong from the
        // border of this larger part inwards, except where it is the border of the image; the
        // margin has the width of the wrong values.
        let reach = n_blurs + 1;
        let (x, y) = (left.saturating_sub(reach), top.saturating_sub(reach));
        let end_x = left.saturating_add(width + reach).min(image.width);
        let end_y = top.saturating_add(height + reach).min(image.height);
        let mut part: Vec<u8> = reserved((end_x - x) * (end_y - y))?;
        for y in y..end_y {
            part.extend(&image.pixels[y * image.width..][x..end_x]);
        }
        let mut blur = Blur::new(end_x - x, part.into_iter())?;
        for _ in 0..n_blurs {
            blur.smooth(environment)?;
        }
        let vectors = sobel(&blur, end_x - x, [left - x, top - y], [width, height], environment)?;
        let vectors = match by_columns {
            true => turned(&vectors, width, height, environment)?,
            false => vectors,
        };
        Ok(Gradient { left, top, width, height, by_columns, vectors })
    }
}

/// The unit gradients of the part of an image that begins at a pixel and has this size.
fn sobel(
    blur: &Blur,
    row_width: usize,
    [left, top]: [usize; 2],
    [width, height]: [usize; 2],
    environment: &dyn Environment,
) -> Result<Vec<[i16; 2]>, Ended> {
    let pixels = blur.pixels();
    let n_rows = pixels.len() / row_width;
    let mut vectors = reserved(width * height)?;
    vectors.resize(width * height, [0i16; 2]);
    vectors.par_chunks_mut(width).enumerate().try_for_each(
        |(line, vectors)| -> Result<(), Ended> {
            environment.poll()?;
            let row = |y: usize| &pixels[y * row_width..][..row_width];
            let y = top + line;
            let rows = [y.saturating_sub(1), y, (y + 1).min(n_rows - 1)].map(row);
            // For a column of three pixels: their weighted sum, and their downward difference.
            let column = |x: usize| {
                let [above, here, below] = rows.map(|row| i32::from(row[x]));
                (above + 2 * here + below, below - above)
            };
            let mut before = column(left.saturating_sub(1));
            let mut here = column(left);
            for (x, vector) in (left..).zip(vectors) {
                let after = column((x + 1).min(row_width - 1));
                *vector = unit(after.0 - before.0, before.1 + 2 * here.1 + after.1);
                (before, here) = (here, after);
            }
            Ok(())
        },
    )?;
    Ok(vectors)
}

/// The vector of length 1 in this direction, in units of 2⁻¹⁴.
fn unit(gx: i32, gy: i32) -> [i16; 2] {
    let square = |component: i32| u64::from(component.unsigned_abs()).pow(2);
    let squared = square(gx) + square(gy);
    if squared == 0 {
        return [0, 0];
    }
    // Twice the component, truncated: components are below 2^16, so their squares in these units
    // are below 2^62.
    [gx, gy].map(|component| {
        let twice = ((square(component) << 30) / squared) as u32;
        let size = twice.isqrt().div_ceil(2) as i16;
        if component < 0 { -size } else { size }
    })
}

/// The vectors in column order.
fn turned(
    vectors: &[[i16; 2]],
    width: usize,
    height: usize,
    environment: &dyn Environment,
) -> Result<Vec<[i16; 2]>, Ended> {
    /// Columns that are filled at once: a cache line holds this many vectors.
    const N_COLUMNS: usize = 16;
    let mut turned = reserved(vectors.len())?;
    turned.resize(vectors.len(), [0; 2]);
    turned.par_chunks_mut(N_COLUMNS * height).enumerate().try_for_each(
        |(idx, columns)| -> Result<(), Ended> {
            environment.poll()?;
            for y in 0..height {
                let row = &vectors[y * width + idx * N_COLUMNS..];
                for (column, vector) in columns.chunks_mut(height).zip(row) {
                    column[y] = *vector;
                }
            }
            Ok(())
        },
    )?;
    Ok(turned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_rounded_to_the_nearest() {
        for gx in (-1020..=1020).step_by(7) {
            for gy in (-1020..=1020).step_by(3) {
                let length = f64::from(gx).hypot(f64::from(gy)).max(1.0);
                let exact = [gx, gy]
                    .map(|component| (f64::from(component) / length * 16_384.0).round() as i16);
                assert_eq!(unit(gx, gy), exact, "({gx},{gy})");
                assert_eq!(unit(16 * gx, 16 * gy), exact, "({gx},{gy}) times 16");
            }
        }
    }
}
