//! MovingAI scenarios, `.scen`: a line `version 1`, then one problem a line: bucket, map, its width
//! and height, x and y of the start, x and y of the goal, and the optimal length; x is the column,
//! (0, 0) the upper left. Blanks may be part of the name of a map.
//!
//! The result is a list with the fields `bucket`, `start-x`, `start-y`, `goal-x`, `goal-y` and
//! `length`; the length is in thousandths, rounded, unless the user gives a scale. The name of the
//! map is skipped, because it refers to another folder; the places are checked against its size.

use std::io::Write;

use star_base::Code;

use super::{expect, take};
use crate::data::{Data, OutputRef};
use crate::decimal::Decimal;
use crate::error::Fault;
use crate::format::{ReadResult, ReaderNotes, cannot_hold};
use crate::growing::Growing;
use crate::numbers::{Field, Numbers, Shape};
use crate::scaling::Scaling;
use crate::scan::Scanner;
use crate::source::Source;

const FIELDS: [&str; 6] = ["bucket", "start-x", "start-y", "goal-x", "goal-y", LENGTH];
const LENGTH: &str = "length";

/// The default unit of lengths: thousandths.
const DEFAULT_SCALE: u64 = 1000;

/// Reads a list.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    if scanner.next_entry()?.is_none() {
        return Err(scanner.here(Code::Truncated, "the file is empty"));
    }
    expect(&mut scanner, "version")?;
    let version = scanner.real("the version")?;
    if version.to_whole() != Some(1) {
        let message = "the only supported version is 1";
        return Err(scanner.at_token(Code::BadFormat, message));
    }
    scanner.end_line()?;
    let (given, own) = (scanner.source().scaling(), Scaling::new(Decimal::whole(DEFAULT_SCALE)));
    let scaling = given.unwrap_or(&own);
    // Once as read and once by field.
    let mut problems: Growing<[i64; 6]> =
        Growing::new(scanner.source().budget(), 2 * size_of::<[i64; 6]>() as u64);
    while scanner.next_entry()?.is_some() {
        let problem = read_problem(&mut scanner, scaling)?;
        problems.push(problem).map_err(|e| scanner.out_of_memory(&e))?;
    }
    let problems = problems.into_vec();
    let fields = FIELDS.iter().enumerate().map(|(idx, name)| {
        let field = Field::new(*name, None, problems.iter().map(|problem| problem[idx]).collect());
        field.scaled((*name == LENGTH).then_some(scaling))
    });
    let numbers = Numbers { shape: Shape::List(problems.len()), fields: fields.collect() };
    let notes = match given {
        Some(_) => Vec::new(),
        None => vec![format!("the lengths are in thousandths, as with `scale={DEFAULT_SCALE}`")],
    };
    Ok((Data::Numbers(numbers), ReaderNotes { notes, ..ReaderNotes::default() }))
}

/// Rejects all values: a problem names its map, which is not a number.
pub(crate) fn write(value: OutputRef<'_>, _: &mut dyn Write) -> Result<(), Fault> {
    let holds = "a map name for every problem, which values do not have";
    let fault = cannot_hold(value, "MovingAI scenarios", holds);
    Err(Box::new(fault.help("write a list of numbers to a `.csv` file")))
}

/// Number of words after the name of the map.
const N_AFTER_MAP: usize = 7;

fn read_problem(scanner: &mut Scanner, scaling: &Scaling) -> Result<[i64; 6], Fault> {
    let n_words = scanner.rest_of_entry().map_or(1, n_words_of_map);
    let bucket = small(scanner, "the bucket", None)?;
    let mut map = Vec::new();
    for _ in 0..n_words {
        take(scanner, &mut map, "the map")?;
    }
    let width = small(scanner, "the width of the map", None)?;
    let height = small(scanner, "the height of the map", None)?;
    let start_x = small(scanner, "x of the start", Some(width))?;
    let start_y = small(scanner, "y of the start", Some(height))?;
    let goal_x = small(scanner, "x of the goal", Some(width))?;
    let goal_y = small(scanner, "y of the goal", Some(height))?;
    let length = scanner.real("the length")?;
    let length = scanner.scaled("the length", length, scaling)?;
    scanner.end_line()?;
    Ok([bucket, start_x, start_y, goal_x, goal_y, length])
}

/// Number of words of the name of the map in a line: more than one if the last word that is no
/// number is followed by as many words as there are numbers.
fn n_words_of_map(line: &[u8]) -> usize {
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let words: Vec<&[u8]> = words.collect();
    let is_name = |word: &&[u8]| str::from_utf8(word).ok().and_then(Decimal::parse).is_none();
    match words.iter().rposition(is_name) {
        Some(last) if last > 1 && words.len() - last == N_AFTER_MAP + 1 => last,
        Some(_) | None => 1,
    }
}

/// Reads a 32-bit number, below `limit` if there is one.
fn small(scanner: &mut Scanner, what: &str, limit: Option<i64>) -> Result<i64, Fault> {
    let number = scanner.unsigned(what)?;
    let Ok(small) = u32::try_from(number) else {
        let message = format!("{what} {number} exceeds 32 bits");
        return Err(scanner.at_token(Code::OutOfRange, message));
    };
    match limit {
        Some(limit) if i64::from(small) >= limit => {
            let message = format!("{what} {number} is outside the map, which has {limit}");
            Err(scanner.at_token(Code::OutOfRange, message))
        }
        Some(_) | None => Ok(i64::from(small)),
    }
}
