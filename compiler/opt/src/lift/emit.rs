//! Replacement of a lifted loop: its guards, a `forall` for each piece, last values, and the
//! sequential loop as the fallback.

mod fields;

use std::collections::BTreeMap;

use star_ir::rewrite::map::{self, Mapper};
use star_ir::rewrite::{Edit, Edits, Labels, clone_block, edit, fresh_var};
use star_ir::{
    Block, Check, ForallRange, IntOp, LocId, LogicOp, Op, Operand, Part, PartKind, Query, Relation,
    Routine, Simple, SizeOperand, Stmt, StmtKind, Ty, VarId,
};

use super::distribute::{Piece, Purpose};
use super::{Guard, Indices, Lifted};

pub(super) use fields::rewrite as rewrite_fields;

/// Replaces the loops that were found by their `forall` form.
pub(super) fn rewrite(routine: &mut Routine, found: BTreeMap<usize, Lifted>) {
    let mut labels = Labels::new(routine);
    let mut edits = Edits::new();
    for (at, lifted) in found {
        let maker = Maker { routine: &mut *routine, labels: &mut labels, loc: lifted.stmt.loc };
        edits.insert(at, Edit::Splice(maker.versions(lifted)));
    }
    edit(&mut routine.body, &edits);
}

struct Maker<'r> {
    routine: &'r mut Routine,
    labels: &'r mut Labels,
    /// The location of the loop.
    loc: LocId,
}

impl Maker<'_> {
    /// Returns the replacement of the loop.
    fn versions(mut self, mut lifted: Lifted) -> Block {
        let mut stmts = Block::new();
        let test = self.guards(&mut stmts, std::mem::take(&mut lifted.guards));
        let stmt = lifted.stmt.clone();
        let parallel = self.parallel(lifted);
        self.versioned(&mut stmts, test, parallel, &stmt);
        stmts
    }

    /// Emits the parallel form, under the test if there is one, with the loop itself as the
    /// alternative.
    fn versioned(
        &mut self,
        stmts: &mut Block,
        test: Option<Operand>,
        parallel: Block,
        stmt: &Stmt,
    ) {
        match test {
            Some(test) => {
                let otherwise = clone_block(std::slice::from_ref(stmt), self.labels);
                stmts.push(self.at(StmtKind::If { test, then: parallel, otherwise }));
            }
            None => stmts.extend(parallel),
        }
    }

    /// Copies bounds that the iterations write before the loop: bounds are evaluated once.
    fn bounds_once(
        &mut self,
        stmts: &mut Block,
        range: &mut ForallRange,
        is_written: impl Fn(VarId) -> bool,
    ) {
        let ForallRange::Range(from, to) = range else { return };
        for bound in [from, to] {
            if matches!(bound, Operand::Var(of) if is_written(*of)) {
                let op = Op::Copy(bound.clone());
                *bound = Operand::Var(self.define(stmts, "bound", Ty::Int, op));
            }
        }
    }

    fn at(&self, kind: StmtKind) -> Stmt {
        Stmt { kind, loc: self.loc }
    }

    /// Assigns the value of an operation to a new variable.
    fn define(&mut self, stmts: &mut Block, stem: &str, ty: Ty, op: Op) -> VarId {
        let var = fresh_var(self.routine, stem, ty);
        stmts.push(self.at(StmtKind::Simple(Simple::Assign(var, op))));
        var
    }

    /// Emits the guards and returns the conjunction of all of them, if there are any.
    fn guards(&mut self, stmts: &mut Block, guards: Vec<Guard>) -> Option<Operand> {
        let mut holds: Option<Operand> = None;
        let mut and = |this: &mut Self, stmts: &mut Block, op: Op| {
            let test = this.define(stmts, "fits", Ty::Bool, op);
            holds = Some(match holds.take() {
                None => Operand::Var(test),
                Some(before) => {
                    let op = Op::Logic(LogicOp::And, before, Operand::Var(test));
                    Operand::Var(this.define(stmts, "fits", Ty::Bool, op))
                }
            });
        };
        for guard in guards {
            let (indices, limit) = match guard {
                Guard::AtMost(indices, limit) => (indices, limit),
                Guard::Bounded(size, most) => {
                    let size = self.measure(stmts, &size);
                    if !matches!(size, Operand::Int(size) if size <= most) {
                        and(self, stmts, Op::Compare(Relation::Le, size, Operand::Int(most)));
                    }
                    continue;
                }
                Guard::Equal(left, right) => {
                    let [left, right] = [left, right].map(|of| self.measure(stmts, &of));
                    and(self, stmts, Op::Compare(Relation::Eq, left, right));
                    continue;
                }
            };
            let limit = self.measure(stmts, &limit);
            let greatest = match indices {
                Indices::Range(from, to) => {
                    if !matches!(from, Operand::Int(1..)) {
                        let op = Op::Compare(Relation::Ge, from, Operand::Int(1));
                        and(self, stmts, op);
                    }
                    to
                }
                Indices::Length(over) => self.measure(stmts, &SizeOperand::Length(over)),
            };
            and(self, stmts, Op::Compare(Relation::Le, greatest, limit));
        }
        holds
    }

    /// Emits the parallel loops and the assignments of final values. If a variable keeps its old
    /// value without iterations, that case is tested first.
    fn parallel(&mut self, lifted: Lifted) -> Block {
        let Lifted { stmt, label, var, mut range, pieces, queries, privates, live, .. } = lifted;
        let (invariants, keeps_old) = (lifted.invariants, lifted.keeps_old);
        let mut stmts = Block::new();
        let is_written = |of| of == var || invariants.iter().any(|(it, _)| *it == of);
        self.bounds_once(&mut stmts, &mut range, is_written);
        let mut inner = Block::new();
        let begins = keeps_old.then(|| {
            let is_down = matches!(stmt.kind, StmtKind::For { down: true, .. });
            self.begins_and_last(&mut stmts, &mut inner, &range, is_down, !live.is_empty())
        });
        for (number, size) in invariants {
            let size = match size {
                SizeOperand::Length(of) => Op::Length(of),
                SizeOperand::Rows(of) => Op::Rows(of),
                SizeOperand::Columns(of) => Op::Columns(of),
                SizeOperand::Value(of) => Op::Copy(of),
            };
            inner.push(self.at(StmtKind::Simple(Simple::Assign(number, size))));
        }
        // The private variables are unset after the loop, so live ones need other variables.
        let mut renamed = BTreeMap::new();
        for var in &live {
            let ty = self.routine.var(*var).ty;
            renamed.insert(*var, fresh_var(self.routine, "iteration", ty));
        }
        let mut label = Some(label);
        for Piece { purpose, line, body } in pieces {
            let label = match purpose {
                Purpose::Store(_) | Purpose::Combine(_) | Purpose::Query => label.take(),
                Purpose::Last(_) => None,
            };
            let privates = privates.iter().filter(|var| assigns(&body, **var)).copied();
            let (mut privates, mut body): (Vec<VarId>, _) = (privates.collect(), body);
            let mut names = Names(renamed.clone());
            if let Purpose::Last(last) = purpose {
                names.0.remove(&last);
            }
            map::block(&mut body, &mut names);
            privates.iter_mut().for_each(|var| names.rename(var));
            let mut index = var;
            names.rename(&mut index);
            let (writes, reductions) =
                match purpose {
                    Purpose::Store(var) => (vec![Part { var, kind: line }], Vec::new()),
                    Purpose::Combine(reduction) => (Vec::new(), vec![reduction]),
                    Purpose::Query => {
                        let kind = PartKind::Component;
                        let own =
                            queries.components.iter().map(|&var| Part { var, kind: kind.clone() });
                        (own.collect(), queries.reductions.clone())
                    }
                    Purpose::Last(_) => {
                        if let Some((_, Some(last))) = &begins {
                            inner.push(self.at(StmtKind::Simple(Simple::Assign(
                                index,
                                Op::Copy(last.clone()),
                            ))));
                        }
                        for stmt in body {
                            inner.extend(self.index_check(&stmt));
                            inner.push(stmt);
                        }
                        continue;
                    }
                };
            let label = label.unwrap_or_else(|| self.labels.fresh());
            let (var, range) = (index, range.clone());
            let forall = StmtKind::Forall { label, var, range, writes, privates, reductions, body };
            inner.push(self.at(forall));
        }
        match begins {
            Some((begins, last)) => {
                if let (Some(last), true) = (last, live.contains(&var)) {
                    inner.push(self.at(StmtKind::Simple(Simple::Assign(var, Op::Copy(last)))));
                }
                stmts.push(self.at(StmtKind::If {
                    test: begins,
                    then: inner,
                    otherwise: Vec::new(),
                }));
            }
            None => stmts.extend(inner),
        }
        stmts
    }

    /// Emits the test whether there is an iteration, and returns it with the index of the last
    /// iteration. The index is computed only if it is wanted, where the test holds.
    fn begins_and_last(
        &mut self,
        before: &mut Block,
        inner: &mut Block,
        range: &ForallRange,
        is_down: bool,
        wants_last: bool,
    ) -> (Operand, Option<Operand>) {
        match range {
            ForallRange::Range(from, to) => {
                let op = Op::Compare(Relation::Le, from.clone(), to.clone());
                let begins = Operand::Var(self.define(before, "begins", Ty::Bool, op));
                (begins, Some(if is_down { from } else { to }.clone()))
            }
            ForallRange::Ones(over) => {
                let begins = Operand::Var(self.define(
                    before,
                    "begins",
                    Ty::Bool,
                    Op::Query(Query::Any, *over),
                ));
                // The last one is the first one of the mirrored slice.
                let last = wants_last.then(|| {
                    let ty = self.routine.var(*over).ty;
                    let mirrored = self.define(inner, "mirrored", ty, Op::Mirror(*over));
                    let from_end =
                        self.define(inner, "from_end", Ty::Int, Op::Query(Query::First, mirrored));
                    let size = self.measure(inner, &SizeOperand::Length(*over));
                    let above = self.number(inner, IntOp::Add, size, Operand::Int(1));
                    self.number(inner, IntOp::Sub, above, Operand::Var(from_end))
                });
                (begins, last)
            }
        }
    }

    /// Returns the check that the last iteration has the line or component which a statement loads:
    /// facts about the index inside a loop are not known of a number after it.
    fn index_check(&self, stmt: &Stmt) -> Option<Stmt> {
        let StmtKind::Simple(Simple::Assign(_, op)) = &stmt.kind else { return None };
        let (index, limit) = if let Op::Row(table, index) = op {
            (index, SizeOperand::Rows(*table))
        } else if let Op::Column(table, index) = op {
            (index, SizeOperand::Columns(*table))
        } else if let Op::Component(bits, index) = op {
            (index, SizeOperand::Length(*bits))
        } else {
            return None;
        };
        Some(self.at(StmtKind::Simple(Simple::Check(Check::Index(index.clone(), limit)))))
    }

    /// Emits a sum or difference that does not overflow.
    fn number(&mut self, stmts: &mut Block, op: IntOp, left: Operand, right: Operand) -> Operand {
        stmts.push(self.at(StmtKind::Simple(Simple::Check(Check::Int(
            op,
            left.clone(),
            right.clone(),
        )))));
        Operand::Var(self.define(stmts, "last", Ty::Int, Op::Int(op, left, right)))
    }

    /// Returns the size as a number.
    fn measure(&mut self, stmts: &mut Block, size: &SizeOperand) -> Operand {
        let op = match size {
            SizeOperand::Length(var) => Op::Length(*var),
            SizeOperand::Rows(var) => Op::Rows(*var),
            SizeOperand::Columns(var) => Op::Columns(*var),
            SizeOperand::Value(value) => return value.clone(),
        };
        Operand::Var(self.define(stmts, "size", Ty::Int, op))
    }
}

fn assigns(body: &[Stmt], var: VarId) -> bool {
    body.iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Simple(Simple::Assign(dst, _)) if dst == var))
}

/// Renaming of variables.
struct Names(BTreeMap<VarId, VarId>);

impl Names {
    fn rename(&self, var: &mut VarId) {
        if let Some(new) = self.0.get(var) {
            *var = *new;
        }
    }
}

impl Mapper for Names {
    fn read(&mut self, var: &mut VarId) {
        self.rename(var);
    }

    fn size(&mut self, var: &mut VarId) {
        self.rename(var);
    }

    fn write(&mut self, var: &mut VarId) {
        self.rename(var);
    }

    fn operand(&mut self, operand: &mut Operand) {
        if let Operand::Var(var) = operand {
            self.rename(var);
        }
    }
}
