//! The profile of a run: records that the control unit increments, created before the run and read
//! after it.
//!
//! The device counts runs and operations, but has no clock: the time of the run is distributed in
//! proportion to operations.

use star_ir::RoutineId;
use star_shaders::layout::{charged, state};
use star_vm::profile::Tally;
use star_vm::{BackendError, Profile};

use super::DeviceRun;
use crate::compile::Counter;

/// The addresses of the counters.
pub(super) struct Records {
    /// The records of each line, followed by those of each routine.
    charged: Vec<u32>,
    n_lines: usize,
    /// The record of each counter.
    of: Vec<u32>,
}

/// Returns a number of two words.
fn wide(words: &[u32], at: usize) -> u64 {
    u64::from(words[at]) | u64::from(words[at + 1]) << 32
}

impl DeviceRun<'_, '_> {
    /// Creates the records, if the run has a profile.
    pub(super) fn begin_profile(&mut self) -> Result<Option<Records>, BackendError> {
        let plan = self.plan;
        let Some(profile) = self.control.profile.take() else { return Ok(None) };
        let n_lines = profile.lines.len();
        let n_charged = n_lines + plan.program.routines.len();
        let head = plan.counters.len();
        let mut words = vec![0; head];
        let own = |idx: usize| (head + idx * charged::WORDS as usize) as u32;
        words.resize(head + n_charged * charged::WORDS as usize, 0);
        let record_of = |line: u32| own(line as usize);
        let mut of = Vec::with_capacity(head);
        for &(routine, counter) in &plan.counters {
            let at = words.len() as u32;
            of.push(match counter {
                Counter::Runs(_) => {
                    words.extend([0, 0]);
                    at
                }
                Counter::Cost(loc, units) => {
                    let mut items = profile.charged_by(loc, units);
                    items.retain(|(line, _)| (*line as usize) < n_lines);
                    let routine = own(n_lines + routine.0 as usize);
                    words.push(items.len() as u32 + 1);
                    let lines = items.into_iter().map(|(line, units)| (record_of(line), units));
                    for (record, units) in lines.chain([(routine, units)]) {
                        words.extend([record, u32::try_from(units).unwrap_or(u32::MAX)]);
                    }
                    at
                }
                Counter::Line(loc) if (profile.line(loc) as usize) < n_lines => {
                    record_of(profile.line(loc))
                }
                // The profile does not contain the line.
                Counter::Line(_) => {
                    words.extend([0; charged::WORDS as usize]);
                    at
                }
                Counter::Routine(id) => own(n_lines + id.0 as usize),
            });
        }
        profile.begin_counted();
        self.control.profile = Some(profile);
        let at = self.furnish(words.len() as u64)?.at;
        for (word, record) in words.iter_mut().zip(&of) {
            *word = at + record;
        }
        // The location of a cost determines its line.
        for (&(_, counter), record) in plan.counters.iter().zip(&of) {
            if let Counter::Cost(..) = counter {
                let record = *record as usize;
                for item in 0..words[record] as usize {
                    words[record + 1 + 2 * item] += at;
                }
            }
        }
        let entry = own(n_lines + plan.entry.0 as usize) as usize;
        words[entry + charged::DEPTH as usize] = 1;
        words[entry + charged::RUNS as usize] = 1;
        self.heap.unit.write(at, &words)?;
        self.put(state::PROFILE, at);
        let charged = (0..n_charged).map(|idx| at + own(idx)).collect();
        Ok(Some(Records { charged, n_lines, of: of.iter().map(|record| at + record).collect() }))
    }

    /// Charges the counted costs.
    pub(super) fn end_profile(&mut self, records: &Records) -> Result<(), BackendError> {
        let Records { charged, n_lines, of } = records;
        let operations = self.get_wide(state::OPERATIONS);
        let mut tallies = Vec::with_capacity(charged.len());
        for &at in charged {
            let words = self.words(at, charged::WORDS)?;
            let number = |word: u32| wide(&words, word as usize);
            let open = match words[charged::DEPTH as usize] {
                0 => 0,
                _ => operations.saturating_sub(number(charged::SINCE)),
            };
            tallies.push(Tally {
                operations: number(charged::OWN),
                total_operations: number(charged::TOTAL).saturating_add(open),
                runs: number(charged::RUNS),
                ..Tally::default()
            });
        }
        let routines = tallies.split_off(*n_lines);
        // A line calls at most as often as the calling statement runs.
        tallies.iter_mut().for_each(|line| line.runs = 0);
        let mut runs = Vec::new();
        for (&(_, counter), &at) in self.plan.counters.iter().zip(of) {
            if let Counter::Runs(loc) = counter {
                let words = self.words(at, 2)?;
                runs.push((loc, wide(&words, 0)));
            }
        }
        let plan = self.plan;
        if let Some(profile) = self.control.profile.as_deref_mut() {
            charge(profile, tallies, routines, &runs, (&plan.program, plan.entry));
        }
        Ok(())
    }
}

fn charge(
    profile: &mut Profile,
    mut lines: Vec<Tally>,
    routines: Vec<Tally>,
    runs: &[(star_ir::LocId, u64)],
    (program, entry): (&star_ir::Program, RoutineId),
) {
    for (loc, runs) in runs {
        if let Some(line) = lines.get_mut(profile.line(*loc) as usize) {
            line.runs = line.runs.max(*runs);
        }
    }
    for (routine, tally) in program.routines.iter().zip(&routines) {
        if let Some(line) = lines.get_mut(profile.line(routine.loc) as usize) {
            line.runs = line.runs.max(tally.runs);
        }
    }
    let header = program.routines.get(entry.0 as usize).map_or(u32::MAX, |it| profile.line(it.loc));
    profile.end_counted(lines, routines, (header, entry));
}
