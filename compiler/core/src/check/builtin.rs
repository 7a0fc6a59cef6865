//! Built-ins used as values.

use star_base::builtins::{Form, Operand, ResultKind, Special};
use star_base::{Builtin, Code, Diagnostic, Span};
use star_ir::{Direction, IntOp};
use star_syntax::ast;

use super::path::inside;
use super::records::joined;
use super::{Checker, ExpectedName, habit};
use crate::hir::{Expr, ExprKind, Field, TyKind, VarUse};

impl Checker<'_> {
    /// Checks a built-in in an expression.
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        name: &ast::Ident,
        args: &[ast::Expr],
        span: Span,
        bits: TyKind,
    ) -> Expr {
        if !self.count_is_right(builtin, name, args.len()) {
            return self.error(span);
        }
        let special = match builtin.form() {
            Form::Value(operands, result) => {
                return self.value_of_values(builtin, (operands, result), args, span, bits);
            }
            Form::Special(special, _) => special,
            Form::Statement(..) => {
                self.report(
                    Diagnostic::at(
                        Code::ProcedureAsValue,
                        name.span,
                        format!("`{}` has no value", builtin.name()),
                    )
                    .help(format!("it is a statement: `{}`", builtin.usage())),
                );
                return self.error(span);
            }
        };
        match special {
            Special::Convert => {
                let operand = self.bits(&args[0]);
                let ty = match operand.ty {
                    TyKind::Slice => TyKind::Word,
                    TyKind::Word => TyKind::Slice,
                    TyKind::Int
                    | TyKind::Bool
                    | TyKind::Str
                    | TyKind::Table
                    | TyKind::Handle
                    | TyKind::Error => {
                        return self.error(span);
                    }
                };
                node(builtin, vec![operand], ty, span)
            }
            Special::Step => match self.bits_variable(&args[0], name) {
                Some(place) => {
                    Expr { kind: ExprKind::Step(place), ty: TyKind::Int, span, effects: true }
                }
                None => self.error(span),
            },
            Special::Shift => self.shift(args, span, bits),
            Special::Col => {
                self.line((&args[0], &args[1]), name, span, TyKind::Slice, ExprKind::Col)
            }
            Special::Row => {
                self.line((&args[0], &args[1]), name, span, TyKind::Word, ExprKind::Row)
            }
            Special::Size => self.size_of(&args[0], name, span, TyKind::Word),
            Special::Rows => self.size_of(&args[0], name, span, TyKind::Slice),
            Special::Name => {
                let vertex = self.typed(&args[0], TyKind::Int);
                node(builtin, vec![vertex], TyKind::Str, span)
            }
        }
    }

    /// Checks a built-in whose operands are values. `bits` is the kind of bit constants that the
    /// result determines.
    fn value_of_values(
        &mut self,
        builtin: Builtin,
        (operands, result): (&[Operand], ResultKind),
        args: &[ast::Expr],
        span: Span,
        bits: TyKind,
    ) -> Expr {
        let bits = if result == ResultKind::Same { bits } else { TyKind::Word };
        let operands: Vec<Expr> = operands
            .iter()
            .zip(args)
            .map(|(operand, arg)| match operand {
                Operand::Int => self.typed(arg, TyKind::Int),
                Operand::Word => self.typed(arg, TyKind::Word),
                Operand::Bits => self.bits_as(arg, bits),
            })
            .collect();
        let ty = match result {
            ResultKind::Int => TyKind::Int,
            ResultKind::Bool => TyKind::Bool,
            ResultKind::Word => TyKind::Word,
            ResultKind::Same => operands.first().map_or(TyKind::Error, |first| first.ty),
        };
        node(builtin, operands, ty, span)
    }

    /// Checks `COL` or `ROW`.
    fn line(
        &mut self,
        (index, table): (&ast::Expr, &ast::Expr),
        name: &ast::Ident,
        span: Span,
        ty: TyKind,
        kind: fn(Box<Expr>, VarUse) -> ExprKind,
    ) -> Expr {
        let index = self.typed(index, TyKind::Int);
        if let ast::ExprKind::Path(path) = &table.kind {
            return self.line_of_field(index, path, ty, span);
        }
        let effects = index.effects;
        match self.table(table, name) {
            Some(table) => Expr { kind: kind(Box::new(index), table), ty, span, effects },
            None => self.error(span),
        }
    }

    /// Checks a column or row of a field.
    fn line_of_field(&mut self, index: Expr, path: &ast::Path, ty: TyKind, span: Span) -> Expr {
        let Some(field) = self.field_of(path) else { return self.error(span) };
        let effects = index.effects || field.base.effects;
        let kind = match ty {
            TyKind::Slice => {
                let Field { table, base, width, .. } = *field;
                ExprKind::Col(Box::new(joined(IntOp::Add, base, inside(index, width))), table)
            }
            _ => ExprKind::Cell(Box::new(index), field),
        };
        Expr { kind, ty, span, effects }
    }

    /// Checks `rows` (`of` is a slice) or `size` (`of` is a word).
    fn size_of(&mut self, table: &ast::Expr, name: &ast::Ident, span: Span, of: TyKind) -> Expr {
        if let ast::ExprKind::Path(path) = &table.kind {
            return match self.field_of(path) {
                Some(field) if of == TyKind::Word => Expr { span, ..field.width },
                Some(field) => self.measure(field.table, of, span),
                None => self.error(span),
            };
        }
        match self.table(table, name) {
            Some(table) => self.measure(table, of, span),
            None => self.error(span),
        }
    }

    /// Reports a wrong number of arguments.
    pub(super) fn count_is_right(
        &mut self,
        builtin: Builtin,
        name: &ast::Ident,
        n_args: usize,
    ) -> bool {
        let (least, most) = builtin.arity();
        if (least..=most).contains(&n_args) {
            return true;
        }
        let counts = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        let plural = if most == 1 { "" } else { "s" };
        let message = format!(
            "`{}` takes {counts} argument{plural}, but {n_args} {} given",
            builtin.name(),
            crate::scope::were(n_args)
        );
        let mut diagnostic = Diagnostic::at(Code::ArgumentCount, name.span, message).help(format!(
            "`{}`: {}",
            builtin.usage(),
            builtin.summary()
        ));
        // `write` and `read` of Pascal take any number of arguments.
        if let Some(help) = habit(builtin.name()) {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
        false
    }

    fn shift(&mut self, args: &[ast::Expr], span: Span, bits: TyKind) -> Expr {
        let whole = self.bits_as(&args[0], bits);
        let direction =
            args[1].plain_name().and_then(|word| match word.name.to_lowercase().as_str() {
                "up" => Some(Direction::Up),
                "down" => Some(Direction::Down),
                _ => None,
            });
        let by = self.typed(&args[2], TyKind::Int);
        let Some(direction) = direction else {
            self.report(Diagnostic::at(
                Code::TypeMismatch,
                args[1].span,
                "the second argument of `SHIFT` is the word `up` or `down`",
            ));
            return self.error(span);
        };
        let (ty, effects) = (whole.ty, whole.effects || by.effects);
        Expr { kind: ExprKind::Shift(Box::new(whole), direction, Box::new(by)), ty, span, effects }
    }

    /// Returns the table operand of `COL`, `ROW`, `size` and `rows`, which must be a variable.
    pub(super) fn table(&mut self, tree: &ast::Expr, user: &ast::Ident) -> Option<VarUse> {
        self.place(tree, user, "a table", |kind| kind == TyKind::Table)
    }

    /// Returns the slice or word that `STEP`, `SET` or `CLR` modifies, which must be a variable.
    pub(super) fn bits_variable(&mut self, tree: &ast::Expr, user: &ast::Ident) -> Option<VarUse> {
        let place = self.place(tree, user, "a slice or word", TyKind::is_bits)?;
        self.writable(place.local, place.span).then_some(place)
    }

    /// Returns the variable on which a built-in operates.
    pub(super) fn place(
        &mut self,
        tree: &ast::Expr,
        user: &ast::Ident,
        wanted: &str,
        suits: impl Fn(TyKind) -> bool,
    ) -> Option<VarUse> {
        let Some(name) = tree.plain_name() else {
            if !tree.is_error() {
                let message = format!("`{}` needs a variable here: {wanted}", user.name);
                let help = habit(&user.name).unwrap_or("assign the value to a variable first");
                self.report(Diagnostic::at(Code::VarNeedsVariable, tree.span, message).help(help));
            }
            return None;
        };
        let Some(local) = self.variable(&name.name) else {
            self.unknown(&name, ExpectedName::Name);
            return None;
        };
        let found = self.kind(local);
        if !suits(found) {
            let declared = self.local(local).span;
            let mut diagnostic = Diagnostic::at(
                Code::TypeMismatch,
                tree.span,
                format!("expected {wanted}, found {}", found.with_article()),
            )
            .label(declared, format!("`{}` is declared here", name.name));
            if wanted == "a table" && found.is_bits() {
                diagnostic = diagnostic.help(format!("a component of it is `{}(i)`", name.name));
            }
            if let Some(help) = habit(&user.name) {
                diagnostic = diagnostic.help(help);
            }
            self.report(diagnostic);
            return None;
        }
        Some(self.mention(local, name.span))
    }

    /// Returns the number of rows (`of` is a slice) or columns (`of` is a word) of a table, or the
    /// length of bits.
    pub(super) fn measure(&mut self, place: VarUse, of: TyKind, span: Span) -> Expr {
        let ty = self.kind(place.local);
        let kind = if ty != TyKind::Table {
            let operand = Expr { kind: ExprKind::Var(place), ty, span, effects: false };
            ExprKind::Builtin(Builtin::Length, vec![operand])
        } else if of == TyKind::Word {
            ExprKind::NCols(place)
        } else {
            ExprKind::NRows(place)
        };
        Expr { kind, ty: TyKind::Int, span, effects: false }
    }
}

fn node(builtin: Builtin, args: Vec<Expr>, ty: TyKind, span: Span) -> Expr {
    let effects = args.iter().any(|arg| arg.effects);
    let ty = if args.iter().any(|arg| arg.ty == TyKind::Error) { TyKind::Error } else { ty };
    Expr { kind: ExprKind::Builtin(builtin, args), ty, span, effects }
}
