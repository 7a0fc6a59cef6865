//! Report on the compilation of a program: lines of text for `star run --explain`. Passes report on
//! loops, the backend on everything else.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use star_base::{FileId, SourceMap, text};
use star_ir::{LocId, Program, RoutineId};
use star_opt::{Remark, loops};
use star_vm::explain::{Became, Item, LoopExchanges, Subject};
use star_vm::{Counters, Explanation};

/// Formats a line for each decision of the backend, and one for each loop.
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
    let items = explanation.items.iter().filter(|item| place_of_loop(item).is_none());
    let items = items.map(|Item { subject, routine, loc, became }| {
        format!("{}{}: {}", subject.name(), place(*routine, *loc), words(became))
    });
    let plans = of_loops(explanation, remarks).into_iter();
    let plans = plans.map(|((routine, loc), LoopPlan { words, at })| {
        let line = at.and_then(|at| place_of(at, program, sources));
        let line = line.map(|line| format!(", in {line}")).unwrap_or_default();
        let subject = Subject::Loop.name();
        format!("{subject}{}: {words}{line}", place(Some(routine), Some(loc)))
    });
    let exchanges = explanation.exchanges.iter().map(|exchanges| {
        let LoopExchanges { routine, loc, each, inner } = exchanges;
        let named = |exchanges: &[(&str, LocId)]| {
            let named = exchanges.iter().map(|(name, loc)| {
                let line = line_of(*loc, program, sources).map(|(_, line)| format!(" line {line}"));
                format!("{name}{}", line.unwrap_or_default())
            });
            named.collect::<Vec<String>>().join(", ")
        };
        let n_each = text::count(each.len(), "exchange");
        let mut words = format!("{n_each} an iteration");
        if !each.is_empty() {
            words += &format!(": {}", named(each));
        }
        if !inner.is_empty() {
            words += &format!("; in inner loops: {}", named(inner));
        }
        let subject = Subject::Exchange.name();
        format!("{subject}{}: {words}", place(Some(*routine), Some(*loc)))
    });
    items.chain(plans).chain(exchanges).collect()
}

/// The plan of a loop.
struct LoopPlan {
    /// The transformations, or the reason why there are none, followed by the decisions of the
    /// backend.
    words: String,
    /// The place in its body that the reason concerns.
    at: Option<LocId>,
}

/// Returns the plans of all loops.
fn of_loops(
    explanation: &Explanation,
    remarks: &[Remark],
) -> BTreeMap<(RoutineId, LocId), LoopPlan> {
    let of_passes = loops(remarks);
    let plans = of_passes.iter();
    let mut plans: BTreeMap<_, _> = plans
        .map(|(place, became)| (*place, LoopPlan { words: became.to_string(), at: became.at }))
        .collect();
    for item in &explanation.items {
        let Some(place) = place_of_loop(item) else { continue };
        let decided = words(&item.became);
        match plans.entry(place) {
            // Only the backend did something.
            Entry::Occupied(mut plan)
                if of_passes.get(&place).is_some_and(|found| !found.became_something()) =>
            {
                plan.insert(LoopPlan { words: decided, at: None });
            }
            Entry::Occupied(mut plan) => plan.get_mut().words += &format!("; {decided}"),
            Entry::Vacant(plan) => {
                plan.insert(LoopPlan { words: decided, at: None });
            }
        }
    }
    plans
}

fn place_of_loop(item: &Item) -> Option<(RoutineId, LocId)> {
    item.routine.zip(item.loc).filter(|_| item.subject == Subject::Loop)
}

fn words(became: &Became) -> String {
    match became {
        Became::Form(form) => form.clone(),
        Became::AsWritten { why } => format!("as written: {why}"),
    }
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

/// Formats the parts in which tables went from files to the backend and back, if there were any.
pub(crate) fn by_parts(counters: &Counters) -> Option<String> {
    let Counters { parts_loaded, parts_stored, own_bytes_loaded, own_bytes_stored, .. } = *counters;
    let own = |n_bytes: u64, files: &str| {
        let bytes = text::count(n_bytes as usize, "byte");
        (n_bytes > 0).then(|| format!("own rows of {bytes} {files} files"))
    };
    let columns = (parts_loaded + parts_stored > 0).then(|| {
        let loaded = text::count(parts_loaded as usize, "part");
        format!("tables by columns: {loaded} from files, {parts_stored} to files")
    });
    let parts = [own(own_bytes_loaded, "from"), own(own_bytes_stored, "to"), columns];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Formats the exchanges of a run with other ranks, if there were any.
pub(crate) fn between_ranks(paths: &Counters) -> Option<String> {
    let n = text::count;
    (paths.exchanges > 0).then(|| {
        format!(
            "ranks: {}, {} given by this one",
            n(paths.exchanges as usize, "exchange"),
            n(paths.exchanged_bytes as usize, "byte"),
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

/// The plans of loops, by file and first line, from 0.
pub(crate) type Plan = BTreeMap<(FileId, usize), Vec<String>>;

/// Returns the plan of each loop of a program.
pub(crate) fn by_lines(
    explanation: &Explanation,
    remarks: &[Remark],
    program: &Program,
    sources: &SourceMap,
) -> Plan {
    let mut lines = Plan::new();
    for ((_, loc), plan) in of_loops(explanation, remarks) {
        let Some((file, line)) = line_of(loc, program, sources) else { continue };
        lines.entry((file, line.saturating_sub(1))).or_default().push(plan.words);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_the_parts_of_tables() {
        let mut counters = Counters::default();
        assert_eq!(by_parts(&counters), None);
        (counters.parts_loaded, counters.parts_stored) = (1, 4);
        let said = "tables by columns: 1 part from files, 4 to files";
        assert_eq!(by_parts(&counters).as_deref(), Some(said));
        counters.own_bytes_loaded = 1;
        let both = format!("own rows of 1 byte from files; {said}");
        assert_eq!(by_parts(&counters).as_deref(), Some(&*both));
        (counters.parts_loaded, counters.parts_stored) = (0, 0);
        assert_eq!(by_parts(&counters).as_deref(), Some("own rows of 1 byte from files"));
        counters.own_bytes_stored = 30;
        let both = "own rows of 1 byte from files; own rows of 30 bytes to files";
        assert_eq!(by_parts(&counters).as_deref(), Some(both));
    }

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
