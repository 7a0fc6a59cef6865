//! Blocks of assignments in selected rows, `where c do … elsewhere … end`, and loops over the
//! distinct numbers of a field.
//!
//! A mask is a slice of the compiler: the rows of the condition as they were on entry. Nothing of
//! these forms remains after checking: only assignments with masks, and loops.

use star_base::{Builtin, Code, Diagnostic, Span};
use star_ir::LogicOp;
use star_syntax::ast;

use super::Checker;
use super::layout::FieldKind;
use super::reduce::Reduction;
use crate::hir::{
    Arg, ChainOp, Column, ColumnStep, Expr, ExprKind, Local, LocalId, Role, Stmt, StmtKind, Target,
    Ty, TyKind, VarUse,
};

/// The rows to which assignments are restricted.
#[derive(Clone, Copy)]
pub(super) struct Mask {
    /// The slice.
    local: LocalId,
    /// A variable with the rows of the condition.
    rows_of: Option<LocalId>,
}

/// A number of rows, as declared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    Number(i64),
    Name(LocalId),
}

impl Checker<'_> {
    // ---- blocks ----

    /// Checks `where c do … elsewhere … end`.
    pub(super) fn where_block(&mut self, block: &ast::Where) -> StmtKind {
        let outer = self.mask;
        let mut stmts: Vec<Stmt> = Vec::new();
        let mut rest = outer;
        for (nth, (test, body)) in block.arms.iter().enumerate() {
            let at = test.span;
            let condition = self.condition(test);
            let mut found = Vec::new();
            row_sources(&condition, &mut found);
            let first = found.iter().copied().find(|one| self.declared_rows(*one).is_some());
            let rows_of = rest.and_then(|mask| mask.rows_of).or(first);
            if condition.ty == TyKind::Slice {
                found.retain(|one| self.rows_agree(rows_of, *one, at));
            }
            let taken = match rest {
                Some(Mask { local, .. }) => {
                    let rows = self.slice_of(local, at);
                    joined_slices(condition, LogicOp::And, rows, at)
                }
                None => condition,
            };
            let mask = Mask { local: self.hidden("where", Ty::Slice(None), at), rows_of };
            stmts.push(self.set_hidden(mask.local, taken, at));
            if nth + 1 < block.arms.len() || block.otherwise.is_some() {
                let rows = self.slice_of(mask.local, at);
                let others = match rest {
                    Some(Mask { local, .. }) => {
                        let before = self.slice_of(local, at);
                        joined_slices(before, LogicOp::Xor, rows, at)
                    }
                    None => inverted(rows),
                };
                let others_of = self.hidden("elsewhere", Ty::Slice(None), at);
                stmts.push(self.set_hidden(others_of, others, at));
                rest = Some(Mask { local: others_of, rows_of });
            }
            self.mask = Some(mask);
            stmts.extend(self.stmts(body));
            self.mask = outer;
        }
        if let Some(body) = &block.otherwise {
            self.mask = rest;
            stmts.extend(self.stmts(body));
            self.mask = outer;
        }
        StmtKind::Block(stmts)
    }

    /// Returns whether a statement is allowed in the rows of a mask; reports it otherwise.
    pub(super) fn is_maskable(&mut self, tree: &ast::Stmt) -> bool {
        if self.mask.is_none() {
            return true;
        }
        let after = || "move the statement before `where` or after `end`".to_owned();
        let (what, help) = match &tree.kind {
            ast::StmtKind::Empty
            | ast::StmtKind::Error
            | ast::StmtKind::Block(_)
            | ast::StmtKind::If { .. }
            | ast::StmtKind::Where(_)
            | ast::StmtKind::Goto(_)
            | ast::StmtKind::Labelled { .. } => return true,
            ast::StmtKind::AssignPath { target, .. } => {
                let field = match &target.steps[..] {
                    [ast::Step::Field(_)] | [ast::Step::Field(_), ast::Step::Index(_)] => {
                        return true;
                    }
                    [.., ast::Step::Field(field)] | [ast::Step::Field(field), ..] => &*field.name,
                    _ => "w",
                };
                let whole = format!("{}.{field}", target.name.name);
                let what = format!("assign `{}`", self.sources.slice(target.span));
                (what, format!("write `{whole}:=…`, or move the statement after `end`"))
            }
            ast::StmtKind::Assign { target, .. } => {
                let local = self.variable(&target.name.name);
                let ty = local.map(|local| &self.local(local).ty);
                let name = &target.name.name;
                match (ty, &target.args) {
                    (Some(Ty::Slice(Some(_))), None) => return true,
                    (None, None) if self.declaring.is_none() => return true,
                    (Some(Ty::Slice(None)), None) => {
                        let rows_of = self.mask.and_then(|mask| mask.rows_of);
                        let table = rows_of.map_or("E", |local| &self.local(local).name);
                        let what = format!("assign `{name}`, which has no declared size,");
                        (what, format!("declare it as `{name}: slice({table})`"))
                    }
                    _ => (format!("assign `{}`", self.sources.slice(target.span)), after()),
                }
            }
            ast::StmtKind::Call(call) => {
                let name = &call.name.name;
                let args = call.args.as_deref().unwrap_or_default();
                let operand = args.first().map_or("X", |arg| self.sources.slice(arg.span));
                let help = match Builtin::find(name) {
                    Some(Builtin::Set) => {
                        format!("`{operand}:=not Θ` sets the selected rows to one")
                    }
                    Some(Builtin::Clr) => format!(
                        "`{operand}:=Θ` sets the selected rows to zero; `CLR({operand})` before \
                         `where` all rows"
                    ),
                    Some(Builtin::Print) => "print after `end`".to_owned(),
                    _ => "call it before `where` or after `end`".to_owned(),
                };
                (format!("call `{name}`"), help)
            }
            ast::StmtKind::While { .. }
            | ast::StmtKind::Repeat { .. }
            | ast::StmtKind::For { .. }
            | ast::StmtKind::Foreach { .. }
            | ast::StmtKind::Forall(_) => {
                let help = "put the loop around the `where`: `while c do where … end`";
                ("loop".to_owned(), help.to_owned())
            }
        };
        let message = format!("cannot {what} between `where` and `end`");
        self.report(
            Diagnostic::at(Code::NotInWhere, tree.span, message)
                .note("a `where` assigns only to whole fields and slices, in the selected rows")
                .help(help),
        );
        false
    }

    /// Returns the mask of an assignment to a field or slice with the rows of a variable.
    pub(super) fn mask_for(&mut self, target: LocalId, span: Span) -> Option<VarUse> {
        let Mask { local, rows_of } = self.mask?;
        self.rows_agree(rows_of, target, span);
        Some(self.fresh_use(local, span))
    }

    /// Returns the value that a slice gets: that one in the rows of the mask, and the old one
    /// elsewhere.
    pub(super) fn masked(&mut self, target: LocalId, value: Expr, span: Span) -> Expr {
        let Some(mask) = self.mask_for(target, span) else { return value };
        let [first, second] = [(); 2].map(|()| self.slice_of(target, span));
        let kind = ExprKind::Var(mask);
        let mask = Expr { kind, ty: TyKind::Slice, span, effects: false };
        let differ = joined_slices(first, LogicOp::Xor, value, span);
        let moved = joined_slices(differ, LogicOp::And, mask, span);
        joined_slices(second, LogicOp::Xor, moved, span)
    }

    /// Reports tables or slices with other rows, if their declarations show it.
    fn rows_agree(&mut self, rows_of: Option<LocalId>, other: LocalId, span: Span) -> bool {
        let Some(first) = rows_of else { return true };
        let agree = match (self.declared_rows(first), self.declared_rows(other)) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => true,
        };
        if !agree {
            let [(one, at), (two, at_two)] = [first, other].map(|local| {
                let local = self.local(local);
                (local.name.clone(), local.span)
            });
            let message = format!("`{one}` and `{two}` may have different numbers of rows");
            self.report(
                Diagnostic::at(Code::SizeMismatch, span, message)
                    .label(at, "the condition is about these rows")
                    .label(at_two, "declared with other rows")
                    .help("declare both with the same number of rows, or slices as `slice(E)`"),
            );
        }
        agree
    }

    /// Returns the declared number of rows of a table, or of components of a slice.
    fn declared_rows(&self, local: LocalId) -> Option<Rows> {
        let mut local = local;
        // Declarations with circular references were reported.
        for _ in 0..=self.locals.len() {
            let size = match &self.local(local).ty {
                Ty::Slice(size) | Ty::Table(size, _) => size.as_deref()?,
                Ty::Int | Ty::Bool | Ty::Str | Ty::Word(_) | Ty::Handle => return None,
            };
            match &size.kind {
                ExprKind::Int(number) => return Some(Rows::Number(*number)),
                ExprKind::Var(place) => return Some(Rows::Name(place.local)),
                ExprKind::NRows(place) => local = place.local,
                ExprKind::Builtin(Builtin::Length, args) => local = args.first()?.as_var()?.local,
                _ => return None,
            }
        }
        None
    }

    // ---- loops over numbers ----

    /// Returns the argument of `values(F where X)`, if the expression is that.
    pub(super) fn values_of<'t>(&self, tree: &'t ast::Expr) -> Option<&'t ast::Expr> {
        let ast::ExprKind::Ref(call) = &tree.kind else { return None };
        let [of] = call.args.as_deref()? else { return None };
        let is_it = call.name.name.eq_ignore_ascii_case("values")
            && self.variable(&call.name.name).is_none()
            && !self.world.hides(self.unit, &call.name.name);
        is_it.then_some(of)
    }

    /// Checks `foreach v in values(F where X) do s`: while rows remain, those with the least
    /// number.
    pub(super) fn foreach_value(
        &mut self,
        var: &ast::Ident,
        of: &ast::Expr,
        body: &ast::Stmt,
        span: Span,
    ) -> Option<StmtKind> {
        let at = of.span;
        let (value, filter) = match &of.kind {
            ast::ExprKind::Filtered(filtered) => (&filtered.value, Some(&filtered.filter)),
            _ => (of, None),
        };
        let is_bits = self.field_kind(value) == Some(FieldKind::Bits);
        let kind = if is_bits { TyKind::Word } else { TyKind::Int };
        let reduction = if is_bits { Reduction::OrRows } else { Reduction::Min };
        let source = self.reduced(reduction, "values", value);
        let rows = match (&source, filter) {
            (_, Some(filter)) => Some(self.typed(filter, TyKind::Slice)),
            (Some(source), None) => Some(self.all_rows(source.rows_of, at)),
            (None, None) => None,
        };
        let (place, body) = self.counted_loop(var, kind, span, |this| this.loop_body(body));
        let (source, rows, place) = (source?, rows?, place?);
        let table = self.hidden("values", Ty::Table(None, None), at);
        let rest = self.hidden("rest", Ty::Slice(None), at);
        let least = self.hidden("least", Ty::Slice(None), at);
        let mut stmts =
            vec![self.set_hidden(table, source.table, at), self.set_hidden(rest, rows, at)];
        let numbers = |this: &mut Self| {
            let kind = ExprKind::Var(this.fresh_use(table, at));
            Expr { kind, ty: TyKind::Table, span: at, effects: false }
        };
        let procedure = if source.is_signed { "SMIN" } else { "MIN" };
        let args = [numbers(self), self.slice_of(rest, at)].map(Arg::Value).into_iter().collect();
        let found = self.result_of_procedure(procedure, args, TyKind::Slice, at);
        let mut inside = vec![self.set_hidden(least, found, at)];
        let (before, gone) = (self.slice_of(rest, at), self.slice_of(least, at));
        let others = joined_slices(before, LogicOp::Xor, gone, at);
        inside.push(self.set_hidden(rest, others, at));
        let int = |kind, ty| Expr { kind, ty, span: at, effects: false };
        let rows = self.slice_of(least, at);
        let row = int(ExprKind::Builtin(Builtin::Fnd, vec![rows]), TyKind::Int);
        let place_of_table = self.fresh_use(table, at);
        let mut number = int(ExprKind::Row(Box::new(row), place_of_table), TyKind::Word);
        if !is_bits {
            let kind = if source.is_signed { FieldKind::Int } else { FieldKind::Uint };
            number = self.number_of(number, kind, at);
        }
        inside.push(Stmt { kind: StmtKind::Assign(Target::Var(place), number), span: at });
        inside.extend(body);
        let rows = self.slice_of(rest, at);
        let test = int(ExprKind::Builtin(Builtin::Some, vec![rows]), TyKind::Bool);
        stmts.push(Stmt { kind: StmtKind::While(test, inside), span });
        Some(StmtKind::Block(stmts))
    }

    // ---- variables of the compiler ----

    pub(super) fn hidden(&mut self, name: &str, ty: Ty, span: Span) -> LocalId {
        let local = LocalId(self.locals.len() as u32);
        let name = format!("‹{name}›");
        self.locals.push(Local { name, span, ty, role: Role::Local, record: None });
        local
    }

    pub(super) fn set_hidden(&mut self, local: LocalId, value: Expr, span: Span) -> Stmt {
        let place = self.fresh_use(local, span);
        Stmt { kind: StmtKind::Assign(Target::Var(place), value), span }
    }

    fn slice_of(&mut self, local: LocalId, span: Span) -> Expr {
        let kind = ExprKind::Var(self.fresh_use(local, span));
        Expr { kind, ty: TyKind::Slice, span, effects: false }
    }
}

/// Returns two slices joined by an operator.
pub(super) fn joined_slices(left: Expr, op: LogicOp, right: Expr, span: Span) -> Expr {
    let effects = left.effects || right.effects;
    let kind = ExprKind::Chain(Box::new(left), vec![(ChainOp::Bits(op), right)]);
    Expr { kind, ty: TyKind::Slice, span, effects }
}

fn inverted(slice: Expr) -> Expr {
    let (span, effects) = (slice.span, slice.effects);
    Expr { kind: ExprKind::BitsNot(Box::new(slice)), ty: TyKind::Slice, span, effects }
}

/// Collects the variables whose rows are those of a slice.
fn row_sources(expr: &Expr, found: &mut Vec<LocalId>) {
    match &expr.kind {
        ExprKind::Var(place) => found.push(place.local),
        ExprKind::Col(_, table) => found.push(table.local),
        ExprKind::Field(field) => found.push(field.table.local),
        ExprKind::BitsNot(operand) | ExprKind::Shift(operand, ..) => row_sources(operand, found),
        ExprKind::Chain(first, links) => {
            row_sources(first, found);
            links.iter().for_each(|(_, operand)| row_sources(operand, found));
        }
        ExprKind::Relation(_, column) => rows_of_column(column, found),
        ExprKind::Result(result) => {
            for arg in &result.args {
                if let Arg::Value(value) = arg
                    && matches!(value.ty, TyKind::Table | TyKind::Slice)
                {
                    row_sources(value, found);
                }
            }
        }
        ExprKind::Numbers(column) => rows_of_column(column, found),
        _ => {}
    }
}

fn rows_of_column(column: &Column, found: &mut Vec<LocalId>) {
    for step in &column.steps {
        if let ColumnStep::Operand { value, .. } = step
            && matches!(value.ty, TyKind::Table | TyKind::Slice)
        {
            row_sources(value, found);
        }
    }
}
