//! Loop distribution: a body that stores into several tables, or combines several things, becomes
//! one loop for each.
//!
//! Iterations do not depend on each other, so that only the order within one iteration matters. A
//! piece is a backward slice of the body: the statements that compute one stored value, reduction,
//! or final value of a private variable. Statements that two pieces need are in both of them.
//!
//! A piece that loads a line which another piece stores runs before that piece if the body loads
//! the line before it stores it, and after it if the body stores the line first. If these
//! constraints form a cycle (two tables that are exchanged), the loop stays.

use std::collections::BTreeSet;

use star_ir::visit;
use star_ir::{
    Block, Check, Op, PartKind, Reduction, Routine, Simple, SizeOperand, Stmt, StmtKind, VarId,
};

use super::queries::Queries;
use crate::remark::{self, Stay};

/// The purpose of a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It stores lines of this table.
    Store(VarId),
    /// It combines lines.
    Combine(Reduction),
    /// It queries lines, combines the results, and writes components.
    Query,
    /// It computes the last value of a private slice or word.
    Last(VarId),
}

/// A part of a body.
pub(super) struct Piece {
    pub(super) purpose: Purpose,
    /// The lines that belong to an iteration.
    pub(super) line: PartKind,
    pub(super) body: Block,
}

/// The facts about a loop whose body is distributed.
pub(super) struct Loops<'p> {
    pub(super) routine: &'p Routine,
    pub(super) queries: &'p Queries,
    /// Numbers that are not assigned in any piece.
    pub(super) invariants: &'p [(VarId, SizeOperand)],
}

impl Loops<'_> {
    /// Returns the pieces of a body that works on lines of this kind, in a valid order of
    /// execution.
    pub(super) fn pieces(
        &self,
        body: &[Stmt],
        purposes: Vec<Purpose>,
        line: PartKind,
    ) -> Result<Vec<Piece>, Stay> {
        let slices = purposes.into_iter().map(|purpose| Slice::new(body, purpose, self));
        let mut slices: Vec<Slice> = slices.collect();
        let n_loops =
            slices.iter().filter(|slice| !matches!(slice.purpose, Purpose::Last(_))).count();
        for slice in &slices {
            let var = match slice.purpose {
                Purpose::Combine(Reduction { var, .. }) => var,
                Purpose::Query if slice.loads.is_empty() => {
                    return Err("its body queries no row or column".to_owned().into());
                }
                Purpose::Query | Purpose::Store(_) | Purpose::Last(_) => continue,
            };
            // Kernels do not execute the others, and executing them iteration by iteration would
            // take longer than the loop.
            if slice.loads.is_empty() || n_loops > 1 && !slice.combines_lines(body, var) {
                let name = remark::name(self.routine, var);
                return Err(format!(
                    "{name} is combined with something other than one row or column"
                )
                .into());
            }
        }
        let mut ordered: Vec<Piece> = Vec::new();
        while !slices.is_empty() {
            let next = (0..slices.len()).find(|&at| {
                let mut others = slices.iter().enumerate().filter(|(other, _)| *other != at);
                others.all(|(_, other)| slices[at].may_come_before(other, body))
            });
            let Some(next) = next else {
                let why = "its body stores into several tables that depend on each other";
                return Err(why.to_owned().into());
            };
            let slice = slices.remove(next);
            let counts = ordered.iter().all(|piece| matches!(piece.purpose, Purpose::Last(_)));
            // The first loop counts the cost of an iteration.
            let block = slice.block(body, counts);
            let body = match slice.purpose {
                Purpose::Query => self.queries.rewritten(block),
                Purpose::Store(_) | Purpose::Combine(_) | Purpose::Last(_) => block,
            };
            ordered.push(Piece { purpose: slice.purpose, line: line.clone(), body });
        }
        Ok(ordered)
    }
}

/// A backward slice of a body.
struct Slice {
    purpose: Purpose,
    /// For each statement of the body, whether it belongs to the slice. Checks do not.
    is_in: Vec<bool>,
    /// The tables of which it loads a line, and the number of the statement.
    loads: Vec<(VarId, usize)>,
    /// Slices and words that it assigns.
    assigned: BTreeSet<VarId>,
}

impl Slice {
    fn new(body: &[Stmt], purpose: Purpose, loops: &Loops<'_>) -> Self {
        let Loops { queries, invariants, .. } = loops;
        let (is_in, loads) = (vec![false; body.len()], Vec::new());
        let mut slice = Slice { purpose, is_in, loads, assigned: BTreeSet::new() };
        let mut needed = BTreeSet::new();
        if let Purpose::Last(var) = purpose {
            needed.insert(var);
        }
        for (at, stmt) in body.iter().enumerate().rev() {
            match &stmt.kind {
                StmtKind::Simple(
                    Simple::PutRow { table, value, .. } | Simple::PutColumn { table, value, .. },
                ) if purpose == Purpose::Store(*table) => {
                    needed.insert(*value);
                }
                StmtKind::Simple(Simple::Assign(dst, op)) => {
                    let is_invariant = invariants.iter().any(|(var, _)| var == dst);
                    let combines = match purpose {
                        Purpose::Combine(reduction) => reduction.var == *dst,
                        Purpose::Query => queries.combines(*dst),
                        Purpose::Store(_) | Purpose::Last(_) => false,
                    };
                    let is_part = queries.is_comparison(*dst);
                    if is_invariant || is_part || !combines && !needed.remove(dst) {
                        continue;
                    }
                    visit::op_accesses(op, &mut |var, _| {
                        if !combines || var != *dst {
                            needed.insert(var);
                        }
                    });
                    if let Op::Row(table, _) | Op::Column(table, _) = op {
                        slice.loads.push((*table, at));
                    }
                    slice.assigned.insert(*dst);
                }
                StmtKind::Simple(Simple::Put { .. }) | StmtKind::If { .. }
                    if purpose == Purpose::Query =>
                {
                    visit::walk(std::slice::from_ref(stmt), &mut |stmt| {
                        visit::accesses(&stmt.kind, &mut |var, access| {
                            if access.reads() {
                                needed.insert(var);
                            }
                        });
                    });
                }
                // The others neither compute nor store a value.
                _ => continue,
            }
            slice.is_in[at] = true;
        }
        slice
    }

    /// Tests whether all combined values are computed from lines of one table only.
    fn combines_lines(&self, body: &[Stmt], into: VarId) -> bool {
        let mut tables = self.loads.iter().map(|(table, _)| *table);
        let first = tables.next();
        let mut all = tables.all(|table| Some(table) == first);
        for (stmt, _) in body.iter().zip(&self.is_in).filter(|(_, is_in)| **is_in) {
            if let StmtKind::Simple(Simple::Assign(_, op)) = &stmt.kind
                && !matches!(op, Op::Row(..) | Op::Column(..))
            {
                visit::op_accesses(op, &mut |var, _| {
                    all &= var == into || self.assigned.contains(&var);
                });
            }
        }
        all
    }

    /// Returns the statements that store into the table that the slice is for.
    fn stores<'b>(&self, body: &'b [Stmt]) -> impl DoubleEndedIterator<Item = usize> + 'b {
        let of = match self.purpose {
            Purpose::Store(of) => Some(of),
            Purpose::Combine(_) | Purpose::Query | Purpose::Last(_) => None,
        };
        let stores = body.iter().enumerate().filter(move |(_, stmt)| match &stmt.kind {
            StmtKind::Simple(Simple::PutRow { table, .. } | Simple::PutColumn { table, .. }) => {
                Some(*table) == of
            }
            _ => false,
        });
        stores.map(|(at, _)| at)
    }

    /// Tests whether all iterations of this slice may run before the first one of the other slice.
    fn may_come_before(&self, other: &Slice, body: &[Stmt]) -> bool {
        // Every load from the other slice's table must precede the first store into it …
        let first = other.stores(body).next();
        let Some(of) = other.table() else { return self.is_loaded_late(other, body) };
        let mut loads = self.loads.iter().filter(|(table, _)| *table == of);
        loads.all(|(_, at)| first.is_none_or(|first| *at < first))
            && self.is_loaded_late(other, body)
    }

    /// … and every load by the other slice from this slice's table must follow the last store into
    /// it.
    fn is_loaded_late(&self, other: &Slice, body: &[Stmt]) -> bool {
        let last = self.stores(body).next_back();
        let of = self.table();
        let mut loads = other.loads.iter().filter(|(table, _)| Some(*table) == of);
        loads.all(|(_, at)| last.is_none_or(|last| *at > last))
    }

    fn table(&self) -> Option<VarId> {
        match self.purpose {
            Purpose::Store(table) => Some(table),
            Purpose::Combine(_) | Purpose::Query | Purpose::Last(_) => None,
        }
    }

    /// Returns the statements of the slice, with the checks that concern it; all of them hold.
    fn block(&self, body: &[Stmt], counts: bool) -> Block {
        let is_touched =
            |table| self.table() == Some(table) || self.loads.iter().any(|(of, _)| *of == table);
        let (makes, is_query) =
            (!matches!(self.purpose, Purpose::Last(_)), self.purpose == Purpose::Query);
        let mut made = BTreeSet::new();
        body.iter().for_each(|stmt| {
            if let StmtKind::Simple(Simple::Assign(dst, _)) = &stmt.kind {
                made.insert(*dst);
            }
        });
        let is_known = |size: &SizeOperand| {
            visit::measured(size)
                .is_none_or(|of| !made.contains(&of) || self.assigned.contains(&of))
        };
        let is_kept = |(stmt, is_in): &(&Stmt, &bool)| match &stmt.kind {
            // The index is checked again where a last value is computed.
            StmtKind::Simple(Simple::Check(Check::Index(_, limit))) => {
                makes && (is_query || visit::measured(limit).is_some_and(is_touched))
            }
            StmtKind::Simple(Simple::Check(Check::Size(left, right))) => {
                is_known(left) && is_known(right)
            }
            StmtKind::Simple(Simple::Cost { .. }) => counts && makes,
            _ => **is_in,
        };
        body.iter().zip(&self.is_in).filter(is_kept).map(|(stmt, _)| stmt.clone()).collect()
    }
}
