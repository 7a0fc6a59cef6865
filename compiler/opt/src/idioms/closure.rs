//! Recognition of the transitive closure of an adjacency table: Warshall's algorithm by rows or by
//! columns:
//!
//! ```text
//! for k:=1 to n do begin          for k:=1 to n do begin
//!   X:=COL(k,P); w:=ROW(k,P);       x:=ROW(k,P); W:=COL(k,P);
//!   for every one i of X do         for every one i of x do
//!     ROW(i,P):=ROW(i,P) or w         COL(i,P):=COL(i,P) or W
//! end                             end
//! ```
//!
//! Both are P(i,j) := P(i,j) or P(i,k) and P(k,j) for all rows i and columns j of P, for k from 1
//! to n. The routine has the parameters n by value and P by reference, and does nothing else. If n
//! is within both sizes of P, no check fails: k is at most n, and i is the position of a one in a
//! column or row of P.

use star_base::intrinsics::catalogue::closure::CLOSURE;
use star_ir::{
    Check, LocId, LogicOp, Op, Operand, Routine, Simple, SizeOp, SizeOperand, Stmt, StmtKind,
    VarId, visit,
};

use super::{Likeness, takes_number_and_table};
use crate::remark::{self, Stay};

/// Returns whether the routine may be similar to the closure, before it is transformed.
pub(super) fn may_be(routine: &Routine) -> bool {
    let (mut loops, mut stores) = (false, false);
    visit::walk(&routine.body, &mut |stmt| {
        loops |= matches!(stmt.kind, StmtKind::For { .. });
        stores |=
            matches!(stmt.kind, StmtKind::Simple(Simple::PutRow { .. } | Simple::PutColumn { .. }));
    });
    loops && stores
}

/// Returns the loop that is similar to the closure, if there is one, and whether its routine is the
/// closure.
pub(super) fn find(routine: &Routine) -> Option<Likeness> {
    let (around, pivots) = routine.body.iter().enumerate().find_map(|(at, stmt)| {
        let pivots = Pivots::of(stmt)?;
        Some(([&routine.body[..at], &routine.body[at + 1..]].concat(), pivots))
    })?;
    let (loc, found) = (pivots.loc, pivots.is_whole(routine, &around));
    Some(Likeness { loc, intrinsic: CLOSURE, found: found.map_err(Stay::from) })
}

/// The lines of a table that are processed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Row,
    Column,
}

/// A loop over k in which each iteration adds line k to every line that has a one at k.
struct Pivots<'r> {
    loc: LocId,
    table: VarId,
    line: Line,
    k: VarId,
    from: &'r Operand,
    to: &'r Operand,
    down: bool,
    /// The index of the line that is changed.
    i: VarId,
    body: &'r [Stmt],
    /// The body of the loop over these lines.
    inner: &'r [Stmt],
}

impl<'r> Pivots<'r> {
    /// Returns the loop if it has this form, possibly with other statements.
    fn of(stmt: &'r Stmt) -> Option<Self> {
        let StmtKind::For { label: _, var: k, from, to, down, body } = &stmt.kind else {
            return None;
        };
        let (at, i, over, inner) = body.iter().enumerate().find_map(|(at, stmt)| {
            let StmtKind::Foreach { label: _, var, over, body } = &stmt.kind else { return None };
            Some((at, *var, *over, body.as_slice()))
        })?;
        let (end, table, line, value) = inner.iter().enumerate().find_map(|(at, stmt)| {
            let (table, index, line, value) = stored_line(stmt)?;
            (*index == Operand::Var(i)).then_some((at, table, line, value))
        })?;
        // Each value is defined before its use.
        let (or, made) = assigned(&inner[..end], value)?;
        let Op::BitsLogic(LogicOp::Or, left, right) = made else { return None };
        let is_own = |var: &VarId| {
            assigned(&inner[..or], *var).is_some_and(|(_, op)| *op == line.load(table, i))
        };
        let is_pivot = |var: &VarId| {
            assigned(inner, *var).is_none()
                && assigned(&body[..at], *var).is_some_and(|(_, op)| *op == line.load(table, *k))
        };
        let is_closure = (is_own(left) && is_pivot(right)) || (is_own(right) && is_pivot(left));
        let (_, ones) = assigned(&body[..at], over)?;
        (is_closure && *ones == line.other().load(table, *k)).then_some(())?;
        let (loc, k, down) = (stmt.loc, *k, *down);
        Some(Pivots { loc, table, line, k, from, to, down, i, body, inner })
    }

    /// Checks that the routine does nothing else, over pivots from 1 to its parameter. Returns the
    /// result of the transformation, or the reason why not.
    fn is_whole(&self, routine: &Routine, around: &[Stmt]) -> Result<String, String> {
        let name = |var| remark::name(routine, var);
        let Some((n, table)) = takes_number_and_table(routine) else {
            return Err(
                "it is similar to the transitive closure, but the parameters of its routine are \
                    not the number of vertices by value and the table by reference"
                    .to_owned(),
            );
        };
        let (n, p) = (n.var, table.var);
        if self.table != p
            || *self.to != Operand::Var(n)
            || *self.from != Operand::Int(1)
            || self.down
        {
            return Err(format!(
                "it is similar to the transitive closure, but not of {} over the vertices 1 to {}",
                name(p),
                name(n)
            ));
        }
        // Two lines and the loop; a line, its new value, and the store.
        let n_in_body = self.body.iter().filter(|stmt| !self.is_idle(stmt, n)).count();
        let n_in_inner = self.inner.iter().filter(|stmt| !self.is_idle(stmt, n)).count();
        if (n_in_body, n_in_inner) != (3, 3) || !around.iter().all(is_cost) {
            return Err(
                "it is similar to the transitive closure, but its routine does more than that"
                    .to_owned(),
            );
        }
        Ok(format!(
            "the transitive closure of {}, computed at once where {} does not exceed its rows and \
                columns",
            name(p),
            name(n)
        ))
    }

    /// Returns whether the statement only counts, determines sizes of the table, or checks a
    /// condition that holds if `n` is within the table.
    fn is_idle(&self, stmt: &Stmt, n: VarId) -> bool {
        let is_side = |size: &SizeOperand| {
            *size == SizeOperand::Rows(self.table) || *size == SizeOperand::Columns(self.table)
        };
        let limit = match self.line {
            Line::Row => SizeOperand::Rows(self.table),
            Line::Column => SizeOperand::Columns(self.table),
        };
        is_cost(stmt)
            || matches!(&stmt.kind, StmtKind::Simple(Simple::Size(SizeOp::Latch { dst, size }))
                if *dst != n && is_side(size))
            || matches!(&stmt.kind, StmtKind::Simple(Simple::Check(Check::Set(var))) if *var == self.table)
            || matches!(&stmt.kind, StmtKind::Simple(Simple::Check(Check::Index(Operand::Var(index), of)))
                if (*index == self.k && is_side(of)) || (*index == self.i && *of == limit))
    }
}

impl Line {
    fn other(self) -> Line {
        match self {
            Line::Row => Line::Column,
            Line::Column => Line::Row,
        }
    }

    /// Returns the operation that loads a line of this kind.
    fn load(self, table: VarId, index: VarId) -> Op {
        match self {
            Line::Row => Op::Row(table, Operand::Var(index)),
            Line::Column => Op::Column(table, Operand::Var(index)),
        }
    }
}

/// Returns the table, index, kind and value of a stored line.
fn stored_line(stmt: &Stmt) -> Option<(VarId, &Operand, Line, VarId)> {
    if let StmtKind::Simple(Simple::PutRow { table, index, value }) = &stmt.kind {
        return Some((*table, index, Line::Row, *value));
    }
    let StmtKind::Simple(Simple::PutColumn { table, index, value }) = &stmt.kind else {
        return None;
    };
    Some((*table, index, Line::Column, *value))
}

/// Returns the only assignment to a variable among these statements: its number and the operation.
fn assigned(stmts: &[Stmt], var: VarId) -> Option<(usize, &Op)> {
    let mut found = stmts.iter().enumerate().filter_map(|(at, stmt)| {
        let StmtKind::Simple(Simple::Assign(dst, op)) = &stmt.kind else { return None };
        (*dst == var).then_some((at, op))
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn is_cost(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Simple(Simple::Cost { .. }))
}
