//! The variables of a session as those see them who show them.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use star_base::BitTable;
use star_bind::RecordList;
use star_compiler::session::{Environment, Variable};
use star_ir::Ty;
use star_vm::{BackendError, HostValue};

use super::values::Values;

/// The slot of the value of an expression; no variable is called so.
pub const RESULT: &str = "‹value›";

/// Looks at variables and their values.
pub struct View<'a> {
    /// What is declared.
    pub environment: &'a Environment,
    /// What holds the values.
    pub values: &'a Values,
    /// The lists that were read as tables.
    pub lists: &'a [RecordList],
    /// Set when the user wants an end.
    pub interrupt: &'a AtomicBool,
}

impl View<'_> {
    /// The variables in the order of their names.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Variable)> {
        self.environment.iter()
    }

    /// The type of the value in a slot with its sizes; `None` if it was never set, or is a table without
    /// rows.
    pub fn ty(&self, slot: &str) -> Option<Ty> {
        self.values.ty(slot)
    }

    /// A copy of the value in a slot. Costs as much as it is large: look at [`View::ty`] before.
    ///
    /// # Errors
    /// If there is no memory for it, or the user wants the end.
    pub fn value(&self, slot: &str) -> Result<HostValue, BackendError> {
        self.values.store(slot, self.interrupt)
    }

    /// Columns (from 0) of a table, without a copy of the rest; `None` if it is no table or has
    /// fewer, if there is no memory, or if the user wants the end.
    pub fn columns(&self, slot: &str, columns: Range<usize>) -> Option<BitTable> {
        self.values.columns(slot, columns, self.interrupt).ok()
    }
}
