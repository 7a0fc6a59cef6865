//! Profiles of the programs of all other tests: both backends count the same at every statement,
//! even where they join statements or run kernels in blocks.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use star_ir::{Block, LocId, visit};

use super::*;
use crate::profile::{Clock, LineTable, Profile, Tally};

/// Assigns a separate location to every statement of the program.
fn spread_out(program: &Program) -> Program {
    fn spread(block: &mut Block, locations: &mut Vec<star_ir::Location>) {
        for stmt in block {
            locations.push(locations[stmt.loc.0 as usize].clone());
            stmt.loc = LocId(locations.len() as u32 - 1);
            for inner in visit::blocks_mut(&mut stmt.kind).into_iter().flatten() {
                spread(inner, locations);
            }
        }
    }
    let mut program = program.clone();
    let mut locations: Vec<_> = program.locations.iter().cloned().collect();
    for routine in program.routines_mut() {
        spread(&mut routine.body, &mut locations);
    }
    program.locations = locations.into();
    program
}

/// Returns runs and operations of every location.
fn counts(
    backend: &impl Backend,
    program: &Program,
    values: Vec<HostValue>,
    fixed: bool,
    limits: Limits,
) -> (Outcome, Vec<(u64, u64)>) {
    let count = program.locations.len();
    let of = (0..count as u32).collect();
    let time = Arc::new(AtomicU64::new(0));
    let now = {
        let time = Arc::clone(&time);
        move || time.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    };
    let clock = Clock { ticks: Arc::default(), now: Box::new(now) };
    let lines = LineTable { count, of, costs: Vec::new() };
    let mut profile = Profile::new(program, lines, clock);
    let options = CompileOptions { intrinsics: false, profile: true, ..CompileOptions::default() };
    let plan = planned(backend, program, options);
    let mut values: Vec<_> =
        values.into_iter().map(|value| backend.load(value, fixed).unwrap()).collect();
    let mut host = TestHost::default();
    let flag = AtomicBool::new(false);
    let mut control = Control {
        interrupt: &flag,
        deadline: &flag,
        limits,
        host: &mut host,
        profile: Some(&mut profile),
        stats: Stats::default(),
    };
    let outcome = backend.run(&plan, &mut values, &mut control);
    let operations = control.stats.operations;
    let sum = |of: fn(&Tally) -> u64| profile.lines.iter().map(of).fold(0, u64::saturating_add);
    assert_eq!(sum(|tally| tally.operations), operations);
    // Readings of this clock are a nanosecond apart.
    assert_eq!(sum(|tally| tally.time), profile.time);
    assert_eq!(profile.time, profile.samples);
    let lines = profile.lines.iter();
    (outcome, lines.map(|tally| (tally.runs, tally.operations)).collect())
}

/// Compares the backends on a program.
pub(super) fn compare(
    reference: &Reference,
    program: &Program,
    values: &[HostValue],
    fixed: bool,
    limits: Limits,
) {
    let program = spread_out(program);
    let (outcome, expected) = counts(reference, &program, values.to_vec(), fixed, limits);
    let tiny = Cpu::with(cpu::Settings::tiny(), Kernels::detect());
    for cpu in [Cpu::new(), tiny] {
        let (its, found) = counts(&cpu, &program, values.to_vec(), fixed, limits);
        assert_eq!(std::mem::discriminant(&its), std::mem::discriminant(&outcome));
        for (idx, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "!{idx} of\n{}", star_ir::print(&program));
        }
    }
}
