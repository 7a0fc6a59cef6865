//! Ranges and `return` of other languages, and what to write instead.

use star_base::{Code, Diagnostic, Span};

use crate::errors::begins_statements;
use crate::prepass::Spanned;
use crate::state::{State, begins_item};
use crate::token::Token;

impl State<'_> {
    /// Reports `1:3` or `1..3` as the bounds of a loop, or as an index. `at` is the `:` or a dot.
    pub(crate) fn range(
        &self,
        token: Option<Token>,
        at: Span,
        expects: &impl Fn(&str) -> bool,
    ) -> Option<Diagnostic> {
        let idx = self.tokens.partition_point(|&(start, ..)| start < at.start);
        let (before, after) = (self.tokens[..idx].last(), self.tokens.get(idx + 1));
        let (start, end) = match (token?, before, after) {
            (Token::Colon, ..) => (at.start, at.end),
            (Token::Dot, _, Some(&(start, Token::Dot, end))) if start == at.end => (at.start, end),
            // The first dot after a name may have been that of a part.
            (Token::Dot, Some(&(start, Token::Dot, end)), _) if end == at.start => (start, at.end),
            _ => return None,
        };
        let span = self.span(start, end);
        let found = &self.text[span.range()];
        let error = |message| Diagnostic::at(Code::UnexpectedToken, span, message);
        let is_part = start < at.start;
        let Some(before_open) = self.before_open(idx) else {
            let in_loop = expects("to") && expects("downto") || is_part && self.is_in_for(idx);
            return in_loop.then(|| {
                let is_space = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
                let bytes = self.text.as_bytes();
                let before = if is_space(bytes[..start as usize].last()) { "" } else { " " };
                let after = if is_space(bytes[end as usize..].first()) { "" } else { " " };
                error(format!("unexpected `{found}` between the bounds of a loop")).fix(
                    "write `to`",
                    span,
                    format!("{before}to{after}"),
                )
            });
        };
        let is_argument = expects(")") && expects(",") || is_part;
        match before_open {
            Token::Name if is_argument => Some(
                error(format!("unexpected `{found}` in an index")).here("there are no ranges").help(
                    "`TRIM(i,j,w)` is the part of the word w from i to j; `MASK(X,i,j)` has ones \
                        from i to j, as in `Y := X and MASK(X,1,2)`",
                ),
            ),
            Token::Slice | Token::Word | Token::Table if expects(")") || is_part => Some(
                error(format!("unexpected `{found}` in a size"))
                    .help("a size is a number, and components count from 1: `word(8)`"),
            ),
            _ => None,
        }
    }

    /// Returns the token before the parenthesis that is open before token `idx`.
    fn before_open(&self, idx: usize) -> Option<Token> {
        let mut n_closed = 0;
        let statement = self.tokens[..idx].iter().rev();
        let mut tokens = statement.take_while(|(_, token, _)| *token != Token::Begin);
        tokens.find(|(_, token, _)| {
            match token {
                Token::Close => n_closed += 1,
                Token::Open if n_closed == 0 => return true,
                Token::Open => n_closed -= 1,
                _ => {}
            }
            false
        })?;
        tokens.next().map(|(_, token, _)| *token)
    }

    /// Returns whether token `idx` is in the head of a loop that counts.
    fn is_in_for(&self, idx: usize) -> bool {
        let head = self.tokens[..idx].iter().rev().map(|(_, token, _)| *token);
        head.take_while(|token| !begins_statements(*token)).any(|token| token == Token::For)
    }

    /// Returns what to write instead of `return` and a value.
    pub(crate) fn returned(&self, before: Option<Spanned>) -> Option<String> {
        let (start, Token::Name, end) = before? else { return None };
        if !self.text[start as usize..end as usize].eq_ignore_ascii_case("return") {
            return None;
        }
        let idx = self.tokens.partition_point(|&(at, ..)| at < start);
        let routine = self.tokens[..idx].iter().rposition(|(_, token, _)| begins_item(token))?;
        match (self.tokens[routine].1, self.tokens.get(routine + 1)) {
            (Token::Function, Some(&(start, Token::Name, end))) => {
                let name = &self.text[start as usize..end as usize];
                Some(format!(
                    "a function returns what is assigned to its name: `{name} := …`; `exit` leaves it"
                ))
            }
            _ => Some(
                "only a function has a value; other results are assigned to `var` parameters, and \
                    `exit` leaves the routine"
                    .to_owned(),
            ),
        }
    }
}
