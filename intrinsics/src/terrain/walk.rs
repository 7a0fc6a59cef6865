//! The triangles of nodes in order, each found from the previous one.

use super::triangle::{Side, Triangle};
use crate::cbt::Node;

/// The maximum number of levels below the root.
const LEVELS: usize = 30;

/// The current position: the triangles on the path from a half of the square to a node. Advancing
/// to the next leaf of a tree takes two steps on average.
pub(super) struct Walk {
    side: i32,
    /// The triangle of each level on the path, from level 1.
    way: [Triangle; LEVELS],
    /// The node.
    at: u32,
}

impl Walk {
    /// Begins at the first half of a square with the given number of steps per side.
    pub(super) fn new(side: i32) -> Walk {
        Walk { side, way: [Triangle::half(2, side); LEVELS], at: 2 }
    }

    /// The triangle of a node below the root.
    #[inline]
    pub(super) fn to(&mut self, node: Node) -> Triangle {
        let (node, level) = (node.index(), node.level());
        let level_at = self.at.ilog2();
        // The last common level of both paths.
        let common = level.min(level_at);
        let differ = (node >> (level - common)) ^ (self.at >> (level_at - common));
        let shared = common - (u32::BITS - differ.leading_zeros());
        let mut triangle = match shared {
            0 => Triangle::half(node >> (level - 1), self.side),
            _ => self.way[shared as usize - 1],
        };
        for deeper in shared.max(1)..level {
            self.way[deeper as usize - 1] = triangle;
            let side = if node >> (level - deeper - 1) & 1 == 0 { Side::Left } else { Side::Right };
            triangle = triangle.half_of(side);
        }
        self.way[level as usize - 1] = triangle;
        self.at = node;
        triangle
    }

    /// The parent of the current triangle, if there is one.
    pub(super) fn parent(&self) -> Option<&Triangle> {
        (self.at > 3).then(|| &self.way[self.at.ilog2() as usize - 2])
    }
}
