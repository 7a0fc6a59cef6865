//! Reductions: `count(X)`, `min(F where X)` and others, which join many rows into one value. Their
//! names are predeclared; a routine of the program with such a name hides the reduction.
//!
//! Each stands for a call of the library, or for built-ins.

use star_base::{Builtin, Code, Diagnostic, Span};
use star_syntax::ast;

use super::Checker;
use super::layout::FieldKind;
use crate::hir::{Arg, ChainOp, Expr, ExprKind, Local, LocalId, ResultOf, Role, Ty, TyKind};

/// A reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// `count(X)`
    Count,
    /// `sum(F where X)`
    Sum,
    /// `min(F where X)`
    Min,
    /// `max(F where X)`
    Max,
    /// `argmin(F where X)`
    ArgMin,
    /// `argmax(F where X)`
    ArgMax,
    /// `kmin(k, F where X)`
    KMin,
    /// `kmax(k, F where X)`
    KMax,
    /// `orrows(T where X)`
    OrRows,
    /// `androws(T where X)`
    AndRows,
    /// `xorrows(T where X)`
    XorRows,
    /// `high(F)`, the greatest number of a field
    High,
    /// `low(F)`, the least number of a field
    Low,
}

/// All reductions with their names.
const ALL: [(&str, Reduction); 13] = [
    ("count", Reduction::Count),
    ("sum", Reduction::Sum),
    ("min", Reduction::Min),
    ("max", Reduction::Max),
    ("argmin", Reduction::ArgMin),
    ("argmax", Reduction::ArgMax),
    ("kmin", Reduction::KMin),
    ("kmax", Reduction::KMax),
    ("orrows", Reduction::OrRows),
    ("androws", Reduction::AndRows),
    ("xorrows", Reduction::XorRows),
    ("high", Reduction::High),
    ("low", Reduction::Low),
];

impl Reduction {
    /// Returns the reduction with this name, in any letter case, and number of arguments.
    pub(crate) fn find(name: &str, n_args: usize) -> Option<Reduction> {
        Reduction::named(name).filter(|one| one.n_args() == n_args)
    }

    /// Returns the reduction with this name, in any letter case.
    pub(crate) fn named(name: &str) -> Option<Reduction> {
        let found = ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, reduction)| *reduction)
    }

    /// Returns its number of arguments.
    pub(crate) fn n_args(self) -> usize {
        if matches!(self, Reduction::KMin | Reduction::KMax) { 2 } else { 1 }
    }

    fn name(self) -> &'static str {
        ALL.iter().find(|(_, one)| *one == self).map_or("", |(name, _)| name)
    }

    /// Returns the library procedure that finds the rows or joins them.
    fn procedure(self, is_signed: bool) -> &'static str {
        match self {
            Reduction::Count | Reduction::Sum | Reduction::High | Reduction::Low => "SUMROWS",
            Reduction::Min | Reduction::ArgMin if is_signed => "SMIN",
            Reduction::Max | Reduction::ArgMax if is_signed => "SMAX",
            Reduction::Min | Reduction::ArgMin => "MIN",
            Reduction::Max | Reduction::ArgMax => "MAX",
            // The order of signed numbers is that of unsigned ones with an inverted sign.
            Reduction::KMin => "KMIN",
            Reduction::KMax => "KMAX",
            Reduction::OrRows => "ORROWS",
            Reduction::AndRows => "ANDROWS",
            Reduction::XorRows => "XORROWS",
        }
    }
}

/// The table that is reduced.
pub(super) struct Source {
    pub(super) table: Expr,
    /// A variable with the same rows.
    pub(super) rows_of: LocalId,
    /// Are the numbers in two's complement?
    pub(super) is_signed: bool,
}

impl Checker<'_> {
    /// Returns the reduction that a name with arguments denotes, unless the program declares a
    /// routine of that name.
    pub(super) fn reduction(&self, name: &ast::Ident, n_args: usize) -> Option<Reduction> {
        let found = Reduction::find(&name.name, n_args)?;
        (!self.world.hides(self.unit, &name.name)).then_some(found)
    }

    /// Checks a reduction.
    pub(super) fn reduce(&mut self, of: Reduction, args: &[ast::Expr], span: Span) -> Expr {
        let Some((last, first)) = args.split_last() else { return self.error(span) };
        let (value, filter, otherwise) = match &last.kind {
            ast::ExprKind::Filtered(filtered) => {
                (&filtered.value, Some(&filtered.filter), filtered.otherwise.as_ref())
            }
            _ => (last, None, None),
        };
        if let Some(otherwise) = otherwise
            && !matches!(of, Reduction::Min | Reduction::Max)
        {
            let message = format!("`{}` always has a value", of.name());
            let diagnostic = Diagnostic::at(Code::BadFilter, otherwise.span, message);
            self.report(diagnostic.note("only `min` and `max` have an `else`"));
        }
        match of {
            Reduction::Count => return self.count(value, filter, span),
            Reduction::High | Reduction::Low => {
                return self.extreme_of(last, of == Reduction::High, span);
            }
            _ => {}
        }
        if let (Some(number), Reduction::KMin | Reduction::KMax) = (first.first(), of)
            && self.is_column(number)
            && !self.is_column(value)
        {
            let message = format!("the first argument of `{}` is the number of rows", of.name());
            let (field, number) = (self.sources.slice(number.span), self.sources.slice(value.span));
            self.report(
                Diagnostic::at(Code::TypeMismatch, span, message)
                    .help(format!("write `{}({number},{field})`", of.name())),
            );
            return self.error(span);
        }
        let n_rows = first.first().map(|tree| self.typed(tree, TyKind::Int));
        let Some(source) = self.reduced(of, of.name(), value) else { return self.error(span) };
        let Source { table, rows_of, is_signed } = source;
        let mask = match filter {
            Some(filter) => self.typed(filter, TyKind::Slice),
            None => self.all_rows(rows_of, span),
        };
        let otherwise = otherwise.map(|tree| self.typed(tree, TyKind::Int));
        let has_otherwise = otherwise.is_some();
        let operands = [table, mask].into_iter().chain(otherwise);
        let values: Vec<Arg> = n_rows.into_iter().chain(operands).map(Arg::Value).collect();
        let effects = values.iter().any(|arg| matches!(arg, Arg::Value(value) if value.effects));
        let node = |kind, ty| Expr { kind, ty, span, effects };
        let procedure = of.procedure(is_signed);
        match of {
            Reduction::KMin | Reduction::KMax => {
                self.result_of_procedure(procedure, values, TyKind::Slice, span)
            }
            Reduction::OrRows | Reduction::AndRows | Reduction::XorRows => {
                self.result_of_procedure(procedure, values, TyKind::Word, span)
            }
            Reduction::ArgMin | Reduction::ArgMax => {
                let rows = self.result_of_procedure(procedure, values, TyKind::Slice, span);
                node(ExprKind::Builtin(Builtin::Fnd, vec![rows]), TyKind::Int)
            }
            Reduction::Min
            | Reduction::Max
            | Reduction::Sum
            | Reduction::Count
            | Reduction::High
            | Reduction::Low => {
                let name = match (of, has_otherwise, is_signed) {
                    (Reduction::Min, true, false) => "MINOR",
                    (Reduction::Min, true, true) => "SMINOR",
                    (Reduction::Max, true, false) => "MAXOR",
                    (Reduction::Max, true, true) => "SMAXOR",
                    (Reduction::Min, false, false) => "LEAST",
                    (Reduction::Min, false, true) => "SLEAST",
                    (Reduction::Max, false, false) => "GREATEST",
                    (Reduction::Max, false, true) => "SGREATEST",
                    (_, _, false) => "SUMROWS",
                    (_, _, true) => "SSUMROWS",
                };
                match self.world.library_routine(name) {
                    Some(function) => node(ExprKind::Call(function, values), TyKind::Int),
                    None => self.no_library(name, span),
                }
            }
        }
    }

    fn count(&mut self, value: &ast::Expr, filter: Option<&ast::Expr>, span: Span) -> Expr {
        let mut value = self.bits_as(value, TyKind::Slice);
        if let Some(filter) = filter {
            let filter = self.typed(filter, TyKind::Slice);
            if value.ty == TyKind::Word {
                self.type_mismatch(value.span, TyKind::Slice, TyKind::Word, None);
                return self.error(span);
            }
            let effects = value.effects || filter.effects;
            let links = vec![(ChainOp::Bits(star_ir::LogicOp::And), filter)];
            let kind = ExprKind::Chain(Box::new(value), links);
            value = Expr { kind, ty: TyKind::Slice, span, effects };
        }
        let (ty, effects) = (TyKind::Int, value.effects);
        Expr { kind: ExprKind::Builtin(Builtin::Numb, vec![value]), ty, span, effects }
    }

    /// Returns the table, field or column expression that is reduced.
    /// `name` is that of the reduction or loop.
    pub(super) fn reduced(
        &mut self,
        of: Reduction,
        name: &str,
        value: &ast::Expr,
    ) -> Option<Source> {
        let joins = matches!(of, Reduction::OrRows | Reduction::AndRows | Reduction::XorRows);
        let numbers = if joins { "a table or a field" } else { "a table or numbers of rows" };
        let (message, span) = (format!("`{name}` needs {numbers}"), value.span);
        if let Some(FieldKind::Bits) = self.field_kind(value)
            && !joins
        {
            self.report(
                Diagnostic::at(Code::TypeMismatch, span, format!("`{name}` needs numbers"))
                    .note("the field is declared as `bits`, which are not a number"),
            );
            return None;
        }
        if self.is_column(value) && !(joins && self.field_kind(value).is_some()) {
            let terms = self.column(value)?;
            let rows_of = terms.table()?;
            if joins {
                self.report(Diagnostic::at(Code::TypeMismatch, span, message));
                return None;
            }
            let is_signed = terms.may_be_negative();
            let offset = is_signed && matches!(of, Reduction::KMin | Reduction::KMax);
            let table = match terms.into_plain_field() {
                Ok(field) => field,
                Err(terms) => self.table_of_numbers(terms, offset, span),
            };
            return Some(Source { table, rows_of, is_signed });
        }
        let table = self.expr(value, Some(TyKind::Table));
        let rows_of = match &table.kind {
            ExprKind::Var(of) if table.ty == TyKind::Table => of.local,
            ExprKind::Field(field) => field.table.local,
            _ => {
                if table.ty != TyKind::Error {
                    let found = format!("{message}, found {}", table.ty.with_article());
                    let mut diagnostic = Diagnostic::at(Code::TypeMismatch, span, found);
                    let text = self.sources.slice(span);
                    let form = match of {
                        _ if name == "values" => {
                            format!("`foreach i in {text} do` visits the ones of a slice")
                        }
                        Reduction::Sum => format!("`count({text})` is the number of ones"),
                        Reduction::KMin | Reduction::KMax => {
                            format!("a slice selects rows of a field F: `{name}(k,F where {text})`")
                        }
                        _ => format!("a slice selects rows of a field F: `{name}(F where {text})`"),
                    };
                    if table.ty == TyKind::Slice {
                        diagnostic = diagnostic.help(form);
                    }
                    self.report(diagnostic);
                }
                return None;
            }
        };
        Some(Source { table, rows_of, is_signed: false })
    }

    /// Returns the call of a library procedure whose last parameter is the value.
    pub(super) fn result_of_procedure(
        &mut self,
        procedure: &str,
        mut args: Vec<Arg>,
        ty: TyKind,
        span: Span,
    ) -> Expr {
        let Some(callee) = self.world.library_routine(procedure) else {
            return self.no_library(procedure, span);
        };
        let local = LocalId(self.locals.len() as u32);
        let bits = if ty == TyKind::Word { Ty::Word(None) } else { Ty::Slice(None) };
        // No text can mention it.
        let name = format!("‹{procedure}›");
        self.locals.push(Local { name, span, ty: bits, role: Role::Local, record: None });
        let [place, value] = [(); 2].map(|()| self.fresh_use(local, span));
        args.push(Arg::Ref(place));
        let effects = args.iter().any(|arg| matches!(arg, Arg::Value(one) if one.effects));
        let kind = ExprKind::Result(Box::new(ResultOf { callee, args, value }));
        Expr { kind, ty, span, effects }
    }

    /// Reports that a program without the library cannot use a reduction.
    fn no_library(&mut self, procedure: &str, span: Span) -> Expr {
        let message = format!("this needs `{procedure}` of the basic library");
        self.report(Diagnostic::at(Code::UnknownRoutine, span, message));
        self.error(span)
    }

    /// Reports a `where` that does not belong to a reduction.
    pub(super) fn stray_filter(&mut self, filtered: &ast::Filtered, span: Span) -> Expr {
        let at = Span::new(span.file, filtered.value.span.end, filtered.filter.span.end);
        self.report(
            Diagnostic::at(Code::BadFilter, at, "a filter without a reduction").note(
                "`where` belongs to the last argument of a reduction, as in `sum(F where X)`",
            ),
        );
        self.error(span)
    }
}
