//! `lift`: loops whose iterations do not depend on each other become `forall`.
//!
//! So far loops over lines: the body loads rows (or columns) of its own index, combines them with each other and
//! with slices or words from outside, and stores rows (or columns) of its own index of one table. Of each variable
//! one of these has to hold:
//!
//! * It is not written in the body.
//! * It is written before it is read in each iteration, and not read behind the loop: private. So is the loop
//!   variable.
//! * It is the table that is stored to: all iterations access only the line of their own index.
//!
//! The body has no control flow, and cannot trap: its checks are proven, or compare the index with a size that the
//! loop leaves alone. Such a check is hoisted, to a guard in front: where it fails the sequential loop runs, which
//! is kept behind it, and traps where it did.

use std::collections::BTreeMap;

use star_ir::analysis::liveness::Liveness;
use star_ir::analysis::n_statements;
use star_ir::analysis::walk::{Belief, Inspect, Point, walk};
use star_ir::rewrite::{Edit, Edits, Labels, clone_block, edit, fresh_var};
use star_ir::visit;
use star_ir::{
    Block, Check, ForallRange, LogicOp, Op, Operand, Part, PartKind, Program, Relation, Routine,
    RoutineId, SizeOperand, Stmt, StmtKind, Ty, VarId,
};

use crate::rewrite::guarded;

pub(crate) fn run(program: &mut Program, id: RoutineId) -> usize {
    let Some(routine) = program.routines.get(id.0 as usize) else { return 0 };
    let mut finder = Finder { routine, liveness: None, program, id, found: BTreeMap::new() };
    walk(program, routine, Belief::Nothing, &mut finder);
    let found = finder.found;
    guarded(program, id, |routine| {
        let n = found.len();
        rewrite(routine, found);
        n
    })
}

/// A loop that can be lifted.
struct Lifted {
    range: ForallRange,
    part: Part,
    privates: Vec<VarId>,
    /// What has to hold that is not proven.
    guards: Vec<Guard>,
}

/// A condition on sizes that the loop leaves alone.
#[derive(Clone, PartialEq, Eq)]
struct Guard {
    least: Least,
    limit: SizeOperand,
}

/// What is at most the limit.
#[derive(Clone, PartialEq, Eq)]
enum Least {
    /// The greatest index of a range; the least one is at least 1.
    Range(Operand, Operand),
    /// The number of components that are visited.
    Length(VarId),
}

struct Finder<'p> {
    program: &'p Program,
    id: RoutineId,
    routine: &'p Routine,
    /// Made when the first loop is met.
    liveness: Option<Liveness>,
    found: BTreeMap<usize, Lifted>,
}

impl Inspect for Finder<'_> {
    fn before(&mut self, at: usize, stmt: &Stmt, point: &mut Point<'_, '_>) {
        let (var, range, body) = match &stmt.kind {
            StmtKind::For { var, from, to, down: false, body, .. } => {
                (*var, ForallRange::Range(from.clone(), to.clone()), body)
            }
            StmtKind::For { var, from, to, down: true, body, .. } => {
                (*var, ForallRange::Range(to.clone(), from.clone()), body)
            }
            StmtKind::Foreach { var, over, body, .. } => (*var, ForallRange::Ones(*over), body),
            StmtKind::Assign(..)
            | StmtKind::Step { .. }
            | StmtKind::Put { .. }
            | StmtKind::Replace { .. }
            | StmtKind::PutColumn { .. }
            | StmtKind::PutRow { .. }
            | StmtKind::PutBit { .. }
            | StmtKind::PutField { .. }
            | StmtKind::PutHandlePart { .. }
            | StmtKind::Size(_)
            | StmtKind::Check(_)
            | StmtKind::Cost { .. }
            | StmtKind::Call { .. }
            | StmtKind::Print(_)
            | StmtKind::Read { .. }
            | StmtKind::Write { .. }
            | StmtKind::While { .. }
            | StmtKind::Forall { .. }
            | StmtKind::Tile { .. }
            | StmtKind::If { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => return,
        };
        let mut lines = Lines {
            routine: self.routine,
            var,
            line: None,
            stored: None,
            loaded: Vec::new(),
            written: Vec::new(),
            guards: Vec::new(),
        };
        if !body.iter().all(|stmt| lines.statement(stmt, &range)) {
            return;
        }
        let Some(part) = lines.part() else { return };
        // Sizes are compared of what has one.
        let is_sized =
            |guard: &Guard| visit::measured(&guard.limit).is_none_or(|var| point.facts.is_set(var));
        if !lines.guards.iter().all(is_sized) {
            return;
        }
        let liveness = self.liveness.get_or_insert_with(|| Liveness::of(self.program, self.id));
        let last = at + n_statements(body);
        let is_private = |var: &VarId| !liveness.is_live_after(last, *var);
        if is_private(&var) && lines.written.iter().all(is_private) {
            let Lines { written: privates, guards, .. } = lines;
            self.found.insert(at, Lifted { range, part, privates, guards });
        }
    }
}

/// What a body does with lines.
struct Lines<'p> {
    routine: &'p Routine,
    /// The index of the iteration.
    var: VarId,
    line: Option<PartKind>,
    stored: Option<VarId>,
    /// Tables of which lines are loaded.
    loaded: Vec<VarId>,
    /// Slices and words that are assigned.
    written: Vec<VarId>,
    guards: Vec<Guard>,
}

impl Lines<'_> {
    /// The part that an iteration stores, if it stores one.
    fn part(&self) -> Option<Part> {
        Some(Part { var: self.stored?, kind: self.line.clone()? })
    }

    /// Does the statement do nothing but work on lines of its own index?
    fn statement(&mut self, stmt: &Stmt, range: &ForallRange) -> bool {
        match &stmt.kind {
            StmtKind::Assign(dst, op) => self.op(*dst, op),
            StmtKind::PutRow { table, index, value: _ } => self.store(*table, index, PartKind::Row),
            StmtKind::PutColumn { table, index, value: _ } => {
                self.store(*table, index, PartKind::Column)
            }
            StmtKind::Check(Check::Index(index, limit)) => self.check(index, limit, range),
            StmtKind::Cost { units: _, times } => times.is_none(),
            StmtKind::Check(_)
            | StmtKind::Step { .. }
            | StmtKind::Put { .. }
            | StmtKind::Replace { .. }
            | StmtKind::PutBit { .. }
            | StmtKind::PutField { .. }
            | StmtKind::PutHandlePart { .. }
            | StmtKind::Size(_)
            | StmtKind::Call { .. }
            | StmtKind::Print(_)
            | StmtKind::Read { .. }
            | StmtKind::Write { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::Forall { .. }
            | StmtKind::Tile { .. }
            | StmtKind::If { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => false,
        }
    }

    fn op(&mut self, dst: VarId, op: &Op) -> bool {
        let fits = if let Op::Row(table, index) = op {
            self.loaded.push(*table);
            self.is_own(index, PartKind::Row)
        } else if let Op::Column(table, index) = op {
            self.loaded.push(*table);
            self.is_own(index, PartKind::Column)
        } else if let Op::Copy(Operand::Var(src)) = op {
            self.routine.var(*src).ty.is_bits()
        } else {
            matches!(op, Op::BitsLogic(..) | Op::BitsNot(_))
        };
        // What is measured was the size of another value.
        let is_measured =
            self.guards.iter().any(|guard| visit::measured(&guard.limit) == Some(dst));
        if !self.written.contains(&dst) {
            self.written.push(dst);
        }
        fits && !is_measured && self.routine.var(dst).ty.is_bits()
    }

    fn store(&mut self, table: VarId, index: &Operand, line: PartKind) -> bool {
        self.is_own(index, line) && *self.stored.get_or_insert(table) == table
    }

    /// Is it the line of the iteration, of the kind that the others are?
    fn is_own(&mut self, index: &Operand, line: PartKind) -> bool {
        *index == Operand::Var(self.var) && *self.line.get_or_insert_with(|| line.clone()) == line
    }

    /// A check of the index becomes a guard in front of the loop.
    fn check(&mut self, index: &Operand, limit: &SizeOperand, range: &ForallRange) -> bool {
        let written = visit::measured(limit).is_some_and(|var| self.written.contains(&var));
        let least = match range {
            ForallRange::Range(from, to) => Least::Range(from.clone(), to.clone()),
            ForallRange::Ones(over) => Least::Length(*over),
        };
        let guard = Guard { least, limit: limit.clone() };
        if !self.guards.contains(&guard) {
            self.guards.push(guard);
        }
        let is_size = match limit {
            SizeOperand::Rows(_) | SizeOperand::Columns(_) | SizeOperand::Length(_) => true,
            SizeOperand::Value(_) => false,
        };
        *index == Operand::Var(self.var) && is_size && !written
    }
}

fn rewrite(routine: &mut Routine, found: BTreeMap<usize, Lifted>) {
    let mut labels = Labels::new(routine);
    let mut loops = BTreeMap::new();
    let mut at = 0;
    visit::walk(&routine.body, &mut |stmt| {
        if found.contains_key(&at) {
            loops.insert(at, stmt.clone());
        }
        at += 1;
    });
    let mut edits = Edits::new();
    for (at, lifted) in found {
        if let Some(stmt) = loops.remove(&at) {
            edits.insert(at, Edit::Splice(forall(routine, &mut labels, stmt, lifted)));
        }
    }
    edit(&mut routine.body, &edits);
}

/// What stands in the place of the loop.
fn forall(routine: &mut Routine, labels: &mut Labels, stmt: Stmt, lifted: Lifted) -> Block {
    let Lifted { range, part, privates, guards } = lifted;
    let (StmtKind::For { label, var, body, .. } | StmtKind::Foreach { label, var, body, .. }) =
        &stmt.kind
    else {
        return vec![stmt];
    };
    let loc = stmt.loc;
    let at = |kind| Stmt { kind, loc };
    let forall = at(StmtKind::Forall {
        label: *label,
        var: *var,
        range,
        writes: vec![part],
        privates,
        reductions: Vec::new(),
        body: body.clone(),
    });
    if guards.is_empty() {
        return vec![forall];
    }
    let mut stmts = Block::new();
    let mut holds: Option<Operand> = None;
    let mut and = |routine: &mut Routine, stmts: &mut Block, op: Op| {
        let test = fresh_var(routine, "fits", Ty::Bool);
        stmts.push(at(StmtKind::Assign(test, op)));
        holds = Some(match holds.take() {
            None => Operand::Var(test),
            Some(before) => {
                let both = fresh_var(routine, "fits", Ty::Bool);
                let op = Op::Logic(LogicOp::And, before, Operand::Var(test));
                stmts.push(at(StmtKind::Assign(both, op)));
                Operand::Var(both)
            }
        });
    };
    for Guard { least, limit } in guards {
        let limit = measure(routine, &mut stmts, loc, &limit);
        let greatest = match least {
            Least::Range(from, to) => {
                if !matches!(from, Operand::Int(1..)) {
                    and(routine, &mut stmts, Op::Compare(Relation::Ge, from, Operand::Int(1)));
                }
                to
            }
            Least::Length(over) => measure(routine, &mut stmts, loc, &SizeOperand::Length(over)),
        };
        and(routine, &mut stmts, Op::Compare(Relation::Le, greatest, limit));
    }
    let otherwise = clone_block(std::slice::from_ref(&stmt), labels);
    match holds {
        Some(test) => stmts.push(at(StmtKind::If { test, then: vec![forall], otherwise })),
        None => stmts.push(forall),
    }
    stmts
}

/// The size as a number.
fn measure(
    routine: &mut Routine,
    stmts: &mut Block,
    loc: star_ir::LocId,
    size: &SizeOperand,
) -> Operand {
    let op = match size {
        SizeOperand::Length(var) => Op::Length(*var),
        SizeOperand::Rows(var) => Op::Rows(*var),
        SizeOperand::Columns(var) => Op::Columns(*var),
        SizeOperand::Value(value) => return value.clone(),
    };
    let number = fresh_var(routine, "size", Ty::Int);
    stmts.push(Stmt { kind: StmtKind::Assign(number, op), loc });
    Operand::Var(number)
}
