//! Calls: checks arguments against parameters, and which variables can be written.

use star_base::{Code, Diagnostic, Span};
use star_syntax::ast;

use super::path::FieldKey;
use super::{Checker, ExpectedName};
use crate::hir::{Arg, Expr, ExprKind, Local, LocalId, RecordArg, Role, RoutineId, TyKind, VarUse};
use crate::uses::Access;

impl Checker<'_> {
    /// Checks the call of a function.
    pub(super) fn function(
        &mut self,
        id: RoutineId,
        name: &ast::Ident,
        args: &[ast::Expr],
        span: Span,
    ) -> Expr {
        let Some(result) = self.world.signature(id).result else {
            let header = self.world.signature(id).tree.header;
            self.report(
                Diagnostic::at(
                    Code::ProcedureAsValue,
                    name.span,
                    format!("`{}` is a procedure and has no value", name.name),
                )
                .label(header, "declared here")
                .help("call it as a statement; it returns results through `var` parameters"),
            );
            return self.error(span);
        };
        let args = self.arguments(id, args, span);
        let effects = args.iter().any(|arg| match arg {
            Arg::Value(value) => value.effects,
            Arg::Ref(_) | Arg::Field(..) => true,
        });
        Expr { kind: ExprKind::Call(id, args), ty: result, span, effects }
    }

    /// Checks the arguments of a call whose number is already known to match.
    pub(super) fn arguments(&mut self, id: RoutineId, trees: &[ast::Expr], span: Span) -> Vec<Arg> {
        let n_params = self.world.signature(id).params.len();
        if n_params != trees.len() {
            // The callee was found by its number of arguments.
            return Vec::new();
        }
        let mut by_ref: Vec<(LocalId, Option<FieldKey>, Span)> = Vec::new();
        let mut args = Vec::with_capacity(trees.len());
        for (idx, tree) in trees.iter().enumerate() {
            let param = &self.world.signature(id).params[idx];
            let (kind, is_ref, sized, name, param_span) =
                (param.kind, param.by_ref, param.sized, param.name.clone(), param.span);
            if !is_ref {
                if matches!(tree.kind, ast::ExprKind::Theta) && kind.is_bits() && !sized {
                    self.report(
                        Diagnostic::at(Code::UnknownBitsType, tree.span, "`Θ` has no size here")
                            .label(param_span, format!("`{name}` is declared without a size"))
                            .help("pass a variable that was cleared"),
                    );
                    args.push(Arg::Value(self.error(tree.span)));
                    continue;
                }
                if matches!(tree.kind, ast::ExprKind::Theta) {
                    self.report(
                        Diagnostic::at(
                            Code::UnknownBitsType,
                            tree.span,
                            "`Θ` has no size as an argument",
                        )
                        .help("pass a variable that was cleared"),
                    );
                    args.push(Arg::Value(self.error(tree.span)));
                    continue;
                }
                let n_before = self.diagnostics.len();
                let value = self.typed(tree, kind);
                if value.ty == TyKind::Error && self.diagnostics.len() > n_before {
                    // Show the parameter that requires this type.
                    if let Some(last) = self.diagnostics.last_mut()
                        && last.code == Code::TypeMismatch
                        && last.span() == Some(tree.span)
                    {
                        last.labels.push(star_base::Label {
                            span: param_span,
                            text: format!("for the parameter `{name}`"),
                        });
                    }
                }
                args.push(Arg::Value(value));
                continue;
            }
            let Some((arg, key)) = self.by_reference(tree, kind, &name, param_span) else {
                args.push(Arg::Value(self.error(span)));
                continue;
            };
            let (local, here) = match &arg {
                Arg::Ref(place) => (place.local, place.span),
                Arg::Field(field, _) => (field.table.local, field.span),
                Arg::Value(_) => continue,
            };
            let overlaps = |other: Option<FieldKey>| match (key, other) {
                (Some(one), Some(other)) => one.overlaps(other),
                (None, _) | (_, None) => true,
            };
            let is_same =
                |other: &&(LocalId, Option<FieldKey>, Span)| other.0 == local && overlaps(other.1);
            if let Some(&(_, other, first)) = by_ref.iter().find(is_same) {
                let variable = self.local(local).name.clone();
                let message = match (key, other) {
                    (None, None) => format!("`{variable}` is passed to two `var` parameters"),
                    (_, _) => {
                        format!("two `var` parameters may share columns of `{variable}`")
                    }
                };
                self.report(
                    Diagnostic::at(Code::AliasedVar, here, message)
                        .label(first, "here too")
                        .help("pass a copy, then decide which result to keep"),
                );
            }
            by_ref.push((local, key, here));
            args.push(arg);
        }
        let implicit = self.implicit_arguments(id, &args, span);
        args.extend(implicit);
        args
    }

    /// Checks the argument for a `var` parameter: a variable, or a field with its identity.
    fn by_reference(
        &mut self,
        tree: &ast::Expr,
        kind: TyKind,
        param: &str,
        param_span: Span,
    ) -> Option<(Arg, Option<FieldKey>)> {
        let ast::ExprKind::Path(path) = &tree.kind else {
            let place = self.variable_argument(tree, kind, param, param_span)?;
            return Some((Arg::Ref(place), None));
        };
        let (arg, key) = self.path_argument(path)?;
        if let Arg::Field(_, found) = &arg
            && *found != kind
        {
            let found = *found;
            let n_before = self.diagnostics.len();
            self.type_mismatch(tree.span, kind, found, None);
            if let Some(last) = self.diagnostics.get_mut(n_before) {
                let text = format!("for the `var` parameter `{param}`");
                last.labels.push(star_base::Label { span: param_span, text });
            }
            return None;
        }
        Some((arg, Some(key)))
    }

    /// Checks the variable passed for a `var` parameter.
    fn variable_argument(
        &mut self,
        tree: &ast::Expr,
        kind: TyKind,
        param: &str,
        param_span: Span,
    ) -> Option<VarUse> {
        let Some(name) = tree.plain_name() else {
            if !tree.is_error() {
                self.report(
                    Diagnostic::at(
                        Code::VarNeedsVariable,
                        tree.span,
                        format!("the `var` parameter `{param}` needs a variable"),
                    )
                    .label(param_span, "declared here")
                    .help("assign the value to a variable and pass that"),
                );
            }
            return None;
        };
        self.declare_if_new(&name, kind);
        let Some(local) = self.variable(&name.name) else {
            self.unknown(&name, ExpectedName::Name);
            return None;
        };
        let found = self.kind(local);
        if found != kind {
            let declared = self.local(local).span;
            self.report(
                Diagnostic::at(
                    Code::TypeMismatch,
                    tree.span,
                    format!("expected {}, found {}", kind.with_article(), found.with_article()),
                )
                .label(param_span, format!("for the `var` parameter `{param}`"))
                .label(declared, format!("`{}` is declared here", name.name)),
            );
            return None;
        }
        self.writable(local, name.span).then(|| self.mention(local, name.span))
    }

    /// Returns the position of a table of records whose layout depends on the variable.
    fn layout_of(&self, local: LocalId) -> Option<Span> {
        let of = |one: &&Local| {
            let mut args = one.record.iter().flat_map(|record| &record.args);
            args.any(|arg| *arg == RecordArg::Var(local))
        };
        self.locals.iter().find(of).map(|one| one.span)
    }

    /// Reports a written variable that cannot be written; returns whether it can.
    pub(super) fn writable(&mut self, local: LocalId, span: Span) -> bool {
        self.record(local, span, Access::Writes);
        let name = self.local(local).name.clone();
        if let Some(record) = self.layout_of(local) {
            let message = format!("`{name}` is an argument of a record type");
            let declared = record;
            self.report(
                Diagnostic::at(Code::ReadOnly, span, message)
                    .label(declared, "the table whose columns depend on it")
                    .help("use a separate variable"),
            );
            return false;
        }
        if self.local(local).role == Role::Binding {
            let declared = self.local(local).span;
            self.report(
                Diagnostic::at(
                    Code::ReadOnly,
                    span,
                    format!("`{name}` is a size bound by the header"),
                )
                .label(declared, "bound here")
                .help("use a separate variable"),
            );
            return false;
        }
        if let Some(&(_, loop_span)) = self.loop_vars.iter().find(|(var, _)| *var == local) {
            self.report(
                Diagnostic::at(
                    Code::ReadOnly,
                    span,
                    format!("`{name}` counts the loop and cannot be changed inside it"),
                )
                .label(loop_span, "the loop")
                .help("use a `while` loop, or another variable"),
            );
            return false;
        }
        true
    }
}
