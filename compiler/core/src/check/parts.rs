//! Parts of variables: components and bits, and the named parts of handles.

use star_base::{Code, Diagnostic, Span};
use star_ir::HandlePart;
use star_syntax::ast;

use super::Checker;
use super::reduce::Reduction;
use crate::hir::{Expr, ExprKind, Local, LocalId, TyKind, VarUse};

impl Checker<'_> {
    /// Resolves `H.part`: the handle and the name, if the text comes from a library module.
    pub(super) fn handle_part(
        &mut self,
        local: LocalId,
        handle: &ast::Ident,
        part: &ast::Ident,
        span: Span,
    ) -> Option<(VarUse, Box<HandlePart>)> {
        let Some(module) = self.world.units[self.unit].module(self.sources) else {
            self.opaque_handle(local, span);
            return None;
        };
        let name = part.name.as_str().into();
        let part = Box::new(HandlePart { module: module.into(), name });
        Some((self.mention(local, handle.span), part))
    }

    /// Reports a handle where none is expected.
    pub(super) fn refuse_handle(
        &mut self,
        local: LocalId,
        span: Span,
        want: Option<TyKind>,
    ) -> bool {
        if self.kind(local) != TyKind::Handle || want == Some(TyKind::Handle) {
            return false;
        }
        self.opaque_handle(local, span);
        true
    }

    /// Reports a handle that is used other than as an argument.
    pub(super) fn opaque_handle(&mut self, local: LocalId, span: Span) {
        let Local { name, span: declared, .. } = self.local(local);
        let message = format!("`{name}` is a handle, which can only be passed to a procedure");
        let diagnostic = Diagnostic::at(Code::OpaqueHandle, span, message)
            .label(*declared, "declared here")
            .note(
                "its contents are accessible only to the library procedures that create and \
                read it",
            )
            .help("call those procedures to read its contents");
        self.report(diagnostic);
    }

    /// Checks `Y(i)` or `T(i,j)` as a value.
    pub(super) fn part(
        &mut self,
        local: LocalId,
        name: &ast::Ident,
        args: &[ast::Expr],
        span: Span,
    ) -> Expr {
        let Some((place, mut indices)) = self.part_indices(local, name, args, span) else {
            return self.error(span);
        };
        let effects = indices.iter().any(|index| index.effects);
        let second = indices.pop();
        let kind = match (indices.pop(), second) {
            (Some(row), Some(column)) => ExprKind::Bit(place, Box::new(row), Box::new(column)),
            (None, Some(index)) => ExprKind::Component(place, Box::new(index)),
            (_, None) => return self.error(span),
        };
        Expr { kind, ty: TyKind::Int, span, effects }
    }

    /// Checks the indices of a component or bit: as many as the kind of the variable requires.
    pub(super) fn part_indices(
        &mut self,
        local: LocalId,
        name: &ast::Ident,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<(VarUse, Vec<Expr>)> {
        let wanted = match self.kind(local) {
            TyKind::Slice | TyKind::Word => 1,
            TyKind::Table => 2,
            kind @ (TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle | TyKind::Error) => {
                let declared = self.local(local).span;
                let mut diagnostic = Diagnostic::at(
                    Code::NotAVariable,
                    name.span,
                    format!(
                        "`{}` is {}: it has no components and is not a routine",
                        name.name,
                        kind.with_article()
                    ),
                )
                .label(declared, "declared here");
                if Reduction::named(&name.name).is_some() {
                    diagnostic =
                        diagnostic.help("rename the variable: it hides the reduction of this name");
                }
                self.report(diagnostic);
                return None;
            }
        };
        if args.len() != wanted {
            let what = self.kind(local).name();
            let mut diagnostic = Diagnostic::at(
                Code::ArgumentCount,
                span,
                format!(
                    "a {what} needs {wanted} {} here",
                    if wanted == 1 { "index" } else { "indices" }
                ),
            );
            if wanted == 2 {
                diagnostic = diagnostic.help(format!(
                    "`{0}(i,j)` is bit j of row i; a whole row is `ROW(i,{0})`, a column `COL(j,{0})`",
                    name.name
                ));
            }
            self.report(diagnostic);
            return None;
        }
        let indices: Vec<Expr> = args.iter().map(|arg| self.typed(arg, TyKind::Int)).collect();
        Some((self.mention(local, name.span), indices))
    }
}
