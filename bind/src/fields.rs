//! Output of tables as numbers: a form before the name of the file, `records x=16 y=16:way.csv`.
//!
//! * `records`: every row is a record of adjacent fields, the same as `records` of
//!   [`NumberLayout`](star_io::NumberLayout).
//! * `pixels`: every row is a row of a picture, pixel by pixel, each with adjacent fields. `rgb`
//!   and `gray` are short for 8 bits each of red, green and blue, and of gray.
//! * `planes`: every row is a row of a picture. It has a part for each bit of each field, the most
//!   significant one first; a part has one bit for each pixel of the row.
//!
//! The form is followed by the fields in order, each with its number of bits.

use star_base::{Code, did_you_mean, text};
use star_io::{Field, FileError, Format, Numbers, OutputRef, Shape};
use star_value::{BitTable, BitsRef};

use crate::encoding::cannot_hold;

/// The maximum width of a field that is one number.
const MAX_BITS: usize = 63;

/// A form and its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    form: FieldForm,
    /// Their names and widths in bits.
    fields: Vec<(String, usize)>,
}

/// The arrangement of fields in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldForm {
    /// One record.
    Records,
    /// Pixel by pixel.
    Pixels,
    /// Bit by bit, for all pixels of a row.
    Planes,
}

impl FieldForm {
    const ALL: [FieldForm; 3] = [FieldForm::Records, FieldForm::Pixels, FieldForm::Planes];

    fn name(self) -> &'static str {
        match self {
            FieldForm::Records => "records",
            FieldForm::Pixels => "pixels",
            FieldForm::Planes => "planes",
        }
    }
}

/// Abbreviated forms with their fields, all of 8 bits.
const SHORT: [(&str, FieldForm, &[&str]); 2] =
    [("rgb", FieldForm::Pixels, &["red", "green", "blue"]), ("gray", FieldForm::Pixels, &["gray"])];

impl Fields {
    /// Creates a form of records with fields of these names and widths.
    pub fn records(fields: Vec<(String, usize)>) -> Self {
        Fields { form: FieldForm::Records, fields }
    }

    /// Splits `[FORM NAME=BITS …:]FILE`.
    ///
    /// # Errors
    /// E0507 if the form is unknown or has invalid fields.
    pub fn split(text: &str) -> Result<(Option<Self>, &str), FileError> {
        let Some((prefix, file)) = split_form(text) else { return Ok((None, text)) };
        match Fields::of_form(prefix, file)? {
            Some(fields) => Ok((Some(fields), file)),
            None => Err(unknown_form(prefix, file, &Fields::form_names())),
        }
    }

    /// Returns the names of the forms.
    pub(crate) fn form_names() -> Vec<&'static str> {
        let long = FieldForm::ALL.into_iter().map(FieldForm::name);
        long.chain(SHORT.into_iter().map(|(name, ..)| name)).collect()
    }

    /// Parses the form before the name of a file; `None` if it is another form.
    ///
    /// # Errors
    /// E0507 if it has invalid fields.
    pub(crate) fn of_form(prefix: &str, file: &str) -> Result<Option<Self>, FileError> {
        if let Some((_, form, names)) = SHORT.into_iter().find(|(name, ..)| *name == prefix) {
            let fields = names.iter().map(|name| ((*name).to_owned(), 8)).collect();
            return Ok(Some(Fields { form, fields }));
        }
        let mut words = prefix.split_whitespace();
        let form =
            words.next().and_then(|word| FieldForm::ALL.into_iter().find(|f| f.name() == word));
        let Some(form) = form else { return Ok(None) };
        let field = |word: &str| {
            let (name, bits) = word.split_once('=')?;
            let bits = bits.parse().ok().filter(|bits| (1..=MAX_BITS).contains(bits))?;
            (!name.is_empty()).then(|| (name.to_owned(), bits))
        };
        let fields = words.map(|word| field(word).ok_or(word)).collect::<Result<Vec<_>, _>>();
        match fields {
            Ok(fields) if !fields.is_empty() => Ok(Some(Fields { form, fields })),
            wrong => {
                let message = match wrong {
                    Ok(_) => format!("`{}` names no fields", text::one_line(prefix)),
                    Err(word) => {
                        format!("`{}` is not the name and width of a field", text::one_line(word))
                    }
                };
                let error = FileError::new(Code::NoSuchLayout, file, message);
                let help = format!("write `{} x=16 y=16:{file}`, names and bits", form.name());
                Err(error.help(help).note(format!(
                    "the width of a field must be 1 to {MAX_BITS} \
                    bits"
                )))
            }
        }
    }

    /// Refuses a format that cannot represent these numbers.
    ///
    /// # Errors
    /// E0507.
    pub fn held_by(&self, format: Format) -> Result<(), FileError> {
        // The greatest numbers, so that an unsuitable format is detected in advance.
        let example = self.with(self.shape(1, 1), |bits| vec![i64::MAX >> (MAX_BITS - bits)]);
        let written = star_io::write(format, OutputRef::Numbers(&example), &mut std::io::sink());
        written.map_err(|refusal| {
            let what = match self.form {
                FieldForm::Records => "a list of such fields",
                FieldForm::Pixels | FieldForm::Planes => "a picture of such fields",
            };
            FileError { notes: refusal.notes, ..cannot_hold(what, format) }
        })
    }

    /// Converts a table to these numbers; `file` is its name in messages.
    ///
    /// # Errors
    /// E0507 if its rows do not consist of the fields, E0511 if the system refuses the memory.
    pub fn numbers(&self, value: BitsRef<'_>, file: &str) -> Result<Numbers, FileError> {
        let refused = |message: String| FileError::new(Code::NoSuchLayout, file, message);
        let Some(table) = value.columns() else {
            return Err(refused(format!("`{}` requires a table", self.form.name())));
        };
        let (n_rows, n_cols) = (table.n_rows(), table.n_cols());
        let n_bits: usize = self.fields.iter().map(|(_, bits)| bits).sum();
        let width = match self.form {
            FieldForm::Records if n_cols == n_bits => 1,
            FieldForm::Pixels | FieldForm::Planes if n_cols % n_bits == 0 => n_cols / n_bits,
            FieldForm::Records | FieldForm::Pixels | FieldForm::Planes => {
                let message = format!(
                    "rows of {} cannot be divided into fields of {n_bits}",
                    text::count(n_cols, "bit")
                );
                return Err(refused(message));
            }
        };
        let n_records = n_rows.saturating_mul(width);
        let mut fields = Vec::new();
        let mut first = 0;
        for (_, bits) in &self.fields {
            let mut values: Vec<i64> = Vec::new();
            if values.try_reserve_exact(n_records).is_err() {
                let message = format!("not enough memory for {n_records} numbers");
                return Err(FileError::new(Code::DoesNotFit, file, message));
            }
            values.resize(n_records, 0);
            // The column of a bit of a pixel.
            let column = |bit: usize, x: usize| match self.form {
                FieldForm::Records | FieldForm::Pixels => x * n_bits + first + bit,
                FieldForm::Planes => (first + bit) * width + x,
            };
            gather(table, width, *bits, column, &mut values);
            fields.push(values);
            first += bits;
        }
        let mut values = fields.into_iter();
        Ok(self.with(self.shape(n_rows, width), |_| values.next().unwrap_or_default()))
    }

    fn shape(&self, height: usize, width: usize) -> Shape {
        match self.form {
            FieldForm::Records => Shape::List(height),
            FieldForm::Pixels | FieldForm::Planes => Shape::Grid { height, width },
        }
    }

    /// Creates numbers with these values for fields of the given widths. Samples keep their widths,
    /// and so the depth of a picture.
    fn with(&self, shape: Shape, mut values: impl FnMut(usize) -> Vec<i64>) -> Numbers {
        let field = |(name, bits): &(String, usize)| {
            let kept = match self.form {
                FieldForm::Records => None,
                FieldForm::Pixels | FieldForm::Planes => Some(*bits),
            };
            Field::new(name.as_str(), kept, values(*bits))
        };
        Numbers { shape, fields: self.fields.iter().map(field).collect() }
    }
}

/// Splits `FORM:FILE`. `None` if there is no colon, or if the part before it is a drive, a folder,
/// or an extension that selects the format of standard output.
pub(crate) fn split_form(text: &str) -> Option<(&str, &str)> {
    let (prefix, file) = text.split_once(':')?;
    let is_drive = prefix.len() == 1 && prefix.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_path = prefix.is_empty() || prefix.contains(['/', '\\']);
    let is_extension = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
    let is_stdout = file == "-" && prefix.bytes().all(is_extension);
    (!is_drive && !is_path && !is_stdout).then_some((prefix, file))
}

/// Returns the error that the form before the name of a file is not one of these.
pub(crate) fn unknown_form(prefix: &str, file: &str, forms: &[&str]) -> FileError {
    let (shown, shown_file) = (text::one_line(prefix), text::one_line(file));
    let error = FileError::new(Code::NoSuchLayout, "", format!("unknown form `{shown}`"))
        .note(format!("the forms are {}", text::quoted_list(forms)));
    let first = prefix.split_whitespace().next().unwrap_or_default();
    let first_words = || forms.iter().filter_map(|form| form.split_whitespace().next());
    let error = match forms.iter().find(|form| form.split_whitespace().next() == Some(first)) {
        Some(form) => error.help(format!("write `{form}:{shown_file}`")),
        None => match did_you_mean(first, first_words()) {
            Some(meant) => {
                let rest = shown.trim_start().strip_prefix(first).unwrap_or_default();
                error.help(format!("did you mean `{meant}{rest}`?"))
            }
            None => error,
        },
    };
    let help = format!("write a file name that contains a colon as `./{shown}:{shown_file}`");
    if file.is_empty() { error } else { error.help(help) }
}

/// Returns the numbers of a field, `width` in each row, from the columns that `column` gives for
/// each bit and position.
fn gather(
    table: &BitTable,
    width: usize,
    n_bits: usize,
    column: impl Fn(usize, usize) -> usize,
    values: &mut [i64],
) {
    // Blocks of 64 rows, one limb of each column, so that the rows of numbers stay in the cache.
    for (limb, rows) in values.chunks_mut(64 * width.max(1)).enumerate() {
        for x in 0..width {
            let mut numbers = [0i64; 64];
            for bit in 0..n_bits {
                let bits = table.column_limbs(column(bit, x))[limb];
                for (row, number) in numbers.iter_mut().enumerate() {
                    *number = *number << 1 | (bits >> row & 1) as i64;
                }
            }
            for (value, number) in rows[x..].iter_mut().step_by(width).zip(numbers) {
                *value = number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use star_value::{BitTable, BitVector};

    use super::*;

    fn fields(text: &str) -> (Fields, &str) {
        let (fields, file) = Fields::split(text).unwrap();
        (fields.unwrap(), file)
    }

    #[test]
    fn a_form_precedes_a_file() {
        for plain in
            ["way.csv", "C:\\way.csv", "gr:-", "x:rgb:a.png", "records", "./rows x=3:way.csv", ""]
        {
            assert_eq!(Fields::split(plain).unwrap(), (None, plain));
        }
        for (unknown, help) in [
            ("plane h=3:d.png", "did you mean `planes h=3`?"),
            ("record x=3:a.csv", "did you mean `records x=3`?"),
            ("csv:a.csv", "write a file name that contains a colon as `./csv:a.csv`"),
        ] {
            let error = Fields::split(unknown).unwrap_err();
            assert_eq!((error.code, error.help[0].as_str()), (Code::NoSuchLayout, help));
        }
        assert_eq!(fields("records x=16  y=3:a:b.csv").1, "a:b.csv");
        for wrong in
            ["records:a.csv", "planes x:a.png", "records x=0:a", "planes =3:a", "records x=64:a"]
        {
            assert_eq!(Fields::split(wrong).unwrap_err().code, Code::NoSuchLayout, "{wrong}");
        }
        let error = Fields::split("records y=3 x=64:a").unwrap_err();
        assert_eq!(error.message, "`x=64` is not the name and width of a field");
        assert_eq!(error.notes, ["the width of a field must be 1 to 63 bits"]);
    }

    #[test]
    fn rows_become_records_and_planes_pictures() {
        let table = BitTable::parse(&["011101", "100011"]).unwrap();
        let (records, _) = fields("records x=2 y=4:a.csv");
        let numbers = records.numbers(BitsRef::from(&table), "a.csv").unwrap();
        assert_eq!(numbers.shape, Shape::List(2));
        assert_eq!(
            (&numbers.fields[0].values[..], &numbers.fields[1].values[..]),
            (&[1, 2][..], &[13, 3][..])
        );
        let mut text = Vec::new();
        star_io::write(Format::Csv, OutputRef::Numbers(&numbers), &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "x,y\n1,13\n2,3\n");
        // Two pixels in a row: 01 and 11 in two planes, 01 in one.
        let (planes, _) = fields("planes gray=2 alpha=1:a.png");
        let numbers = planes.numbers(BitsRef::from(&table), "a.png").unwrap();
        assert_eq!(numbers.shape, Shape::Grid { height: 2, width: 2 });
        assert_eq!(numbers.fields[0].values, [1, 3, 2, 0]);
        assert_eq!(numbers.fields[1].values, [0, 1, 1, 1]);
    }

    #[test]
    fn rows_become_pixels() {
        let table =
            BitTable::parse(&["000000010000001000000011", "111111110000000010000000"]).unwrap();
        let (rgb, file) = fields("rgb:a.png");
        assert_eq!((file, &rgb), ("a.png", &fields("pixels red=8 green=8 blue=8:a.png").0));
        let picture = rgb.numbers(BitsRef::from(&table), "a.png").unwrap();
        assert_eq!(picture.shape, Shape::Grid { height: 2, width: 1 });
        let values: Vec<&[i64]> = picture.fields.iter().map(|field| &field.values[..]).collect();
        assert_eq!(values, [&[1, 255][..], &[2, 0], &[3, 128]]);
        let gray = fields("gray:a.png").0.numbers(BitsRef::from(&table), "a.png").unwrap();
        assert_eq!(gray.shape, Shape::Grid { height: 2, width: 3 });
        assert_eq!(gray.fields[0].values, [1, 2, 3, 255, 0, 128]);
        assert!(rgb.held_by(Format::Png).is_ok());
        assert_eq!(rgb.held_by(Format::Metis).unwrap_err().code, Code::NoSuchLayout);
        // More rows than the bits of a limb.
        let mut long = BitTable::zeros(130, 4).unwrap();
        (0..130).filter(|row| row % 3 == 0).for_each(|row| long.put(row, row % 4, true));
        let (pixels, _) = fields("pixels gray=2:a.png");
        let tall = pixels.numbers(BitsRef::from(&long), "a.png").unwrap();
        let bit = |row: usize, column: usize| i64::from(long.get(row, column));
        for row in 0..130 {
            let expected = [0, 2].map(|x| 2 * bit(row, x) + bit(row, x + 1));
            assert_eq!(tall.fields[0].values[2 * row..2 * row + 2], expected, "{row}");
        }
    }

    #[test]
    fn rejects_unsuitable_values() {
        let (records, _) = fields("records x=2 y=4:a.csv");
        let table = BitTable::zeros(3, 5).unwrap();
        let word = BitVector::zeros(6);
        for value in [BitsRef::from(&table), BitsRef::Word(&word)] {
            assert_eq!(records.numbers(value, "a.csv").unwrap_err().code, Code::NoSuchLayout);
        }
        assert!(records.held_by(Format::Csv).is_ok());
        assert_eq!(records.held_by(Format::Png).unwrap_err().code, Code::NoSuchLayout);
        let (planes, _) = fields("planes red=8 green=8 blue=8:a.png");
        assert!(planes.held_by(Format::Png).is_ok());
        let (deep, _) = fields("planes gray=63:a.png");
        assert!(deep.held_by(Format::Png).is_err());
    }
}
