//! Dense tables that are read and written by ranges of columns, or read by ranges of rows, in
//! Star's own format: the caller holds one part of the table at a time.

use std::io::{self, Read, Write};
use std::ops::Range;

use star_value::BitTable;

use crate::error::FileError;
use crate::format::stb::{self, TableRows};
use crate::options::ReadOptions;
use crate::packing::Packing;
use crate::registry::{Format, packed, with_sink};
use crate::source::Source;

/// Returns the numbers of rows and columns of a dense table in a Star table file that begins with
/// `start`; `None` if the file is another one, or does not have the `n_bytes` bytes that its header
/// implies.
pub fn dense_table(format: Format, start: &[u8], n_bytes: u64) -> Option<(usize, usize)> {
    stb::dense_table(start, n_bytes).filter(|_| format == Format::Stb)
}

/// Reads a dense table of a Star table file, `at_once` columns at a time, and passes them to `each`
/// with the index of the first one, from 0; a table without bits is one part. They are valid only
/// if this function succeeds: the checksum is at the end of the file.
///
/// # Errors
/// Those of [`read`](crate::read()); [`star_base::Code::Interrupted`] if `each` returns `false`.
pub fn read_columns(
    input: &mut dyn Read,
    options: &mut ReadOptions<'_>,
    at_once: usize,
    each: &mut dyn FnMut(usize, BitTable) -> bool,
) -> Result<(), FileError> {
    Ok(stb::read_columns(Source::open(input, options, None)?, at_once, each)?)
}

/// Reads a range of rows of a dense table of a Star table file, whose header was read; the range
/// must not be empty. `read` fills a buffer from an offset in the file. The rows are valid only if
/// the file is, which the shares of all ranges show: see [`TableRows`].
///
/// # Errors
/// Those of `read`; if there is no memory for the rows, or there is a one beyond the last row.
pub fn read_rows(
    read: &mut dyn FnMut(u64, &mut [u8]) -> io::Result<()>,
    shape: (usize, usize),
    rows: Range<usize>,
) -> io::Result<TableRows> {
    stb::read_rows(read, shape, rows)
}

/// Writes a dense table as a Star table file, as [`write_packed`](crate::registry::write_packed)
/// does. `next` returns the next columns until there are all.
///
/// # Errors
/// The first error of `next`; [`star_base::Code::CannotWrite`] if `output` fails or `go_on` returns
/// `false`.
pub fn write_columns(
    packing: Packing,
    (n_rows, n_cols): (usize, usize),
    next: &mut dyn FnMut() -> Result<BitTable, FileError>,
    output: &mut dyn Write,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(), FileError> {
    packed(packing, output, &mut |output| {
        with_sink(output, go_on, |sink| stb::write_parts((n_rows, n_cols), next, sink))
    })
}
