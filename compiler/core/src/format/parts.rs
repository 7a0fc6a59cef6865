//! Division of a text into parts that are formatted one after another.
//!
//! Note [Parts]. The memory for formatting a part is freed before the next one is read, so that a
//! long text needs little more memory than itself. A part ends where the next token begins a line
//! in any case and no context is needed across the boundary: before a routine, before an import or
//! constant below a blank line, and within a routine where the author began a line after a
//! semicolon. A statement and its contents are therefore never divided.

use std::ops::Range;

use star_syntax::token::Token;

use super::tokens::{Comment, Gap, Tok, Tokens, column_behind, published};

/// The parts of a text without errors.
pub(super) struct Parts<'s, L> {
    text: &'s str,
    lexemes: L,
    place: Cursor,
    /// The minimum number of tokens of a part.
    least: usize,
    /// The last token.
    before: Option<Token>,
    /// The number of open blocks and `repeat` loops: zero between items, one between the statements
    /// of a routine.
    depth: usize,
    /// The next token, with the comments before it.
    next: Option<(Tok<'s>, Vec<Comment<'s>>)>,
    is_over: bool,
}

impl<'s, L: Iterator<Item = (Token, Range<usize>)>> Parts<'s, L> {
    /// Divides `text`, whose lexemes are `lexemes`, into parts of at least `least` tokens.
    pub(super) fn new(text: &'s str, lexemes: L, least: usize) -> Self {
        let place = Cursor { column: 0, at: 0 };
        let (before, depth, next, is_over) = Default::default();
        Parts { text, lexemes, place, least, before, depth, next, is_over }
    }

    /// Reads the next token, `None` at the end, with the comments before it, and the line breaks
    /// after these.
    fn read(&mut self) -> (Option<Tok<'s>>, Vec<Comment<'s>>, usize) {
        let mut comments = Vec::new();
        for (token, range) in self.lexemes.by_ref() {
            let (breaks, blanks) = self.place.go_to(self.text, range.start);
            let column = self.place.column;
            let source = &self.text[range.clone()];
            self.place.go_to(self.text, range.end);
            if token == Token::Comment {
                comments.push(Comment { text: source.trim_end(), column, breaks, blanks });
                continue;
            }
            let text = published(self.before, token, source);
            self.before = Some(token);
            let gap = Gap { comments: 0..comments.len(), breaks };
            let tok = Tok { token, at: range.start, source, text, column, gap };
            return (Some(tok), comments, breaks);
        }
        let (breaks, _) = self.place.go_to(self.text, self.text.len());
        (None, comments, breaks)
    }

    /// Returns whether a part may end between these two tokens.
    fn may_end(&self, before: Token, tok: &Tok<'s>, comments: &[Comment<'s>]) -> bool {
        let begins_line = || tok.gap.breaks > 0 || comments.iter().any(Comment::breaks_lines);
        match tok.token {
            Token::Proc | Token::Procedure | Token::Function | Token::Program => true,
            Token::Import | Token::Const | Token::Type => tok.gap.breaks > 1,
            _ => self.depth == 1 && before == Token::Semicolon && begins_line(),
        }
    }
}

impl<'s, L: Iterator<Item = (Token, Range<usize>)>> Iterator for Parts<'s, L> {
    type Item = Tokens<'s>;

    fn next(&mut self) -> Option<Tokens<'s>> {
        if self.is_over {
            return None;
        }
        let mut part = Tokens::new(self.depth > 0);
        loop {
            let (mut tok, comments) = match self.next.take() {
                Some(next) => next,
                None => {
                    let (tok, comments, breaks) = self.read();
                    let Some(tok) = tok else {
                        // The last line ends even if no line break follows it.
                        part.end = Some(part.gap(&comments, breaks.max(1)));
                        self.is_over = true;
                        return Some(part);
                    };
                    let before = part.toks.last().filter(|_| part.toks.len() >= self.least);
                    if before.is_some_and(|before| self.may_end(before.token, &tok, &comments)) {
                        self.next = Some((tok, comments));
                        return Some(part);
                    }
                    (tok, comments)
                }
            };
            match tok.token {
                Token::Begin | Token::Repeat | Token::WhereBlock => self.depth += 1,
                Token::End | Token::Until => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            tok.gap = part.gap(&comments, tok.gap.breaks);
            part.toks.push(tok);
        }
    }
}

/// A position in the source.
struct Cursor {
    column: usize,
    at: usize,
}

impl Cursor {
    /// Advances to byte `to`; returns the line breaks and the columns passed.
    fn go_to(&mut self, text: &str, to: usize) -> (usize, usize) {
        let (passed, before) = (&text[self.at..to], self.column);
        self.column = column_behind(before, passed);
        self.at = to;
        (passed.matches('\n').count(), self.column.saturating_sub(before))
    }
}
