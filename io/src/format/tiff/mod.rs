//! TIFF, `.tif`: reading of bands with 1 to 64 bits: gray, palettes, colours, any number of further
//! bands; uncompressed, PackBits, LZW and deflate; in strips and tiles. GeoTIFF extensions are
//! ignored, except GDAL's marker of missing samples. Strips and tiles that are not stored hold this
//! number, or zeros.
//!
//! Samples are not scaled; palette pictures give their indices (a field `index`), and only gray
//! with white as zero is inverted. Floating-point samples must be whole numbers or need `scale=`.
//! Of several pictures only the first is read.

mod directory;
mod header;
mod samples;

use std::io::{Cursor, ErrorKind, Write};

use star_base::Code;
use tiff::decoder::{ChunkType, Decoder, Limits};
use tiff::tags::{CompressionMethod, PlanarConfiguration, Tag};
use tiff::{ColorType, TiffError, TiffResult};

pub(in crate::format) use self::directory::exif_orientation;
use self::header::Header;
use self::samples::{Chunk, Nodata, SampleKind, StripRegion};
use super::raster::{self, DEFLATE_RATIO, Extent, Stored};
use super::{ReadResult, ReaderNotes, cannot_hold};
use crate::data::OutputRef;
use crate::error::Fault;
use crate::numbers::Field;
use crate::source::Source;
use crate::text;

/// The first bytes of the four variants: two byte orders, offsets of 32 and 64 bits.
pub(crate) const MAGICS: [[u8; 4]; 4] = [*b"II*\0", *b"MM\0*", *b"II+\0", *b"MM\0+"];

/// Maximum expansion.
const PACK_BITS_RATIO: u64 = 64;
const LZW_RATIO: u64 = 2731; // 12 bits for at most 4096 bytes

/// Bytes of a sample while its strip or tile is decoded, unpacked bits included.
const WORK_BYTES: u64 = 9;

/// Bytes that the decoder needs for a value of a tag.
const VALUE_BYTES: u64 = 32;

/// The bits that relate a picture to the others of its file.
const SMALLER: u32 = 1;
const MASK: u32 = 4;

type FileDecoder<'a> = Decoder<Cursor<&'a [u8]>>;

/// The layout of the picture in the file.
struct Layout {
    extent: Extent,
    bits: usize,
    is_planar: bool,
    chunk_width: usize,
    chunk_height: usize,
    /// The stored bytes of each strip or tile; none of a missing one.
    chunk_bytes: Vec<u64>,
}

/// Reads the bands of a picture.
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let mut bytes = source.read_all(&MAGICS.each_ref().map(|magic| &magic[..]))?;
    if bytes.len() < 4 {
        return Err(raster::truncated(&source));
    }
    check_values(&source, &bytes)?;
    let prepared = header::prepare(&mut bytes);
    let Header { meaning, orientation, kind, n_from_alpha, nodata, transform, mut warnings } =
        prepared.map_err(|reason| raster::damaged(&source, "TIFF", &reason))?;
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(source.max_bytes()).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = bytes.len();
    let decoder = Decoder::new(Cursor::new(&bytes[..])).map_err(|e| fault(&source, &e))?;
    let mut decoder = decoder.with_limits(limits);
    let layout = layout(&source, &mut decoder, bytes.len())?;
    let names = header::band_names(meaning, layout.extent.n_bands);

    let mut fields = Vec::with_capacity(names.len());
    for name in &names {
        let zeros = std::iter::repeat_n(0, layout.extent.n_pixels());
        fields.push(raster::field(&mut source, name, None, layout.extent.n_pixels(), zeros)?);
    }
    let is_inverted = meaning == Some(header::WHITE_IS_ZERO);
    let missing = nodata.as_deref().map(|text| {
        Nodata::parse(text, kind, layout.bits, is_inverted, source.scaling()).map_err(|()| {
            let text = text::quote(text.as_bytes());
            warnings.push(format!("the nodata value {text} in `GDAL_NODATA` is not a number"));
        })
    });
    let nan = (kind == SampleKind::Float && source.nan_is_missing()).then_some(Nodata::NAN);
    let missing = missing.and_then(Result::ok).flatten().or(nan);
    // A missing strip holds the number of missing samples, or zeros before the inversion.
    let fill = match (missing, is_inverted && kind == SampleKind::Unsigned) {
        (Some(missing), _) => missing.marker,
        (None, true) => i64::MAX >> 63usize.saturating_sub(layout.bits),
        (None, false) => 0,
    };
    read_chunks(&mut source, &mut decoder, &layout, (missing, fill), &mut fields)?;
    let is_index = meaning == Some(header::PALETTE);
    for field in fields.iter_mut().filter(|_| kind == SampleKind::Unsigned) {
        let is_mask = is_index && field.values.iter().all(|value| (0..=1).contains(value));
        field.bits = Some(if is_mask { 1 } else { layout.bits.min(63) });
    }
    if has_more_pictures(&mut decoder) {
        warnings.push("only the first picture of several is read".to_owned());
    }
    let marker = missing.map(|missing| missing.marker);
    let marker = marker.filter(|marker| fields.iter().any(|it| it.values.contains(marker)));
    let missing = marker.and(nodata).map(|text| {
        let text = text::quote(text.as_bytes());
        format!("the file marks missing samples with the nodata value {text}")
    });
    let n_from_alpha = n_from_alpha.and_then(|n| usize::try_from(n).ok());
    let alpha = n_from_alpha.and_then(|n| names.get(names.len().checked_sub(n)?));
    let alpha = alpha.map(|name| {
        format!("the file marks `{name}` as alpha, which programs also do with near infrared")
    });
    let notes = alpha.into_iter().chain(missing).collect();
    for field in &mut fields {
        field.nodata = marker.filter(|marker| field.values.contains(marker));
    }
    let extent = raster::orient(&mut source, layout.extent, &mut fields, orientation)?;
    let data = match kind {
        // The samples are multiplied already.
        SampleKind::Float => {
            let scaling = source.scaling();
            let fields = fields.into_iter().map(|field| field.scaled(scaling)).collect();
            raster::grid(extent, fields)
        }
        SampleKind::Unsigned | SampleKind::Signed => raster::scaled_grid(&source, extent, fields)?,
    };
    Ok((data, ReaderNotes { warnings, notes, transform, ..ReaderNotes::default() }))
}

/// Rejects lists that do not fit in the file or in memory: the decoder reads those of the first
/// picture before a limit can be set.
fn check_values(source: &Source, bytes: &[u8]) -> Result<(), Fault> {
    let n_values = header::n_values(bytes);
    if n_values > bytes.len() as u64 {
        return Err(raster::truncated(source));
    }
    match source.budget().allows(n_values.saturating_mul(VALUE_BYTES).into()) {
        true => Ok(()),
        false => Err(fault(source, &TiffError::LimitsExceeded)),
    }
}

/// Rejects all values.
pub(crate) fn write(value: OutputRef<'_>, _: &mut dyn Write) -> Result<(), Fault> {
    let fault = cannot_hold(value, "TIFF", "pictures, and is read only");
    Err(Box::new(fault.help("write it to a `.png` or `.npy` file")))
}

/// Returns whether there are pictures other than the first one, its thumbnails and masks.
/// Unreadable ones are ignored.
fn has_more_pictures(decoder: &mut FileDecoder<'_>) -> bool {
    while decoder.more_images() && decoder.next_image().is_ok() {
        match decoder.find_tag_unsigned::<u32>(Tag::NewSubfileType) {
            Ok(Some(kind)) if kind & (SMALLER | MASK) != 0 => {}
            Ok(_) => return true,
            Err(_) => return false,
        }
    }
    false
}

/// Compares the sizes with the budget and the length of the file before decoding.
fn layout(
    source: &Source,
    decoder: &mut FileDecoder<'_>,
    n_file_bytes: usize,
) -> Result<Layout, Fault> {
    let fault = |error: TiffError| fault(source, &error);
    let (width, height) = decoder.dimensions().map_err(fault)?;
    let n_bands = tag(decoder, Tag::SamplesPerPixel, 1).map_err(fault)?;
    let compression = tag(decoder, Tag::Compression, 1).map_err(fault)?;
    let planar = tag(decoder, Tag::PlanarConfiguration, 1).map_err(fault)?;
    let bits = match decoder.colortype().map_err(fault)? {
        ColorType::Gray(bits) => bits,
        ColorType::Multiband { bit_depth, num_samples: _ } => bit_depth,
        other => {
            let reason = format!("unsupported colours {other:?}");
            return Err(raster::damaged(source, "TIFF", &reason));
        }
    };
    let bits = usize::from(bits);
    let ratio = match CompressionMethod::from_u16(compression) {
        Some(CompressionMethod::Deflate | CompressionMethod::OldDeflate) => DEFLATE_RATIO,
        Some(CompressionMethod::LZW) => LZW_RATIO,
        Some(CompressionMethod::PackBits) => PACK_BITS_RATIO,
        Some(CompressionMethod::None) => 1,
        _ => {
            let reason = format!("unsupported compression {compression}");
            let fault = *raster::damaged(source, "TIFF", &reason);
            return Err(Box::new(
                fault
                    .note("files without compression, or with PackBits, LZW or deflate, are read")
                    .help("`gdal_translate -co COMPRESS=DEFLATE OLD.tif NEW.tif` converts one"),
            ));
        }
    };
    let size = (u64::from(width), u64::from(height));
    let n_bands = usize::from(n_bands);
    let stored = Stored { n_bands, bits_per_sample: bits, max_ratio: ratio, n_bytes: n_file_bytes };
    let (offsets, chunk_bytes) = chunk_places(source, decoder)?;
    if !chunk_bytes.contains(&0) {
        stored.check(source, size)?;
    }
    let extent = Extent::new(source, size, n_bands, WORK_BYTES, n_file_bytes)?;
    // A tile may be larger than the picture.
    let (width, height) = decoder.chunk_dimensions();
    let size = (u64::from(width), u64::from(height));
    let is_stored = chunk_bytes.iter().any(|&n_bytes| n_bytes > 0);
    if decoder.get_chunk_type() == ChunkType::Tile && is_stored {
        stored.check(source, size)?;
    }
    let chunk = Extent::new(source, size, n_bands, WORK_BYTES, n_file_bytes)?;
    check_chunks_inside(source, &offsets, &chunk_bytes, n_file_bytes)?;
    let is_planar = planar == PlanarConfiguration::Planar.to_u16();
    let (chunk_width, chunk_height) = (chunk.width, chunk.height);
    let layout = Layout { extent, bits, is_planar, chunk_width, chunk_height, chunk_bytes };
    if ratio == 1 {
        let is_tiled = decoder.get_chunk_type() == ChunkType::Tile;
        check_chunks_whole(source, &layout, is_tiled)?;
    }
    Ok(layout)
}

/// Rejects uncompressed strips and tiles with fewer bytes than their samples: the decoder would
/// continue with the bytes after them.
fn check_chunks_whole(source: &Source, layout: &Layout, is_tiled: bool) -> Result<(), Fault> {
    let Layout { ref extent, bits, is_planar, chunk_width, chunk_height, ref chunk_bytes } =
        *layout;
    let n_down = extent.height.div_ceil(chunk_height);
    let n_bands = if is_planar { 1 } else { extent.n_bands };
    let row_bytes = (chunk_width as u64 * n_bands as u64 * bits as u64).div_ceil(8);
    let n_planes = if is_planar { extent.n_bands } else { 1 };
    let n_chunks = n_planes * n_down * extent.width.div_ceil(chunk_width);
    let stored = chunk_bytes.iter().enumerate().take(n_chunks).filter(|(_, n_bytes)| **n_bytes > 0);
    for (idx, &n_bytes) in stored {
        let n_rows = match is_tiled {
            true => chunk_height,
            false => chunk_height.min(extent.height - idx % n_down * chunk_height),
        };
        let n_needed = row_bytes * n_rows as u64;
        if n_bytes < n_needed {
            let what = if is_tiled { "tile" } else { "strip" };
            let n_bytes = text::counted(n_bytes, "bytes");
            let reason = format!("{what} {} has {n_bytes}, but needs {n_needed}", idx + 1);
            return Err(raster::damaged(source, "TIFF", &reason));
        }
    }
    Ok(())
}

/// Returns the offset and the number of bytes of every strip or tile; 0 bytes of one that is not
/// stored.
fn chunk_places(
    source: &Source,
    decoder: &mut FileDecoder<'_>,
) -> Result<(Vec<u64>, Vec<u64>), Fault> {
    let (offsets, lens) = match decoder.get_chunk_type() {
        ChunkType::Strip => (Tag::StripOffsets, Tag::StripByteCounts),
        ChunkType::Tile => (Tag::TileOffsets, Tag::TileByteCounts),
    };
    let mut list = |tag| {
        let numbers = decoder.find_tag_unsigned_vec::<u64>(tag);
        numbers.map(Option::unwrap_or_default).map_err(|e| fault(source, &e))
    };
    Ok((list(offsets)?, list(lens)?))
}

/// Rejects strips and tiles in the header, and those beyond the end of the file: a decoder may
/// finish before the last byte.
fn check_chunks_inside(
    source: &Source,
    offsets: &[u64],
    lens: &[u64],
    n_file_bytes: usize,
) -> Result<(), Fault> {
    if offsets.iter().zip(lens).any(|(offset, len)| *offset == 0 && *len > 0) {
        let reason = "a strip or tile begins at byte 0, where the header is";
        return Err(raster::damaged(source, "TIFF", &reason));
    }
    let mut ends = offsets.iter().zip(lens).map(|(offset, len)| offset.saturating_add(*len));
    match ends.any(|end| end > n_file_bytes as u64) {
        true => Err(raster::truncated(source)),
        false => Ok(()),
    }
}

fn tag(decoder: &mut FileDecoder<'_>, tag: Tag, default: u16) -> TiffResult<u16> {
    Ok(decoder.find_tag_unsigned(tag)?.unwrap_or(default))
}

/// Decodes all strips or tiles; a missing one is filled with a number.
fn read_chunks(
    source: &mut Source,
    decoder: &mut FileDecoder<'_>,
    layout: &Layout,
    (nodata, fill): (Option<Nodata>, i64),
    fields: &mut [Field],
) -> Result<(), Fault> {
    let Layout { extent, bits, is_planar, chunk_width, chunk_height, ref chunk_bytes } = *layout;
    let n_across = extent.width.div_ceil(chunk_width);
    let n_down = extent.height.div_ceil(chunk_height);
    let n_planes = if is_planar { fields.len() } else { 1 };
    for plane in 0..n_planes {
        let bands = if is_planar { &mut fields[plane..=plane] } else { &mut *fields };
        for chunk_idx in 0..n_across * n_down {
            source.go_on()?;
            let (top, left) =
                (chunk_idx / n_across * chunk_height, chunk_idx % n_across * chunk_width);
            let place = StripRegion {
                top,
                left,
                height: chunk_height.min(extent.height - top),
                width: chunk_width.min(extent.width - left),
                grid_width: extent.width,
            };
            let number = plane * n_across * n_down + chunk_idx;
            if chunk_bytes.get(number) == Some(&0) {
                samples::fill(fill, &place, bands);
                continue;
            }
            let number = u32::try_from(number);
            let number = number.map_err(|_| raster::damaged(source, "TIFF", &"too many strips"))?;
            let decoded = decoder.read_chunk(number).map_err(|e| fault(source, &e))?;
            let chunk = Chunk { decoded, bits, scaling: source.scaling(), nodata };
            if chunk.n_samples(&place, bands.len()) < place.height * place.width * bands.len() {
                return Err(raster::truncated(source));
            }
            let placed = chunk.place(&place, bands);
            placed.map_err(|(row, col, error)| {
                let place = format!(" in row {}, column {}", row + 1, col + 1);
                error.fault(source.file(), &place)
            })?;
        }
    }
    Ok(())
}

fn fault(source: &Source, error: &TiffError) -> Fault {
    match error {
        TiffError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            raster::truncated(source)
        }
        TiffError::LimitsExceeded => {
            source.fault(Code::DoesNotFit, "a part of the file exceeds the memory budget")
        }
        TiffError::FormatError(error) => raster::damaged(source, "TIFF", error),
        TiffError::UnsupportedError(error) => raster::damaged(source, "TIFF", error),
        TiffError::IoError(_) | TiffError::IntSizeError | TiffError::UsageError(_) => {
            raster::damaged(source, "TIFF", error)
        }
    }
}
