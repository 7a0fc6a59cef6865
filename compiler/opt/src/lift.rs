//! `lift`: loop parallelisation. Loops without loop-carried dependences become `forall`, with privates and reductions; where that takes checks
//! at run time, the loop is versioned.
//!
//! So far loops over lines: the body loads rows (or columns) of its own index, combines them with each other and
//! with slices or words from outside, and stores rows (or columns) of its own index of one table, or combines them into
//! a slice or word. Of each variable one of these has to hold:
//!
//! * It is not written in the body.
//! * It is written before it is read in each iteration, and not read behind the loop: private. So is the loop
//!   variable.
//! * It is the table that is stored to: all iterations access only the line of their own index.
//! * It is a reduction by or, and, or xor: the body does nothing with it but `Z := Z op e`, always with the same operation.
//!   A body with a reduction stores nothing else.
//!
//! The body has no control flow, and cannot trap: its checks are proven, or compare the index, or the size of what an
//! iteration makes, with a size that the loop leaves alone. A slice or word that is made of lines is as long as these,
//! in every iteration. Such a check is hoisted, to a guard in front: where it fails the sequential loop runs, which is
//! kept behind it, and traps where it did.

mod emit;

use std::collections::BTreeMap;

use star_ir::analysis::liveness::Liveness;
use star_ir::analysis::n_statements;
use star_ir::analysis::walk::{Belief, Inspect, Point, walk};
use star_ir::visit;
use star_ir::{
    Access, Block, Check, ForallRange, LabelId, LocId, LogicOp, Op, Operand, Part, PartKind,
    Program, Reduction, ReductionOp, Routine, RoutineId, SizeOp, SizeOperand, Stmt, StmtKind,
    VarId,
};

use crate::context::Context;
use crate::remark::{self, Stay};
use crate::rewrite::guarded;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    let Some(routine) = program.routines.get(id.0 as usize) else { return 0 };
    let mut finder =
        Finder { program, id, routine, liveness: None, found: BTreeMap::new(), stayed: Vec::new() };
    let mut at = 0;
    visit::walk(&routine.body, &mut |stmt| {
        finder.look(at, stmt);
        at += 1;
    });
    let Finder { mut found, mut stayed, .. } = finder;
    if found.values().any(|lifted| !lifted.guards.is_empty()) {
        let mut unset = Unset { found: &found, is_unset: BTreeMap::new() };
        walk(program, routine, Belief::Nothing, &mut unset);
        for (at, var) in unset.is_unset {
            if let Some(lifted) = found.remove(&at) {
                let why = format!("{} may be unset", remark::name(routine, var));
                stayed.push((lifted.stmt.loc, why.into()));
            }
        }
    }
    stayed.into_iter().for_each(|(loc, stay)| context.stayed_for(id, loc, stay));
    let locs: Vec<LocId> = found.values().map(|lifted| lifted.stmt.loc).collect();
    let fired = guarded(program, id, context, |routine| {
        let n = found.len();
        emit::rewrite(routine, found);
        n
    });
    for loc in locs {
        match fired {
            0 => context.stayed(id, loc, "the verifier finds no guard for its body"),
            _ => context.became(id, loc, "forall"),
        }
    }
    fired
}

/// A loop that can be lifted.
struct Lifted {
    /// The loop, which is kept behind the guards.
    stmt: Stmt,
    label: LabelId,
    var: VarId,
    body: Block,
    range: ForallRange,
    writes: Vec<Part>,
    reductions: Vec<Reduction>,
    privates: Vec<VarId>,
    /// What has to hold that is not proven.
    guards: Vec<Guard>,
}

/// A condition on sizes that the loop leaves alone.
#[derive(Clone, PartialEq, Eq)]
enum Guard {
    /// This is at most the limit.
    AtMost(Least, SizeOperand),
    /// Both sizes are the same.
    Equal(SizeOperand, SizeOperand),
}

impl Guard {
    /// The variables whose sizes are compared.
    fn measured(&self) -> impl Iterator<Item = VarId> {
        let of = match self {
            Guard::AtMost(_, limit) => [visit::measured(limit), None],
            Guard::Equal(left, right) => [visit::measured(left), visit::measured(right)],
        };
        of.into_iter().flatten()
    }
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
    /// The other loops, and why they stay.
    stayed: Vec<(LocId, Stay)>,
}

/// The loops in front of which something that their guards measure may be unset: sizes are compared of what has one.
struct Unset<'f> {
    found: &'f BTreeMap<usize, Lifted>,
    is_unset: BTreeMap<usize, VarId>,
}

impl Inspect for Unset<'_> {
    fn before(&mut self, at: usize, _: &Stmt, point: &mut Point<'_, '_>) {
        let guards = self.found.get(&at).into_iter().flat_map(|lifted| &lifted.guards);
        let mut measured = guards.flat_map(Guard::measured);
        if let Some(var) = measured.find(|var| !point.facts.is_set(*var)) {
            self.is_unset.insert(at, var);
        }
    }
}

impl Finder<'_> {
    /// Looks at the statement with number `at`.
    fn look(&mut self, at: usize, stmt: &Stmt) {
        let (label, var, range, body) = match &stmt.kind {
            StmtKind::For { label, var, from, to, down: false, body } => {
                (*label, *var, ForallRange::Range(from.clone(), to.clone()), body)
            }
            StmtKind::For { label, var, from, to, down: true, body } => {
                (*label, *var, ForallRange::Range(to.clone(), from.clone()), body)
            }
            StmtKind::Foreach { label, var, over, body } => {
                (*label, *var, ForallRange::Ones(*over), body)
            }
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
        match self.lifted(at, stmt, (label, var, range, body)) {
            Ok(lifted) => {
                self.found.insert(at, lifted);
            }
            Err(why) => self.stayed.push((stmt.loc, why)),
        }
    }

    /// The loop with number `at` as a `forall`, or why it is none.
    fn lifted(
        &mut self,
        at: usize,
        stmt: &Stmt,
        (label, var, range, body): (LabelId, VarId, ForallRange, &[Stmt]),
    ) -> Result<Lifted, Stay> {
        let mut lines = Lines::new(self.routine, var);
        lines.reduction = reduction(self.routine, body);
        for stmt in body {
            let done = lines.statement(stmt, &range);
            done.map_err(|why| Stay { why, at: Some(stmt.loc) })?;
        }
        let Lines { line, stored, written, guards, reduction, .. } = lines;
        let (writes, reductions) = match (line, stored, reduction) {
            (Some(kind), Some(var), None) => (vec![Part { var, kind }], Vec::new()),
            (Some(_), None, Some(reduction)) => (Vec::new(), vec![reduction]),
            (None, _, _) | (Some(_), None, None) | (Some(_), Some(_), Some(_)) => {
                return Err("its body stores no row or column of its index".to_owned().into());
            }
        };
        let liveness = self.liveness.get_or_insert_with(|| Liveness::of(self.program, self.id));
        let last = at + n_statements(body);
        let kept = written.iter().chain([&var]).find(|var| liveness.is_live_after(last, **var));
        if let Some(kept) = kept {
            let name = remark::name(self.routine, *kept);
            return Err(format!("{name} is needed in the next turn, or behind the loop").into());
        }
        // Private variables are unset when a turn ends.
        let unsets = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Size(SizeOp::Unset(_)));
        let (stmt, body) = (stmt.clone(), body.iter().filter(|stmt| !unsets(stmt)).cloned());
        let (body, privates) = (body.collect(), written);
        Ok(Lifted { stmt, label, var, body, range, writes, reductions, privates, guards })
    }
}

/// What a body does with lines.
struct Lines<'p> {
    routine: &'p Routine,
    /// The index of the iteration.
    var: VarId,
    line: Option<PartKind>,
    stored: Option<VarId>,
    reduction: Option<Reduction>,
    /// Slices and words that are assigned.
    written: Vec<VarId>,
    /// How long they are: a size that the loop leaves alone.
    lengths: BTreeMap<VarId, SizeOperand>,
    guards: Vec<Guard>,
}

impl<'p> Lines<'p> {
    fn new(routine: &'p Routine, var: VarId) -> Self {
        let (written, lengths, guards) = (Vec::new(), BTreeMap::new(), Vec::new());
        Lines { routine, var, line: None, stored: None, reduction: None, written, lengths, guards }
    }

    fn name(&self, var: VarId) -> String {
        remark::name(self.routine, var)
    }

    /// Fails unless the statement does nothing but work on lines of its own index.
    fn statement(&mut self, stmt: &Stmt, range: &ForallRange) -> Result<(), String> {
        let why = match &stmt.kind {
            StmtKind::Assign(dst, op) => return self.op(*dst, op),
            StmtKind::PutRow { table, index, value: _ } => {
                return self.store(*table, index, PartKind::Row);
            }
            StmtKind::PutColumn { table, index, value: _ } => {
                return self.store(*table, index, PartKind::Column);
            }
            StmtKind::Check(check @ Check::Index(index, limit)) => {
                return self.check(check, index, limit, range);
            }
            StmtKind::Check(Check::Size(left, right)) => return self.sizes(left, right),
            StmtKind::Cost { units: _, times: None } => return Ok(()),
            StmtKind::Cost { .. } => "what its body costs depends on a size",
            StmtKind::Check(check) => return Err(remark::may_fail(self.routine, check)),
            StmtKind::Step { .. } => "its body steps through a slice or word",
            StmtKind::Put { .. }
            | StmtKind::Replace { .. }
            | StmtKind::PutBit { .. }
            | StmtKind::PutField { .. } => "its body stores less or more than a row or column",
            StmtKind::PutHandlePart { .. } => "its body changes a handle",
            StmtKind::Size(SizeOp::Unset(var)) if self.written.contains(var) => return Ok(()),
            StmtKind::Size(_) => "its body may give a variable its size",
            StmtKind::Call { .. } => "its body calls a routine",
            StmtKind::Print(_) | StmtKind::Read { .. } | StmtKind::Write { .. } => {
                "its body prints, reads or writes"
            }
            StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::Forall { .. }
            | StmtKind::Tile { .. } => "there is a loop in its body",
            StmtKind::If { .. } | StmtKind::Block { .. } => "there are branches in its body",
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Exit => "its body leaves a turn",
        };
        Err(why.to_owned())
    }

    fn op(&mut self, dst: VarId, op: &Op) -> Result<(), String> {
        if let Op::Row(table, index) = op {
            self.own(*table, index, PartKind::Row)?;
        } else if let Op::Column(table, index) = op {
            self.own(*table, index, PartKind::Column)?;
        } else if !is_logic(op) {
            return Err(format!("{} takes more than a function bit by bit", self.name(dst)));
        }
        if !self.routine.var(dst).ty.is_bits() {
            return Err(format!("its body assigns {}", self.name(dst)));
        }
        // A reduction keeps its size.
        if self.reduction.is_some_and(|reduction| reduction.var == dst) {
            return Ok(());
        }
        // What is measured was the size of another value.
        if self.guards.iter().flat_map(Guard::measured).any(|measured| measured == dst) {
            return Err(format!("{} changes its size", self.name(dst)));
        }
        if let Some(length) = self.length_of(op) {
            self.lengths.insert(dst, length);
        }
        if !self.written.contains(&dst) {
            self.written.push(dst);
        }
        Ok(())
    }

    /// How long is what an operation on lines makes?
    fn length_of(&self, op: &Op) -> Option<SizeOperand> {
        if let Op::Row(table, _) = op {
            Some(SizeOperand::Columns(*table))
        } else if let Op::Column(table, _) = op {
            Some(SizeOperand::Rows(*table))
        } else if let Op::Copy(Operand::Var(of))
        | Op::BitsLogic(_, of, _)
        | Op::BitsNot(of)
        | Op::Convert(of) = op
        {
            Some(self.size(&SizeOperand::Length(*of)))
        } else {
            None
        }
    }

    /// A size, by one that the loop leaves alone if that of the operand is one of an iteration.
    fn size(&self, size: &SizeOperand) -> SizeOperand {
        match size {
            SizeOperand::Length(var) => self.lengths.get(var).unwrap_or(size).clone(),
            SizeOperand::Rows(_) | SizeOperand::Columns(_) | SizeOperand::Value(_) => size.clone(),
        }
    }

    /// A check of sizes becomes a guard in front of the loop.
    fn sizes(&mut self, left: &SizeOperand, right: &SizeOperand) -> Result<(), String> {
        let (left, right) = (self.size(left), self.size(right));
        let own = SizeOperand::Value(Operand::Var(self.var));
        let guard = Guard::Equal(left.clone(), right.clone());
        if [&left, &right].contains(&&own)
            || guard.measured().any(|measured| self.written.contains(&measured))
        {
            return Err(remark::may_fail(self.routine, &Check::Size(left, right)));
        }
        if left != right && !self.guards.contains(&guard) {
            self.guards.push(guard);
        }
        Ok(())
    }

    fn store(&mut self, table: VarId, index: &Operand, line: PartKind) -> Result<(), String> {
        self.own(table, index, line)?;
        match *self.stored.get_or_insert(table) == table {
            true => Ok(()),
            false => Err("its body stores into several tables".to_owned()),
        }
    }

    /// Fails unless it is the line of the iteration, of the kind that the others are.
    fn own(&mut self, table: VarId, index: &Operand, line: PartKind) -> Result<(), String> {
        if *index != Operand::Var(self.var) {
            let [table, var] = [table, self.var].map(|var| self.name(var));
            return Err(format!("{table} is accessed at another index than {var}"));
        }
        match *self.line.get_or_insert_with(|| line.clone()) == line {
            true => Ok(()),
            false => Err("its body accesses rows and columns".to_owned()),
        }
    }

    /// A check of the index becomes a guard in front of the loop.
    fn check(
        &mut self,
        check: &Check,
        index: &Operand,
        limit: &SizeOperand,
        range: &ForallRange,
    ) -> Result<(), String> {
        let is_written = visit::measured(limit).is_none_or(|var| self.written.contains(&var));
        if *index != Operand::Var(self.var) || is_written {
            return Err(remark::may_fail(self.routine, check));
        }
        let least = match range {
            ForallRange::Range(from, to) => Least::Range(from.clone(), to.clone()),
            ForallRange::Ones(over) => Least::Length(*over),
        };
        let guard = Guard::AtMost(least, limit.clone());
        if !self.guards.contains(&guard) {
            self.guards.push(guard);
        }
        Ok(())
    }
}

/// The slice or word into which a body combines something, if there is one, and nothing else is done with it.
fn reduction(routine: &Routine, body: &[Stmt]) -> Option<Reduction> {
    let step = |stmt: &Stmt| {
        if let StmtKind::Assign(dst, Op::BitsLogic(op, a, b)) = &stmt.kind
            && (a == dst) != (b == dst)
        {
            let op = match op {
                LogicOp::Or => ReductionOp::Or,
                LogicOp::And => ReductionOp::And,
                LogicOp::Xor => ReductionOp::Xor,
            };
            return Some(Reduction { var: *dst, op });
        }
        None
    };
    let is_only = |found: &Reduction| {
        routine.var(found.var).ty.is_bits()
            && body.iter().all(|stmt| {
                let mut is_accessed = false;
                visit::accesses(&stmt.kind, &mut |var, access| {
                    is_accessed |= var == found.var && access != Access::ReadSize;
                });
                !is_accessed || step(stmt) == Some(*found)
            })
    };
    body.iter().filter_map(step).find(is_only)
}

/// Is each bit of the result a function of the same bits of the operands?
fn is_logic(op: &Op) -> bool {
    matches!(op, Op::Copy(Operand::Var(_)) | Op::BitsLogic(..) | Op::BitsNot(_) | Op::Convert(_))
}
