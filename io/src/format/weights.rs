//! The rules for the weights of arcs, the same in every format that stores them as texts: a weight
//! is a whole number, or any number with a scale. A fraction without a scale leaves all weights
//! out. A missing weight has the value of `empty=`; without it either all arcs have a weight or
//! none.

use star_base::Code;

use crate::decimal::Decimal;
use crate::error::{Fault, FileError};
use crate::scaling::{Scaling, advice};
use crate::source::Source;
use crate::text;

/// The names of fields and attributes that hold weights, in any letter case.
pub(super) const NAMES: [&str; 8] =
    ["weight", "w", "cost", "distance", "length", "dist", "km", "value"];

/// Returns whether a name is one of [`NAMES`].
pub(super) fn is_usual(name: &str) -> bool {
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The weights of the arcs read so far.
pub(super) struct WeightRule<'a> {
    scaling: Option<&'a Scaling>,
    /// The value of missing weights.
    empty: Option<Decimal>,
    /// The attribute or column that the user chose.
    wanted: Option<&'a str>,
    n_present: u64,
    n_missing: u64,
    first_missing: Option<Fault>,
    /// The first weight that is not an integer.
    no_weights: Option<Fault>,
}

/// A place that makes an error of a code and a message.
pub(super) type At<'f> = &'f dyn Fn(Code, String) -> Fault;

impl<'a> WeightRule<'a> {
    /// Creates the rule for a file with the settings of its source.
    pub(super) fn new(source: &Source<'a, '_>) -> Self {
        WeightRule {
            scaling: source.scaling(),
            empty: source.field_rules().empty.and_then(Decimal::parse),
            wanted: source.edge_fields().weight.filter(|_| source.edge_fields().reads_weights()),
            n_present: 0,
            n_missing: 0,
            first_missing: None,
            no_weights: None,
        }
    }

    /// Returns the weight of the next arc, `None` if it has none.
    pub(super) fn add(&mut self, text: Option<&str>, at: At<'_>) -> Result<i64, Fault> {
        let text = text.map(str::trim).filter(|text| !text.is_empty());
        let value = match (text, self.empty) {
            (Some(text), _) => Decimal::parse(text).ok_or_else(|| {
                let found = text::quote(text.as_bytes());
                let fault =
                    at(Code::BadFormat, format!("expected a number as the weight, found {found}"));
                Box::new(fault.help("`weight=none` reads no weights"))
            })?,
            (None, Some(empty)) => empty,
            (None, None) => {
                self.n_missing += 1;
                if self.first_missing.is_none() {
                    self.first_missing = Some(at(Code::BadFormat, "missing weight".to_owned()));
                }
                return Ok(1);
            }
        };
        self.n_present += 1;
        self.whole(value, at)
    }

    fn whole(&mut self, value: Decimal, at: At<'_>) -> Result<i64, Fault> {
        if self.no_weights.is_some() {
            return Ok(1);
        }
        let beyond = || at(Code::OutOfRange, "the weight exceeds 63 bits".to_owned());
        match self.scaling {
            Some(scaling) => scaling.decimal(value).ok_or_else(beyond),
            None => match value.to_whole() {
                Some(weight) => Ok(weight),
                None if value.magnitude() >= 18 => Err(beyond()),
                None => {
                    let message = format!("the weight `{value}` is not a whole number");
                    let fault = at(Code::BadFormat, message).help(advice(value));
                    self.no_weights = Some(Box::new(fault));
                    Ok(1)
                }
            },
        }
    }

    /// Takes the result of another reader of weights.
    pub(super) fn read_elsewhere(&mut self, weighted: bool, no_weights: Option<Fault>) {
        self.n_present = u64::from(weighted);
        self.no_weights = no_weights;
    }

    /// Returns why a part of the arcs cannot be read without the others: the messages name lines.
    pub(super) fn needs_whole(&self) -> Option<&FileError> {
        self.first_missing.as_deref().or(self.no_weights.as_deref())
    }

    /// Returns whether the arcs have weights, and the reason why those of the file are not used.
    ///
    /// # Errors
    /// If some arcs have a weight and others have none, or none has the one that the user chose.
    pub(super) fn finish(self) -> Result<(bool, Option<Box<FileError>>), Fault> {
        match (self.first_missing, self.wanted) {
            (Some(fault), Some(wanted)) if self.n_present == 0 => {
                let message = format!("no arc has the weight {}", text::quote(wanted.as_bytes()));
                let fault = FileError { message, ..*fault };
                Err(Box::new(fault.help("`weight=none` reads no weights")))
            }
            (Some(fault), _) if self.n_present > 0 => {
                let (missing, all) = (self.n_missing, self.n_present + self.n_missing);
                let arcs = text::count(all, "arc");
                Err(Box::new(
                    fault
                        .note(format!("{missing} of {arcs} have no weight"))
                        .help("`empty=1` reads a missing weight as 1, `weight=none` no weights"),
                ))
            }
            (Some(_) | None, _) => {
                Ok((self.n_present > 0 && self.no_weights.is_none(), self.no_weights))
            }
        }
    }
}
