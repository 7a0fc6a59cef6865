//! What an intrinsic keeps between calls, in a handle.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use star_base::BitTable;

use crate::environment::{Ended, Environment};

/// What an intrinsic keeps in a handle instead of the tables that the Star body keeps there.
///
/// A backend knows a state by this trait only: how many bytes it takes, and the tables that it stands for. It is
/// turned into these when a Star body reads one of them, when one changes a handle that somebody else has too, or when
/// the run is short of memory. They count as tables that nobody shares: a Star body that made less of
/// them, storing a table that it was given, would need less memory than its intrinsic.
pub trait IntrinsicState: Any + Debug + Send + Sync {
    /// Bytes that it takes.
    fn n_bytes(&self) -> u64;

    /// The tables that it stands for: those that the Star body stores, with the same names and sizes.
    fn tables(&self) -> Vec<StateTable>;

    /// Writes table `idx` of [`IntrinsicState::tables`] into zeros with a column per line of it.
    ///
    /// # Errors
    /// If the run has to end; [`Ended::Internal`] if there is no table of this index.
    fn write(
        &self,
        idx: usize,
        lines: &mut BitTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended>;

    /// How many ones table `idx` has, if that takes no memory: a trap says it where there is none for the table.
    ///
    /// # Errors
    /// If the run has to end.
    fn n_ones(&self, _idx: usize, _environment: &dyn Environment) -> Result<Option<u64>, Ended> {
        Ok(None)
    }
}

/// A table that a state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateTable {
    /// Its name in the handle.
    pub name: &'static str,
    /// Number of rows.
    pub n_rows: usize,
    /// Number of columns.
    pub n_cols: usize,
    /// The lines that the state writes.
    pub lines: LineOrder,
}

/// How a table lies in memory: one line after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOrder {
    /// A line is a row.
    Rows,
    /// A line is a column.
    Columns,
}

impl StateTable {
    /// A state was asked for a table that it does not stand for.
    pub const MISSING: Ended = Ended::Internal("a state without a table of this index");

    /// Zeros with a column per line.
    ///
    /// # Errors
    /// If the system refuses the memory.
    pub fn zeros(&self) -> Result<BitTable, Ended> {
        Ok(match self.lines {
            LineOrder::Rows => BitTable::zeros(self.n_cols, self.n_rows)?,
            LineOrder::Columns => BitTable::zeros(self.n_rows, self.n_cols)?,
        })
    }

    /// Bytes of the table, as values count them: columns in whole limbs.
    pub fn n_bytes(&self) -> u64 {
        (8 * self.n_rows.div_ceil(64) as u64).saturating_mul(self.n_cols as u64)
    }
}

/// The state, if it is one of this kind.
pub fn state_of<T: IntrinsicState>(state: Arc<dyn IntrinsicState>) -> Option<Arc<T>> {
    let state: Arc<dyn Any + Send + Sync> = state;
    state.downcast().ok()
}
