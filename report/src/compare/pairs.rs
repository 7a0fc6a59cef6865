//! Rows of two files that are about the same thing, and how they differ.

use std::collections::BTreeMap;

use crate::measure::{Change, Comparison, compare};
use crate::record::{Key, Record, Row, Source};

/// The same thing in both files, or in one of them.
pub struct Pair<'a> {
    /// The row of the old file, or of the new one if there is none.
    pub row: &'a Row,
    /// The medians in seconds.
    pub seconds: (Option<f64>, Option<f64>),
    /// What became of it.
    pub difference: Difference,
    /// Are the results others than before?
    pub other_results: bool,
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// It takes less time.
    Faster(Comparison),
    /// It takes more.
    Slower(Comparison),
    /// No change that could be told from noise.
    Same(Comparison),
    /// Too few samples to tell anything.
    TooFew(Comparison),
    /// The ratio of medians of which there are no samples.
    Untested(f64),
    /// It fails as it did.
    FailedBoth,
    /// It fails now, with this message.
    FailsNow(String),
    /// It does not fail any more.
    WorksNow,
    /// The new file does not have it.
    OnlyOld,
    /// The old file does not have it.
    OnlyNew,
}

/// All rows of both files but the published ones: in the order of the old file, then those that are new.
pub fn pairs<'a>(old: &'a Record, new: &'a Record, noise: f64) -> Vec<Pair<'a>> {
    let keyed = |record: &'a Record| {
        let rows = record.rows.iter().filter(|row| row.source != Source::Published);
        rows.map(|row| (row.key(), row)).collect::<Vec<(Key<'a>, &'a Row)>>()
    };
    let (old, new) = (keyed(old), keyed(new));
    let by_key: BTreeMap<&Key<'_>, &Row> = new.iter().rev().map(|(key, row)| (key, *row)).collect();
    let mut pairs = Vec::new();
    for (key, before) in &old {
        let after = by_key.get(key).copied();
        let seconds = (median(before), after.and_then(median));
        let difference =
            after.map_or(Difference::OnlyOld, |after| difference(before, after, noise));
        let other_results = after.is_some_and(|after| match (&before.hash, &after.hash) {
            (Some(a), Some(b)) => a != b,
            (_, None) | (None, _) => false,
        });
        pairs.push(Pair { row: before, seconds, difference, other_results });
    }
    for (key, row) in &new {
        if !old.iter().any(|(known, _)| known == key) {
            let seconds = (None, median(row));
            let difference = Difference::OnlyNew;
            pairs.push(Pair { row, seconds, difference, other_results: false });
        }
    }
    pairs
}

fn median(row: &Row) -> Option<f64> {
    row.time.as_ref().map(|time| time.median_s)
}

fn difference(before: &Row, after: &Row, noise: f64) -> Difference {
    let (old, new) = match (&before.time, &after.time) {
        (Some(old), Some(new)) => (old, new),
        (None, None) => return Difference::FailedBoth,
        (None, Some(_)) => return Difference::WorksNow,
        (Some(_), None) => {
            let error = after.error.as_ref();
            let why = error.map(|error| format!("{}: {}", error.code, error.message));
            return Difference::FailsNow(why.unwrap_or_default());
        }
    };
    match compare(&old.samples_s, &new.samples_s) {
        None => Difference::Untested(new.median_s / old.median_s),
        Some(comparison) => match comparison.change(noise) {
            Change::Faster => Difference::Faster(comparison),
            Change::Slower => Difference::Slower(comparison),
            Change::Same => Difference::Same(comparison),
            Change::TooFew => Difference::TooFew(comparison),
        },
    }
}
