//! The shared state of the grammar's actions: creation of nodes of bounded depth, and syntax
//! errors.

use std::collections::VecDeque;
use std::convert::Infallible;

use lalrpop_util::{ErrorRecovery, ParseError};
use star_base::{Code, Diagnostic, FileId, Span};

use crate::ast::*;
use crate::prepass::{Gap, Spanned, too_deep};
use crate::token::{LexError, Token, number_in, unquoted};

/// The maximum depth of a tree; see Note [Depth].
pub(crate) const MAX_DEPTH: u16 = 256;

/// The use of the statements of routines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bodies {
    Kept,
    /// Each is dropped as soon as it was read, so that their memory does not grow with the text.
    Dropped,
}

pub(crate) struct State<'s> {
    pub(crate) file: FileId,
    pub(crate) text: &'s str,
    pub(crate) tokens: &'s [Spanned],
    gaps: &'s [Gap],
    pub(crate) diagnostics: Vec<Diagnostic>,
    reported_depth: bool,
    names: Names,
    bodies: Bodies,
    /// The construct being read, for messages about its end.
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
            bodies: Bodies::Kept,
            whole: "routine",
        }
    }

    pub(crate) fn with_bodies(self, bodies: Bodies) -> Self {
        State { bodies, ..self }
    }

    pub(crate) fn span(&self, start: u32, end: u32) -> Span {
        Span::new(self.file, start, end.max(start))
    }

    /// Returns the text of a quoted token, without the quotes.
    pub(crate) fn unquoted(&self, start: u32, end: u32) -> &'s str {
        unquoted(self.text_of(start, end))
    }

    /// Returns the number of a token; 0 if it is too large, which is reported.
    pub(crate) fn number(&self, start: u32, end: u32) -> u64 {
        number_in(self.text_of(start, end)).unwrap_or(0)
    }

    fn text_of(&self, start: u32, end: u32) -> &'s str {
        &self.text[start as usize..end as usize]
    }

    // ---- nodes ----

    /// Creates a name.
    pub(crate) fn ident(&mut self, start: u32, end: u32) -> Ident {
        let name = self.names.intern(self.text_of(start, end));
        Ident { name, span: self.span(start, end) }
    }

    /// Creates a label from a number.
    pub(crate) fn label(&mut self, start: u32, end: u32) -> Ident {
        let name = self.names.intern(&self.number(start, end).to_string());
        Ident { name, span: self.span(start, end) }
    }

    /// Joins names with a hyphen between them.
    pub(crate) fn hyphenated(&mut self, first: Ident, last: Ident) -> Ident {
        let name = self.names.intern(&format!("{}-{}", first.name, last.name));
        Ident { name, span: first.span.to(last.span) }
    }

    /// Returns the text between the quotes of a token.
    pub(crate) fn quoted(&mut self, start: u32, end: u32) -> Name {
        self.names.intern(self.unquoted(start, end))
    }

    /// Creates an expression, or an error node if it would be too deep.
    pub(crate) fn expr(&mut self, start: u32, kind: ExprKind, end: u32) -> Expr {
        let depth = 1 + match &kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Bits(_)
            | ExprKind::Str(_)
            | ExprKind::Theta
            | ExprKind::Name(..) => 0,
            ExprKind::Path(path) => path.depth(),
            ExprKind::Filtered(filtered) => {
                let Filtered { value, filter, otherwise } = &**filtered;
                let otherwise = otherwise.as_ref().map_or(0, |otherwise| otherwise.depth);
                value.depth.max(filter.depth).max(otherwise)
            }
            ExprKind::Ref(reference) => reference.depth(),
            ExprKind::Not(operand) | ExprKind::Neg(operand) => operand.depth,
            ExprKind::Chain(chain) => {
                let operands = chain.links.iter().map(|link| link.operand.depth);
                operands.fold(chain.first.depth, u16::max)
            }
            ExprKind::Compare(_, sides) => {
                let [left, right] = &**sides;
                left.depth.max(right.depth)
            }
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
                let links = links.into_boxed_slice();
                self.expr(start, ExprKind::Chain(Box::new(Chain { first, links })), end)
            }
        }
    }

    pub(crate) fn negate(&mut self, start: u32, operand: Expr) -> Expr {
        let end = operand.span.end;
        self.expr(start, ExprKind::Neg(Box::new(operand)), end)
    }

    pub(crate) fn compare(&mut self, op: CompareOp, left: Expr, right: Expr) -> Expr {
        let (start, end) = (left.span.start, right.span.end);
        self.expr(start, ExprKind::Compare(op, Box::new([left, right])), end)
    }

    /// Creates a statement, or an error node if it would be too deep.
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
            StmtKind::Where(block) => {
                let arms = block.arms.iter().map(|(test, body)| test.depth.max(deepest(body)));
                let otherwise = block.otherwise.as_deref().map_or(0, deepest);
                arms.max().unwrap_or(0).max(otherwise)
            }
            StmtKind::For { from, to, body, .. } => from.depth.max(to.depth).max(body.depth),
            StmtKind::Foreach { over, body, .. } => over.depth.max(body.depth),
            StmtKind::Forall(inner) => {
                let Forall { var: _, over, last, filter, body } = &**inner;
                let more = [last, filter].into_iter().flatten().map(|expr| expr.depth);
                more.max().unwrap_or(0).max(over.depth).max(body.depth)
            }
            StmtKind::Assign { target, value, .. } => target.depth().max(value.depth),
            StmtKind::AssignPath { target, assign: _, value } => target.depth().max(value.depth),
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

    /// Appends the next statement to those of a routine.
    pub(crate) fn body(&mut self, mut list: Vec<Stmt>, stmt: Stmt) -> Vec<Stmt> {
        match self.bodies {
            Bodies::Kept => list.push(stmt),
            Bodies::Dropped => {}
        }
        list
    }

    /// Creates an `if`; a following `else if` is merged into the same list of arms.
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

    /// Creates a node for a statement that could not be read.
    pub(crate) fn unreadable(
        &mut self,
        start: u32,
        recovery: ErrorRecovery<u32, Token, Infallible>,
        end: u32,
    ) -> Stmt {
        self.syntax_error(recovery.error);
        self.stmt(start, StmtKind::Error, end)
    }

    /// Reports a syntax error, unless it repeats an earlier one.
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
            Some(_) => self.is_echo(span.start) || self.is_reported(span),
            None => self.end_is_lost(span.start),
        };
        if !echo {
            let diagnostic = self.unexpected(token, span, &expected);
            self.diagnostics.push(diagnostic);
        }
    }

    /// Returns whether the token is a reserved word, which has been reported.
    fn is_reported(&self, span: Span) -> bool {
        let mut reserved = self.diagnostics.iter().filter(|it| it.code == Code::ReservedWord);
        reserved.any(|it| it.span() == Some(span))
    }

    /// Returns whether the token at byte `at` is on the line of invalid text, after it, or first on
    /// the lines below. Its error is only a consequence of the invalid text.
    fn is_echo(&self, at: u32) -> bool {
        let before = self.gaps.partition_point(|gap| gap.start <= at);
        let Some(gap) = before.checked_sub(1).map(|idx| self.gaps[idx]) else { return false };
        let next = || self.tokens.partition_point(|&(start, ..)| start < gap.end);
        match gap.error {
            // A number replaces it.
            LexError::NumberTooLarge => false,
            LexError::UnexpectedCharacter
            | LexError::UnterminatedQuote
            | LexError::UnterminatedComment => {
                at < gap.line_end || self.tokens.get(next()).is_some_and(|&(start, ..)| start == at)
            }
        }
    }

    /// Returns whether the item whose last token ends at byte `at` ends in invalid text, which may
    /// contain the missing `end`.
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
}

impl Ref {
    /// Returns the equivalent expression; its name is one token.
    pub fn into_expr(self) -> ExprKind {
        match &self.args {
            None => ExprKind::Name(self.name.name, self.name.span.start),
            Some(_) => ExprKind::Ref(Box::new(self)),
        }
    }

    fn depth(&self) -> u16 {
        self.args.iter().flatten().map(|arg| arg.depth).max().unwrap_or(0)
    }
}

impl Path {
    /// Creates the path with the first step after a name.
    pub(crate) fn new(first: Ref, step: Step, end: u32) -> Path {
        let Ref { name, args, span } = first;
        let steps = args.map(Step::Args).into_iter().chain([step]).collect();
        Path { name, steps, span: Span::new(span.file, span.start, end) }
    }

    /// Adds a step.
    pub(crate) fn then(mut self, step: Step, end: u32) -> Path {
        self.steps.push(step);
        self.span.end = end;
        self
    }

    fn depth(&self) -> u16 {
        let depth = |step: &Step| match step {
            Step::Args(args) => args.iter().map(|arg| arg.depth).max().unwrap_or(0),
            Step::Index(index) => index.depth,
            Step::Field(_) => 0,
        };
        self.steps.iter().map(depth).max().unwrap_or(0)
    }
}

/// Returns whether the token begins an item wherever it occurs.
pub(crate) fn begins_item(token: &Token) -> bool {
    matches!(
        token,
        Token::Proc
            | Token::Procedure
            | Token::Function
            | Token::Program
            | Token::Import
            | Token::Const
            | Token::Type
    )
}
