//! Division of a comment's text into paragraphs that can be rewrapped, and tables that cannot.

use super::comment::CommentLine;

/// Lines between blank lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Text, on one line.
    Prose(String),
    /// Items, each on one line: `T: n rows` and the like, or lines with indented continuations.
    List(Vec<String>),
    /// Lines that are aligned with each other, or all indented.
    Verbatim(Vec<String>),
}

/// Divides a text into blocks.
pub fn blocks(lines: &[CommentLine]) -> Vec<Block> {
    let groups = lines.split(|line| line.is_blank()).filter(|group| !group.is_empty());
    groups.map(block).collect()
}

/// Returns the first sentence of a text, on one line and without its full stop.
pub fn first_sentence(lines: &[CommentLine]) -> String {
    let first = match blocks(lines).into_iter().next() {
        Some(Block::Prose(text)) => text,
        Some(Block::List(items)) => items.into_iter().next().unwrap_or_default(),
        Some(Block::Verbatim(_)) | None => String::new(),
    };
    let end = first.find(". ").unwrap_or(first.len());
    first[..end].trim_end_matches(['.', ':']).to_owned()
}

fn block(lines: &[CommentLine]) -> Block {
    let indented = lines.iter().all(|line| line.indent > 0);
    if indented || lines.iter().any(|line| is_aligned(&line.text)) {
        return Block::Verbatim(lines.iter().map(ToString::to_string).collect());
    }
    let joined = |line: &CommentLine| line.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let hangs = lines.iter().skip(1).any(|line| line.indent > 0);
    if !hangs && !lines.iter().any(|line| begins_item(&line.text)) {
        return Block::Prose(lines.iter().map(joined).collect::<Vec<_>>().join(" "));
    }
    let mut items: Vec<String> = Vec::new();
    for (idx, line) in lines.iter().enumerate() {
        let begins = idx == 0 || (line.indent == 0 && (hangs || begins_item(&line.text)));
        match items.last_mut() {
            Some(item) if !begins => *item = format!("{item} {}", joined(line)),
            _ => items.push(joined(line)),
        }
    }
    Block::List(items)
}

/// Returns whether it is a row between bars, or has a wide gap that does not follow a sentence.
fn is_aligned(text: &str) -> bool {
    if text.starts_with('|') {
        return true;
    }
    let mut from = 0;
    while let Some(at) = text[from..].find("  ").map(|at| at + from) {
        if !text[..at].ends_with(['.', ';', ':', ',', '!', '?', ')']) {
            return true;
        }
        from = at + text[at..].len() - text[at..].trim_start().len();
    }
    false
}

/// Returns whether the line begins a list item: `X, Z: n bits`, `* one of several`.
fn begins_item(text: &str) -> bool {
    let names = text.split(": ").next().unwrap_or_default();
    let is_name = |name: &str| {
        let mut chars = name.trim().chars();
        chars.next().is_some_and(char::is_alphabetic)
            && chars.all(|c| c.is_alphanumeric() || c == '_')
    };
    let declares = names.len() < text.len() && names.split(',').all(is_name);
    declares || text.starts_with("* ") || text.starts_with("- ")
}
