//! Meshes of a grid of heights: longest-edge bisection to an error bound, with a concurrent binary
//! tree.
//!
//! The grid is placed in a square of 2^m steps, with its first sample in a corner. Node 1 of a tree
//! of depth 2m+1 is the square; its children 2 and 3 are the halves on both sides of a diagonal; a
//! split cuts a triangle from its right angle to the middle of its longest edge. So every vertex is
//! a sample, a triangle of level D has legs of one step, and a triangle of any level has one
//! neighbour of its level across its longest edge: both together are a *diamond*, and are split and
//! merged together. Then no vertex is inside an edge: the mesh is conforming after every batch.
//!
//! Note [Bounds]. A diamond must be split if the planes of its triangles miss a sample by more than
//! the tolerance there, or if one of them overlaps the border of the grid. The tolerance at a
//! sample is ε up to the distance `near` from the viewpoint, and ε · distance / near beyond it. So
//! the diamond must be split as long as the viewpoint is within some *radius* of its middle, or
//! always, or never. Radii are made nested, from the leaves to the root: if a diamond must be
//! split, so must those above it, and each leaf decides independently. All computation uses
//! integers.
//!
//! Note [Slack]. As long as the viewpoint has moved by less than the difference between distance
//! and radius, the decision is the same. So a leaf that need not change is not judged again until
//! the viewpoint has travelled this far, and a frame visits only leaves that may change and those
//! that were just created.
//!
//! Triangles outside the grid are never split and not shown; along the far sides of the grid,
//! unless these are 2^m steps long, the mesh is as fine as the samples.
//!
//! Source: Dupuy 2020, "Concurrent binary trees (with application to longest edge bisection)";
//! Lindstrom, Pascucci 2002, "Terrain simplification simplified", for nested bounds.

mod bounds;
mod mesh;
mod picture;
mod size;
mod state;
mod triangle;
mod walk;

pub use mesh::{Mesh, MeshError};
pub use picture::PIXEL_BITS;
pub use size::GridSize;
pub use triangle::{Point, Side, Triangle};

#[cfg(test)]
mod tests;
