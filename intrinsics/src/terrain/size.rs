//! The size of a grid, and the square and the tree that contain it.

use super::mesh::MeshError;
use crate::cbt::Depth;

/// The size of a grid of samples for a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSize {
    width: usize,
    height: usize,
    depth: Depth,
}

impl GridSize {
    /// The maximum number of steps of a side: a tree has at most 30 levels.
    pub const MAX_SIDE: usize = 1 << 14;

    /// A grid with `width` samples in a row and `height` rows.
    ///
    /// # Errors
    /// [`MeshError::Size`] unless each is 2 to 2^14 + 1.
    pub fn new([width, height]: [usize; 2]) -> Result<GridSize, MeshError> {
        if width.min(height) < 2 || width.max(height) - 1 > GridSize::MAX_SIDE {
            return Err(MeshError::Size { width, height });
        }
        let side_log2 = (width.max(height) - 1).next_power_of_two().ilog2();
        let depth = Depth::new(i64::from(2 * side_log2 + 1))?;
        Ok(GridSize { width, height, depth })
    }

    /// Samples in a row.
    pub fn width(self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn height(self) -> usize {
        self.height
    }

    /// The number of samples.
    pub fn n_samples(self) -> usize {
        self.width * self.height
    }

    /// The depth of the tree: two levels for each halving of the sides, and one for the diagonal.
    pub fn depth(self) -> Depth {
        self.depth
    }

    /// The number of steps of a side of the square.
    pub(super) fn side(self) -> i32 {
        1 << (self.depth.levels() / 2)
    }
}
