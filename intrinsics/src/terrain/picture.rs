//! Pictures of a mesh from above: each triangle in the colour of its height, lit from the upper
//! left, with dark edges.

use star_value::BitTable;

use super::bounds::root_up;
use super::mesh::Mesh;
use super::triangle::{Point, Triangle};
use crate::environment::{Ended, Environment, InterruptPoller};

/// The width of a pixel: red, green and blue of 8 bits each.
pub const PIXEL_BITS: usize = 24;

impl Mesh {
    /// Rows and columns of pixels of a picture with `scale` pixels for a step.
    pub fn picture_size(&self, scale: usize) -> [usize; 2] {
        let (width, height) = (self.size().width(), self.size().height());
        [(height - 1) * scale, (width - 1) * scale]
    }

    /// Draws the mesh into zeros with a column for each row of pixels. `step` is a step in units of
    /// heights.
    ///
    /// # Errors
    /// If the run is interrupted or memory allocation fails.
    pub fn draw(
        &self,
        scale: usize,
        step: u32,
        rows: &mut BitTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let mut poller = InterruptPoller::new(environment);
        let samples = self.samples();
        let least = samples.iter().min().copied().unwrap_or(0);
        let range = (samples.iter().max().copied().unwrap_or(0) - least).max(1);
        for triangle in self.triangles(environment)? {
            let colour = self.colour(&triangle, i64::from(step), [least, range]);
            let [[left, top], [right, bottom]] = triangle.extent();
            // Coordinates in half pixels: the middle of a pixel is an integer.
            let unit = 2 * scale as i64;
            let corners = triangle.corners.map(|corner| corner.map(|at| i64::from(at) * unit));
            let [a, b, c] = corners;
            for y in i64::from(top) * unit / 2..i64::from(bottom) * unit / 2 {
                let row = rows.column_limbs_mut(y as usize);
                poller.spend((right - left) as usize * scale)?;
                for x in i64::from(left) * unit / 2..i64::from(right) * unit / 2 {
                    let pixel = [2 * x + 1, 2 * y + 1];
                    let sides = [[b, c], [c, a], [a, b]].map(|edge| (side(edge, pixel), edge));
                    if sides.iter().any(|&(side, _)| side < 0) {
                        continue;
                    }
                    // Less than half a pixel from an edge.
                    let is_edge = |&(side, [from, to]): &(i64, [[i64; 2]; 2])| {
                        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
                        side < 1 << 31 && side * side <= dx * dx + dy * dy
                    };
                    let dark = scale > 1 && sides.iter().any(is_edge);
                    for (channel, value) in colour.into_iter().enumerate() {
                        let value = if dark { value * 6 / 10 } else { value };
                        put_byte(row, 3 * x as usize + channel, value as u8);
                    }
                }
            }
        }
        Ok(())
    }

    /// Red, green and blue of a triangle.
    fn colour(&self, triangle: &Triangle, step: i64, [least, range]: [u32; 2]) -> [i64; 3] {
        let [a, b, c] = triangle.corners;
        let [za, zb, zc] = triangle.corners.map(|corner| self.sample(corner));
        let from_c = |[x, y]: Point| [i64::from(x - c[0]), i64::from(y - c[1])];
        let ([ax, ay], [bx, by], da, db) = (from_c(a), from_c(b), za - zc, zb - zc);
        // The normal: slopes along both legs, which have equal length.
        let normal = [-(da * ax + db * bx), -(da * ay + db * by), (ax * ax + ay * ay) * step];
        let most = normal.into_iter().map(i64::abs).max().unwrap_or(0);
        let [x, y, z] = normal.map(|part| part / (most / (1 << 20) + 1));
        let lit = (2 * z - x - y).max(0);
        let length = root_up((6 * (x * x + y * y + z * z)) as u64).max(1) as i64;
        let light = 60 + 195 * lit / length;
        let height = ((za + zb + zc) / 3 - i64::from(least)) * 255 / i64::from(range);
        let tint = [70 + height * 170 / 255, 120 + height * 110 / 255, 60 + height * 160 / 255];
        tint.map(|value| value * light / 255)
    }
}

/// Twice the signed area of an edge and a point, positive inside.
#[inline]
fn side([from, to]: [[i64; 2]; 2], [x, y]: [i64; 2]) -> i64 {
    (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0])
}

/// Writes a number of 8 bits, the most significant one first.
#[inline]
fn put_byte(row: &mut [u64], idx: usize, value: u8) {
    let (limb, place) = (idx / 8, idx % 8 * 8);
    row[limb] = row[limb] & !(0xff << place) | u64::from(value.reverse_bits()) << place;
}
