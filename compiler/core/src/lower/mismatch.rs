//! Sizes that provably differ, and calls without the texts of a file: compile-time errors instead
//! of traps.

use star_base::{Code, Diagnostic, Span};

use super::Lowerer;
use super::sizes::{Ext, SizeKey};
use crate::hir::{self, Expr, ExprKind, LocalId, RoutineId, SizeTerm};

/// The origin of a known size.
#[derive(Clone)]
struct Origin {
    size: u64,
    span: Span,
    text: String,
}

impl Lowerer<'_> {
    /// Reports two operands of known, different sizes.
    pub(super) fn must_agree(&mut self, left: &Expr, right: &Expr) {
        if let (Some(one), Some(other)) = (self.origin(left, 0), self.origin(right, 0)) {
            self.mismatch(left.span.to(right.span), &one, &other);
        }
    }

    /// Reports a value whose known size differs from that of a variable (0), or of a column (0) or
    /// row (1) of a table.
    pub(super) fn must_fit(&mut self, local: LocalId, dim: u8, value: &Expr) {
        if let (Some(found), Some(wanted)) = (self.origin(value, 0), self.declared(local, dim)) {
            self.mismatch(value.span, &found, &wanted);
        }
    }

    /// Reports arguments of known sizes that cannot agree with the header or with one another.
    pub(super) fn arguments_must_agree(&mut self, callee: RoutineId, args: &[hir::Arg]) {
        let call = self.locations[self.loc.0 as usize].span;
        let routine = self.program.routine(callee);
        let mut bound: Vec<(LocalId, Origin)> = Vec::new();
        for (&param, arg) in routine.params.iter().zip(args) {
            let sizes = match &routine.local(param).ty {
                hir::Ty::Int | hir::Ty::Bool | hir::Ty::Str | hir::Ty::Handle => [None, None],
                hir::Ty::Slice(size) | hir::Ty::Word(size) => [size.as_deref(), None],
                hir::Ty::Table(rows, columns) => [rows.as_deref(), columns.as_deref()],
            };
            for (dim, size) in (0..).zip(sizes) {
                let found = match arg {
                    hir::Arg::Value(value) => self.origin(value, dim),
                    hir::Arg::Ref(place) => self.declared(place.local, dim),
                    hir::Arg::Field(..) => None,
                };
                let (Some(size), Some(found)) = (size, found) else { continue };
                match size.as_size() {
                    SizeTerm::Number(n) => {
                        let text = format!("the header requires {n}");
                        if let Ok(n) = u64::try_from(n) {
                            self.mismatch(call, &found, &Origin { size: n, span: size.span, text });
                        }
                    }
                    SizeTerm::Int(name) => {
                        let first = bound.iter().find(|(other, _)| *other == name.local);
                        match first.map(|(_, first)| first.clone()) {
                            Some(first) => self.mismatch(call, &found, &first),
                            None => bound.push((name.local, found)),
                        }
                    }
                    // Only a number or a name shows that sizes are equal.
                    SizeTerm::Rows(_)
                    | SizeTerm::Columns(_)
                    | SizeTerm::Length(_)
                    | SizeTerm::Computed => {}
                }
            }
        }
    }

    /// Reports the call of a routine that compares a field with a text. The codes of texts belong
    /// to a file, which a call does not pass.
    pub(super) fn must_not_compare_texts(&mut self, callee: RoutineId) {
        let routine = self.program.routine(callee);
        let Some(text) = routine.texts.first() else { return };
        let call = self.locations[self.loc.0 as usize].span;
        let name = &routine.name;
        let message = format!("`{name}` compares a field with a text, and calls pass no texts");
        self.diagnostics.push(
            Diagnostic::at(Code::TypeMismatch, call, message)
                .label(routine.local(text.local).span, "the text")
                .help(format!("add a parameter for its code to `{name}`, or run `{name}` itself")),
        );
    }

    /// Reports a bit or row written into a table that definitely has no rows.
    pub(super) fn must_have_rows(&mut self, place: hir::VarUse) {
        let local = self.r.local(place.local);
        if !self.webs.never_set(place.site) || !local.ty.is_unsized() {
            return;
        }
        self.diagnostics.push(
            Diagnostic::at(
                Code::TableWithoutRows,
                place.span,
                format!("the table `{}` has no rows yet", local.name),
            )
            .label(local.span, "declared without sizes")
            .note("a table without declared sizes gets its rows from the first column that is written")
            .help("declare its sizes: `table(n,k)`"),
        );
    }

    fn mismatch(&mut self, span: Span, left: &Origin, right: &Origin) {
        if left.size == right.size {
            return;
        }
        let message = format!("sizes {} and {} cannot agree", left.size, right.size);
        let mut diagnostic = Diagnostic::at(Code::SizeMismatch, span, message);
        for origin in [left, right] {
            diagnostic = diagnostic.label(origin.span, origin.text.clone());
        }
        self.diagnostics.push(diagnostic);
    }

    /// Returns the size of a variable (its rows, 0, or columns, 1), if its declaration gives a
    /// number.
    fn declared(&self, local: LocalId, dim: u8) -> Option<Origin> {
        match self.declared_key(local, dim) {
            Some(SizeKey::Const(size)) => Some(self.of_variable(local, dim, size)),
            Some(
                SizeKey::Int(_)
                | SizeKey::Rows(_)
                | SizeKey::Cols(_)
                | SizeKey::Length(_)
                | SizeKey::Declared(..),
            )
            | None => None,
        }
    }

    fn of_variable(&self, local: LocalId, dim: u8, size: u64) -> Origin {
        let declared = self.r.local(local);
        let unit = match (declared.ty.kind(), dim) {
            (hir::TyKind::Table, 0) => "rows",
            (hir::TyKind::Table, _) => "columns",
            (hir::TyKind::Slice | hir::TyKind::Word, _)
            | (
                hir::TyKind::Int
                | hir::TyKind::Bool
                | hir::TyKind::Str
                | hir::TyKind::Handle
                | hir::TyKind::Error,
                _,
            ) => "components",
        };
        Origin { size, span: declared.span, text: format!("`{}` has {size} {unit}", declared.name) }
    }

    /// Returns the size of the value of an expression, if it is a known number.
    fn origin(&self, expr: &Expr, dim: u8) -> Option<Origin> {
        let exts = self.exts_of(expr);
        let ext = if dim == 0 { exts.0 } else { exts.1 };
        let Ext::Known(SizeKey::Const(size)) = ext else { return None };
        Some(match &expr.kind {
            ExprKind::Var(place) => self.of_variable(place.local, dim, size),
            ExprKind::Col(_, table) => self.of_variable(table.local, 0, size),
            ExprKind::Row(_, table) => self.of_variable(table.local, 1, size),
            ExprKind::Field(field) if dim == 0 => self.of_variable(field.table.local, 0, size),
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Bits(_)
            | ExprKind::Theta
            | ExprKind::Chain(..)
            | ExprKind::Neg(_)
            | ExprKind::Compare(..)
            | ExprKind::BoolDiffers(..)
            | ExprKind::Not(_)
            | ExprKind::BitsNot(_)
            | ExprKind::BitsEqual(..)
            | ExprKind::Component(..)
            | ExprKind::Bit(..)
            | ExprKind::Part(..)
            | ExprKind::Field(_)
            | ExprKind::Cell(..)
            | ExprKind::Inside(..)
            | ExprKind::Ones(_)
            | ExprKind::Numbers(_)
            | ExprKind::Relation(..)
            | ExprKind::Result(_)
            | ExprKind::Step(_)
            | ExprKind::Shift(..)
            | ExprKind::NCols(_)
            | ExprKind::NRows(_)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..) => {
                let unit = if size == 1 { "component" } else { "components" };
                Origin { size, span: expr.span, text: format!("this has {size} {unit}") }
            }
        })
    }
}
