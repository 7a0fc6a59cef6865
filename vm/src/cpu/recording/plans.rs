//! Plans of tapes that were run, for those that are recorded again.

use std::sync::Arc;

use crate::tape::{Plan, Tape};

/// Plans that are kept at most. A program that spreads a loop over several tapes has one for each.
const MOST: usize = 16;

/// The last plans. A loop records the same tape in each turn, and what a tape of some hundred operations takes to be planned is
/// as long as slices of a million components take to be combined.
#[derive(Debug, Default)]
pub(super) struct Plans {
    known: Vec<(Tape, Arc<Plan>)>,
    /// The one that gives way to the next.
    oldest: usize,
}

impl Plans {
    /// The plan of a tape, and whether it was known.
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
