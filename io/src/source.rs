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
        self.go_on()?;
        Ok(n_bytes)
    }

    /// Reads until the buffer is full or the file ends; the number of bytes.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let mut n_bytes = 0;
        while n_bytes < buffer.len() {
            match self.read(&mut buffer[n_bytes..])? {
                0 => break,
                n_more => n_bytes += n_more,
            }
        }
        Ok(n_bytes)
    }

    /// Reads all of the file, for decoders that go to and fro in it. It counts against the budget.
    pub(crate) fn read_all(&mut self) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        // The byte beyond the length finds the end. Failing is no error here.
        let expected = self.size_hint().unwrap_or(0).min(self.max_bytes()).saturating_add(1);
        let _ = bytes.try_reserve_exact(usize::try_from(expected).unwrap_or(0));
        loop {
            let len = bytes.len();
            let room = (bytes.capacity() - len).clamp(1 << 12, CHUNK);
            let no_room = len as u128 + room as u128;
            bytes.try_reserve(room).map_err(|_| self.no_room(no_room))?;
            bytes.resize(len + room, 0);
            let n_bytes = self.read(&mut bytes[len..])?;
            bytes.truncate(len + n_bytes);
            if bytes.len() as u64 > self.max_bytes() {
                return Err(self.no_room(bytes.len() as u128));
            }
            if n_bytes == 0 {
                return Ok(bytes);
            }
        }
    }

    /// Asks the progress sink whether to go on; for the time between the last byte and the result.
    pub(crate) fn go_on(&mut self) -> Result<(), Fault> {
        if let Some(progress) = self.options.progress.as_mut()
            && !progress(self.n_read)
        {
            return Err(self.fault(Code::Interrupted, "interrupted"));
        }
        Ok(())
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

    /// Its name as errors show it.
    pub(crate) fn file(&self) -> &str {
        self.options.file
    }

    /// What numbers are multiplied by.
    pub(crate) fn scale(&self) -> Option<f64> {
        self.options.scale
    }

    /// The array to read.
    pub(crate) fn part(&self) -> Option<&str> {
        self.options.part
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
