//! What became of a program: in lines for people, `star run --explain`, or as notes at the loops, `star check --plan`.
//! Passes say it of loops, the backend of the rest.

use std::collections::BTreeMap;
use std::fmt;

use star_base::{Code, Diagnostic, FileId, SourceMap, text};
use star_ir::{LocId, Program, RoutineId};
use star_opt::{Outcome, Remark};
use star_vm::Explanation;
use star_vm::explain::{Became, Item};

/// A line for each thing that the backend decided about, and for each loop that the passes looked at.
pub(crate) fn lines(
    explanation: &Explanation,
    remarks: &[Remark],
    program: &Program,
    sources: &SourceMap,
) -> Vec<String> {
    let place = |routine: Option<RoutineId>, loc: Option<LocId>| {
        let routine = routine.and_then(|id| program.routines.get(id.0 as usize));
        let name = routine.map(|routine| format!(" `{}`", text::one_line(&routine.name)));
        let name = name.unwrap_or_default();
        let location = loc.and_then(|loc| program.locations.get(loc));
        let line = location.and_then(|location| {
            let file = sources.get(location.span.file)?;
            let line = file.line_column(location.span.start as usize).line;
            Some(format!(" ({}:{line})", text::one_line(file.name())))
        });
        name + &line.unwrap_or_default()
    };
    let items = explanation.items.iter().map(|Item { subject, routine, loc, became }| {
        let what = match became {
            Became::Form(form) => form.clone(),
            Became::AsWritten { why } => format!("as written: {why}"),
        };
        format!("{}{}: {what}", subject.name(), place(*routine, *loc))
    });
    let loops = loops(remarks).into_iter().map(|((routine, loc), became)| {
        format!("loop{}: {became}", place(Some(routine), Some(loc)))
    });
    items.chain(loops).collect()
}

/// A note for each loop of a file that the passes looked at, in the order of the text.
pub(crate) fn plan(remarks: &[Remark], program: &Program, file: FileId) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    for ((routine, loc), became) in loops(remarks) {
        let Some(location) = program.locations.get(loc) else { continue };
        if location.span.file == file {
            let name = &program.routine(routine).name;
            let message = format!("this loop of `{}`: {became}", text::one_line(name));
            notes.push(Diagnostic::at(Code::Plan, location.span, message));
        }
    }
    notes.sort_by_key(Diagnostic::span);
    notes
}

/// What became of a loop of the source.
#[derive(Default)]
struct Loop<'r> {
    /// One thing after another.
    became: Vec<&'r str>,
    /// Why it became nothing more.
    stayed: Option<&'r str>,
    /// What it is as a whole.
    whole: Option<&'r str>,
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

/// The loops by routine and place. What a pass says of what another one has made of a loop is said of the loop.
fn loops(remarks: &[Remark]) -> BTreeMap<(RoutineId, LocId), Loop<'_>> {
    let mut loops: BTreeMap<_, Loop<'_>> = BTreeMap::new();
    for Remark { pass: _, routine, loc, outcome } in remarks {
        let found = loops.entry((*routine, *loc)).or_default();
        match outcome {
            Outcome::Became(form) => {
                found.became.push(form);
                found.stayed = None;
            }
            Outcome::Whole(form) => found.whole = Some(form),
            Outcome::Stayed(why) => found.stayed = Some(why),
        }
    }
    loops
}
