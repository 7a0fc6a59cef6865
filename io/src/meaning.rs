//! Meanings of the numbers of a field: numbers, texts, dates and times.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::decimal::Decimal;
use crate::graph::bit_length;
use crate::moment;
use crate::text::quote;

/// The meaning of the numbers of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    /// Plain numbers.
    #[default]
    Number,
    /// Numbers multiplied by this scale and rounded.
    Scaled(Decimal),
    /// Texts: 1 for the first, 2 for the next; 0 for none. No text has the code of all ones.
    Texts(Texts),
    /// Days since 1970-01-01.
    Date,
    /// Seconds since midnight.
    Clock,
    /// Seconds since 1970-01-01T00:00:00.
    DateTime,
}

/// Different texts, in the order of their codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    texts: Vec<String>,
    codes: HashMap<String, i64>,
    /// Whether the codes follow the order of the characters.
    is_sorted: bool,
}

impl Texts {
    /// The distinct texts of a list, with codes in its order.
    pub fn of(texts: impl IntoIterator<Item = String>) -> Self {
        let mut all = Texts::default();
        texts.into_iter().for_each(|text| _ = all.add(&text));
        all
    }

    /// The texts, from code 1 on.
    pub fn as_slice(&self) -> &[String] {
        &self.texts
    }

    /// The code of a text; 0 for the empty one.
    pub fn code(&self, text: &str) -> Option<i64> {
        if text.is_empty() { Some(0) } else { self.codes.get(text).copied() }
    }

    /// The texts, in the order of their codes from 1.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    /// Returns whether the codes follow the order of the characters, on request.
    pub(crate) fn is_sorted(&self) -> bool {
        self.is_sorted
    }

    /// The texts directly before and after an absent one in sorted texts.
    pub(crate) fn neighbours(&self, absent: &str) -> (Option<&str>, Option<&str>) {
        let after = self.texts.partition_point(|text| text.as_str() < absent);
        let text = |idx: Option<usize>| self.texts.get(idx?).map(String::as_str);
        (text(after.checked_sub(1)), text(Some(after)))
    }

    /// The text of a code; that of 0 is empty.
    pub fn text(&self, code: i64) -> Option<&str> {
        match usize::try_from(code).ok()?.checked_sub(1) {
            None => Some(""),
            Some(idx) => self.texts.get(idx).map(String::as_str),
        }
    }

    /// The same texts with their codes, those that are formulas quoted.
    fn quoting_formulas(&self) -> Texts {
        let mut quoted = Texts::default();
        for text in &self.texts {
            let text = quoting_formula(text).into_owned();
            quoted.texts.push(text.clone());
            let code = quoted.texts.len() as i64;
            quoted.codes.entry(text).or_insert(code);
        }
        quoted
    }

    /// The smallest width in which the code of all ones is unused.
    pub fn width(&self) -> usize {
        bit_length(self.texts.len() as u128 + 1)
    }

    /// Returns the code of a text, a new one if necessary.
    pub(crate) fn add(&mut self, text: &str) -> i64 {
        if let Some(code) = self.code(text) {
            return code;
        }
        self.is_sorted = false;
        self.texts.push(text.to_owned());
        let code = self.texts.len() as i64;
        self.codes.insert(text.to_owned(), code);
        code
    }

    /// Sorts the texts by their characters; returns the new code for each old one.
    pub(crate) fn sort(&mut self) -> Vec<i64> {
        let old = std::mem::take(&mut self.codes);
        self.texts.sort_unstable();
        let mut renamed = vec![0; self.texts.len() + 1];
        for (code, text) in (1..).zip(&self.texts) {
            let before = old.get(text).and_then(|&code| usize::try_from(code).ok());
            if let Some(new) = before.and_then(|before| renamed.get_mut(before)) {
                *new = code;
            }
            self.codes.insert(text.clone(), code);
        }
        self.is_sorted = true;
        renamed
    }
}

/// Returns a text with a quote before it if a spreadsheet would evaluate it: if it begins, after
/// blanks, with `=`, `+`, `-`, `@` or one of their wide forms, or with a tab or a line break.
pub(crate) fn quoting_formula(text: &str) -> Cow<'_, str> {
    let is_formula = |c: char| matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠');
    let breaks = text.starts_with(['\t', '\r', '\n']);
    match breaks || text.trim_start().starts_with(is_formula) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// Memory of a text in a dictionary, apart from its bytes, which are stored twice.
const TEXT_BYTES: u64 = 192;

impl Meaning {
    /// Parses a text; `None` if it has the wrong kind or is not in the dictionary.
    pub fn number(&self, text: &str) -> Option<i64> {
        match self {
            Meaning::Number => text.parse().ok(),
            Meaning::Scaled(scale) => Decimal::parse(text)?.scaled(*scale),
            Meaning::Texts(texts) => texts.code(text),
            Meaning::Date => moment::date(text),
            Meaning::Clock => moment::clock(text),
            Meaning::DateTime => moment::date_time(text),
        }
    }

    /// The text of a number.
    pub fn text(&self, number: i64) -> Cow<'_, str> {
        match self {
            Meaning::Number => number.to_string().into(),
            Meaning::Scaled(scale) => match Decimal::quotient(number, *scale) {
                Some(quotient) => quotient.to_string().into(),
                None => (number as f64 / scale.to_f64()).to_string().into(),
            },
            // Codes without a text, which a program may have created, are shown as numbers.
            Meaning::Texts(texts) => {
                texts.text(number).map_or_else(|| number.to_string().into(), Cow::from)
            }
            Meaning::Date => moment::date_text(number).into(),
            Meaning::Clock => moment::clock_text(number).into(),
            Meaning::DateTime => moment::date_time_text(number).into(),
        }
    }

    /// The same meaning with a quote before each text that a spreadsheet would evaluate.
    pub(crate) fn quoting_formulas(&self) -> Meaning {
        match self {
            Meaning::Texts(texts) => Meaning::Texts(texts.quoting_formulas()),
            Meaning::Number
            | Meaning::Scaled(_)
            | Meaning::Date
            | Meaning::Clock
            | Meaning::DateTime => self.clone(),
        }
    }

    /// Memory of the texts in bytes.
    pub fn n_bytes(&self) -> u64 {
        match self {
            Meaning::Texts(texts) => {
                let bytes = texts.texts.iter().map(|text| Meaning::bytes_of_text(text));
                bytes.fold(0, u64::saturating_add)
            }
            Meaning::Number
            | Meaning::Scaled(_)
            | Meaning::Date
            | Meaning::Clock
            | Meaning::DateTime => 0,
        }
    }

    /// Returns the kind of date or time that a text has.
    pub(crate) fn of_moment(text: &str) -> Option<Meaning> {
        let kinds = [Meaning::Date, Meaning::Clock, Meaning::DateTime];
        kinds.into_iter().find(|kind| kind.number(text).is_some())
    }

    /// A number, date or time of this kind.
    pub(crate) fn example(&self) -> &'static str {
        match self {
            Meaning::Number | Meaning::Scaled(_) | Meaning::Texts(_) => "0",
            Meaning::Date => "2024-05-01",
            Meaning::Clock => "12:30",
            Meaning::DateTime => "2024-05-01T12:30",
        }
    }

    /// A description of texts of this kind, with an article.
    pub fn describe(&self) -> &'static str {
        match self {
            Meaning::Number => "a whole number",
            Meaning::Scaled(_) => "a number",
            Meaning::Texts(_) => "a text",
            Meaning::Date => "a date like `2024-05-01`",
            Meaning::Clock => "a time like `12:30` or `12:30:00`",
            Meaning::DateTime => "a date with a time like `2024-05-01T12:30`",
        }
    }

    /// A remark for the user about the numbers, unless they are plain.
    pub(crate) fn note(&self) -> Option<String> {
        match self {
            Meaning::Number | Meaning::Scaled(_) => None,
            Meaning::Texts(texts) => Some(match texts.as_slice() {
                [] => "contains no texts: 0 is an empty one".to_owned(),
                [only] => format!("contains the text {} as 1", quote(only.as_bytes())),
                [first, .., last] => {
                    let (first, last) = (quote(first.as_bytes()), quote(last.as_bytes()));
                    format!("contains texts, from {first} as 1 to {last} as {}", texts.texts.len())
                }
            }),
            Meaning::Date => Some("is a date, in days since 1970-01-01".to_owned()),
            Meaning::Clock => Some("is a time, in seconds since midnight".to_owned()),
            Meaning::DateTime => {
                Some("is a date with a time, in seconds since 1970-01-01".to_owned())
            }
        }
    }

    /// Memory of a new text in a dictionary.
    pub(crate) fn bytes_of_text(text: &str) -> u64 {
        2 * text.len() as u64 + TEXT_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_codes_from_1() {
        let mut texts = Texts::default();
        let codes = ["Paris", "Berlin", "Paris", "", "Ålesund"].map(|text| texts.add(text));
        assert_eq!(codes, [1, 2, 1, 0, 3]);
        assert_eq!(texts.width(), 3); // 7 is free
        assert_eq!(texts.sort(), [0, 2, 1, 3]);
        assert_eq!(texts.as_slice(), ["Berlin", "Paris", "Ålesund"]);
        assert_eq!(
            (texts.code("Paris"), texts.code("Rome"), texts.text(0)),
            (Some(2), None, Some(""))
        );
        let meaning = Meaning::Texts(texts);
        assert_eq!([meaning.text(1), meaning.text(9)], ["Berlin", "9"]);
    }

    #[test]
    fn formulas_are_quoted() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", " \u{a0}=1", "\t1", "\r1", "＝1"] {
            assert_eq!(quoting_formula(formula), format!("'{formula}"));
        }
        for text in ["", "a=1", "1-2", "'=1", "Ålesund"] {
            assert_eq!(quoting_formula(text), text);
        }
        let mut texts = Texts::default();
        let codes = ["=1", "a", "'=1"].map(|text| texts.add(text));
        let quoted = Meaning::Texts(texts).quoting_formulas();
        assert_eq!(codes.map(|code| quoted.text(code).into_owned()), ["'=1", "a", "'=1"]);
        assert_eq!(Meaning::Number.quoting_formulas().text(-1), "-1");
    }

    #[test]
    fn numbers_have_their_texts() {
        let scaled = Meaning::Scaled(Decimal::whole(100));
        assert_eq!((scaled.number("3.505"), scaled.text(351)), (Some(351), "3.51".into()));
        assert_eq!(Meaning::of_moment("2024-05-01"), Some(Meaning::Date));
        assert_eq!(Meaning::of_moment("2024-05-01 10:00"), Some(Meaning::DateTime));
        assert_eq!(Meaning::of_moment("noon"), None);
        for (meaning, text) in [(Meaning::Date, "1812-06-24"), (Meaning::Number, "-5")] {
            assert_eq!(meaning.text(meaning.number(text).unwrap()), text);
        }
    }
}
