//! Intrinsics against their Star bodies: for every entry of the catalogue, called and as the entry,
//! random arguments for which the preconditions hold, and arguments for which just one fails.

mod arcs;
mod arguments;
mod bellman_ford;
mod closure;
mod dijkstra;
mod memory;
mod mock_intrinsics;
mod paths;
mod subject;

use star_base::intrinsics::{Intrinsic, Precondition, Signature, SizeExpr};
use star_tests::backends::{Compiled, Mode, backends};
use star_tests::case::Random;
use star_tests::differ::difference;
use star_tests::run::LIMITS;
use star_value::Value;

use arguments::{Arguments, Sizes};
use subject::Subject;

/// Calls with random arguments, for each routine.
const CALLS: usize = 250;

/// Modules whose intrinsics need structured arguments: separate suites call them.
const OWN_SUITES: &[&str] =
    &["arcs", "cbt", "moving", "paths", "polyline", "terrain", "wave", "weighed"];

#[test]
fn every_intrinsic_agrees_with_its_star_body() {
    let intrinsics = Intrinsic::ALL.iter();
    for &intrinsic in
        intrinsics.filter(|intrinsic| !OWN_SUITES.contains(&intrinsic.signature().module))
    {
        for routine in intrinsic.signature().routines {
            compare(&Subject::new(intrinsic, routine));
        }
    }
}

fn compare(subject: &Subject) {
    let Subject { calls, program, .. } = subject;
    let (intrinsic, routine) = subject.last();
    let signature = intrinsic.signature();
    let entries = subject.entries();
    let compiled = program.compile_on(&backends());
    let mut random = Random::new(2016);
    let mut seen = Seen::new(signature);
    for _ in 0..CALLS {
        let mut given: Vec<Arguments> = Vec::new();
        for (called, _) in calls {
            let sizes = subject.sizes(&compiled[0], &given, called.signature());
            given.push(Arguments::random(called.signature(), sizes, &mut random));
        }
        let expected_taken = expected_taken(&given);
        if *expected_taken.end() + 1 >= calls.len()
            && let Some(arguments) = given.last()
        {
            seen.failing(signature, arguments);
        }
        for &entry in &entries {
            let args = subject.args(entry, &given);
            let (_, expected) = run(subject, &compiled[0], entry, &args);
            for other in &compiled[1..] {
                let (context, found) = run(subject, other, entry, &args);
                if let Some(difference) = difference(program, &expected, &found, Mode::AsLowered) {
                    panic!("{context}: {difference}");
                }
                let intrinsics = found.stats.intrinsics as usize;
                if calls.iter().all(|(intrinsic, _)| other.takes(*intrinsic)) {
                    assert!(
                        expected_taken.contains(&intrinsics),
                        "{intrinsics} intrinsics, {context}"
                    );
                    seen.taken(intrinsics == calls.len());
                } else if !has_intrinsics(other) {
                    // If it has intrinsics, the Star body may call them.
                    assert_eq!(intrinsics, 0, "{context}");
                }
            }
        }
    }
    let takes_all =
        |machine: &Compiled| calls.iter().all(|(intrinsic, _)| machine.takes(*intrinsic));
    if compiled.iter().any(takes_all) {
        seen.assert_all(signature, routine);
    }
}

/// Returns whether a machine takes any intrinsic.
fn has_intrinsics(machine: &Compiled) -> bool {
    Intrinsic::ALL.iter().any(|intrinsic| machine.takes(*intrinsic))
}

/// Runs the call and describes it for messages.
fn run(
    subject: &Subject,
    compiled: &Compiled,
    entry: star_ir::RoutineId,
    args: &[Value],
) -> (String, star_tests::run::RunResult) {
    let context = format!("{} on `{}`, {args:?}", subject.last().1, compiled.name);
    (context, compiled.run(entry, args, LIMITS))
}

/// Returns the range of the number of intrinsics that must be taken from the first call on.
fn expected_taken(given: &[Arguments]) -> std::ops::RangeInclusive<usize> {
    let n_suiting = given.iter().take_while(|arguments| arguments.suit()).count();
    let n_surely = given[..n_suiting].iter().take_while(|arguments| !arguments.may_decline());
    n_surely.count()..=n_suiting
}

/// The observations of an intrinsic so far.
struct Seen {
    n_taken: usize,
    n_refused: usize,
    /// For each comparison of each precondition, the number of times it failed while all others
    /// held.
    n_alone: Vec<Vec<usize>>,
}

impl Seen {
    fn new(signature: &Signature) -> Self {
        let conditions = signature.preconditions.iter();
        let n_alone = conditions.map(|condition| vec![0; comparisons(*condition).len()]).collect();
        Seen { n_taken: 0, n_refused: 0, n_alone }
    }

    fn taken(&mut self, is_taken: bool) {
        *(if is_taken { &mut self.n_taken } else { &mut self.n_refused }) += 1;
    }

    /// Records a comparison that fails alone.
    fn failing(&mut self, signature: &Signature, arguments: &Arguments) {
        let value = |term| arguments.value(term);
        let conditions = signature.preconditions.iter().enumerate();
        let failed: Vec<(usize, usize)> = conditions
            .flat_map(|(idx, condition)| {
                let comparisons = comparisons(*condition).into_iter().enumerate();
                let failed = comparisons.filter(|(_, comparison)| !comparison.holds(value));
                failed.map(move |(side, _)| (idx, side)).collect::<Vec<_>>()
            })
            .collect();
        if let [(idx, side)] = failed[..] {
            self.n_alone[idx][side] += 1;
        }
    }

    fn assert_all(&self, signature: &Signature, routine: &str) {
        assert!(self.n_taken * 40 >= CALLS, "{routine} was taken {} times only", self.n_taken);
        assert!(self.n_refused > 0, "{routine} was never refused");
        for (condition, n_alone) in signature.preconditions.iter().zip(&self.n_alone) {
            for (side, n_alone) in comparisons(*condition).into_iter().zip(n_alone) {
                assert!(*n_alone > 0, "{routine}: `{}` never failed alone", signature.word(side));
            }
        }
    }
}

/// Splits a precondition into comparisons each of which can fail alone.
fn comparisons(condition: Precondition) -> Vec<Precondition> {
    match condition {
        Precondition::AtMost(SizeExpr::Number(_), SizeExpr::Number(_)) => Vec::new(),
        Precondition::AtMost(..) => vec![condition],
        Precondition::Equal(left, right) => {
            vec![Precondition::AtMost(left, right), Precondition::AtMost(right, left)]
        }
        Precondition::Within(low, middle, high) => {
            vec![Precondition::AtMost(low, middle), Precondition::AtMost(middle, high)]
        }
    }
}
