//! What the body of a loop does with lines of its own index.

use std::collections::{BTreeMap, BTreeSet};

use star_ir::visit;
use star_ir::{
    Access, Check, Extent, ForallRange, LogicOp, Op, Operand, PartKind, Reduction, ReductionOp,
    Routine, SizeOp, SizeOperand, Stmt, StmtKind, Var, VarId,
};

use super::{Guard, Least};
use crate::remark;

/// What a body does with lines.
pub(super) struct Lines<'p> {
    routine: &'p Routine,
    /// The index of the iteration.
    var: VarId,
    pub(super) line: Option<PartKind>,
    /// Tables that are stored to.
    pub(super) stored: Vec<VarId>,
    pub(super) reductions: Vec<Reduction>,
    /// Slices and words that are assigned.
    pub(super) written: Vec<VarId>,
    /// How long they are: a size that the loop leaves alone.
    lengths: BTreeMap<VarId, SizeOperand>,
    /// Numbers that are assigned, each of them such a size.
    pub(super) numbers: BTreeMap<VarId, SizeOperand>,
    pub(super) guards: Vec<Guard>,
}

impl<'p> Lines<'p> {
    pub(super) fn new(routine: &'p Routine, var: VarId, body: &[Stmt]) -> Self {
        Lines {
            routine,
            var,
            line: None,
            stored: Vec::new(),
            reductions: reductions(routine, body),
            written: Vec::new(),
            lengths: BTreeMap::new(),
            numbers: BTreeMap::new(),
            guards: Vec::new(),
        }
    }

    fn name(&self, var: VarId) -> String {
        remark::name(self.routine, var)
    }

    /// Fails unless the statement does nothing but work on lines of its own index.
    pub(super) fn statement(&mut self, stmt: &Stmt, range: &ForallRange) -> Result<(), String> {
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
        } else if let Some(size) = size_of(op) {
            return self.number(dst, &size);
        } else if !self.is_logic(op) {
            return Err(format!("{} takes more than a function bit by bit", self.name(dst)));
        }
        if !self.routine.var(dst).ty.is_bits() {
            return Err(format!("its body assigns {}", self.name(dst)));
        }
        // A reduction keeps its size.
        if self.reductions.iter().any(|reduction| reduction.var == dst) {
            return Ok(());
        }
        // What is measured was the size of another value.
        let sizes = self.numbers.values().filter_map(visit::measured);
        if self.guards.iter().flat_map(Guard::measured).chain(sizes).any(|var| var == dst) {
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
        } else if let Op::Fill(size, _) = op {
            Some(self.size(&SizeOperand::Value(size.clone())))
        } else {
            None
        }
    }

    /// A size, by one that the loop leaves alone if that of the operand is one of an iteration.
    fn size(&self, size: &SizeOperand) -> SizeOperand {
        match size {
            SizeOperand::Length(var) => self.lengths.get(var).unwrap_or(size).clone(),
            SizeOperand::Value(Operand::Var(var)) => self.numbers.get(var).unwrap_or(size).clone(),
            SizeOperand::Rows(_) | SizeOperand::Columns(_) | SizeOperand::Value(_) => size.clone(),
        }
    }

    /// A number takes a size, always the same one.
    fn number(&mut self, dst: VarId, size: &SizeOperand) -> Result<(), String> {
        let size = self.size(size);
        let changes = visit::measured(&size).is_some_and(|var| self.written.contains(&var));
        let is_extent = |var: &Var| var.ty.extents().contains(&Extent::Var(dst));
        if changes
            || self.routine.vars.iter().any(is_extent)
            || *self.numbers.entry(dst).or_insert_with(|| size.clone()) != size
        {
            return Err(format!("its body assigns {}", self.name(dst)));
        }
        Ok(())
    }

    /// What an iteration reads before it assigns it.
    pub(super) fn carried(&self, body: &[Stmt]) -> Option<VarId> {
        let mut assigned = BTreeSet::new();
        let mut carried = None;
        for stmt in body {
            visit::accesses(&stmt.kind, &mut |var, access| {
                let is_private = self.written.contains(&var) || self.numbers.contains_key(&var);
                if is_private && access.reads() && !assigned.contains(&var) {
                    carried = carried.or(Some(var));
                }
                if access.writes() {
                    assigned.insert(var);
                }
            });
        }
        carried
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
        if !self.stored.contains(&table) {
            self.stored.push(table);
        }
        Ok(())
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

    /// Is each bit of the result a function of the same bits of the operands?
    fn is_logic(&self, op: &Op) -> bool {
        match op {
            Op::Fill(size, _) => *size != Operand::Var(self.var),
            op => matches!(
                op,
                Op::Copy(Operand::Var(_)) | Op::BitsLogic(..) | Op::BitsNot(_) | Op::Convert(_)
            ),
        }
    }
}

/// The size that an operation takes, if it is one that does.
fn size_of(op: &Op) -> Option<SizeOperand> {
    if let Op::Length(of) = op {
        Some(SizeOperand::Length(*of))
    } else if let Op::Rows(of) = op {
        Some(SizeOperand::Rows(*of))
    } else if let Op::Columns(of) = op {
        Some(SizeOperand::Columns(*of))
    } else {
        None
    }
}

/// The slices and words into which a body combines something, and with which nothing else is done.
fn reductions(routine: &Routine, body: &[Stmt]) -> Vec<Reduction> {
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
    let mut found = Vec::new();
    for reduction in body.iter().filter_map(step).filter(is_only) {
        if !found.contains(&reduction) {
            found.push(reduction);
        }
    }
    found
}
