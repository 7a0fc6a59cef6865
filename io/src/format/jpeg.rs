//! JPEG, `.jpg`: read only, since writing would change the numbers.
//!
//! Gray pictures give one 8-bit field, all others the 8-bit fields red, green and blue.

use std::io::Write;

use star_base::Code;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;

use super::raster::{self, Extent, Stored};
use super::{ReadResult, cannot_hold};
use crate::data::OutputRef;
use crate::error::Fault;
use crate::source::Source;

/// The first bytes of every file.
pub(crate) const MAGIC: [u8; 3] = *b"\xff\xd8\xff";

/// Maximum number of pixels per byte: a block of 8 × 8 has a code of at least one bit.
const MAX_RATIO: u64 = 512;

/// Bytes of a sample during decoding: coefficients, planes and the result.
const WORK_BYTES: u64 = 8;

/// Reads a picture.
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let bytes = source.read_all(&[&MAGIC])?;
    let n_file_bytes = bytes.len();
    let pixels = check_end(&source, &bytes)?;
    let side = usize::from(u16::MAX);
    let options = DecoderOptions::default().set_max_width(side).set_max_height(side);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(&bytes[..]), options);
    decoder.decode_headers().map_err(|e| fault(&source, &e))?;
    let (Some(info), Some(color)) = (decoder.info(), decoder.input_colorspace()) else {
        return Err(raster::damaged(&source, "JPEG", &"it contains no picture"));
    };
    let (names, color): (&[&str], _) = match color {
        ColorSpace::Luma => (&["gray"], ColorSpace::Luma),
        _ => (&["red", "green", "blue"], ColorSpace::RGB),
    };
    let n_bands = usize::from(info.components).max(names.len());
    let size = (u64::from(info.width), u64::from(info.height));
    let one_band =
        Stored { n_bands: 1, bits_per_sample: 8, max_ratio: MAX_RATIO, n_bytes: n_file_bytes };
    one_band.check(&source, size)?;
    let extent = Extent::new(&source, size, n_bands, WORK_BYTES, n_file_bytes)?;
    decoder.set_options(options.jpeg_set_out_colorspace(color));
    let samples = decoder.decode().map_err(|e| fault(&source, &e))?;
    if samples.len() != extent.n_pixels() * names.len() {
        return Err(raster::damaged(&source, "JPEG", &"the sizes do not agree"));
    }
    let mut fields = raster::take_apart(&mut source, &samples, names, 8, i64::from)?;
    let mut warnings = Vec::new();
    let orientation = raster::exif_orientation(exif(&bytes, pixels), &mut warnings);
    let extent = raster::orient(&mut source, extent, &mut fields, orientation)?;
    if end_of_picture(&bytes, pixels).is_some_and(|end| end < n_file_bytes) {
        warnings.push(raster::BYTES_BEHIND.to_owned());
    }
    Ok((raster::scaled_grid(&source, extent, fields)?, warnings.into()))
}

/// Rejects all values.
pub(crate) fn write(value: OutputRef<'_>, _: &mut dyn Write) -> Result<(), Fault> {
    let fault = cannot_hold(value, "JPEG", "pictures with lossy compression");
    Err(Box::new(fault.help("write it to a `.png` file")))
}

/// Checks that the picture has an end marker, because the decoder accepts a picture without one and
/// fills the missing part with gray. Returns where the pixels begin.
fn check_end(source: &Source, bytes: &[u8]) -> Result<usize, Fault> {
    if bytes.len() < MAGIC.len() {
        return Err(raster::truncated(source));
    }
    if !bytes.starts_with(&MAGIC) {
        return Err(raster::damaged(source, "JPEG", &"it does not begin like one"));
    }
    // Segments before the pixels carry their length; they may contain whole pictures.
    let mut at = 2;
    loop {
        match bytes[at..] {
            [0xff, 0xff, ..] => at += 1,
            [0xff, 0xda, ..] => break,                 // the pixels begin
            [0xff, 0x01 | 0xd0..=0xd7, ..] => at += 2, // without a length
            [0xff, marker, high, low, ..] => {
                let end = at + 2 + usize::from(u16::from_be_bytes([high, low]));
                let Some(segment) = bytes.get(at + 4..end.max(at + 4)) else {
                    return Err(raster::truncated(source));
                };
                if is_frame(marker) && !has_most_samples_first(segment) {
                    let reason = "brightness has fewer samples than a colour";
                    return Err(raster::damaged(source, "JPEG", &reason));
                }
                at = end;
            }
            [0xff] | [0xff, _] | [0xff, _, _] | [] => return Err(raster::truncated(source)),
            [_, ..] => at += 1, // bytes between the segments are skipped
        }
    }
    match bytes[at..].windows(2).any(|pair| pair == [0xff, 0xd9]) {
        true => Ok(at),
        false => Err(raster::truncated(source)),
    }
}

/// The Exif data among the segments before the pixels at `end`.
fn exif(bytes: &[u8], end: usize) -> Option<&[u8]> {
    let mut at = 2;
    while at < end {
        match bytes.get(at..end)? {
            [0xff, 0x01 | 0xd0..=0xd7, ..] => at += 2, // without a length
            [0xff, marker @ 0x02..=0xfe, high, low, ..] => {
                let next = at + 2 + usize::from(u16::from_be_bytes([*high, *low]));
                let segment = bytes.get(at + 4..next)?;
                match segment.strip_prefix(b"Exif\0\0") {
                    Some(exif) if *marker == 0xe1 => return Some(exif),
                    Some(_) | None => at = next,
                }
            }
            [_, ..] => at += 1,
            [] => return None,
        }
    }
    None
}

/// Returns whether the segment after this marker describes the layout of the pixels.
fn is_frame(marker: u8) -> bool {
    matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc)
}

/// Returns whether no component has more samples, across or down, than the first one. The decoder
/// relies on it.
fn has_most_samples_first(frame: &[u8]) -> bool {
    // Precision, height, width, number of components; then number, samples and table of each
    // component.
    let samples = frame.get(6..).unwrap_or(&[]).chunks_exact(3).map(|component| component[1]);
    let sides = |samples: u8| (samples >> 4, samples & 15);
    let (mut samples, first) = (samples.clone(), samples.map(sides).next());
    first.is_none_or(|(across, down)| {
        samples.all(|samples| sides(samples).0 <= across && sides(samples).1 <= down)
    })
}

/// The end of the picture whose pixels begin with the marker at `at`, if everything in between is
/// valid.
fn end_of_picture(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match bytes.get(at..)? {
            [0xff, 0xd9, ..] => return Some(at + 2),
            // Bytes of pixels, with one value escaped as two bytes, and restart markers.
            [0xff, 0x00 | 0x01 | 0xd0..=0xd7, ..] => at += 2,
            [0xff, 0xff, ..] => at += 1,
            [0xff, _, high, low, ..] => {
                at += 2 + usize::from(u16::from_be_bytes([*high, *low]));
            }
            [0xff] | [0xff, _] | [0xff, _, _] | [] => return None,
            [_, ..] => at += 1,
        }
    }
}

fn fault(source: &Source, error: &DecodeErrors) -> Fault {
    match error {
        DecodeErrors::ExhaustedData => raster::truncated(source),
        DecodeErrors::LargeDimensions(_) => {
            source.fault(Code::DoesNotFit, "a picture with more than 65535 rows or columns")
        }
        DecodeErrors::Format(_)
        | DecodeErrors::FormatStatic(_)
        | DecodeErrors::IllegalMagicBytes(_)
        | DecodeErrors::HuffmanDecode(_)
        | DecodeErrors::ZeroError
        | DecodeErrors::DqtError(_)
        | DecodeErrors::SosError(_)
        | DecodeErrors::SofError(_)
        | DecodeErrors::Unsupported(_)
        | DecodeErrors::MCUError(_)
        | DecodeErrors::TooSmallOutput(..)
        | DecodeErrors::IoErrors(_) => raster::damaged(source, "JPEG", error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_component_has_more_samples_than_the_first_one() {
        let frame = |samples: &[u8]| {
            let components = samples.iter().flat_map(|samples| [1, *samples, 0]);
            [8, 0, 40, 0, 48, samples.len() as u8]
                .into_iter()
                .chain(components)
                .collect::<Vec<u8>>()
        };
        for samples in [&[0x11][..], &[0x22, 0x11, 0x11], &[0x21, 0x21, 0x11], &[]] {
            assert!(has_most_samples_first(&frame(samples)), "{samples:x?}");
        }
        for samples in [&[0x11, 0x22, 0x11][..], &[0x21, 0x11, 0x12], &[0x12, 0x21]] {
            assert!(!has_most_samples_first(&frame(samples)), "{samples:x?}");
        }
    }
}
