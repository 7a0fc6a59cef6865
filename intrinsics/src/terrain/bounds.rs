//! The distance up to which each diamond must be split: Note [Bounds].

use multiversion::multiversion;
use rayon::prelude::*;

use super::triangle::{Point, Triangle};
use super::walk::Walk;
use crate::cbt::Node;
use crate::environment::{Ended, Environment};
use crate::reserved;

/// Never split.
pub(super) const NEVER: u32 = 0;
/// Always split.
pub(super) const ALWAYS: u32 = u32::MAX;

/// The greatest radius other than [`ALWAYS`].
const FARTHEST: u64 = 1 << 21;
/// A viewpoint coordinate so far away that only diamonds that are always split are split.
pub(super) const FAR_AWAY: i32 = 1 << 22;

/// Converts a radius, or returns [`ALWAYS`] if it is too large.
fn or_always(radius: u64) -> u32 {
    if radius > FARTHEST { ALWAYS } else { radius as u32 }
}

/// Heights and their tolerance.
#[derive(Debug)]
pub(super) struct Heights {
    /// Samples in a row.
    pub(super) width: i32,
    /// The number of rows.
    pub(super) height: i32,
    /// Row by row.
    pub(super) samples: Vec<u32>,
    /// ε, in units of heights.
    pub(super) tolerance: u32,
    /// The distance up to which ε is constant, in steps; 0 for everywhere.
    pub(super) near: u32,
}

/// The square root, rounded up.
pub(super) fn root_up(square: u64) -> u64 {
    let root = square.isqrt();
    root + u64::from(root * root < square)
}

/// The squared distance of two points.
#[inline]
pub(super) fn distance2([x, y]: Point, [x2, y2]: Point) -> u64 {
    let [dx, dy] = [i64::from(x) - i64::from(x2), i64::from(y) - i64::from(y2)];
    (dx * dx + dy * dy) as u64
}

impl Heights {
    /// Returns whether the triangle is outside.
    pub(super) fn is_outside(&self, triangle: &Triangle) -> bool {
        let [[x, y], _] = triangle.extent();
        x >= self.width - 1 || y >= self.height - 1
    }

    pub(super) fn sample(&self, [x, y]: Point) -> i64 {
        i64::from(self.samples[y as usize * self.width as usize + x as usize])
    }

    /// The greatest error of a triangle inside, rounded up to an integer: the maximum distance of
    /// the samples from its plane.
    pub(super) fn error(&self, triangle: &Triangle) -> u64 {
        let [a, b, c] = triangle.corners;
        // Twice the signed area of a point and an edge: the weight of the point for the opposite
        // corner.
        let area = |[x, y]: Point, [x2, y2]: Point, [px, py]: Point| {
            i64::from(x2 - x) * i64::from(py - y) - i64::from(y2 - y) * i64::from(px - x)
        };
        let whole = area(a, b, c);
        let edges = [[b, c], [c, a], [a, b]];
        let heights = [a, b, c].map(|corner| self.sample(corner));
        // The increase of the weights along a row: 0 or a power of two, as edges run along rows,
        // columns or diagonals.
        let steps = edges.map(|[from, to]| i64::from(from[1] - to[1]));
        let plane_step: i64 = steps.iter().zip(heights).map(|(step, z)| step * z).sum();
        let [[left, top], [right, bottom]] = triangle.extent();
        let mut worst = 0;
        for y in top..=bottom {
            let weights = edges.map(|[from, to]| area(from, to, [left, y]));
            // The samples of the row where no weight is negative.
            let (mut first, mut last) = (0, i64::from(right - left));
            for (weight, step) in weights.into_iter().zip(steps) {
                let steps = weight >> step.trailing_zeros().min(63);
                match step.signum() {
                    0 => {}
                    1 => first = first.max(-steps),
                    _ => last = last.min(steps),
                }
            }
            if first > last {
                continue;
            }
            let plane: i64 = weights.iter().zip(heights).map(|(weight, z)| weight * z).sum();
            let start = y as usize * self.width as usize + left as usize;
            let row = &self.samples[start + first as usize..=start + last as usize];
            worst = worst.max(worst_of(row, plane + first * plane_step, plane_step, whole));
        }
        worst.div_ceil(whole.unsigned_abs().max(1))
    }

    /// The radius of a triangle on its own, without nesting.
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
        // Plus one: a radius of 1 represents a point, and 0 represents never.
        or_always(reach + far + 1)
    }

    /// The radii of all inner nodes, by index: 2^D of them.
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
        // From the finest level upwards; every level is a contiguous range of indices.
        for level in (1..levels).rev() {
            let first_idx = 1_usize << level;
            let (rest, below) = radii.split_at_mut(2 * first_idx);
            let here = &mut rest[first_idx..];
            let own = |walk: &mut Walk, node: Node| {
                let triangle = walk.to(node);
                let middle = triangle.middle();
                let [first, second, apex] = triangle.corners;
                let other = [first[0] + second[0] - apex[0], first[1] + second[1] - apex[1]];
                // The children of both triangles of the diamond, and their longest edges.
                let edges = [[apex, first], [second, apex], [other, second], [first, other]];
                let children = [2 * triangle.node, 2 * triangle.node + 1];
                let others = [2 * triangle.across, 2 * triangle.across + 1];
                children.into_iter().chain(others).zip(edges).fold(
                    self.own_radius(&triangle),
                    |radius, (child, [from, to])| {
                        let has_radius = child > 1 && level + 1 < levels;
                        let inner =
                            if has_radius { below[child as usize - 2 * first_idx] } else { NEVER };
                        let reach = || {
                            let to = [from[0].midpoint(to[0]), from[1].midpoint(to[1])];
                            or_always(u64::from(inner) + root_up(distance2(middle, to)))
                        };
                        radius.max(match inner {
                            NEVER | ALWAYS => inner,
                            _ => reach(),
                        })
                    },
                )
            };
            spread(here, environment, &|first, part| {
                let mut walk = Walk::new(side);
                for (to, idx) in part.iter_mut().zip(first_idx + first..) {
                    *to = own(&mut walk, Node::decoded(idx as u32));
                }
            })?;
            // The same for both triangles of a diamond: the level above reads it.
            let alone = {
                let mut alone = reserved(here.len())?;
                alone.extend_from_slice(here);
                alone
            };
            spread(here, environment, &|first, part| {
                let mut walk = Walk::new(side);
                for (to, idx) in part.iter_mut().zip(first_idx + first..) {
                    let across = walk.to(Node::decoded(idx as u32)).across as usize;
                    if across > 0 {
                        *to = alone[idx - first_idx].max(alone[across - first_idx]);
                    }
                }
            })?;
        }
        Ok(radii)
    }
}

/// The maximum number of nodes per task of a thread.
const GRAIN: usize = 1 << 10;

/// Fills all parts, on all threads: `fill` receives the start of a part and the part.
fn spread(
    list: &mut [u32],
    environment: &dyn Environment,
    fill: &(dyn Fn(usize, &mut [u32]) + Sync),
) -> Result<(), Ended> {
    // There are few large triangles.
    let grain = (list.len() / 64).clamp(1, GRAIN);
    let fill = |(idx, part): (usize, &mut [u32])| {
        fill(idx * grain, part);
        environment.poll()
    };
    if environment.threads() == 1 {
        return list.chunks_mut(grain).enumerate().try_for_each(fill);
    }
    list.par_chunks_mut(grain).enumerate().try_for_each(fill)
}

/// The greatest distance of samples from a plane, times `whole`: the distance starts at `plane` and
/// grows by `step`.
#[multiversion(targets(
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn worst_of(row: &[u32], plane: i64, step: i64, whole: i64) -> u64 {
    let (mut worst, mut plane) = (0, plane);
    for &sample in row {
        worst = worst.max((plane - whole * i64::from(sample)).unsigned_abs());
        plane += step;
    }
    worst
}
