//! Grids with individually blocked transitions: the first kind of maps for Lee's wave.

use super::pacer::Pacer;
use super::random::{Chance, Purpose, Random};
use super::{GenerateOptions, check_probability, check_range};
use crate::error::{Fault, FileError};
use crate::numbers::{Field, Numbers, Shape};

/// Maximum side of a grid in cells.
pub(super) const MAX_SIDE: u64 = 1 << 20;

/// The parameters of a grid with blocked transitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blocks {
    /// Rows of cells, from 1 to 2^20.
    pub height: u64,
    /// Columns of cells, from 1 to 2^20.
    pub width: u64,
    /// The degree of impassability β: the probability, from 0 to 1, that a transition between two
    /// neighbours is blocked, independent of the others.
    pub impassable: f64,
}

/// A grid with blocked transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedGrid {
    /// A grid with the 1-bit fields `right` and `down`: 1 where the transition from the cell to its
    /// right or lower neighbour is open. Transitions across the border are 0.
    pub open: Numbers,
    /// Blocked transitions, each counted once.
    pub n_blocked: u64,
}

impl Blocks {
    /// Generates the grid. The running time is proportional to the number of cells.
    ///
    /// # Errors
    /// [`star_base::Code::BadArgument`] if a parameter is outside its range,
    /// [`star_base::Code::DoesNotFit`] if the memory exceeds the budget (16 bytes for each cell),
    /// [`star_base::Code::Interrupted`] if the progress sink stops the work.
    pub fn generate(&self, options: &mut GenerateOptions<'_>) -> Result<BlockedGrid, FileError> {
        let Blocks { height, width, impassable } = *self;
        check_sides(height, width)?;
        check_probability("impassable", impassable)?;
        let mut pacer = Pacer::new(options);
        let n_cells = height * width;
        pacer.check_budget(u128::from(n_cells) * 16)?;
        let (mut right, mut down) = (pacer.reserved(n_cells)?, pacer.reserved(n_cells)?);
        let mut random = Random::new(pacer.seed(), Purpose::Shape);
        let (chance, mut n_open) = (Chance::of(impassable), 0);
        for y in 0..height {
            for x in 0..width {
                for (field, inside) in [(&mut right, x + 1 < width), (&mut down, y + 1 < height)] {
                    let open = inside && !chance.happens(&mut random);
                    field.push(i64::from(open));
                    n_open += u64::from(open);
                }
                pacer.step()?;
            }
        }
        let field = |name: &str, values| Field::new(name, Some(1), values);
        let (shape, fields) = (
            Shape::Grid { height: height as usize, width: width as usize },
            vec![field("right", right), field("down", down)],
        );
        let n_blocked = n_transitions(height, width) - n_open;
        Ok(BlockedGrid { open: Numbers { shape, fields }, n_blocked })
    }
}

/// Rejects grids without cells and sides that are too long.
pub(super) fn check_sides(height: u64, width: u64) -> Result<(), Fault> {
    check_range("rows", height, 1, MAX_SIDE)?;
    check_range("columns", width, 1, MAX_SIDE)
}

/// Number of transitions between neighbours, each counted once.
pub(super) fn n_transitions(height: u64, width: u64) -> u64 {
    width.saturating_sub(1) * height + width * height.saturating_sub(1)
}
