//! Portable Network Graphics, `.png`: gray of 1, 2, 4, 8 and 16 bits, colours of 8 and 16 bits,
//! with and without alpha, palettes.
//!
//! Samples are not scaled. Palettes are resolved to the fields red, green and blue, and alpha if
//! present; if the options say so, the palette indices become one field, `index`. A colour that
//! marks transparent pixels (a `tRNS` chunk of a picture without palette) is kept, with a warning.
//! Of an animation only the first picture is read.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, BufRead, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};

use png::{
    BitDepth, ColorType, Compression, Decoder, DecodingError, Encoder, EncodingError, Limits,
};
use png::{Info, Transformations};
use star_base::Code;

use super::ReadResult;
use super::picture::{Channels, Picture};
use super::raster::{self, DEFLATE_RATIO, Extent, Stored};
use crate::data::OutputRef;
use crate::error::{Fault, Stopped};
use crate::numbers::Field;
use crate::source::Source;

/// The first bytes of every file.
pub(crate) const MAGIC: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// The number of pixels from which a picture is compressed for speed.
const LARGE: u64 = 1 << 18;

/// Reads a picture.
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let bytes = source.read_all(&[&MAGIC])?;
    let n_file_bytes = bytes.len();
    let max_bytes = usize::try_from(source.max_bytes()).unwrap_or(usize::MAX);
    let limits = Limits { bytes: max_bytes };
    let polled = RefCell::new(source);
    let mut decoder =
        Decoder::new_with_limits(Parts { bytes: &bytes, at: 0, source: &polled }, limits);
    decoder.set_transformations(Transformations::IDENTITY);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let source = || polled.borrow();
    let info = decoder.read_header_info().map_err(|e| fault(&source(), &e))?;
    let size = (u64::from(info.width), u64::from(info.height));
    let (color, bits) = (info.color_type, info.bit_depth as usize);
    // A picture with a palette has at most four fields.
    let n_bands = if color == ColorType::Indexed { 4 } else { color.samples() };
    let stored = Stored {
        n_bands: color.samples(),
        bits_per_sample: bits,
        max_ratio: DEFLATE_RATIO,
        n_bytes: n_file_bytes,
    };
    stored.check(&source(), size)?;
    let extent = Extent::new(&source(), size, n_bands, 2, n_file_bytes)?;

    let mut reader = decoder.read_info().map_err(|e| fault(&source(), &e))?;
    let len = reader.output_buffer_size();
    let len = len.ok_or_else(|| fault(&source(), &DecodingError::LimitsExceeded))?;
    let mut packed = Vec::new();
    packed.try_reserve_exact(len).map_err(|_| source().out_of_memory(len as u128))?;
    packed.resize(len, 0);
    reader.next_frame(&mut packed).map_err(|e| fault(&source(), &e))?;
    let info = reader.info().clone();
    reader.finish().map_err(|e| fault(&source(), &e))?; // checks the bytes after the pixels

    drop(reader);
    let mut source = polled.into_inner();
    let mut warnings = Vec::new();
    if info.trns.is_some() && color != ColorType::Indexed {
        warnings.push("one colour means transparent: it is kept like any other".to_owned());
    }
    if info.animation_control.is_some() {
        warnings.push("only the first picture of an animation is read".to_owned());
    }
    if end_of_picture(&bytes).is_some_and(|end| end < n_file_bytes) {
        warnings.push(raster::BYTES_BEHIND.to_owned());
    }
    let orientation = raster::exif_orientation(info.exif_metadata.as_deref(), &mut warnings);
    let mut fields = match color {
        ColorType::Indexed => palette_fields(&mut source, &info, &packed, extent, bits)?,
        ColorType::Grayscale | ColorType::GrayscaleAlpha | ColorType::Rgb | ColorType::Rgba => {
            plain_fields(&mut source, &packed, names(color), bits, extent.width)?
        }
    };
    let extent = raster::orient(&mut source, extent, &mut fields, orientation)?;
    Ok((raster::scaled_grid(&source, extent, fields)?, warnings.into()))
}

/// The bytes of the file in small parts, with polling for interruption between them: a part may
/// hold some millions of samples.
struct Parts<'a, 'r, 'o> {
    bytes: &'a [u8],
    at: usize,
    source: &'a RefCell<Source<'r, 'o>>,
}

impl Parts<'_, '_, '_> {
    const LEN: usize = 1 << 12;
}

impl Read for Parts<'_, '_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let part = self.fill_buf()?;
        let len = part.len().min(into.len());
        into[..len].copy_from_slice(&part[..len]);
        self.consume(len);
        Ok(len)
    }
}

impl BufRead for Parts<'_, '_, '_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.borrow_mut().go_on().map_err(|_| io::Error::other(Stopped))?;
        let rest = &self.bytes[self.at..];
        Ok(&rest[..rest.len().min(Self::LEN)])
    }

    fn consume(&mut self, n_bytes: usize) {
        self.at += n_bytes;
    }
}

impl Seek for Parts<'_, '_, '_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let mut cursor = Cursor::new(self.bytes);
        cursor.set_position(self.at as u64);
        let at = cursor.seek(to)?;
        self.at = usize::try_from(at).unwrap_or(usize::MAX).min(self.bytes.len());
        Ok(at)
    }
}

/// Writes a picture.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let picture = Picture::new(value, "PNG")?;
    let (color, bits) = match picture.channels {
        Channels::Gray => (ColorType::Grayscale, picture.bits.next_power_of_two()),
        Channels::GrayAlpha => (ColorType::GrayscaleAlpha, picture.bits.max(8)),
        Channels::Rgb => (ColorType::Rgb, picture.bits.max(8)),
        Channels::Rgba => (ColorType::Rgba, picture.bits.max(8)),
    };
    let depth = match bits {
        1 => BitDepth::One,
        2 => BitDepth::Two,
        4 => BitDepth::Four,
        5..=8 => BitDepth::Eight,
        _ => BitDepth::Sixteen, // a picture has at most 16 bits
    };
    let mut encoder = Encoder::new(out, picture.width, picture.height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if u64::from(picture.width) * u64::from(picture.height) >= LARGE {
        encoder.set_compression(Compression::Fast);
    }
    let mut writer = encoder.write_header().map_err(cannot_write)?;
    let mut stream = writer.stream_writer().map_err(cannot_write)?;
    let mut packed = Vec::new();
    picture.try_for_rows(|row| {
        packed.clear();
        pack(row, depth, &mut packed);
        stream.write_all(&packed).map_err(|e| super::cannot_write(&e))
    })?;
    stream.finish().map_err(cannot_write)?;
    writer.finish().map_err(cannot_write)
}

/// The end of the chunk `IEND`, if every chunk before it has a valid length.
fn end_of_picture(bytes: &[u8]) -> Option<usize> {
    let mut at = MAGIC.len();
    loop {
        let chunk = bytes.get(at..)?;
        let (len, kind) = (chunk.first_chunk::<4>()?, chunk.get(4..8)?);
        at = at.checked_add(12)?.checked_add(u32::from_be_bytes(*len) as usize)?;
        if kind == b"IEND" {
            return Some(at);
        }
    }
}

fn names(color: ColorType) -> &'static [&'static str] {
    match color {
        ColorType::Grayscale => &["gray"],
        ColorType::GrayscaleAlpha => &["gray", "alpha"],
        ColorType::Rgb => &["red", "green", "blue"],
        ColorType::Rgba => &["red", "green", "blue", "alpha"],
        ColorType::Indexed => &["index"],
    }
}

/// Fields of the samples in the order of the file.
fn plain_fields(
    source: &mut Source,
    packed: &[u8],
    names: &[&str],
    bits: usize,
    width: usize,
) -> Result<Vec<Field>, Fault> {
    match bits {
        16 => {
            let (pairs, _) = packed.as_chunks::<2>(); // there is no remainder
            let whole = |pair| i64::from(u16::from_be_bytes(pair));
            raster::take_apart(source, pairs, names, bits, whole)
        }
        8 => raster::take_apart(source, packed, names, bits, i64::from),
        _ => {
            let samples = raster::unpack_all(source, packed, bits, width * names.len())?;
            raster::take_apart(source, &samples, names, bits, i64::from)
        }
    }
}

/// The colours of the palette, or their indices.
fn palette_fields(
    source: &mut Source,
    info: &Info<'_>,
    packed: &[u8],
    extent: Extent,
    bits: usize,
) -> Result<Vec<Field>, Fault> {
    let Some(palette) = info.palette.as_deref() else {
        let message = "the picture has no palette: the chunk `PLTE` is missing";
        return Err(source.fault(Code::BadFormat, message));
    };
    let indices = raster::unpack_all(source, packed, bits, extent.width)?;
    let (colors, _) = palette.as_chunks::<3>();
    if let Some(beyond) = indices.iter().find(|&&index| usize::from(index) >= colors.len()) {
        let message = format!("a pixel has colour {beyond}, which is not in the palette");
        return Err(source.fault(Code::BadFormat, message));
    }
    if source.palette_indices() {
        // A picture with two colours is a mask.
        let bits = if indices.iter().all(|&index| index <= 1) { 1 } else { bits };
        return raster::take_apart(source, &indices, names(ColorType::Indexed), bits, i64::from);
    }
    let len = extent.n_pixels();
    let mut fields = Vec::with_capacity(4);
    for (channel, name) in names(ColorType::Rgb).iter().enumerate() {
        source.go_on()?;
        let values = indices.iter().map(|&index| i64::from(colors[usize::from(index)][channel]));
        fields.push(raster::field(source, name, Some(8), len, values)?);
    }
    if let Some(alphas) = info.trns.as_deref() {
        let alpha = |&index: &u8| alphas.get(usize::from(index)).copied().unwrap_or(u8::MAX);
        let values = indices.iter().map(|index| i64::from(alpha(index)));
        fields.push(raster::field(source, "alpha", Some(8), len, values)?);
    }
    Ok(fields)
}

/// Appends a row in the depth of the file, padded to a whole byte.
fn pack(row: &[u16], depth: BitDepth, packed: &mut Vec<u8>) {
    let bits = match depth {
        BitDepth::One => 1,
        BitDepth::Two => 2,
        BitDepth::Four => 4,
        BitDepth::Eight => {
            packed.extend(row.iter().map(|&sample| sample as u8));
            return;
        }
        BitDepth::Sixteen => {
            packed.extend(row.iter().flat_map(|sample| sample.to_be_bytes()));
            return;
        }
    };
    for samples in row.chunks(8 / bits) {
        let last = 8 - bits;
        let byte = samples.iter().enumerate().fold(0, |byte, (idx, &sample)| {
            byte | (sample as u8) << (last - idx * bits) // the picture guarantees that it fits
        });
        packed.push(byte);
    }
}

fn fault(source: &Source, error: &DecodingError) -> Fault {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            raster::truncated(source)
        }
        DecodingError::IoError(error) if error.get_ref().is_some_and(|e| e.is::<Stopped>()) => {
            source.fault(Code::Interrupted, "interrupted")
        }
        DecodingError::IoError(error) => raster::damaged(source, "PNG", error),
        DecodingError::Format(error) => raster::damaged(source, "PNG", &chunk_names(error)),
        DecodingError::Parameter(error) => raster::damaged(source, "PNG", error),
        DecodingError::LimitsExceeded => {
            source.fault(Code::DoesNotFit, "a part of the file exceeds the memory budget")
        }
    }
}

/// The message of the decoder, with only the names of chunks instead of all their properties.
fn chunk_names(error: &dyn Display) -> String {
    let text = error.to_string();
    let mut pieces = text.split("ChunkType { type: ");
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // `IDAT, critical: true, … safecopy: false }`, where the name may be any four bytes.
        let (name, rest) = piece.split_once(", critical: ").unwrap_or((piece, ""));
        let rest = rest.split_once(" }").map_or(rest, |(_, behind)| behind);
        shown.push_str(&format!("`{name}`{rest}"));
    }
    shown
}

fn cannot_write(error: EncodingError) -> Fault {
    let error = match error {
        EncodingError::IoError(error) => error,
        EncodingError::Format(_) | EncodingError::Parameter(_) | EncodingError::LimitsExceeded => {
            std::io::Error::other(error)
        }
    };
    super::cannot_write(&error)
}
