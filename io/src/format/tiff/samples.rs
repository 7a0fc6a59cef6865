//! Copying of the samples of a strip or tile into the fields.

use tiff::decoder::DecodingResult;

use crate::format::raster;
use crate::numbers::Field;
use crate::scaling::Scaling;
use crate::whole::{self, NO_NUMBER, NotWhole};

/// The position of a strip or tile in the grid.
pub(super) struct StripRegion {
    pub(super) top: usize,
    pub(super) left: usize,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) grid_width: usize,
}

/// The type of the samples of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SampleKind {
    #[default]
    Unsigned,
    Signed,
    Float,
}

/// The number of missing samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nodata {
    /// The sample as decoded.
    float: f64,
    /// The sample as decoded, if it is an unsigned integer.
    unsigned: Option<u64>,
    /// The number of such samples in a field, before integers are multiplied by a scale.
    pub(super) marker: i64,
}

impl Nodata {
    /// Samples that are not numbers.
    pub(super) const NAN: Nodata = Nodata { float: f64::NAN, unsigned: None, marker: NO_NUMBER };

    /// Parses GDAL's text. `None` if no sample of this kind and depth can have this number.
    /// `is_inverted` says that the decoder inverts the samples.
    pub(super) fn parse(
        text: &str,
        kind: SampleKind,
        bits: usize,
        is_inverted: bool,
        scaling: Option<&Scaling>,
    ) -> Result<Option<Self>, ()> {
        let float: f64 = text.parse().map_err(|_| ())?;
        if kind == SampleKind::Float {
            let float = match (is_inverted, bits) {
                (false, _) => float,
                (true, 32) => f64::from(1.0 - float as f32),
                (true, _) => 1.0 - float,
            };
            let marker = whole::of_float(float, scaling).unwrap_or(NO_NUMBER);
            return Ok(Some(Nodata { float, unsigned: None, marker }));
        }
        let digits = text.strip_suffix(".0").unwrap_or(text);
        let greatest = u64::MAX >> 64usize.saturating_sub(bits).min(63);
        let number: Option<i128> = digits.parse().ok().or_else(|| {
            // `1e3` is an integer, too.
            (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i128)
        });
        let Some(number) = number else { return Ok(None) };
        let number = if is_inverted { i128::from(greatest) - number } else { number };
        let unsigned = u64::try_from(number).ok().filter(|number| *number <= greatest);
        let marker = match (i64::try_from(number), unsigned, kind) {
            (Ok(number), Some(_), SampleKind::Unsigned) => number,
            (Err(_), Some(_), SampleKind::Unsigned) => NO_NUMBER,
            (Ok(number), _, SampleKind::Signed) => number,
            _ => return Ok(None),
        };
        Ok(Some(Nodata { float: number as f64, unsigned, marker }))
    }

    fn is_float(&self, sample: f64) -> bool {
        sample == self.float || sample.is_nan() && self.float.is_nan()
    }
}

/// A decoded strip or tile.
pub(super) struct Chunk<'a> {
    pub(super) decoded: DecodingResult,
    /// Bits of a sample in the file; rows are packed below 8.
    pub(super) bits: usize,
    pub(super) scaling: Option<&'a Scaling>,
    pub(super) nodata: Option<Nodata>,
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
        let (scaling, nodata) = (self.scaling, self.nodata);
        let of_float = |sample: f64, nodata: Option<Nodata>| match nodata {
            Some(nodata) if nodata.is_float(sample) => Ok(nodata.marker),
            Some(_) | None => whole::of_float(sample, scaling),
        };
        // The number of missing samples as a sample of 32 bits.
        let short = nodata.map(|it| Nodata { float: f64::from(it.float as f32), ..it });
        match &self.decoded {
            DecodingResult::U8(bytes) if self.bits < 8 => {
                let samples = raster::unpack(bytes, self.bits, place.width * bands.len());
                put(&samples, place, bands, |sample| Ok(sample.into()))
            }
            DecodingResult::U8(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::U16(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::U32(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::U64(samples) => put(samples, place, bands, |sample| match nodata {
                Some(nodata) if nodata.unsigned == Some(sample) => Ok(nodata.marker),
                Some(_) | None => whole::of_unsigned(sample),
            }),
            DecodingResult::I8(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::I16(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::I32(samples) => put(samples, place, bands, |s| Ok(s.into())),
            DecodingResult::I64(samples) => put(samples, place, bands, Ok),
            DecodingResult::F16(samples) => {
                put(samples, place, bands, |s| of_float(s.to_f64(), nodata))
            }
            DecodingResult::F32(samples) => {
                put(samples, place, bands, |s| of_float(s.into(), short))
            }
            DecodingResult::F64(samples) => put(samples, place, bands, |s| of_float(s, nodata)),
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

/// Fills the place of a strip or tile that the file does not store.
pub(super) fn fill(number: i64, place: &StripRegion, bands: &mut [Field]) {
    let StripRegion { top, left, height, width, grid_width } = *place;
    for band in bands {
        for row in top..top + height {
            band.values[row * grid_width + left..][..width].fill(number);
        }
    }
}
