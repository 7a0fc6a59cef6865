//! Lines of text with comments at their ends. This module handles comments and columns only,
//! independent of the language.
//!
//! Note [Columns]. A comment at the end of a line stays in its column if there is room, because
//! authors align these comments over many lines. A comment close to its line stays close. Comments
//! in consecutive lines that began in one column stay aligned.

use std::borrow::Cow;
use std::ops::Range;

use super::tokens::{Comment, column_behind};

/// Maximum line width in columns.
pub(super) const WIDTH: usize = 100;

/// A comment at most this many columns after its line is not aligned.
const CLOSE: usize = 2;

/// A line: where its code begins in the text, and the comments after it.
struct OutputLine<'s> {
    start: usize,
    /// The width of its code in columns.
    width: usize,
    /// The comments at its end.
    trailing: Vec<Comment<'s>>,
}

/// The collected lines.
pub(super) struct Writer<'s> {
    /// The lines that are laid out.
    out: String,
    /// The code of all other lines.
    text: String,
    /// The lines that are not laid out: at least the last one.
    lines: Vec<OutputLine<'s>>,
    /// The number of pending lines at which it is worth checking which can be laid out.
    enough: usize,
    column: usize,
    /// Must a blank line precede the next line?
    wants_blank: bool,
}

impl<'s> Writer<'s> {
    /// Creates a writer for a text of about `n_bytes` bytes.
    pub(super) fn new(n_bytes: usize) -> Self {
        let out = String::with_capacity(n_bytes + n_bytes / 4);
        let (text, lines, enough, column, wants_blank) = Default::default();
        Writer { out, text, lines, enough, column, wants_blank }
    }

    /// Returns the column of the next text, from 0.
    pub(super) fn column(&self) -> usize {
        self.column
    }

    /// Returns whether there is no line yet.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Begins a line, after `n_blank` blank lines.
    pub(super) fn line(&mut self, indent: usize, n_blank: usize) {
        self.close();
        let wanted = usize::from(std::mem::take(&mut self.wants_blank));
        if !self.is_empty() {
            for _ in 0..n_blank.max(wanted) {
                self.add();
            }
        }
        self.add();
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }

    fn add(&mut self) {
        self.lines.push(OutputLine { start: self.text.len(), width: 0, trailing: Vec::new() });
    }

    /// Requests at least one blank line before the next line.
    pub(super) fn want_blank(&mut self) {
        self.wants_blank = true;
    }

    /// Returns whether a blank line must precede the next line.
    pub(super) fn wants_blank(&self) -> bool {
        self.wants_blank
    }

    fn close(&mut self) {
        if let Some(line) = self.lines.last_mut() {
            line.width = self.column;
        }
    }

    /// Appends text to the line.
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.column = column_behind(self.column, text);
    }

    /// Appends spaces to the line.
    pub(super) fn pad(&mut self, n: usize) {
        self.text.extend(std::iter::repeat_n(' ', n));
        self.column += n;
    }

    /// Appends a comment to the line, which continues after it.
    pub(super) fn comment(&mut self, comment: Comment<'s>) {
        let text = moved(comment.text, comment.column, self.column);
        self.push(&text);
    }

    /// Appends a comment to the end of the line.
    pub(super) fn trailing(&mut self, comment: Comment<'s>) {
        if let Some(line) = self.lines.last_mut() {
            line.trailing.push(comment);
        }
    }

    /// Returns the source column at which the comments at the end of this line began; `None`
    /// without any.
    pub(super) fn trailing_column(&self) -> Option<usize> {
        self.lines.last()?.trailing_column()
    }

    /// Lays out the lines that later ones cannot affect, from time to time.
    pub(super) fn settle(&mut self) {
        if self.lines.len() < self.enough.max(1) {
            return;
        }
        // The last line may still receive comments, which may belong to those of the preceding
        // lines.
        let mut settled = self.lines[..self.lines.len() - 1].iter();
        let n_settled = settled.rposition(|line| line.trailing.is_empty()).map_or(0, |at| at + 1);
        self.set(n_settled);
        self.enough = 2 * self.lines.len();
    }

    /// Returns the text; every line ends with a line break.
    pub(super) fn finish(mut self) -> String {
        self.close();
        self.set(self.lines.len());
        self.out
    }

    /// Lays out the first `n_lines` lines, after which no group continues.
    fn set(&mut self, n_lines: usize) {
        let mut out = std::mem::take(&mut self.out);
        let mut done = 0;
        while done < n_lines {
            let group = self.group(done);
            let column = self.column_of(group.clone());
            for idx in group.clone() {
                self.put(idx, column, &mut out);
            }
            done = group.end;
        }
        self.out = out;
        let start = self.lines.get(n_lines).map_or(self.text.len(), |line| line.start);
        self.text.drain(..start);
        self.lines.drain(..n_lines);
        for line in &mut self.lines {
            line.start -= start;
        }
    }

    /// Returns the lines starting with `first` whose comments began in one column; at least one.
    fn group(&self, first: usize) -> Range<usize> {
        let shared = self.lines[first].trailing_column();
        let more = self.lines[first + 1..].iter();
        let joined = |line: &&OutputLine<'_>| shared.is_some() && line.trailing_column() == shared;
        let more = more.take_while(joined).count();
        first..first + 1 + more
    }

    /// Returns the column of the comments of a group.
    fn column_of(&self, group: Range<usize>) -> usize {
        let lines = &self.lines[group];
        let least = lines.iter().map(|line| line.width + usize::from(line.width > 0)).max();
        let least = least.unwrap_or(0);
        let Some(first) = lines[0].trailing.first() else { return least };
        let wanted = if lines.len() == 1 && first.breaks == 0 && first.blanks <= CLOSE {
            lines[0].width + first.blanks
        } else {
            first.column
        };
        let widest = lines.iter().map(|line| width_of(&line.trailing)).max();
        // Moved to the left rather than beyond the end of the line.
        wanted.min(WIDTH.saturating_sub(widest.unwrap_or(0))).max(least)
    }

    fn put(&self, idx: usize, column: usize, out: &mut String) {
        let line = &self.lines[idx];
        let end = self.lines.get(idx + 1).map_or(self.text.len(), |next| next.start);
        out.push_str(self.text[line.start..end].trim_end_matches(' '));
        let mut at = line.width;
        for (nth, comment) in line.trailing.iter().enumerate() {
            let to = if nth == 0 { column } else { at + 1 };
            out.extend(std::iter::repeat_n(' ', to.saturating_sub(at)));
            let text = moved(comment.text, comment.column, to);
            out.push_str(&text);
            at = column_behind(to, &text);
        }
        out.push('\n');
    }
}

impl OutputLine<'_> {
    fn trailing_column(&self) -> Option<usize> {
        self.trailing.first().map(|comment| comment.column)
    }
}

/// Returns the width of the comments at the end of a line.
fn width_of(trailing: &[Comment<'_>]) -> usize {
    let texts = trailing.iter().map(|comment| comment.text);
    texts.map(|text| 1 + text.lines().next().unwrap_or_default().chars().count()).sum::<usize>() - 1
}

/// Returns the text of a comment that moves from one column to another. Its other lines move with
/// it if all of them can, so that their relative positions are kept.
fn moved(text: &str, from: usize, to: usize) -> Cow<'_, str> {
    if from == to || !text.contains('\n') {
        return Cow::Borrowed(text);
    }
    let further = || text.split('\n').skip(1).filter(|line| !line.trim().is_empty());
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let can = |line: &str| {
        let indent = indent(line);
        indent + to >= from && !line[indent..].starts_with(char::is_whitespace)
    };
    if !further().all(can) {
        return Cow::Borrowed(text);
    }
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        out.push('\n');
        if line.trim().is_empty() {
            out.push_str(line);
        } else {
            out.extend(std::iter::repeat_n(' ', indent(line) + to - from));
            out.push_str(&line[indent(line)..]);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_moves_as_a_whole_or_not_at_all() {
        assert_eq!(moved("/* a\n     b\n\n   c */", 4, 2), "/* a\n   b\n\n c */");
        assert_eq!(moved("/* a\n b */", 4, 2), "/* a\n b */");
        assert_eq!(moved("/* a\n\tb */", 0, 2), "/* a\n\tb */");
        assert_eq!(moved("/* a\nb */", 0, 2), "/* a\n  b */");
    }
}
