//! A run with intrinsics reaches the limit on memory no earlier than one without.

use star_ir::{LimitKind, RoutineId};
use star_tests::backends::Compiled;
use star_tests::run::LIMITS;
use star_value::Value;
use star_vm::{Limits, Outcome};

/// Asserts that runs with intrinsics agree with one without them for every memory limit that
/// suffices for the latter. Returns how many intrinsics the first took with the least memory, and
/// the last with the most.
pub(super) fn memory_runs_out_no_earlier(
    plain: &Compiled,
    with_intrinsics: &[Compiled],
    entry: RoutineId,
    args: &[Value],
) -> [u64; 2] {
    let within = |memory| Limits { memory: Some(memory), ..LIMITS };
    let peak = |machine: &Compiled| machine.run(entry, args, LIMITS).stats.peak_bytes;
    let needed = peak(plain);
    let most = with_intrinsics.iter().map(peak).max().unwrap_or(0).max(needed);
    let mut taken = Vec::new();
    let step = ((most - needed) / 12).max(1) as usize;
    for memory in (needed..=most).step_by(step).chain([most]) {
        let expected = plain.run(entry, args, within(memory));
        assert_eq!(expected.outcome, Outcome::Done);
        for machine in with_intrinsics {
            let found = machine.run(entry, args, within(memory));
            let context = || format!("`{}`, {memory} of {needed}..{most} bytes", machine.name);
            assert_eq!(found.outcome, expected.outcome, "{}", context());
            assert_eq!(found.values, expected.values, "{}", context());
            assert!(found.stats.peak_bytes <= memory, "{}", context());
            taken.push(found.stats.intrinsics);
        }
    }
    let tight = plain.run(entry, args, within(needed - 1)).outcome;
    assert!(matches!(tight, Outcome::Limit { kind: LimitKind::Memory { .. }, .. }), "{tight:?}");
    [taken[0], taken[taken.len() - 1]]
}
