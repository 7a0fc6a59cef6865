//! Tables that are still in their files, so that a caller can read them by ranges of columns, each
//! to where it is needed.

use std::fmt;
use std::io::{Cursor, Read};

use star_io::{FileError, ReadOptions};
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
}

impl TableFile {
    /// Returns the numbers of rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// Returns the bytes of the packed columns.
    pub fn n_bytes(&self) -> u64 {
        let (n_rows, n_cols) = self.shape;
        n_rows.div_ceil(64) as u64 * 8 * n_cols as u64
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
        let TableFile { name, start, file, shape: _, max_bytes } = self;
        let OpenFile { input, n_bytes, progress: mut show } = file;
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
        let TableFile { name, start: _, file: _, shape, max_bytes } = self;
        f.debug_struct("TableFile")
            .field("name", name)
            .field("shape", shape)
            .field("max_bytes", max_bytes)
            .finish_non_exhaustive()
    }
}
