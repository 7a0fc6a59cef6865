//! The result of all passes for each loop of a program.

use std::collections::BTreeMap;
use std::fmt;

use star_base::{Code, Diagnostic, FileId, text};
use star_ir::{LocId, Program, RoutineId};

use crate::remark::{LoopOutcome, Remark};

/// The result for a loop of the source. It is displayed as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loop<'r> {
    /// The successive transformations.
    pub became: Vec<&'r str>,
    /// The reason why it was not transformed further.
    pub stayed: Option<&'r str>,
    /// The place in its body of that reason, if there is one.
    pub at: Option<LocId>,
    /// The recognised algorithm of the whole loop.
    pub whole: Option<&'r str>,
}

impl Loop<'_> {
    /// Returns whether it was transformed.
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

/// Returns the loops that passes examined, by routine and location. Remarks of a pass about the
/// result of another pass belong to the original loop.
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

/// Returns a note for each loop of a file that the passes examined, in source order.
pub fn plan(remarks: &[Remark], program: &Program, file: FileId) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    for ((routine, loc), became) in loops(remarks) {
        let Some(location) = program.locations.get(loc) else { continue };
        if location.span.file == file {
            let name = &program.routine(routine).name;
            let message = format!("this loop of `{}`: {became}", text::one_line(name));
            let mut note = Diagnostic::at(Code::Plan, location.span, message);
            if let Some(at) = became.at.and_then(|at| program.locations.get(at)) {
                note = note.label(at.span, "because of this");
            }
            notes.push(note);
        }
    }
    notes.sort_by_key(Diagnostic::span);
    notes
}
