//! What the iterations of a `forall` read; see Note [Independence].
//!
//! A line or bit of a variable that iterations write is read before the loop, if its index does not
//! change in the loop, every iteration reads it, and does so before it writes that variable.

use std::collections::{BTreeMap, BTreeSet};

use star_base::{Builtin, Code, Diagnostic, Span};
use star_ir::LogicOp;

use super::Checker;
use super::parallel::{Part, Shared, bit_part, is_element, is_var, size_key};
use crate::hir::{
    Arg, ChainOp, Column, ColumnStep, Expr, ExprKind, Field, LocalId, Stmt, StmtKind, Target, Ty,
    TyKind, VarUse,
};

/// Checks an iteration in the order of evaluation.
pub(super) struct Lines<'l, 'c, 'a> {
    checker: &'c mut Checker<'a>,
    index: LocalId,
    head: Span,
    /// All variables that iterations write.
    written: &'l BTreeSet<LocalId>,
    shared: &'l BTreeMap<LocalId, Shared>,
    /// The shared variables that the iteration has written so far.
    changed: BTreeSet<LocalId>,
    /// The number of branches and loops around the current place.
    n_around: usize,
    /// The number of loops around it.
    n_loops: usize,
    /// The lines that are read before the loop.
    known: Vec<(String, LocalId)>,
    /// The statements that read them; `None` after an error.
    pub(super) before: Option<Vec<Stmt>>,
}

impl<'l, 'c, 'a> Lines<'l, 'c, 'a> {
    pub(super) fn new(
        checker: &'c mut Checker<'a>,
        index: LocalId,
        head: Span,
        written: &'l BTreeSet<LocalId>,
        shared: &'l BTreeMap<LocalId, Shared>,
    ) -> Self {
        Lines {
            checker,
            index,
            head,
            written,
            shared,
            changed: BTreeSet::new(),
            n_around: 0,
            n_loops: 0,
            known: Vec::new(),
            before: Some(Vec::new()),
        }
    }

    fn refuse(&mut self, diagnostic: Diagnostic) {
        self.before = None;
        self.checker.report(diagnostic);
    }

    // ---- statements ----

    pub(super) fn stmts(&mut self, stmts: &mut [Stmt]) {
        stmts.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    /// Checks statements that an iteration may omit or repeat.
    fn inside(&mut self, stmts: &mut [Stmt]) {
        self.n_around += 1;
        self.stmts(stmts);
        self.n_around -= 1;
    }

    fn looped(&mut self, stmts: &mut [Stmt]) {
        self.n_loops += 1;
        self.inside(stmts);
        self.n_loops -= 1;
    }

    /// Checks an expression that an iteration may omit or repeat.
    fn sometimes(&mut self, expr: &mut Expr) {
        self.n_around += 1;
        self.expr(expr);
        self.n_around -= 1;
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        let span = stmt.span;
        match &mut stmt.kind {
            StmtKind::Assign(target, value) => {
                self.target(target);
                self.expr(value);
                self.changed.extend(crate::visit::stored_to(stmt).map(|place| place.local));
            }
            StmtKind::Replace { from, to, value, word: _ } => {
                [from, to, value].into_iter().for_each(|expr| self.expr(expr));
            }
            StmtKind::Call(_, args) => {
                self.args(args);
                let fields = args.iter().filter_map(|arg| match arg {
                    Arg::Field(field, _) => Some(field.table.local),
                    Arg::Value(_) | Arg::Ref(_) => None,
                });
                self.changed.extend(fields);
            }
            StmtKind::Assert(test, message) => {
                self.expr(test);
                message.iter_mut().for_each(|message| self.expr(message));
            }
            StmtKind::Block(body) => self.stmts(body),
            StmtKind::If(arms, otherwise) => {
                for (idx, (test, then)) in arms.iter_mut().enumerate() {
                    match idx {
                        0 => self.expr(test),
                        _ => self.sometimes(test),
                    }
                    self.inside(then);
                }
                self.inside(otherwise);
            }
            StmtKind::While(test, body) | StmtKind::Repeat(body, test) => {
                self.sometimes(test);
                self.looped(body);
            }
            StmtKind::For { var: _, from, to, down: _, body } => {
                self.expr(from);
                self.expr(to);
                self.looped(body);
            }
            StmtKind::Foreach { var: _, over, body } => {
                self.expr(over);
                self.looped(body);
            }
            StmtKind::Print(_) | StmtKind::Read(..) | StmtKind::Write(..) => {
                let message = "an iteration of a `forall` prints, reads or writes";
                self.refuse(
                    Diagnostic::at(Code::NotParallel, span, message)
                        .note("the iterations have no order")
                        .help("`foreach` and `for` have one"),
                );
            }
            StmtKind::Exit => self.leaves(span, "exit"),
            StmtKind::Break if self.n_loops == 0 => self.leaves(span, "break"),
            StmtKind::Fill(..)
            | StmtKind::KeepFirst(_)
            | StmtKind::Step(_)
            | StmtKind::Forget(_)
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }

    fn leaves(&mut self, span: Span, word: &str) {
        let message = format!("`{word}` leaves a `forall` early");
        self.refuse(
            Diagnostic::at(Code::NotParallel, span, message)
                .note("the iterations have no order")
                .help("`continue` ends an iteration; `foreach` and `for` have an order"),
        );
    }

    fn target(&mut self, target: &mut Target) {
        match target {
            Target::Var(_) | Target::Part(..) => {}
            Target::Component(_, index) | Target::Col(index, _) | Target::Row(index, _) => {
                self.expr(index);
            }
            Target::Bit(_, row, column) => {
                self.expr(row);
                self.expr(column);
            }
            Target::Field(field) => self.columns(field),
            Target::Numbers(target) => {
                self.columns(&mut target.field);
                if let Some(mask) = target.mask {
                    self.whole(mask, mask.span);
                }
            }
            Target::Cell(row, field) => {
                self.expr(row);
                self.columns(field);
            }
        }
    }

    fn columns(&mut self, field: &mut Field) {
        self.expr(&mut field.base);
        self.expr(&mut field.width);
    }

    fn args(&mut self, args: &mut [Arg]) {
        for arg in args {
            match arg {
                Arg::Value(value) => self.expr(value),
                Arg::Field(field, _) => self.columns(field),
                Arg::Ref(_) => {}
            }
        }
    }

    fn column(&mut self, column: &mut Column) {
        for step in &mut column.steps {
            match step {
                ColumnStep::Operand { value, .. } => self.expr(value),
                ColumnStep::Apply(_) => {}
            }
        }
    }

    // ---- expressions ----

    pub(super) fn expr(&mut self, expr: &mut Expr) {
        let span = expr.span;
        match &mut expr.kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Bits(_)
            | ExprKind::Theta
            | ExprKind::Step(_)
            | ExprKind::NCols(_)
            | ExprKind::NRows(_) => {}
            ExprKind::Var(place) | ExprKind::Part(place, _) => {
                let place = *place;
                self.whole(place, span);
            }
            ExprKind::Builtin(Builtin::Length, args) if matches!(args.as_slice(), [one] if one.as_var().is_some()) =>
                {}
            ExprKind::Builtin(_, args) => args.iter_mut().for_each(|arg| self.expr(arg)),
            ExprKind::Chain(first, links) => {
                self.expr(first);
                for (op, operand) in links {
                    match op {
                        ChainOp::Bool(LogicOp::And | LogicOp::Or) => self.sometimes(operand),
                        ChainOp::Bool(_) | ChainOp::Bits(_) | ChainOp::Int(_) => self.expr(operand),
                    }
                }
            }
            ExprKind::Neg(one)
            | ExprKind::Not(one)
            | ExprKind::BitsNot(one)
            | ExprKind::Ones(one) => self.expr(one),
            ExprKind::Compare(_, left, right)
            | ExprKind::BoolDiffers(left, right)
            | ExprKind::BitsEqual(left, right)
            | ExprKind::Shift(left, _, right)
            | ExprKind::Inside(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Component(place, index) => {
                let place = *place;
                let own = is_var(index, self.index).then_some(Part::Component);
                self.expr(index);
                self.part(place, own, expr);
            }
            ExprKind::Col(index, place) => {
                let place = *place;
                let own = is_var(index, self.index).then_some(Part::Column);
                self.expr(index);
                self.part(place, own, expr);
            }
            ExprKind::Row(index, place) => {
                let place = *place;
                let own = is_var(index, self.index).then_some(Part::Row);
                self.expr(index);
                self.part(place, own, expr);
            }
            ExprKind::Bit(place, row, column) => {
                let place = *place;
                let own = bit_part(row, column, self.index);
                self.expr(row);
                self.expr(column);
                self.part(place, own, expr);
            }
            ExprKind::Field(field) => {
                let place = field.table;
                let own = is_element(field, self.index).then_some(Part::Element);
                self.columns(field);
                if !self.is_unwritten(field) {
                    self.part(place, own, expr);
                }
            }
            ExprKind::Cell(row, field) => {
                let place = field.table;
                let own = match self.shared.get(&place.local).map(|shared| shared.part) {
                    Some(Part::Element) => is_element(field, self.index).then_some(Part::Element),
                    _ => is_var(row, self.index).then_some(Part::Row),
                };
                self.expr(row);
                self.columns(field);
                if !self.is_unwritten(field) {
                    self.part(place, own, expr);
                }
            }
            ExprKind::Numbers(column) | ExprKind::Relation(_, column) => self.column(column),
            ExprKind::Result(result) => self.args(&mut result.args),
            ExprKind::Call(_, args) => self.args(args),
        }
    }

    /// Returns whether no iteration writes the field.
    fn is_unwritten(&self, field: &Field) -> bool {
        let shared = self.shared.get(&field.table.local);
        let fields = shared.and_then(|shared| shared.fields.as_ref());
        fields.is_some_and(|written| !written.contains(&field.number))
    }

    /// Checks that a whole variable is read.
    fn whole(&mut self, place: VarUse, span: Span) {
        if self.shared.contains_key(&place.local) {
            let name = self.checker.local(place.local).name.clone();
            self.elsewhere(
                place.local,
                span,
                &format!("copy `{name}` to a variable before the loop"),
            );
        }
    }

    /// Checks that a part of a variable is read: that of the iteration, or one that can be read
    /// before the loop.
    fn part(&mut self, place: VarUse, own: Option<Part>, expr: &mut Expr) {
        let Some(shared) = self.shared.get(&place.local) else { return };
        let is_own = match (shared.part, own) {
            (part, Some(own)) if part == own => true,
            (Part::Row | Part::Column, Some(Part::Diagonal)) => true,
            (_, _) => false,
        };
        if is_own {
            return;
        }
        let Some(key) = self.line_key(expr) else {
            let help = "copy the table or the line to a variable before the loop";
            return self.elsewhere(place.local, expr.span, help);
        };
        if self.n_around > 0 || self.changed.contains(&place.local) {
            let help = "read it to a variable before the loop";
            return self.elsewhere(place.local, expr.span, help);
        }
        let local = match self.known.iter().find(|(known, _)| *known == key) {
            Some((_, local)) => *local,
            None => {
                let ty = match expr.ty {
                    TyKind::Slice => Ty::Slice(None),
                    TyKind::Word => Ty::Word(None),
                    _ => Ty::Int,
                };
                let local = self.checker.hidden("line", ty, expr.span);
                self.known.push((key, local));
                let kind = std::mem::replace(&mut expr.kind, ExprKind::Error);
                let line = Expr { kind, ty: expr.ty, span: expr.span, effects: false };
                let stmt = self.checker.set_hidden(local, line, self.head);
                if let Some(before) = &mut self.before {
                    before.push(stmt);
                }
                local
            }
        };
        expr.kind = ExprKind::Var(self.checker.fresh_use(local, expr.span));
    }

    /// Returns a text for a line, bit or field of a row whose indices do not change in the loop.
    fn line_key(&self, expr: &Expr) -> Option<String> {
        let index = |one: &Expr| match &one.kind {
            ExprKind::Int(_) | ExprKind::NRows(_) | ExprKind::NCols(_) => size_key(one),
            ExprKind::Var(place)
                if place.local != self.index && !self.written.contains(&place.local) =>
            {
                size_key(one)
            }
            _ => None,
        };
        Some(match &expr.kind {
            ExprKind::Row(at, place) => format!("row {} {}", place.local.0, index(at)?),
            ExprKind::Col(at, place) => format!("column {} {}", place.local.0, index(at)?),
            ExprKind::Component(place, at) => format!("{} {}", place.local.0, index(at)?),
            ExprKind::Bit(place, row, column) => {
                format!("bit {} {} {}", place.local.0, index(row)?, index(column)?)
            }
            ExprKind::Cell(row, field) => {
                let (table, base) = (field.table.local.0, size_key(&field.base)?);
                format!("field {table} {} {base} {}", index(row)?, field.number)
            }
            _ => return None,
        })
    }

    fn elsewhere(&mut self, local: LocalId, span: Span, help: &str) {
        let (name, var) =
            (self.checker.local(local).name.clone(), self.checker.local(self.index).name.clone());
        let message = format!("`{name}` is accessed at another index than `{var}`");
        let written = self.shared.get(&local).map_or(span, |shared| shared.span);
        self.refuse(
            Diagnostic::at(Code::NotParallel, span, message)
                .label(written, "other iterations write this")
                .note("an iteration reads what there was before the loop: this would need a copy")
                .help(help),
        );
    }
}
