//! The tokens of a text as they are to be printed, what stands between them, and how wide they are on
//! one line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use star_syntax::lexemes;
use star_syntax::token::Token;

/// Columns between two stops of a tab.
const TAB: usize = 8;

/// Spellings that differ from what stands in the text, by the byte at which it stands.
pub(super) type Changes = HashMap<usize, Cow<'static, str>>;

/// A comment.
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
    /// As it is to be printed.
    pub(super) text: Cow<'s, str>,
    /// Where it begins in the source, from 0.
    pub(super) column: usize,
    /// What stands in front of it.
    pub(super) gap: Gap,
}

/// The tokens of a text.
pub(super) struct Tokens<'s> {
    pub(super) toks: Vec<Tok<'s>>,
    pub(super) comments: Vec<Comment<'s>>,
    /// What stands behind the last token.
    pub(super) end: Gap,
    /// Where each token begins if all of them stand on one line.
    starts: Vec<usize>,
    widths: Vec<usize>,
    /// How many of the gaps in front of the tokens up to this one hold a line break.
    breaks: Vec<usize>,
    /// Likewise those that hold comments and a line break.
    forced: Vec<usize>,
}

impl<'s> Tokens<'s> {
    /// Cuts up a text without errors.
    pub(super) fn new(text: &'s str, mut changes: Changes) -> Self {
        let (mut toks, mut comments): (Vec<Tok<'s>>, Vec<Comment<'s>>) = (Vec::new(), Vec::new());
        let mut place = Cursor { column: 0, at: 0 };
        let mut first_comment = 0;
        for (token, range) in lexemes(text) {
            let (breaks, blanks) = place.go_to(text, range.start);
            let column = place.column;
            if matches!(token, Token::Comment) {
                let text = text[range.clone()].trim_end();
                comments.push(Comment { text, column, breaks, blanks });
            } else {
                let changed = changes.remove(&range.start);
                let before = toks.last().map(|tok| tok.token);
                let spelled =
                    changed.unwrap_or_else(|| published(before, token, &text[range.clone()]));
                let gap = Gap { comments: first_comment..comments.len(), breaks };
                first_comment = comments.len();
                toks.push(Tok { token, text: spelled, column, gap });
            }
            place.go_to(text, range.end);
        }
        let (breaks, _) = place.go_to(text, text.len());
        // The last line ends, whether a line break is written behind it or not.
        let end = Gap { comments: first_comment..comments.len(), breaks: breaks.max(1) };
        let (starts, widths, broken, forced) = Default::default();
        let mut tokens = Tokens { toks, comments, end, starts, widths, breaks: broken, forced };
        tokens.measure();
        tokens
    }

    fn measure(&mut self) {
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
            let in_comments = comments.iter().any(|one| one.breaks > 0 || one.text.contains('\n'));
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

/// A place in the source.
struct Cursor {
    column: usize,
    at: usize,
}

impl Cursor {
    /// Goes on to byte `to`; gives the line breaks and the columns passed.
    fn go_to(&mut self, text: &str, to: usize) -> (usize, usize) {
        let (passed, before) = (&text[self.at..to], self.column);
        self.column = column_behind(before, passed);
        self.at = to;
        (passed.matches('\n').count(), self.column.saturating_sub(before))
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
fn published<'s>(before: Option<Token>, token: Token, text: &'s str) -> Cow<'s, str> {
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
