//! Data that an intrinsic keeps in a handle between calls.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use star_value::BitTable;

use crate::environment::{Ended, Environment};

/// State that an intrinsic keeps in a handle instead of the tables of the Star body.
///
/// A backend accesses a state only through this trait: its size in bytes, and the tables that it
/// represents. It is converted to these when a Star body reads one of them, when a shared handle is
/// modified, or when memory runs short. They count as unshared tables: a Star body that stores a
/// shared table, such as an argument, needs less memory than its intrinsic.
pub trait IntrinsicState: Any + Debug + Send + Sync {
    /// The size in bytes.
    fn n_bytes(&self) -> u64;

    /// The tables that it represents: those that the Star body stores, with the same names and
    /// sizes.
    fn tables(&self) -> Vec<StateTable>;

    /// Writes table `idx` of [`IntrinsicState::tables`] into zeros, with one column per line of the
    /// table.
    ///
    /// # Errors
    /// If the run is interrupted; [`Ended::Internal`] if there is no table with this index.
    fn write(
        &self,
        idx: usize,
        lines: &mut BitTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended>;

    /// The number of ones of table `idx`, if it can be computed without allocating memory: a trap
    /// reports it when there is no memory for the table.
    ///
    /// # Errors
    /// If the run is interrupted.
    fn n_ones(&self, _idx: usize, _environment: &dyn Environment) -> Result<Option<u64>, Ended> {
        Ok(None)
    }
}

/// A table that a state represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateTable {
    /// Its name in the handle.
    pub name: &'static str,
    /// The number of rows.
    pub n_rows: usize,
    /// The number of columns.
    pub n_cols: usize,
    /// The lines that the state writes.
    pub lines: LineOrder,
}

/// The memory layout of a table: one line after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOrder {
    /// A line is a row.
    Rows,
    /// A line is a column.
    Columns,
}

impl StateTable {
    /// The state has no table with this index.
    pub const MISSING: Ended = Ended::Internal("a state without a table of this index");

    /// A zeroed table with one column per line.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn zeros(&self) -> Result<BitTable, Ended> {
        Ok(match self.lines {
            LineOrder::Rows => BitTable::zeros(self.n_cols, self.n_rows)?,
            LineOrder::Columns => BitTable::zeros(self.n_rows, self.n_cols)?,
        })
    }

    /// The size of the table in bytes, counted as for values: columns in whole limbs.
    pub fn n_bytes(&self) -> u64 {
        (8 * self.n_rows.div_ceil(64) as u64).saturating_mul(self.n_cols as u64)
    }
}

/// The state, if it has type `T`.
pub fn state_of<T: IntrinsicState>(state: Arc<dyn IntrinsicState>) -> Option<Arc<T>> {
    let state: Arc<dyn Any + Send + Sync> = state;
    state.downcast().ok()
}
