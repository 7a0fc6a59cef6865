//! Meshes of a grid of heights: longest-edge bisection to an error bound, with a concurrent binary tree.
//!
//! The grid lies in a square of 2^m steps, its first sample in a corner. Node 1 of a tree of depth 2m+1 is the square;
//! its children 2 and 3 are the halves on both sides of a diagonal; a split cuts a triangle from its right angle to the
//! middle of its longest edge. So every vertex is a sample, a triangle of level D has legs of one step, and a triangle of
//! any level has one neighbour of its level across its longest edge: both together are a *diamond*, and are split
//! and merged together. Then no vertex lies inside an edge: the mesh is conforming, after every batch.
//!
//! Note [Bounds]. A diamond has to be split if the planes of its triangles miss a sample by more than is tolerated there,
//! or if one of them reaches beyond the grid and into it. What is tolerated at a sample is ε up to the distance `near` from
//! the viewpoint, and ε · distance / near behind it. So the diamond has to be split as long as the viewpoint is within
//! some *radius* of its middle, or always, or never. Radii are made to contain each other, from the leaves to the root:
//! whoever splits a diamond has split those above it, and each leaf decides by itself. All is decided in whole numbers.
//!
//! Note [Slack]. When the viewpoint has moved by less than what a distance is off a radius, the answer is the same. So a
//! leaf that need not change is not asked again until the viewpoint has travelled so far, and a frame looks at the leaves
//! alone at which something may happen, and at those that just came to be.
//!
//! Triangles outside the grid are never split and not shown; along the grid's far sides, unless these are 2^m
//! steps long, the mesh is as fine as the samples.
//!
//! Source: Dupuy 2020, "Concurrent binary trees (with application to longest edge bisection)"; Lindstrom, Pascucci 2002,
//! "Terrain simplification simplified", for bounds that contain each other.

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
