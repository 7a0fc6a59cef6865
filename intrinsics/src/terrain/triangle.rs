//! The triangle of a node, and its neighbours.

/// A sample: column and row, from 0.
pub type Point = [i32; 2];

/// The triangle of a node, and the nodes of its level across its edges; 0 at the border of the
/// square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangle {
    /// Both ends of the longest edge, and the right angle; the triangle is on the left of each
    /// edge, with the second coordinate upwards.
    pub corners: [Point; 3],
    /// The heap index.
    pub node: u32,
    /// Across the longest edge: the other triangle of the diamond.
    pub across: u32,
    /// Across the edge from the right angle to the first corner.
    pub left: u32,
    /// Across the edge from the second corner to the right angle.
    pub right: u32,
}

/// One of the halves of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// At the first corner.
    Left,
    /// At the second corner.
    Right,
}

impl Triangle {
    /// A half of the square: node 2 or 3.
    pub fn half(node: u32, side: i32) -> Triangle {
        let (first, second) = ([side, 0], [0, side]);
        let corners = match node {
            2 => [first, second, [0, 0]],
            _ => [second, first, [side, side]],
        };
        Triangle { corners, node, across: node ^ 1, left: 0, right: 0 }
    }

    /// The middle of the longest edge, where a split puts a vertex.
    #[inline]
    pub fn middle(&self) -> Point {
        let [[x, y], [x2, y2], _] = self.corners;
        [x.midpoint(x2), y.midpoint(y2)]
    }

    /// The left or the right half. The four triangles of a split diamond meet in its middle, each a
    /// neighbour of the next; across its longest edge, a half has a half of the parent's neighbour
    /// there.
    #[inline]
    pub fn half_of(&self, side: Side) -> Triangle {
        let Triangle { corners: [first, second, apex], node, across, left, right } = *self;
        let middle = self.middle();
        let child = |of: u32, bit: u32| 2 * of + (bit & u32::from(of > 0));
        match side {
            Side::Left => Triangle {
                corners: [apex, first, middle],
                node: 2 * node,
                across: child(left, 1),
                left: 2 * node + 1,
                right: child(across, 1),
            },
            Side::Right => Triangle {
                corners: [second, apex, middle],
                node: 2 * node + 1,
                across: child(right, 0),
                left: child(across, 0),
                right: 2 * node,
            },
        }
    }

    /// The smallest and the greatest coordinates.
    pub fn extent(&self) -> [Point; 2] {
        let [[a, b], [c, d], [e, f]] = self.corners;
        [[a.min(c).min(e), b.min(d).min(f)], [a.max(c).max(e), b.max(d).max(f)]]
    }
}
