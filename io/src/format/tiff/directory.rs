//! The first directory of a TIFF file. The Exif data of other pictures have the same form.

use std::ops::Range;

/// The tag for the directions of rows and columns.
const ORIENTATION: u64 = 274;

/// The type of floating-point numbers with 64 bits.
const DOUBLE: u64 = 12;

/// The tag of the directory of map coordinates.
const GEO_KEYS: u64 = 34735;

/// The value of a tag that cannot be read as a number.
pub(super) const UNREADABLE: u64 = u64::MAX;

/// The directory, which describes the first picture.
pub(super) struct Directory {
    pub(super) is_little: bool,
    first: usize,
    n_entries: usize,
    entry_len: usize,
    /// Offset in an entry of the value, or of the offset of the values.
    value_at: usize,
}

impl Directory {
    pub(super) fn find(bytes: &[u8]) -> Option<Self> {
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
    pub(super) fn entries(&self, bytes: &[u8]) -> impl Iterator<Item = (usize, u64)> {
        let places = (0..self.n_entries).map(|idx| self.first.saturating_add(idx * self.entry_len));
        places.filter_map(|at| Some((at, number(bytes, at..at.checked_add(2)?, self.is_little)?)))
    }

    /// Number of values of the entry at this offset.
    pub(super) fn count(&self, bytes: &[u8], entry: usize) -> Option<u64> {
        // After the tag and the type.
        let count = entry.checked_add(4)?..entry.checked_add(self.value_at)?;
        number(bytes, count, self.is_little)
    }

    /// Number of values of a tag; `None` if it is missing.
    pub(super) fn n_values(&self, bytes: &[u8], tag: u64) -> Option<u64> {
        let (entry, _) = self.entries(bytes).find(|(_, found)| *found == tag)?;
        self.count(bytes, entry)
    }

    /// The bytes of the values of a tag, and the length of a value.
    pub(super) fn values(&self, bytes: &[u8], tag: u64) -> Option<(Range<usize>, usize)> {
        let (entry, _) = self.entries(bytes).find(|(_, found)| *found == tag)?;
        let kind = number(bytes, entry.checked_add(2)?..entry.checked_add(4)?, self.is_little)?;
        let value_len = match kind {
            1 | 2 | 6 | 7 => 1,
            3 | 8 => 2,
            4 | 9 | 11 | 13 => 4,
            5 | 10 | 12 | 16..=18 => 8,
            _ => return None,
        };
        let n_bytes = usize::try_from(self.count(bytes, entry)?).ok()?.checked_mul(value_len)?;
        let (value, room) = (entry.checked_add(self.value_at)?, self.entry_len - self.value_at);
        let start = match n_bytes <= room {
            true => value,
            false => {
                let offset = number(bytes, value..value.checked_add(room)?, self.is_little)?;
                usize::try_from(offset).ok()?
            }
        };
        let range = start..start.checked_add(n_bytes)?;
        bytes.get(range.clone())?;
        Some((range, value_len))
    }

    /// The values of a tag of floating-point numbers with 64 bits.
    pub(super) fn doubles(&self, bytes: &[u8], tag: u64) -> Option<Vec<f64>> {
        let (entry, _) = self.entries(bytes).find(|(_, found)| *found == tag)?;
        let kind = number(bytes, entry.checked_add(2)?..entry.checked_add(4)?, self.is_little)?;
        let (range, _) = self.values(bytes, tag).filter(|_| kind == DOUBLE)?;
        let at = |start: usize| number(bytes, start..start + 8, self.is_little).map(f64::from_bits);
        range.step_by(8).map(at).collect()
    }

    /// The value of a key in the directory of map coordinates, if it is a number there.
    pub(super) fn geo_key(&self, bytes: &[u8], key: u64) -> Option<u64> {
        let (range, value_len) = self.values(bytes, GEO_KEYS).filter(|(_, len)| *len == 2)?;
        let at = |start: usize| number(bytes, start..start + value_len, self.is_little);
        let numbers: Vec<u64> = range.step_by(value_len).map(at).collect::<Option<_>>()?;
        // A head of four numbers, then four for each key: its number, place, count and value.
        let mut keys = numbers.chunks_exact(4).skip(1);
        keys.find_map(|entry| (entry[0] == key && entry[1] == 0).then_some(entry[3]))
    }

    /// The first value of a tag, an unsigned number; [`UNREADABLE`] if it is something else, and
    /// `None` if the tag is missing.
    pub(super) fn number(&self, bytes: &[u8], tag: u64) -> Option<u64> {
        self.entries(bytes).find(|(_, found)| *found == tag)?;
        let first = self.values(bytes, tag).and_then(|(range, value_len)| {
            number(bytes, range.start..range.start.checked_add(value_len)?, self.is_little)
                .filter(|_| !range.is_empty())
        });
        Some(first.unwrap_or(UNREADABLE))
    }

    /// The first value of `ORIENTATION`.
    pub(super) fn orientation(&self, bytes: &[u8]) -> Option<u64> {
        self.number(bytes, ORIENTATION)
    }

    /// Overwrites the first value of a tag; malformed parts are left unchanged for the decoder to
    /// reject.
    pub(super) fn put(&self, bytes: &mut [u8], tag: u64, value: u64) {
        let Some((range, value_len)) = self.values(bytes, tag) else { return };
        let Some(first) = bytes.get_mut(range).and_then(|bytes| bytes.get_mut(..value_len)) else {
            return;
        };
        match self.is_little {
            true => first.copy_from_slice(&value.to_le_bytes()[..value_len]),
            false => first.copy_from_slice(&value.to_be_bytes()[8 - value_len..]),
        }
    }
}

/// The orientation in Exif data; `None` if they have none, or are malformed.
pub(in crate::format) fn exif_orientation(exif: &[u8]) -> Option<u64> {
    let is_tiff = exif.starts_with(b"II*\0") || exif.starts_with(b"MM\0*");
    Directory::find(exif).filter(|_| is_tiff)?.orientation(exif)
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
