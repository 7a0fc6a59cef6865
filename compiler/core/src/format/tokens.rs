//! The tokens of a text as printed, the gaps between them, and their widths on one line.

use std::borrow::Cow;
use std::ops::Range;

use star_syntax::token::Token;

/// Distance between tab stops in columns.
const TAB: usize = 8;

/// A comment.
#[derive(Clone, Copy)]
pub(super) struct Comment<'s> {
    /// With its delimiters; without trailing spaces.
    pub(super) text: &'s str,
    /// Its column in the source, from 0.
    pub(super) column: usize,
    /// Line breaks between it and the preceding text.
    pub(super) breaks: usize,
    /// Columns between it and the preceding text, if that is on the same line.
    pub(super) blanks: usize,
}

impl Comment<'_> {
    /// Returns whether a line break precedes it or is in it.
    pub(super) fn breaks_lines(&self) -> bool {
        self.breaks > 0 || self.text.contains('\n')
    }
}

/// The gap between two tokens.
pub(super) struct Gap {
    /// Comments, by index.
    pub(super) comments: Range<usize>,
    /// Line breaks between the last comment, or the preceding token, and the next token.
    pub(super) breaks: usize,
}

/// A token.
pub(super) struct Tok<'s> {
    pub(super) token: Token,
    /// The byte at which it begins.
    pub(super) at: usize,
    /// Its text in the source.
    pub(super) source: &'s str,
    /// Its text as printed.
    pub(super) text: Cow<'s, str>,
    /// Its column in the source, from 0.
    pub(super) column: usize,
    /// The gap before it.
    pub(super) gap: Gap,
}

/// The tokens of a part of a text; see Note [Parts] in `parts.rs`.
pub(super) struct Tokens<'s> {
    pub(super) toks: Vec<Tok<'s>>,
    pub(super) comments: Vec<Comment<'s>>,
    /// Does this part continue a routine of the preceding part?
    pub(super) goes_on: bool,
    /// The gap after the last token of the text, if this is its last part.
    pub(super) end: Option<Gap>,
    /// The column of each token if all were on one line.
    starts: Vec<usize>,
    widths: Vec<usize>,
    /// The number of gaps with a line break before each token.
    breaks: Vec<usize>,
    /// The number of gaps with comments and a line break before each token.
    forced: Vec<usize>,
}

impl<'s> Tokens<'s> {
    pub(super) fn new(goes_on: bool) -> Self {
        let (toks, comments, end) = Default::default();
        let (starts, widths, breaks, forced) = Default::default();
        Tokens { toks, comments, goes_on, end, starts, widths, breaks, forced }
    }

    /// Adds comments and returns them as a gap.
    pub(super) fn gap(&mut self, comments: &[Comment<'s>], breaks: usize) -> Gap {
        let first = self.comments.len();
        self.comments.extend(comments);
        Gap { comments: first..self.comments.len(), breaks }
    }

    /// Computes the widths of the tokens in their new spelling.
    pub(super) fn measure(&mut self) {
        let (mut at, mut breaks, mut forced) = (0, 0, 0);
        for (idx, tok) in self.toks.iter().enumerate() {
            let comments = &self.comments[tok.gap.comments.clone()];
            at += match comments {
                [] => usize::from(self.space_before(idx)),
                _ => {
                    let before =
                        (0..comments.len()).filter(|&nth| self.space_before_comment(idx, nth));
                    let widths = comments.iter().map(|comment| first_line(comment.text));
                    before.count()
                        + widths.sum::<usize>()
                        + usize::from(self.space_behind_comment(idx))
                }
            };
            let in_comments = comments.iter().any(Comment::breaks_lines);
            breaks += usize::from(tok.gap.breaks > 0 || in_comments);
            let any = in_comments || tok.gap.breaks > 0 && !comments.is_empty();
            forced += usize::from(any);
            self.starts.push(at);
            let width = tok.text.chars().count();
            self.widths.push(width);
            at += width;
            self.breaks.push(breaks);
            self.forced.push(forced);
        }
    }

    /// Returns the width of these tokens on one line, without the gap before the first.
    pub(super) fn width(&self, first: usize, last: usize) -> usize {
        self.starts[last] + self.widths[last] - self.starts[first]
    }

    /// Returns the columns between the token and the preceding one, on one line.
    pub(super) fn gap_width(&self, idx: usize) -> usize {
        self.starts[idx] - self.starts[idx - 1] - self.widths[idx - 1]
    }

    /// Returns whether all these tokens are on one line of the source.
    pub(super) fn on_one_line(&self, first: usize, last: usize) -> bool {
        self.breaks[last] == self.breaks[first]
    }

    /// Returns whether a comment between these tokens ends, begins or spans a line.
    pub(super) fn has_line_comment(&self, first: usize, last: usize) -> bool {
        self.forced[last] != self.forced[first]
    }

    /// Returns whether a line break precedes the token.
    pub(super) fn begins_line(&self, idx: usize) -> bool {
        idx == 0 || self.breaks[idx] != self.breaks[idx - 1]
    }

    /// Returns the line breaks after a comment in a gap.
    pub(super) fn breaks_behind(&self, gap: &Gap, comment: usize) -> usize {
        let next = comment + 1;
        if next < gap.comments.end { self.comments[next].breaks } else { gap.breaks }
    }

    /// Returns whether a space precedes the nth comment before the token.
    pub(super) fn space_before_comment(&self, idx: usize, nth: usize) -> bool {
        let before = idx.checked_sub(1).map(|before| self.toks[before].token);
        nth > 0 || !matches!(before, Some(Token::Open | Token::OpenBracket))
    }

    /// Returns whether a space separates the comments before the token from the token.
    pub(super) fn space_behind_comment(&self, idx: usize) -> bool {
        !matches!(
            self.toks[idx].token,
            Token::Close | Token::CloseBracket | Token::Comma | Token::Semicolon
        )
    }

    fn begins_record(&self, idx: usize) -> bool {
        self.toks.get(idx).is_some_and(|tok| tok.token == Token::Record)
    }

    /// Returns whether a space precedes this token if no comment does.
    pub(super) fn space_before(&self, idx: usize) -> bool {
        let Some(before) = idx.checked_sub(1) else { return false };
        let (before, next) = (&self.toks[before], &self.toks[idx]);
        let declares = |at: Option<usize>| {
            at.is_some_and(|at| matches!(self.toks[at].token, Token::Const | Token::Import))
        };
        match next.token {
            Token::Semicolon
            | Token::Comma
            | Token::Close
            | Token::CloseBracket
            | Token::Dot
            | Token::Dots
            | Token::Colon
            | Token::Assign
            | Token::Differs
            | Token::AtMost
            | Token::Less
            | Token::AtLeast
            | Token::Greater
            | Token::Plus
            | Token::PlusBar
            | Token::Times => false,
            // `const N = 5;`, `type R = record`
            Token::Equals => declares(idx.checked_sub(2)) || self.begins_record(idx + 1),
            Token::Minus if is_operand_end(&before.token) => false,
            Token::Open if is_called(&before.token) => false,
            Token::OpenBracket if is_indexed(&before.token) => false,
            _ => match before.token {
                Token::Open
                | Token::OpenBracket
                | Token::Comma
                | Token::Dot
                | Token::Dots
                | Token::Assign
                | Token::Differs
                | Token::AtMost
                | Token::Less
                | Token::AtLeast
                | Token::Greater
                | Token::Plus
                | Token::PlusBar
                | Token::Minus
                | Token::Times => false,
                Token::Equals => declares(idx.checked_sub(3)) || self.begins_record(idx),
                Token::Not => before.text != "¬",
                _ => true,
            },
        }
    }
}

/// Returns the column after a text that begins in the given column.
pub(super) fn column_behind(column: usize, text: &str) -> usize {
    text.chars().fold(column, |column, c| match c {
        '\n' => 0,
        '\t' => column + TAB - column % TAB,
        '\u{feff}' => column,
        _ => column + 1,
    })
}

/// Returns the width of the first line of a text.
fn first_line(text: &str) -> usize {
    text.lines().next().unwrap_or_default().chars().count()
}

/// Returns whether the token can end an operand, so that a following minus is binary.
fn is_operand_end(token: &Token) -> bool {
    token.is_operand() || matches!(token, Token::Close | Token::CloseBracket)
}

/// Returns whether parentheses after the token belong to it.
fn is_called(token: &Token) -> bool {
    matches!(token, Token::Name | Token::Word | Token::Slice | Token::Table | Token::CloseBracket)
}

/// Returns whether brackets after the token belong to it.
fn is_indexed(token: &Token) -> bool {
    matches!(token, Token::Name | Token::Close | Token::CloseBracket | Token::Array)
}

/// Returns keywords in lower case, every assignment as `:=`, and everything else unchanged.
pub(super) fn published<'s>(before: Option<Token>, token: Token, text: &'s str) -> Cow<'s, str> {
    match token {
        Token::Name
        | Token::Reserved
        | Token::Number
        | Token::Bits
        | Token::Str
        | Token::Theta
        | Token::Differs
        | Token::Comment => Cow::Borrowed(text),
        Token::Assign => Cow::Borrowed(":="),
        // `WORD(i,h)`: the built-in, not the type.
        Token::Word if !matches!(before, Some(Token::Colon)) => Cow::Borrowed(text),
        Token::Not if text == "¬" => Cow::Borrowed(text),
        _ if text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            Cow::Owned(text.to_ascii_lowercase())
        }
        _ => Cow::Borrowed(text),
    }
}
