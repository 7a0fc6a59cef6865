//! Do backends agree? Everything that a program can show is compared: how it ended (for traps code,
//! place, calls and values; for limits which one, and where), all arguments afterwards, what was
//! printed and written, elementary operations and steps.

use std::fmt::Display;

use star_vm::{HostValue, Limits, Outcome};

use crate::backends::Compiled;
use crate::case::ending;
use crate::run::{Program, Run};

/// Whether all backends agree about a run.
#[derive(Debug)]
pub enum Same {
    /// They do; what they left.
    Yes(Box<Run>),
    /// They do not; the difference in words.
    No(String),
}

/// Runs a routine on each of some backends and compares them with the first one.
///
/// # Panics
/// If there is no such routine, or no backend.
pub fn same(
    program: &Program,
    compiled: &[Box<dyn Compiled>],
    name: &str,
    args: &[HostValue],
    limits: Limits,
) -> Same {
    let entry = program.entry(name);
    let (first, others) = compiled.split_first().expect("a backend");
    let expected = first.run(entry, args, limits);
    for other in others {
        let found = other.run(entry, args, limits);
        if let Some(difference) = difference(program, &expected, &found) {
            return Same::No(format!("`{}` and `{}`: {difference}", first.name(), other.name()));
        }
    }
    Same::Yes(Box::new(expected))
}

/// What two runs of a program differ in, in words; `None` if in nothing.
pub fn difference(program: &Program, expected: &Run, found: &Run) -> Option<String> {
    let Run { outcome, values, printed, files, stats } = expected;
    if is_memory_limit(outcome) {
        // Bytes are counted by each backend in its own way: one may hold less for the same values.
        return None;
    }
    if found.stats.natives > 0 && is_step_limit(outcome) {
        // A native takes no steps: it gets further.
        return None;
    }
    if *outcome != found.outcome {
        let text = |run: &Run| match run.outcome {
            Outcome::Done => "ends well".to_owned(),
            Outcome::Trap(_) | Outcome::Limit { .. } | Outcome::Internal(_) => {
                format!("{}{:?}", ending(program, run), run.outcome)
            }
        };
        return Some(differs("outcome", &text(expected), &text(found)));
    }
    if values.len() != found.values.len() {
        return Some(differs("number of results", &values.len(), &found.values.len()));
    }
    for (idx, (value, other)) in values.iter().zip(&found.values).enumerate() {
        if value != other {
            return Some(differs(&format!("argument {idx}"), &shown(value), &shown(other)));
        }
    }
    if *printed != found.printed {
        return Some(differs("printed text", printed, &found.printed));
    }
    if *files != found.files {
        return Some(differs(
            "written files",
            &format!("{files:?}"),
            &format!("{:?}", found.files),
        ));
    }
    if found.stats.natives > 0 {
        // A native does what the routine does, not with its operations.
        return None;
    }
    if stats.operations != found.stats.operations {
        let (left, right) = (stats.operations, found.stats.operations);
        return Some(differs("elementary operations", &left, &right));
    }
    if stats.steps != found.stats.steps {
        return Some(differs("steps", &stats.steps, &found.stats.steps));
    }
    None
}

fn differs(what: &str, expected: &dyn Display, found: &dyn Display) -> String {
    format!("{what} differ:\n{expected}\n{found}")
}

/// A value whole, with its type.
fn shown(value: &HostValue) -> String {
    match value {
        HostValue::Slice(bits) => format!("slice '{bits}'"),
        HostValue::Word(bits) => format!("word '{bits}'"),
        HostValue::Table(table) => {
            let rows = (0..table.n_rows()).map(|row| format!("\n{}", table.row(row)));
            format!("table {} x {}{}", table.n_rows(), table.n_cols(), rows.collect::<String>())
        }
        HostValue::Unset | HostValue::Int(_) | HostValue::Bool(_) | HostValue::Str(_) => {
            format!("{value:?}")
        }
    }
}

fn is_step_limit(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Limit { kind: star_ir::LimitKind::Steps { .. }, .. })
}

fn is_memory_limit(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Limit { kind: star_ir::LimitKind::Memory { .. }, .. })
}
