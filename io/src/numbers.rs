//! Whole numbers as files hold them: records of a list, cells of a grid, pixels of an image.

use star_base::Code;

use crate::error::FileError;
use crate::graph::bit_length;
use crate::meaning::Meaning;

/// Widest number, in bits: no weight, code or colour needs more.
pub(crate) const MAX_BITS: usize = 4096;

/// Records, each with one number per field. Row `i` (from 0) of every field is one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// How the records lie.
    pub shape: Shape,
    /// The numbers, field by field; each has [`Shape::n_records`] of them.
    pub fields: Vec<Field>,
}

impl Numbers {
    /// Refuses numbers made by hand whose fields have other lengths than their shape says.
    pub(crate) fn check(&self, file: &str) -> Result<(), FileError> {
        let n_records = self.shape.n_records();
        match self.fields.iter().find(|field| field.values.len() != n_records) {
            None => Ok(()),
            Some(Field { name, values, .. }) => {
                let n = values.len();
                let message = format!("the field `{name}` has {n} numbers for {n_records} records");
                Err(FileError::new(Code::OutOfRange, file, message))
            }
        }
    }
}

/// How records lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One after another.
    List(usize),
    /// In rows and columns; record `row * width + column`, all from 0, the first row on top.
    Grid {
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
    },
}

impl Shape {
    /// How many records there are.
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
    /// Its name in the file, or what it stands for (`red`, `passable`).
    pub name: String,
    /// The bits that the file or the user gives every number; `None` for the least that is enough.
    pub bits: Option<usize>,
    /// What its numbers stand for.
    pub meaning: Meaning,
    /// The number that says that there is none, as heights have where nothing was measured. It counts neither for the least
    /// number nor for the width, and is stored as all ones, which no other number is then.
    pub nodata: Option<i64>,
    /// The numbers.
    pub values: Vec<i64>,
}

impl Field {
    /// A field whose numbers stand for themselves.
    pub fn new(name: impl Into<String>, bits: Option<usize>, values: Vec<i64>) -> Self {
        Field { name: name.into(), bits, meaning: Meaning::Number, nodata: None, values }
    }

    /// The same field of no records.
    #[must_use]
    pub fn without_values(&self) -> Self {
        let Field { name, bits, meaning, nodata, values: _ } = self;
        let (name, meaning) = (name.clone(), meaning.clone());
        Field { name, bits: *bits, meaning, nodata: *nodata, values: Vec::new() }
    }

    /// Is every number 0 or 1?
    pub(crate) fn is_bits(&self) -> bool {
        self.values.iter().all(|number| matches!(number, 0 | 1))
    }

    /// The numbers that there are.
    fn present(&self) -> impl Iterator<Item = i64> + '_ {
        self.values.iter().copied().filter(|number| Some(*number) != self.nodata)
    }

    /// How many there are not.
    pub(crate) fn n_missing(&self) -> usize {
        match self.nodata {
            None => 0,
            Some(nodata) => self.values.iter().filter(|number| **number == nodata).count(),
        }
    }

    /// What is taken off every number, so that none is negative: the least one if it is.
    pub fn offset(&self) -> i64 {
        self.present().min().unwrap_or(0).min(0)
    }

    /// The least width, at least 1, in which every number less the offset fits; beside the codes of texts, and beside numbers
    /// of which some are missing, one that none has.
    pub(crate) fn least_bits(&self) -> usize {
        if let Meaning::Texts(texts) = &self.meaning {
            return texts.width();
        }
        let greatest = self.present().max().unwrap_or(0);
        let range = i128::from(greatest) - i128::from(self.offset());
        let one_more = u128::from(self.n_missing() > 0);
        bit_length(range.unsigned_abs() + one_more).max(1)
    }
}
