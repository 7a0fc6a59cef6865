//! `kernels`: states a `forall` over lines, and a `for` over columns that carries slices, as data
//! flow ([`star_ir::kernel`]).
//!
//! The body has no control flow but branches around reductions and components, which become the
//! condition of an effect. A line that is loaded after it was stored is the stored value. A slice
//! or word that an iteration computes is as long as the lines of a table or as a slice or word from
//! outside, so that a check of its size is a check of sizes that all iterations share.

mod columns;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use star_ir::analysis::liveness::Liveness;
use star_ir::kernel::{Effect, Line, Value, ValueId, slopes};
use star_ir::rewrite::{Edit, Edits, edit};
use star_ir::{
    Block, Check, IntOp, Kernel, LogicOp, Op, Operand, Part, PartKind, Program, Reduction,
    ReductionOp, Routine, RoutineId, Simple, SizeOp, SizeOperand, Stmt, StmtKind, Ty, VarId, visit,
};

use crate::context::Context;
use crate::remark;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    let liveness = OnceCell::new();
    let read = &*program;
    let edits = edits(read, id, |routine, at, stmt| {
        let liveness = || liveness.get_or_init(|| Liveness::of(read, id));
        let kernel = match &stmt.kind {
            StmtKind::For { .. } => {
                columns::kernel(routine, stmt, &|var| liveness().is_live_after(at, var))
            }
            _ => kernel(routine, stmt),
        };
        let kind = StmtKind::Kernel(Box::new(kernel?));
        Some(vec![Stmt { kind, loc: stmt.loc }])
    });
    for edit in edits.values() {
        if let Edit::Splice(others) = edit
            && let [Stmt { kind: StmtKind::Kernel(kernel), loc }] = &others[..]
        {
            context.became(id, *loc, description(program.routine(id), kernel));
        }
    }
    replace(program, id, edits)
}

/// Returns what a kernel iterates over, in terms of the source.
fn description(routine: &Routine, kernel: &Kernel) -> String {
    let lines = match kernel.line {
        Line::Row => "rows",
        Line::Column => "columns",
    };
    let order = if kernel.in_order().is_some() { ", in order" } else { "" };
    format!("a kernel over the {lines} of {}{order}", remark::name(routine, kernel.table))
}

/// Replaces the kernels of a routine by their fallbacks. Other passes change the fallback alone.
pub(crate) fn discard(program: &mut Program, id: RoutineId) {
    let edits = edits(program, id, |_, _, stmt| match &stmt.kind {
        StmtKind::Kernel(kernel) => Some(kernel.fallback.clone()),
        _ => None,
    });
    replace(program, id, edits);
}

/// Returns the statements of a routine for which `by` returns others, given their numbers.
fn edits(
    program: &Program,
    id: RoutineId,
    by: impl Fn(&Routine, usize, &Stmt) -> Option<Block>,
) -> Edits {
    let mut edits = Edits::new();
    let Some(routine) = program.routines.get(id.0 as usize) else { return edits };
    let mut at = 0;
    visit::walk(&routine.body, &mut |stmt| {
        if let Some(others) = by(routine, at, stmt) {
            edits.insert(at, Edit::Splice(others));
        }
        at += 1;
    });
    edits
}

/// Replaces statements of a routine; returns their number.
fn replace(program: &mut Program, id: RoutineId, edits: Edits) -> usize {
    if !edits.is_empty() {
        edit(&mut program.routine_mut(id).body, &edits);
    }
    edits.len()
}

/// Returns the kernel of a `forall`, if it is one over lines.
fn kernel(routine: &Routine, stmt: &Stmt) -> Option<Kernel> {
    let StmtKind::Forall { label: _, var, range: _, writes, privates, reductions, body } =
        &stmt.kind
    else {
        return None;
    };
    let (line, table) = line_of(*var, writes, body)?;
    let parts = writes.iter().map(|part| part.var);
    let changed = parts.chain(privates.iter().copied()).chain(reductions.iter().map(|it| it.var));
    let mut maker = Maker {
        privates,
        reductions,
        ..Maker::new(routine, (*var, changed.collect()), (line, table))
    };
    maker.block(body, None)?;
    let Maker { values, effects, guards, cost, .. } = maker;
    let has_effect = effects.iter().any(|effect| !matches!(effect, Effect::Cost { .. }));
    has_effect.then(|| Kernel {
        line,
        table,
        values,
        effects,
        guards,
        cost,
        fallback: vec![stmt.clone()],
    })
}

/// Returns the direction of the lines, and a table that has them: the one that is stored to, or the
/// first one that is loaded.
fn line_of(var: VarId, writes: &[Part], body: &[Stmt]) -> Option<(Line, VarId)> {
    let stored = writes.iter().find_map(|part| match part.kind {
        PartKind::Row => Some((Line::Row, part.var)),
        PartKind::Column => Some((Line::Column, part.var)),
        PartKind::Field { .. } | PartKind::Component => None,
    });
    let own = Operand::Var(var);
    stored.or_else(|| {
        body.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Simple(Simple::Assign(_, Op::Row(table, index))) if *index == own => {
                Some((Line::Row, *table))
            }
            StmtKind::Simple(Simple::Assign(_, Op::Column(table, index))) if *index == own => {
                Some((Line::Column, *table))
            }
            _ => None,
        })
    })
}

struct Maker<'p> {
    routine: &'p Routine,
    var: VarId,
    line: Line,
    table: VarId,
    /// What iterations change.
    changed: BTreeSet<VarId>,
    privates: &'p [VarId],
    reductions: &'p [Reduction],
    /// Are they those of a `for`?
    in_order: bool,
    values: Vec<Value>,
    numbers: HashMap<Value, ValueId>,
    /// The values of private variables.
    held: BTreeMap<VarId, ValueId>,
    /// The lines that were stored. In order, the column may have another index.
    stored: BTreeMap<(VarId, Option<ValueId>), ValueId>,
    effects: Vec<Effect>,
    guards: Vec<Check>,
    /// Slices that are set and as long as the lines when the first iteration begins.
    required: BTreeSet<ValueId>,
    cost: u64,
}

/// Every function returns `None` for something that is not part of a kernel.
impl<'p> Maker<'p> {
    fn new(
        routine: &'p Routine,
        (var, changed): (VarId, BTreeSet<VarId>),
        (line, table): (Line, VarId),
    ) -> Self {
        Maker {
            routine,
            var,
            line,
            table,
            changed,
            privates: &[],
            reductions: &[],
            in_order: false,
            values: Vec::new(),
            numbers: HashMap::new(),
            held: BTreeMap::new(),
            stored: BTreeMap::new(),
            effects: Vec::new(),
            guards: Vec::new(),
            required: BTreeSet::new(),
            cost: 0,
        }
    }

    fn block(&mut self, block: &[Stmt], when: Option<ValueId>) -> Option<()> {
        block.iter().try_for_each(|stmt| self.statement(stmt, when))
    }

    fn statement(&mut self, stmt: &Stmt, when: Option<ValueId>) -> Option<()> {
        match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, op)) => {
                match self.reductions.iter().find(|reduction| reduction.var == *dst) {
                    Some(reduction) => self.reduce(*reduction, op, when),
                    None => self.assign(*dst, op, when),
                }
            }
            StmtKind::Simple(Simple::PutRow { table, index, value }) => {
                self.store((*table, index), *value, Line::Row, when)
            }
            StmtKind::Simple(Simple::PutColumn { table, index, value }) => {
                self.store((*table, index), *value, Line::Column, when)
            }
            StmtKind::Simple(Simple::Put { bits, index, bit }) if !self.in_order => {
                self.is_own(index)?;
                self.guard(Check::Index(index.clone(), SizeOperand::Length(*bits)));
                let value = self.scalar(bit)?;
                self.effects.push(Effect::Put { bits: *bits, value, when });
                Some(())
            }
            StmtKind::If { test, then, otherwise } if self.in_order => {
                self.branch(test, [then, otherwise], when)
            }
            StmtKind::Block { label: _, body } if self.in_order => self.block(body, when),
            StmtKind::If { test, then, otherwise } => {
                let test = self.scalar(test)?;
                let taken = self.both(when, test);
                self.block(then, Some(taken))?;
                if otherwise.is_empty() {
                    return Some(());
                }
                let not = self.value(Value::Not(test));
                let taken = self.both(when, not);
                self.block(otherwise, Some(taken))
            }
            StmtKind::Simple(Simple::Cost { units, times: None }) => {
                match when {
                    Some(when) => self.effects.push(Effect::Cost { units: *units, when }),
                    None => self.cost = self.cost.checked_add(*units)?,
                }
                Some(())
            }
            StmtKind::Simple(Simple::Check(check)) => self.check(check),
            StmtKind::Simple(Simple::Size(SizeOp::SetRows { table, rows: _ })) if self.in_order => {
                // It does nothing to a table that has rows.
                self.guard(Check::Set(*table));
                Some(())
            }
            StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns {
                table,
                columns: SizeOperand::Value(index),
            })) if self.in_order => self.within(index, &SizeOperand::Columns(*table)),
            StmtKind::Simple(Simple::Size(SizeOp::Unset(var))) if self.privates.contains(var) => {
                self.held.remove(var);
                Some(())
            }
            _ => None,
        }
    }

    fn value(&mut self, value: Value) -> ValueId {
        let next = ValueId(self.values.len() as u32);
        *self.numbers.entry(value.clone()).or_insert_with(|| {
            self.values.push(value);
            next
        })
    }

    fn require(&mut self, carried: VarId) {
        let value = self.value(Value::Carried(carried));
        self.required.insert(value);
    }

    fn both(&mut self, when: Option<ValueId>, test: ValueId) -> ValueId {
        match when {
            Some(when) => self.value(Value::Logic(LogicOp::And, when, test)),
            None => test,
        }
    }

    fn is_own(&self, index: &Operand) -> Option<()> {
        (*index == Operand::Var(self.var)).then_some(())
    }

    /// Checks that no iteration changes the variable.
    fn is_outside(&self, var: VarId) -> Option<()> {
        (var != self.var && !self.changed.contains(&var)).then_some(())
    }

    fn is_carried(&self, var: VarId) -> bool {
        self.in_order && self.routine.var(var).ty.is_bits() && self.changed.contains(&var)
    }

    fn bits(&mut self, var: VarId) -> Option<ValueId> {
        match self.held.get(&var) {
            Some(value) => Some(*value),
            None if self.is_carried(var) => Some(self.value(Value::Carried(var))),
            None => {
                self.is_outside(var)?;
                Some(self.value(Value::Whole(var)))
            }
        }
    }

    fn scalar(&mut self, operand: &Operand) -> Option<ValueId> {
        let value = match operand {
            Operand::Var(var) if *var == self.var => Value::Index,
            Operand::Var(var) => {
                if let Some(value) = self.held.get(var) {
                    return Some(*value);
                }
                self.is_outside(*var)?;
                Value::Scalar(operand.clone())
            }
            Operand::Int(_) | Operand::Bool(_) => Value::Scalar(operand.clone()),
            Operand::Str(_) => return None,
        };
        Some(self.value(value))
    }

    fn load(&mut self, table: VarId, index: &Operand, line: Line) -> Option<ValueId> {
        let index = self.line_index(index)?;
        (line == self.line).then_some(())?;
        match self.stored.get(&(table, index)) {
            Some(value) => Some(*value),
            None => Some(self.value(Value::Line(table, index))),
        }
    }

    /// Returns the value of an index, apart from that of the iteration.
    fn line_index(&mut self, index: &Operand) -> Option<Option<ValueId>> {
        if self.in_order && self.is_own(index).is_none() {
            let index = self.scalar(index)?;
            (slopes(&self.values)[index.0 as usize] == Some(1)).then_some(())?;
            return Some(Some(index));
        }
        self.is_own(index).map(|()| None)
    }

    fn store(
        &mut self,
        (table, index): (VarId, &Operand),
        value: VarId,
        line: Line,
        when: Option<ValueId>,
    ) -> Option<()> {
        let index = self.line_index(index)?;
        (line == self.line && (when.is_none() || self.in_order)).then_some(())?;
        let value = self.bits(value)?;
        self.stored.insert((table, index), value);
        if self.in_order {
            return Some(());
        }
        // Only the last one remains.
        self.effects.retain(
            |effect| !matches!(effect, Effect::Store { table: before, .. } if *before == table),
        );
        self.effects.push(Effect::Store { table, index, value });
        Some(())
    }

    fn assign(&mut self, dst: VarId, op: &Op, when: Option<ValueId>) -> Option<()> {
        (self.in_order || when.is_none() && self.privates.contains(&dst)).then_some(())?;
        let value = match op {
            Op::Row(table, index) => return self.hold_line(dst, *table, index, Line::Row),
            Op::Column(table, index) => return self.hold_line(dst, *table, index, Line::Column),
            Op::Copy(Operand::Var(var)) if self.routine.var(*var).ty.is_bits() => {
                let value = self.bits(*var)?;
                self.held.insert(dst, value);
                return Some(());
            }
            Op::Convert(var) => {
                let value = self.bits(*var)?;
                self.held.insert(dst, value);
                return Some(());
            }
            Op::Copy(operand) if matches!(self.routine.var(dst).ty, Ty::Int | Ty::Bool) => {
                let value = self.scalar(operand)?;
                self.held.insert(dst, value);
                return Some(());
            }
            Op::BitsNot(var) => Value::Not(self.bits(*var)?),
            Op::BitsLogic(op, left, right) => {
                Value::Logic(*op, self.bits(*left)?, self.bits(*right)?)
            }
            Op::Fill(len, bit) => {
                let len = self.outer_size(&SizeOperand::Value(len.clone()))?;
                let line = self.line_size(self.table);
                self.guard(Check::Size(line, len));
                Value::Fill(*bit)
            }
            Op::Int(op, left, right) if self.in_order => {
                let value = self.int(*op, left, right)?;
                self.held.insert(dst, value);
                return Some(());
            }
            // The rows of a kernel in order are independent of each other.
            Op::Query(..) if self.in_order => return None,
            Op::Query(query, var) => Value::Query(*query, self.bits(*var)?),
            Op::Component(var, index) => {
                self.is_own(index)?;
                self.is_outside(*var)?;
                self.guard(Check::Index(index.clone(), SizeOperand::Length(*var)));
                Value::Component(*var)
            }
            Op::Compare(relation, left, right) => {
                Value::Compare(*relation, self.scalar(left)?, self.scalar(right)?)
            }
            Op::Not(operand) => Value::Not(self.scalar(operand)?),
            Op::Logic(op, left, right) => {
                Value::Logic(*op, self.scalar(left)?, self.scalar(right)?)
            }
            _ => return None,
        };
        let value = self.value(value);
        self.held.insert(dst, value);
        Some(())
    }

    fn hold_line(&mut self, dst: VarId, table: VarId, index: &Operand, line: Line) -> Option<()> {
        let value = self.load(table, index, line)?;
        self.held.insert(dst, value);
        Some(())
    }

    /// A step of a reduction.
    fn reduce(&mut self, reduction: Reduction, op: &Op, when: Option<ValueId>) -> Option<()> {
        let Reduction { var: into, op: by } = reduction;
        let other = |left: &Operand, right: &Operand| {
            let own = Operand::Var(into);
            ((*left == own) != (*right == own))
                .then(|| if *left == own { right.clone() } else { left.clone() })
        };
        let value = match op {
            Op::BitsLogic(op, left, right) if by.logic() == Some(*op) => {
                ((*left == into) != (*right == into) && when.is_none()).then_some(())?;
                self.bits(if *left == into { *right } else { *left })?
            }
            Op::Logic(op, left, right) if by.logic() == Some(*op) => {
                self.scalar(&other(left, right)?)?
            }
            Op::Int(IntOp::Add, left, right) if by == ReductionOp::Add => {
                self.scalar(&other(left, right)?)?
            }
            Op::Copy(value) if matches!(by, ReductionOp::Min | ReductionOp::Max) => {
                self.scalar(value)?
            }
            _ => return None,
        };
        self.effects.push(Effect::Reduce { into, op: by, value, when });
        Some(())
    }

    fn guard(&mut self, guard: Check) {
        if !self.guards.contains(&guard) {
            self.guards.push(guard);
        }
    }

    /// The length of the lines of a table.
    fn line_size(&self, table: VarId) -> SizeOperand {
        match self.line {
            Line::Row => SizeOperand::Columns(table),
            Line::Column => SizeOperand::Rows(table),
        }
    }

    /// The length of bits: operands of logic have the same one. That of a carried slice is required
    /// to be that of the lines, and selected values to have the same one.
    fn length(&mut self, id: ValueId) -> SizeOperand {
        let mut found: Option<SizeOperand> = None;
        // Branches in a row select from the same values, of which each is visited once.
        let (mut open, mut seen) = (vec![id], BTreeSet::new());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let length = match self.values[id.0 as usize] {
                Value::Not(of) | Value::Logic(_, of, _) => {
                    open.push(of);
                    continue;
                }
                Value::Select(_, then, otherwise) => {
                    open.extend([otherwise, then]);
                    continue;
                }
                Value::Line(table, _) => self.line_size(table),
                Value::Whole(var) => SizeOperand::Length(var),
                Value::Carried(var) => {
                    self.require(var);
                    self.line_size(self.table)
                }
                Value::Fill(_)
                | Value::Int(..)
                | Value::Query(..)
                | Value::Index
                | Value::Scalar(_)
                | Value::Component(_)
                | Value::Compare(..) => self.line_size(self.table),
            };
            match &found {
                None => found = Some(length),
                Some(first) if *first != length => self.guard(Check::Size(first.clone(), length)),
                Some(_) => {}
            }
        }
        found.unwrap_or_else(|| self.line_size(self.table))
    }

    /// The size, by one that all iterations share.
    fn outer_size(&mut self, size: &SizeOperand) -> Option<SizeOperand> {
        match size {
            SizeOperand::Length(var) => match self.held.get(var).copied() {
                Some(value) => Some(self.length(value)),
                None if self.is_carried(*var) => {
                    let value = self.value(Value::Carried(*var));
                    Some(self.length(value))
                }
                // The components that are set do not change the length.
                None => (*var != self.var && !self.privates.contains(var)).then(|| size.clone()),
            },
            SizeOperand::Value(Operand::Var(var)) => self.is_outside(*var).map(|()| size.clone()),
            SizeOperand::Value(Operand::Int(_)) => Some(size.clone()),
            SizeOperand::Value(Operand::Bool(_) | Operand::Str(_)) => None,
            SizeOperand::Rows(_) | SizeOperand::Columns(_) => Some(size.clone()),
        }
    }

    /// The index of each iteration is within a size.
    fn within(&mut self, index: &Operand, limit: &SizeOperand) -> Option<()> {
        match (self.line_index(index)?, limit) {
            (None, limit) => {
                let limit = self.outer_size(limit)?;
                self.guard(Check::Index(index.clone(), limit));
            }
            (Some(index), SizeOperand::Columns(table)) => {
                self.value(Value::Line(*table, Some(index)));
            }
            (Some(_), SizeOperand::Value(_) | SizeOperand::Length(_) | SizeOperand::Rows(_)) => {
                return None;
            }
        }
        Some(())
    }

    /// A check holds in all iterations if it holds before the first one.
    fn check(&mut self, check: &Check) -> Option<()> {
        match check {
            Check::Set(var) if *var == self.var || self.held.contains_key(var) => {}
            Check::Set(var) if self.is_carried(*var) => self.require(*var),
            Check::Set(var) => {
                let is_table = matches!(self.routine.var(*var).ty, Ty::Table(..));
                (!self.in_order || is_table || !self.changed.contains(var)).then_some(())?;
                (!self.privates.contains(var)).then_some(())?;
                self.guard(check.clone());
            }
            Check::Index(index, limit) => self.within(index, limit)?,
            // A table that would have to grow is left to the fallback.
            Check::NewColumn(table, index) if self.in_order => {
                self.within(index, &SizeOperand::Columns(*table))?;
            }
            Check::Int(op, left, right) if self.in_order => {
                self.int(*op, left, right)?;
            }
            Check::Size(left, right) => {
                let (left, right) = (self.outer_size(left)?, self.outer_size(right)?);
                if left != right {
                    self.guard(Check::Size(left, right));
                }
            }
            Check::NotNegative(operand) => {
                self.outer_size(&SizeOperand::Value(operand.clone()))?;
                self.guard(check.clone());
            }
            Check::Bit(operand) => {
                let value = self.scalar(operand)?;
                match &self.values[value.0 as usize] {
                    Value::Component(_) | Value::Scalar(Operand::Int(0 | 1)) => {}
                    Value::Scalar(_) => self.guard(check.clone()),
                    _ => return None,
                }
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use crate::apply;

    /// The lengths of values that many branches in a row select are found in linear time.
    #[test]
    fn branches_in_a_row_are_one_kernel() {
        let branch = "    if %t !0 {\n      check size length %X, length %v !0\n      \
                      %X = bits_and %X, %v !0\n      %X = bits_not %X !0\n    }\n";
        let text = format!(
            "routine 0 \"F\" (value %w: word[?], value %P: table[?, ?], ref %X: slice[?]) !0 {{\n  \
             var %i: int\n  var %b: int\n  var %t: bool\n  var %v: slice[?]\n  \
             check set %P !0\n  check set %X !0\n  for @0 %i = 1 to 9 !0 {{\n    \
             check index %i, columns %P !0\n    check index %i, length %w !0\n    \
             %v = column %P, %i !0\n    %b = component %w, %i !0\n    %t = eq %b, 1 !0\n\
             {}    check size length %X, length %v !0\n    %X = bits_xor %X, %v !0\n  }}\n}}\n\
             locations {{\n  !0 = 0:0..0\n}}\n",
            branch.repeat(60)
        );
        let mut program = star_ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let report = apply(&mut program, &["kernels"]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report.count("kernels"), 1);
    }
}
