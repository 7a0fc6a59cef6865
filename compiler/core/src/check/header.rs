//! Headers and declarations: parameters, bound sizes, local variables, names that differ only in
//! case.

use std::collections::BTreeMap;

use star_base::{Code, Diagnostic, did_you_mean};
use star_syntax::ast::{self, ExprKind, RoutineKind, TypeKind};

use super::Checker;
use super::records::Declared;
use crate::hir::{Expr, LocalId, Role, Size, Ty, TyKind};
use crate::scope::kind_of;

impl Checker<'_> {
    /// Declares parameters, bound sizes and a function's result; returns the parameters.
    pub(super) fn header(&mut self, tree: &ast::Routine) -> Vec<LocalId> {
        let mut params = Vec::new();
        for group in &tree.params {
            for name in &group.names {
                let role = if group.by_ref { Role::Ref } else { Role::Value };
                params.push(self.declare(name, unsized_type(kind_of(&group.ty)), role));
            }
        }
        for name in self.implicit_names(tree, self.unit) {
            params.push(self.declare(&name, Ty::Int, Role::Implicit));
        }
        self.bind_sizes(tree);
        let mut next = params.iter();
        for group in &tree.params {
            for _ in &group.names {
                let declared = self.ty(&group.ty);
                if let Some(&local) = next.next() {
                    self.set_type(local, declared, &group.ty);
                }
            }
        }
        self.result_of(tree);
        params
    }

    fn result_of(&mut self, tree: &ast::Routine) {
        match (tree.kind, &tree.result) {
            (RoutineKind::Function, Some(ty))
                if matches!(kind_of(ty), TyKind::Int | TyKind::Bool | TyKind::Str) =>
            {
                if tree.name.name.contains('-') {
                    self.report(
                        Diagnostic::at(
                            Code::HyphenatedFunction,
                            tree.name.span,
                            "a function cannot have a hyphen in its name",
                        )
                        .note("in an expression the hyphen would be a minus"),
                    );
                }
                let Declared { ty, record } = self.ty(ty);
                let result = LocalId(self.locals.len() as u32);
                let name = &tree.name;
                // Not registered as a name: on a right-hand side the name is a call.
                self.locals.push(crate::hir::Local {
                    name: name.name.to_string(),
                    span: name.span,
                    ty,
                    role: Role::Result,
                    record,
                });
                self.result = Some(result);
            }
            (RoutineKind::Function, Some(ty)) => {
                let message = format!("a function cannot return {}", kind_of(ty).with_article());
                self.report(
                    Diagnostic::at(Code::FunctionResult, ty.span, message)
                        .note("functions return an integer, a boolean or a string")
                        .help("return it through a `var` parameter"),
                );
            }
            (RoutineKind::Function, None) => self.report(
                Diagnostic::at(
                    Code::FunctionResult,
                    tree.header,
                    "this function has no result type",
                )
                .suggestion("write `: integer`", tree.header.after(), ": integer"),
            ),
            (RoutineKind::Procedure | RoutineKind::Program, Some(ty)) => self.report(
                Diagnostic::at(Code::FunctionResult, ty.span, "only functions have a result type")
                    .help("write `function` instead, or leave the type out"),
            ),
            (RoutineKind::Procedure | RoutineKind::Program, None) => {}
        }
    }

    /// Declares local variables.
    pub(super) fn locals_of(&mut self, tree: &ast::Routine) {
        let mut declared = Vec::new();
        for group in &tree.vars {
            for name in &group.names {
                declared.push((
                    self.declare(name, unsized_type(kind_of(&group.ty)), Role::Local),
                    &group.ty,
                ));
            }
        }
        for (local, tree) in declared {
            let declared = self.ty(tree);
            self.set_type(local, declared, tree);
        }
    }

    fn set_type(&mut self, local: LocalId, declared: Declared, tree: &ast::Type) {
        let Declared { ty, record } = declared;
        if record.is_none() && matches!(tree.kind, TypeKind::Records(_)) {
            self.broken_records.insert(local);
        }
        let declared = &mut self.locals[local.0 as usize];
        (declared.ty, declared.record) = (ty, record);
    }

    /// Binds the undeclared names in sizes, if they occur more than once.
    fn bind_sizes(&mut self, tree: &ast::Routine) {
        let mut found: Vec<(ast::Ident, bool)> = Vec::new();
        for group in &tree.params {
            for _ in &group.names {
                for size in sizes(&group.ty) {
                    names_in(size, true, &mut found);
                }
            }
        }
        let mut counts: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
        // The rows of a table of records bind a name by themselves.
        let is_records = |ty: &ast::Type| matches!(ty.kind, TypeKind::Records(_));
        let mut of_records = Vec::new();
        for group in tree.params.iter().filter(|group| is_records(&group.ty)) {
            sizes(&group.ty).for_each(|size| names_in(size, true, &mut of_records));
        }
        let binds = |name: &ast::Ident| of_records.iter().any(|(one, _)| one.name == name.name);
        for (name, alone) in &found {
            let entry = counts.entry(&name.name).or_default();
            entry.0 += 1;
            entry.1 |= *alone;
        }
        for (name, _) in &found {
            if self.variable(&name.name).is_some()
                || self.world.constant(self.unit, &name.name).is_some()
            {
                continue;
            }
            let (count, alone) = counts.get(name.name.as_str()).copied().unwrap_or_default();
            if self.world.units[self.unit].import_failed {
                // It may be a constant of the file that could not be read.
            } else if !alone {
                self.report(
                    Diagnostic::at(
                        Code::UnknownSize,
                        name.span,
                        format!("the name `{}` is not declared", name.name),
                    )
                    .note("a size name is bound where it occurs alone: `slice(n)`"),
                );
            } else if count == 1 && !binds(name) && self.mentions(&name.name).len() < 2 {
                let others = counts.keys().copied().filter(|other| name.name != *other);
                if let Some(warning) = unused_size(name, tree, others) {
                    self.report(warning);
                }
            }
            self.declare(name, Ty::Int, Role::Binding);
        }
    }

    pub(super) fn ty(&mut self, ty: &ast::Type) -> Declared {
        Declared::from(match &ty.kind {
            TypeKind::Records(table) => return self.record_table(table, ty.span),
            TypeKind::Integer => Ty::Int,
            TypeKind::Boolean => Ty::Bool,
            TypeKind::Str => Ty::Str,
            TypeKind::Handle => Ty::Handle,
            TypeKind::Slice(size) => Ty::Slice(self.size(size.as_ref(), TyKind::Slice)),
            TypeKind::Word(size) => Ty::Word(self.size(size.as_ref(), TyKind::Word)),
            TypeKind::Table(Some(rows), None) if self.is_table(rows) => {
                Ty::Table(self.size(Some(rows), TyKind::Slice), self.size(Some(rows), TyKind::Word))
            }
            TypeKind::Table(rows, columns) => Ty::Table(
                self.size(rows.as_ref(), TyKind::Slice),
                self.size(columns.as_ref(), TyKind::Word),
            ),
        })
    }

    fn is_table(&self, expr: &ast::Expr) -> bool {
        let variable = expr.plain_name().and_then(|name| self.variable(&name.name));
        variable.is_some_and(|local| self.kind(local) == TyKind::Table)
    }

    /// Checks a declared size. A table in its place denotes its rows (`slice`) or columns (`word`).
    pub(super) fn size(&mut self, size: Option<&ast::Expr>, of: TyKind) -> Size {
        let size = size?;
        let expr = match self.size_of_variable(size, of) {
            Some(expr) => expr,
            None => self.typed(size, TyKind::Int),
        };
        Some(Box::new(expr))
    }

    fn size_of_variable(&mut self, size: &ast::Expr, of: TyKind) -> Option<Expr> {
        let name = size.plain_name()?;
        let local = self.variable(&name.name)?;
        let place = match self.kind(local) {
            TyKind::Table | TyKind::Slice | TyKind::Word => self.mention(local, name.span),
            TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle | TyKind::Error => {
                return None;
            }
        };
        Some(self.measure(place, of, size.span))
    }

    /// Lints names of the same type that differ only in case.
    pub(super) fn case_variants(&mut self) {
        if self.world.units[self.unit].library {
            return;
        }
        let mut seen: BTreeMap<(String, &str), LocalId> = BTreeMap::new();
        let mut variants = Vec::new();
        for (idx, local) in self.locals.iter().enumerate() {
            if local.role == Role::Result {
                continue;
            }
            let key = (local.name.to_lowercase(), local.ty.kind().name());
            match seen.get(&key) {
                Some(&first) if self.local(first).name != local.name => {
                    variants.push((first, LocalId(idx as u32)))
                }
                Some(_) => {}
                None => {
                    seen.insert(key, LocalId(idx as u32));
                }
            }
        }
        for (first, second) in variants {
            let (one, other) = (self.local(first), self.local(second));
            let fresh = self.fresh_name(&other.name);
            let mut diagnostic = Diagnostic::at(
                Code::CaseVariants,
                other.span,
                format!("`{}` and `{}` differ only in letter case", one.name, other.name),
            )
            .label(one.span, "the other one")
            .note(format!("both are {}s and easily confused", one.ty.kind().name()))
            .help(format!("rename one of them, for example to `{fresh}`"));
            for &span in self.mentions(&other.name) {
                diagnostic = diagnostic.suggestion(
                    format!("rename `{}` to `{fresh}`", other.name),
                    span,
                    &fresh,
                );
            }
            self.report(diagnostic);
        }
    }

    /// Returns an unused name similar to `name`.
    fn fresh_name(&self, name: &str) -> String {
        (2..)
            .map(|n| format!("{name}{n}"))
            .find(|name| self.variable(name).is_none())
            .unwrap_or_else(|| name.to_owned())
    }
}

/// The warning for a name in the size of a parameter that nothing else mentions; `others` are the
/// other names of sizes. `None` for one of the two sizes of a table, which can only be left out
/// together, unless it resembles another name.
fn unused_size<'n>(
    name: &ast::Ident,
    tree: &ast::Routine,
    others: impl Iterator<Item = &'n str>,
) -> Option<Diagnostic> {
    let message = format!("the size `{}` occurs only once", name.name);
    let diagnostic = Diagnostic::at(Code::UnusedSize, name.span, message)
        .note("a name in a header's size is a parameter, a constant, or a size that several arguments share");
    if let Some(meant) = did_you_mean(&name.name, others) {
        let title = format!("write `{meant}`");
        return Some(diagnostic.suggestion(title, name.span, meant));
    }
    let is_its = |params: &&ast::Params| sizes(&params.ty).any(|size| size.span == name.span);
    let ty = &tree.params.iter().find(is_its)?.ty;
    let plain = match &ty.kind {
        TypeKind::Slice(Some(_)) => "slice",
        TypeKind::Word(Some(_)) => "word",
        TypeKind::Table(Some(_), None) => "table",
        _ => return None,
    };
    // Without a size, it can become longer: a suggestion only.
    Some(diagnostic.suggestion(format!("write `{plain}`"), ty.span, plain))
}

pub(super) fn unsized_type(kind: TyKind) -> Ty {
    match kind {
        TyKind::Int | TyKind::Error => Ty::Int,
        TyKind::Bool => Ty::Bool,
        TyKind::Str => Ty::Str,
        TyKind::Slice => Ty::Slice(None),
        TyKind::Word => Ty::Word(None),
        TyKind::Table => Ty::Table(None, None),
        TyKind::Handle => Ty::Handle,
    }
}

/// Returns the sizes in a type.
pub(super) fn sizes(ty: &ast::Type) -> impl Iterator<Item = &ast::Expr> {
    let (first, second) = match &ty.kind {
        TypeKind::Integer | TypeKind::Boolean | TypeKind::Str | TypeKind::Handle => (None, None),
        TypeKind::Slice(size) | TypeKind::Word(size) => (size.as_ref(), None),
        TypeKind::Table(rows, columns) => (rows.as_ref(), columns.as_ref()),
        TypeKind::Records(table) => (table.rows.as_ref(), None),
    };
    first.into_iter().chain(second)
}

/// Collects the plain names in a size; `alone` is true if the name is the whole size.
pub(super) fn names_in(expr: &ast::Expr, alone: bool, found: &mut Vec<(ast::Ident, bool)>) {
    match &expr.kind {
        ExprKind::Error
        | ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Bits(_)
        | ExprKind::Str(_)
        | ExprKind::Theta
        | ExprKind::Path(_)
        | ExprKind::Filtered(_) => {}
        ExprKind::Name(..) => found.extend(expr.plain_name().map(|name| (name, alone))),
        ExprKind::Ref(reference) => {
            reference.args.iter().flatten().for_each(|arg| names_in(arg, false, found));
        }
        ExprKind::Not(operand) | ExprKind::Neg(operand) => names_in(operand, false, found),
        ExprKind::Chain(chain) => {
            names_in(&chain.first, false, found);
            chain.links.iter().for_each(|link| names_in(&link.operand, false, found));
        }
        ExprKind::Compare(_, sides) => {
            sides.iter().for_each(|side| names_in(side, false, found));
        }
    }
}
