//! The meaning of the bands of a TIFF file.
//!
//! Note [Bands]: the decoder exposes a picture only as colours. It drops bands that are not
//! colours, such as near infrared after red, green and blue, and rejects palettes. Therefore the
//! tag that gives the meaning of the samples is read here and then changed to gray in the bytes,
//! before the decoder reads them; the decoder accepts a gray picture with several samples per pixel
//! as that number of bands.

use std::ops::Range;

/// The tag that gives the meaning of the samples.
const PHOTOMETRIC: u64 = 262;

const BLACK_IS_ZERO: u16 = 1;
const RGB: u16 = 2;
/// The samples are palette indices.
pub(super) const PALETTE: u16 = 3;
const MASK: u16 = 4;
const INKS: u16 = 5;

/// The tags for which the decoder reads complete lists of values.
const READ: [u64; 19] =
    [256, 257, 258, 259, 262, 273, 277, 278, 279, 284, 317, 322, 323, 324, 325, 338, 339, 347, 530];

/// The first directory of a file, which describes the first picture.
struct Directory {
    is_little: bool,
    first: usize,
    n_entries: usize,
    entry_len: usize,
    /// Offset in an entry of the value, or of the offset of the values.
    value_at: usize,
}

impl Directory {
    fn find(bytes: &[u8]) -> Option<Self> {
        let is_little = bytes.starts_with(b"II");
        let is_big_tiff = number(bytes, 2..4, is_little)? == 43;
        let (directory, count_len, entry_len, value_at) = match is_big_tiff {
            true => (number(bytes, 8..16, is_little)?, 8, 20, 12),
            false => (number(bytes, 4..8, is_little)?, 2, 12, 8),
        };
        let directory = usize::try_from(directory).ok()?;
        let first = directory.checked_add(count_len)?;
        let n_entries = number(bytes, directory..first, is_little)?;
        let n_entries = usize::try_from(n_entries).ok()?.min(bytes.len() / entry_len);
        Some(Directory { is_little, first, n_entries, entry_len, value_at })
    }

    /// The offsets and tags of its entries.
    fn entries(&self, bytes: &[u8]) -> impl Iterator<Item = (usize, u64)> {
        let places = (0..self.n_entries).map(|idx| self.first.saturating_add(idx * self.entry_len));
        places.filter_map(|at| Some((at, number(bytes, at..at.checked_add(2)?, self.is_little)?)))
    }
}

/// Number of values that the decoder reads to describe the first picture.
pub(super) fn n_values(bytes: &[u8]) -> u64 {
    let Some(directory) = Directory::find(bytes) else { return 0 };
    let counts = directory.entries(bytes).filter(|(_, tag)| READ.contains(tag)).map(|(at, _)| {
        // After the tag and the type.
        let count = at.saturating_add(4)..at.saturating_add(directory.value_at);
        number(bytes, count, directory.is_little).unwrap_or(0)
    });
    counts.fold(0, u64::saturating_add)
}

/// Turns the first picture into bands, see Note [Bands], and returns the meaning of the samples.
/// Malformed parts are left unchanged for the decoder to reject.
pub(super) fn make_bands(bytes: &mut [u8]) -> Option<u16> {
    let directory = Directory::find(bytes)?;
    let is_little = directory.is_little;
    let (entry, _) = directory.entries(bytes).find(|(_, tag)| *tag == PHOTOMETRIC)?;
    let value = entry.checked_add(directory.value_at)?;
    let value = value..value.checked_add(2)?;
    let meaning = number(bytes, value.clone(), is_little)? as u16; // two bytes
    if matches!(meaning, RGB | PALETTE | MASK | INKS) {
        let gray = match is_little {
            true => BLACK_IS_ZERO.to_le_bytes(),
            false => BLACK_IS_ZERO.to_be_bytes(),
        };
        bytes.get_mut(value)?.copy_from_slice(&gray);
    }
    Some(meaning)
}

/// Names for the bands: colours, and numbers for all others. An alpha tag on a fourth band is
/// ignored: programs that know four bands only as colours with alpha set it for near infrared.
pub(super) fn band_names(meaning: Option<u16>, n_bands: usize) -> Vec<String> {
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

/// Converts up to eight bytes to a number.
fn number(bytes: &[u8], range: Range<usize>, is_little: bool) -> Option<u64> {
    let bytes = bytes.get(range)?;
    let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    Some(match is_little {
        true => bytes.iter().rev().fold(0, push),
        false => bytes.iter().fold(0, push),
    })
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

    #[test]
    fn only_the_meaning_of_samples_changes() {
        // One entry: tag 262, type 3, one value, palette.
        let mut little = b"II*\0\x08\0\0\0\x01\0\x06\x01\x03\0\x01\0\0\0\x03\0\0\0".to_vec();
        let before = little.clone();
        assert_eq!(make_bands(&mut little), Some(PALETTE));
        assert_eq!(little[18], 1);
        little[18] = 3;
        assert_eq!(little, before);
        let mut big = b"MM\0*\0\0\0\x08\0\x01\x01\x06\0\x03\0\0\0\x01\0\x02\0\0".to_vec();
        assert_eq!(make_bands(&mut big), Some(RGB));
        assert_eq!(big[18..20], [0, 1]);
        let mut lab = b"MM\0*\0\0\0\x08\0\x01\x01\x06\0\x03\0\0\0\x01\0\x08\0\0".to_vec();
        assert_eq!(make_bands(&mut lab), Some(8));
        assert_eq!(lab[18..20], [0, 8]);
        for len in 0..20 {
            assert_eq!(make_bands(&mut big[..len].to_vec()), None);
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
