//! The Netpbm formats: PBM (bits), PGM (gray) and PPM (colours), plain and binary. The first bytes
//! determine the variant, so all three share one reader; the writers use the binary variants.
//!
//! Samples are not scaled: 1 in a bit map is black, and a sample has as many bits as the maximum
//! value in the header needs. A file holds one picture.

pub(crate) mod pbm;
pub(crate) mod pgm;
pub(crate) mod ppm;
mod text;

use std::io::Write;

use star_base::Code;

use self::text::Text;
use super::picture::{Channels, Picture};
use super::raster::{self, Extent, Stored};
use super::{ReadResult, ReaderNotes, cannot_hold, cannot_write};
use crate::data::OutputRef;
use crate::error::{Fault, FileError};
use crate::numbers::Field;
use crate::source::Source;

/// The meaning of the digit after the `P`.
struct HeaderKind {
    names: &'static [&'static str],
    is_plain: bool,
    /// Whether samples are single bits, without a maximum value in the header.
    is_bit_map: bool,
}

impl HeaderKind {
    fn of(digit: u8) -> Option<Self> {
        const GRAY: &[&str] = &["gray"];
        const BLACK: &[&str] = &["black"];
        const COLORS: &[&str] = &["red", "green", "blue"];
        let (names, is_plain, is_bit_map) = match digit {
            b'1' => (BLACK, true, true),
            b'2' => (GRAY, true, false),
            b'3' => (COLORS, true, false),
            b'4' => (BLACK, false, true),
            b'5' => (GRAY, false, false),
            b'6' => (COLORS, false, false),
            _ => return None,
        };
        Some(HeaderKind { names, is_plain, is_bit_map })
    }

    /// Number of bits in which a binary file stores a sample of `bits` bits.
    fn stored_bits(&self, bits: usize) -> usize {
        match bits {
            1 if self.is_bit_map => 1,
            1..=8 => 8,
            _ => 16,
        }
    }
}

/// The first bytes of the six variants.
const MAGICS: [&[u8]; 6] = [b"P1", b"P2", b"P3", b"P4", b"P5", b"P6"];

/// Returns whether the bytes begin like one of these formats.
pub(crate) fn is_start(bytes: &[u8]) -> bool {
    match bytes {
        [b'P', digit, next, ..] => {
            HeaderKind::of(*digit).is_some() && (next.is_ascii_whitespace() || *next == b'#')
        }
        _ => false,
    }
}

fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let bytes = source.read_all(&MAGICS)?;
    let n_file_bytes = bytes.len();
    if !is_start(&bytes) {
        let code = if bytes.len() < 3 { Code::Truncated } else { Code::BadFormat };
        return Err(source.fault(code, "the file does not begin with `P1` to `P6`"));
    }
    let Some(kind) = HeaderKind::of(bytes[1]) else {
        return Err(source.fault(Code::BadFormat, "the file does not begin with `P1` to `P6`"));
    };
    let mut text = Text::new(&bytes, 2);
    let width = text.number(&source, "the width", u64::from(u32::MAX))?;
    let height = text.number(&source, "the height", u64::from(u32::MAX))?;
    let max = match kind.is_bit_map {
        true => 1,
        false => text.number(&source, "the maximum value", u64::from(u16::MAX))?,
    };
    if max == 0 {
        return Err(text.at_number(&source, Code::OutOfRange, "the maximum value is 0"));
    }
    let bits = 64 - max.leading_zeros() as usize;
    let (size, n_bands) = ((width, height), kind.names.len());
    let extent = |source: &Source| Extent::new(source, size, n_bands, 1, n_file_bytes);
    let fits = |bits_per_sample: usize, n_bytes: usize| {
        let stored = Stored { n_bands, bits_per_sample, max_ratio: 1, n_bytes };
        match stored.n_bytes_needed(size) > n_bytes as u128 {
            true => Err(raster::truncated(&source)),
            false => Ok(()),
        }
    };
    let (extent, fields) = if kind.is_plain {
        // A sample has at least a digit, and a preceding space unless it is a bit.
        let sample_bits = if kind.is_bit_map { 8 } else { 16 };
        fits(sample_bits, text.len())?;
        let extent = extent(&source)?;
        (extent, plain_fields(&mut source, &mut text, &kind, extent, max, bits)?)
    } else {
        let samples = text.samples(&source)?;
        fits(kind.stored_bits(bits), samples.len())?;
        let extent = extent(&source)?;
        (extent, binary_fields(&mut source, samples, &kind, extent, max, bits)?)
    };
    Ok((raster::scaled_grid(&source, extent, fields)?, ReaderNotes::default()))
}

/// Reads samples in decimal; those of a bit map need no separator.
fn plain_fields(
    source: &mut Source,
    text: &mut Text<'_>,
    kind: &HeaderKind,
    extent: Extent,
    max: u64,
    bits: usize,
) -> Result<Vec<Field>, Fault> {
    let n_pixels = extent.n_pixels();
    let mut fields = Vec::with_capacity(kind.names.len());
    for name in kind.names {
        fields.push(raster::field(source, name, Some(bits), n_pixels, std::iter::empty())?);
    }
    for idx in 0..n_pixels {
        if idx % (1 << 16) == 0 {
            source.go_on()?;
        }
        for field in &mut fields {
            let value = match kind.is_bit_map {
                true => text.bit(source)?,
                false => text.number(source, "a sample", max)?,
            };
            field.values.push(value as i64); // at most 65535
        }
    }
    text.end(source)?;
    Ok(fields)
}

/// Reads samples of one bit, one byte or two bytes, most significant byte first; the length was
/// checked.
fn binary_fields(
    source: &mut Source,
    samples: &[u8],
    kind: &HeaderKind,
    extent: Extent,
    max: u64,
    bits: usize,
) -> Result<Vec<Field>, Fault> {
    let row_len = extent.width * extent.n_bands;
    let n_bytes = (row_len * kind.stored_bits(bits)).div_ceil(8) * extent.height;
    let (samples, rest) = samples.split_at(n_bytes);
    if !rest.trim_ascii().is_empty() {
        return Err(source.fault(Code::HeaderLies, "bytes after the picture"));
    }
    let fields = match bits {
        1 if kind.is_bit_map => {
            let bits = raster::unpack_all(source, samples, 1, row_len)?;
            raster::take_apart(source, &bits, kind.names, 1, i64::from)?
        }
        1..=8 => raster::take_apart(source, samples, kind.names, bits, i64::from)?,
        _ => {
            let (pairs, _) = samples.as_chunks::<2>(); // there is no remainder
            let whole = |pair| i64::from(u16::from_be_bytes(pair));
            raster::take_apart(source, pairs, kind.names, bits, whole)?
        }
    };
    for values in fields.iter().flat_map(|field| field.values.chunks(raster::SAMPLES)) {
        source.go_on()?;
        if let Some(beyond) = values.iter().find(|&&value| value > max as i64) {
            let message = format!("sample {beyond} exceeds the maximum value {max}");
            return Err(source.fault(Code::OutOfRange, message));
        }
    }
    Ok(fields)
}

/// Writes gray or colours with samples of one or two bytes.
fn write_samples(
    value: OutputRef<'_>,
    out: &mut dyn Write,
    format: &str,
    magic: &str,
    channels: Channels,
) -> Result<(), Fault> {
    let picture = Picture::new(value, format)?;
    if picture.channels != channels {
        return Err(wrong_channels(value, format, channels));
    }
    let Picture { width, height, bits, .. } = picture;
    let max = (1u32 << bits) - 1;
    writeln!(out, "{magic}\n{width} {height}\n{max}").map_err(|e| cannot_write(&e))?;
    let mut bytes = Vec::new();
    picture.try_for_rows(|row| {
        bytes.clear();
        match bits {
            1..=8 => bytes.extend(row.iter().map(|&sample| sample as u8)), // guaranteed by `bits`
            _ => bytes.extend(row.iter().flat_map(|sample| sample.to_be_bytes())),
        }
        out.write_all(&bytes).map_err(|e| cannot_write(&e))
    })
}

fn wrong_channels(value: OutputRef<'_>, format: &str, channels: Channels) -> Fault {
    let holds = match channels {
        Channels::Gray => "a table, or a grid of one field",
        Channels::GrayAlpha => "a grid of two fields",
        Channels::Rgb => "a grid of three fields",
        Channels::Rgba => "a grid of four fields",
    };
    let fault: FileError = cannot_hold(value, format, holds);
    Box::new(fault.help("a `.png` file holds one to four fields"))
}
