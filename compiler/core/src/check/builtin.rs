//! Built-ins used as values.

use star_base::{Builtin, Code, Diagnostic, Span};
use star_ir::Direction;
use star_syntax::ast;

use super::{Checker, ExpectedName};
use crate::hir::{Expr, ExprKind, Kind, VarUse};

impl Checker<'_> {
    /// A built-in in an expression.
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        name: &ast::Ident,
        args: &[ast::Expr],
        span: Span,
        bits: Kind,
    ) -> Expr {
        if !self.count_is_right(builtin, name, args.len()) {
            return self.error(span);
        }
        match builtin {
            Builtin::Fnd | Builtin::Numb | Builtin::Length => {
                self.of_bits(builtin, args, span, Some(Kind::Int), Kind::Word)
            }
            Builtin::Some | Builtin::One | Builtin::Zero => {
                self.of_bits(builtin, args, span, Some(Kind::Bool), Kind::Word)
            }
            Builtin::Frst | Builtin::Mirror | Builtin::Shuffle => {
                self.of_bits(builtin, args, span, None, bits)
            }
            Builtin::Convert => {
                let operand = self.bits(&args[0]);
                let ty = match operand.ty {
                    Kind::Slice => Kind::Word,
                    Kind::Word => Kind::Slice,
                    Kind::Int
                    | Kind::Bool
                    | Kind::Str
                    | Kind::Table
                    | Kind::Handle
                    | Kind::Error => {
                        return self.error(span);
                    }
                };
                node(builtin, vec![operand], ty, span)
            }
            Builtin::Step => match self.bits_variable(&args[0], name) {
                Some(place) => {
                    Expr { kind: ExprKind::Step(place), ty: Kind::Int, span, effects: true }
                }
                None => self.error(span),
            },
            Builtin::Mask => {
                let whole = self.bits_as(&args[0], bits);
                let (from, to) = (self.typed(&args[1], Kind::Int), self.typed(&args[2], Kind::Int));
                let ty = whole.ty;
                node(builtin, vec![whole, from, to], ty, span)
            }
            Builtin::Shift => self.shift(args, span, bits),
            Builtin::Rotate => {
                let (whole, by) = (self.bits_as(&args[0], bits), self.typed(&args[1], Kind::Int));
                let ty = whole.ty;
                node(builtin, vec![whole, by], ty, span)
            }
            Builtin::Trim => {
                let (from, to) = (self.typed(&args[0], Kind::Int), self.typed(&args[1], Kind::Int));
                let word = self.typed(&args[2], Kind::Word);
                node(builtin, vec![from, to, word], Kind::Word, span)
            }
            Builtin::Eq
            | Builtin::NotEq
            | Builtin::Less
            | Builtin::LessEq
            | Builtin::Great
            | Builtin::GreatEq => {
                let operands =
                    vec![self.typed(&args[0], Kind::Word), self.typed(&args[1], Kind::Word)];
                node(builtin, operands, Kind::Bool, span)
            }
            Builtin::Add | Builtin::Subt => {
                let operands =
                    vec![self.typed(&args[0], Kind::Word), self.typed(&args[1], Kind::Word)];
                node(builtin, operands, Kind::Word, span)
            }
            Builtin::Int => {
                let word = self.typed(&args[0], Kind::Word);
                node(builtin, vec![word], Kind::Int, span)
            }
            Builtin::Word => {
                let operands =
                    vec![self.typed(&args[0], Kind::Int), self.typed(&args[1], Kind::Int)];
                node(builtin, operands, Kind::Word, span)
            }
            Builtin::Col | Builtin::Row => {
                let index = self.typed(&args[0], Kind::Int);
                let Some(table) = self.table(&args[1], name) else {
                    return self.error(span);
                };
                let effects = index.effects;
                let (kind, ty) = if builtin == Builtin::Col {
                    (ExprKind::Col(Box::new(index), table), Kind::Slice)
                } else {
                    (ExprKind::Row(Box::new(index), table), Kind::Word)
                };
                Expr { kind, ty, span, effects }
            }
            Builtin::Size | Builtin::Rows => match self.table(&args[0], name) {
                Some(table) => {
                    let of = if builtin == Builtin::Rows { Kind::Slice } else { Kind::Word };
                    self.measure(table, of, span)
                }
                None => self.error(span),
            },
            Builtin::Set
            | Builtin::Clr
            | Builtin::Rep
            | Builtin::Print
            | Builtin::Read
            | Builtin::Write
            | Builtin::Assert
            | Builtin::Exit
            | Builtin::Break
            | Builtin::Continue => {
                self.report(
                    Diagnostic::at(
                        Code::ProcedureAsValue,
                        name.span,
                        format!("`{}` has no value", builtin.name()),
                    )
                    .help(format!("it is a statement: `{}`", builtin.usage())),
                );
                self.error(span)
            }
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
        self.report(
            Diagnostic::at(
                Code::ArgumentCount,
                name.span,
                format!(
                    "`{}` takes {counts} argument{plural}, but {n_args} {} given",
                    builtin.name(),
                    crate::scope::were(n_args)
                ),
            )
            .help(format!("`{}`: {}", builtin.usage(), builtin.summary())),
        );
        false
    }

    fn of_bits(
        &mut self,
        builtin: Builtin,
        args: &[ast::Expr],
        span: Span,
        ty: Option<Kind>,
        bits: Kind,
    ) -> Expr {
        let operand = self.bits_as(&args[0], bits);
        if operand.ty == Kind::Error {
            return self.error(span);
        }
        let ty = ty.unwrap_or(operand.ty);
        node(builtin, vec![operand], ty, span)
    }

    fn shift(&mut self, args: &[ast::Expr], span: Span, bits: Kind) -> Expr {
        let whole = self.bits_as(&args[0], bits);
        let direction =
            args[1].plain_name().and_then(|word| match word.name.to_lowercase().as_str() {
                "up" => Some(Direction::Up),
                "down" => Some(Direction::Down),
                _ => None,
            });
        let by = self.typed(&args[2], Kind::Int);
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

    /// The table of `COL`, `ROW`, `size`, `rows`: a variable.
    pub(super) fn table(&mut self, tree: &ast::Expr, user: &ast::Ident) -> Option<VarUse> {
        self.place(tree, user, "a table", |kind| kind == Kind::Table)
    }

    /// The slice or word of `STEP`, `SET`, `CLR`: a variable that changes.
    pub(super) fn bits_variable(&mut self, tree: &ast::Expr, user: &ast::Ident) -> Option<VarUse> {
        let place = self.place(tree, user, "a slice or word", Kind::is_bits)?;
        self.writable(place.local, place.span).then_some(place)
    }

    /// A variable that a built-in works on.
    pub(super) fn place(
        &mut self,
        tree: &ast::Expr,
        user: &ast::Ident,
        wanted: &str,
        suits: impl Fn(Kind) -> bool,
    ) -> Option<VarUse> {
        let Some(name) = tree.plain_name() else {
            if !tree.is_error() {
                self.report(
                    Diagnostic::at(
                        Code::VarNeedsVariable,
                        tree.span,
                        format!("`{}` needs a variable here: {wanted}", user.name),
                    )
                    .help("assign the value to a variable first"),
                );
            }
            return None;
        };
        let Some(local) = self.variable(&name.name) else {
            self.unknown(name, ExpectedName::Name);
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
            self.report(diagnostic);
            return None;
        }
        Some(self.mention(local, tree.span))
    }

    /// The number of rows (`of` a slice) or columns (`of` a word) of a table, or the length of bits.
    pub(super) fn measure(&mut self, place: VarUse, of: Kind, span: Span) -> Expr {
        let ty = self.kind(place.local);
        let kind = if ty != Kind::Table {
            let operand = Expr { kind: ExprKind::Var(place), ty, span, effects: false };
            ExprKind::Builtin(Builtin::Length, vec![operand])
        } else if of == Kind::Word {
            ExprKind::NCols(place)
        } else {
            ExprKind::NRows(place)
        };
        Expr { kind, ty: Kind::Int, span, effects: false }
    }
}

fn node(builtin: Builtin, args: Vec<Expr>, ty: Kind, span: Span) -> Expr {
    let effects = args.iter().any(|arg| arg.effects);
    let ty = if args.iter().any(|arg| arg.ty == Kind::Error) { Kind::Error } else { ty };
    Expr { kind: ExprKind::Builtin(builtin, args), ty, span, effects }
}
