//! The bytes of one file with its options: chunks, progress, and faults that carry the file's name.
//! It knows nothing of lines and formats.

use std::io::{ErrorKind, Read};

use star_base::Code;

use crate::error::{Fault, FileError};
use crate::options::ReadOptions;
use crate::text;

/// How many bytes a reader asks for at once.
pub(crate) const CHUNK: usize = 1 << 18;

/// A file being read.
pub(crate) struct Source<'r, 'o> {
    input: &'r mut dyn Read,
    options: &'r mut ReadOptions<'o>,
    n_read: u64,
}

impl<'r, 'o> Source<'r, 'o> {
    /// Nothing has been read yet.
    pub(crate) fn new(input: &'r mut dyn Read, options: &'r mut ReadOptions<'o>) -> Self {
        Source { input, options, n_read: 0 }
    }

    /// Reads up to `buffer.len()` bytes; 0 at the end of the file only.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let n_bytes = loop {
            match self.input.read(buffer) {
                Ok(n_bytes) => break n_bytes.min(buffer.len()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let message = format!("cannot read: {error}");
                    return Err(self.fault(Code::CannotOpen, message));
                }
            }
        };
        self.n_read = self.n_read.saturating_add(n_bytes as u64);
        if let Some(progress) = self.options.progress.as_mut()
            && !progress(self.n_read)
        {
            return Err(self.fault(Code::Interrupted, "interrupted"));
        }
        Ok(n_bytes)
    }

    /// A fault of the whole file.
    pub(crate) fn fault(&self, code: Code, message: impl Into<String>) -> Fault {
        Box::new(FileError::new(code, self.options.file, message))
    }

    /// The fault that `n_bytes` are needed and the budget is less.
    pub(crate) fn no_room(&self, n_bytes: u128) -> Fault {
        no_room(self.options.file, n_bytes, self.options.max_bytes)
    }

    /// Length of the file, if known.
    pub(crate) fn size_hint(&self) -> Option<u64> {
        self.options.size_hint
    }

    /// Memory budget.
    pub(crate) fn max_bytes(&self) -> u64 {
        self.options.max_bytes
    }
}

/// The fault that `n_bytes` are needed and the budget is `max_bytes`, or the allocator has less.
pub(crate) fn no_room(file: &str, n_bytes: u128, max_bytes: u64) -> Fault {
    let needed = text::size(n_bytes);
    let message = if n_bytes > u128::from(max_bytes) {
        let budget = text::size(u128::from(max_bytes));
        format!("this takes {needed} of memory, and the budget is {budget}")
    } else {
        format!("this takes {needed} of memory, more than there is")
    };
    Box::new(FileError::new(Code::DoesNotFit, file, message))
}
