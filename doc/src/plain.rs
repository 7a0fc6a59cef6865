//! Formatting of documentation as text for a terminal.

use star_syntax::doc::{Block, Doc, RoutineDoc, Section, blocks};

use crate::catalogue::{Catalogue, Module, Topic};
use crate::chapters::Section as ChapterSection;
use crate::search::{Found, Hit};

/// The maximum line width: longer lines are hard to read on any terminal.
const WIDEST: usize = 100;
/// The minimum line width: words are not split for less.
const NARROWEST: usize = 30;
/// The maximum length of the name of a found topic before its description.
const MAX_TITLE: usize = 28;
/// The maximum number of found topics that are shown.
const MAX_HITS: usize = 20;
/// The indentation of subordinate text.
const INDENT: usize = 3;

/// Returns all modules and routines, one line each.
pub fn contents(catalogue: &Catalogue, width: usize) -> String {
    let modules = catalogue.modules().map(|(_, module)| {
        let about = module.head.as_ref().map(Doc::summary).unwrap_or_default();
        let title = format!("{}: {about}\n", module.title);
        let rows = module.routines.iter().map(|routine| {
            let about = routine.doc.as_ref().map(Doc::summary).unwrap_or_default();
            cut(&format!("   {:<18} {about}", routine.name), width) + "\n"
        });
        cut(title.trim_end_matches([':', ' ', '\n']), width) + "\n" + &rows.collect::<String>()
    });
    let modules: Vec<String> = modules.collect();
    modules.join("\n") + "\n`star doc NAME` shows more.\n"
}

/// Returns the documentation of these topics.
pub fn topics(catalogue: &Catalogue, topics: &[Topic], width: usize) -> String {
    let width = width.clamp(NARROWEST, WIDEST);
    let page = |topic: &Topic| {
        let module = catalogue.at(topic.module);
        match topic.routine {
            Some(idx) => routine(module, &module.routines[idx], width),
            None => whole(module, width),
        }
    };
    let pages: Vec<String> = topics.iter().map(page).collect();
    pages.join("\n\n")
}

/// Returns the search results, best first, one line each; `command` shows the documentation of a
/// line.
pub fn hits(found: &Found, query: &str, command: &str, width: usize) -> String {
    let Found { hits, missing } = found;
    let title = |hit: &Hit| match hit.place.as_str() {
        "" => hit.name.clone(),
        place => format!("{} ({place})", hit.name),
    };
    let shown = &hits[..hits.len().min(MAX_HITS)];
    let widest = shown.iter().map(|hit| title(hit).chars().count()).max().unwrap_or(0);
    let widest = widest.min(MAX_TITLE);
    let rows = shown.iter().map(|hit| {
        let line = format!("   {:<widest$}  {}", title(hit), hit.about);
        cut(line.trim_end(), width) + "\n"
    });
    let rows: String = rows.collect();
    let more = match hits.len() - shown.len() {
        0 => String::new(),
        n => format!("   and {n} more: add words to narrow the search\n"),
    };
    let without = match missing.as_slice() {
        [] => String::new(),
        words => format!(", without {}", star_base::text::quoted_list(words)),
    };
    let title = format!("Results for `{query}`{without}:");
    format!("{title}\n\n{rows}{more}\n`{command} NAME` shows one of them.\n")
}

/// Returns sections of chapters unchanged, each with its title.
pub fn sections(sections: &[ChapterSection]) -> String {
    let page = |section: &ChapterSection| {
        format!("{}, docs/src/{}\n\n{}\n", section.heading, section.path, section.text)
    };
    sections.iter().map(page).collect::<Vec<_>>().join("\n\n")
}

fn whole(module: &Module, width: usize) -> String {
    let mut text = format!("{} ({})\n", module.title, module.access());
    if let Some(head) = &module.head {
        text += "\n";
        text += &comment(head, width);
    }
    for one in &module.routines {
        text += "\n\n";
        text += &routine(module, one, width);
    }
    text
}

fn routine(module: &Module, routine: &RoutineDoc, width: usize) -> String {
    let RoutineDoc { name, kind: _, header: _, signature, doc } = routine;
    let title = format!("{name}, of {} ({})\n\n", module.title, module.access());
    let signature = signature.lines().map(|line| indented(line, INDENT)).collect::<String>();
    let about = doc.as_ref().map(|doc| format!("\n{}", comment(doc, width)));
    title + &signature + &about.unwrap_or_else(|| "\nNo documentation comment.\n".to_owned())
}

fn comment(doc: &Doc, width: usize) -> String {
    let text = blocks(&doc.text);
    let text: Vec<String> = text.iter().map(|block| of_block(block, 0, width)).collect();
    let sections: String = doc.sections.iter().map(|one| section(one, width)).collect();
    match (text.is_empty(), sections.is_empty()) {
        (false, false) => text.join("\n") + "\n" + &sections,
        _ => text.join("\n") + &sections,
    }
}

fn section(section: &Section, width: usize) -> String {
    let Section { label, arguments, span: _, lines } = section;
    if label.is_verbatim() {
        let arguments = match arguments.as_str() {
            "" => String::new(),
            given => format!(", {given}"),
        };
        let body = lines.iter().map(|line| indented(&line.to_string(), INDENT));
        return format!("{label}{arguments}:\n{}", body.collect::<String>());
    }
    let blocks = blocks(lines);
    let labelled = |item: &str| fill(&format!("{label}: {item}"), 0, INDENT, width);
    let (first, rest) = match blocks.split_first() {
        Some((Block::Prose(text), rest)) => (labelled(text), rest),
        Some((Block::List(items), rest)) => {
            let mut items = items.iter();
            let first = items.next().map(|item| labelled(item)).unwrap_or_default();
            let items = items.map(|item| fill(item, INDENT, 2 * INDENT, width));
            (first + &items.collect::<String>(), rest)
        }
        Some((Block::Verbatim(_), _)) | None => (format!("{label}:\n"), &blocks[..]),
    };
    rest.iter().fold(first, |text, block| text + "\n" + &of_block(block, INDENT, width))
}

fn of_block(block: &Block, indent: usize, width: usize) -> String {
    match block {
        Block::Prose(text) => fill(text, indent, indent, width),
        Block::List(items) => {
            items.iter().map(|item| fill(item, indent, indent + INDENT, width)).collect()
        }
        Block::Verbatim(lines) => lines.iter().map(|line| indented(line, indent)).collect(),
    }
}

fn indented(line: &str, indent: usize) -> String {
    match line.trim_end() {
        "" => "\n".to_owned(),
        line => format!("{:indent$}{line}\n", ""),
    }
}

/// Returns a description whose first column ends before column `indent`, filled into lines of
/// `width` characters.
pub fn described(name: &str, about: &str, indent: usize, width: usize) -> String {
    let n_blanks = indent.saturating_sub(name.chars().count()).max(1);
    let width = width.max(indent + NARROWEST / 2);
    fill(&format!("{name}{}{about}", "\u{a0}".repeat(n_blanks)), 0, indent, width)
        .replace('\u{a0}', " ")
}

/// Fills the lines of a text that are longer than `width` characters, except those between
/// code fences.
pub fn wrapped(text: &str, width: usize) -> String {
    let width = width.max(NARROWEST);
    let mut is_code = false;
    let mut wrapped = String::new();
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        if is_code || is_fence || line.chars().count() <= width {
            wrapped += line;
            wrapped.push('\n');
            continue;
        }
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let hangs = if words.starts_with("* ") { 2 } else { 0 };
        wrapped += &fill(words, indent, indent + hangs, width);
    }
    wrapped
}

/// Fills the words into lines of `width` characters: the first line with one indentation, the
/// others with another.
pub(crate) fn fill(text: &str, first: usize, others: usize, width: usize) -> String {
    let mut filled = " ".repeat(first);
    let mut column = first;
    for (idx, word) in text.split(' ').enumerate() {
        let n_chars = word.chars().count();
        if idx > 0 && column + 1 + n_chars > width {
            filled += "\n";
            filled += &" ".repeat(others);
            column = others;
        } else if idx > 0 {
            filled.push(' ');
            column += 1;
        }
        filled += word;
        column += n_chars;
    }
    filled + "\n"
}

/// Truncates the line to `width` characters.
fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    kept.trim_end().to_owned() + "…"
}

#[cfg(test)]
mod tests {
    use star_stdlib::LIBRARY;

    use super::*;

    #[test]
    fn text_is_filled_with_hanging_indentation() {
        assert_eq!(fill("ab cd ef gh", 0, 3, 8), "ab cd ef\n   gh\n");
        assert_eq!(fill("abcdefghij k", 1, 0, 5), " abcdefghij\nk\n");
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abc defg", 5), "abc…");
    }

    #[test]
    fn long_lines_are_wrapped_at_blanks() {
        let text = "a short line\n  * a list item that is longer than thirty characters\n\n```\n\
            code that is longer than thirty characters\n```\n";
        let wrapped = wrapped(text, 30);
        assert_eq!(
            wrapped,
            "a short line\n  * a list item that is longer\n    than thirty characters\n\n```\n\
                code that is longer than thirty characters\n```\n"
        );
        assert_eq!(
            described("  :x", "one two three four five", 7, 22),
            "  :x   one two three\n       four five\n"
        );
    }

    #[test]
    fn all_lines_fit_the_width_unless_verbatim() {
        let catalogue = Catalogue::library(&LIBRARY);
        let page = topics(&catalogue, &catalogue.find("WARSHALL").unwrap(), 40);
        assert!(page.contains("\nCost: 3*n"), "{page}");
        let prose = page.lines().skip(3).take_while(|line| !line.starts_with("Example"));
        let lines: Vec<&str> = prose.collect();
        assert!(lines.len() > 10 && lines.iter().all(|line| line.chars().count() <= 40), "{page}");
    }
}
