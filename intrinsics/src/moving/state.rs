//! Moving objects in a handle.
//!
//! Object i of n has id i in the index. The tables are those of a Star body: coordinates, which are
//! zero where no object is present, and presence flags.

use star_value::BitTable;

use super::index::MovingIndex;
use super::{AnswerHash, Point, Update};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::numbers::write_numbers_from;
use crate::state::{IntrinsicState, LineOrder, StateTable};

/// Rows that are written at once; a multiple of the limb width.
const ROWS: usize = 1024;

/// A fixed number of objects, some of which are present, and the width of their coordinates.
#[derive(Debug)]
pub struct Movers {
    n: u32,
    bits: u32,
    index: MovingIndex,
}

impl Movers {
    /// The tables that Star bodies use: first and second coordinates, and which objects are
    /// present.
    pub const PARTS: [&str; 3] = ["x", "y", "there"];
    /// The maximum width of a coordinate.
    pub const MOST_BITS: u32 = 30;

    /// Objects 1 to `n`, all absent; `None` if the width of coordinates is zero or more than
    /// [`Movers::MOST_BITS`].
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn new(n: u32, bits: u32) -> Result<Option<Movers>, Ended> {
        if !(1..=Movers::MOST_BITS).contains(&bits) {
            return Ok(None);
        }
        let mut index = MovingIndex::new(None);
        index.reserve_ids(n as usize + 1)?;
        Ok(Some(Movers { n, bits, index }))
    }

    /// Bytes that [`Movers::new`] needs.
    pub fn new_bytes(n: u32) -> u64 {
        MovingIndex::id_bytes(n as usize + 1)
    }

    /// The maximum number of objects.
    pub fn n(&self) -> u32 {
        self.n
    }

    /// The width of a coordinate.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The index.
    pub fn index(&self) -> &MovingIndex {
        &self.index
    }

    /// Applies a batch of moves, of objects 1 to n to points whose coordinates fit the width.
    ///
    /// # Errors
    /// If the run is interrupted or memory allocation fails: the objects must then be discarded.
    pub fn take(&mut self, updates: &[Update], environment: &dyn Environment) -> Result<(), Ended> {
        self.index.period(updates, &[], &mut AnswerHash::default(), environment)
    }

    /// The position of an object, counted from 1, if it is present.
    fn at(&self, object: usize) -> Option<Point> {
        u32::try_from(object).ok().and_then(|id| self.index.position(id))
    }

    /// Writes a number for each object; zero for absent ones.
    fn write_field(
        &self,
        lines: &mut BitTable,
        width: usize,
        number: impl Fn(Point) -> u32,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let n = self.n as usize;
        let mut poller = InterruptPoller::new(environment);
        let mut numbers = [0; ROWS];
        for first in (0..n).step_by(ROWS) {
            let rows = &mut numbers[..ROWS.min(n - first)];
            for (row, to) in rows.iter_mut().enumerate() {
                *to = self.at(first + row + 1).map_or(0, &number);
            }
            write_numbers_from(lines, first, 0..width, rows, &mut poller)?;
        }
        Ok(())
    }
}

impl IntrinsicState for Movers {
    fn n_bytes(&self) -> u64 {
        self.index.n_bytes()
    }

    fn tables(&self) -> Vec<StateTable> {
        let [x, y, there] = Movers::PARTS;
        let n_rows = self.n as usize;
        let coordinates = self.bits as usize;
        [(x, coordinates), (y, coordinates), (there, 1)]
            .map(|(name, n_cols)| StateTable { name, n_rows, n_cols, lines: LineOrder::Columns })
            .to_vec()
    }

    fn write(
        &self,
        idx: usize,
        lines: &mut BitTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        // Coordinates of this state are not negative.
        let width = self.bits as usize;
        match idx {
            0 => self.write_field(lines, width, |at| at.x() as u32, environment),
            1 => self.write_field(lines, width, |at| at.y() as u32, environment),
            2 => self.write_field(lines, 1, |_| 1, environment),
            3.. => Err(StateTable::MISSING),
        }
    }
}
