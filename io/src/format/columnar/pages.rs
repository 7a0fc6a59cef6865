//! Validation of the page headers of Parquet files before pages are unpacked: the decoder allocates
//! memory according to the header, and a failed allocation ends the process.
//!
//! A header is a structure of Thrift's compact protocol: fields with a number delta and a type;
//! integers are zigzag varints with seven bits a byte.

use std::io;
use std::ops::Range;

use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use crate::packing::Gunzip;

/// The reason for rejecting pages.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The file is damaged.
    Damaged(&'static str),
    /// The encoding is not supported.
    Unknown(&'static str),
    /// A page needs this many bytes.
    Memory(u64),
}

/// Maximum nesting depth of structures in a header.
const MAX_DEPTH: usize = 8;

/// Checks that all pages lie in the file, need at most `max_bytes` each, and unpack to the size in
/// their header.
pub(super) fn check(file: &[u8], columns: &ParquetMetaData, max_bytes: u64) -> Result<(), Refused> {
    for column in columns.row_groups().iter().flat_map(|group| group.columns()) {
        let pages = byte_range(column).and_then(|range| file.get(range));
        let pages = pages.ok_or(Refused::Damaged("a column begins after its end"))?;
        check_column(pages, column, max_bytes)?;
    }
    Ok(())
}

/// Returns the place of a column of a row group in its file; `None` if it ends before it begins.
pub(super) fn byte_range(column: &ColumnChunkMetaData) -> Option<Range<usize>> {
    let first = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let (first, len) = (usize::try_from(first).ok()?, usize::try_from(column.compressed_size()));
    Some(first..first.checked_add(len.ok()?)?)
}

/// Checks the pages of a column of a row group, as [`check`] does, and returns the number of their
/// values.
pub(super) fn check_column(
    mut pages: &[u8],
    column: &ColumnChunkMetaData,
    max_bytes: u64,
) -> Result<usize, Refused> {
    let packing = column.compression();
    match packing {
        Compression::UNCOMPRESSED
        | Compression::SNAPPY
        | Compression::GZIP(_)
        | Compression::LZ4_RAW => {}
        Compression::LZ4 => return Err(Refused::Unknown("pages packed with the first LZ4")),
        Compression::BROTLI(_) => return Err(Refused::Unknown("pages packed with Brotli")),
        Compression::ZSTD(_) => return Err(Refused::Unknown("pages packed with Zstandard")),
        Compression::LZO => return Err(Refused::Unknown("pages packed with LZO")),
    }
    let mut n_values = 0_usize;
    while !pages.is_empty() {
        let (header, rest) = Header::read(pages)?;
        let page = rest.get(..header.packed).ok_or(Refused::Damaged("a page is cut off"))?;
        header.check(page, packing, max_bytes)?;
        n_values = n_values.saturating_add(header.values);
        pages = &rest[header.packed..];
    }
    Ok(n_values)
}

/// The relevant parts of a page header.
#[derive(Debug, Default, PartialEq, Eq)]
struct Header {
    /// Bytes of the unpacked page.
    unpacked: usize,
    /// Bytes in the file.
    packed: usize,
    /// Number of values of a dictionary.
    entries: usize,
    /// Number of values of a data page.
    values: usize,
    /// Bytes before the packed ones.
    levels: usize,
    /// Whether the page is packed with the column's method.
    is_packed: bool,
    /// Whether texts are encoded by lengths or deltas; their number is stored with them.
    has_differences: bool,
}

impl Header {
    /// Reads the header and returns it with the bytes that follow.
    fn read(bytes: &[u8]) -> Result<(Header, &[u8]), Refused> {
        let mut header = Header { is_packed: true, ..Header::default() };
        let mut thrift = Thrift { bytes };
        let read = thrift.structure(0, &mut |path, number| header.take(path, number));
        match read {
            Some(true) => Ok((header, thrift.bytes)),
            Some(false) | None => Err(Refused::Damaged("the header of a page is damaged")),
        }
    }

    /// Records the integer at this path of field numbers; returns whether its value is valid.
    fn take(&mut self, path: &[i64], number: i64) -> bool {
        let size = usize::try_from(number);
        let place = match path {
            [2] => &mut self.unpacked,
            [3] => &mut self.packed,
            [7, 1] => &mut self.entries,
            [5 | 8, 1] => &mut self.values,
            // The encodings of data pages, versions 1 and 2.
            [5, 2] | [8, 4] => {
                self.has_differences |= matches!(number, 6 | 7);
                return true;
            }
            // Repetition and definition levels.
            [8, 5 | 6] => {
                let sum = size.ok().and_then(|size| self.levels.checked_add(size));
                return sum.map(|sum| self.levels = sum).is_some();
            }
            [8, 7] => {
                self.is_packed = number != 0;
                return true;
            }
            _ => return true,
        };
        size.map(|size| *place = size).is_ok()
    }

    fn check(&self, page: &[u8], packing: Compression, max_bytes: u64) -> Result<(), Refused> {
        if self.has_differences {
            return Err(Refused::Unknown("texts encoded by lengths or deltas"));
        }
        if self.unpacked as u64 > max_bytes {
            return Err(Refused::Memory(self.unpacked as u64));
        }
        if self.entries > self.unpacked {
            return Err(Refused::Damaged("a dictionary has more entries than bytes"));
        }
        let is_packed = self.is_packed && packing != Compression::UNCOMPRESSED;
        if !is_packed && self.unpacked != self.packed {
            return Err(Refused::Damaged("a page that is not packed has two different lengths"));
        }
        if let Compression::GZIP(_) = packing
            && is_packed
        {
            // The decoder does not check the unpacked length.
            let packed = page.get(self.levels..).ok_or(Refused::Damaged("a page is cut off"))?;
            let most = self.unpacked as u64 + 1;
            let n_bytes = io::copy(&mut io::Read::take(Gunzip::new(packed), most), &mut io::sink());
            if n_bytes.ok() != (most - 1).checked_sub(self.levels as u64) {
                return Err(Refused::Damaged(
                    "the unpacked length of a page differs from its header",
                ));
            }
        }
        Ok(())
    }
}

/// Reader of structures with unknown fields.
struct Thrift<'a> {
    bytes: &'a [u8],
}

impl Thrift<'_> {
    /// Reads a structure; `take` receives each integer with the path of field numbers to it.
    /// `false` if `take` rejected a value, `None` if the structure is damaged.
    fn structure(
        &mut self,
        depth: usize,
        take: &mut dyn FnMut(&[i64], i64) -> bool,
    ) -> Option<bool> {
        let (mut field, mut is_good) = (0_i64, true);
        loop {
            let first = self.byte()?;
            let kind = first & 15;
            match (first >> 4, kind) {
                (_, 0) => return Some(is_good),
                (0, _) => field = self.zigzag()?,
                (step, _) => field = field.wrapping_add(step.into()),
            }
            is_good &= match kind {
                1 | 2 => take(&[field], i64::from(kind == 1)),
                4..=6 => take(&[field], self.zigzag()?),
                12 => {
                    if depth == MAX_DEPTH {
                        return None;
                    }
                    let mut inner = |path: &[i64], number: i64| match *path {
                        [last] => take(&[field, last], number),
                        // Statistics, at a deeper level.
                        _ => true,
                    };
                    self.structure(depth + 1, &mut inner)?
                }
                _ => {
                    self.skip(kind, depth)?;
                    true
                }
            };
        }
    }

    /// Skips a value that is not an integer field.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1..=3 => self.byte().map(|_| ()),
            4..=6 => self.zigzag().map(|_| ()),
            7 => self.pass(8),
            8 => {
                let n_bytes = self.number()?;
                self.pass(n_bytes)
            }
            9 | 10 if depth < MAX_DEPTH => {
                let first = self.byte()?;
                let n_items = match first >> 4 {
                    15 => self.number()?,
                    few => u64::from(few),
                };
                (0..n_items).try_for_each(|_| self.skip(first & 15, depth + 1))
            }
            12 if depth < MAX_DEPTH => self.structure(depth + 1, &mut |_, _| true).map(|_| ()),
            _ => None,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    fn pass(&mut self, n_bytes: u64) -> Option<()> {
        self.bytes = self.bytes.get(usize::try_from(n_bytes).ok()?..)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A version 2 page: 300 bytes, 40 of them in the file, statistics with texts and a list, not
    /// packed.
    const HEADER: [u8; 27] = [
        0x15, 0x06, 0x15, 0xd8, 0x04, 0x15, 0x50, 0x5c, 0x15, 0x02, 0x35, 0x00, 0x15, 0x04, 0x15,
        0x06, 0x12, 0x1c, 0x18, 0x01, b'x', 0x19, 0x18, 0x00, 0x00, 0x00, 0x00,
    ];

    #[test]
    fn headers_give_the_size_of_a_page() {
        let bytes = [&HEADER[..], &[0x2a]].concat();
        let (header, rest) = Header::read(&bytes).expect("a header");
        let (unpacked, packed, values, levels) = (300, 40, 1, 5);
        let wanted =
            Header { unpacked, packed, values, levels, is_packed: false, ..Header::default() };
        assert_eq!((header, rest), (wanted, &[0x2a][..]));
    }

    #[test]
    fn truncated_or_deeply_nested_headers_are_damaged() {
        let damaged = Err(Refused::Damaged("the header of a page is damaged"));
        for len in 0..HEADER.len() {
            assert_eq!(Header::read(&HEADER[..len]), damaged, "{len}");
        }
        assert_eq!(Header::read(&[0x1c; 1 << 16]), damaged);
        assert_eq!(Header::read(&[0x19; 1 << 16]), damaged);
        // A negative length.
        assert_eq!(Header::read(&[0x25, 0x01, 0x00]), damaged);
    }
}
