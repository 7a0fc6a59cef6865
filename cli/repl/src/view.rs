//! Read access to the variables of a session.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

pub use star::pipeline::RESULT;
use star::pipeline::Values;
use star_bind::RecordList;
use star_compiler::session::{Environment, Variable};
use star_ir::Ty;
use star_value::{BitTable, Value};
use star_vm::BackendError;

/// Read access to variables and their values.
pub struct View<'a> {
    /// The declarations.
    pub environment: &'a Environment,
    /// The values.
    pub values: &'a Values,
    /// The lists that were read as tables.
    pub lists: &'a [RecordList],
    /// Set when the user requests an interrupt.
    pub interrupt: &'a AtomicBool,
}

impl View<'_> {
    /// Returns the variables in the order of their names.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Variable)> {
        self.environment.iter()
    }

    /// Returns the type of the value in a slot with its sizes; `None` if it is unset or a table
    /// without rows.
    pub fn ty(&self, slot: &str) -> Option<Ty> {
        self.values.ty(slot)
    }

    /// Returns a copy of the value in a slot. The cost is proportional to its size: check
    /// [`View::ty`] first.
    ///
    /// # Errors
    /// If memory is exhausted or the user requests an interrupt.
    pub fn value(&self, slot: &str) -> Result<Value, BackendError> {
        self.values.store(slot, self.interrupt)
    }

    /// Returns columns (from 0) of a table without copying the rest; `None` if it is not a table or
    /// has fewer columns, if memory is exhausted, or if the user requests an interrupt.
    pub fn columns(&self, slot: &str, columns: Range<usize>) -> Option<BitTable> {
        self.values.columns(slot, columns, self.interrupt).ok()
    }
}
