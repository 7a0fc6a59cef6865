//! Ranges of lines of a file that several readers share, and what they tell each other.
//!
//! Several readers, each with its range, read every byte of a file once. All of them also read the
//! first lines, which determine its form: they are the start of every range, and their contents are
//! dropped again.
//!
//! Note [Cuts]. A range begins after a line end that follows a line with a character. So it does
//! not begin in the midst of blank lines, which are records or not depending on what follows them.
//! The line end may be one in quotes. Then the range before it ends within quotes, and its reader
//! fails: if no reader fails, then the first range begins a record, hence ends one, hence the
//! second range begins one, and so on.

use std::fmt::Display;
use std::io::{self, Read};
use std::ops::Range;

use crc32fast::Hasher;

use crate::data::LoadedFile;
use crate::scaling::ScalingUses;
use crate::source::CHUNK;

/// Fills a buffer with the bytes of a file at an offset.
pub(crate) type ReadAt<'a> = &'a dyn Fn(u64, &mut [u8]) -> io::Result<()>;

/// A part of a list or graph with what all parts have in common.
#[derive(Debug)]
pub struct JoinedPart {
    /// The records or arcs of the part, with summaries of the others; the remarks are those of the
    /// file.
    pub loaded: LoadedFile,
    /// The first record or arc of each part, from 0, and their number.
    pub starts: Vec<usize>,
    /// The number of bytes of the range.
    pub n_bytes: u64,
    /// A checksum of the file, the same in all parts of one division.
    pub checksum: u64,
}

/// Returns the end of the first range of a file of `n_bytes` bytes, and the range of the reader
/// `rank` of `n_parts` readers.
pub(crate) fn range_of(
    at: ReadAt<'_>,
    n_bytes: u64,
    (rank, n_parts): (usize, usize),
) -> io::Result<(u64, Range<u64>)> {
    let bound = |rank: usize| (u128::from(n_bytes) * rank as u128 / n_parts as u128) as u64;
    let cut = |rank: usize| match rank {
        0 => Ok(0),
        rank if rank == n_parts => Ok(n_bytes),
        rank => cut_after(at, bound(rank), n_bytes),
    };
    Ok((cut(1)?, cut(rank)?..cut(rank + 1)?))
}

/// Returns the first cut of a file after a byte; see Note [Cuts].
pub(crate) fn cut_after(at: ReadAt<'_>, from: u64, n_bytes: u64) -> io::Result<u64> {
    let (mut next, mut has_character) = (from, false);
    let mut buffer = vec![0; CHUNK.min(1 << 14)];
    while next < n_bytes {
        let n_now = (n_bytes - next).min(buffer.len() as u64) as usize;
        at(next, &mut buffer[..n_now])?;
        for (idx, byte) in buffer[..n_now].iter().enumerate() {
            match byte {
                b'\n' if has_character => return Ok(next + idx as u64 + 1),
                b'\n' | b'\r' | b' ' | b'\t' => {}
                _ => has_character = true,
            }
        }
        next += n_now as u64;
    }
    Ok(n_bytes)
}

/// The bytes of a range of a file.
pub(crate) struct RangeReader<'a> {
    at: ReadAt<'a>,
    next: u64,
    end: u64,
    /// The checksum of the bytes so far.
    crc: Hasher,
}

impl<'a> RangeReader<'a> {
    pub(crate) fn new(at: ReadAt<'a>, range: &Range<u64>) -> Self {
        RangeReader { at, next: range.start, end: range.end, crc: Hasher::new() }
    }

    /// Returns the checksum of the bytes that were read.
    pub(crate) fn checksum(&self) -> u64 {
        u64::from(self.crc.clone().finalize())
    }
}

impl Read for RangeReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_now = (self.end - self.next).min(buffer.len() as u64) as usize;
        let buffer = &mut buffer[..n_now];
        (self.at)(self.next, buffer)?;
        self.crc.update(buffer);
        self.next += n_now as u64;
        Ok(n_now)
    }
}

pub(crate) fn put(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

pub(crate) fn put_option(bytes: &mut Vec<u8>, text: Option<impl Display>) {
    put(bytes, u64::from(text.is_some()));
    if let Some(text) = text {
        put_text(bytes, &text.to_string());
    }
}

pub(crate) fn put_uses(
    bytes: &mut Vec<u8>,
    ScalingUses { n_values, n_lost, first_lost }: ScalingUses,
) {
    put(bytes, n_values);
    put(bytes, n_lost);
    put_option(bytes, first_lost);
}

/// The rest of a summary.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl Reader<'_> {
    pub(crate) fn uses(&mut self) -> Option<ScalingUses> {
        let (n_values, n_lost) = (self.number()?, self.number()?);
        let first_lost = self.option()?.and_then(|text| crate::Decimal::parse(&text));
        Some(ScalingUses { n_values, n_lost, first_lost })
    }

    /// Reads a number that may be missing.
    pub(crate) fn parsed<T: std::str::FromStr>(&mut self) -> Option<Option<T>> {
        Some(self.option()?.and_then(|text| text.parse().ok()))
    }

    pub(crate) fn option(&mut self) -> Option<Option<String>> {
        if self.number()? == 0 { Some(None) } else { self.text().map(Some) }
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let n_bytes = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(n_bytes)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*bytes))
    }
}
