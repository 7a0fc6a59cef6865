//! From how far away each diamond has to be split: Note [Bounds].

use rayon::prelude::*;

use super::triangle::{Point, Triangle};
use crate::environment::{Ended, Environment};
use crate::reserved;

/// Never split.
pub(super) const NEVER: u32 = 0;
/// Split always.
pub(super) const ALWAYS: u32 = u32::MAX;

/// The greatest radius that is not [`ALWAYS`].
const FARTHEST: u64 = 1 << 21;
/// A coordinate of a viewpoint from which only what is always split is.
pub(super) const FAR_AWAY: i32 = 1 << 22;

/// A radius, or that it is too great to be one.
fn or_always(radius: u64) -> u32 {
    if radius > FARTHEST { ALWAYS } else { radius as u32 }
}

/// Heights, and what is tolerated.
#[derive(Debug)]
pub(super) struct Heights {
    /// Samples in a row.
    pub(super) width: i32,
    /// Rows.
    pub(super) height: i32,
    /// Row by row.
    pub(super) samples: Vec<u32>,
    /// ε, in units of heights.
    pub(super) tolerance: u32,
    /// Up to which distance it stays so, in steps; 0 for everywhere.
    pub(super) near: u32,
}

/// The least whole number whose square is not less.
pub(super) fn root_up(square: u64) -> u64 {
    let root = square.isqrt();
    root + u64::from(root * root < square)
}

/// The square of the distance of two points.
#[inline]
pub(super) fn distance2([x, y]: Point, [x2, y2]: Point) -> u64 {
    let [dx, dy] = [i64::from(x) - i64::from(x2), i64::from(y) - i64::from(y2)];
    (dx * dx + dy * dy) as u64
}

impl Heights {
    /// Does the triangle lie outside?
    pub(super) fn is_outside(&self, triangle: &Triangle) -> bool {
        let [[x, y], _] = triangle.extent();
        x >= self.width - 1 || y >= self.height - 1
    }

    pub(super) fn sample(&self, [x, y]: Point) -> i64 {
        i64::from(self.samples[y as usize * self.width as usize + x as usize])
    }

    /// The greatest error of a triangle inside, rounded up to a whole number: how far the samples are from its plane.
    pub(super) fn error(&self, triangle: &Triangle) -> u64 {
        let [a, b, c] = triangle.corners;
        // Twice the signed area that a point has with an edge: the point's weight for the other corner.
        let area = |[x, y]: Point, [x2, y2]: Point, [px, py]: Point| {
            i64::from(x2 - x) * i64::from(py - y) - i64::from(y2 - y) * i64::from(px - x)
        };
        let whole = area(a, b, c);
        let heights = [a, b, c].map(|corner| self.sample(corner));
        let [[left, top], [right, bottom]] = triangle.extent();
        let mut worst = 0;
        for y in top..=bottom {
            for x in left..=right {
                let point = [x, y];
                let weights = [area(b, c, point), area(c, a, point), area(a, b, point)];
                if weights.iter().any(|&weight| weight < 0) {
                    continue;
                }
                let plane: i64 = weights.iter().zip(heights).map(|(weight, z)| weight * z).sum();
                worst = worst.max((plane - whole * self.sample(point)).unsigned_abs());
            }
        }
        worst.div_ceil(whole.unsigned_abs().max(1))
    }

    /// The radius of a triangle by itself.
    fn own_radius(&self, triangle: &Triangle) -> u32 {
        if self.is_outside(triangle) {
            return NEVER;
        }
        let [_, [right, bottom]] = triangle.extent();
        if right >= self.width || bottom >= self.height {
            return ALWAYS;
        }
        let error = self.error(triangle);
        if error <= u64::from(self.tolerance) {
            return NEVER;
        }
        if self.near == 0 || self.tolerance == 0 {
            return ALWAYS;
        }
        let reach = (u64::from(self.near) * error).div_ceil(u64::from(self.tolerance));
        let middle = triangle.middle();
        let far = triangle.corners.map(|corner| distance2(middle, corner));
        let far = root_up(far.into_iter().max().unwrap_or(0));
        // One more: a radius of 1 is that of a point, and 0 says never.
        or_always(reach + far + 1)
    }

    /// The radii of all inner nodes, by their indices: 2^D of them.
    pub(super) fn radii(
        &self,
        levels: u32,
        side: i32,
        environment: &dyn Environment,
    ) -> Result<Vec<u32>, Ended> {
        let mut radii = reserved(1 << levels)?;
        radii.resize(1 << levels, NEVER);
        if let Some(root) = radii.get_mut(1) {
            *root = ALWAYS;
        }
        // From the finest level upwards; every level is a run of indices.
        for level in (1..levels).rev() {
            let first = 1_usize << level;
            let (rest, below) = radii.split_at_mut(2 * first);
            let here = &mut rest[first..];
            let own = |idx: usize| {
                let triangle = walk((first + idx) as u32, level, side);
                let middle = triangle.middle();
                let own = self.own_radius(&triangle);
                // The children of both triangles of the diamond.
                [triangle.node, triangle.across].into_iter().filter(|&node| node > 0).fold(
                    own,
                    |radius, node| {
                        let children = [2 * node, 2 * node + 1];
                        children.into_iter().fold(radius, |radius, child| {
                            let inner =
                                below.get(child as usize - 2 * first).copied().unwrap_or(NEVER);
                            let reach = || {
                                let to = walk(child, level + 1, side).middle();
                                u64::from(inner) + root_up(distance2(middle, to))
                            };
                            radius.max(match inner {
                                NEVER | ALWAYS => inner,
                                _ => or_always(reach()),
                            })
                        })
                    },
                )
            };
            let fill = |(chunk, part): (usize, &mut [u32])| {
                part.iter_mut().enumerate().for_each(|(idx, to)| *to = own(chunk * GRAIN + idx));
                environment.poll()
            };
            if environment.threads() == 1 {
                here.chunks_mut(GRAIN).enumerate().try_for_each(fill)?;
            } else {
                here.par_chunks_mut(GRAIN).enumerate().try_for_each(fill)?;
            }
            // The same for both triangles of a diamond: a level above reads it.
            let alone = {
                let mut alone = reserved(here.len())?;
                alone.extend_from_slice(here);
                alone
            };
            let join = |(idx, to): (usize, &mut u32)| {
                let across = walk((first + idx) as u32, level, side).across as usize;
                if across > 0 {
                    *to = alone[idx].max(alone[across - first]);
                }
            };
            if environment.threads() == 1 {
                here.iter_mut().enumerate().for_each(join);
            } else {
                here.par_iter_mut().enumerate().for_each(join);
            }
            environment.poll()?;
        }
        Ok(radii)
    }
}

/// Nodes that a thread takes at once.
const GRAIN: usize = 64;

/// The triangle of an index of a level.
fn walk(index: u32, level: u32, side: i32) -> Triangle {
    let half = Triangle::half(index >> (level - 1), side);
    (0..level - 1)
        .rev()
        .fold(half, |triangle, place| triangle.children()[(index >> place & 1) as usize])
}
