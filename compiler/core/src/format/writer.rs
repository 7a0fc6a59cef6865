//! Lines of text with comments at their ends. Knows comments and columns, and nothing of the language.
//!
//! Note [Columns]. A comment at the end of a line stays in the column in which it stood if there is
//! room for it, since authors align such comments over many lines. A comment close behind its line
//! stays as close. Comments in consecutive lines that began in one column stay in one column.

use std::borrow::Cow;
use std::ops::Range;

use super::tokens::{Comment, column_behind};

/// Columns that a line may take.
pub(super) const WIDTH: usize = 100;

/// A comment at most so many columns behind its line is not aligned with anything.
const CLOSE: usize = 2;

/// A line: where its code begins in the text, and what stands behind it.
struct Line {
    start: usize,
    /// Columns that the code takes.
    width: usize,
    /// Comments at its end, by index.
    trailing: Range<usize>,
}

/// Collects lines.
pub(super) struct Writer<'a, 's> {
    comments: &'a [Comment<'s>],
    /// The code of all lines.
    text: String,
    lines: Vec<Line>,
    column: usize,
    /// Is there to be a blank line in front of the next one?
    wants_blank: bool,
}

impl<'a, 's> Writer<'a, 's> {
    pub(super) fn new(comments: &'a [Comment<'s>]) -> Self {
        Writer { comments, text: String::new(), lines: Vec::new(), column: 0, wants_blank: false }
    }

    /// Where the next text goes, from 0.
    pub(super) fn column(&self) -> usize {
        self.column
    }

    /// Is there no line yet?
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Begins a line, behind so many blank ones.
    pub(super) fn line(&mut self, indent: usize, n_blank: usize) {
        self.close();
        let wanted = usize::from(std::mem::take(&mut self.wants_blank));
        if !self.is_empty() {
            for _ in 0..n_blank.max(wanted) {
                self.lines.push(Line { start: self.text.len(), width: 0, trailing: 0..0 });
            }
        }
        self.lines.push(Line { start: self.text.len(), width: 0, trailing: 0..0 });
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }

    /// Puts at least one blank line in front of the next line.
    pub(super) fn want_blank(&mut self) {
        self.wants_blank = true;
    }

    /// Is there to be a blank line in front of the next line?
    pub(super) fn wants_blank(&self) -> bool {
        self.wants_blank
    }

    fn close(&mut self) {
        if let Some(line) = self.lines.last_mut() {
            line.width = self.column;
        }
    }

    /// Adds to the line.
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.column = column_behind(self.column, text);
    }

    /// Adds blanks to the line.
    pub(super) fn pad(&mut self, n: usize) {
        self.text.extend(std::iter::repeat_n(' ', n));
        self.column += n;
    }

    /// Adds a comment to the line, behind which the line goes on.
    pub(super) fn comment(&mut self, idx: usize) {
        let comment = &self.comments[idx];
        let text = moved(comment.text, comment.column, self.column);
        self.push(&text);
    }

    /// Puts a comment at the end of the line.
    pub(super) fn trailing(&mut self, idx: usize) {
        if let Some(line) = self.lines.last_mut() {
            if line.trailing.is_empty() {
                line.trailing = idx..idx + 1;
            } else {
                line.trailing.end = idx + 1;
            }
        }
    }

    /// The column of the source in which the comments at the end of this line began; `None` without any.
    pub(super) fn trailing_column(&self) -> Option<usize> {
        let trailing = &self.lines.last()?.trailing;
        (!trailing.is_empty()).then(|| self.comments[trailing.start].column)
    }

    /// The text; every line ends with a line break.
    pub(super) fn finish(mut self) -> String {
        self.close();
        let mut out = String::with_capacity(self.text.len() + self.text.len() / 4);
        let mut done = 0;
        while done < self.lines.len() {
            let group = self.group(done);
            let column = self.column_of(group.clone());
            for idx in group.clone() {
                self.put(idx, column, &mut out);
            }
            done = group.end;
        }
        out
    }

    /// The lines from `first` on whose comments began in one column; at least one.
    fn group(&self, first: usize) -> Range<usize> {
        let column = |line: &Line| {
            (!line.trailing.is_empty()).then(|| self.comments[line.trailing.start].column)
        };
        let shared = column(&self.lines[first]);
        let more = self.lines[first + 1..].iter();
        let more = more.take_while(|line| shared.is_some() && column(line) == shared).count();
        first..first + 1 + more
    }

    /// Where the comments of a group go.
    fn column_of(&self, group: Range<usize>) -> usize {
        let lines = &self.lines[group];
        let least = lines.iter().map(|line| line.width + usize::from(line.width > 0)).max();
        let least = least.unwrap_or(0);
        if lines[0].trailing.is_empty() {
            return least;
        }
        let first = &self.comments[lines[0].trailing.start];
        let wanted = if lines.len() == 1 && first.breaks == 0 && first.blanks <= CLOSE {
            lines[0].width + first.blanks
        } else {
            first.column
        };
        let widest = lines.iter().map(|line| self.width_of(line.trailing.clone())).max();
        // Rather moved to the left than beyond the end of the line.
        wanted.min(WIDTH.saturating_sub(widest.unwrap_or(0))).max(least)
    }

    /// Columns that comments at the end of a line take.
    fn width_of(&self, trailing: Range<usize>) -> usize {
        let texts = self.comments[trailing].iter().map(|comment| comment.text);
        texts.map(|text| 1 + text.lines().next().unwrap_or_default().chars().count()).sum::<usize>()
            - 1
    }

    fn put(&self, idx: usize, column: usize, out: &mut String) {
        let line = &self.lines[idx];
        let end = self.lines.get(idx + 1).map_or(self.text.len(), |next| next.start);
        out.push_str(self.text[line.start..end].trim_end_matches(' '));
        let mut at = line.width;
        for idx in line.trailing.clone() {
            let comment = &self.comments[idx];
            let to = if idx == line.trailing.start { column } else { at + 1 };
            out.extend(std::iter::repeat_n(' ', to.saturating_sub(at)));
            let text = moved(comment.text, comment.column, to);
            out.push_str(&text);
            at = column_behind(to, &text);
        }
        out.push('\n');
    }
}

/// The text of a comment that moves from one column to another: its further lines move with it if all
/// of them can, so that they stand as before below the first one.
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
