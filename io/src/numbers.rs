//! Integers from files: records of a list, cells of a grid, pixels of an image.

use std::borrow::Cow;

use star_base::Code;

use crate::decimal::Decimal;
use crate::error::FileError;
use crate::graph::bit_length;
use crate::meaning::{Meaning, quoting_formula};
use crate::names::plain_number;
use crate::scaling::Scaling;
use crate::whole::NO_NUMBER;

/// Maximum width of a number in bits: no weight, code or colour needs more.
pub(crate) const MAX_BITS: usize = 4096;

/// Records with one number per field. Row `i` (from 0) of every field is one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The arrangement of the records.
    pub shape: Shape,
    /// The numbers, field by field; each has [`Shape::n_records`] of them.
    pub fields: Vec<Field>,
}

impl Numbers {
    /// The scale that the numbers of the first such field were multiplied by.
    pub fn scale(&self) -> Option<Decimal> {
        self.fields.iter().find_map(|field| match field.meaning {
            Meaning::Scaled(scale) => Some(scale),
            Meaning::Number
            | Meaning::Texts(_)
            | Meaning::Date
            | Meaning::Clock
            | Meaning::DateTime => None,
        })
    }

    /// The same numbers with a quote before each text and field name that a spreadsheet would
    /// evaluate as a formula. Numbers, dates and times are unchanged.
    #[must_use]
    pub fn quoting_formulas(&self) -> Numbers {
        let fields = self.fields.iter().map(|field| Field {
            name: quoting_formula(&field.name).into_owned(),
            meaning: field.meaning.quoting_formulas(),
            ..field.clone()
        });
        Numbers { shape: self.shape, fields: fields.collect() }
    }

    /// Rejects numbers whose fields do not have the length of the shape.
    pub(crate) fn check(&self, file: &str) -> Result<(), FileError> {
        let n_records = self.shape.n_records();
        match self.fields.iter().find(|field| field.values.len() != n_records) {
            None => Ok(()),
            Some(Field { name, values, .. }) => {
                let n = values.len();
                let message = format!("field `{name}` has {n} numbers for {n_records} records");
                Err(FileError::new(Code::OutOfRange, file, message))
            }
        }
    }
}

/// The arrangement of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A sequence.
    List(usize),
    /// Rows and columns; record `row * width + column`, all from 0, the first row on top.
    Grid {
        /// Number of rows.
        height: usize,
        /// Number of columns.
        width: usize,
    },
}

impl Shape {
    /// Number of records.
    pub fn n_records(self) -> usize {
        match self {
            Shape::List(len) => len,
            Shape::Grid { height, width } => height.saturating_mul(width),
        }
    }
}

/// The numbers of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the file, or its meaning (`red`, `passable`).
    pub name: String,
    /// The bits of every number according to the file or the user; `None` for the smallest
    /// sufficient width.
    pub bits: Option<usize>,
    /// The meaning of its numbers.
    pub meaning: Meaning,
    /// The marker of missing numbers, as in heights without a measurement. It affects neither the
    /// minimum nor the width, and is stored as all ones, which no other number then uses.
    pub nodata: Option<i64>,
    /// The least and the greatest number of all fields that share an offset and a width with this
    /// one; `None` for its own.
    pub shared: Option<(i64, i64)>,
    /// The numbers.
    pub values: Vec<i64>,
    /// A summary of the other numbers of the field, if this process holds only some records.
    pub elsewhere: Option<FieldSummary>,
}

/// A summary of some numbers of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldSummary {
    /// How many there are.
    pub n_values: usize,
    /// How many of them are missing.
    pub n_missing: usize,
    /// The least and the greatest of the others.
    pub range: Option<(i64, i64)>,
}

impl FieldSummary {
    /// Returns the summary of these numbers, of which `nodata` is missing.
    pub(crate) fn of(values: &[i64], nodata: Option<i64>) -> Self {
        let (mut range, mut n_present) = (None, 0);
        for number in values.iter().copied().filter(|number| Some(*number) != nodata) {
            n_present += 1;
            let (least, greatest) = range.unwrap_or((number, number));
            range = Some((number.min(least), number.max(greatest)));
        }
        FieldSummary { n_values: values.len(), n_missing: values.len() - n_present, range }
    }

    /// Returns the summary of these numbers and those of another one.
    #[must_use]
    pub fn and(self, other: FieldSummary) -> FieldSummary {
        let range = match (self.range, other.range) {
            (Some((least, greatest)), Some(range)) => {
                Some((least.min(range.0), greatest.max(range.1)))
            }
            (one, another) => one.or(another),
        };
        let n_values = self.n_values.saturating_add(other.n_values);
        FieldSummary { n_values, n_missing: self.n_missing + other.n_missing, range }
    }
}

impl Field {
    /// Creates a field of plain numbers.
    pub fn new(name: impl Into<String>, bits: Option<usize>, values: Vec<i64>) -> Self {
        let (name, meaning) = (name.into(), Meaning::Number);
        Field { name, bits, meaning, nodata: None, shared: None, values, elsewhere: None }
    }

    /// The same field, whose numbers were multiplied by the scale, if there is one.
    #[must_use]
    pub(crate) fn scaled(mut self, scaling: Option<&Scaling>) -> Self {
        if let Some(scaling) = scaling {
            self.meaning = Meaning::Scaled(scaling.factor());
        }
        self
    }

    /// The same field without records.
    #[must_use]
    pub fn without_values(&self) -> Self {
        let Field { name, bits, meaning, nodata, shared, values: _, elsewhere: _ } = self;
        let (name, meaning, values) = (name.clone(), meaning.clone(), Vec::new());
        let (bits, nodata, shared) = (*bits, *nodata, *shared);
        Field { name, bits, meaning, nodata, shared, values, elsewhere: None }
    }

    /// The numbers of the texts by their codes from 0, for a format without texts: -1 for the empty
    /// one. `None` if this is no field of texts, or they are not all the notations of numbers.
    pub(crate) fn numbers_of_texts(&self) -> Option<Vec<i128>> {
        let Meaning::Texts(texts) = &self.meaning else { return None };
        let numbers = texts.all().map(|text| plain_number(text).map(i128::from));
        let numbers: Option<Vec<i128>> = std::iter::once(Some(-1)).chain(numbers).collect();
        let numbers = numbers.filter(|numbers| numbers.len() > 1)?;
        let is_known = |code: i64| usize::try_from(code).is_ok_and(|code| code < numbers.len());
        // No type has both -1 and numbers of 64 bits.
        let is_signed = self.values.contains(&0);
        let fits = !is_signed || numbers.iter().all(|&number| i64::try_from(number).is_ok());
        (fits && self.values.iter().all(|&code| is_known(code))).then_some(numbers)
    }

    /// Returns whether every number is 0 or 1.
    pub(crate) fn is_bits(&self) -> bool {
        let are_bits = self.values.iter().all(|number| matches!(number, 0 | 1));
        are_bits
            && self.elsewhere.is_none_or(|rest| {
                rest.n_missing == 0
                    && rest.range.is_none_or(|(least, greatest)| least >= 0 && greatest <= 1)
            })
    }

    /// Returns the number of its numbers, here and elsewhere.
    pub fn n_values(&self) -> usize {
        let elsewhere = self.elsewhere.map_or(0, |rest| rest.n_values);
        self.values.len().saturating_add(elsewhere)
    }

    /// Returns the least and the greatest of its numbers, here and elsewhere, that are not missing.
    pub fn range(&self) -> Option<(i64, i64)> {
        let here = FieldSummary::of(&self.values, self.nodata);
        here.and(self.elsewhere.unwrap_or_default()).range
    }

    /// The numbers that are not missing.
    pub(crate) fn present(&self) -> impl Iterator<Item = i64> + '_ {
        self.values.iter().copied().filter(|number| Some(*number) != self.nodata)
    }

    /// Returns the text of one of its numbers; empty for a missing one that has no number in files,
    /// such as an empty cell or NaN.
    #[must_use]
    pub fn text(&self, number: i64) -> Cow<'_, str> {
        match self.lacks(number) {
            true => "".into(),
            false => self.meaning.text(number),
        }
    }

    /// Returns whether a number stands for a missing one that has no number in files.
    #[must_use]
    pub fn lacks(&self, number: i64) -> bool {
        number == NO_NUMBER && self.nodata == Some(NO_NUMBER)
    }

    /// Returns a number as it is in a file with fractions; `None` if it is missing.
    pub(crate) fn float(&self, number: i64) -> Option<f64> {
        let scale = match self.meaning {
            Meaning::Scaled(scale) => scale.to_f64(),
            Meaning::Number
            | Meaning::Texts(_)
            | Meaning::Date
            | Meaning::Clock
            | Meaning::DateTime => 1.0,
        };
        (!self.lacks(number)).then(|| number as f64 / scale)
    }

    /// Number of missing numbers, here and elsewhere.
    pub fn n_missing(&self) -> usize {
        let here = match self.nodata {
            None => 0,
            Some(nodata) => self.values.iter().filter(|number| **number == nodata).count(),
        };
        here + self.elsewhere.map_or(0, |rest| rest.n_missing)
    }

    /// The offset subtracted from every number so that none is negative: the minimum, if it is
    /// negative. Fields that share an offset have that of the least number of all.
    pub fn offset(&self) -> i64 {
        let shared = self.shared.map(|(least, _)| least);
        let least = self.range().map(|(least, _)| least);
        least.into_iter().chain(shared).min().unwrap_or(0).min(0)
    }

    /// The smallest width, at least 1, in which every number minus the offset fits; for texts and
    /// fields with missing numbers, one code stays unused.
    pub(crate) fn least_bits(&self) -> usize {
        if let Meaning::Texts(texts) = &self.meaning {
            return texts.width();
        }
        let shared = self.shared.map(|(_, greatest)| greatest);
        let greatest = self.range().map(|(_, greatest)| greatest);
        let greatest = greatest.into_iter().chain(shared).max().unwrap_or(0);
        let range = i128::from(greatest) - i128::from(self.offset());
        // The shared range includes the unused code.
        let one_more = u128::from(self.shared.is_none() && self.n_missing() > 0);
        bit_length(range.unsigned_abs() + one_more).max(1)
    }
}
