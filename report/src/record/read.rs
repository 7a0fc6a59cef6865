//! Reader and writer of benchmark files.

use std::fmt;

use serde::Deserialize;
use serde_json::error::Category;

use super::{Record, Row, SCHEMA, Source, Time};

/// Minimum time in seconds, below the resolution of any clock.
const LEAST: f64 = 1e-12;

/// Maximum time in seconds: thirty thousand years.
const MOST: f64 = 1e12;

/// Maximum relative distance of a median from the range of its samples, since it may be rounded.
const ROUNDED: f64 = 1e-3;

/// An error in a benchmark file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The message.
    pub message: String,
    /// Line and column (in bytes), both counted from 1, if the error has a location in the text.
    pub place: Option<(usize, usize)>,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}

/// The fields that are checked first.
#[derive(Deserialize)]
#[serde(expecting = "an object (benchmark file)")]
struct Head {
    schema: Option<u64>,
}

/// Formats a file. Unknown values are omitted or `null`.
#[must_use]
pub fn to_json(record: &Record) -> String {
    // JSON can represent every number, name and text of a record.
    let mut text = serde_json::to_string_pretty(record).unwrap_or_default();
    text.push('\n');
    text
}

/// Parses a file.
///
/// # Errors
/// If it is not JSON, has another schema, lacks a field, or has an invalid time.
pub fn from_json(text: &str) -> Result<Record, ReadError> {
    let wrong = |message: String| ReadError { message, place: None };
    let head: Head = serde_json::from_str(text).map_err(|error| of_json(&error))?;
    match head.schema {
        Some(SCHEMA) => {}
        Some(other) => {
            return Err(wrong(format!(
                "the file has schema {other}; this version of star reads {SCHEMA}"
            )));
        }
        None => {
            return Err(wrong("not a benchmark file: missing field `schema`".to_owned()));
        }
    }
    let record: Record = serde_json::from_str(text).map_err(|error| of_json(&error))?;
    for (row, number) in record.rows.iter().zip(1..) {
        check(row).map_err(|message| wrong(format!("row {number}: {message}")))?;
    }
    Ok(record)
}

/// Rephrases an error of the JSON parser without the names of Rust types.
fn of_json(error: &serde_json::Error) -> ReadError {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    let message = match error.classify() {
        Category::Eof => "unexpected end of the text".to_owned(),
        Category::Syntax | Category::Io => format!("not valid JSON: {text}"),
        Category::Data => in_words(text),
    };
    let place = (error.line() > 0).then(|| (error.line(), error.column().max(1)));
    ReadError { message, place }
}

/// Rephrases an error about data of a wrong form.
fn in_words(text: &str) -> String {
    if let Some(field) = text.strip_prefix("missing field ") {
        return format!("{field} is missing");
    }
    if let Some((found, expected)) =
        text.strip_prefix("unknown variant ").and_then(|rest| rest.rsplit_once(", expected "))
    {
        return format!("expected {expected}, found {found}");
    }
    let form = ["invalid type: ", "invalid value: ", "invalid length "];
    let Some(rest) = form.iter().find_map(|form| text.strip_prefix(form)) else {
        return text.to_owned();
    };
    // The found value may contain any text; the expected one is a text of ours or the name of a
    // type.
    let Some((found, expected)) = rest.rsplit_once(", expected ") else { return text.to_owned() };
    let expected = match expected {
        "f64" => "a number",
        "u64" => "a whole number that is not negative",
        "a map" => "an object",
        "a sequence" => "a list",
        other => other,
    };
    let found = match found {
        "map" => "an object",
        "sequence" => "a list",
        other => other,
    };
    format!("expected {expected}, found {found}")
}

/// Is this a valid time in seconds? No measured time is zero, and a time outside of these limits is
/// a mistake.
#[must_use]
pub fn is_time(seconds: f64) -> bool {
    (LEAST..=MOST).contains(&seconds)
}

/// Checks constraints beyond the types.
fn check(row: &Row) -> Result<(), String> {
    if row.time.is_none() && row.error.is_none() {
        return Err("neither `time` nor `error`".to_owned());
    }
    if row.source == Source::Peer && row.name.is_none() {
        return Err("a peer without a `name`".to_owned());
    }
    if let Some(size) = &row.size
        && !row.parameters.contains_key(size)
    {
        return Err(format!("`size` is `{size}`, which is not a parameter"));
    }
    // These may be zero if there is nothing to read or to load.
    let others = [("input_s", row.input_s), ("load_s", row.load_s), ("device_s", row.device_s)];
    for (name, seconds) in others {
        if let Some(seconds) = seconds.filter(|seconds| !(0.0..=MOST).contains(seconds)) {
            return Err(format!("`{name}` is {seconds:?}; it must be from 0 to {MOST:e} seconds"));
        }
    }
    row.time.as_ref().map_or(Ok(()), check_time)
}

fn check_time(time: &Time) -> Result<(), String> {
    let named = [
        ("median_s", Some(time.median_s)),
        ("low_s", time.low_s),
        ("high_s", time.high_s),
        ("min_s", time.min_s),
    ];
    let named = named.into_iter().filter_map(|(name, seconds)| Some((name, "is", seconds?)));
    let samples = time.samples_s.iter().map(|&sample| ("samples_s", "holds", sample));
    if let Some((name, is, seconds)) =
        named.chain(samples).find(|(_, _, seconds)| !is_time(*seconds))
    {
        return Err(format!(
            "`{name}` {is} {seconds:?}; a time must be from {LEAST:e} to {MOST:e} seconds"
        ));
    }
    let least = time.samples_s.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = time.samples_s.iter().copied().fold(0.0, f64::max);
    let within = least * (1.0 - ROUNDED)..=greatest * (1.0 + ROUNDED);
    if !time.samples_s.is_empty() && !within.contains(&time.median_s) {
        return Err(format!(
            "`median_s` is {:?}, but `samples_s` are from {least:?} to {greatest:?}",
            time.median_s
        ));
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests;
