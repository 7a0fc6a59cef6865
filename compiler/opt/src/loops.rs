//! What became of each loop of a program, all passes together.

use std::collections::BTreeMap;
use std::fmt;

use star_ir::{LocId, RoutineId};

use crate::remark::{LoopOutcome, Remark};

/// What became of a loop of the source. Shown, it is that in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loop<'r> {
    /// One thing after another.
    pub became: Vec<&'r str>,
    /// Why it became nothing more.
    pub stayed: Option<&'r str>,
    /// The place in its body where that is, if it is said.
    pub at: Option<LocId>,
    /// What it is as a whole.
    pub whole: Option<&'r str>,
}

impl Loop<'_> {
    /// Is it no more what was written?
    pub fn became_something(&self) -> bool {
        self.whole.is_some() || !self.became.is_empty()
    }
}

impl fmt::Display for Loop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(whole) = self.whole {
            return f.write_str(whole);
        }
        match self.became.is_empty() {
            true => f.write_str("as written")?,
            false => f.write_str(&self.became.join(", then "))?,
        }
        self.stayed.map_or(Ok(()), |why| write!(f, ": {why}"))
    }
}

/// The loops that passes looked at, by routine and place. What a pass says of what another one has made of a loop is said
/// of the loop.
pub fn loops(remarks: &[Remark]) -> BTreeMap<(RoutineId, LocId), Loop<'_>> {
    let mut loops: BTreeMap<_, Loop<'_>> = BTreeMap::new();
    for Remark { pass: _, routine, loc, outcome, at } in remarks {
        let found = loops.entry((*routine, *loc)).or_default();
        match outcome {
            LoopOutcome::Became(form) => {
                found.became.push(form);
                (found.stayed, found.at) = (None, None);
            }
            LoopOutcome::Whole(form) => found.whole = Some(form),
            LoopOutcome::Stayed(why) => (found.stayed, found.at) = (Some(why.as_str()), *at),
        }
    }
    loops
}
