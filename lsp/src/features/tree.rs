//! Traversal of the syntax of a document.

use crate::toolchain::Span;
use crate::toolchain::ast::{
    Expr, ExprKind, File, Forall, Item, Path, Ref, Routine, Step, Stmt, StmtKind, Type, TypeKind,
};

/// A node of the syntax.
#[derive(Clone, Copy)]
pub(crate) enum Node<'a> {
    /// A routine.
    Routine(&'a Routine),
    /// A statement.
    Stmt(&'a Stmt),
    /// An expression.
    Expr(&'a Expr),
    /// A name with arguments, or a call.
    Ref(&'a Ref),
    /// A type in a declaration.
    Type(&'a Type),
}

impl Node<'_> {
    /// Returns the position of the node.
    pub(crate) fn span(self) -> Span {
        match self {
            Node::Routine(routine) => routine.span,
            Node::Stmt(stmt) => stmt.span,
            Node::Expr(expr) => expr.span,
            Node::Ref(reference) => reference.span,
            Node::Type(ty) => ty.span,
        }
    }
}

/// Calls `found` for every node, outer ones first.
pub(crate) fn walk<'a>(file: &'a File, found: &mut dyn FnMut(Node<'a>)) {
    for item in &file.items {
        match item {
            Item::Import { .. } => {}
            Item::Const { name: _, value } => expr(value, found),
            Item::Type(_) => {}
            Item::Routine(one) => routine(one, found),
        }
    }
}

/// Calls `found` for every node of a routine.
pub(crate) fn routine<'a>(routine: &'a Routine, found: &mut dyn FnMut(Node<'a>)) {
    found(Node::Routine(routine));
    routine.params.iter().for_each(|group| of_type(&group.ty, found));
    routine.result.iter().for_each(|ty| of_type(ty, found));
    routine.vars.iter().for_each(|group| of_type(&group.ty, found));
    routine.body.iter().for_each(|one| stmt(one, found));
}

fn of_type<'a>(ty: &'a Type, found: &mut dyn FnMut(Node<'a>)) {
    found(Node::Type(ty));
    match &ty.kind {
        TypeKind::Integer | TypeKind::Boolean | TypeKind::Str | TypeKind::Handle => {}
        TypeKind::Slice(size) | TypeKind::Word(size) => {
            size.iter().for_each(|size| expr(size, found));
        }
        TypeKind::Table(rows, columns) => {
            rows.iter().chain(columns).for_each(|size| expr(size, found));
        }
        TypeKind::Records(table) => {
            table.rows.iter().chain(&table.args).for_each(|size| expr(size, found));
        }
    }
}

/// Calls `found` for a statement and every node inside it.
pub(crate) fn stmt<'a>(one: &'a Stmt, found: &mut dyn FnMut(Node<'a>)) {
    found(Node::Stmt(one));
    match &one.kind {
        StmtKind::Empty | StmtKind::Error | StmtKind::Goto(_) => {}
        StmtKind::Block(body) => body.iter().for_each(|one| stmt(one, found)),
        StmtKind::If { arms, otherwise } => {
            for (test, then) in arms {
                expr(test, found);
                stmt(then, found);
            }
            otherwise.iter().for_each(|one| stmt(one, found));
        }
        StmtKind::While { test, body } => {
            expr(test, found);
            stmt(body, found);
        }
        StmtKind::Repeat { body, until } => {
            body.iter().for_each(|one| stmt(one, found));
            expr(until, found);
        }
        StmtKind::Where(block) => {
            for (test, body) in &block.arms {
                expr(test, found);
                body.iter().for_each(|one| stmt(one, found));
            }
            block.otherwise.iter().flatten().for_each(|one| stmt(one, found));
        }
        StmtKind::For { var: _, assign: _, from, to, down: _, body } => {
            expr(from, found);
            expr(to, found);
            stmt(body, found);
        }
        StmtKind::Foreach { var: _, over, body } => {
            expr(over, found);
            stmt(body, found);
        }
        StmtKind::Forall(inner) => {
            let Forall { var: _, over, last, filter, body } = &**inner;
            expr(over, found);
            last.iter().chain(filter).for_each(|one| expr(one, found));
            stmt(body, found);
        }
        StmtKind::Assign { target, assign: _, value } => {
            reference(target, found);
            expr(value, found);
        }
        StmtKind::AssignPath { target, assign: _, value } => {
            path(target, found);
            expr(value, found);
        }
        StmtKind::Call(call) => reference(call, found),
        StmtKind::Labelled { label: _, body } => stmt(body, found),
    }
}

fn expr<'a>(one: &'a Expr, found: &mut dyn FnMut(Node<'a>)) {
    found(Node::Expr(one));
    match &one.kind {
        ExprKind::Error
        | ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Bits(_)
        | ExprKind::Str(_)
        | ExprKind::Theta
        | ExprKind::Name(..) => {}
        ExprKind::Path(one) => path(one, found),
        ExprKind::Filtered(filtered) => {
            expr(&filtered.value, found);
            expr(&filtered.filter, found);
            filtered.otherwise.iter().for_each(|one| expr(one, found));
        }
        ExprKind::Ref(inner) => reference(inner, found),
        ExprKind::Not(operand) | ExprKind::Neg(operand) => expr(operand, found),
        ExprKind::Chain(chain) => {
            expr(&chain.first, found);
            chain.links.iter().for_each(|link| expr(&link.operand, found));
        }
        ExprKind::Compare(_, sides) => sides.iter().for_each(|side| expr(side, found)),
    }
}

fn path<'a>(one: &'a Path, found: &mut dyn FnMut(Node<'a>)) {
    for step in &one.steps {
        match step {
            Step::Args(args) => args.iter().for_each(|arg| expr(arg, found)),
            Step::Index(index) => expr(index, found),
            Step::Field(_) => {}
        }
    }
}

fn reference<'a>(one: &'a Ref, found: &mut dyn FnMut(Node<'a>)) {
    found(Node::Ref(one));
    one.args.iter().flatten().for_each(|arg| expr(arg, found));
}

/// Returns whether a statement is a loop.
pub(crate) fn is_loop(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Where(_)
            | StmtKind::For { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::Forall(_)
    )
}

/// Returns whether a range is part of a loop of the routine.
pub(crate) fn in_loop(tree: &Routine, span: Span) -> bool {
    let mut found = false;
    routine(tree, &mut |node| {
        if let Node::Stmt(one) = node {
            let contains = one.span.start <= span.start && span.end <= one.span.end;
            found |= is_loop(one) && contains && one.span != span;
        }
    });
    found
}

/// Returns the innermost statement that contains a byte, if `suits` holds for it.
pub(crate) fn stmt_at(file: &File, offset: usize, suits: impl Fn(&Stmt) -> bool) -> Option<&Stmt> {
    let mut last = None;
    walk(file, &mut |node| {
        if let Node::Stmt(one) = node {
            let range = one.span.range();
            if range.start <= offset && offset <= range.end && suits(one) {
                last = Some(one);
            }
        }
    });
    last
}
