//! Text between tokens: spaces, line breaks, comments.

use super::layout::Layout;
use super::tokens::Gap;
use super::writer::WIDTH;

/// The blank lines that may remain in a gap.
#[derive(Clone, Copy)]
pub(super) struct Blanks {
    /// Before the first comment.
    first: usize,
    /// Between comments.
    between: usize,
    /// Before the token.
    last: usize,
}

/// Before the first statement of a block.
pub(super) const AT_START: Blanks = Blanks { first: 0, between: 1, last: 1 };
/// Before a token that ends a block or continues a statement.
pub(super) const AT_END: Blanks = Blanks { first: 1, between: 1, last: 0 };
/// Between statements and between variables.
pub(super) const INSIDE: Blanks = Blanks { first: 1, between: 1, last: 1 };
/// Between items.
pub(super) const OUTSIDE: Blanks = Blanks { first: 2, between: 2, last: 2 };

impl Layout<'_, '_> {
    /// Prints the token, without anything before it.
    pub(super) fn token(&mut self, idx: usize) {
        debug_assert_eq!(self.columns.len(), idx, "every token is printed once");
        self.columns.push(self.writer.column());
        self.writer.push(&self.tokens.toks[idx].text);
    }

    /// Prints the token on this line. Comments before it stay; where they end a line, the next one
    /// is indented by `indent`.
    pub(super) fn token_behind(&mut self, idx: usize, indent: usize) {
        let gap = &self.tokens.toks[idx].gap;
        let (mut fresh, from) = (false, gap.comments.start);
        for comment in gap.comments.clone() {
            if self.tokens.comments[comment].breaks > 0 {
                self.comment_on_line(gap, comment, indent, 0);
                fresh = true;
            } else if !fresh && self.tokens.breaks_behind(gap, comment) > 0 {
                self.writer.trailing(self.tokens.comments[comment]);
            } else {
                if self.tokens.space_before_comment(idx, comment - from) {
                    self.writer.pad(1);
                }
                self.writer.comment(self.tokens.comments[comment]);
            }
        }
        if gap.comments.is_empty() {
            if self.tokens.space_before(idx) {
                self.writer.pad(1);
            }
        } else if gap.breaks > 0 {
            self.writer.line(indent, 0);
        } else if self.tokens.space_behind_comment(idx) {
            self.writer.pad(1);
        }
        self.token(idx);
    }

    /// Prints the tokens up to `last` on this line.
    pub(super) fn tokens_behind(&mut self, last: usize, indent: usize) {
        while self.columns.len() <= last {
            self.token_behind(self.columns.len(), indent);
        }
    }

    /// Begins the line of the token without printing the token. Comments before it are indented by
    /// `of_comments`.
    pub(super) fn line_of(
        &mut self,
        idx: usize,
        indent: usize,
        of_comments: usize,
        blanks: Blanks,
    ) {
        let gap = &self.tokens.toks[idx].gap;
        let on_line = self.comments_on_lines(gap, of_comments, blanks);
        if on_line && gap.breaks == 0 {
            self.writer.pad(1);
            return;
        }
        let most = if gap.comments.is_empty() { blanks.first } else { blanks.between };
        self.writer.line(indent, gap.breaks.saturating_sub(1).min(most).min(blanks.last));
    }

    /// Prints comments: those after a token at the end of its line, the others on separate lines.
    /// Returns whether one is on a separate line.
    pub(super) fn comments_on_lines(&mut self, gap: &Gap, indent: usize, blanks: Blanks) -> bool {
        let mut on_line = self.writer.is_empty();
        let mut most = blanks.first;
        for comment in gap.comments.clone() {
            let breaks = self.tokens.comments[comment].breaks;
            if breaks > 0 || self.writer.is_empty() {
                self.comment_on_line(gap, comment, indent, breaks.saturating_sub(1).min(most));
                on_line = true;
            } else if on_line {
                self.writer.pad(1);
                self.writer.comment(self.tokens.comments[comment]);
            } else {
                self.writer.trailing(self.tokens.comments[comment]);
            }
            most = blanks.between;
        }
        on_line && !gap.comments.is_empty()
    }

    /// Prints a comment on a separate line. A comment below one at the end of a line, in the same
    /// column, continues that one.
    fn comment_on_line(&mut self, gap: &Gap, comment: usize, indent: usize, n_blank: usize) {
        let column = self.tokens.comments[comment].column;
        let goes_on = self.tokens.comments[comment].breaks == 1
            && self.tokens.breaks_behind(gap, comment) > 0
            && !self.writer.wants_blank()
            && column > indent
            && self.writer.trailing_column() == Some(column);
        if goes_on {
            self.writer.line(0, 0);
            self.writer.trailing(self.tokens.comments[comment]);
        } else {
            self.writer.line(indent, n_blank);
            self.writer.comment(self.tokens.comments[comment]);
        }
    }

    /// Returns whether these tokens fit on this line, if the first is next.
    pub(super) fn fits(&self, first: usize, last: usize, gap: usize) -> bool {
        self.writer.column() + gap + self.tokens.width(first, last) <= WIDTH
    }
}
