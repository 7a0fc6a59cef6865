//! The transitive closure of an adjacency table, as Warshall's algorithm by rows or by columns:
//!
//! ```text
//! for k:=1 to n do begin          for k:=1 to n do begin
//!   X:=COL(k,P); w:=ROW(k,P);       x:=ROW(k,P); W:=COL(k,P);
//!   for every one i of X do         for every one i of x do
//!     ROW(i,P):=ROW(i,P) or w         COL(i,P):=COL(i,P) or W
//! end                             end
//! ```
//!
//! Both are P(i,j) := P(i,j) or P(i,k) and P(k,j) for all rows i and columns j of P, for k from 1 to n. The routine takes
//! n by value and P by reference, and does nothing else. Where n lies within both sizes of P no check fails: k is
//! at most n, and i is where a column or row of P has a one.

use star_base::intrinsics::catalogue::closure::CLOSURE;
use star_ir::{
    Check, LocId, LogicOp, Op, Operand, Routine, SizeOp, SizeOperand, Stmt, StmtKind, VarId, visit,
};

use super::{Likeness, takes_number_and_table};
use crate::remark::{self, Stay};

/// May it look like the closure, before anything is done to it?
pub(super) fn may_be(routine: &Routine) -> bool {
    let (mut loops, mut stores) = (false, false);
    visit::walk(&routine.body, &mut |stmt| {
        loops |= matches!(stmt.kind, StmtKind::For { .. });
        stores |= matches!(stmt.kind, StmtKind::PutRow { .. } | StmtKind::PutColumn { .. });
    });
    loops && stores
}

/// The loop that looks like the closure, if there is one, and whether its routine is that.
pub(super) fn find(routine: &Routine) -> Option<Likeness> {
    let (around, pivots) = routine.body.iter().enumerate().find_map(|(at, stmt)| {
        let pivots = Pivots::of(stmt)?;
        Some(([&routine.body[..at], &routine.body[at + 1..]].concat(), pivots))
    })?;
    let (loc, found) = (pivots.loc, pivots.is_whole(routine, &around));
    Some(Likeness { loc, intrinsic: CLOSURE, found: found.map_err(Stay::from) })
}

/// The lines of a table that are worked on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Row,
    Column,
}

/// A loop over k of which each turn adds line k to every line that has a one at k.
struct Pivots<'r> {
    loc: LocId,
    table: VarId,
    line: Line,
    k: VarId,
    from: &'r Operand,
    to: &'r Operand,
    down: bool,
    /// The index of the line that is added to.
    i: VarId,
    body: &'r [Stmt],
    /// The body of the loop over these lines.
    inner: &'r [Stmt],
}

impl<'r> Pivots<'r> {
    /// The loop, if that is what it does among other things.
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
        // What each value is made of stands before where it is used.
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

    /// Is it all that the routine does, over pivots from 1 to its parameter? What it becomes, or why not.
    fn is_whole(&self, routine: &Routine, around: &[Stmt]) -> Result<String, String> {
        let name = |var| remark::name(routine, var);
        let Some((n, table)) = takes_number_and_table(routine) else {
            return Err(
                "it looks like the transitive closure, but its routine takes something else than \
                 the number of vertices by value and the table by reference"
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
                "it looks like the transitive closure, but not of {} over the vertices 1 to {}",
                name(p),
                name(n)
            ));
        }
        // Two lines and the loop; a line, what it becomes, and the store.
        let n_in_body = self.body.iter().filter(|stmt| !self.is_idle(stmt, n)).count();
        let n_in_inner = self.inner.iter().filter(|stmt| !self.is_idle(stmt, n)).count();
        if (n_in_body, n_in_inner) != (3, 3) || !around.iter().all(is_cost) {
            return Err(
                "it looks like the transitive closure, but its routine does more than that"
                    .to_owned(),
            );
        }
        Ok(format!(
            "the transitive closure of {}, all at once where {} is no more than its rows and columns",
            name(p),
            name(n)
        ))
    }

    /// Does the statement nothing but count, find out sizes of the table, or check what holds where `n` lies within the table?
    fn is_idle(&self, stmt: &Stmt, n: VarId) -> bool {
        let is_side = |size: &SizeOperand| {
            *size == SizeOperand::Rows(self.table) || *size == SizeOperand::Columns(self.table)
        };
        let limit = match self.line {
            Line::Row => SizeOperand::Rows(self.table),
            Line::Column => SizeOperand::Columns(self.table),
        };
        is_cost(stmt)
            || matches!(&stmt.kind, StmtKind::Size(SizeOp::Latch { dst, size })
                if *dst != n && is_side(size))
            || matches!(&stmt.kind, StmtKind::Check(Check::Set(var)) if *var == self.table)
            || matches!(&stmt.kind, StmtKind::Check(Check::Index(Operand::Var(index), of))
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

    /// The operation that loads such a line.
    fn load(self, table: VarId, index: VarId) -> Op {
        match self {
            Line::Row => Op::Row(table, Operand::Var(index)),
            Line::Column => Op::Column(table, Operand::Var(index)),
        }
    }
}

/// The table, index, kind and value of a line that is stored.
fn stored_line(stmt: &Stmt) -> Option<(VarId, &Operand, Line, VarId)> {
    if let StmtKind::PutRow { table, index, value } = &stmt.kind {
        return Some((*table, index, Line::Row, *value));
    }
    let StmtKind::PutColumn { table, index, value } = &stmt.kind else { return None };
    Some((*table, index, Line::Column, *value))
}

/// The only assignment to a variable among these statements: its number and what it assigns.
fn assigned(stmts: &[Stmt], var: VarId) -> Option<(usize, &Op)> {
    let mut found = stmts.iter().enumerate().filter_map(|(at, stmt)| {
        let StmtKind::Assign(dst, op) = &stmt.kind else { return None };
        (*dst == var).then_some((at, op))
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn is_cost(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Cost { .. })
}
