//! Expressions.

use star_base::{Builtin, Code, Diagnostic, Span};
use star_ir::{IntOp, LogicOp};
use star_syntax::ast::{self, BinaryOp, CompareOp};
use star_value::BitVector;

use super::columns::is_arithmetic;
use super::constant::Value;
use super::{Checker, ExpectedName};
use crate::hir::{ChainOp, Expr, ExprKind, TyKind};
use crate::scope::{Callee, NoCallee};

/// The place of the built-in `name`.
pub(super) const NAMES_ARE_PRINTED: &str =
    "`print(name(i))` prints the name of vertex `i` of the graph; it is no value elsewhere";

/// The message for a bit constant with invalid characters.
pub(super) fn bad_bits(span: Span) -> Diagnostic {
    Diagnostic::at(Code::BadBits, span, "a bit constant holds only `0` and `1`")
        .help("strings are written between double quotes: `\"…\"`")
}

impl Checker<'_> {
    /// Checks an expression that must be of the kind `want`.
    pub(super) fn typed(&mut self, tree: &ast::Expr, want: TyKind) -> Expr {
        let expr = self.expr(tree, Some(want));
        self.of_type(expr, want)
    }

    /// Returns the expression if it is of the kind `want`, and an error otherwise.
    pub(super) fn of_type(&mut self, expr: Expr, want: TyKind) -> Expr {
        if let ExprKind::Builtin(Builtin::Name, _) = expr.kind {
            let message = "`name` can only be an argument of `print`";
            let diagnostic = Diagnostic::at(Code::TypeMismatch, expr.span, message);
            self.report(diagnostic.help(NAMES_ARE_PRINTED));
            return self.error(expr.span);
        }
        if expr.ty != want && expr.ty != TyKind::Error && want != TyKind::Error {
            if want == TyKind::Bool && expr.ty == TyKind::Int && is_component(&expr) {
                self.component_as_condition(expr.span, ("= 1", expr.span.after(), " = 1"));
            } else {
                let instead = self.instead(&expr, want);
                self.type_mismatch(expr.span, want, expr.ty, instead);
            }
            return self.error(expr.span);
        }
        expr
    }

    /// Checks an expression that must be a slice or a word.
    pub(super) fn bits(&mut self, tree: &ast::Expr) -> Expr {
        self.bits_as(tree, TyKind::Word)
    }

    /// Checks an expression that must be a slice or a word. `kind` determines the kind of bit
    /// constants.
    pub(super) fn bits_as(&mut self, tree: &ast::Expr, kind: TyKind) -> Expr {
        let constant = matches!(
            tree.kind,
            ast::ExprKind::Bits(_) | ast::ExprKind::Name(..) | ast::ExprKind::Ref(_)
        );
        let expr = self.expr(tree, constant.then_some(kind));
        if !expr.ty.is_bits() && expr.ty != TyKind::Error {
            let message = format!("expected a slice or a word, found {}", expr.ty.with_article());
            let mut diagnostic = Diagnostic::at(Code::TypeMismatch, expr.span, message);
            diagnostic.help.extend(self.instead(&expr, TyKind::Slice));
            self.report(diagnostic);
            return self.error(expr.span);
        }
        expr
    }

    /// Reports a component where a condition is expected, with its fix: what to write, and the
    /// edit.
    fn component_as_condition(&mut self, span: Span, (what, place, new): (&str, Span, &str)) {
        let message = "a component is 0 or 1, not a condition";
        let diagnostic = Diagnostic::at(Code::ComponentAsCondition, span, message);
        self.report(diagnostic.fix(format!("write `{what}`"), place, new));
    }

    pub(super) fn error(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Error, ty: TyKind::Error, span, effects: false }
    }

    /// Checks an expression. `want` is the kind that the context prefers, for constants that can be
    /// of several kinds.
    pub(super) fn expr(&mut self, tree: &ast::Expr, want: Option<TyKind>) -> Expr {
        let span = tree.span;
        let bits = want.filter(|kind| kind.is_bits()).unwrap_or(TyKind::Word);
        let simple = |kind, ty| Expr { kind, ty, span, effects: false };
        match &tree.kind {
            ast::ExprKind::Error => self.error(span),
            ast::ExprKind::Int(value) => match i64::try_from(*value) {
                Ok(value) => simple(ExprKind::Int(value), TyKind::Int),
                Err(_) => {
                    self.report(Diagnostic::at(
                        Code::NumberTooLarge,
                        span,
                        "this number does not fit in 64 bits",
                    ));
                    self.error(span)
                }
            },
            ast::ExprKind::Bool(value) => simple(ExprKind::Bool(*value), TyKind::Bool),
            ast::ExprKind::Str(text) => simple(ExprKind::Str(text.to_string()), TyKind::Str),
            ast::ExprKind::Bits(text) => match BitVector::parse(text) {
                // A single bit where a number is expected is the value of a component.
                Some(value) if want == Some(TyKind::Int) && value.len() == 1 => {
                    simple(ExprKind::Int(i64::from(value.get(0))), TyKind::Int)
                }
                Some(value) => simple(ExprKind::Bits(Box::new(value)), bits),
                None => {
                    self.report(bad_bits(span));
                    self.error(span)
                }
            },
            ast::ExprKind::Path(path) => self.path(path),
            ast::ExprKind::Chain(_) | ast::ExprKind::Neg(_) | ast::ExprKind::Ref(_)
                if self.is_column_arithmetic(tree) =>
            {
                self.stray_column(tree)
            }
            ast::ExprKind::Filtered(filtered) => self.stray_filter(filtered, span),
            ast::ExprKind::Theta => match want {
                Some(kind @ (TyKind::Slice | TyKind::Word)) => simple(ExprKind::Theta, kind),
                Some(
                    TyKind::Int
                    | TyKind::Bool
                    | TyKind::Str
                    | TyKind::Table
                    | TyKind::Handle
                    | TyKind::Error,
                )
                | None => {
                    self.report(
                        Diagnostic::at(Code::UnknownBitsType, span, "`Θ` has no size here")
                            .note("it takes the size of the other operand or of the variable it is assigned to"),
                    );
                    self.error(span)
                }
            },
            ast::ExprKind::Name(..) => match tree.plain_name() {
                Some(name) => {
                    let span = name.span;
                    self.reference(&ast::Ref { name, args: None, span }, bits, want)
                }
                None => self.error(span),
            },
            ast::ExprKind::Ref(reference) => self.reference(reference, bits, want),
            ast::ExprKind::Not(operand) => self.not(operand, span, want),
            ast::ExprKind::Neg(operand) => {
                if let ast::ExprKind::Int(value) = operand.kind {
                    // −2⁶³ is an integer although 2⁶³ is not.
                    return simple(ExprKind::Int((value as i64).wrapping_neg()), TyKind::Int);
                }
                let operand = self.typed(operand, TyKind::Int);
                let effects = operand.effects;
                Expr { kind: ExprKind::Neg(Box::new(operand)), ty: TyKind::Int, span, effects }
            }
            ast::ExprKind::Chain(chain) => self.chain(chain, span, want),
            ast::ExprKind::Compare(op, sides) => self.compare(*op, &sides[0], &sides[1], span),
        }
    }

    fn not(&mut self, operand: &ast::Expr, span: Span, want: Option<TyKind>) -> Expr {
        let operand = self.expr(operand, want);
        let (effects, ty) = (operand.effects, operand.ty);
        let inner = Box::new(operand);
        match ty {
            TyKind::Bool => Expr { kind: ExprKind::Not(inner), ty, span, effects },
            TyKind::Slice | TyKind::Word => {
                Expr { kind: ExprKind::BitsNot(inner), ty, span, effects }
            }
            TyKind::Error => self.error(span),
            TyKind::Int if is_component(&inner) => {
                self.report(
                    Diagnostic::at(
                        Code::ComponentAsCondition,
                        inner.span,
                        "a component is 0 or 1, not a condition",
                    )
                    .help("compare it: `Y(i) = 0`"),
                );
                self.error(span)
            }
            TyKind::Int | TyKind::Str | TyKind::Table | TyKind::Handle => {
                let message =
                    format!("`not` expects a boolean, slice or word, found {}", ty.with_article());
                let mut diagnostic = Diagnostic::at(Code::TypeMismatch, inner.span, message);
                diagnostic.help.extend(self.instead(&inner, TyKind::Slice));
                self.report(diagnostic);
                self.error(span)
            }
        }
    }

    /// Checks operands joined by operators of one precedence level: all integers, all booleans, or
    /// all slices or words.
    fn chain(
        &mut self,
        ast::Chain { first, links }: &ast::Chain,
        span: Span,
        want: Option<TyKind>,
    ) -> Expr {
        let trees: Vec<&ast::Expr> =
            std::iter::once(first).chain(links.iter().map(|link| &link.operand)).collect();
        let arithmetic = links.iter().any(|link| is_arithmetic(link.op));
        let want = if arithmetic { Some(TyKind::Int) } else { want };
        let between = if arithmetic { Between::Arithmetic } else { Between::Logic };
        let (mut operands, kind) = self.operands(&trees, between, want);
        if kind == TyKind::Error {
            return self.error(span);
        }
        let mut ops = Vec::with_capacity(links.len());
        for link in links {
            match chain_op(link.op, kind) {
                Some(op) => ops.push(op),
                None => {
                    self.wrong_operator(link, first.span, kind);
                    return self.error(span);
                }
            }
        }
        let effects = operands.iter().any(|operand| operand.effects);
        let mut rest = operands.split_off(1).into_iter();
        let Some(first) = operands.pop() else {
            return self.error(span);
        };
        let links = ops.into_iter().zip(&mut rest).collect();
        Expr { kind: ExprKind::Chain(Box::new(first), links), ty: kind, span, effects }
    }

    fn wrong_operator(&mut self, link: &ast::Link, first: Span, kind: TyKind) {
        let sign = match link.op {
            BinaryOp::Add => "+",
            BinaryOp::Saturate => "+|",
            BinaryOp::Sub => "-",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "div",
            BinaryOp::Mod => "mod",
            BinaryOp::And => "and",
        };
        let mut diagnostic = Diagnostic::at(
            Code::TypeMismatch,
            link.op_span,
            format!("`{sign}` cannot be applied to {}s", kind.name()),
        );
        if kind == TyKind::Table {
            let table = self.plain_table(first);
            self.report(table);
            return;
        }
        match (link.op, kind) {
            (BinaryOp::Add, TyKind::Word) => {
                diagnostic = diagnostic.help("words are added by `ADD(v, w)`")
            }
            (BinaryOp::Saturate, _) => {
                diagnostic = diagnostic.help("`+|` adds fields of tables of records");
            }
            (BinaryOp::Sub, TyKind::Word) => {
                diagnostic = diagnostic.help("words are subtracted by `SUBT(v, w)`");
            }
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, TyKind::Int) => {
                diagnostic =
                    diagnostic.help("compare the components first: `(Y(i) = 1) and (Z(i) = 1)`");
            }
            (
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Mod
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor,
                _,
            ) => {}
        }
        self.report(diagnostic);
    }

    /// Checks operands that must be of one kind. Bit constants and `Θ` get the kind of the others.
    /// A component next to a condition was probably meant as a condition.
    pub(super) fn operands(
        &mut self,
        trees: &[&ast::Expr],
        between: Between,
        want: Option<TyKind>,
    ) -> (Vec<Expr>, TyKind) {
        let mut done: Vec<Option<Expr>> = trees
            .iter()
            .map(|tree| (!self.is_literal(tree)).then(|| self.expr(tree, want)))
            .collect();
        let place = |expr: &Expr| {
            let truth = match expr.kind {
                ExprKind::Bool(truth) if matches!(between, Between::Comparison(_)) => Some(truth),
                _ => None,
            };
            Place { ty: expr.ty, span: expr.span, truth }
        };
        let mut found = done.iter().flatten().map(place).find(|place| place.ty != TyKind::Error);
        if between != Between::Arithmetic && done.iter().flatten().any(is_component) {
            let condition = done.iter().flatten().find(|expr| expr.ty == TyKind::Bool);
            found = condition.map(place).or(found);
        }
        let any_error = done.iter().flatten().any(|expr| expr.ty == TyKind::Error);
        let kind = found.map(|place| place.ty).or(want);
        let operands: Vec<Expr> = trees
            .iter()
            .zip(&mut done)
            .map(|(tree, done)| done.take().unwrap_or_else(|| self.expr(tree, kind)))
            .collect();
        if any_error {
            return (operands, TyKind::Error);
        }
        let kind = found
            .map(|place| place.ty)
            .or(operands.first().map(|expr| expr.ty))
            .unwrap_or(TyKind::Error);
        for operand in &operands {
            if operand.ty != kind {
                if operand.ty != TyKind::Error {
                    self.mixed(operand, kind, found, between);
                }
                return (operands, TyKind::Error);
            }
        }
        (operands, kind)
    }

    /// Returns whether it consists only of bit constants and `Θ`, so that the context determines
    /// its kind.
    fn is_literal(&self, tree: &ast::Expr) -> bool {
        match &tree.kind {
            ast::ExprKind::Bits(_) | ast::ExprKind::Theta => true,
            ast::ExprKind::Name(name, _) => {
                if self.variable(name).is_some() {
                    return false;
                }
                let constant = self.world.constant(self.unit, name);
                constant.is_some_and(|idx| matches!(self.constants.value(idx), Value::Bits(_)))
            }
            ast::ExprKind::Not(operand) => self.is_literal(operand),
            ast::ExprKind::Chain(chain) => {
                self.is_literal(&chain.first)
                    && chain.links.iter().all(|link| self.is_literal(&link.operand))
            }
            ast::ExprKind::Ref(_)
            | ast::ExprKind::Error
            | ast::ExprKind::Int(_)
            | ast::ExprKind::Bool(_)
            | ast::ExprKind::Str(_)
            | ast::ExprKind::Path(_)
            | ast::ExprKind::Filtered(_)
            | ast::ExprKind::Neg(_)
            | ast::ExprKind::Compare(..) => false,
        }
    }

    /// Reports an operand of another kind than the others, of which `other` determines the kind.
    fn mixed(&mut self, operand: &Expr, kind: TyKind, other: Option<Place>, between: Between) {
        if kind == TyKind::Bool && is_component(operand) {
            if let Some(Place { truth: Some(truth), span, .. }) = other {
                let (what, bit) =
                    if truth { ("1` for `true", "1") } else { ("0` for `false", "0") };
                self.component_as_condition(operand.span, (what, span, bit));
            } else {
                let condition = format!("({} = 1)", self.sources.slice(operand.span));
                let fix = (condition.as_str(), operand.span, condition.as_str());
                self.component_as_condition(operand.span, fix);
            }
            return;
        }
        if between == Between::Arithmetic {
            let of_operand = (operand.ty == TyKind::Table).then_some(operand.span);
            let of_other = other.filter(|other| other.ty == TyKind::Table).map(|other| other.span);
            if let Some(table) = of_operand.or(of_other) {
                let diagnostic = self.plain_table(table);
                self.report(diagnostic);
                return;
            }
        }
        let mut diagnostic = Diagnostic::at(
            Code::TypeMismatch,
            operand.span,
            format!("expected {}, found {}", kind.with_article(), operand.ty.with_article()),
        );
        if between == Between::Logic {
            diagnostic.help.extend(self.instead(operand, kind));
        }
        if let Some(other) = other {
            diagnostic = diagnostic.label(other.span, format!("this is {}", kind.with_article()));
        }
        if kind == TyKind::Table && matches!(between, Between::Comparison(_)) {
            diagnostic = diagnostic
                .help(
                    "`MATCH`, `LESS` and `GREAT` of the library compare the rows of a plain table",
                )
                .help("fields of a `table(m) of R` are compared row by row: `T.w > 3`");
        }
        if kind.is_bits() && operand.ty.is_bits() {
            diagnostic = diagnostic.help("`CONVERT` converts between words and slices");
        }
        if let (TyKind::Slice, ExprKind::Int(bit @ (0 | 1)), Some(other)) =
            (kind, &operand.kind, other)
        {
            let column = self.sources.slice(other.span);
            let not = match (between, bit) {
                (Between::Comparison(CompareOp::Eq), 1)
                | (Between::Comparison(CompareOp::Ne), 0) => Some(""),
                (Between::Comparison(CompareOp::Eq), 0)
                | (Between::Comparison(CompareOp::Ne), 1) => Some("not "),
                _ => None,
            };
            if let Some(not) = not {
                diagnostic = diagnostic.help(format!("write `{not}{column}`"));
            }
        }
        self.report(diagnostic);
    }

    /// Checks a variable, component, constant or call.
    fn reference(&mut self, reference: &ast::Ref, bits: TyKind, want: Option<TyKind>) -> Expr {
        let (name, span) = (&reference.name, reference.span);
        match &reference.args {
            None => {
                if let Some(local) = self.variable(&name.name) {
                    if self.refuse_handle(local, span, want) {
                        return self.error(span);
                    }
                    let place = self.mention(local, name.span);
                    let ty = self.kind(local);
                    return Expr { kind: ExprKind::Var(place), ty, span, effects: false };
                }
                if let Some(constant) = self.constant(name) {
                    let kind = if want == Some(TyKind::Int) { TyKind::Int } else { bits };
                    return self.constants.value(constant).to_expr(span, kind);
                }
                match self.callee(name, 0) {
                    Ok(Callee::Routine(id)) => self.function(id, name, &[], span),
                    Ok(Callee::Builtin(builtin)) => self.builtin(builtin, name, &[], span, bits),
                    Err(NoCallee::Unknown) => {
                        self.unknown(name, ExpectedName::Name);
                        self.error(span)
                    }
                    Err(NoCallee::Unsuitable(diagnostic)) => {
                        self.report(*diagnostic);
                        self.error(span)
                    }
                }
            }
            Some(args) => match self.variable(&name.name) {
                Some(local) => self.part(local, name, args, span),
                None if self.is_misused(name, args, span) => self.error(span),
                None => match (self.callee(name, args.len()), self.reduction(name, args.len())) {
                    (Ok(Callee::Routine(id)), _) => self.function(id, name, args, span),
                    (Ok(Callee::Builtin(builtin)), _) => {
                        self.builtin(builtin, name, args, span, bits)
                    }
                    (Err(_), Some(reduction)) => self.reduce(reduction, args, span),
                    (Err(NoCallee::Unknown), None) => {
                        self.unknown(name, ExpectedName::Value);
                        self.error(span)
                    }
                    (Err(NoCallee::Unsuitable(diagnostic)), None) => {
                        self.report(*diagnostic);
                        self.error(span)
                    }
                },
            },
        }
    }
}

/// The operator between operands: one on integers, one on bits and truth values, or a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    Arithmetic,
    Logic,
    Comparison(CompareOp),
}

/// The operand that determines the kind of the others.
#[derive(Clone, Copy)]
struct Place {
    ty: TyKind,
    span: Span,
    /// Its value, if it is a constant that is compared.
    truth: Option<bool>,
}

fn is_component(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Component(..) | ExprKind::Bit(..))
}

fn chain_op(op: BinaryOp, kind: TyKind) -> Option<ChainOp> {
    let int = |op| (kind == TyKind::Int).then_some(ChainOp::Int(op));
    let logic = |op| match kind {
        TyKind::Bool => Some(ChainOp::Bool(op)),
        TyKind::Slice | TyKind::Word => Some(ChainOp::Bits(op)),
        TyKind::Int | TyKind::Str | TyKind::Table | TyKind::Handle | TyKind::Error => None,
    };
    match op {
        BinaryOp::Add => int(IntOp::Add),
        BinaryOp::Saturate => None,
        BinaryOp::Sub => int(IntOp::Sub),
        BinaryOp::Mul => int(IntOp::Mul),
        BinaryOp::Div => int(IntOp::Div),
        BinaryOp::Mod => int(IntOp::Mod),
        BinaryOp::And => logic(LogicOp::And),
        BinaryOp::Or => logic(LogicOp::Or),
        BinaryOp::Xor => logic(LogicOp::Xor),
    }
}
