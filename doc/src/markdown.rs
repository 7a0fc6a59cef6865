//! The documentation as Markdown: pages of modules, and the reference of the book.
//!
//! Nothing here knows commands or file formats: star-cli writes the pages about these.

use std::fmt::Write as _;

use star_base::Code;
use star_syntax::doc::{Block, Doc, Label, RoutineDoc, Section, blocks};

use crate::catalogue::{Catalogue, Module, ModuleKind, Topic};
use crate::plain::fill;

/// The widest line of prose.
const WIDTH: usize = 100;
/// Returns the documentation of some topics.
pub fn topics(catalogue: &Catalogue, topics: &[Topic]) -> String {
    let page = |topic: &Topic| {
        let module = catalogue.at(topic.module);
        match topic.routine {
            Some(idx) => routine(&module.routines[idx], "#"),
            None => whole(module, "#"),
        }
    };
    topics.iter().map(page).collect::<Vec<_>>().join("\n")
}

/// Returns the page of all library routines.
pub fn library(catalogue: &Catalogue) -> String {
    let about = "Every routine of the library. Those of `library/…` are visible in every program, \
                 those of `star:…` after an import. `star doc NAME` shows the same text.";
    page(catalogue, "Library", about, |kind| match kind {
        ModuleKind::Basic | ModuleKind::Imported => true,
        ModuleKind::Language | ModuleKind::Operations | ModuleKind::File => false,
    })
}

/// Returns the page of the elementary operations and the words of the language.
pub fn builtins(catalogue: &Catalogue) -> String {
    let about = "The words of the language and the elementary operations. `star doc NAME` shows \
                 the same text.";
    page(catalogue, "Built-ins", about, |kind| match kind {
        ModuleKind::Language | ModuleKind::Operations => true,
        ModuleKind::Basic | ModuleKind::Imported | ModuleKind::File => false,
    })
}

/// Returns the page of all diagnostic codes.
pub fn messages() -> String {
    let about = "Every code that a message can have, with an example. `star explain CODE` shows \
                 the same text.";
    let mut text = format!("# Messages\n\n{}", fill(about, 0, 0, WIDTH));
    for code in Code::ALL {
        let _ = writeln!(text, "\n## {code}: {}\n", code.title());
        let explanation = code.explanation();
        let body = explanation.split_once('\n').map_or("", |(_, body)| body);
        for line in body.trim().lines() {
            let deeper = if line.starts_with("## ") { "#" } else { "" };
            let _ = writeln!(text, "{deeper}{line}");
        }
    }
    text
}

/// Returns a page of the modules of some kinds: a table of their routines, and each of them.
fn page(
    catalogue: &Catalogue,
    title: &str,
    about: &str,
    shows: impl Fn(ModuleKind) -> bool,
) -> String {
    let mut text = format!("# {title}\n\n{}", fill(about, 0, 0, WIDTH));
    for (_, module) in catalogue.modules().filter(|(_, module)| shows(module.kind)) {
        text.push('\n');
        text += &whole(module, "##");
    }
    text
}

/// Returns the documentation of a module; `level` is the mark of its heading.
fn whole(module: &Module, level: &str) -> String {
    let mut text = format!("{level} {}\n\n`{}`\n", module.title, module.access());
    if let Some(head) = &module.head {
        text.push('\n');
        text += &comment(head);
    }
    for one in &module.routines {
        text.push('\n');
        text += &routine(one, &format!("{level}#"));
    }
    text
}

/// Returns the documentation of a routine; `level` is the mark of its heading.
fn routine(routine: &RoutineDoc, level: &str) -> String {
    format!("{level} {}\n\n{}", routine.name, entry(routine))
}

/// Returns the documentation of a routine without a heading: its signature, then its comment.
pub fn entry(routine: &RoutineDoc) -> String {
    let RoutineDoc { name: _, kind: _, header: _, signature, doc } = routine;
    let about = match doc {
        Some(doc) => comment(doc),
        None => "No documentation comment.\n".to_owned(),
    };
    format!("{}\n{about}", code(signature, "pascal"))
}

/// Returns a comment: its text, then its sections.
fn comment(doc: &Doc) -> String {
    let text = blocks(&doc.text).iter().map(|block| of_block(block, None)).collect::<Vec<_>>();
    let sections = doc.sections.iter().map(section);
    text.into_iter().chain(sections).collect::<Vec<_>>().join("\n")
}

fn section(section: &Section) -> String {
    let Section { label, arguments, span: _, lines } = section;
    if label.is_verbatim() {
        let arguments = match arguments.as_str() {
            "" => String::new(),
            given => format!(" `{given}`"),
        };
        let language = if *label == Label::Prints { "text" } else { "pascal" };
        return format!("**{label}:**{arguments}\n\n{}", code(section.text().trim_end(), language));
    }
    let blocks = blocks(lines);
    let labelled = |(idx, block)| of_block(block, (idx == 0).then(|| label.as_str()));
    blocks.iter().enumerate().map(labelled).collect::<Vec<_>>().join("\n")
}

fn of_block(block: &Block, label: Option<&str>) -> String {
    let label = label.map(|label| format!("**{label}:** ")).unwrap_or_default();
    match block {
        Block::Prose(text) => fill(&format!("{label}{}", escaped(text)), 0, 0, WIDTH),
        Block::List(items) if items.len() == 1 => {
            fill(&format!("{label}{}", escaped(&items[0])), 0, 0, WIDTH)
        }
        Block::List(items) => {
            let items = items.iter().map(|item| fill(&format!("* {}", escaped(item)), 0, 2, WIDTH));
            let items: String = items.collect();
            if label.is_empty() { items } else { format!("{}\n\n{items}", label.trim_end()) }
        }
        Block::Verbatim(lines) => {
            let text = code(&lines.join("\n"), "text");
            if label.is_empty() { text } else { format!("{}\n\n{text}", label.trim_end()) }
        }
    }
}

fn code(text: &str, language: &str) -> String {
    format!("```{language}\n{text}\n```\n")
}

/// Returns prose in which only backticks mark up: other marks of Markdown are escaped.
fn escaped(text: &str) -> String {
    let pieces = text.split('`').enumerate().map(|(idx, piece)| {
        if idx % 2 == 1 {
            return piece.to_owned();
        }
        let mut safe = String::new();
        for c in piece.chars() {
            if "*_<>[]#|".contains(c) {
                safe.push('\\');
            }
            safe.push(c);
        }
        safe
    });
    pieces.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {

    use super::*;

    fn catalogue() -> Catalogue {
        Catalogue::library(&star_stdlib::LIBRARY)
    }

    #[test]
    fn routines_have_a_heading_a_signature_and_their_sections() {
        let catalogue = catalogue();
        let page = topics(&catalogue, &catalogue.find("MATCH").unwrap());
        assert!(page.starts_with("# MATCH\n\n```pascal\n"), "{page}");
        assert!(page.contains("\n**Cost:** ") && page.contains("\n**Example:**\n\n```pascal\n"));
    }

    #[test]
    fn every_routine_stands_on_one_of_the_two_pages() {
        let catalogue = catalogue();
        let (library, builtins) = (library(&catalogue), builtins(&catalogue));
        for (_, module) in catalogue.modules() {
            for RoutineDoc { name, .. } in &module.routines {
                let heading = format!("\n### {name}\n");
                let n = library.matches(&heading).count() + builtins.matches(&heading).count();
                assert!(n > 0, "{name}");
            }
        }
    }

    #[test]
    fn only_backticks_mark_up() {
        assert_eq!(escaped("3*n `a*b` [001]"), "3\\*n `a*b` \\[001\\]");
    }
}
