//! Matching rows of two files, and their differences.

use std::collections::BTreeMap;

use crate::measure::{Change, Comparison, compare};
use crate::record::{Key, Record, Row, Source};

/// A benchmark case in both files, or in one of them.
pub struct Pair<'a> {
    /// The row of the old file, or of the new one if the old one has none.
    pub row: &'a Row,
    /// The medians in seconds.
    pub seconds: (Option<f64>, Option<f64>),
    /// The difference.
    pub difference: Difference,
    /// Do the results differ?
    pub other_results: bool,
}

/// Difference between two rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// It takes less time.
    Faster(Comparison),
    /// It takes more time.
    Slower(Comparison),
    /// No change beyond noise.
    Same(Comparison),
    /// Too few samples to decide.
    TooFew(Comparison),
    /// The ratio of the medians; there are no samples.
    Untested(f64),
    /// It fails in both files.
    FailedBoth,
    /// It fails only in the new file, with this message.
    FailsNow(String),
    /// It fails only in the old file.
    WorksNow,
    /// It is missing in the new file.
    OnlyOld,
    /// It is missing in the old file.
    OnlyNew,
}

/// Matches all rows of both files except the published ones: in the order of the old file, followed
/// by the new ones.
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
