//! The mesh of a terrain, which follows a viewpoint.

use std::fmt;

use star_base::BitTable;

use super::bounds::{ALWAYS, FAR_AWAY, Heights, NEVER, distance2};
use super::triangle::{Point, Triangle};
use crate::cbt::{Change, Depth, Leaf, Node, Tree, TreeError};
use crate::environment::{Ended, Environment, InterruptPoller, install};
use crate::numbers::write_numbers;
use crate::reserved;
use crate::state::{Lines, NativeState, StateTable};

/// A terrain and its mesh.
#[derive(Debug)]
pub struct Mesh {
    heights: Heights,
    /// Bits of a height.
    height_bits: usize,
    side: i32,
    /// The radii of the inner nodes, by their indices.
    radii: Vec<u32>,
    tree: Tree,
}

/// What is wrong with a grid of heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshError {
    /// Not two samples at least in each direction, or more than 2^14 + 1.
    Size {
        /// Samples in a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The run has to end, or there is no memory.
    Ended(Ended),
    /// There is no tree.
    Tree(TreeError),
}

impl Mesh {
    /// Most steps of a side: a tree has 30 levels at most.
    pub const MAX_SIDE: usize = 1 << 14;
    /// Greatest coordinate of a viewpoint, and of its negative.
    pub const FAR_AWAY: i32 = FAR_AWAY;
    /// Bits of a radius in a table.
    pub const RADIUS_BITS: usize = 32;

    /// log2 of the side of the square that a grid lies in.
    ///
    /// # Errors
    /// [`MeshError::Size`] if the grid is too small or too large.
    pub fn side_log2(width: usize, height: usize) -> Result<u32, MeshError> {
        if width.min(height) < 2 || width.max(height) - 1 > Mesh::MAX_SIDE {
            return Err(MeshError::Size { width, height });
        }
        Ok((width.max(height) - 1).next_power_of_two().trailing_zeros())
    }

    /// Bytes of the mesh of a grid, and those taken beside while it is made.
    pub fn most_bytes(width: usize, height: usize) -> u64 {
        let levels = Mesh::side_log2(width, height).map_or(1, |log| 2 * log + 1);
        let depth = Depth::new(i64::from(levels)).unwrap_or(Depth::MAX);
        // Radii, and those of a level again.
        4 * (width as u64 * height as u64) + 6 * depth.n_bits() as u64 + Tree::most_bytes(depth)
    }

    /// The mesh of a grid of heights, row by row, for a viewpoint that is far away. `tolerance` is ε in units of heights, and holds
    /// up to the distance `near` in steps from the viewpoint, or everywhere if `near` is 0.
    ///
    /// # Errors
    /// [`MeshError`].
    ///
    /// # Panics
    /// If there are not width · height samples.
    pub fn new(
        [width, height]: [usize; 2],
        samples: Vec<u32>,
        height_bits: usize,
        [tolerance, near]: [u32; 2],
        environment: &dyn Environment,
    ) -> Result<Mesh, MeshError> {
        let log2 = Mesh::side_log2(width, height)?;
        assert_eq!(samples.len(), width * height, "samples of a grid");
        let (side, levels) = (1_i32 << log2, 2 * log2 + 1);
        let heights =
            Heights { width: width as i32, height: height as i32, samples, tolerance, near };
        let tree = Tree::at_level(Depth::new(i64::from(levels))?, 1)?;
        let radii = install(environment, || heights.radii(levels, side, environment))?;
        let mut mesh = Mesh { heights, height_bits, side, radii, tree };
        while mesh.step([FAR_AWAY, 0], environment)? != [0; 2] {}
        Ok(mesh)
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Has the diamond to be split, seen from there?
    fn is_coarse(&self, triangle: &Triangle, viewpoint: Point) -> bool {
        match self.radii.get(triangle.node as usize).copied() {
            None | Some(NEVER) => false,
            Some(ALWAYS) => true,
            Some(radius) => {
                distance2(triangle.middle(), viewpoint) < u64::from(radius) * u64::from(radius)
            }
        }
    }

    fn is_leaf(&self, index: u32) -> bool {
        let node = self.tree.depth().node(u64::from(index));
        node.is_some_and(|node| self.tree.was_leaf(node))
    }

    /// What is to become of a leaf: both triangles of a diamond decide alike.
    fn decide(&self, node: Node, viewpoint: Point) -> Change {
        let triangle = Triangle::of(node, self.side);
        if self.is_coarse(&triangle, viewpoint) {
            // Its neighbour is coarser still, and splits first.
            let waits = triangle.across > 0 && !self.is_leaf(triangle.across);
            return if waits { Change::Keep } else { Change::Split };
        }
        let Some(parent) = node.parent().filter(|parent| parent.index() > 1) else {
            return Change::Keep;
        };
        let parent = Triangle::of(parent, self.side);
        let merges = || {
            let diamond = [parent.node, parent.across].into_iter().filter(|&node| node > 0);
            diamond.flat_map(|node| [2 * node, 2 * node + 1]).all(|child| self.is_leaf(child))
        };
        if !self.is_coarse(&parent, viewpoint) && merges() { Change::Merge } else { Change::Keep }
    }

    /// One batch of splits and merges towards the mesh for a viewpoint, in steps; how many leaves were split, and how many
    /// pairs merged. The mesh is the one for the viewpoint when there are none any more.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run has to end.
    pub fn step(
        &mut self,
        viewpoint: Point,
        environment: &dyn Environment,
    ) -> Result<[usize; 2], Ended> {
        let changed =
            self.tree.update(&|leaf: Leaf| self.decide(leaf.node, viewpoint), environment)?;
        self.tree.reduce(environment)?;
        Ok(changed)
    }

    /// The triangles of the mesh from left to right in the tree, those outside the grid left out.
    ///
    /// # Errors
    /// If the run has to end, or the system refuses the memory.
    pub fn triangles(&self, environment: &dyn Environment) -> Result<Vec<Triangle>, Ended> {
        let n = self.tree.count();
        let (mut indices, mut levels) = (reserved(n)?, reserved(n)?);
        indices.resize(n, 0);
        levels.resize(n, 0);
        self.tree.decode(&mut indices, &mut levels, environment)?;
        let mut poller = InterruptPoller::new(environment);
        let mut triangles = reserved(n)?;
        for index in indices {
            poller.spend(levels.len().ilog2() as usize)?;
            let Some(node) = self.tree.depth().node(u64::from(index)) else { continue };
            let triangle = Triangle::of(node, self.side);
            if !self.heights.is_outside(&triangle) {
                triangles.push(triangle);
            }
        }
        Ok(triangles)
    }

    /// Numbers of the samples at the corners of triangles, from 1, corner by corner.
    pub fn corner_numbers(&self, triangles: &[Triangle], corner: usize) -> Vec<u32> {
        let number = |[x, y]: Point| (y * self.heights.width + x) as u32 + 1;
        triangles.iter().map(|triangle| number(triangle.corners[corner])).collect()
    }

    /// The heights, row by row.
    pub fn samples(&self) -> &[u32] {
        &self.heights.samples
    }

    pub(super) fn sample(&self, point: Point) -> i64 {
        self.heights.sample(point)
    }

    /// Samples in a row, and rows.
    pub fn size(&self) -> [usize; 2] {
        [self.heights.width as usize, self.heights.height as usize]
    }
}

impl NativeState for Mesh {
    fn n_bytes(&self) -> u64 {
        4 * (self.heights.samples.len() + self.radii.len()) as u64
            + NativeState::n_bytes(&self.tree)
    }

    fn tables(&self) -> Vec<StateTable> {
        let table =
            |name, n_rows, n_cols| StateTable { name, n_rows, n_cols, lines: Lines::Columns };
        vec![
            table("field", self.tree.depth().n_bits(), 1),
            table("radius", self.radii.len(), Mesh::RADIUS_BITS),
            table("heights", self.heights.samples.len(), self.height_bits),
            table("width", 1, Mesh::RADIUS_BITS),
        ]
    }

    fn write(
        &self,
        idx: usize,
        lines: &mut BitTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let mut poller = InterruptPoller::new(environment);
        match idx {
            0 => {
                lines.column_limbs_mut(0).copy_from_slice(self.tree.bits());
                poller.spend(self.tree.bits().len())
            }
            1 => write_numbers(lines, 0, Mesh::RADIUS_BITS, &self.radii, &mut poller),
            2 => write_numbers(lines, 0, self.height_bits, &self.heights.samples, &mut poller),
            3 => write_numbers(
                lines,
                0,
                Mesh::RADIUS_BITS,
                &[self.heights.width as u32],
                &mut poller,
            ),
            4.. => Err(StateTable::MISSING),
        }
    }
}

impl From<Ended> for MeshError {
    fn from(ended: Ended) -> Self {
        MeshError::Ended(ended)
    }
}

impl From<TreeError> for MeshError {
    fn from(error: TreeError) -> Self {
        MeshError::Tree(error)
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeshError::Size { width, height } => write!(
                f,
                "a grid of {width} × {height} samples: a mesh takes 2 to {} in each direction",
                Mesh::MAX_SIDE + 1
            ),
            MeshError::Ended(_) => f.write_str("the mesh was not finished"),
            MeshError::Tree(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MeshError {}
