//! Expressions over columns: relations of fields, which are slices, and numbers that are stored to
//! all rows. They stand for calls of the library.

use star_base::{Builtin, Code, Diagnostic, Span};
use star_ir::Relation;
use star_syntax::ast::{self, CompareOp, Step};

use super::Checker;
use super::layout::FieldKind;
use super::path::Place;
use super::records::int;
use crate::hir::{Arg, Expr, ExprKind, Field, StmtKind, TyKind};

/// A side of a relation.
enum Side {
    /// A number per row.
    Column(Expr),
    /// The same integer for all rows.
    Number(Expr),
    /// The same word for all rows.
    Word(Expr),
}

impl Checker<'_> {
    /// Returns the kind of the field of several columns that an expression is.
    pub(super) fn field_kind(&self, tree: &ast::Expr) -> Option<FieldKind> {
        let ast::ExprKind::Path(path) = &tree.kind else { return None };
        let local = self.variable(&path.name.name)?;
        let record = self.local(local).record.as_deref()?;
        let layout = self.constants.layout(record.id);
        let field = match path.steps.as_slice() {
            [Step::Field(name)] | [Step::Field(name), Step::Index(_)] => {
                layout.field(&name.name)?
            }
            _ => return None,
        };
        let kind = layout.fields[field].kind;
        (kind != FieldKind::Bit).then_some(kind)
    }

    /// Checks a comparison of which one side is a field of several columns: a slice.
    pub(super) fn relation(
        &mut self,
        op: CompareOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Expr {
        let relation = match op {
            CompareOp::Eq => Relation::Eq,
            CompareOp::Ne => Relation::Ne,
            CompareOp::Lt => Relation::Lt,
            CompareOp::Le => Relation::Le,
            CompareOp::Gt => Relation::Gt,
            CompareOp::Ge => Relation::Ge,
        };
        let is_equality = matches!(relation, Relation::Eq | Relation::Ne);
        for side in [left, right] {
            if self.field_kind(side) == Some(FieldKind::Bits) && !is_equality {
                self.report(
                    Diagnostic::at(Code::NoSuchOrder, side.span, "`bits` have no order")
                        .help("declare the field as `uint(k)`, or compare with `=` and `<>`"),
                );
                return self.error(span);
            }
        }
        let (one, other) = (self.side(left), self.side(right));
        let (Some(one), Some(other)) = (one, other) else { return self.error(span) };
        match (one, other) {
            (Side::Column(one), Side::Column(other)) => self.of_columns(relation, one, other, span),
            (Side::Column(column), scalar) => self.with_scalar(relation, column, scalar, span),
            (scalar, Side::Column(column)) => {
                let turned = match relation {
                    Relation::Eq | Relation::Ne => relation,
                    Relation::Lt => Relation::Gt,
                    Relation::Le => Relation::Ge,
                    Relation::Gt => Relation::Lt,
                    Relation::Ge => Relation::Le,
                };
                self.with_scalar(turned, column, scalar, span)
            }
            (Side::Number(_) | Side::Word(_), Side::Number(_) | Side::Word(_)) => self.error(span),
        }
    }

    fn side(&mut self, tree: &ast::Expr) -> Option<Side> {
        let is_field = self.field_kind(tree).is_some();
        let value = self.expr(tree, Some(TyKind::Int));
        match value.ty {
            TyKind::Table if is_field => Some(Side::Column(value)),
            TyKind::Int => Some(Side::Number(value)),
            TyKind::Word => Some(Side::Word(value)),
            TyKind::Error => None,
            TyKind::Slice => {
                let message = "a slice cannot be compared with numbers yet";
                self.report(
                    Diagnostic::at(Code::NotAvailable, value.span, message)
                        .note("in expressions over columns a slice is the number 0 or 1"),
                );
                None
            }
            TyKind::Bool | TyKind::Str | TyKind::Table | TyKind::Handle => {
                self.report(
                    Diagnostic::at(
                        Code::TypeMismatch,
                        value.span,
                        format!("a field cannot be compared with {}", value.ty.with_article()),
                    )
                    .note("a field is compared with fields, integers and words"),
                );
                None
            }
        }
    }

    /// Compares two fields row by row.
    fn of_columns(&mut self, relation: Relation, left: Expr, right: Expr, span: Span) -> Expr {
        let (procedure, swapped, negated) = match relation {
            Relation::Eq => ("EQUALSROWS", false, false),
            Relation::Ne => ("EQUALSROWS", false, true),
            Relation::Lt => ("BELOWROWS", false, false),
            Relation::Ge => ("BELOWROWS", false, true),
            Relation::Gt => ("BELOWROWS", true, false),
            Relation::Le => ("BELOWROWS", true, true),
        };
        let args = if swapped { [right, left] } else { [left, right] };
        self.marked(procedure, args.map(Arg::Value).into(), negated, span)
    }

    /// Compares the rows of a field with one number.
    fn with_scalar(&mut self, relation: Relation, column: Expr, scalar: Side, span: Span) -> Expr {
        let (scalar, is_word) = match scalar {
            Side::Word(word) => (word, true),
            Side::Number(number) | Side::Column(number) => (number, false),
        };
        let (of_number, of_word, negated) = match relation {
            Relation::Eq => ("EQUALS", "EQUALSWORD", false),
            Relation::Ne => ("EQUALS", "EQUALSWORD", true),
            Relation::Lt => ("BELOW", "BELOWWORD", false),
            Relation::Ge => ("BELOW", "BELOWWORD", true),
            Relation::Gt => ("ABOVE", "ABOVEWORD", false),
            Relation::Le => ("ABOVE", "ABOVEWORD", true),
        };
        let procedure = if is_word { of_word } else { of_number };
        self.marked(procedure, vec![Arg::Value(column), Arg::Value(scalar)], negated, span)
    }

    /// Returns the rows that a library procedure marks, or the others.
    fn marked(&mut self, procedure: &str, args: Vec<Arg>, negated: bool, span: Span) -> Expr {
        let rows = self.result_of_procedure(procedure, args, TyKind::Slice, span);
        if !negated || rows.ty == TyKind::Error {
            return rows;
        }
        let effects = rows.effects;
        Expr { kind: ExprKind::BitsNot(Box::new(rows)), ty: TyKind::Slice, span, effects }
    }

    /// Returns the statement that gives all rows of a field the same number.
    pub(super) fn broadcast(
        &mut self,
        field: Box<Field>,
        number: Expr,
        extreme: Option<bool>,
        span: Span,
    ) -> Option<StmtKind> {
        let copy = self.world.library_routine("WCOPY")?;
        let width = self.again(&field.width);
        let word = match extreme {
            // A word has no limit of 63 bits.
            Some(is_high) => self.extreme(width, is_high, number.span),
            None => {
                let (at, effects) = (number.span, number.effects);
                let kind = ExprKind::Builtin(Builtin::Word, vec![number, width]);
                Expr { kind, ty: TyKind::Word, span: at, effects }
            }
        };
        let kind = ExprKind::NRows(self.fresh_use(field.table.local, span));
        let rows = Expr { kind, ty: TyKind::Int, span, effects: false };
        let kind = ExprKind::Ones(Box::new(rows));
        let all = Expr { kind, ty: TyKind::Slice, span, effects: false };
        let args = vec![Arg::Value(word), Arg::Value(all), Arg::Field(field, TyKind::Table)];
        Some(StmtKind::Call(copy, args))
    }

    /// Checks `high(F)` or `low(F)`.
    pub(super) fn extreme_of(&mut self, tree: &ast::Expr, is_high: bool, span: Span) -> Expr {
        let width = match &tree.kind {
            ast::ExprKind::Path(path) => match self.place_of(path) {
                Some((Place::Field(field, FieldKind::Uint), _)) => field.width,
                Some((Place::Column(..), _)) => int(1, span),
                Some(_) => return self.not_a_number_column(tree),
                None => return self.error(span),
            },
            _ => return self.not_a_number_column(tree),
        };
        let word = self.extreme(width, is_high, span);
        let kind = ExprKind::Builtin(Builtin::Int, vec![word]);
        Expr { kind, ty: TyKind::Int, span, effects: false }
    }

    fn not_a_number_column(&mut self, tree: &ast::Expr) -> Expr {
        let message = "this is not a field of numbers";
        self.report(Diagnostic::at(Code::TypeMismatch, tree.span, message));
        self.error(tree.span)
    }

    /// Returns the greatest or least number of this width as a word.
    fn extreme(&mut self, width: Expr, is_high: bool, span: Span) -> Expr {
        let kind = ExprKind::Ones(Box::new(width));
        let ones = Expr { kind, ty: TyKind::Word, span, effects: false };
        if is_high {
            return ones;
        }
        let kind = ExprKind::BitsNot(Box::new(ones));
        Expr { kind, ty: TyKind::Word, span, effects: false }
    }

    /// Returns whether it is `min(a,b)`, `max(a,b)` or `absdiff(a,b)` of a field.
    pub(super) fn is_column_arithmetic(&self, name: &ast::Ident, args: &[ast::Expr]) -> bool {
        let names = ["min", "max", "absdiff"];
        names.iter().any(|known| known.eq_ignore_ascii_case(&name.name))
            && args.len() == 2
            && args.iter().any(|arg| self.field_kind(arg).is_some())
    }

    /// Reports arithmetic on fields.
    pub(super) fn no_arithmetic(&mut self, at: Span) -> Expr {
        let message = "arithmetic on fields is not available yet";
        self.report(
            Diagnostic::at(Code::NotAvailable, at, message)
                .help("call `ADDV`, `SUBTV`, `ADDC`, `SUBTC`, `MULTV` or `DIVV` of the library"),
        );
        self.error(at)
    }
}
