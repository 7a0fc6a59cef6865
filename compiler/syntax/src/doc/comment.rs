//! Comments without their delimiters: the items they document, and their lines.

use std::fmt;

use star_base::Span;

/// A line of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentLine {
    /// The spaces before the text, without those common to all lines.
    pub indent: usize,
    /// The trimmed text; empty for a blank line.
    pub text: String,
    /// The byte of the file at which the text begins.
    pub at: u32,
}

impl fmt::Display for CommentLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = if self.text.is_empty() { 0 } else { self.indent };
        write!(f, "{:indent$}{}", "", self.text)
    }
}

impl CommentLine {
    /// Returns whether the line is blank.
    pub fn is_blank(&self) -> bool {
        self.text.is_empty()
    }
}

/// Returns the word after the `@` at the beginning of a comment: `test`, `bench`. That comment is a
/// header for a tool and documents nothing.
pub fn header_word(text: &str, comment: Span) -> Option<&str> {
    let inner = inside(text, comment).1.trim_start();
    let rest = inner.strip_prefix('@')?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// Returns the comments directly before byte `start`: one, or several consecutive `//` lines. Empty
/// if there is none, or if a blank line separates them. Headers for tools are skipped.
pub(super) fn before<'c>(text: &str, comments: &'c [Span], start: u32) -> &'c [Span] {
    let mut behind = comments.partition_point(|comment| comment.end <= start);
    let mut next = start;
    while let Some(comment) = behind.checked_sub(1).map(|idx| comments[idx]) {
        let adjacent = is_gap(&text[comment.end as usize..next as usize]);
        if !adjacent || header_word(text, comment).is_none() || !begins_its_line(text, comment) {
            break;
        }
        behind -= 1;
        next = comment.start;
    }
    let mut first = behind;
    while let Some(comment) = first.checked_sub(1).map(|idx| comments[idx]) {
        let adjacent = is_gap(&text[comment.end as usize..next as usize]);
        let joins = first == behind || (is_line(text, comment) && is_line(text, comments[first]));
        let is_header = header_word(text, comment).is_some();
        if !adjacent || !joins || is_header || !begins_its_line(text, comment) {
            break;
        }
        first -= 1;
        next = comment.start;
    }
    &comments[first..behind]
}

/// Returns the comments at the top of a file, before everything else except headers for tools: one,
/// or several `//`.
pub(super) fn at_top<'c>(text: &str, comments: &'c [Span]) -> &'c [Span] {
    let mut comments = comments;
    let mut from = 0;
    loop {
        let Some((first, others)) = comments.split_first() else { return &[] };
        if !text[from..first.start as usize].trim_matches(is_blank).is_empty() {
            return &[];
        }
        if header_word(text, *first).is_none() {
            break;
        }
        from = first.end as usize;
        comments = others;
    }
    let follows = |pair: &&[Span]| {
        let (one, two) = (pair[0], pair[1]);
        let between = &text[one.end as usize..two.start as usize];
        is_line(text, one)
            && is_line(text, two)
            && is_gap(between)
            && header_word(text, two).is_none()
    };
    &comments[..1 + comments.windows(2).take_while(follows).count()]
}

/// Returns whether it is white space without a blank line.
fn is_gap(between: &str) -> bool {
    between.chars().all(is_blank) && between.matches('\n').count() <= 1
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

fn is_line(text: &str, comment: Span) -> bool {
    text[comment.range()].starts_with("//")
}

fn begins_its_line(text: &str, comment: Span) -> bool {
    let before = &text[..comment.start as usize];
    let before = before.trim_end_matches(|c| is_blank(c) && c != '\n');
    before.is_empty() || before.ends_with('\n')
}

/// Returns where the text of a comment begins, and the text without the delimiters.
fn inside(text: &str, comment: Span) -> (usize, &str) {
    let whole = &text[comment.range()];
    let (open, close) = match whole.as_bytes() {
        [b'/', b'/', ..] => (whole.len() - whole.trim_start_matches('/').len(), 0),
        [b'{', ..] => (1, 1),
        _ => (2, 2),
    };
    let from = comment.start as usize + open;
    let to = (comment.end as usize).saturating_sub(close).max(from);
    (from, &text[from..to])
}

/// Returns the lines of these comments without delimiters. The first line of a block is not
/// indented, because it follows the delimiter.
pub fn lines(text: &str, comments: &[Span]) -> Vec<CommentLine> {
    let mut lines = Vec::new();
    let mut behind_sign = false;
    for comment in comments {
        let (from, inner) = inside(text, *comment);
        behind_sign |= !is_line(text, *comment);
        cut(text, from, from + inner.len(), &mut lines);
    }
    remove_indent(&mut lines, usize::from(behind_sign));
    lines
}

/// Returns the lines of a text that is not a comment.
pub(super) fn plain(text: &str) -> Vec<CommentLine> {
    let mut lines = Vec::new();
    cut(text, 0, text.len(), &mut lines);
    lines
}

/// Returns the lines of `text[from..to]`, with all their indentation.
fn cut(text: &str, from: usize, to: usize, lines: &mut Vec<CommentLine>) {
    let mut at = from;
    for line in text[from..to].split('\n') {
        let trimmed = line.trim_start();
        let indent = line.chars().count() - trimmed.chars().count();
        lines.push(CommentLine {
            indent,
            text: trimmed.trim_end().to_owned(),
            at: (at + line.len() - trimmed.len()) as u32,
        });
        at += line.len() + 1;
    }
}

/// Removes the indentation that all lines share; the first `n_flush` lines have none.
pub(super) fn remove_indent(lines: &mut [CommentLine], n_flush: usize) {
    let (flush, rest) = lines.split_at_mut(n_flush.min(lines.len()));
    for line in flush {
        line.indent = 0;
    }
    let shared = rest.iter().filter(|line| !line.is_blank()).map(|line| line.indent).min();
    for line in rest {
        line.indent = line.indent.saturating_sub(shared.unwrap_or(0));
    }
}
