//! The bytes of an array: a whole file, or a part of an archive.

use star_base::Code;

use crate::budget::Budget;
use crate::error::{Fault, FileError};
use crate::scaling::Scaling;
use crate::source;

/// The bytes of an array.
pub(crate) struct Input<'a> {
    /// Fills a buffer up to the end of the bytes; returns the number of bytes.
    pub(crate) fill: &'a mut dyn FnMut(&mut [u8]) -> Result<usize, Fault>,
    /// The name for errors.
    pub(crate) file: String,
    /// Number of remaining bytes, if known.
    pub(crate) n_left: Option<u64>,
    /// Memory budget.
    pub(crate) budget: Budget,
    /// The factor of the numbers.
    pub(crate) scaling: Option<&'a Scaling>,
    /// Whether NaN is a missing number.
    pub(crate) nan_is_missing: bool,
}

impl Input<'_> {
    /// Fills the buffer up to the end of the bytes; returns the number of bytes.
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

    /// An error about the whole array.
    pub(super) fn fault(&self, code: Code, message: impl Into<String>) -> FileError {
        FileError::new(code, &self.file, message)
    }

    /// The error that `n_bytes` exceed the budget.
    pub(super) fn out_of_memory(&self, n_bytes: u128) -> Fault {
        source::out_of_memory(&self.file, n_bytes, self.budget.max_bytes())
    }
}
