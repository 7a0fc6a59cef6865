//! Report on the compilation of a program: lines of text for `star run --explain`. Passes report on
//! loops, the backend on everything else.

use std::collections::BTreeMap;

use star_base::{FileId, SourceMap, text};
use star_ir::{LocId, Program, RoutineId};
use star_opt::{Remark, loops};
use star_vm::explain::{Became, Item, Subject};
use star_vm::{Counters, Explanation};

/// Formats a line for each decision of the backend and for each loop that the passes examined.
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
        let line = loc.and_then(|loc| place_of(loc, program, sources));
        name + &line.map(|line| format!(" ({line})")).unwrap_or_default()
    };
    let items = explanation.items.iter().map(|Item { subject, routine, loc, became }| {
        let what = match became {
            Became::Form(form) => form.clone(),
            Became::AsWritten { why } => format!("as written: {why}"),
        };
        format!("{}{}: {what}", subject.name(), place(*routine, *loc))
    });
    // Report a kernel only once if no pass changed it.
    let is_kernel = |routine: RoutineId, loc: LocId| {
        explanation.items.iter().any(|item| {
            (item.subject, item.routine, item.loc) == (Subject::Loop, Some(routine), Some(loc))
        })
    };
    let loops = loops(remarks)
        .into_iter()
        .filter(|((routine, loc), became)| became.became_something() || !is_kernel(*routine, *loc));
    let loops = loops.map(|((routine, loc), became)| {
        let line = became.at.and_then(|at| place_of(at, program, sources));
        let line = line.map(|line| format!(", in {line}")).unwrap_or_default();
        format!("loop{}: {became}{line}", place(Some(routine), Some(loc)))
    });
    items.chain(loops).collect()
}

/// Formats the use of the device by a run, if there was one.
pub(crate) fn on_device(paths: &Counters) -> Option<String> {
    let n = text::count;
    (paths.unit_dispatches > 0).then(|| {
        format!(
            "device: the control unit {}, {} over the grid, {} in {}; {}, {} there and {} back while it ran",
            n(paths.unit_dispatches as usize, "time"),
            n(paths.grid_kernels as usize, "kernel"),
            n(paths.wide_lines as usize, "wide line"),
            n(paths.wide_kernels as usize, "kernel"),
            n(paths.device_reads as usize, "read"),
            n(paths.bytes_to_device as usize, "byte"),
            n(paths.bytes_from_device as usize, "byte"),
        )
    })
}

/// Returns the file of a location, and its line, from 1.
fn line_of(loc: LocId, program: &Program, sources: &SourceMap) -> Option<(FileId, usize)> {
    let span = program.locations.get(loc)?.span;
    let line = sources.get(span.file)?.line_column(span.start as usize).line;
    Some((span.file, line))
}

/// Formats the file and line of a location.
fn place_of(loc: LocId, program: &Program, sources: &SourceMap) -> Option<String> {
    let (file, line) = line_of(loc, program, sources)?;
    Some(format!("{}:{line}", text::one_line(sources.get(file)?.name())))
}

/// The results for loops, by file and first line, from 0.
pub(crate) type Plan = BTreeMap<(FileId, usize), Vec<String>>;

/// Returns the transformations of each loop of a program or the reason why there are none, followed
/// by the decisions of the backend.
pub(crate) fn by_lines(
    explanation: &Explanation,
    remarks: &[Remark],
    program: &Program,
    sources: &SourceMap,
) -> Plan {
    let mut words: BTreeMap<(RoutineId, LocId), String> = BTreeMap::new();
    let found = loops(remarks);
    for (place, became) in &found {
        words.insert(*place, became.to_string());
    }
    for Item { subject, routine, loc, became } in &explanation.items {
        let is_loop = matches!(subject, Subject::Loop | Subject::Forall);
        let (true, Some(routine), Some(loc), Became::Form(form)) = (is_loop, routine, loc, became)
        else {
            continue;
        };
        let place = (*routine, *loc);
        let said = found.get(&place).filter(|became| became.became_something());
        let said = said.map(|became| format!("{became}; {form}"));
        words.insert(place, said.unwrap_or_else(|| form.clone()));
    }
    let mut lines = Plan::new();
    for ((_, loc), words) in words {
        let Some((file, line)) = line_of(loc, program, sources) else { continue };
        lines.entry((file, line.saturating_sub(1))).or_default().push(words);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_the_use_of_the_device() {
        let mut paths = Counters::default();
        assert_eq!(on_device(&paths), None);
        (paths.unit_dispatches, paths.grid_kernels, paths.device_reads) = (3, 1, 4);
        (paths.bytes_to_device, paths.bytes_from_device) = (1, 900);
        let said = "device: the control unit 3 times, 1 kernel over the grid, 0 wide lines in 0 kernels; 4 reads, 1 byte there and 900 bytes back while it ran";
        assert_eq!(on_device(&paths).as_deref(), Some(said));
    }
}
