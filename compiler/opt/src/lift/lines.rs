//! Analysis of a body that works on lines of its index.

use std::collections::{BTreeMap, BTreeSet};

use star_ir::visit;
use star_ir::{
    Access, Check, Extent, ForallRange, LogicOp, Op, Operand, PartKind, Reduction, ReductionOp,
    Routine, Simple, SizeOp, SizeOperand, Stmt, StmtKind, Ty, VarId,
};

use super::queries::{MAX_ADDEND, MAX_ITERATIONS, MAX_SUM, Queries};
use super::{Guard, Indices};
use crate::remark;

const BRANCHES: &str = "there are branches in its body";

/// The effects of a body on lines.
pub(super) struct Lines<'p> {
    routine: &'p Routine,
    /// The index of the iteration.
    var: VarId,
    pub(super) line: Option<PartKind>,
    /// Tables that are stored to.
    pub(super) stored: Vec<VarId>,
    pub(super) reductions: Vec<Reduction>,
    /// Its queries of lines.
    pub(super) queries: Queries,
    /// Slices and words that are assigned.
    pub(super) written: Vec<VarId>,
    /// Their lengths: sizes that the loop does not change.
    lengths: BTreeMap<VarId, SizeOperand>,
    /// Numbers that are assigned, and the invariant size that each of them holds.
    pub(super) numbers: BTreeMap<VarId, SizeOperand>,
    /// Results of queries that are not negative, with the size that bounds them, or none if the
    /// bound is 1.
    answers: BTreeMap<VarId, Option<SizeOperand>>,
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
            queries: Queries::new(routine, body),
            written: Vec::new(),
            lengths: BTreeMap::new(),
            numbers: BTreeMap::new(),
            answers: BTreeMap::new(),
            guards: Vec::new(),
        }
    }

    fn name(&self, var: VarId) -> String {
        remark::name(self.routine, var)
    }

    /// Fails unless the statement only works on lines of its index.
    pub(super) fn statement(&mut self, stmt: &Stmt, range: &ForallRange) -> Result<(), String> {
        let why = match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, op)) => return self.op(*dst, op, range),
            StmtKind::Simple(Simple::PutRow { table, index, value: _ }) => {
                return self.store(*table, index, PartKind::Row);
            }
            StmtKind::Simple(Simple::PutColumn { table, index, value: _ }) => {
                return self.store(*table, index, PartKind::Column);
            }
            StmtKind::Simple(Simple::Check(check @ Check::Index(index, limit))) => {
                return self.check(check, index, limit, range);
            }
            StmtKind::Simple(Simple::Check(Check::Size(left, right))) => {
                return self.sizes(left, right);
            }
            StmtKind::Simple(Simple::Cost { units: _, times: None }) => return Ok(()),
            StmtKind::Simple(Simple::Cost { .. }) => "the cost of its body depends on a size",
            StmtKind::Simple(Simple::Check(check)) if self.queries.is_of_sum(check) => {
                return Ok(());
            }
            StmtKind::Simple(Simple::Check(check)) => {
                return Err(remark::may_fail(self.routine, check));
            }
            StmtKind::Simple(Simple::Put { bits, index, bit }) => {
                return self.component(*bits, index, bit);
            }
            StmtKind::If { test: _, then, otherwise } => {
                if self.queries.extreme(stmt).is_some() {
                    return Ok(());
                }
                let mut inner = then.iter().chain(otherwise);
                return inner.try_for_each(|stmt| self.in_branch(stmt, range));
            }
            StmtKind::Simple(Simple::Step { .. }) => "its body steps through a slice or word",
            StmtKind::Simple(
                Simple::Replace { .. } | Simple::PutBit { .. } | Simple::PutField { .. },
            ) => "its body stores less or more than a row or column",
            StmtKind::Simple(Simple::PutHandlePart { .. }) => "its body changes a handle",
            StmtKind::Simple(Simple::Size(SizeOp::Unset(var))) if self.is_private(*var) => {
                return Ok(());
            }
            StmtKind::Simple(Simple::Size(_)) => "its body may set the size of a variable",
            StmtKind::Simple(Simple::Call { .. }) => "its body calls a routine",
            StmtKind::Simple(
                Simple::Print(_)
                | Simple::Read { .. }
                | Simple::Write { .. }
                | Simple::Exchange { .. }
                | Simple::ExchangeRow { .. },
            ) => "its body prints, reads or writes",
            StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::Forall { .. }
            | StmtKind::Kernel(_) => "there is a loop in its body",
            StmtKind::Block { .. } => BRANCHES,
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Exit => {
                "its body leaves an iteration early"
            }
        };
        Err(why.to_owned())
    }

    /// Fails unless a statement of a branch only combines results of queries or writes a component.
    fn in_branch(&mut self, stmt: &Stmt, range: &ForallRange) -> Result<(), String> {
        match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, _)) if !self.queries.combines(*dst) => {
                Err(format!("its body assigns {} in a branch", self.name(*dst)))
            }
            StmtKind::Simple(
                Simple::Assign(..) | Simple::Put { .. } | Simple::Check(_) | Simple::Cost { .. },
            )
            | StmtKind::If { .. } => self.statement(stmt, range),
            _ => Err(BRANCHES.to_owned()),
        }
    }

    /// Records that the iteration writes its own component.
    fn component(&mut self, bits: VarId, index: &Operand, bit: &Operand) -> Result<(), String> {
        if *index != Operand::Var(self.var) {
            let [bits, var] = [bits, self.var].map(|var| self.name(var));
            return Err(format!("{bits} is accessed at another index than {var}"));
        }
        if !matches!(bit, Operand::Int(0 | 1)) {
            return Err("its body stores less or more than a row or column".to_owned());
        }
        if !self.queries.components.contains(&bits) {
            self.queries.components.push(bits);
        }
        Ok(())
    }

    fn op(&mut self, dst: VarId, op: &Op, range: &ForallRange) -> Result<(), String> {
        if self.queries.is_comparison(dst) {
            return Ok(());
        }
        if self.queries.combines(dst) {
            return self.queries.addend(dst, op).map_or(Ok(()), |of| self.sum(dst, of, range));
        }
        if let Op::Row(table, index) = op {
            self.own(*table, index, PartKind::Row)?;
        } else if let Op::Column(table, index) = op {
            self.own(*table, index, PartKind::Column)?;
        } else if let Some(size) = size_of(op) {
            return self.number(dst, &size);
        } else if !self.routine.var(dst).ty.is_bits() {
            return self.answer(dst, op);
        } else if !self.is_logic(op) {
            return Err(format!("{} is more than a function of single bits", self.name(dst)));
        }
        // A reduction keeps its size.
        if self.reductions.iter().any(|reduction| reduction.var == dst) {
            return Ok(());
        }
        // The size that was measured belonged to another value.
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

    /// A number or truth value is assigned the result of a query, or a value computed from results.
    fn answer(&mut self, dst: VarId, op: &Op) -> Result<(), String> {
        if !matches!(self.routine.var(dst).ty, Ty::Int | Ty::Bool) {
            return Err(format!("its body assigns {}", self.name(dst)));
        }
        let own = Operand::Var(self.var);
        let most = match op {
            Op::Query(query, of) if !query.is_test() => {
                Some(Some(self.size(&SizeOperand::Length(*of))))
            }
            Op::Component(of, index) if *index == own && !self.written.contains(of) => Some(None),
            Op::Query(..) | Op::Copy(_) | Op::Compare(..) | Op::Not(_) | Op::Logic(..) => None,
            _ => {
                let [dst, var] = [dst, self.var].map(|var| self.name(var));
                return Err(format!("{dst} is not computed from whole rows or columns of {var}"));
            }
        };
        if self.is_extent(dst) || self.numbers.contains_key(&dst) {
            return Err(format!("its body assigns {}", self.name(dst)));
        }
        // With several assignments, one may exceed the bound of the others.
        let is_first = !self.queries.privates.contains(&dst);
        match most.filter(|_| is_first) {
            Some(most) => drop(self.answers.insert(dst, most)),
            None => drop(self.answers.remove(&dst)),
        }
        if is_first {
            self.queries.privates.push(dst);
        }
        Ok(())
    }

    /// A number is added to a sum: guards before the loop ensure that the sum does not overflow.
    fn sum(&mut self, dst: VarId, of: &Operand, range: &ForallRange) -> Result<(), String> {
        let most = match of {
            Operand::Int(0..=MAX_ADDEND) => None,
            Operand::Var(var) if self.answers.contains_key(var) => self.answers[var].clone(),
            _ => return Err(format!("{} has no known bound", self.name(dst))),
        };
        let n_iterations = match range {
            ForallRange::Range(_, to) => SizeOperand::Value(to.clone()),
            ForallRange::Ones(over) => SizeOperand::Length(*over),
        };
        let most = most.map(|most| Guard::Bounded(most, MAX_ADDEND));
        let sum = Guard::Bounded(SizeOperand::Value(Operand::Var(dst)), MAX_SUM);
        for guard in [sum, Guard::Bounded(n_iterations, MAX_ITERATIONS)].into_iter().chain(most) {
            if !self.guards.contains(&guard) {
                self.guards.push(guard);
            }
        }
        Ok(())
    }

    /// Tests whether each iteration has its own value of the variable.
    fn is_private(&self, var: VarId) -> bool {
        self.written.contains(&var)
            || self.numbers.contains_key(&var)
            || self.queries.privates.contains(&var)
    }

    fn is_extent(&self, of: VarId) -> bool {
        self.routine.vars.iter().any(|var| var.ty.extents().contains(&Extent::Var(of)))
    }

    /// Returns a slice or word of which the body writes components and that it also accesses
    /// otherwise.
    pub(super) fn touched(&self, body: &[Stmt]) -> Option<VarId> {
        let mut touched = None;
        visit::walk(body, &mut |stmt| {
            let own = match &stmt.kind {
                StmtKind::Simple(Simple::Put { bits, .. }) => Some(*bits),
                _ => None,
            };
            visit::accesses(&stmt.kind, &mut |var, access| {
                if own != Some(var)
                    && access != Access::ReadSize
                    && self.queries.components.contains(&var)
                {
                    touched = Some(var);
                }
            });
        });
        touched
    }

    /// Returns the length of the result of an operation on lines.
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

    /// Returns a size, as an invariant one if the operand is private to an iteration.
    fn size(&self, size: &SizeOperand) -> SizeOperand {
        match size {
            SizeOperand::Length(var) => self.lengths.get(var).unwrap_or(size).clone(),
            SizeOperand::Value(Operand::Var(var)) => self.numbers.get(var).unwrap_or(size).clone(),
            SizeOperand::Rows(_) | SizeOperand::Columns(_) | SizeOperand::Value(_) => size.clone(),
        }
    }

    /// A number is assigned a size, always the same one.
    fn number(&mut self, dst: VarId, size: &SizeOperand) -> Result<(), String> {
        let size = self.size(size);
        let changes = visit::measured(&size).is_some_and(|var| self.written.contains(&var));
        if changes
            || self.is_extent(dst)
            || self.queries.privates.contains(&dst)
            || *self.numbers.entry(dst).or_insert_with(|| size.clone()) != size
        {
            return Err(format!("its body assigns {}", self.name(dst)));
        }
        Ok(())
    }

    /// Returns a variable that an iteration reads before it assigns it.
    pub(super) fn carried(&self, body: &[Stmt]) -> Option<VarId> {
        let mut assigned = BTreeSet::new();
        let mut carried = None;
        visit::walk(body, &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |var, access| {
                if self.is_private(var) && access.reads() && !assigned.contains(&var) {
                    carried = carried.or(Some(var));
                }
                if access.writes() {
                    assigned.insert(var);
                }
            });
        });
        carried
    }

    /// Converts a check of sizes into a guard before the loop.
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

    /// Fails unless this is the line of the iteration, of the same kind as the others.
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

    /// Converts a check of the index into a guard before the loop.
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
        let indices = match range {
            ForallRange::Range(from, to) => Indices::Range(from.clone(), to.clone()),
            ForallRange::Ones(over) => Indices::Length(*over),
        };
        let guard = Guard::AtMost(indices, limit.clone());
        if !self.guards.contains(&guard) {
            self.guards.push(guard);
        }
        Ok(())
    }

    /// Tests whether each bit of the result is a function of the same bits of the operands.
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

/// Returns the size that an operation yields, if it yields one.
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

/// Returns the slices and words that are reductions of the body and are not used otherwise.
fn reductions(routine: &Routine, body: &[Stmt]) -> Vec<Reduction> {
    let step = |stmt: &Stmt| {
        if let StmtKind::Simple(Simple::Assign(dst, Op::BitsLogic(op, a, b))) = &stmt.kind
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
