//! Jobs on columns of numbers.

use star_value::{BitTable, Value};

use super::super::digest::Digest;
use super::super::failure::Failure;
use super::super::job::Job;
use super::super::peer_args::PeerArgs;
use super::super::read::{column_of, numbers_of};
use super::{Ready, field};
use crate::instance::{numbers, ones, word};

/// The routines: calls of the library.
const TEXT: &str = include_str!("columns.star");

pub(super) fn ready(job: Job, given: &PeerArgs) -> Result<Ready, Failure> {
    let bits = given.number("bits")?;
    let first = column_of(given, "a", bits)?;
    let all = ones(first.n_rows());
    let a = Value::from(first);
    let number = |key: &str| given.number(key).map(|number| word(number, bits));
    let second = || column_of(given, "b", bits).map(Value::from);
    let unset = Value::Unset;
    let (routine, args) = match job {
        Job::Match => ("MATCHES", vec![a, all, number("value")?, unset]),
        Job::Less => ("BELOW", vec![a, all, number("below")?, unset]),
        Job::Least => ("LEAST", vec![a, all, unset]),
        Job::Add => ("SUMS", vec![a, second()?, all, unset]),
        Job::Sum => ("TOTAL", vec![a, all, unset]),
        Job::Three => ("THREE", vec![a, second()?, all, number("below")?, number("least")?, unset]),
        Job::Select => {
            let (value, least) = (given.number("value")?, given.number("least")?);
            let (columns, second) = (column_of(given, "a", bits)?, column_of(given, "b", bits)?);
            let records = Value::from(joined(&columns, &second)?);
            let [k, value, least] = [bits as i64, value, least].map(Value::Int);
            ("SELECT", vec![k, value, least, records, unset])
        }
        Job::Rank => ("RANKS", vec![a, all, Value::Int(32), unset]),
        Job::Median => ("MEDIAN", vec![a, all, unset]),
        Job::Hist => {
            let args = vec![a, all, Value::Int(range(bits)), Value::Int(32), unset];
            ("COUNTS", args)
        }
        Job::Groups => {
            let keys = numbers_of(given, "a")?.into_iter().map(|number| number as u64 % 64);
            let keys = numbers(6, &keys.collect::<Vec<u64>>());
            ("GROUPS", vec![keys, second()?, all, unset])
        }
        Job::Join => {
            // The rows that are found, numbered from 1.
            let found = numbers_of(given, "b")?.into_iter().take(range(bits) as usize);
            let found = numbers(bits, &found.map(|number| number as u64).collect::<Vec<u64>>());
            let codes = numbers_of(given, "a")?.into_iter().map(|number| number as u64 + 1);
            let codes = numbers(bits, &codes.collect::<Vec<u64>>());
            ("JOINED", vec![found, codes, all, unset])
        }
        Job::Among => {
            let numbers_of = |key| Ok::<_, Failure>(numbers_of(given, key)?.into_iter().take(32));
            let chosen = numbers_of("a")?.chain(numbers_of("b")?);
            let chosen = numbers(bits, &chosen.map(|number| number as u64).collect::<Vec<u64>>());
            ("CHOSEN", vec![a, all, chosen, unset])
        }
        Job::Closure
        | Job::Floyd
        | Job::Paths
        | Job::Levels
        | Job::ArcPaths
        | Job::ArcLevels
        | Job::Components
        | Job::Kruskal
        | Job::Prim
        | Job::Branching
        | Job::Wave => return Err(Failure::peer("no job on columns")),
    };
    let changing = vec![args.len() - 1];
    let digest = Box::new(|value: &Value| match value {
        Value::Slice(slice) => Some(Digest::of_slice(slice)),
        Value::Table(table) => {
            let table = table.columns()?;
            Some(Digest::of(field(table, 0, table.n_cols())))
        }
        Value::Int(number) => Some(Digest::of([*number as u64])),
        Value::Unset | Value::Bool(_) | Value::Str(_) | Value::Word(_) => None,
    });
    let text = TEXT.to_owned();
    Ok(Ready { text, module: None, routine, args, changing, digest })
}

/// The number of different numbers of a column.
fn range(bits: usize) -> i64 {
    1 << (bits - 1)
}

/// The columns of both tables, those of the first one in front, in memory of their whole size, as
/// a table of records has them that was read from a file.
fn joined(first: &BitTable, second: &BitTable) -> Result<BitTable, Failure> {
    let both = [first, second];
    let all = BitTable::zeros(first.n_rows(), both.iter().map(|table| table.n_cols()).sum());
    let mut all = all.map_err(|_| Failure::peer("the table is too large"))?;
    let columns =
        both.iter().flat_map(|table| (0..table.n_cols()).map(|at| table.column_limbs(at)));
    for (idx, column) in columns.enumerate() {
        all.column_limbs_mut(idx).copy_from_slice(column);
    }
    Ok(all)
}
