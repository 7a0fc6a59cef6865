//! Comparison of backends by everything that a program can show: how it ended (for traps code,
//! calls, location in the source, and values; for limits which one, and its location), all
//! arguments afterwards, printed and written output, elementary operations, and steps in programs
//! as lowered.

use star::pipeline::RunResult;
use star_ir::LimitKind;
use star_vm::Outcome;

use crate::mode::Mode;

/// The first difference between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The outcome.
    Outcome,
    /// The number of arguments afterwards.
    Count,
    /// The argument with this number, zero-based.
    Value(usize),
    /// The printed text.
    Printed,
    /// The written files.
    Files,
    /// Elementary operations.
    Operations,
    /// Steps.
    Steps,
}

impl Difference {
    /// Returns a description.
    pub fn what(self) -> &'static str {
        match self {
            Difference::Outcome => "outcome",
            Difference::Count => "number of results",
            Difference::Value(_) => "value",
            Difference::Printed => "printed text",
            Difference::Files => "written files",
            Difference::Operations => "elementary operations",
            Difference::Steps => "steps",
        }
    }
}

/// Compares two runs of a program with the same arguments; `None` if they agree in everything that
/// matters. `expected` ran as lowered on a backend without intrinsics, `found` in this mode.
pub fn difference(expected: &RunResult, found: &RunResult, mode: Mode) -> Option<Difference> {
    let RunResult { outcome, source: _, values, printed, files, stats } = expected;
    if is_limit(outcome, |kind| matches!(kind, LimitKind::Memory { .. })) {
        // Each backend counts bytes differently: one may need less for the same values.
        return None;
    }
    let has_intrinsics = found.stats.intrinsics > 0;
    if has_intrinsics && is_limit(outcome, |kind| matches!(kind, LimitKind::Steps { .. })) {
        // An intrinsic takes no steps, so it gets further.
        return None;
    }
    if !same_end(expected, found) {
        return Some(Difference::Outcome);
    }
    if values.len() != found.values.len() {
        return Some(Difference::Count);
    }
    let mut pairs = values.iter().zip(&found.values);
    if let Some(idx) = pairs.position(|(value, other)| value != other) {
        return Some(Difference::Value(idx));
    }
    if *printed != found.printed {
        return Some(Difference::Printed);
    }
    if *files != found.files {
        return Some(Difference::Files);
    }
    if has_intrinsics {
        // An intrinsic has the effect of the routine, but not its operation counts.
        return None;
    }
    if stats.operations != found.stats.operations {
        return Some(Difference::Operations);
    }
    match mode {
        Mode::AsLowered if stats.steps != found.stats.steps => Some(Difference::Steps),
        Mode::AsLowered | Mode::Optimised => None,
    }
}

/// Did both end in the same way at the same location in the source? The number of the location
/// within the program does not matter.
fn same_end(expected: &RunResult, found: &RunResult) -> bool {
    expected.source == found.source
        && match (&expected.outcome, &found.outcome) {
            (Outcome::Trap(one), Outcome::Trap(other)) => {
                (&one.kind, &one.values) == (&other.kind, &other.values)
            }
            (Outcome::Limit { kind, loc: _ }, Outcome::Limit { kind: other, loc: _ }) => {
                kind == other
            }
            (
                Outcome::Done
                | Outcome::Trap(_)
                | Outcome::Limit { .. }
                | Outcome::Unsupported { .. }
                | Outcome::DeviceLost { .. }
                | Outcome::Internal(_),
                other,
            ) => expected.outcome == *other,
        }
}

/// May two runs end differently because one reached the deadline earlier?
pub fn is_timed(run: &RunResult) -> bool {
    is_limit(&run.outcome, |kind| matches!(kind, LimitKind::Time | LimitKind::Interrupted))
}

fn is_limit(outcome: &Outcome, is: impl Fn(&LimitKind) -> bool) -> bool {
    match outcome {
        Outcome::Limit { kind, .. } => is(kind),
        Outcome::Done
        | Outcome::Trap(_)
        | Outcome::Unsupported { .. }
        | Outcome::DeviceLost { .. }
        | Outcome::Internal(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use star_base::{FileId, Span};
    use star_ir::{LocId, Trap, TrapKind};
    use star_value::Value;
    use star_vm::Stats;

    use super::*;

    fn run() -> RunResult {
        RunResult {
            outcome: Outcome::Done,
            source: Vec::new(),
            values: vec![Value::Int(1), Value::Bool(true)],
            printed: "a\n".to_owned(),
            files: BTreeMap::new(),
            stats: Stats { operations: 3, steps: 5, ..Stats::default() },
        }
    }

    #[test]
    fn everything_visible_is_compared() {
        let differs = |change: &dyn Fn(&mut RunResult)| {
            let mut other = run();
            change(&mut other);
            difference(&run(), &other, Mode::AsLowered)
        };
        assert_eq!(differs(&|_| {}), None);
        let ended = Outcome::Limit { kind: LimitKind::Time, loc: LocId(0) };
        assert_eq!(differs(&|run| run.outcome = ended.clone()), Some(Difference::Outcome));
        let value = |run: &mut RunResult| run.values[1] = Value::Bool(false);
        assert_eq!(differs(&value), Some(Difference::Value(1)));
        assert_eq!(differs(&|run| run.values.truncate(1)), Some(Difference::Count));
        assert_eq!(differs(&|run| run.printed.push('b')), Some(Difference::Printed));
        let file = |run: &mut RunResult| drop(run.files.insert("f".to_owned(), Value::Int(1)));
        assert_eq!(differs(&file), Some(Difference::Files));
        assert_eq!(differs(&|run| run.stats.operations += 1), Some(Difference::Operations));
        assert_eq!(differs(&|run| run.stats.steps += 1), Some(Difference::Steps));
    }

    #[test]
    fn locations_are_compared_by_source_position() {
        let at = |loc: u32, start: u32| {
            let kind = TrapKind::Assert("no".to_owned());
            let trap = Trap { kind, loc: LocId(loc), frames: Vec::new(), values: Vec::new() };
            let source = vec![Span { file: FileId(0), start, end: start + 1 }];
            RunResult { outcome: Outcome::Trap(Box::new(trap)), source, ..run() }
        };
        assert_eq!(difference(&at(1, 7), &at(2, 7), Mode::Optimised), None);
        let elsewhere = difference(&at(1, 7), &at(1, 8), Mode::Optimised);
        assert_eq!(elsewhere, Some(Difference::Outcome));
        let limit = |loc| {
            let outcome = Outcome::Limit { kind: LimitKind::Time, loc: LocId(loc) };
            RunResult { outcome, source: at(1, 7).source, ..run() }
        };
        assert_eq!(difference(&limit(1), &limit(2), Mode::AsLowered), None);
        assert_eq!(difference(&limit(1), &at(1, 7), Mode::AsLowered), Some(Difference::Outcome));
    }

    #[test]
    fn intrinsics_count_no_operations() {
        let mut intrinsic = run();
        intrinsic.stats = Stats { intrinsics: 1, ..Stats::default() };
        assert_eq!(difference(&run(), &intrinsic, Mode::AsLowered), None);
    }

    #[test]
    fn optimised_programs_count_different_steps() {
        let mut other = run();
        other.stats.steps += 1;
        assert_eq!(difference(&run(), &other, Mode::Optimised), None);
        other.stats.operations += 1;
        let found = difference(&run(), &other, Mode::Optimised);
        assert_eq!(found, Some(Difference::Operations));
    }
}
