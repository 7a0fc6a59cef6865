//! Loop distribution: a body that stores into several tables, or combines several things, becomes
//! one loop for each.
//!
//! Iterations do not depend on each other, so that only the order within one iteration counts. A
//! piece is a backward slice of the body: what it takes to make what is stored, combined, or left
//! behind. What two pieces need both of them make.
//!
//! A piece that loads a line which another piece stores comes before that one if the body loads it
//! before it stores it, and behind it if the body stores it first. Where the pieces go round in a
//! circle (two tables that are exchanged) the loop stays.

use std::collections::BTreeSet;

use star_ir::visit;
use star_ir::{Block, Check, Op, PartKind, Reduction, Routine, SizeOperand, Stmt, StmtKind, VarId};

use super::questions::Questions;
use crate::remark::{self, Stay};

/// What a piece is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// It stores lines of this table.
    Store(VarId),
    /// It combines lines.
    Combine(Reduction),
    /// It asks about lines, combines the answers, and writes components.
    Ask,
    /// It makes what the last iteration leaves in a private slice or word.
    Last(VarId),
}

/// A part of a body.
pub(super) struct Piece {
    pub(super) does: Does,
    /// The lines that belong to an iteration.
    pub(super) line: PartKind,
    pub(super) body: Block,
}

/// What is known of a loop whose body is distributed.
pub(super) struct Loops<'p> {
    pub(super) routine: &'p Routine,
    pub(super) questions: &'p Questions,
    /// Numbers that are not assigned in any piece.
    pub(super) invariants: &'p [(VarId, SizeOperand)],
}

impl Loops<'_> {
    /// The pieces of a body that works on lines of this kind, in an order in which they may run.
    pub(super) fn pieces(
        &self,
        body: &[Stmt],
        does: Vec<Does>,
        line: PartKind,
    ) -> Result<Vec<Piece>, Stay> {
        let slices = does.into_iter().map(|does| Slice::new(body, does, self));
        let mut slices: Vec<Slice> = slices.collect();
        let n_loops = slices.iter().filter(|slice| !matches!(slice.does, Does::Last(_))).count();
        for slice in &slices {
            let var = match slice.does {
                Does::Combine(Reduction { var, .. }) => var,
                Does::Ask if slice.loads.is_empty() => {
                    return Err("what its body asks is about no line".to_owned().into());
                }
                Does::Ask | Does::Store(_) | Does::Last(_) => continue,
            };
            // No kernel does the others, and iteration by iteration they would take longer than the
            // loop does.
            if slice.loads.is_empty() || n_loops > 1 && !slice.combines_lines(body, var) {
                let name = remark::name(self.routine, var);
                return Err(format!("{name} is combined with something else than one line").into());
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
            let counts = ordered.iter().all(|piece| matches!(piece.does, Does::Last(_)));
            // What an iteration costs the first loop counts.
            let block = slice.block(body, counts);
            let body = match slice.does {
                Does::Ask => self.questions.rewritten(block),
                Does::Store(_) | Does::Combine(_) | Does::Last(_) => block,
            };
            ordered.push(Piece { does: slice.does, line: line.clone(), body });
        }
        Ok(ordered)
    }
}

/// A backward slice of a body.
struct Slice {
    does: Does,
    /// For each statement of the body: is it one of the slice? Checks are not.
    is_in: Vec<bool>,
    /// The tables of which it loads a line, and where.
    loads: Vec<(VarId, usize)>,
    /// Slices and words that it assigns.
    assigned: BTreeSet<VarId>,
}

impl Slice {
    fn new(body: &[Stmt], does: Does, loops: &Loops<'_>) -> Self {
        let Loops { questions, invariants, .. } = loops;
        let (is_in, loads) = (vec![false; body.len()], Vec::new());
        let mut slice = Slice { does, is_in, loads, assigned: BTreeSet::new() };
        let mut needed = BTreeSet::new();
        if let Does::Last(var) = does {
            needed.insert(var);
        }
        for (at, stmt) in body.iter().enumerate().rev() {
            match &stmt.kind {
                StmtKind::PutRow { table, value, .. }
                | StmtKind::PutColumn { table, value, .. }
                    if does == Does::Store(*table) =>
                {
                    needed.insert(*value);
                }
                StmtKind::Assign(dst, op) => {
                    let is_invariant = invariants.iter().any(|(var, _)| var == dst);
                    let combines = match does {
                        Does::Combine(reduction) => reduction.var == *dst,
                        Does::Ask => questions.combines(*dst),
                        Does::Store(_) | Does::Last(_) => false,
                    };
                    let is_part = questions.is_comparison(*dst);
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
                StmtKind::If { .. } | StmtKind::Put { .. } if does == Does::Ask => {
                    visit::walk(std::slice::from_ref(stmt), &mut |stmt| {
                        visit::accesses(&stmt.kind, &mut |var, access| {
                            if access.reads() {
                                needed.insert(var);
                            }
                        });
                    });
                }
                // The others neither make a value nor store one.
                _ => continue,
            }
            slice.is_in[at] = true;
        }
        slice
    }

    /// Does everything that is combined come of lines of one table alone?
    fn combines_lines(&self, body: &[Stmt], into: VarId) -> bool {
        let mut tables = self.loads.iter().map(|(table, _)| *table);
        let first = tables.next();
        let mut all = tables.all(|table| Some(table) == first);
        for (stmt, _) in body.iter().zip(&self.is_in).filter(|(_, is_in)| **is_in) {
            if let StmtKind::Assign(_, op) = &stmt.kind
                && !matches!(op, Op::Row(..) | Op::Column(..))
            {
                visit::op_accesses(op, &mut |var, _| {
                    all &= var == into || self.assigned.contains(&var);
                });
            }
        }
        all
    }

    /// Where the body stores into the table that the slice is for.
    fn stores<'b>(&self, body: &'b [Stmt]) -> impl DoubleEndedIterator<Item = usize> + 'b {
        let of = match self.does {
            Does::Store(of) => Some(of),
            Does::Combine(_) | Does::Ask | Does::Last(_) => None,
        };
        let stores = body.iter().enumerate().filter(move |(_, stmt)| match &stmt.kind {
            StmtKind::PutRow { table, .. } | StmtKind::PutColumn { table, .. } => {
                Some(*table) == of
            }
            _ => false,
        });
        stores.map(|(at, _)| at)
    }

    /// May all iterations of this slice run before the first one of the other?
    fn may_come_before(&self, other: &Slice, body: &[Stmt]) -> bool {
        // What it loads of the other's table is loaded before anything is stored there …
        let first = other.stores(body).next();
        let Some(of) = other.table() else { return self.is_loaded_late(other, body) };
        let mut loads = self.loads.iter().filter(|(table, _)| *table == of);
        loads.all(|(_, at)| first.is_none_or(|first| *at < first))
            && self.is_loaded_late(other, body)
    }

    /// … and what the other loads of its table is loaded when all is stored.
    fn is_loaded_late(&self, other: &Slice, body: &[Stmt]) -> bool {
        let last = self.stores(body).next_back();
        let of = self.table();
        let mut loads = other.loads.iter().filter(|(table, _)| Some(*table) == of);
        loads.all(|(_, at)| last.is_none_or(|last| *at > last))
    }

    fn table(&self) -> Option<VarId> {
        match self.does {
            Does::Store(table) => Some(table),
            Does::Combine(_) | Does::Ask | Does::Last(_) => None,
        }
    }

    /// Its statements, with the checks that are about what it does; all of them hold.
    fn block(&self, body: &[Stmt], counts: bool) -> Block {
        let is_touched =
            |table| self.table() == Some(table) || self.loads.iter().any(|(of, _)| *of == table);
        let (makes, asks) = (!matches!(self.does, Does::Last(_)), self.does == Does::Ask);
        let mut made = BTreeSet::new();
        body.iter().for_each(|stmt| {
            if let StmtKind::Assign(dst, _) = &stmt.kind {
                made.insert(*dst);
            }
        });
        let is_known = |size: &SizeOperand| {
            visit::measured(size)
                .is_none_or(|of| !made.contains(&of) || self.assigned.contains(&of))
        };
        let is_kept = |(stmt, is_in): &(&Stmt, &bool)| match &stmt.kind {
            // Where a last value is made the index is checked anew.
            StmtKind::Check(Check::Index(_, limit)) => {
                makes && (asks || visit::measured(limit).is_some_and(is_touched))
            }
            StmtKind::Check(Check::Size(left, right)) => is_known(left) && is_known(right),
            StmtKind::Cost { .. } => counts && makes,
            _ => **is_in,
        };
        body.iter().zip(&self.is_in).filter(is_kept).map(|(stmt, _)| stmt.clone()).collect()
    }
}
