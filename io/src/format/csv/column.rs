//! A field of a CSV file during reading: the kind of its cells and their numbers.
//!
//! The first nonempty cell determines the kind, unless the header or the user declares texts. If
//! all cells are empty, they are texts, unless the user says what an empty cell is. A
//! cell that begins like a number but is not a number, date or time is an error, not a text. Blanks
//! at the ends of a cell, which was quoted then, belong to texts only, also if it has no others.

use crate::decimal::Decimal;
use crate::error::Fault;
use crate::growing::{Growing, OutOfBudget};
use crate::meaning::{Meaning, Texts};
use crate::numbers::{Field, FieldSummary};
use crate::scaling::{Scaling, ScalingUses};
use crate::whole::NO_NUMBER;

use super::header::looks_like_data;

/// A field during reading.
pub(in crate::format) struct Column {
    field: Field,
    /// Whether the meaning of the field is known.
    is_known: bool,
    /// While the meaning is unknown, the codes of `blanks`.
    values: Growing<i64>,
    /// The texts of the cells so far, while the meaning is unknown: all are empty or blank.
    blanks: Texts,
    /// The first cell with a zero before another digit that was read as a number.
    leading_zero: Option<String>,
    /// The error for the first empty cell, reported if the field turns out to hold numbers.
    first_empty: Option<Fault>,
    /// Memory of the texts in bytes.
    text_bytes: u64,
    /// The scale of this field.
    scaling: Option<Scaling>,
}

/// The reason for rejecting a cell.
pub(in crate::format) enum Refused {
    /// The cell does not have the kind of the column.
    Wrong(Cause),
    /// The budget is exhausted.
    Memory(OutOfBudget),
    /// An earlier empty cell should have been a number.
    Before(Fault),
}

/// The problem with a cell.
#[derive(Clone, Copy)]
pub(in crate::format) enum Cause {
    /// It is not a number, date or time.
    Cell,
    /// It is empty.
    Empty,
    /// It is not UTF-8.
    Encoding,
}

/// Rules for reading cells.
pub(in crate::format) struct Cells<'a> {
    pub(in crate::format) scaling: Option<&'a Scaling>,
    /// The value of empty cells in number fields.
    pub(in crate::format) empty: Option<&'a str>,
    /// Whether an empty cell or NaN in a field of numbers is a missing number.
    pub(in crate::format) may_miss: bool,
    /// Whether the decimal separator is a comma.
    pub(in crate::format) has_commas: bool,
}

impl Column {
    /// Creates a column without cells.
    pub(in crate::format) fn new(
        field: Field,
        is_text: bool,
        scale: Option<Decimal>,
        values: Growing<i64>,
    ) -> Self {
        let meaning = if is_text { Meaning::Texts(Texts::default()) } else { Meaning::Number };
        let field = Field { meaning, ..field };
        Column {
            field,
            is_known: is_text,
            values,
            blanks: Texts::default(),
            leading_zero: None,
            first_empty: None,
            text_bytes: 0,
            scaling: scale.map(Scaling::new),
        }
    }

    pub(in crate::format) fn name(&self) -> &str {
        &self.field.name
    }

    pub(in crate::format) fn meaning(&self) -> &Meaning {
        &self.field.meaning
    }

    /// The factor of its numbers.
    pub(in crate::format) fn scaling<'a>(&'a self, cells: &Cells<'a>) -> Option<&'a Scaling> {
        self.scaling.as_ref().or(cells.scaling)
    }

    /// The warning about the effect of the field's scale.
    pub(in crate::format) fn warning(&self) -> Option<String> {
        self.scaling.as_ref()?.warning()
    }

    /// The first cell with leading zeros, which are lost in its number.
    pub(in crate::format) fn leading_zero(&self) -> Option<&str> {
        self.leading_zero.as_deref()
    }

    /// Memory of its texts in bytes.
    pub(in crate::format) fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// Removes its cells, but not its kind.
    pub(in crate::format) fn restart(&mut self) {
        self.values.clear();
        if let Meaning::Texts(texts) = &mut self.field.meaning {
            *texts = Texts::default();
        }
        self.field.nodata = None;
        (self.leading_zero, self.text_bytes) = (None, 0);
        self.set_uses(ScalingUses::default());
    }

    /// The marker of its missing numbers.
    pub(in crate::format) fn nodata(&self) -> Option<i64> {
        self.field.nodata
    }

    /// The summary of its numbers.
    pub(in crate::format) fn numbers(&self) -> FieldSummary {
        FieldSummary::of(self.values.as_slice(), self.field.nodata)
    }

    /// Returns whether its kind is known.
    pub(in crate::format) fn is_known(&self) -> bool {
        self.is_known
    }

    /// The uses of the scale that only this field has.
    pub(in crate::format) fn uses(&self) -> ScalingUses {
        self.scaling.as_ref().map_or(ScalingUses::default(), Scaling::uses)
    }

    /// Replaces the uses of the scale that only this field has.
    pub(in crate::format) fn set_uses(&self, uses: ScalingUses) {
        if let Some(scaling) = &self.scaling {
            scaling.set_uses(uses);
        }
    }

    /// Replaces the first cell with leading zeros.
    pub(in crate::format) fn set_leading_zero(&mut self, cell: Option<String>) {
        self.leading_zero = cell;
    }

    /// Appends a cell.
    pub(in crate::format) fn push(
        &mut self,
        cell: &[u8],
        cells: &Cells<'_>,
        missing: impl FnOnce() -> Fault,
    ) -> Result<(), Refused> {
        if !self.is_known {
            if cell.trim_ascii().is_empty() || cells.misses(cell) {
                self.first_empty.get_or_insert_with(missing);
                let (code, n_bytes) = add(&mut self.blanks, cell).map_err(Refused::Wrong)?;
                self.text_bytes = self.text_bytes.saturating_add(n_bytes);
                return self.values.push(code).map_err(Refused::Memory);
            }
            self.decide(cell, cells)?;
        }
        let number = self.number(cell, cells).map_err(Refused::Wrong)?;
        self.values.push(number).map_err(Refused::Memory)
    }

    /// Appends a cell of a column of numbers, whatever it looks like.
    #[cfg(feature = "arrow")]
    pub(in crate::format) fn push_number(
        &mut self,
        cell: &[u8],
        cells: &Cells<'_>,
        missing: impl FnOnce() -> Fault,
    ) -> Result<(), Refused> {
        if !self.is_known && !cell.is_empty() {
            self.become_number(cells)?;
        }
        self.push(cell, cells, missing)
    }

    /// Determines the kind of a column without cells.
    #[cfg(feature = "arrow")]
    pub(in crate::format) fn declare(&mut self, meaning: Meaning, cells: &Cells<'_>) {
        self.field.meaning = match (meaning, self.scaling(cells)) {
            (Meaning::Number, Some(scaling)) => Meaning::Scaled(scaling.factor()),
            (meaning, _) => meaning,
        };
        self.is_known = true;
    }

    /// Lets a column of only empty cells hold numbers if the rules say what an empty one is.
    pub(in crate::format) fn settle(&mut self, cells: &Cells<'_>) -> Result<(), Refused> {
        match cells.empty {
            _ if self.is_known || self.values.len() == 0 => Ok(()),
            Some(empty) => self.decide(empty.as_bytes(), cells),
            None if cells.may_miss => self.become_number(cells),
            None => Ok(()),
        }
    }

    fn become_number(&mut self, cells: &Cells<'_>) -> Result<(), Refused> {
        let meaning = self.scaling(cells).map(|scaling| Meaning::Scaled(scaling.factor()));
        self.become_known(meaning.unwrap_or(Meaning::Number), cells)
    }

    /// Returns the field with its numbers.
    pub(in crate::format) fn finish(self, sorted: bool) -> Result<Field, OutOfBudget> {
        let Column { mut field, values, is_known, blanks, .. } = self;
        if !is_known && values.len() > 0 {
            // A field of only empty cells holds texts.
            field.meaning = Meaning::Texts(blanks);
        }
        field.values = values.into_vec();
        if let Meaning::Texts(texts) = &mut field.meaning
            && sorted
        {
            let renamed = texts.sort();
            for code in &mut field.values {
                *code = usize::try_from(*code).map_or(0, |before| renamed[before]);
            }
        }
        Ok(field)
    }

    /// Determines the kind from the first nonempty cell.
    #[cold]
    fn decide(&mut self, cell: &[u8], cells: &Cells<'_>) -> Result<(), Refused> {
        let cell = cell.trim_ascii();
        let moment = std::str::from_utf8(cell).ok().and_then(Meaning::of_moment);
        let meaning = match (moment, self.scaling(cells)) {
            (Some(moment), _) => moment,
            (None, _) if cells.decimal(cell).is_none() && !looks_like_data(cell) => {
                Meaning::Texts(Texts::default())
            }
            (None, Some(scaling)) => Meaning::Scaled(scaling.factor()),
            (None, None) => Meaning::Number,
        };
        self.become_known(meaning, cells)
    }

    fn become_known(&mut self, meaning: Meaning, cells: &Cells<'_>) -> Result<(), Refused> {
        self.field.meaning = meaning;
        self.is_known = true;
        let first = self.first_empty.take();
        let blanks = std::mem::take(&mut self.blanks);
        if let Meaning::Texts(texts) = &mut self.field.meaning {
            *texts = blanks;
        } else if self.values.len() > 0 {
            let number = self.number(b"", cells).map_err(|cause| match first {
                Some(fault) => Refused::Before(fault),
                None => Refused::Wrong(cause),
            })?;
            self.values.fill(number);
        }
        Ok(())
    }

    /// Parses the number in a cell.
    fn number(&mut self, cell: &[u8], cells: &Cells<'_>) -> Result<i64, Cause> {
        if let Meaning::Texts(texts) = &mut self.field.meaning {
            let (code, n_bytes) = add(texts, cell)?;
            self.text_bytes = self.text_bytes.saturating_add(n_bytes);
            return Ok(code);
        }
        if cells.misses(cell) {
            self.field.nodata = Some(NO_NUMBER);
            return Ok(NO_NUMBER);
        }
        let (cell, wrong) = match (cell.trim_ascii(), cells.empty) {
            (b"", Some(empty)) => (empty.as_bytes(), Cause::Empty),
            (b"", None) => return Err(Cause::Empty),
            (cell, _) => (cell, Cause::Cell),
        };
        let meaning = &self.field.meaning;
        let number = match meaning {
            Meaning::Number => {
                if let [b'0', b'0'..=b'9', ..] = cell
                    && self.leading_zero.is_none()
                {
                    self.leading_zero = Some(String::from_utf8_lossy(cell).into_owned());
                }
                whole_number(cell)
            }
            Meaning::Scaled(_) => cells
                .decimal(cell)
                .zip(self.scaling(cells))
                .and_then(|(number, scaling)| scaling.decimal(number)),
            Meaning::Date | Meaning::Clock | Meaning::DateTime | Meaning::Texts(_) => {
                std::str::from_utf8(cell).ok().and_then(|text| meaning.number(text))
            }
        };
        number.ok_or(wrong)
    }
}

/// Returns the code of a cell among the texts, and the memory of a new one.
fn add(texts: &mut Texts, cell: &[u8]) -> Result<(i64, u64), Cause> {
    let text = std::str::from_utf8(cell).map_err(|_| Cause::Encoding)?;
    let n_texts = texts.as_slice().len();
    let code = texts.add(text);
    let is_new = texts.as_slice().len() > n_texts;
    Ok((code, if is_new { Meaning::bytes_of_text(text) } else { 0 }))
}

impl Cells<'_> {
    /// Forgets the uses of the general scale.
    pub(in crate::format) fn restart(&self) {
        if let Some(scaling) = self.scaling {
            scaling.set_uses(ScalingUses::default());
        }
    }

    /// Returns whether a cell of a field of numbers is a missing number.
    fn misses(&self, cell: &[u8]) -> bool {
        let cell = cell.trim_ascii();
        // `empty=` gives empty cells a value.
        self.may_miss
            && (cell.eq_ignore_ascii_case(b"nan") || cell.is_empty() && self.empty.is_none())
    }

    /// Parses the decimal fraction in a cell.
    pub(in crate::format) fn decimal(&self, cell: &[u8]) -> Option<Decimal> {
        let text = std::str::from_utf8(cell).ok()?;
        match self.has_commas {
            true => Decimal::parse(&text.replacen(',', ".", 1)),
            false => Decimal::parse(text),
        }
    }
}

pub(in crate::format) fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Parses an integer with an optional minus.
fn whole_number(cell: &[u8]) -> Option<i64> {
    let is_whole = is_digits(cell.strip_prefix(b"-").unwrap_or(cell));
    std::str::from_utf8(cell).ok().filter(|_| is_whole)?.parse().ok()
}
