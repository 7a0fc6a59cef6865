//! Where the bytes of an array come from: a file of its own, or a part of an archive.

use star_base::Code;

use crate::budget::Budget;
use crate::error::{Fault, FileError};
use crate::scaling::Scaling;
use crate::source;

/// The bytes of an array.
pub(crate) struct Input<'a> {
    /// Fills a buffer unless the bytes end; how many there were.
    pub(crate) fill: &'a mut dyn FnMut(&mut [u8]) -> Result<usize, Fault>,
    /// The name for errors.
    pub(crate) file: String,
    /// How many bytes are left, if that is known.
    pub(crate) n_left: Option<u64>,
    /// Memory budget.
    pub(crate) budget: Budget,
    /// What the numbers are multiplied by.
    pub(crate) scaling: Option<&'a Scaling>,
}

impl Input<'_> {
    /// Fills the buffer unless the bytes end; how many there were.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let n_bytes = (self.fill)(buffer)?;
        if let Some(n_left) = self.n_left.as_mut() {
            *n_left = n_left.saturating_sub(n_bytes as u64);
        }
        Ok(n_bytes)
    }

    /// Fills the buffer.
    pub(super) fn fill_whole(&mut self, buffer: &mut [u8], what: &str) -> Result<(), Fault> {
        if self.fill(buffer)? < buffer.len() {
            return Err(Box::new(self.fault(Code::Truncated, format!("the file ends in {what}"))));
        }
        Ok(())
    }

    /// An error of the whole array.
    pub(super) fn fault(&self, code: Code, message: impl Into<String>) -> FileError {
        FileError::new(code, &self.file, message)
    }

    /// The fault that `n_bytes` are needed and the budget is less.
    pub(super) fn out_of_memory(&self, n_bytes: u128) -> Fault {
        source::out_of_memory(&self.file, n_bytes, self.budget.max_bytes())
    }
}
