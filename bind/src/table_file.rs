//! Tables that are still in their files, so that a caller can read them by ranges of columns or
//! rows, each to where it is needed.

use std::fmt;
use std::io::{self, Cursor, ErrorKind, Read};
use std::ops::Range;

use star_base::{Code, text};
use star_io::{FileError, ReadOptions, Stopped, TableRows};
use star_value::BitTable;

use crate::data::stopped;
use crate::source::{Observer, OpenFile, Waiting};

/// An open Star table file whose header was read, and whose length is the one that it implies.
pub struct TableFile {
    pub(crate) name: String,
    /// The bytes that were read.
    pub(crate) start: Vec<u8>,
    pub(crate) file: OpenFile,
    pub(crate) shape: (usize, usize),
    /// The maximum size of the table in bytes.
    pub(crate) max_bytes: u64,
    /// The number of processes that share its rows.
    pub(crate) n_holders: u64,
}

impl TableFile {
    /// Returns the numbers of rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// Returns the name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the bytes of the packed columns.
    pub fn n_bytes(&self) -> u64 {
        let (n_rows, n_cols) = self.shape;
        n_rows.div_ceil(64) as u64 * 8 * n_cols as u64
    }

    /// Returns those of the rows that this process will hold.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.n_bytes().div_ceil(self.n_holders)
    }

    /// Tests whether rows can be read without those before them.
    pub fn has_rows(&self) -> bool {
        self.file.at.is_some()
    }

    /// Returns the checksum at the end of the file, if it can be read without what is before it.
    pub fn checksum(&self) -> Option<u32> {
        let mut bytes = [0; 4];
        let end = self.file.n_bytes?.checked_sub(bytes.len() as u64)?;
        let read = self.file.at.as_ref()?(end, &mut bytes);
        read.ok().map(|()| u32::from_le_bytes(bytes))
    }

    /// Reads some rows, which must not be empty; see [`star_io::read_rows`].
    ///
    /// # Errors
    /// If they cannot be read, there is no memory for them, or `observer` stops the reading.
    pub fn read_rows(
        &mut self,
        observer: &dyn Observer,
        rows: Range<usize>,
    ) -> Result<TableRows, FileError> {
        let TableFile { name, file, shape, .. } = self;
        let cannot = |error: io::Error| {
            let (code, message) = match error.get_ref().is_some_and(|error| error.is::<Stopped>()) {
                true => (Code::Interrupted, error.to_string()),
                false => (Code::CannotOpen, format!("cannot read: {}", text::reason(&error))),
            };
            stopped(observer, FileError::new(code, name.as_str(), message))
        };
        let Some(at) = &file.at else { return Err(cannot(ErrorKind::Unsupported.into())) };
        let mut n_read = 0;
        let mut read = |offset, bytes: &mut [u8]| {
            at(offset, bytes)?;
            n_read += bytes.len() as u64;
            (file.progress)(n_read);
            match observer.stop() {
                Some(_) => Err(io::Error::other(Stopped)),
                None => Ok(()),
            }
        };
        star_io::read_rows(&mut read, *shape, rows).map_err(cannot)
    }

    /// Reads the table, `at_once` columns at a time, and passes them to `each` with the index of
    /// the first one, from 0, at least once, until it returns `false`. They are valid only if this
    /// succeeds.
    ///
    /// # Errors
    /// If the file cannot be read, is not in its format, has changed its length, or `observer`
    /// stops the reading; [`star_base::Code::Interrupted`] if `each` returns `false`.
    pub fn read(
        self,
        observer: &dyn Observer,
        at_once: usize,
        each: &mut dyn FnMut(usize, BitTable) -> bool,
    ) -> Result<(), FileError> {
        let TableFile { name, start, file, shape: _, max_bytes, n_holders: _ } = self;
        let OpenFile { input, n_bytes, progress: mut show, at: _ } = file;
        let goes_on = || observer.stop().is_none();
        let mut progress = |n_read| {
            show(n_read);
            goes_on()
        };
        let mut options = ReadOptions::new(&name, max_bytes);
        options.size_hint = n_bytes;
        options.progress = Some(&mut progress);
        let mut input = Cursor::new(start).chain(Waiting::new(input, &goes_on));
        let read = star_io::read_columns(&mut input, &mut options, at_once, each);
        read.map_err(|error| stopped(observer, error))
    }
}

impl fmt::Debug for TableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TableFile { name, start: _, file: _, shape, max_bytes, n_holders } = self;
        f.debug_struct("TableFile")
            .field("name", name)
            .field("shape", shape)
            .field("max_bytes", max_bytes)
            .field("n_holders", n_holders)
            .finish_non_exhaustive()
    }
}
