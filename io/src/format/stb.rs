//! Star's own format, `.stb`: a table, slice or word with its exact size.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `STARTBL` and a zero byte |
//! | 4 | version, 1 |
//! | 4 | kind: 1 table, 2 slice, 3 word |
//! | 8 | rows; the length of a slice or word |
//! | 8 | columns; 1 for a slice or word |
//! | 8 each | limbs, column after column, rows / 64 per column, rounded up |
//! | 4 | CRC-32 of everything before it |
//!
//! All numbers are little-endian. Row `i` (from 0) is bit `i % 64` of limb `i / 64` of its column;
//! the bits beyond the last row are zero. Version 2 is for sparse tables (`sparse`).

mod rows;
mod sparse;

use std::borrow::Cow;
use std::io::{self, Write};

use crc32fast::Hasher;
use star_base::Code;
use star_value::{BitTable, BitsRef};

use super::{ReadResult, ReaderNotes};
use crate::data::{Data, OutputRef};
use crate::error::{Fault, FileError};
use crate::source::{CHUNK, Source};
use crate::text;

pub(crate) use rows::read_rows;
pub use rows::{RowsWriter, TableRows};

/// The first bytes of every file.
pub(crate) const MAGIC: [u8; 8] = *b"STARTBL\0";

/// The version for values that are written densely.
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 32;
const CRC_BYTES: usize = 4;

/// The kinds of values, with their numbers in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ContentKind {
    Table = 1,
    Slice = 2,
    Word = 3,
}

/// The contents of the first bytes.
#[derive(Clone, Copy)]
struct Head {
    version: u32,
    kind: u32,
    n_rows: u64,
    n_cols: u64,
}

/// The contents of the header before the limbs.
struct Header {
    kind: ContentKind,
    n_rows: usize,
    n_cols: usize,
    n_limbs: u64,
}

/// Reads a table, slice or word.
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let (head, crc) = read_head(&mut source)?;
    if head.version == sparse::VERSION {
        let table = sparse::read(&mut source, crc, head)?;
        return Ok((Data::Table(table.into()), ReaderNotes::default()));
    }
    let header = parse_header(&source, head)?;
    let kind = header.kind;
    let table = read_table(source, crc, header)?;
    let data = match kind {
        ContentKind::Table => Data::Table(table.into()),
        ContentKind::Slice => Data::Slice(table.into_first_column()),
        ContentKind::Word => Data::Word(table.into_first_column()),
    };
    Ok((data, ReaderNotes::default()))
}

/// Reads a dense table, `at_once` columns at a time, and passes them to `each` with the index of
/// the first one, at least once, until it returns `false`. They are valid only if the whole file
/// is.
pub(crate) fn read_columns(
    mut source: Source,
    at_once: usize,
    each: &mut dyn FnMut(usize, BitTable) -> bool,
) -> Result<(), Fault> {
    let (head, crc) = read_head(&mut source)?;
    let not_dense =
        || wrong_kind(&source, head.kind, "only a dense table is read by ranges of columns");
    if head.version == sparse::VERSION {
        return Err(not_dense());
    }
    let header = parse_header(&source, head)?;
    if header.kind != ContentKind::Table {
        return Err(not_dense());
    }
    // Columns without rows have no limbs, whatever their number.
    let at_once = if header.n_limbs == 0 { header.n_cols } else { at_once.max(1) };
    let n_cols = header.n_cols;
    let mut limbs = LimbReader::new(source, crc, header);
    let mut start = 0;
    loop {
        let n_now = at_once.min(n_cols - start);
        if !each(start, limbs.columns(n_now)?) {
            return Err(limbs.source.fault(Code::Interrupted, "interrupted"));
        }
        start += n_now;
        if start == n_cols {
            return limbs.end();
        }
    }
}

/// Returns the numbers of rows and columns of a dense table in a file of `n_bytes` bytes that
/// begins with `start`, if this is the length that the header implies.
pub(crate) fn dense_table(start: &[u8], n_bytes: u64) -> Option<(usize, usize)> {
    let bytes: &[u8; HEADER_BYTES] = start.first_chunk()?;
    let Head { version, kind, n_rows, n_cols } = Head::of(bytes);
    let n_limbs = u128::from(n_rows.div_ceil(64)) * u128::from(n_cols);
    let expected = n_limbs.checked_mul(8)?.checked_add((HEADER_BYTES + CRC_BYTES) as u128)?;
    let is_dense = version == VERSION && kind == ContentKind::Table as u32;
    let holds = bytes.starts_with(&MAGIC) && is_dense && expected == u128::from(n_bytes);
    Some((usize::try_from(n_rows).ok()?, usize::try_from(n_cols).ok()?)).filter(|_| holds)
}

/// Writes a table, slice or word.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let bits = match value {
        OutputRef::Bits(bits) => bits,
        OutputRef::Graph(_) | OutputRef::Numbers(_) => {
            let fault = super::cannot_hold(value, "a Star table", "tables, slices and words");
            return Err(Box::new(fault.help("lay it out as a table first")));
        }
    };
    write_bits(bits, out).map_err(|e| super::cannot_write(&e))
}

fn write_bits(value: BitsRef<'_>, out: &mut dyn Write) -> io::Result<()> {
    match value {
        BitsRef::Table(table) => match table.sparse() {
            Some(table) => sparse::write(table, out),
            None => {
                let column = |idx| table.column_limbs(idx);
                write_columns(ContentKind::Table, value.shape(), column, out)
            }
        },
        BitsRef::Slice(bits) => {
            write_columns(ContentKind::Slice, (bits.len(), 1), |_| bits.limbs().into(), out)
        }
        BitsRef::Word(bits) => {
            write_columns(ContentKind::Word, (bits.len(), 1), |_| bits.limbs().into(), out)
        }
    }
}

fn write_columns<'b>(
    kind: ContentKind,
    (n_rows, n_cols): (usize, usize),
    column: impl Fn(usize) -> Cow<'b, [u64]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut sheet = Summed::begin(out, VERSION, kind as u32, n_rows, n_cols);
    // Columns without rows have no limbs, whatever their number.
    let n_full = if n_rows > 0 { n_cols } else { 0 };
    for col_idx in 0..n_full {
        sheet.put_limbs(&column(col_idx))?;
    }
    sheet.end()
}

/// Writes a dense table, the next columns of which `next` returns, until there are all.
pub(crate) fn write_parts(
    (n_rows, n_cols): (usize, usize),
    next: &mut dyn FnMut() -> Result<BitTable, FileError>,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let cannot_write = |error| super::cannot_write(&error);
    let mut sheet = Summed::begin(out, VERSION, ContentKind::Table as u32, n_rows, n_cols);
    let mut n_left = n_cols;
    while n_left > 0 {
        let part = next()?;
        let fits = part.n_rows() == n_rows && (1..=n_left).contains(&part.n_cols());
        if !fits {
            let (rows, columns) = (part.n_rows(), part.n_cols());
            let message =
                format!("columns that are not the next ones of a table: {rows} × {columns}");
            return Err(Box::new(FileError::new(Code::CannotWrite, "", message)));
        }
        for col_idx in 0..part.n_cols() {
            sheet.put_limbs(part.column_limbs(col_idx)).map_err(cannot_write)?;
        }
        n_left -= part.n_cols();
    }
    sheet.end().map_err(cannot_write)
}

/// A writer that computes the checksum.
struct Summed<'a> {
    out: &'a mut dyn Write,
    crc: Hasher,
    bytes: Vec<u8>,
}

impl<'a> Summed<'a> {
    /// Begins a file with this header.
    fn begin(
        out: &'a mut dyn Write,
        version: u32,
        kind: u32,
        n_rows: usize,
        n_cols: usize,
    ) -> Self {
        let mut bytes = Vec::with_capacity(CHUNK);
        bytes.extend_from_slice(&header(version, kind, (n_rows, n_cols)));
        Summed { out, crc: Hasher::new(), bytes }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.bytes.len() + bytes.len() > CHUNK {
            self.pass_on()?;
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn put_limbs(&mut self, limbs: &[u64]) -> io::Result<()> {
        limbs.iter().try_for_each(|limb| self.put(&limb.to_le_bytes()))
    }

    fn pass_on(&mut self) -> io::Result<()> {
        self.crc.update(&self.bytes);
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        self.pass_on()?;
        self.out.write_all(&self.crc.finalize().to_le_bytes())
    }
}

/// Returns the first bytes of a file.
fn header(version: u32, kind: u32, (n_rows, n_cols): (usize, usize)) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&version.to_le_bytes());
    bytes[12..16].copy_from_slice(&kind.to_le_bytes());
    bytes[16..24].copy_from_slice(&(n_rows as u64).to_le_bytes());
    bytes[24..].copy_from_slice(&(n_cols as u64).to_le_bytes());
    bytes
}

impl Head {
    fn of(bytes: &[u8; HEADER_BYTES]) -> Self {
        let [version, kind] = [8, 12].map(|at| number(&bytes[at..at + 4]) as u32);
        let [n_rows, n_cols] = [16, 24].map(|at| number(&bytes[at..at + 8]));
        Head { version, kind, n_rows, n_cols }
    }
}

/// Reads the first bytes; also returns the checksum so far.
fn read_head(source: &mut Source) -> Result<(Head, Hasher), Fault> {
    let mut bytes = [0; HEADER_BYTES];
    let n_bytes = source.fill(&mut bytes)?;
    let known = n_bytes.min(MAGIC.len());
    if n_bytes > 0 && bytes[..known] != MAGIC[..known] {
        return Err(wrong_magic(source, &bytes[..known]));
    }
    if n_bytes < HEADER_BYTES {
        return Err(source.fault(Code::Truncated, "the file ends in its header"));
    }
    let head = Head::of(&bytes);
    if head.version != VERSION && head.version != sparse::VERSION {
        let message = format!(
            "unsupported version {} of the format; only {VERSION} and {} are supported",
            head.version,
            sparse::VERSION
        );
        return Err(source.fault(Code::BadFormat, message));
    }
    let mut crc = Hasher::new();
    crc.update(&bytes);
    Ok((head, crc))
}

fn parse_header(source: &Source, head: Head) -> Result<Header, Fault> {
    let Head { version: _, kind, n_rows, n_cols } = head;
    let kind = match kind {
        1 => ContentKind::Table,
        2 => ContentKind::Slice,
        3 => ContentKind::Word,
        other => return Err(wrong_kind(source, other, "1 is a table, 2 a slice, 3 a word")),
    };
    if kind != ContentKind::Table && n_cols != 1 {
        let message = format!("a slice or word of {}", text::count(n_cols, "column"));
        return Err(source.fault(Code::BadFormat, message));
    }
    let n_limbs = u128::from(n_rows.div_ceil(64)) * u128::from(n_cols);
    let n_around = (HEADER_BYTES + CRC_BYTES) as u128;
    check_size(source, n_limbs.saturating_mul(8).saturating_add(n_around))?;
    let out_of_memory = || source.out_of_memory(n_limbs.saturating_mul(8));
    if !source.budget().allows(n_limbs.saturating_mul(8)) {
        return Err(out_of_memory());
    }
    Ok(Header {
        kind,
        n_rows: usize::try_from(n_rows).map_err(|_| out_of_memory())?,
        n_cols: usize::try_from(n_cols).map_err(|_| out_of_memory())?,
        n_limbs: u64::try_from(n_limbs).map_err(|_| out_of_memory())?,
    })
}

fn wrong_kind(source: &Source, kind: u32, known: &str) -> Fault {
    Box::new(source.fault(Code::BadFormat, format!("unknown kind of value {kind}")).note(known))
}

/// Compares the length implied by the header with that of the file.
fn check_size(source: &Source, expected: u128) -> Result<(), Fault> {
    match source.size_hint().map(u128::from) {
        Some(actual) if actual != expected => {
            let code = match actual < expected {
                true => Code::Truncated,
                false => Code::HeaderLies,
            };
            let bytes = text::count(expected, "byte");
            let message = format!("the header implies {bytes}, but the file has {actual}");
            Err(source.fault(code, message))
        }
        _ => Ok(()),
    }
}

/// Reads the limbs of all columns. A table whose size is confirmed by the length of the file is
/// allocated at once; any other grows as data arrives.
fn read_table(source: Source, crc: Hasher, header: Header) -> Result<BitTable, Fault> {
    let n_cols = header.n_cols;
    let mut limbs = LimbReader::new(source, crc, header);
    let table = limbs.columns(n_cols)?;
    limbs.end()?;
    Ok(table)
}

/// The limbs of a dense table, column after column.
struct LimbReader<'r, 'o> {
    source: Source<'r, 'o>,
    crc: Hasher,
    header: Header,
    /// Limbs read so far.
    n_read: u64,
    buffer: Vec<u8>,
}

impl<'r, 'o> LimbReader<'r, 'o> {
    fn new(source: Source<'r, 'o>, crc: Hasher, header: Header) -> Self {
        LimbReader { source, crc, header, n_read: 0, buffer: vec![0; CHUNK] }
    }

    /// Reads the next columns.
    fn columns(&mut self, n_cols: usize) -> Result<BitTable, Fault> {
        let LimbReader { source, crc, header, n_read, buffer } = self;
        let out_of_memory = |source: &Source| source.out_of_memory(u128::from(header.n_limbs) * 8);
        let mut n_left = header.n_rows.div_ceil(64) as u64 * n_cols as u64;
        let is_sure = source.size_hint().is_some() || n_left == 0;
        let mut table = BitTable::zeros(header.n_rows, if is_sure { n_cols } else { 0 })
            .map_err(|_| out_of_memory(source))?;
        let (mut col_idx, mut at) = (0, 0);
        while n_left > 0 {
            let n_now = n_left.min(CHUNK as u64 / 8);
            let bytes = &mut buffer[..n_now as usize * 8];
            let n_bytes = source.fill(bytes)?;
            if n_bytes < bytes.len() {
                let (n_read, n_limbs) = (*n_read + n_bytes as u64 / 8, header.n_limbs);
                let message = format!("the file ends after {n_read} of {n_limbs} limbs");
                return Err(source.fault(Code::Truncated, message));
            }
            crc.update(bytes);
            let (mut whole, _) = bytes.as_chunks::<8>(); // there is no remainder
            while !whole.is_empty() {
                if table.n_cols() == col_idx {
                    table.resize_columns(col_idx + 1).map_err(|_| out_of_memory(source))?;
                }
                let column = &mut table.column_limbs_mut(col_idx)[at..];
                let n_here = column.len().min(whole.len());
                let (now, later) = whole.split_at(n_here);
                for (limb, bytes) in column.iter_mut().zip(now) {
                    *limb = u64::from_le_bytes(*bytes);
                }
                whole = later;
                at += n_here;
                if at == table.column_len() {
                    check_tail(source, &table, col_idx)?;
                    (col_idx, at) = (col_idx + 1, 0);
                }
            }
            n_left -= n_now;
            *n_read += n_now;
        }
        Ok(table)
    }

    /// Reads the end of the file.
    fn end(mut self) -> Result<(), Fault> {
        check_end(&mut self.source, self.crc)
    }
}

/// Checks that the bits beyond the last row are zero.
fn check_tail(source: &Source, table: &BitTable, col_idx: usize) -> Result<(), Fault> {
    let n_used = table.n_rows() % 64;
    match table.column_limbs(col_idx).last() {
        Some(tail) if n_used > 0 && tail >> n_used != 0 => {
            Err(source.fault(Code::BadFormat, "a one beyond the last row"))
        }
        Some(_) | None => Ok(()),
    }
}

/// Reads the checksum and the end of the file.
fn check_end(source: &mut Source, crc: Hasher) -> Result<(), Fault> {
    let mut bytes = [0; CRC_BYTES + 1];
    let n_bytes = source.fill(&mut bytes)?;
    if n_bytes < CRC_BYTES {
        return Err(source.fault(Code::Truncated, "the file ends in its checksum"));
    }
    if number(&bytes[..CRC_BYTES]) != u64::from(crc.finalize()) {
        let fault = source.fault(Code::BadFormat, "the checksum does not match");
        return Err(Box::new(fault.note("the file was damaged after it was written")));
    }
    if n_bytes > CRC_BYTES {
        return Err(source.fault(Code::HeaderLies, "bytes after the checksum"));
    }
    Ok(())
}

/// Converts up to eight bytes, least significant first, to a number.
fn number(bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    for (to, from) in wide.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_le_bytes(wide)
}

fn wrong_magic(source: &Source, bytes: &[u8]) -> Fault {
    let quoted = text::quote(bytes);
    let message = format!("expected `STARTBL` at the start of the file, found {quoted}");
    source.fault(Code::BadFormat, message)
}
