//! The meaning of the bands of a TIFF file.
//!
//! Note [Bands]: the decoder exposes a picture only as colours. It drops bands that are not
//! colours, such as near infrared after red, green and blue, and rejects palettes. Therefore the
//! tag that gives the meaning of the samples is read here and then changed to gray in the bytes,
//! before the decoder reads them; the decoder accepts a gray picture with several samples per pixel
//! as that number of bands.

use super::directory::{Directory, UNREADABLE};
use super::samples::SampleKind;
use crate::options::Transform;

/// The tag that gives the meaning of the samples.
const PHOTOMETRIC: u64 = 262;

pub(super) const WHITE_IS_ZERO: u64 = 0;
const BLACK_IS_ZERO: u64 = 1;
const RGB: u64 = 2;
/// The samples are palette indices.
pub(super) const PALETTE: u64 = 3;
const MASK: u64 = 4;
const INKS: u64 = 5;

const HEIGHT: u64 = 257;
const COMPRESSION: u64 = 259;
const UNCOMPRESSED: u64 = 1;
const PACK_BITS: u64 = 32773;
const ROWS_PER_STRIP: u64 = 278;
const GRAY_RESPONSE_CURVE: u64 = 291;
const PREDICTOR: u64 = 317;
const INK_SET: u64 = 332;
const EXTRA_SAMPLES: u64 = 338;
const ASSOCIATED_ALPHA: u64 = 1;
const UNASSOCIATED_ALPHA: u64 = 2;
const SAMPLE_FORMAT: u64 = 339;
const PIXEL_SIZE: u64 = 33550;
const TIE_POINTS: u64 = 33922;
const PIXEL_MATRIX: u64 = 34264;
/// The key of the meaning of coordinates, and its value for those of centres.
const RASTER_TYPE: u64 = 1025;
const PIXEL_IS_POINT: u64 = 2;
const GDAL_METADATA: u64 = 42112;
const GDAL_NODATA: u64 = 42113;

/// Tags that change the meaning of the samples, with the only supported values.
const REFUSED: [(u64, &str, &[u64]); 9] = [
    (266, "FillOrder", &[1]),
    (274, "Orientation", &[1, 2, 3, 4, 5, 6, 7, 8]),
    (336, "DotRange", &[0]),
    (346, "Indexed", &[0]),
    (434, "Decode", &[]),
    (559, "StripRowCounts", &[]),
    (32997, "ImageDepth", &[1]),
    (32998, "TileDepth", &[1]),
    (50712, "LinearizationTable", &[]),
];

/// The tags for which the decoder reads complete lists of values.
const READ: [u64; 19] =
    [256, 257, 258, 259, 262, 273, 277, 278, 279, 284, 317, 322, 323, 324, 325, 338, 339, 347, 530];

/// Number of values that the decoder reads to describe the first picture.
pub(super) fn n_values(bytes: &[u8]) -> u64 {
    let Some(directory) = Directory::find(bytes) else { return 0 };
    let counts = directory.entries(bytes).filter(|(_, tag)| READ.contains(tag));
    let counts = counts.map(|(at, _)| directory.count(bytes, at).unwrap_or(0));
    counts.fold(0, u64::saturating_add)
}

/// Properties of the first picture that the decoder does not expose.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Header {
    /// The meaning of the samples.
    pub(super) meaning: Option<u64>,
    /// The directions of rows and columns, 1 to 8.
    pub(super) orientation: u64,
    pub(super) kind: SampleKind,
    /// The number of bands from the first one that is no colour to the last band, if the former is
    /// marked as alpha.
    pub(super) n_from_alpha: Option<u64>,
    /// The text of GDAL's marker of missing samples.
    pub(super) nodata: Option<String>,
    /// The coordinates of its pixels on a map.
    pub(super) transform: Option<Transform>,
    /// Warnings about properties that do not change the samples.
    pub(super) warnings: Vec<String>,
}

/// Changes the first picture in the bytes to what the decoder reads as bands, see Note [Bands], and
/// returns its properties. Malformed parts are left unchanged for the decoder to reject.
///
/// # Errors
/// The message about a tag that changes the meaning of the samples in an unsupported way.
pub(super) fn prepare(bytes: &mut [u8]) -> Result<Header, String> {
    let Some(directory) = Directory::find(bytes) else { return Ok(Header::default()) };
    for (tag, name, known) in REFUSED {
        if let Some(found) = directory.number(bytes, tag)
            && !known.contains(&found)
        {
            return Err(unsupported(tag, name, found));
        }
    }
    let number = |bytes: &[u8], tag, default| directory.number(bytes, tag).unwrap_or(default);
    let meaning = directory.number(bytes, PHOTOMETRIC);
    if meaning == Some(INKS) && number(bytes, INK_SET, 1) != 1 {
        return Err(unsupported(INK_SET, "InkSet", number(bytes, INK_SET, 1)));
    }
    if matches!(meaning, Some(RGB | PALETTE | MASK | INKS)) {
        directory.put(bytes, PHOTOMETRIC, BLACK_IS_ZERO);
    }
    // The default is "all rows", and any greater number means the same.
    let (height, rows) = (number(bytes, HEIGHT, 0), number(bytes, ROWS_PER_STRIP, 0));
    if height > 0 && rows > height && rows != UNREADABLE {
        directory.put(bytes, ROWS_PER_STRIP, height);
    }
    // Only some compressions have a predictor; the decoder would apply it to all.
    if matches!(number(bytes, COMPRESSION, UNCOMPRESSED), UNCOMPRESSED | PACK_BITS) {
        directory.put(bytes, PREDICTOR, 1);
    }
    let text = |tag| {
        let (range, _) = directory.values(bytes, tag)?;
        let text = String::from_utf8_lossy(bytes.get(range)?);
        Some(text.trim_end_matches('\0').trim().to_owned())
    };
    let mut warnings = Vec::new();
    let extra = number(bytes, EXTRA_SAMPLES, 0);
    let n_from_alpha = match extra {
        ASSOCIATED_ALPHA | UNASSOCIATED_ALPHA => directory.n_values(bytes, EXTRA_SAMPLES),
        _ => None,
    };
    if extra == ASSOCIATED_ALPHA {
        warnings.push("colours are stored multiplied by their alpha, and are kept so".to_owned());
    }
    if directory.number(bytes, GRAY_RESPONSE_CURVE).is_some() {
        warnings.push("the tag `GrayResponseCurve` does not change the samples".to_owned());
    }
    let metadata = text(GDAL_METADATA).unwrap_or_default();
    if ["role=\"scale\"", "role=\"offset\""].iter().any(|role| metadata.contains(role)) {
        warnings
            .push("the scale and offset in `GDAL_METADATA` do not change the samples".to_owned());
    }
    let kind = match number(bytes, SAMPLE_FORMAT, 1) {
        2 => SampleKind::Signed,
        3 => SampleKind::Float,
        _ => SampleKind::Unsigned,
    };
    let orientation = directory.orientation(bytes).unwrap_or(1);
    let nodata = text(GDAL_NODATA);
    // The coordinates of a turned picture are not those of its pixels in the file.
    let transform = transform(&directory, bytes).filter(|_| orientation == 1);
    Ok(Header { meaning, orientation, kind, n_from_alpha, nodata, transform, warnings })
}

/// Returns the coordinates of the pixels of a GeoTIFF file: those of one pixel with the size of
/// all, or a matrix.
fn transform(directory: &Directory, bytes: &[u8]) -> Option<Transform> {
    let is_point = directory.geo_key(bytes, RASTER_TYPE) == Some(PIXEL_IS_POINT);
    // Coordinates are those of the corners of pixels, or of their centres.
    let half = if is_point { 0.0 } else { 0.5 };
    let doubles = |tag| directory.doubles(bytes, tag);
    if let (Some(size), Some(tie)) = (doubles(PIXEL_SIZE), doubles(TIE_POINTS))
        && let ([right, down, ..], [column, row, _, x, y, _]) = (&size[..], &tie[..])
    {
        let first = [x + (half - column) * right, y - (half - row) * down];
        return Transform::of_world_file([*right, 0.0, 0.0, -down, first[0], first[1]]);
    }
    let matrix: [f64; 16] = doubles(PIXEL_MATRIX)?.try_into().ok()?;
    let [a, b, _, c, d, e, _, f, ..] = matrix;
    Transform::of_world_file([a, d, b, e, c + half * (a + b), f + half * (d + e)])
}

fn unsupported(tag: u64, name: &str, found: u64) -> String {
    let value = match found {
        UNREADABLE => "an unreadable value".to_owned(),
        found => format!("the value {found}"),
    };
    format!("unsupported tag `{name}` ({tag}) with {value}")
}

/// Names for the bands: colours, and numbers for all others, also for those marked as alpha:
/// programs that know four bands only as colours with alpha mark near infrared so.
pub(super) fn band_names(meaning: Option<u64>, n_bands: usize) -> Vec<String> {
    let colors: &[&str] = match meaning {
        Some(RGB) => &["red", "green", "blue"],
        Some(PALETTE) => &["index"],
        Some(MASK) => &["mask"],
        Some(INKS) => &["cyan", "magenta", "yellow", "black"],
        Some(_) | None if n_bands == 1 => &["gray"],
        Some(_) | None => &[],
    };
    let name = |band_idx: usize| match colors.get(band_idx) {
        Some(color) => (*color).to_owned(),
        None => format!("band{}", band_idx + 1),
    };
    (0..n_bands).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_named_after_their_meaning() {
        assert_eq!(band_names(Some(RGB), 3), ["red", "green", "blue"]);
        assert_eq!(band_names(Some(RGB), 4), ["red", "green", "blue", "band4"]);
        assert_eq!(band_names(Some(RGB), 1), ["red"]);
        assert_eq!(band_names(Some(PALETTE), 1), ["index"]);
        assert_eq!(band_names(Some(BLACK_IS_ZERO), 1), ["gray"]);
        assert_eq!(band_names(Some(BLACK_IS_ZERO), 3), ["band1", "band2", "band3"]);
        assert_eq!(band_names(None, 1), ["gray"]);
    }

    /// Returns a file whose directory has these tags, each with its type and values.
    fn with_tags(tags: &[(u16, u16, Vec<u8>)]) -> Vec<u8> {
        let mut file = b"II*\0\x08\0\0\0".to_vec();
        file.extend((tags.len() as u16).to_le_bytes());
        let mut data: Vec<u8> = Vec::new();
        let start = file.len() + tags.len() * 12 + 4;
        for (tag, kind, values) in tags {
            let value_len = if *kind == 12 { 8 } else { 2 };
            file.extend(tag.to_le_bytes());
            file.extend(kind.to_le_bytes());
            file.extend(((values.len() / value_len) as u32).to_le_bytes());
            file.extend(((start + data.len()) as u32).to_le_bytes());
            data.extend(values);
        }
        file.extend([0; 4]);
        file.extend(data);
        file
    }

    #[test]
    fn coordinates_are_those_of_centres() {
        let doubles = |values: &[f64]| values.iter().flat_map(|it| it.to_le_bytes()).collect();
        let shorts = |values: &[u16]| values.iter().flat_map(|it| it.to_le_bytes()).collect();
        let size = (33550, 12, doubles(&[30.0, 20.0, 0.0]));
        let tie = (33922, 12, doubles(&[0.0, 0.0, 0.0, 500_000.0, 6_000_000.0, 0.0]));
        let keys = |value| (34735, 3, shorts(&[1, 1, 0, 1, 1025, 0, 1, value]));
        let found = |tags: &[_]| prepare(&mut with_tags(tags)).unwrap().transform;
        let area = found(&[size.clone(), tie.clone(), keys(1)]).unwrap();
        assert_eq!(area.of_pixel(1.0, 1.0), [500_015.0, 5_999_990.0]);
        assert_eq!(area.of_pixel(3.0, 2.0), [500_075.0, 5_999_970.0]);
        let point = found(&[size.clone(), tie.clone(), keys(2)]).unwrap();
        assert_eq!(point.of_pixel(1.0, 1.0), [500_000.0, 6_000_000.0]);
        let mut matrix = vec![0.0; 16];
        (matrix[0], matrix[3], matrix[5], matrix[7]) = (30.0, 500_000.0, -20.0, 6_000_000.0);
        assert_eq!(found(&[(34264, 12, doubles(&matrix))]), Some(area));
        // A picture without them, and one whose pixels have no size.
        assert_eq!(found(std::slice::from_ref(&tie)), None);
        assert_eq!(found(&[(33550, 12, doubles(&[0.0, 0.0, 0.0])), tie]), None);
    }

    #[test]
    fn only_the_meaning_of_samples_changes() {
        let meaning = |bytes: &mut [u8]| prepare(bytes).unwrap().meaning;
        // One entry: tag 262, type 3, one value, palette.
        let mut little = b"II*\0\x08\0\0\0\x01\0\x06\x01\x03\0\x01\0\0\0\x03\0\0\0".to_vec();
        let before = little.clone();
        assert_eq!(meaning(&mut little), Some(PALETTE));
        assert_eq!(little[18], 1);
        little[18] = 3;
        assert_eq!(little, before);
        let mut big = b"MM\0*\0\0\0\x08\0\x01\x01\x06\0\x03\0\0\0\x01\0\x02\0\0".to_vec();
        assert_eq!(meaning(&mut big), Some(RGB));
        assert_eq!(big[18..20], [0, 1]);
        let mut lab = b"MM\0*\0\0\0\x08\0\x01\x01\x06\0\x03\0\0\0\x01\0\x08\0\0".to_vec();
        assert_eq!(meaning(&mut lab), Some(8));
        assert_eq!(lab[18..20], [0, 8]);
        for len in 0..12 {
            assert_eq!(meaning(&mut big[..len].to_vec()), None);
        }
    }

    #[test]
    fn values_of_unread_tags_do_not_count() {
        // Tag 257 with 2¹⁸ + 1 values, and a private tag, 50000, with as many.
        let entry = b"\x03\0\x01\0\x04\0\0\0\0\0";
        let file =
            [b"II*\0\x08\0\0\0\x02\0\x01\x01".as_slice(), entry, b"\x50\xc3", entry].concat();
        assert_eq!(n_values(&file), (1 << 18) + 1);
        assert_eq!(n_values(&file[..14]), 0);
        assert_eq!(n_values(b"II*\0"), 0);
    }
}
