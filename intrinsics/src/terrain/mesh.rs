//! The mesh of a terrain, adapted to a viewpoint.

use std::fmt;

use super::bounds::{ALWAYS, FAR_AWAY, Heights, NEVER, distance2, root_up};
use super::size::GridSize;
use super::triangle::{Point, Triangle};
use super::walk::Walk;
use crate::cbt::{Leaf, Node, Tree, TreeError, Verdict, Watch};
use crate::environment::{Ended, Environment, InterruptPoller, install};
use crate::reserved;

/// A terrain and its mesh.
#[derive(Debug)]
pub struct Mesh {
    pub(super) heights: Heights,
    size: GridSize,
    /// The width of a height.
    pub(super) height_bits: usize,
    /// The radii of the inner nodes, by index.
    pub(super) radii: Vec<u32>,
    tree: Tree,
    /// The travelled distance at which leaves must be judged again.
    watch: Watch,
    viewpoint: Point,
    /// The travelled distance of the viewpoint, in units of slack, plus one.
    travelled: u64,
}

/// Units of slack in a step.
const SLACK_UNIT: u64 = 16;

/// Errors in a grid of heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshError {
    /// Fewer than two samples in a direction, or more than 2^14 + 1.
    Size {
        /// Samples in a row.
        width: usize,
        /// The number of rows.
        height: usize,
    },
    /// The run was interrupted or memory allocation failed.
    Ended(Ended),
    /// The tree could not be created.
    Tree(TreeError),
}

impl Mesh {
    /// The greatest coordinate of a viewpoint; its negative is the smallest.
    pub const FAR_AWAY: i32 = FAR_AWAY;
    /// The width of a radius in a table.
    pub const RADIUS_BITS: usize = 32;

    /// The mesh of a grid of heights, row by row, for a viewpoint that is far away. `tolerance` is
    /// ε in units of heights; it holds up to the distance `near` in steps from the viewpoint, or
    /// everywhere if `near` is 0.
    ///
    /// # Errors
    /// [`MeshError::Ended`]; [`MeshError::Tree`] if memory allocation fails.
    ///
    /// # Panics
    /// If the number of samples does not match the size.
    pub fn new(
        size: GridSize,
        samples: Vec<u32>,
        height_bits: usize,
        [tolerance, near]: [u32; 2],
        environment: &dyn Environment,
    ) -> Result<Mesh, MeshError> {
        assert_eq!(samples.len(), size.n_samples(), "samples of a grid");
        let (width, height) = (size.width() as i32, size.height() as i32);
        let heights = Heights { width, height, samples, tolerance, near };
        let tree = Tree::at_level(size.depth(), 1)?;
        let watch = Watch::new(&tree)?;
        let levels = size.depth().levels();
        let radii = install(environment, || heights.radii(levels, size.side(), environment))?;
        let (viewpoint, travelled) = ([FAR_AWAY, 0], 1);
        let mut mesh =
            Mesh { heights, size, height_bits, radii, tree, watch, viewpoint, travelled };
        while mesh.step(viewpoint, environment)? != [0; 2] {}
        Ok(mesh)
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Samples in a row, and number of rows.
    pub fn size(&self) -> GridSize {
        self.size
    }

    /// Applies one batch of splits and merges towards the mesh for a viewpoint, in steps; returns
    /// how many leaves were split and how many pairs were merged. When both are zero, the mesh is
    /// the one for the viewpoint.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted.
    pub fn step(
        &mut self,
        viewpoint: Point,
        environment: &dyn Environment,
    ) -> Result<[usize; 2], Ended> {
        self.travelled += root_up(distance2(self.viewpoint, viewpoint) * SLACK_UNIT * SLACK_UNIT);
        self.viewpoint = viewpoint;
        let Mesh { heights: _, size, height_bits: _, radii, tree, watch, viewpoint, travelled } =
            self;
        let view = View { radii, viewpoint: *viewpoint, now: *travelled };
        let judge = || {
            let mut walk = Walk::new(size.side());
            move |tree: &Tree, leaf: Leaf| view.judge(leaf, tree, &mut walk)
        };
        tree.cycle_due(watch, *travelled, &judge, environment)
    }

    /// Bytes that [`Mesh::triangles`] and [`Mesh::corner_numbers`] need together.
    pub fn triangle_bytes(&self) -> u64 {
        // Index, level, triangle, number.
        (4 + 1 + size_of::<Triangle>() as u64 + 4) * self.tree.count() as u64
    }

    /// The triangles of the mesh from left to right in the tree, without those outside the grid.
    ///
    /// # Errors
    /// If the run is interrupted or memory allocation fails.
    pub fn triangles(&self, environment: &dyn Environment) -> Result<Vec<Triangle>, Ended> {
        let n = self.tree.count();
        let (mut indices, mut levels) = (reserved(n)?, reserved(n)?);
        indices.resize(n, 0);
        levels.resize(n, 0);
        self.tree.decode(&mut indices, &mut levels, environment)?;
        let mut poller = InterruptPoller::new(environment);
        let mut triangles = reserved(n)?;
        let mut walk = Walk::new(self.size.side());
        for index in indices {
            poller.spend(size_of::<Triangle>() / 8)?;
            let triangle = walk.to(Node::decoded(index));
            if !self.heights.is_outside(&triangle) {
                triangles.push(triangle);
            }
        }
        Ok(triangles)
    }

    /// The numbers of the samples at one corner, 0 to 2, of each triangle: rows of the table of
    /// heights, from 1.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn corner_numbers(&self, triangles: &[Triangle], corner: usize) -> Result<Vec<u32>, Ended> {
        let number = |[x, y]: Point| (y * self.heights.width + x) as u32 + 1;
        let mut numbers = reserved(triangles.len())?;
        numbers.extend(triangles.iter().map(|triangle| number(triangle.corners[corner])));
        Ok(numbers)
    }

    /// The heights, row by row.
    pub fn samples(&self) -> &[u32] {
        &self.heights.samples
    }

    pub(super) fn sample(&self, point: Point) -> i64 {
        self.heights.sample(point)
    }
}

/// The data by which leaves are judged: Note [Slack].
#[derive(Clone, Copy)]
struct View<'a> {
    radii: &'a [u32],
    viewpoint: Point,
    /// The travelled distance of the viewpoint.
    now: u64,
}

/// Whether a diamond must be split.
enum Sight {
    /// It must be split.
    Coarse {
        /// A lower bound on the travelled distance at which this may change.
        until: u64,
    },
    /// It need not be split.
    Fine {
        /// A lower bound on the travelled distance at which this may change.
        until: u64,
    },
}

impl View<'_> {
    /// Returns whether the diamond must be split for this viewpoint.
    #[inline]
    fn look(&self, triangle: &Triangle) -> Sight {
        // Nothing is below level D.
        let radius = self.radii.get(triangle.node as usize).copied().unwrap_or(NEVER);
        let until = |slack: u64| self.now + slack;
        match radius {
            NEVER => Sight::Fine { until: u64::MAX },
            ALWAYS => Sight::Coarse { until: u64::MAX },
            _ => {
                let square = distance2(triangle.middle(), self.viewpoint);
                let radius = u64::from(radius);
                // Exact within one unit; the slack is reduced by two.
                let distance = ((square as f64).sqrt() * SLACK_UNIT as f64) as u64;
                let reach = radius * SLACK_UNIT;
                if square < radius * radius {
                    Sight::Coarse { until: until(reach.saturating_sub(distance + 2)) }
                } else {
                    Sight::Fine { until: until(distance.saturating_sub(reach + 2)) }
                }
            }
        }
    }

    /// The verdict on a leaf: both triangles of a diamond get the same.
    fn judge(&self, leaf: Leaf, tree: &Tree, walk: &mut Walk) -> Verdict {
        let is_leaf = |index: u32| tree.was_leaf(Node::decoded(index));
        let triangle = walk.to(leaf.node);
        let own = match self.look(&triangle) {
            // The neighbour is coarser and must be split first.
            Sight::Coarse { .. } if triangle.across > 0 && !is_leaf(triangle.across) => {
                return Verdict::Wait;
            }
            Sight::Coarse { .. } => return Verdict::Split,
            Sight::Fine { until } => until,
        };
        let Some(parent) = walk.parent() else { return Verdict::KeepUntil(own) };
        match self.look(parent) {
            Sight::Coarse { until } => Verdict::KeepUntil(own.min(until)),
            Sight::Fine { .. } => {
                let diamond = [parent.node, parent.across].into_iter().filter(|&node| node > 0);
                match diamond.flat_map(|node| [2 * node, 2 * node + 1]).all(is_leaf) {
                    true => Verdict::Merge,
                    false => Verdict::Wait,
                }
            }
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
                "a grid of {width} × {height} samples: a mesh must have 2 to {} in each direction",
                GridSize::MAX_SIDE + 1
            ),
            MeshError::Ended(_) => f.write_str("the mesh is incomplete"),
            MeshError::Tree(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MeshError {}
