//! Copying of the samples of a strip or tile into the fields.

use tiff::decoder::DecodingResult;

use crate::format::raster;
use crate::numbers::Field;
use crate::scaling::Scaling;
use crate::whole::{self, NotWhole};

/// The position of a strip or tile in the grid.
pub(super) struct StripRegion {
    pub(super) top: usize,
    pub(super) left: usize,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) grid_width: usize,
}

/// The type of the samples of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleKind {
    Unsigned,
    Signed,
    Float,
}

impl SampleKind {
    pub(super) fn of(decoded: &DecodingResult) -> Self {
        match decoded {
            DecodingResult::U8(_)
            | DecodingResult::U16(_)
            | DecodingResult::U32(_)
            | DecodingResult::U64(_) => SampleKind::Unsigned,
            DecodingResult::I8(_)
            | DecodingResult::I16(_)
            | DecodingResult::I32(_)
            | DecodingResult::I64(_) => SampleKind::Signed,
            DecodingResult::F16(_) | DecodingResult::F32(_) | DecodingResult::F64(_) => {
                SampleKind::Float
            }
        }
    }
}

/// A decoded strip or tile.
pub(super) struct Chunk<'a> {
    pub(super) decoded: DecodingResult,
    /// Bits of a sample in the file; rows are packed below 8.
    pub(super) bits: usize,
    pub(super) scaling: Option<&'a Scaling>,
}

/// A sample that is not an integer, with its row and column from 0.
type BadSample = (usize, usize, NotWhole);

impl Chunk<'_> {
    /// Number of samples.
    pub(super) fn n_samples(&self, place: &StripRegion, n_bands: usize) -> usize {
        match &self.decoded {
            DecodingResult::U8(bytes) if self.bits < 8 => {
                let row_len = place.width * n_bands;
                bytes.len() / (row_len * self.bits).div_ceil(8).max(1) * row_len
            }
            DecodingResult::U8(samples) => samples.len(),
            DecodingResult::U16(samples) => samples.len(),
            DecodingResult::U32(samples) => samples.len(),
            DecodingResult::U64(samples) => samples.len(),
            DecodingResult::F16(samples) => samples.len(),
            DecodingResult::F32(samples) => samples.len(),
            DecodingResult::F64(samples) => samples.len(),
            DecodingResult::I8(samples) => samples.len(),
            DecodingResult::I16(samples) => samples.len(),
            DecodingResult::I32(samples) => samples.len(),
            DecodingResult::I64(samples) => samples.len(),
        }
    }

    /// Copies the samples, interleaved by band, to their place in the fields.
    pub(super) fn place(&self, place: &StripRegion, bands: &mut [Field]) -> Result<(), BadSample> {
        let scaling = self.scaling;
        match &self.decoded {
            DecodingResult::U8(bytes) if self.bits < 8 => {
                let samples = raster::unpack(bytes, self.bits, place.width * bands.len());
                put(&samples, place, bands, |sample| Ok(sample.into()))
            }
            DecodingResult::U8(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::U16(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::U32(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::U64(samples) => put(samples, place, bands, whole::of_unsigned),
            DecodingResult::I8(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::I16(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::I32(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::I64(samples) => put(samples, place, bands, Ok),
            DecodingResult::F16(samples) => {
                put(samples, place, bands, |s| whole::of_float(s.to_f64(), scaling))
            }
            DecodingResult::F32(samples) => {
                put(samples, place, bands, |s| whole::of_float(s.into(), scaling))
            }
            DecodingResult::F64(samples) => {
                put(samples, place, bands, |s| whole::of_float(s, scaling))
            }
        }
    }
}

fn put<T: Copy>(
    samples: &[T],
    place: &StripRegion,
    bands: &mut [Field],
    whole: impl Fn(T) -> Result<i64, NotWhole>,
) -> Result<(), BadSample> {
    let StripRegion { top, left, height, width, grid_width } = *place;
    let n_bands = bands.len().max(1);
    let rows = samples.chunks_exact(width * n_bands).take(height);
    for (row, samples) in (top..).zip(rows) {
        for (band_idx, band) in bands.iter_mut().enumerate() {
            let values = &mut band.values[row * grid_width + left..][..width];
            let samples = samples.iter().skip(band_idx).step_by(n_bands);
            for (col, (value, &sample)) in (left..).zip(values.iter_mut().zip(samples)) {
                *value = whole(sample).map_err(|error| (row, col, error))?;
            }
        }
    }
    Ok(())
}
