//! What a backend made of a program, in lines for people: `star run --explain`.

use star_base::{SourceMap, text};
use star_ir::Program;
use star_vm::Explanation;
use star_vm::explain::{Became, Item};

/// A line for each thing that the backend decided about.
pub(crate) fn lines(
    explanation: &Explanation,
    program: &Program,
    sources: &SourceMap,
) -> Vec<String> {
    explanation.items.iter().map(|item| line(item, program, sources)).collect()
}

fn line(item: &Item, program: &Program, sources: &SourceMap) -> String {
    let Item { subject, routine, loc, became } = item;
    let routine = routine.and_then(|id| program.routines.get(id.0 as usize));
    let routine = routine.map_or_else(String::new, |it| format!(" `{}`", text::one_line(&it.name)));
    let location = loc.and_then(|loc| program.locations.get(loc));
    let place = location.and_then(|location| {
        let file = sources.get(location.span.file)?;
        let line = file.line_column(location.span.start as usize).line;
        Some(format!(" ({}:{line})", text::one_line(file.name())))
    });
    let place = place.unwrap_or_default();
    let what = match became {
        Became::Form(form) => form.clone(),
        Became::AsWritten { why } => format!("as written: {why}"),
    };
    format!("{}{routine}{place}: {what}", subject.name())
}
