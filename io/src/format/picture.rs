//! Values as pictures, for the writers: rows of samples, pixel by pixel.

use star_base::Code;
use star_value::BitsRef;

use super::cannot_hold;
use crate::data::OutputRef;
use crate::error::{Fault, FileError};
use crate::numbers::{Field, Shape};

/// Maximum number of bits of a sample.
const MAX_BITS: usize = 16;

/// The channels of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channels {
    Gray,
    GrayAlpha,
    Rgb,
    Rgba,
}

/// A picture.
pub(crate) struct Picture<'a> {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) channels: Channels,
    /// Bits of a sample, 1..=16.
    pub(crate) bits: usize,
    samples: Samples<'a>,
}

enum Samples<'a> {
    Bits(BitsRef<'a>),
    Fields(&'a [Field]),
}

impl<'a> Picture<'a> {
    /// Converts the value to a picture: a table is black and white, row by row; a slice is one
    /// pixel wide, a word one high; the fields of a grid are gray, gray and alpha, or red, green,
    /// blue, alpha.
    pub(crate) fn new(value: OutputRef<'a>, format: &str) -> Result<Self, Fault> {
        let holds = "a table, or a grid of one to four fields";
        let refused = || cannot_hold(value, format, holds);
        let (height, width, channels, bits, samples) = match value {
            OutputRef::Bits(bits) => bits_of(bits),
            OutputRef::Numbers(numbers) => {
                numbers.check("")?;
                let (Shape::Grid { height, width }, Some(channels)) =
                    (numbers.shape, Channels::of(numbers.fields.len()))
                else {
                    return Err(Box::new(refused()));
                };
                let mut bits = 1;
                for field in &numbers.fields {
                    bits = bits.max(field_bits(field, format)?);
                }
                (height, width, channels, bits, Samples::Fields(&numbers.fields))
            }
            OutputRef::Graph(_) => return Err(Box::new(refused())),
        };
        let side = |len: usize| u32::try_from(len).ok().filter(|len| (1..1 << 31).contains(len));
        let (Some(width), Some(height)) = (side(width), side(height)) else {
            let note = "a picture has 1 to 2147483647 rows, and as many columns";
            return Err(Box::new(refused().note(note)));
        };
        Ok(Picture { width, height, channels, bits, samples })
    }

    /// Calls `each` with every row, from the top; stops at the first error.
    pub(crate) fn try_for_rows(
        &self,
        mut each: impl FnMut(&[u16]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let width = self.width as usize;
        match self.samples {
            Samples::Bits(bits) => {
                let mut row = vec![0u16; width];
                bits.try_for_rows(|bits| {
                    row.clear();
                    row.extend(bits.iter().map(|&bit| u16::from(bit)));
                    each(&row)
                })
            }
            Samples::Fields(fields) => {
                let mut row = Vec::with_capacity(width * fields.len());
                for start in (0..self.height as usize).map(|row_idx| row_idx * width) {
                    row.clear();
                    for idx in start..start + width {
                        // `new` checked that the fields are long enough and their values fit.
                        row.extend(fields.iter().map(|field| field.values[idx] as u16));
                    }
                    each(&row)?;
                }
                Ok(())
            }
        }
    }
}

impl Channels {
    fn of(n_fields: usize) -> Option<Self> {
        match n_fields {
            1 => Some(Channels::Gray),
            2 => Some(Channels::GrayAlpha),
            3 => Some(Channels::Rgb),
            4 => Some(Channels::Rgba),
            _ => None,
        }
    }
}

fn bits_of(bits: BitsRef<'_>) -> (usize, usize, Channels, usize, Samples<'_>) {
    let (height, width) = bits.shape();
    (height, width, Channels::Gray, 1, Samples::Bits(bits))
}

/// Returns the bits that the field needs, at least its declared width.
fn field_bits(field: &Field, format: &str) -> Result<usize, Fault> {
    let Field { name, bits, meaning: _, nodata: _, shared: _, values, elsewhere: _ } = field;
    let refuse = |message: String| {
        let error = FileError::new(Code::NoSuchLayout, "", message);
        let error = error.note(format!("{format} holds numbers from 0 to 65535"));
        Err(Box::new(error.help("write them to a `.npy` file")))
    };
    if let Some(outside) = values.iter().find(|value| !(0..1 << MAX_BITS).contains(*value)) {
        return refuse(format!("`{outside}` of `{name}` cannot be written as {format}"));
    }
    let needed = values.iter().max().map_or(1, |max| 64 - max.leading_zeros() as usize);
    let said = bits.filter(|&bits| bits <= MAX_BITS).unwrap_or(1);
    Ok(needed.max(said).max(1))
}
