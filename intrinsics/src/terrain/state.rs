//! A mesh in a handle.

use star_value::BitTable;

use super::mesh::Mesh;
use super::size::GridSize;
use crate::cbt::{Tree, Watch};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::numbers::write_numbers;
use crate::state::{IntrinsicState, LineOrder, StateTable};

impl Mesh {
    /// Bytes that a mesh needs together with the tables that it represents, and while it is built.
    pub fn most_bytes(size: GridSize, height_bits: usize) -> u64 {
        let tables =
            Mesh::tables_of(size, height_bits).iter().map(StateTable::n_bytes).sum::<u64>();
        // The radii of a level twice.
        Mesh::own_bytes(size) + tables + 2 * size.depth().n_bits() as u64
    }

    fn own_bytes(size: GridSize) -> u64 {
        let depth = size.depth();
        4 * (size.n_samples() + depth.n_bits()) as u64
            + Tree::most_bytes(depth)
            + Watch::n_bytes(depth)
    }

    fn tables_of(size: GridSize, height_bits: usize) -> [StateTable; 4] {
        let table =
            |name, n_rows, n_cols| StateTable { name, n_rows, n_cols, lines: LineOrder::Columns };
        let n_bits = size.depth().n_bits();
        [
            table("field", n_bits, 1),
            table("radius", n_bits, Mesh::RADIUS_BITS),
            table("heights", size.n_samples(), height_bits),
            table("width", 1, Mesh::RADIUS_BITS),
        ]
    }
}

impl IntrinsicState for Mesh {
    fn n_bytes(&self) -> u64 {
        Mesh::own_bytes(self.size())
    }

    fn tables(&self) -> Vec<StateTable> {
        Mesh::tables_of(self.size(), self.height_bits).to_vec()
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
                lines.column_limbs_mut(0).copy_from_slice(self.tree().bits());
                poller.spend(self.tree().bits().len())
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
