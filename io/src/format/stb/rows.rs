//! Some rows of a dense table, read or written without the others.
//!
//! Several readers, each with its rows, read every byte of a file once, except for limbs with rows
//! of two of them. The checksum of a sequence is the exclusive or of those of its parts, each
//! followed by zeros in place of what comes after it. So every reader computes a share, and all
//! shares together show whether the file is valid. In the same way, writers of ranges of rows
//! compute the checksum of the file.

use std::io::{self, ErrorKind};
use std::ops::Range;

use crc32fast::Hasher;
use star_value::BitTable;

use super::{CRC_BYTES, ContentKind, HEADER_BYTES, VERSION, header, number};

/// Some rows of a dense table in a Star table file.
#[derive(Debug)]
pub struct TableRows {
    /// The rows.
    pub table: BitTable,
    /// The share of their bytes in the checksum: the exclusive or of the shares of ranges that
    /// cover all rows, in order, is 0 if the file is valid.
    pub share: u32,
    /// The bytes that were read.
    pub n_bytes: u64,
}

/// Reads a range of rows, which must not be empty. `read` fills a buffer from an offset in the
/// file.
pub(crate) fn read_rows(
    read: &mut dyn FnMut(u64, &mut [u8]) -> io::Result<()>,
    (n_rows, n_cols): (usize, usize),
    rows: Range<usize>,
) -> io::Result<TableRows> {
    let out_of_memory = |_| io::Error::from(ErrorKind::OutOfMemory);
    let mut table = BitTable::zeros(rows.len(), n_cols).map_err(out_of_memory)?;
    let column_bytes = n_rows.div_ceil(64) as u64 * 8;
    let (first, end) = (rows.start / 64, rows.end.div_ceil(64));
    // A limb with rows of several readers counts for the last of them.
    let end_of_share = if rows.end == n_rows { end } else { rows.end / 64 };
    let mut bytes = Vec::new();
    bytes.try_reserve_exact((end - first) * 8).map_err(|_| ErrorKind::OutOfMemory)?;
    bytes.resize((end - first) * 8, 0);
    let own = (end_of_share - first) * 8;
    let mut n_bytes = bytes.len() as u64 * n_cols as u64;
    let mut share = Hasher::new_with_initial_len(0, 0);
    let mut stored = 0;
    if rows.start == 0 {
        let (mut header, mut crc) = ([0; HEADER_BYTES], [0; CRC_BYTES]);
        read(0, &mut header)?;
        read(HEADER_BYTES as u64 + column_bytes * n_cols as u64, &mut crc)?;
        share = Hasher::new();
        share.update(&header);
        stored = number(&crc) as u32;
        n_bytes += (HEADER_BYTES + CRC_BYTES) as u64;
    }
    let (before, after) = (first as u64 * 8, column_bytes - first as u64 * 8 - own as u64);
    let (before, after) = (zeros(before), zeros(after));
    for col_idx in 0..n_cols {
        let start = HEADER_BYTES as u64 + column_bytes * col_idx as u64 + first as u64 * 8;
        read(start, &mut bytes)?;
        share.combine(&before);
        share.update(&bytes[..own]);
        share.combine(&after);
        let (limbs, _) = bytes.as_chunks::<8>(); // there is no remainder
        let limb = |idx: usize| limbs.get(idx).map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let shift = rows.start % 64;
        let column = table.column_limbs_mut(col_idx);
        for (idx, to) in column.iter_mut().enumerate() {
            let high = if shift == 0 { 0 } else { limb(idx + 1) << (64 - shift) };
            *to = limb(idx) >> shift | high;
        }
        let n_used = rows.len() % 64;
        if let Some(last) = column.last_mut().filter(|_| n_used > 0) {
            *last &= (1 << n_used) - 1;
        }
        let n_last = rows.end % 64;
        if rows.end == n_rows && n_last > 0 && limb(end - first - 1) >> n_last != 0 {
            return Err(ErrorKind::InvalidData.into());
        }
    }
    Ok(TableRows { table, share: share.finalize() ^ stored, n_bytes })
}

/// A writer of a range of rows of a dense table. The writers of ranges that cover all rows together
/// write the whole file, but for its checksum, which is the exclusive or of their shares.
pub struct RowsWriter {
    n_rows: usize,
    n_cols: usize,
    rows: Range<usize>,
    /// The next column.
    next: usize,
    share: Hasher,
}

impl RowsWriter {
    /// Creates the writer of rows, of which the first is a multiple of 64, and also the end unless
    /// it is that of the table. The first writer also writes the header.
    pub fn new((n_rows, n_cols): (usize, usize), rows: Range<usize>, is_first: bool) -> Self {
        let mut share = Hasher::new_with_initial_len(0, 0);
        if is_first {
            share = Hasher::new();
            share.update(&RowsWriter::header((n_rows, n_cols)));
        }
        RowsWriter { n_rows, n_cols, rows, next: 0, share }
    }

    /// Returns the header, at the start of the file.
    pub fn header(shape: (usize, usize)) -> [u8; HEADER_BYTES] {
        header(VERSION, ContentKind::Table as u32, shape)
    }

    /// Returns the offset of the checksum, the last 4 bytes of the file.
    pub fn offset_of_checksum((n_rows, n_cols): (usize, usize)) -> u64 {
        HEADER_BYTES as u64 + n_rows.div_ceil(64) as u64 * 8 * n_cols as u64
    }

    /// Returns the offset in the file of the rows of the next column, and replaces `bytes` by those
    /// of its limbs.
    pub fn column(&mut self, limbs: &[u64], bytes: &mut Vec<u8>) -> u64 {
        bytes.clear();
        bytes.extend(limbs.iter().flat_map(|limb| limb.to_le_bytes()));
        let column_bytes = self.n_rows.div_ceil(64) as u64 * 8;
        let before = self.rows.start as u64 / 64 * 8;
        let offset = HEADER_BYTES as u64 + column_bytes * self.next as u64 + before;
        debug_assert!(self.next < self.n_cols);
        self.share.combine(&zeros(before));
        self.share.update(bytes);
        self.share.combine(&zeros(column_bytes - before - bytes.len() as u64));
        self.next += 1;
        offset
    }

    /// Returns the share of these bytes in the checksum, after all columns.
    pub fn share(self) -> u32 {
        self.share.finalize()
    }
}

impl std::fmt::Debug for RowsWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RowsWriter { n_rows, n_cols, rows, next, share: _ } = self;
        f.debug_struct("RowsWriter")
            .field("shape", &(n_rows, n_cols))
            .field("rows", rows)
            .field("next", next)
            .finish_non_exhaustive()
    }
}

/// Returns the checksum of bytes of others, of which none counts here.
fn zeros(n_bytes: u64) -> Hasher {
    Hasher::new_with_initial_len(0, n_bytes)
}
