//! The tokens of a text as they are to be printed, what stands between them, and how wide they are on
//! one line.

use std::borrow::Cow;
use std::ops::Range;

use star_syntax::token::Token;

/// Columns between two stops of a tab.
const TAB: usize = 8;

/// A comment.
#[derive(Clone, Copy)]
pub(super) struct Comment<'s> {
    /// With its signs; without blanks at its end.
    pub(super) text: &'s str,
    /// Where it begins in the source, from 0.
    pub(super) column: usize,
    /// Line breaks between it and what stands before it.
    pub(super) breaks: usize,
    /// Columns between it and what stands before it, if that is on its line.
    pub(super) blanks: usize,
}

impl Comment<'_> {
    /// Does a line break stand in front of it or in it?
    pub(super) fn breaks_lines(&self) -> bool {
        self.breaks > 0 || self.text.contains('\n')
    }
}

/// What stands between two tokens.
pub(super) struct Gap {
    /// Comments, by index.
    pub(super) comments: Range<usize>,
    /// Line breaks between the last comment, or the token before, and the next token.
    pub(super) breaks: usize,
}

/// A token.
pub(super) struct Tok<'s> {
    pub(super) token: Token,
    /// The byte at which it stands.
    pub(super) at: usize,
    /// As it stands there.
    pub(super) source: &'s str,
    /// As it is to be printed.
    pub(super) text: Cow<'s, str>,
    /// Where it begins in the source, from 0.
    pub(super) column: usize,
    /// What stands in front of it.
    pub(super) gap: Gap,
}

/// The tokens of a part of a text; see Note [Parts] in `parts.rs`.
pub(super) struct Tokens<'s> {
    pub(super) toks: Vec<Tok<'s>>,
    pub(super) comments: Vec<Comment<'s>>,
    /// Does the routine go on whose first tokens stand in the part before?
    pub(super) goes_on: bool,
    /// What stands behind the last token of the text, if this is its last part.
    pub(super) end: Option<Gap>,
    /// Where each token begins if all of them stand on one line.
    starts: Vec<usize>,
    widths: Vec<usize>,
    /// How many of the gaps in front of the tokens up to this one hold a line break.
    breaks: Vec<usize>,
    /// Likewise those that hold comments and a line break.
    forced: Vec<usize>,
}

impl<'s> Tokens<'s> {
    pub(super) fn new(goes_on: bool) -> Self {
        let (toks, comments, end) = Default::default();
        let (starts, widths, breaks, forced) = Default::default();
        Tokens { toks, comments, goes_on, end, starts, widths, breaks, forced }
    }

    /// Adds comments, and says that they are a gap.
    pub(super) fn gap(&mut self, comments: &[Comment<'s>], breaks: usize) -> Gap {
        let first = self.comments.len();
        self.comments.extend(comments);
        Gap { comments: first..self.comments.len(), breaks }
    }

    /// Finds out how wide the tokens are as they are spelled.
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

    /// The columns that these tokens take on one line, without what stands in front of the first.
    pub(super) fn width(&self, first: usize, last: usize) -> usize {
        self.starts[last] + self.widths[last] - self.starts[first]
    }

    /// Columns between the token and the one before it, on one line.
    pub(super) fn gap_width(&self, idx: usize) -> usize {
        self.starts[idx] - self.starts[idx - 1] - self.widths[idx - 1]
    }

    /// Do all these tokens stand on one line of the source?
    pub(super) fn on_one_line(&self, first: usize, last: usize) -> bool {
        self.breaks[last] == self.breaks[first]
    }

    /// Is there a comment between these tokens that ends a line, or begins or holds one?
    pub(super) fn has_line_comment(&self, first: usize, last: usize) -> bool {
        self.forced[last] != self.forced[first]
    }

    /// Is there a line break in front of the token?
    pub(super) fn begins_line(&self, idx: usize) -> bool {
        idx == 0 || self.breaks[idx] != self.breaks[idx - 1]
    }

    /// The line breaks behind a comment in a gap.
    pub(super) fn breaks_behind(&self, gap: &Gap, comment: usize) -> usize {
        let next = comment + 1;
        if next < gap.comments.end { self.comments[next].breaks } else { gap.breaks }
    }

    /// Does a blank stand in front of the nth comment before the token?
    pub(super) fn space_before_comment(&self, idx: usize, nth: usize) -> bool {
        let before = idx.checked_sub(1).map(|before| self.toks[before].token);
        nth > 0 || !matches!(before, Some(Token::Open))
    }

    /// Does a blank stand between the comments before the token and the token?
    pub(super) fn space_behind_comment(&self, idx: usize) -> bool {
        !matches!(self.toks[idx].token, Token::Close | Token::Comma | Token::Semicolon)
    }

    /// Does a blank stand in front of this token where no comment does?
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
            | Token::Dot
            | Token::Colon
            | Token::Assign
            | Token::Differs
            | Token::AtMost
            | Token::Less
            | Token::AtLeast
            | Token::Greater
            | Token::Plus
            | Token::Times => false,
            // `const N = 5;`
            Token::Equals => declares(idx.checked_sub(2)),
            Token::Minus if is_operand_end(&before.token) => false,
            Token::Open if is_called(&before.token) => false,
            _ => match before.token {
                Token::Open
                | Token::Comma
                | Token::Dot
                | Token::Assign
                | Token::Differs
                | Token::AtMost
                | Token::Less
                | Token::AtLeast
                | Token::Greater
                | Token::Plus
                | Token::Minus
                | Token::Times => false,
                Token::Equals => declares(idx.checked_sub(3)),
                Token::Not => before.text != "¬",
                _ => true,
            },
        }
    }
}

/// The column behind a text that begins in a column.
pub(super) fn column_behind(column: usize, text: &str) -> usize {
    text.chars().fold(column, |column, c| match c {
        '\n' => 0,
        '\t' => column + TAB - column % TAB,
        '\u{feff}' => column,
        _ => column + 1,
    })
}

/// Columns of the first line of a text.
fn first_line(text: &str) -> usize {
    text.lines().next().unwrap_or_default().chars().count()
}

/// Can the token end an operand, so that a minus behind it is one between two?
fn is_operand_end(token: &Token) -> bool {
    matches!(
        token,
        Token::Name
            | Token::Number
            | Token::Bits
            | Token::Str
            | Token::True
            | Token::False
            | Token::Theta
            | Token::Close
    )
}

/// Do parentheses behind the token belong to it?
fn is_called(token: &Token) -> bool {
    matches!(token, Token::Name | Token::Word | Token::Slice | Token::Table)
}

/// Keywords in lower case, every assignment as `:=`, everything else as it stands.
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
        // `WORD(i,h)`: no type, but the built-in.
        Token::Word if !matches!(before, Some(Token::Colon)) => Cow::Borrowed(text),
        Token::Not if text == "¬" => Cow::Borrowed(text),
        _ if text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            Cow::Owned(text.to_ascii_lowercase())
        }
        _ => Cow::Borrowed(text),
    }
}
