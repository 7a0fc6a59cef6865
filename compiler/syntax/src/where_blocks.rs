//! Wording of syntax errors in blocks of selected rows, `where c do … elsewhere … end`.

use star_base::{Code, Diagnostic, Span};

use crate::prepass::Spanned;
use crate::state::{State, begins_item};
use crate::token::Token;

impl State<'_> {
    /// Reports an `elsewhere` or `do` that does not fit its `where`, and a `where` without `end`.
    pub(crate) fn unexpected_in_where(
        &self,
        token: Option<Token>,
        span: Span,
        before: Option<Spanned>,
        expects: &impl Fn(&str) -> bool,
    ) -> Option<Diagnostic> {
        let error = |span, message: &str| Diagnostic::at(Code::UnexpectedToken, span, message);
        match token {
            Some(Token::Do) if matches!(before, Some((_, Token::Elsewhere, _))) => {
                let rest = &self.text[span.end as usize..];
                let n_blanks = rest.len() - rest.trim_start_matches(' ').len();
                let word = Span::new(self.file, span.start, span.end + n_blanks as u32);
                let message = "an `elsewhere` without a condition has no `do`";
                Some(error(span, message).fix("remove `do`", word, ""))
            }
            Some(Token::Elsewhere) => {
                let Some(first) = self.plain_elsewhere(span.start) else {
                    let open = self.last_open_block(span.start);
                    let is_where = matches!(open, Some((Token::WhereBlock, _)));
                    let help = "one `end` follows all parts: `where c do … elsewhere … end`";
                    let diagnostic = error(span, "`elsewhere` without `where`").help(help);
                    return (!is_where).then_some(diagnostic);
                };
                let message = "the `elsewhere` without a condition must be the last one";
                Some(
                    error(first, message)
                        .label(span, "another part follows here")
                        .help("write `elsewhere c do …` with a condition here"),
                )
            }
            None | Some(Token::Dot) if expects("end") || expects(";") => self.unended_where(span),
            _ => None,
        }
    }

    /// Returns the `elsewhere` without a condition of the `where` that is open at byte `at`.
    fn plain_elsewhere(&self, at: u32) -> Option<Span> {
        let idx = self.tokens.partition_point(|&(_, _, end)| end <= at);
        let (mut closed, mut has_do) = (0, false);
        for &(start, token, end) in self.tokens[..idx].iter().rev() {
            match token {
                _ if begins_item(&token) => return None,
                Token::End | Token::Until => closed += 1,
                Token::Begin | Token::Repeat | Token::WhereBlock if closed > 0 => closed -= 1,
                Token::Begin | Token::Repeat | Token::WhereBlock => return None,
                Token::Do => has_do |= closed == 0,
                // The `do` of a loop is that of no part.
                Token::While | Token::For | Token::Foreach | Token::Forall => has_do &= closed > 0,
                Token::Elsewhere if closed == 0 => {
                    return (!has_do).then(|| self.span(start, end));
                }
                _ => {}
            }
        }
        None
    }

    /// Reports a `where` that takes the `end` of the block around it, by the layout of the text.
    fn unended_where(&self, at: Span) -> Option<Diagnostic> {
        let idx = self.tokens.partition_point(|&(start, ..)| start < at.start);
        let before = &self.tokens[..idx];
        let first = before.iter().rposition(|(_, token, _)| begins_item(token)).unwrap_or(0);
        let mut open: Vec<(Token, u32, u32)> = Vec::new();
        let mut last_end = None;
        for &(start, token, end) in &before[first..] {
            match token {
                Token::Begin | Token::Repeat | Token::WhereBlock => open.push((token, start, end)),
                Token::End | Token::Until => {
                    if let Some((Token::WhereBlock, begin, begin_end)) = open.pop()
                        && let (Some(column), Some(of_where)) =
                            (self.indent(start), self.line_indent(begin))
                        && column < of_where
                    {
                        let place = last_end.unwrap_or(start);
                        let place = self.span(place, place);
                        return Some(
                            Diagnostic::at(
                                Code::UnexpectedToken,
                                place,
                                "missing `end` of `where`",
                            )
                            .label(self.span(begin, begin_end), "this `where`")
                            .suggestion("write `end`", place, " end"),
                        );
                    }
                }
                _ => {}
            }
            last_end = Some(end);
        }
        None
    }

    /// Returns the column of byte `at`, if only blanks precede it in its line.
    fn indent(&self, at: u32) -> Option<usize> {
        let line = self.text[..at as usize].rsplit('\n').next()?;
        line.chars().all(char::is_whitespace).then(|| line.chars().count())
    }

    /// Returns the number of blanks at the beginning of the line of byte `at`.
    fn line_indent(&self, at: u32) -> Option<usize> {
        let line = self.text[..at as usize].rsplit('\n').next()?;
        Some(line.chars().take_while(|c| c.is_whitespace()).count())
    }
}
