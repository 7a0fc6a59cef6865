//! Tables as pictures: `rgb:FILE` and `gray:FILE` say that the columns of a table are pixels, in numbers of 8 bits.

use std::io;

use star_base::{BitsRef, Code};
use star_io::{Field, FileError, Format, Numbers, OutputRef, Shape};

use crate::encoding::cannot_hold;

/// Bits of a number.
const BITS: usize = 8;

/// What the numbers of a pixel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pixels {
    /// `gray`: one number.
    Gray,
    /// `rgb`: red, green and blue.
    Rgb,
}

impl Pixels {
    /// What stands in front of a file's name, and the file.
    pub fn of_file(file: &str) -> (Option<Pixels>, &str) {
        let named = file.split_once(':').and_then(|(layout, file)| match layout {
            "gray" => Some((Some(Pixels::Gray), file)),
            "rgb" => Some((Some(Pixels::Rgb), file)),
            _ => None,
        });
        named.unwrap_or((None, file))
    }

    fn fields(self) -> &'static [&'static str] {
        match self {
            Pixels::Gray => &["gray"],
            Pixels::Rgb => &["red", "green", "blue"],
        }
    }

    /// Refuses a format that holds no such picture.
    ///
    /// # Errors
    /// E0507.
    pub fn holds(self, format: Format) -> Result<(), FileError> {
        let pixel = self.numbers(1, 1, vec![vec![0]; self.fields().len()]);
        star_io::write(format, OutputRef::Numbers(&pixel), &mut io::sink())
            .map_err(|_| cannot_hold("a picture", format))
    }

    /// The picture that a table is: a row of pixels for each of its rows.
    ///
    /// # Errors
    /// E0507 if it is no table, or its columns are not whole pixels.
    pub fn picture(self, value: BitsRef<'_>, file: &str) -> Result<Numbers, FileError> {
        let (height, n_cols) = value.shape();
        let n_fields = self.fields().len();
        let per_pixel = n_fields * BITS;
        if !matches!(value, BitsRef::Table(_)) || !n_cols.is_multiple_of(per_pixel) {
            let message = format!("{n_cols} columns are no pixels of {per_pixel} bits");
            return Err(FileError::new(Code::NoSuchLayout, file, message));
        }
        let width = n_cols / per_pixel;
        let mut values = vec![Vec::with_capacity(width * height); n_fields];
        value.try_for_rows(|row| {
            for (idx, number) in row.chunks(BITS).enumerate() {
                let number = number.iter().fold(0, |number, &bit| number << 1 | i64::from(bit));
                values[idx % n_fields].push(number);
            }
            Ok::<(), FileError>(())
        })?;
        Ok(self.numbers(height, width, values))
    }

    fn numbers(self, height: usize, width: usize, values: Vec<Vec<i64>>) -> Numbers {
        let field = |(name, values): (&&str, Vec<i64>)| Field {
            name: (*name).to_owned(),
            bits: Some(BITS),
            values,
        };
        let fields = self.fields().iter().zip(values).map(field).collect();
        Numbers { shape: Shape::Grid { height, width }, fields }
    }
}

#[cfg(test)]
mod tests {
    use star_base::BitTable;

    use super::*;

    #[test]
    fn columns_are_pixels() {
        let (rgb, file) = Pixels::of_file("rgb:a.png");
        assert_eq!((rgb, file), (Some(Pixels::Rgb), "a.png"));
        for other in ["a.png", "gr:-", "x:rgb:a.png"] {
            assert_eq!(Pixels::of_file(other), (None, other));
        }
        let table =
            BitTable::parse(&["000000010000001000000011", "111111110000000010000000"]).unwrap();
        let picture = Pixels::Rgb.picture(BitsRef::Table(&table), "a.png").unwrap();
        assert_eq!(picture.shape, Shape::Grid { height: 2, width: 1 });
        let values: Vec<&[i64]> = picture.fields.iter().map(|field| &field.values[..]).collect();
        assert_eq!(values, [&[1, 255][..], &[2, 0], &[3, 128]]);
        let gray = Pixels::Gray.picture(BitsRef::Table(&table), "a.png").unwrap();
        assert_eq!(gray.shape, Shape::Grid { height: 2, width: 3 });
        let narrow = BitTable::zeros(2, 12).unwrap();
        let refused = Pixels::Gray.picture(BitsRef::Table(&narrow), "a.png").unwrap_err();
        assert_eq!(refused.code, Code::NoSuchLayout);
        assert!(Pixels::Rgb.holds(Format::Png).is_ok());
        assert_eq!(Pixels::Rgb.holds(Format::Metis).unwrap_err().code, Code::NoSuchLayout);
    }
}
