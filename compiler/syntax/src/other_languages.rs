//! Ranges and `return` of other languages, and what to write instead.

use star_base::{Code, Diagnostic, Span};

use crate::prepass::Spanned;
use crate::state::{State, begins_item};
use crate::token::Token;

impl State<'_> {
    /// Reports `1:3` or `1..3` as the bounds of a loop, or as an index. `at` is the sign.
    pub(crate) fn range(
        &self,
        token: Option<Token>,
        at: Span,
        expects: &impl Fn(&str) -> bool,
    ) -> Option<Diagnostic> {
        if !matches!(token?, Token::Colon | Token::Dots) {
            return None;
        }
        let idx = self.tokens.partition_point(|&(start, ..)| start < at.start);
        let found = &self.text[at.range()];
        let error = |message| Diagnostic::at(Code::UnexpectedToken, at, message);
        let Some(before_open) = self.before_open(idx) else {
            let in_loop = expects("to") && expects("downto");
            return in_loop.then(|| {
                let is_space = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
                let bytes = self.text.as_bytes();
                let before = if is_space(bytes[..at.start as usize].last()) { "" } else { " " };
                let after = if is_space(bytes[at.end as usize..].first()) { "" } else { " " };
                error(format!("unexpected `{found}` between the bounds of a loop")).fix(
                    "write `to`",
                    at,
                    format!("{before}to{after}"),
                )
            });
        };
        let is_argument = expects(")") && expects(",");
        match before_open {
            Token::Name if is_argument => Some(
                error(format!("unexpected `{found}` in an index")).here("there are no ranges").help(
                    "`TRIM(i,j,w)` is the part of the word w from i to j; `MASK(X,i,j)` has ones \
                        from i to j, as in `Y := X and MASK(X,1,2)`",
                ),
            ),
            Token::Slice | Token::Word | Token::Table if expects(")") => Some(
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
