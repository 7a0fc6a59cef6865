//! What the grammar's actions share: making nodes of bounded depth and wording syntax errors.

use std::collections::VecDeque;
use std::convert::Infallible;

use lalrpop_util::{ErrorRecovery, ParseError};
use star_base::{Code, Diagnostic, FileId, Span};

use crate::ast::*;
use crate::prepass::{Gap, Spanned, too_deep};
use crate::token::{LexError, Token, number_in, unquoted};

/// The greatest depth of a tree; see Note [Depth].
pub(crate) const MAX_DEPTH: u16 = 256;

pub(crate) struct State<'s> {
    file: FileId,
    text: &'s str,
    tokens: &'s [Spanned],
    gaps: &'s [Gap],
    pub(crate) diagnostics: Vec<Diagnostic>,
    reported_depth: bool,
    names: Names,
    /// What is being read, for messages about its end.
    pub(crate) whole: &'static str,
}

impl<'s> State<'s> {
    pub(crate) fn new(
        file: FileId,
        text: &'s str,
        tokens: &'s [Spanned],
        gaps: &'s [Gap],
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        State {
            file,
            text,
            tokens,
            gaps,
            diagnostics,
            reported_depth: false,
            names: Names::default(),
            whole: "routine",
        }
    }

    pub(crate) fn span(&self, start: u32, end: u32) -> Span {
        Span::new(self.file, start, end.max(start))
    }

    /// The text of a token between quotes, without these.
    pub(crate) fn unquoted(&self, start: u32, end: u32) -> &'s str {
        unquoted(self.text_of(start, end))
    }

    /// The number of a token; 0 if it is too large, of which a message tells.
    pub(crate) fn number(&self, start: u32, end: u32) -> u64 {
        number_in(self.text_of(start, end)).unwrap_or(0)
    }

    fn text_of(&self, start: u32, end: u32) -> &'s str {
        &self.text[start as usize..end as usize]
    }

    // ---- nodes ----

    /// A name.
    pub(crate) fn ident(&mut self, start: u32, end: u32) -> Ident {
        let name = self.names.intern(self.text_of(start, end));
        Ident { name, span: self.span(start, end) }
    }

    /// A number as the name of a place.
    pub(crate) fn label(&mut self, start: u32, end: u32) -> Ident {
        let name = self.names.intern(&self.number(start, end).to_string());
        Ident { name, span: self.span(start, end) }
    }

    /// Names with a hyphen between them.
    pub(crate) fn hyphenated(&mut self, first: Ident, last: Ident) -> Ident {
        let name = self.names.intern(&format!("{}-{}", first.name, last.name));
        Ident { name, span: first.span.to(last.span) }
    }

    /// An expression, or an error node if it would be too deep.
    pub(crate) fn expr(&mut self, start: u32, kind: ExprKind, end: u32) -> Expr {
        let depth = 1 + match &kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Bits(_)
            | ExprKind::Str(_)
            | ExprKind::Theta
            | ExprKind::Part(_) => 0,
            ExprKind::Ref(reference) => reference.depth(),
            ExprKind::Not(operand) | ExprKind::Neg(operand) => operand.depth,
            ExprKind::Chain(first, links) => {
                links.iter().map(|link| link.operand.depth).fold(first.depth, u16::max)
            }
            ExprKind::Compare(_, left, right) => left.depth.max(right.depth),
        };
        let span = self.span(start, end);
        if depth > MAX_DEPTH {
            self.report_depth(span);
            return Expr { kind: ExprKind::Error, span, depth: 0, parenthesised: false };
        }
        Expr { kind, span, depth, parenthesised: false }
    }

    pub(crate) fn chain(&mut self, (first, links): (Expr, Vec<Link>)) -> Expr {
        match links.last() {
            None => first,
            Some(last) => {
                let (start, end) = (first.span.start, last.operand.span.end);
                self.expr(start, ExprKind::Chain(Box::new(first), links.into_boxed_slice()), end)
            }
        }
    }

    pub(crate) fn negate(&mut self, start: u32, operand: Expr) -> Expr {
        let end = operand.span.end;
        self.expr(start, ExprKind::Neg(Box::new(operand)), end)
    }

    pub(crate) fn compare(&mut self, op: CompareOp, left: Expr, right: Expr) -> Expr {
        let (start, end) = (left.span.start, right.span.end);
        self.expr(start, ExprKind::Compare(op, Box::new(left), Box::new(right)), end)
    }

    /// A statement, or an error node if it would be too deep.
    pub(crate) fn stmt(&mut self, start: u32, kind: StmtKind, end: u32) -> Stmt {
        let deepest = |body: &[Stmt]| body.iter().map(|stmt| stmt.depth).max().unwrap_or(0);
        let depth = 1 + match &kind {
            StmtKind::Empty | StmtKind::Error | StmtKind::Goto(_) => 0,
            StmtKind::Block(body) => deepest(body),
            StmtKind::If { arms, otherwise } => arms
                .iter()
                .map(|(test, then)| test.depth.max(then.depth))
                .chain(otherwise.iter().map(|stmt| stmt.depth))
                .max()
                .unwrap_or(0),
            StmtKind::While { test, body } => test.depth.max(body.depth),
            StmtKind::Repeat { body, until } => deepest(body).max(until.depth),
            StmtKind::For { from, to, body, .. } => from.depth.max(to.depth).max(body.depth),
            StmtKind::Foreach { over, body, .. } => over.depth.max(body.depth),
            StmtKind::Assign { target, value, .. } => target.depth().max(value.depth),
            StmtKind::PutPart { target: _, assign: _, value } => value.depth,
            StmtKind::Call(target) => target.depth(),
            StmtKind::Labelled { body, .. } => body.depth,
        };
        let span = self.span(start, end);
        if depth > MAX_DEPTH {
            self.report_depth(span);
            return Stmt { kind: StmtKind::Error, span, depth: 0 };
        }
        Stmt { kind, span, depth }
    }

    /// `if`, with a following `else if` taken into the same list of arms.
    pub(crate) fn if_then(
        &mut self,
        start: u32,
        test: Expr,
        then: Stmt,
        otherwise: Option<Stmt>,
        end: u32,
    ) -> Stmt {
        match otherwise {
            Some(Stmt { kind: StmtKind::If { mut arms, otherwise }, depth, .. }) => {
                let depth = depth.max(1 + test.depth.max(then.depth));
                arms.push_front((test, then));
                let span = self.span(start, end);
                if depth > MAX_DEPTH {
                    self.report_depth(span);
                    return Stmt { kind: StmtKind::Error, span, depth: 0 };
                }
                Stmt { kind: StmtKind::If { arms, otherwise }, span, depth }
            }
            otherwise => {
                let arms = VecDeque::from([(test, then)]);
                let kind = StmtKind::If { arms, otherwise: otherwise.map(Box::new) };
                self.stmt(start, kind, end)
            }
        }
    }

    pub(crate) fn hyphen_call(
        &mut self,
        start: u32,
        first: Ident,
        rest: Vec<Ident>,
        args: Option<Box<[Expr]>>,
        end: u32,
    ) -> Stmt {
        let name = rest.into_iter().fold(first, |name, part| self.hyphenated(name, part));
        let span = self.span(start, end);
        self.stmt(start, StmtKind::Call(Box::new(Ref { name, args, span })), end)
    }

    fn report_depth(&mut self, span: Span) {
        if !self.reported_depth {
            self.reported_depth = true;
            self.diagnostics.push(too_deep(Span::new(span.file, span.start, span.start + 1)));
        }
    }

    // ---- errors ----

    /// A statement that could not be read.
    pub(crate) fn unreadable(
        &mut self,
        start: u32,
        recovery: ErrorRecovery<u32, Token, Infallible>,
        end: u32,
    ) -> Stmt {
        self.syntax_error(recovery.error);
        self.stmt(start, StmtKind::Error, end)
    }

    /// Words a syntax error that is no echo.
    pub(crate) fn syntax_error(&mut self, error: ParseError<u32, Token, Infallible>) {
        let (token, span, expected) = match error {
            ParseError::UnrecognizedToken { token: (start, token, end), expected } => {
                (Some(token), self.span(start, end), expected)
            }
            ParseError::ExtraToken { token: (start, token, end) } => {
                (Some(token), self.span(start, end), Vec::new())
            }
            ParseError::UnrecognizedEof { location, expected } => {
                (None, self.span(location, location), expected)
            }
            ParseError::InvalidToken { location } => {
                (None, self.span(location, location), Vec::new())
            }
            ParseError::User { error } => match error {},
        };
        let echo = match token {
            Some(_) => self.is_echo(span.start),
            None => self.end_is_lost(span.start),
        };
        if !echo {
            let diagnostic = self.unexpected(token, span, &expected);
            self.diagnostics.push(diagnostic);
        }
    }

    /// Does the token at byte `at` stand on the line of text that is no token, behind it, or come first
    /// on the lines below? It is out of place only because that text is not what was meant.
    fn is_echo(&self, at: u32) -> bool {
        let before = self.gaps.partition_point(|gap| gap.start <= at);
        let Some(gap) = before.checked_sub(1).map(|idx| self.gaps[idx]) else { return false };
        let next = || self.tokens.partition_point(|&(start, ..)| start < gap.end);
        match gap.error {
            // A number stands for it.
            LexError::NumberTooLarge => false,
            LexError::UnexpectedCharacter
            | LexError::UnterminatedQuote
            | LexError::UnterminatedComment => {
                at < gap.line_end || self.tokens.get(next()).is_some_and(|&(start, ..)| start == at)
            }
        }
    }

    /// Does the item whose last token ends at byte `at` end in text that is no token, which may hold the
    /// missing `end`?
    fn end_is_lost(&self, at: u32) -> bool {
        let next = self.tokens.partition_point(|&(start, ..)| start < at);
        let to = self.tokens.get(next).map_or(self.text.len() as u32, |&(start, ..)| start);
        let from = self.tokens[..next].iter().rposition(|(_, token, _)| begins_item(token));
        let from = from.map_or(0, |idx| self.tokens[idx].0);
        let first = self.gaps.partition_point(|gap| gap.start < from);
        self.gaps[first..].iter().take_while(|gap| gap.start < to).any(|gap| match gap.error {
            LexError::UnterminatedComment => true,
            LexError::UnterminatedQuote => {
                let lost = &self.text[gap.start as usize..gap.end as usize];
                lost.to_ascii_lowercase().contains("end")
            }
            LexError::UnexpectedCharacter | LexError::NumberTooLarge => false,
        })
    }

    fn unexpected(&self, token: Option<Token>, span: Span, expected: &[String]) -> Diagnostic {
        let expects = |wanted: &str| expected.iter().any(|name| name.trim_matches('"') == wanted);
        let before = self.token_before(span.start);
        let found = match token {
            Some(_) => format!("`{}`", elide(&self.text[span.range()])),
            None => format!("the end of the {}", self.whole),
        };
        if let Some((_, before_token, before_end)) = before {
            let behind = Span::new(self.file, before_end, before_end);
            let on_new_line = self.text[before_end as usize..span.start as usize].contains('\n');
            if expects(";") && token.is_some() && (on_new_line || starts_statement(token)) {
                return Diagnostic::at(Code::UnexpectedToken, behind, "a `;` is missing here")
                    .label(span, format!("before {found}"))
                    .fix("write `;`", behind, ";");
            }
            if expects("end") && token.is_none() {
                return Diagnostic::at(Code::UnexpectedToken, behind, "an `end` is missing here")
                    .note("every `begin` needs an `end` of its own")
                    .label(self.begin_of_last_block(span.start), "perhaps for this `begin`");
            }
            if matches!(token, Some(Token::Equals)) && expects(":=") {
                return Diagnostic::at(Code::UnexpectedToken, span, "`=` cannot stand here").fix(
                    "write `:=`",
                    span,
                    ":=",
                );
            }
            if matches!(before_token, Token::Begin) && expects("begin") {
                return Diagnostic::at(
                    Code::UnexpectedToken,
                    span,
                    format!("{found} cannot stand here"),
                );
            }
        }
        let place = if token.is_none() {
            before.map_or(span, |(_, _, end)| Span::new(self.file, end, end))
        } else {
            span
        };
        let mut diagnostic =
            Diagnostic::at(Code::UnexpectedToken, place, format!("{found} cannot stand here"));
        if let Some(wanted) = wanted(expected) {
            diagnostic = diagnostic.here(format!("expected {wanted}"));
        }
        match token {
            Some(Token::Minus) if matches!(before, Some((_, Token::Name, _))) => {
                diagnostic.note("a name with hyphens can only be called as a statement of its own")
            }
            Some(Token::Name)
                if ["elif", "elsif"]
                    .iter()
                    .any(|word| self.text[span.range()].eq_ignore_ascii_case(word)) =>
            {
                diagnostic.help("write `else if`")
            }
            Some(Token::Assign) if !expects(":=") => {
                diagnostic.help("`:=` stores; to compare, write `=`")
            }
            Some(Token::And | Token::Or | Token::Xor) if expects("then") || expects("do") => {
                diagnostic.help("put comparisons in parentheses: `(a < b) and (c < d)`")
            }
            _ => diagnostic,
        }
    }

    /// The last token that ends at or before byte `at`.
    fn token_before(&self, at: u32) -> Option<Spanned> {
        let idx = self.tokens.partition_point(|&(_, _, end)| end <= at);
        idx.checked_sub(1).map(|idx| self.tokens[idx])
    }

    /// The `begin` or `repeat` before byte `at` that has no end yet.
    fn begin_of_last_block(&self, at: u32) -> Span {
        let behind = self.tokens.partition_point(|&(_, _, end)| end <= at);
        let mut closed = 0;
        for &(start, token, end) in self.tokens[..behind].iter().rev() {
            match token {
                Token::End => closed += 1,
                Token::Begin if closed > 0 => closed -= 1,
                Token::Begin => return self.span(start, end),
                _ => {}
            }
        }
        self.span(at, at)
    }
}

impl Ref {
    fn depth(&self) -> u16 {
        self.args.iter().flatten().map(|arg| arg.depth).max().unwrap_or(0)
    }
}

/// Does the token begin an item wherever it stands?
pub(crate) fn begins_item(token: &Token) -> bool {
    matches!(
        token,
        Token::Proc
            | Token::Procedure
            | Token::Function
            | Token::Program
            | Token::Import
            | Token::Const
    )
}

/// Can the token only begin a statement?
fn starts_statement(token: Option<Token>) -> bool {
    matches!(
        token,
        Some(
            Token::If
                | Token::While
                | Token::For
                | Token::Foreach
                | Token::Repeat
                | Token::Begin
                | Token::Goto
        )
    )
}

/// What could have stood there, in words; `None` if that would be a long list.
fn wanted(expected: &[String]) -> Option<String> {
    let mut names: Vec<&str> = expected.iter().map(|name| name.trim_matches('"')).collect();
    let has = |names: &[&str], name: &str| names.contains(&name);
    if has(&names, "not") && has(&names, "true") {
        return Some("an expression".to_owned());
    }
    if has(&names, "while") && has(&names, "if") {
        return Some("a statement".to_owned());
    }
    if has(&names, "procedure") && has(&names, "import") {
        return Some("`procedure`, `function`, `program`, `const` or `import`".to_owned());
    }
    if has(&names, "integer") {
        return Some("a type".to_owned());
    }
    // Operators can follow any operand, and the point of `H.part` any name, which is for texts of the library: they say
    // little.
    let operators = [
        "+", "-", "*", "and", "or", "xor", "div", "mod", "=", "<>", "<", "<=", ">", ">=", "(", ".",
    ];
    if names.iter().any(|name| !operators.contains(name)) {
        names.retain(|name| !operators.contains(name));
    }
    names.sort_unstable();
    names.dedup();
    let spell = |name: &str| match name {
        "name" | "number" | "bit constant" | "string constant" => format!("a {name}"),
        sign => format!("`{sign}`"),
    };
    match names.as_slice() {
        [] => None,
        [one] => Some(spell(one)),
        [some @ .., last] if some.len() <= 4 => {
            let first: Vec<String> = some.iter().map(|name| spell(name)).collect();
            Some(format!("{} or {}", first.join(", "), spell(last)))
        }
        _ => None,
    }
}

/// The first characters of a long text.
fn elide(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
