//! Shared parts of the picture readers: size checks before decoding, splitting of interleaved
//! samples into fields, and translation of decoder errors.

use std::fmt::Display;

use star_base::Code;

use super::tiff;
use crate::data::Data;
use crate::error::Fault;
use crate::numbers::{Field, Numbers, Shape};
use crate::source::Source;
use crate::{text, whole};

/// Bytes of a sample in a field.
pub(crate) const SAMPLE_BYTES: u64 = size_of::<i64>() as u64;

/// Maximum expansion of deflated data.
pub(crate) const DEFLATE_RATIO: u64 = 1032;

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) n_bands: usize,
}

impl Extent {
    /// The size in a header, if it fits in the budget next to the file of `n_file_bytes`; every
    /// sample needs its place in a field and `work_bytes` more during decoding.
    pub(crate) fn new(
        source: &Source,
        size: (u64, u64),
        n_bands: usize,
        work_bytes: u64,
        n_file_bytes: usize,
    ) -> Result<Self, Fault> {
        let (width, height) = size;
        if width == 0 || height == 0 {
            return Err(source.fault(Code::BadFormat, "a picture without pixels"));
        }
        let n_samples = u128::from(width) * u128::from(height) * n_bands as u128;
        let n_bytes = n_samples
            .saturating_mul(u128::from(SAMPLE_BYTES + work_bytes))
            .saturating_add(n_file_bytes as u128);
        let out_of_memory = || source.out_of_memory(n_bytes);
        if n_bytes > isize::MAX as u128 || !source.budget().allows(n_bytes) {
            return Err(out_of_memory());
        }
        let width = usize::try_from(width).map_err(|_| out_of_memory())?;
        let height = usize::try_from(height).map_err(|_| out_of_memory())?;
        Ok(Extent { width, height, n_bands })
    }

    /// Number of pixels.
    pub(crate) fn n_pixels(&self) -> usize {
        self.width * self.height // `new` checked that the byte count does not overflow
    }
}

/// The storage of the samples in the file.
#[derive(Clone, Copy)]
pub(crate) struct Stored {
    pub(crate) n_bands: usize,
    pub(crate) bits_per_sample: usize,
    /// Maximum number of sample bytes per stored byte.
    pub(crate) max_ratio: u64,
    /// Number of bytes that may hold samples.
    pub(crate) n_bytes: usize,
}

impl Stored {
    /// Rejects a size for which the file is too short. Must precede the check of the budget: more
    /// memory would not help.
    pub(crate) fn check(&self, source: &Source, size: (u64, u64)) -> Result<(), Fault> {
        let (width, height) = size;
        if self.n_bytes_needed(size) <= self.n_bytes as u128 * u128::from(self.max_ratio) {
            return Ok(());
        }
        let bytes = text::count(self.n_bytes as u128, "byte");
        let message = format!("{width} × {height} pixels do not fit in the {bytes} of the file");
        Err(source.fault(Code::HeaderLies, message))
    }

    /// Bytes of the samples, every row padded to whole bytes.
    pub(crate) fn n_bytes_needed(&self, (width, height): (u64, u64)) -> u128 {
        let row_bits = u128::from(width) * self.n_bands as u128;
        let row_bits = row_bits.saturating_mul(self.bits_per_sample as u128);
        row_bits.div_ceil(8).saturating_mul(u128::from(height))
    }
}

/// Samples processed between two polls for interruption: a few milliseconds.
pub(crate) const SAMPLES: usize = 1 << 20;

/// Creates a field of the values, with one allocation.
pub(crate) fn field(
    source: &mut Source,
    name: &str,
    bits: Option<usize>,
    len: usize,
    mut values: impl Iterator<Item = i64>,
) -> Result<Field, Fault> {
    let mut list = Vec::new();
    let n_bytes = len as u128 * u128::from(SAMPLE_BYTES);
    list.try_reserve_exact(len).map_err(|_| source.out_of_memory(n_bytes))?;
    loop {
        let n_before = list.len();
        list.extend(values.by_ref().take(SAMPLES));
        if list.len() - n_before < SAMPLES {
            return Ok(Field::new(name, bits, list));
        }
        source.go_on()?;
    }
}

/// Splits interleaved samples into one field per name.
pub(crate) fn take_apart<T: Copy>(
    source: &mut Source,
    samples: &[T],
    names: &[&str],
    bits: usize,
    whole: impl Fn(T) -> i64,
) -> Result<Vec<Field>, Fault> {
    let n_bands = names.len().max(1);
    let mut fields = Vec::with_capacity(n_bands);
    for (band, name) in names.iter().enumerate() {
        source.go_on()?;
        let values = samples.chunks_exact(n_bands).map(|pixel| whole(pixel[band]));
        fields.push(field(source, name, Some(bits), samples.len() / n_bands, values)?);
    }
    Ok(fields)
}

/// Moves the pixels of a picture to their places for this orientation, a number of TIFF and Exif: 1
/// if the first row is on top and the first column on the left, up to 8. Returns the size
/// afterwards. Other numbers change nothing.
pub(crate) fn orient(
    source: &mut Source,
    extent: Extent,
    fields: &mut [Field],
    orientation: u64,
) -> Result<Extent, Fault> {
    if !(2..=8).contains(&orientation) {
        return Ok(extent);
    }
    let Extent { width, height, n_bands } = extent;
    let n_samples = fields.len() as u128 + 1;
    let n_bytes = n_samples * extent.n_pixels() as u128 * u128::from(SAMPLE_BYTES);
    if !source.budget().allows(n_bytes) {
        return Err(source.out_of_memory(n_bytes));
    }
    let oriented = match orientation {
        5..=8 => Extent { width: height, height: width, n_bands },
        _ => extent,
    };
    let (last_row, last_col) = (height - 1, width - 1); // a picture has pixels
    let origin = |row: usize, col: usize| match orientation {
        2 => (row, last_col - col),
        3 => (last_row - row, last_col - col),
        4 => (last_row - row, col),
        5 => (col, row),
        6 => (last_row - col, row),
        7 => (last_row - col, last_col - row),
        8 => (col, last_col - row),
        _ => (row, col),
    };
    for field in fields {
        source.go_on()?;
        let pixels = (0..oriented.height)
            .flat_map(|row| (0..oriented.width).map(move |col| origin(row, col)));
        let values = pixels.map(|(row, col)| field.values[row * width + col]);
        let moved = self::field(source, &field.name, field.bits, extent.n_pixels(), values)?;
        field.values = moved.values;
    }
    Ok(oriented)
}

/// The orientation of a picture according to its Exif data, and a warning if it is unknown.
pub(crate) fn exif_orientation(exif: Option<&[u8]>, warnings: &mut Vec<String>) -> u64 {
    match exif.and_then(tiff::exif_orientation) {
        None => 1,
        Some(known @ 1..=8) => known,
        Some(unknown) => {
            warnings.push(format!("unknown orientation {unknown} in the Exif data"));
            1
        }
    }
}

/// Creates a grid of the fields.
pub(crate) fn grid(extent: Extent, fields: Vec<Field>) -> Data {
    let Extent { width, height, n_bands: _ } = extent;
    Data::Numbers(Numbers { shape: Shape::Grid { height, width }, fields })
}

/// Creates a grid of the fields, multiplied by the scale of the options.
pub(crate) fn scaled_grid(
    source: &Source,
    extent: Extent,
    mut fields: Vec<Field>,
) -> Result<Data, Fault> {
    let scaled = whole::scale_fields(&mut fields, source.scaling());
    scaled.map_err(|error| error.fault(source.file(), ""))?;
    Ok(grid(extent, fields))
}

/// Unpacks rows of samples of 1, 2, 4 … 8 bits, each row padded to whole bytes, to one byte per
/// sample.
pub(crate) fn unpack(packed: &[u8], bits: usize, row_len: usize) -> Vec<u8> {
    let row_bytes = (row_len * bits).div_ceil(8).max(1);
    let mut samples = Vec::with_capacity(packed.len() / row_bytes * row_len);
    let mask = u16::MAX >> (16 - bits.clamp(1, 8));
    for row in packed.chunks_exact(row_bytes) {
        for idx in 0..row_len {
            let at = idx * bits;
            let next = row.get(at / 8 + 1).copied().unwrap_or(0);
            let pair = u16::from_be_bytes([row[at / 8], next]);
            samples.push((pair >> (16 - at % 8 - bits) & mask) as u8);
        }
    }
    samples
}

/// Unpacks all rows of a picture, as [`unpack`] does, with polling for interruption.
pub(crate) fn unpack_all(
    source: &mut Source,
    packed: &[u8],
    bits: usize,
    row_len: usize,
) -> Result<Vec<u8>, Fault> {
    let row_bytes = (row_len * bits).div_ceil(8).max(1);
    let mut samples = Vec::with_capacity(packed.len() / row_bytes * row_len);
    for rows in packed.chunks(row_bytes * (SAMPLES / row_len.max(1)).max(1)) {
        source.go_on()?;
        samples.extend(unpack(rows, bits, row_len));
    }
    Ok(samples)
}

/// The error of a decoder; `format` is the name of the format.
pub(crate) fn damaged(source: &Source, format: &str, error: &dyn Display) -> Fault {
    let reason = error.to_string();
    let reason: String = reason.trim_end_matches(['.', '\n']).escape_debug().collect();
    source.fault(Code::BadFormat, format!("cannot read the {format} file: {reason}"))
}

/// The warning for trailing bytes after a picture that its format does not forbid.
pub(crate) const BYTES_BEHIND: &str = "the bytes after the picture are ignored";

/// The error for a file that ends within its picture.
pub(crate) fn truncated(source: &Source) -> Fault {
    source.fault(Code::Truncated, "the file ends before its picture does")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_move_pixels() {
        // The picture `0 1 2` above `3 4 5`.
        let expected: [(u64, &[i64]); 8] = [
            (1, &[0, 1, 2, 3, 4, 5]),
            (2, &[2, 1, 0, 5, 4, 3]),
            (3, &[5, 4, 3, 2, 1, 0]),
            (4, &[3, 4, 5, 0, 1, 2]),
            (5, &[0, 3, 1, 4, 2, 5]),
            (6, &[3, 0, 4, 1, 5, 2]),
            (7, &[5, 2, 4, 1, 3, 0]),
            (8, &[2, 5, 1, 4, 0, 3]),
        ];
        for (orientation, values) in expected {
            let mut options = crate::ReadOptions::new("f", 1 << 20);
            let mut input: &[u8] = b"";
            let mut source = Source::open(&mut input, &mut options, None).unwrap();
            let extent = Extent { width: 3, height: 2, n_bands: 1 };
            let mut fields = [Field::new("gray", None, (0..6).collect())];
            let found = orient(&mut source, extent, &mut fields, orientation).unwrap();
            let size = if orientation < 5 { (3, 2) } else { (2, 3) };
            assert_eq!((found.width, found.height), size, "{orientation}");
            assert_eq!(fields[0].values, values, "{orientation}");
        }
    }

    #[test]
    fn packed_samples_are_unpacked_row_by_row() {
        assert_eq!(unpack(&[0b1010_0000, 0b0100_0000], 1, 3), [1, 0, 1, 0, 1, 0]);
        assert_eq!(unpack(&[0b1110_0100, 0b0100_0000], 2, 5), [3, 2, 1, 0, 1]);
        assert_eq!(unpack(&[0x12, 0x30], 4, 3), [1, 2, 3]);
        assert_eq!(unpack(&[0b1010_1100, 0b1000_0000], 3, 3), [0b101, 0b011, 0b001]);
        assert_eq!(unpack(&[7, 9], 8, 2), [7, 9]);
        assert_eq!(unpack(&[], 4, 3), Vec::<u8>::new());
    }
}
