//! One field of a CSV file while it is read: the kind of its cells, and their numbers.
//!
//! The first cell that is not empty says the kind, unless the header or the user says that these are texts. Whatever
//! begins like a number and is none, no date and no time is a mistake and no text.

use crate::decimal::Decimal;
use crate::error::Fault;
use crate::growing::{Growing, OutOfBudget};
use crate::meaning::{Meaning, Texts};
use crate::numbers::Field;
use crate::scaling::Scaling;

use super::header::looks_like_data;

/// A field that is being read.
pub(in crate::format) struct Column {
    field: Field,
    /// Is the meaning of the field known?
    is_known: bool,
    values: Growing<i64>,
    /// Cells so far, all of them empty, while the meaning is not known.
    n_empty: usize,
    /// What is told about the first of them if they turn out to miss numbers.
    first_empty: Option<Fault>,
    /// Memory of the texts.
    text_bytes: u64,
    /// A scale of its own.
    scaling: Option<Scaling>,
}

/// Why a cell is not taken.
pub(in crate::format) enum Refused {
    /// It is none of this kind.
    Wrong(Cause),
    /// The budget is used up.
    Memory(OutOfBudget),
    /// An empty cell before turns out to miss a number.
    Before(Fault),
}

/// What is wrong with a cell.
#[derive(Clone, Copy)]
pub(in crate::format) enum Cause {
    /// It is no number, date or time.
    Cell,
    /// It is empty.
    Empty,
    /// It is no UTF-8.
    Encoding,
}

/// How cells are read.
pub(in crate::format) struct Cells<'a> {
    pub(in crate::format) scaling: Option<&'a Scaling>,
    /// What stands where a number is missing.
    pub(in crate::format) empty: Option<&'a str>,
    /// Is the point of a number a comma?
    pub(in crate::format) has_commas: bool,
}

impl Column {
    /// No cell was read yet.
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
            n_empty: 0,
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

    /// What its numbers are multiplied with.
    pub(in crate::format) fn scaling<'a>(&'a self, cells: &Cells<'a>) -> Option<&'a Scaling> {
        self.scaling.as_ref().or(cells.scaling)
    }

    /// What became of them by a scale of its own.
    pub(in crate::format) fn warning(&self) -> Option<String> {
        self.scaling.as_ref()?.warning()
    }

    /// Memory that its texts take.
    pub(in crate::format) fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// Takes a cell.
    pub(in crate::format) fn push(
        &mut self,
        cell: &[u8],
        cells: &Cells<'_>,
        missing: impl FnOnce() -> Fault,
    ) -> Result<(), Refused> {
        if !self.is_known {
            if cell.is_empty() {
                self.n_empty += 1;
                self.first_empty.get_or_insert_with(missing);
                return Ok(());
            }
            self.decide(cell, cells)?;
        }
        let number = self.number(cell, cells).map_err(Refused::Wrong)?;
        self.values.push(number).map_err(Refused::Memory)
    }

    /// The field with its numbers.
    pub(in crate::format) fn finish(self, sorted: bool) -> Result<Field, OutOfBudget> {
        let Column { mut field, mut values, is_known, n_empty, .. } = self;
        if !is_known && n_empty > 0 {
            // With nothing but empty cells it holds texts.
            field.meaning = Meaning::Texts(Texts::default());
            (0..n_empty).try_for_each(|_| values.push(0))?;
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

    /// Finds the kind by the first cell that is not empty.
    #[cold]
    fn decide(&mut self, cell: &[u8], cells: &Cells<'_>) -> Result<(), Refused> {
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
        for _ in 0..self.n_empty {
            let number = self.number(b"", cells).map_err(|cause| match first.clone() {
                Some(fault) => Refused::Before(fault),
                None => Refused::Wrong(cause),
            })?;
            self.values.push(number).map_err(Refused::Memory)?;
        }
        Ok(())
    }

    /// The number of a cell.
    fn number(&mut self, cell: &[u8], cells: &Cells<'_>) -> Result<i64, Cause> {
        if let Meaning::Texts(texts) = &mut self.field.meaning {
            let text = std::str::from_utf8(cell).map_err(|_| Cause::Encoding)?;
            let n_texts = texts.as_slice().len();
            let code = texts.add(text);
            if texts.as_slice().len() > n_texts {
                self.text_bytes = self.text_bytes.saturating_add(Meaning::bytes_of_text(text));
            }
            return Ok(code);
        }
        let (cell, wrong) = match (cell, cells.empty) {
            (b"", Some(empty)) => (empty.as_bytes(), Cause::Empty),
            (b"", None) => return Err(Cause::Empty),
            (cell, _) => (cell, Cause::Cell),
        };
        let meaning = &self.field.meaning;
        let number = match meaning {
            Meaning::Number => whole_number(cell),
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

impl Cells<'_> {
    /// The decimal fraction in a cell.
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

/// A whole number, perhaps with a minus.
fn whole_number(cell: &[u8]) -> Option<i64> {
    let is_whole = is_digits(cell.strip_prefix(b"-").unwrap_or(cell));
    std::str::from_utf8(cell).ok().filter(|_| is_whole)?.parse().ok()
}
