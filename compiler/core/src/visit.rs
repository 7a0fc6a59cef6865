//! Traversals of HIR.

use crate::hir::{Arg, Expr, ExprKind, Field, Stmt, StmtKind, Target, VarUse};

/// Returns whether `found` holds for a statement of `body` or inside one; stops at the first.
pub(crate) fn any_stmt(body: &[Stmt], found: &mut dyn FnMut(&Stmt) -> bool) -> bool {
    body.iter().any(|stmt| {
        found(stmt)
            || match &stmt.kind {
                StmtKind::Block(body)
                | StmtKind::While(_, body)
                | StmtKind::Repeat(body, _)
                | StmtKind::For { body, .. }
                | StmtKind::Foreach { body, .. } => any_stmt(body, found),
                StmtKind::If(arms, otherwise) => {
                    arms.iter().any(|(_, then)| any_stmt(then, found)) || any_stmt(otherwise, found)
                }
                StmtKind::Assign(..)
                | StmtKind::Fill(..)
                | StmtKind::KeepFirst(_)
                | StmtKind::Step(_)
                | StmtKind::Replace { .. }
                | StmtKind::Call(..)
                | StmtKind::Print(_)
                | StmtKind::Read(..)
                | StmtKind::Write(..)
                | StmtKind::Assert(..)
                | StmtKind::Forget(_)
                | StmtKind::Exit
                | StmtKind::Break
                | StmtKind::Continue => false,
            }
    })
}

/// Returns whether `found` holds for an expression of the statement itself (nested statements
/// excepted).
pub(crate) fn any_expr_of(stmt: &Stmt, found: &mut dyn FnMut(&Expr) -> bool) -> bool {
    match &stmt.kind {
        StmtKind::Assign(target, value) => {
            let in_target = match target {
                Target::Var(_) | Target::Part(..) => false,
                Target::Component(_, index) | Target::Col(index, _) | Target::Row(index, _) => {
                    any_expr(index, found)
                }
                Target::Bit(_, row, column) => any_expr(row, found) || any_expr(column, found),
                Target::Field(field) => any_of_field(field, found),
                Target::Numbers(target) => any_of_field(&target.field, found),
                Target::Cell(row, field) => any_expr(row, found) || any_of_field(field, found),
            };
            in_target || any_expr(value, found)
        }
        StmtKind::Replace { from, to, value, word: _ } => {
            any_expr(from, found) || any_expr(to, found) || any_expr(value, found)
        }
        StmtKind::Call(_, args) => any_arg(args, found),
        StmtKind::Print(items) => items.iter().any(|item| any_expr(item, found)),
        StmtKind::Read(_, file, layout) => {
            any_expr(file, found) || layout.iter().any(|layout| any_expr(layout, found))
        }
        StmtKind::Write(_, file) => any_expr(file, found),
        StmtKind::Assert(test, message) => {
            any_expr(test, found) || message.iter().any(|message| any_expr(message, found))
        }
        StmtKind::If(arms, _) => arms.iter().any(|(test, _)| any_expr(test, found)),
        StmtKind::While(test, _) | StmtKind::Repeat(_, test) => any_expr(test, found),
        StmtKind::For { from, to, .. } => any_expr(from, found) || any_expr(to, found),
        StmtKind::Foreach { over, .. } => any_expr(over, found),
        StmtKind::Fill(..)
        | StmtKind::KeepFirst(_)
        | StmtKind::Step(_)
        | StmtKind::Block(_)
        | StmtKind::Forget(_)
        | StmtKind::Exit
        | StmtKind::Break
        | StmtKind::Continue => false,
    }
}

/// Returns whether `found` holds for the expression or one inside it.
pub(crate) fn any_expr(expr: &Expr, found: &mut dyn FnMut(&Expr) -> bool) -> bool {
    if found(expr) {
        return true;
    }
    match &expr.kind {
        ExprKind::Error
        | ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Bits(_)
        | ExprKind::Theta
        | ExprKind::Var(_)
        | ExprKind::Part(..)
        | ExprKind::Step(_)
        | ExprKind::NCols(_)
        | ExprKind::NRows(_) => false,
        ExprKind::Chain(first, links) => {
            any_expr(first, found) || links.iter().any(|(_, operand)| any_expr(operand, found))
        }
        ExprKind::Neg(operand) | ExprKind::Not(operand) | ExprKind::BitsNot(operand) => {
            any_expr(operand, found)
        }
        ExprKind::Compare(_, left, right)
        | ExprKind::BoolDiffers(left, right)
        | ExprKind::BitsEqual(left, right)
        | ExprKind::Shift(left, _, right) => any_expr(left, found) || any_expr(right, found),
        ExprKind::Component(_, index) | ExprKind::Col(index, _) | ExprKind::Row(index, _) => {
            any_expr(index, found)
        }
        ExprKind::Bit(_, row, column) => any_expr(row, found) || any_expr(column, found),
        ExprKind::Field(field) => any_of_field(field, found),
        ExprKind::Cell(row, field) => any_expr(row, found) || any_of_field(field, found),
        ExprKind::Inside(index, limit) => any_expr(index, found) || any_expr(limit, found),
        ExprKind::Result(result) => any_arg(&result.args, found),
        ExprKind::Ones(size) => any_expr(size, found),
        ExprKind::Numbers(column) | ExprKind::Relation(_, column) => {
            column.operands().any(|operand| any_expr(operand, found))
        }
        ExprKind::Builtin(_, args) => args.iter().any(|arg| any_expr(arg, found)),
        ExprKind::Call(_, args) => any_arg(args, found),
    }
}

fn any_arg(args: &[Arg], found: &mut dyn FnMut(&Expr) -> bool) -> bool {
    args.iter().any(|arg| match arg {
        Arg::Value(value) => any_expr(value, found),
        Arg::Ref(_) => false,
        Arg::Field(field, _) => any_of_field(field, found),
    })
}

fn any_of_field(field: &Field, found: &mut dyn FnMut(&Expr) -> bool) -> bool {
    any_expr(&field.base, found) || any_expr(&field.width, found)
}

/// Calls `found` with every variable that the expression mentions, from left to right where the
/// tree keeps that order.
pub(crate) fn uses_of_expr(expr: &Expr, found: &mut dyn FnMut(&VarUse)) {
    any_expr(expr, &mut |expr| {
        own_uses(expr, found);
        false
    });
}

/// Calls `found` with the variables that the expression itself names, operands excepted.
pub(crate) fn own_uses(expr: &Expr, found: &mut dyn FnMut(&VarUse)) {
    match &expr.kind {
        ExprKind::Var(place)
        | ExprKind::Component(place, _)
        | ExprKind::Bit(place, ..)
        | ExprKind::Part(place, _)
        | ExprKind::Step(place)
        | ExprKind::Col(_, place)
        | ExprKind::Row(_, place)
        | ExprKind::NCols(place)
        | ExprKind::NRows(place) => found(place),
        ExprKind::Field(field) | ExprKind::Cell(_, field) => found(&field.table),
        ExprKind::Result(result) => {
            uses_of_args(&result.args, found);
            found(&result.value);
        }
        ExprKind::Call(_, args) => uses_of_args(args, found),
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
        | ExprKind::Shift(..)
        | ExprKind::Inside(..)
        | ExprKind::Ones(_)
        | ExprKind::Numbers(_)
        | ExprKind::Relation(..)
        | ExprKind::Builtin(..) => {}
    }
}

/// Calls `found` with the variables that a statement mentions, excluding the statements inside it.
pub(crate) fn uses_of_stmt(stmt: &Stmt, found: &mut dyn FnMut(&VarUse)) {
    stored_to(stmt).into_iter().for_each(&mut *found);
    if let StmtKind::Write(place, _)
    | StmtKind::For { var: place, .. }
    | StmtKind::Foreach { var: place, .. } = &stmt.kind
    {
        found(place);
    } else if let StmtKind::Call(_, args) = &stmt.kind {
        uses_of_args(args, found);
    }
    if let StmtKind::Assign(Target::Numbers(target), _) = &stmt.kind {
        target.mask.iter().for_each(&mut *found);
    }
    any_expr_of(stmt, &mut |expr| {
        own_uses(expr, found);
        false
    });
}

/// Returns the variable that a statement changes by itself: loops need their variable for something
/// else, and a callee may also read what is passed to it.
pub(crate) fn stored_to(stmt: &Stmt) -> Option<&VarUse> {
    match &stmt.kind {
        StmtKind::Assign(
            Target::Var(place)
            | Target::Component(place, _)
            | Target::Bit(place, ..)
            | Target::Col(_, place)
            | Target::Row(_, place)
            | Target::Part(place, _),
            _,
        )
        | StmtKind::Fill(place, _)
        | StmtKind::KeepFirst(place)
        | StmtKind::Step(place)
        | StmtKind::Replace { word: place, .. }
        | StmtKind::Read(place, ..) => Some(place),
        StmtKind::Assign(Target::Field(field) | Target::Cell(_, field), _) => Some(&field.table),
        StmtKind::Assign(Target::Numbers(target), _) => Some(&target.field.table),
        StmtKind::Call(..)
        | StmtKind::For { .. }
        | StmtKind::Foreach { .. }
        | StmtKind::Print(_)
        | StmtKind::Write(..)
        | StmtKind::Assert(..)
        | StmtKind::Block(_)
        | StmtKind::If(..)
        | StmtKind::While(..)
        | StmtKind::Repeat(..)
        | StmtKind::Forget(_)
        | StmtKind::Exit
        | StmtKind::Break
        | StmtKind::Continue => None,
    }
}

fn uses_of_args(args: &[Arg], found: &mut dyn FnMut(&VarUse)) {
    for arg in args {
        match arg {
            Arg::Ref(place) => found(place),
            Arg::Field(field, _) => found(&field.table),
            Arg::Value(_) => {}
        }
    }
}
