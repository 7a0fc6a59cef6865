//! Cached plans of executed tapes, for tapes that are recorded again.

use std::sync::Arc;

use crate::tape::{Plan, Tape};

/// Maximum number of plans kept. A program that spreads a loop over several tapes has one for each.
const MOST: usize = 16;

/// The latest plans. A loop records the same tape in each iteration, and planning a tape of some
/// hundred operations takes as long as combining slices of a million components.
#[derive(Debug, Default)]
pub(super) struct Plans {
    known: Vec<(Tape, Arc<Plan>)>,
    /// The plan that is replaced next.
    oldest: usize,
}

impl Plans {
    /// Returns the plan of a tape, and whether it was known.
    pub(super) fn of(&mut self, tape: &Tape) -> (Arc<Plan>, bool) {
        if let Some((_, plan)) = self.known.iter().find(|(known, _)| known.does_the_same(tape)) {
            return (Arc::clone(plan), true);
        }
        let plan = Arc::new(Plan::new(tape));
        let entry = (tape.snapshot(), Arc::clone(&plan));
        match self.known.get_mut(self.oldest) {
            Some(oldest) => *oldest = entry,
            None => self.known.push(entry),
        }
        self.oldest = (self.oldest + 1) % MOST;
        (plan, false)
    }
}
