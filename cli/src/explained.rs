//! What became of a program, in lines for people: `star run --explain`. Passes say it of loops, the backend of the
//! rest.

use std::collections::BTreeMap;

use star_base::{SourceMap, text};
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
    let loops = loops(remarks).into_iter().map(|((routine, loc), Loop { became, stayed })| {
        let form = match became.is_empty() {
            true => "as written".to_owned(),
            false => became.join(", then "),
        };
        let why = stayed.map(|why| format!(": {why}")).unwrap_or_default();
        format!("loop{}: {form}{why}", place(Some(routine), Some(loc)))
    });
    items.chain(loops).collect()
}

/// What became of a loop of the source.
#[derive(Default)]
struct Loop<'r> {
    /// One thing after another.
    became: Vec<&'r str>,
    /// Why it became nothing more.
    stayed: Option<&'r str>,
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
            Outcome::Stayed(why) => found.stayed = Some(why),
        }
    }
    loops
}
