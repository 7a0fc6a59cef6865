//! Comparisons.

use star_base::{Code, Diagnostic, Span};
use star_ir::Relation;
use star_syntax::ast::{self, CompareOp};

use super::Checker;
use super::expr::Between;
use crate::hir::{Expr, ExprKind, TyKind};

impl Checker<'_> {
    pub(super) fn compare(
        &mut self,
        op: CompareOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Expr {
        // `X = Θ` and `X <> Θ` query for ones.
        for (operand, theta) in [(left, right), (right, left)] {
            if matches!(theta.kind, ast::ExprKind::Theta)
                && matches!(op, CompareOp::Eq | CompareOp::Ne)
            {
                let operand = self.bits(operand);
                if operand.ty == TyKind::Error {
                    return self.error(span);
                }
                let effects = operand.effects;
                let some = boolean(
                    ExprKind::Builtin(star_base::Builtin::Some, vec![operand]),
                    span,
                    effects,
                );
                return if op == CompareOp::Ne { some } else { negation(some) };
            }
        }
        if self.is_column(left) || self.is_column(right) || self.joins_relation(left, right) {
            return self.relation(op, left, right, span);
        }
        let (mut operands, kind) = self.operands(&[left, right], Between::Comparison(op), None);
        let (Some(right), Some(left)) = (operands.pop(), operands.pop()) else {
            return self.error(span);
        };
        let effects = left.effects || right.effects;
        let relation = relation_of(op);
        let (left, right) = (Box::new(left), Box::new(right));
        match kind {
            TyKind::Error => self.error(span),
            TyKind::Int => boolean(ExprKind::Compare(relation, left, right), span, effects),
            TyKind::Bool | TyKind::Slice | TyKind::Word
                if matches!(op, CompareOp::Eq | CompareOp::Ne) =>
            {
                let (kind, negated) = if kind == TyKind::Bool {
                    (ExprKind::BoolDiffers(left, right), op == CompareOp::Eq)
                } else {
                    (ExprKind::BitsEqual(left, right), op == CompareOp::Ne)
                };
                let comparison = boolean(kind, span, effects);
                if negated { negation(comparison) } else { comparison }
            }
            TyKind::Bool
            | TyKind::Slice
            | TyKind::Word
            | TyKind::Str
            | TyKind::Table
            | TyKind::Handle => {
                let mut diagnostic = Diagnostic::at(
                    Code::NoSuchOrder,
                    span,
                    format!("{}s cannot be compared this way", kind.name()),
                );
                if kind == TyKind::Word {
                    diagnostic = diagnostic.help(
                        "words are compared as unsigned numbers by `LESS`, `LESSEQ`, `GREAT` and `GREATEQ`",
                    );
                }
                self.report(diagnostic);
                self.error(span)
            }
        }
    }
}

fn boolean(kind: ExprKind, span: Span, effects: bool) -> Expr {
    Expr { kind, ty: TyKind::Bool, span, effects }
}

fn negation(expr: Expr) -> Expr {
    let (span, effects) = (expr.span, expr.effects);
    boolean(ExprKind::Not(Box::new(expr)), span, effects)
}

/// Returns the relation that the sign stands for.
pub(super) fn relation_of(op: CompareOp) -> Relation {
    match op {
        CompareOp::Eq => Relation::Eq,
        CompareOp::Ne => Relation::Ne,
        CompareOp::Lt => Relation::Lt,
        CompareOp::Le => Relation::Le,
        CompareOp::Gt => Relation::Gt,
        CompareOp::Ge => Relation::Ge,
    }
}
