//! Do backends agree about a test program, and what do they differ in, in words?

use star_harness::Difference;
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
    let difference = star_harness::difference(expected, found)?;
    let text = |run: &Run| match difference {
        Difference::Outcome => match run.outcome {
            Outcome::Done => "ends well".to_owned(),
            Outcome::Trap(_) | Outcome::Limit { .. } | Outcome::Internal(_) => {
                format!("{}{:?}", ending(program, run), run.outcome)
            }
        },
        Difference::Count => run.values.len().to_string(),
        Difference::Value(idx) => run.values.get(idx).map(shown).unwrap_or_default(),
        Difference::Printed => run.printed.clone(),
        Difference::Files => format!("{:?}", run.files),
        Difference::Operations => run.stats.operations.to_string(),
        Difference::Steps => run.stats.steps.to_string(),
    };
    let what = match difference {
        Difference::Value(idx) => format!("argument {idx}"),
        other => other.what().to_owned(),
    };
    Some(format!("{what} differ:\n{}\n{}", text(expected), text(found)))
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
