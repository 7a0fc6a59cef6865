//! Analysis of an iteration of a loop over fields: its accesses to outer tables and to private
//! variables.

mod checks;
mod sizes;

use std::collections::{BTreeMap, BTreeSet};

use star_ir::analysis::polynomial::{AtomId, Polynomial};
use star_ir::rewrite::label_of;
use star_ir::visit::{self, Access};
use star_ir::{
    Check, Extent, ForallRange, LabelId, Op, Operand, Routine, Simple, SizeOp, SizeOperand, Stmt,
    StmtKind, Ty, VarId,
};

use super::index_polynomials::IndexPolynomials;
use super::state::State;
use crate::remark::{self, Stay};

/// An access of an iteration to a part of a variable that iterations write.
pub(super) struct Touch {
    pub(super) region: Region,
    pub(super) stores: bool,
    pub(super) stmt: Stmt,
}

/// A part of a variable.
pub(super) enum Region {
    /// A field of `width` columns after `base` columns, inside these loops; for a single column,
    /// also its index.
    Columns {
        base: Polynomial,
        width: Polynomial,
        loops: Vec<AtomId>,
        index: Option<Operand>,
    },
    /// A row or a component.
    Row(Operand),
    Component(Operand),
}

/// A table that grows in each iteration: it may grow to its final size before the first one.
pub(super) struct Growth {
    pub(super) table: VarId,
    pub(super) columns: Polynomial,
}

pub(super) struct Iteration<'p> {
    routine: &'p Routine,
    /// The index of the iteration.
    pub(super) var: VarId,
    is_range: bool,
    pub(super) index: AtomId,
    pub(super) polynomials: IndexPolynomials,
    /// Variables that are private to an iteration.
    pub(super) privates: BTreeSet<VarId>,
    /// Variables that iterations write in parts.
    pub(super) stored: BTreeSet<VarId>,
    pub(super) touched: BTreeMap<VarId, Vec<Touch>>,
    /// Tables of which it loads or stores fields of its index.
    pub(super) fields: Vec<VarId>,
    pub(super) grows: Vec<Growth>,
    /// Tables whose number of columns is read.
    counted: BTreeSet<VarId>,
    /// The number of enclosing branches.
    depth: usize,
    label: LabelId,
    /// Inner loops and blocks.
    labels: BTreeSet<LabelId>,
    /// Whether an iteration may end before the last statement.
    is_left: bool,
}

impl<'p> Iteration<'p> {
    /// Returns an iteration of a loop over `var`, and the facts at its start.
    pub(super) fn new(
        routine: &'p Routine,
        (label, var): (LabelId, VarId),
        range: &ForallRange,
        body: &[Stmt],
        unset: BTreeSet<VarId>,
    ) -> (Self, State) {
        let (mut labels, mut is_left) = (BTreeSet::new(), false);
        let (mut wholly, mut partly, mut counted) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        visit::walk(body, &mut |stmt| {
            labels.extend(label_of(&stmt.kind));
            is_left |= stmt.kind == StmtKind::Continue(label);
            let in_place = part_of(&stmt.kind);
            let grown =
                if let StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns { table, .. })) =
                    &stmt.kind
                {
                    Some(*table)
                } else {
                    None
                };
            let is_forall = matches!(stmt.kind, StmtKind::Forall { .. });
            visit::accesses(&stmt.kind, &mut |var, access| {
                if !access.writes() || is_forall && access == Access::Update {
                    return;
                }
                let is_part = in_place == Some(var) || grown == Some(var);
                if is_part {
                    partly.insert(var)
                } else {
                    wholly.insert(var)
                };
            });
            if let StmtKind::Simple(Simple::Assign(_, Op::Columns(table))) = &stmt.kind {
                counted.insert(*table);
            }
            let mut count = |size: &SizeOperand| {
                if let SizeOperand::Columns(table) = size {
                    counted.insert(*table);
                }
            };
            if let StmtKind::Simple(Simple::Check(Check::Size(left, right))) = &stmt.kind {
                count(left);
                count(right);
            }
            if let StmtKind::Simple(Simple::Cost { times: Some(times), .. }) = &stmt.kind {
                count(times);
            }
        });
        let stored = &partly - &(&wholly | &unset);
        let privates = &(&wholly | &partly) - &stored;
        let mut polynomials = IndexPolynomials::default();
        let mut end = |of: &Operand| polynomials.outer(&SizeOperand::Value(of.clone()));
        let (first, last) = match range {
            ForallRange::Range(from, to) => (end(from), end(to)),
            ForallRange::Ones(over) => {
                (Polynomial::number(1), polynomials.outer(&SizeOperand::Length(*over)))
            }
        };
        let index = polynomials.open(var, first, last);
        let mut state = State { unset, ..State::default() };
        state.values.insert(var, Polynomial::atom(index));
        let iteration = Iteration {
            routine,
            var,
            is_range: matches!(range, ForallRange::Range(..)),
            index,
            polynomials,
            privates,
            stored,
            touched: BTreeMap::new(),
            fields: Vec::new(),
            grows: Vec::new(),
            counted,
            depth: 0,
            label,
            labels,
            is_left,
        };
        (iteration, state)
    }

    pub(super) fn name(&self, var: VarId) -> String {
        remark::name(self.routine, var)
    }

    /// Analyses a sequence of statements. Fails if an iteration may depend on another one, or trap.
    pub(super) fn block(&mut self, stmts: &[Stmt], state: &mut State) -> Result<(), Stay> {
        for (at, stmt) in stmts.iter().enumerate() {
            let done = self.statement(stmt, stmts.get(at + 1), state);
            done.map_err(|stay| Stay { at: stay.at.or(Some(stmt.loc)), ..stay })?;
        }
        Ok(())
    }

    fn statement(
        &mut self,
        stmt: &Stmt,
        next: Option<&Stmt>,
        state: &mut State,
    ) -> Result<(), Stay> {
        if let Some(why) = self.refused(&stmt.kind) {
            return Err(why.to_owned().into());
        }
        self.accesses(stmt, state)?;
        match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, op)) => {
                self.loads(stmt, op, state)?;
                self.assign(*dst, op, state);
                Ok(())
            }
            StmtKind::Simple(Simple::Step { dst, bits: _ }) => {
                self.is_assigned(*dst, state);
                Ok(())
            }
            StmtKind::Simple(Simple::Check(check)) => {
                self.check(check, next, state).map_err(Stay::from)
            }
            StmtKind::Simple(Simple::Size(op)) => self.size_op(op, state).map_err(Stay::from),
            StmtKind::Simple(Simple::Put { bits, index, bit: _ }) => {
                let region = Region::Component(index.clone());
                self.touch(*bits, Ok(region), stmt).map_err(Stay::from)
            }
            StmtKind::Simple(Simple::PutRow { table, index, value: _ }) => {
                let region = Region::Row(index.clone());
                self.touch(*table, Ok(region), stmt).map_err(Stay::from)
            }
            StmtKind::Simple(
                Simple::PutColumn { table, index, value: _ }
                | Simple::PutBit { table, row: _, column: index, bit: _ },
            ) => {
                let region = self.column(index, state);
                self.touch(*table, region, stmt).map_err(Stay::from)
            }
            StmtKind::Simple(Simple::PutField { table, base, value }) => {
                let width = self.size(&SizeOperand::Columns(*value), state);
                let region = self.columns(base, width, state);
                self.touch(*table, region, stmt).map_err(Stay::from)
            }
            StmtKind::If { test: _, then, otherwise } => {
                self.depth += 1;
                let mut other = state.clone();
                self.block(then, state)?;
                self.block(otherwise, &mut other)?;
                state.meet(&other);
                self.depth -= 1;
                Ok(())
            }
            StmtKind::Block { label: _, body } => {
                self.depth += 1;
                let mut inside = state.clone();
                self.block(body, &mut inside)?;
                state.may_execute(body);
                self.depth -= 1;
                Ok(())
            }
            StmtKind::For { label: _, var, from, to, down, body } => {
                let (first, last) = if *down { (to, from) } else { (from, to) };
                let ends = self.value(first, state).zip(self.value(last, state));
                self.inner(*var, ends, body, &[], state)
            }
            StmtKind::Foreach { label: _, var, over, body } => {
                let last = self.size(&SizeOperand::Length(*over), state);
                let ends = last.map(|last| (Polynomial::number(1), last));
                self.inner(*var, ends, body, &[], state)
            }
            StmtKind::Forall { label: _, var, range, writes: _, privates, reductions: _, body } => {
                let ends = match range {
                    ForallRange::Range(from, to) => {
                        self.value(from, state).zip(self.value(to, state))
                    }
                    ForallRange::Ones(over) => {
                        let last = self.size(&SizeOperand::Length(*over), state);
                        last.map(|last| (Polynomial::number(1), last))
                    }
                };
                self.inner(*var, ends, body, privates, state)
            }
            StmtKind::Simple(_)
            | StmtKind::Continue(_)
            | StmtKind::Break(_)
            | StmtKind::While { .. }
            | StmtKind::Kernel(_)
            | StmtKind::Exit => Ok(()),
        }
    }

    /// Returns the reason why an iteration may not contain the statement.
    fn refused(&self, kind: &StmtKind) -> Option<&'static str> {
        let leaves = "its body leaves an iteration early";
        match kind {
            StmtKind::While { .. } => Some("a loop in its body may not end"),
            StmtKind::Simple(Simple::PutHandlePart { .. }) => Some("its body changes a handle"),
            StmtKind::Simple(Simple::Call { .. }) => Some("its body calls a routine"),
            StmtKind::Simple(
                Simple::Print(_)
                | Simple::Read { .. }
                | Simple::Write { .. }
                | Simple::Exchange { .. }
                | Simple::ExchangeRow { .. },
            ) => Some("its body prints, reads or writes"),
            StmtKind::Exit => Some(leaves),
            StmtKind::Break(label) => (!self.labels.contains(label)).then_some(leaves),
            StmtKind::Continue(label) => {
                (*label != self.label && !self.labels.contains(label)).then_some(leaves)
            }
            _ => None,
        }
    }

    /// Analyses an inner loop.
    fn inner(
        &mut self,
        var: VarId,
        ends: Option<(Polynomial, Polynomial)>,
        body: &[Stmt],
        privates: &[VarId],
        state: &mut State,
    ) -> Result<(), Stay> {
        self.depth += 1;
        state.may_execute(body);
        state.forget(var);
        privates.iter().for_each(|private| state.kill(*private));
        let mut inside = state.clone();
        inside.assigned.insert(var);
        let is_open = ends.is_some();
        if let Some((first, last)) = ends {
            let index = self.polynomials.open(var, first, last);
            inside.values.insert(var, Polynomial::atom(index));
        }
        self.block(body, &mut inside)?;
        if is_open {
            self.polynomials.close();
        }
        privates.iter().for_each(|private| state.kill(*private));
        self.depth -= 1;
        Ok(())
    }

    /// Fails if the statement reads a value that another iteration may have written, or writes a
    /// variable that is not private or owned in parts.
    fn accesses(&self, stmt: &Stmt, state: &State) -> Result<(), Stay> {
        let own = part_of(&stmt.kind);
        let is_forall = matches!(stmt.kind, StmtKind::Forall { .. });
        let loads = if let StmtKind::Simple(Simple::Assign(_, op)) = &stmt.kind {
            loaded(op)
        } else {
            None
        };
        let mut fault = None;
        visit::accesses(&stmt.kind, &mut |var, access| {
            if self.stored.contains(&var) {
                let is_part = match access {
                    Access::ReadSize | Access::InitSize => true,
                    Access::Update => own == Some(var) || is_forall,
                    Access::Read => loads == Some(var),
                    Access::Observe
                    | Access::Write
                    | Access::LoopVar
                    | Access::Kill
                    | Access::Move
                    | Access::Ref => false,
                };
                if !is_part {
                    let name = self.name(var);
                    fault = Some(format!("{name} is also read or assigned as a whole"));
                }
            } else if self.privates.contains(&var)
                && access.reads()
                && !state.assigned.contains(&var)
                && !(access == Access::ReadSize && self.has_size(var, state))
                && access != Access::InitSize
            {
                fault = Some(format!("{} is needed in the next iteration", self.name(var)));
            }
        });
        fault.map_or(Ok(()), |why| Err(why.into()))
    }

    /// Tests whether the table grows to any number of columns.
    fn is_growing(&self, table: VarId) -> bool {
        let is_param = self.routine.params.iter().any(|param| param.var == table);
        !is_param && !self.routine.var(table).sized
    }

    /// Tests whether the variable has the same size whenever it has one.
    fn has_size(&self, var: VarId, state: &State) -> bool {
        let is_known = |extent: Extent| match extent {
            Extent::Const(_) => true,
            Extent::Var(of) => !self.privates.contains(&of),
            Extent::Dynamic => false,
        };
        let ty = self.routine.var(var).ty;
        let n = if ty.is_bits() { 1 } else { 2 };
        ty.extents().into_iter().take(n).all(is_known) || state.sizes.contains_key(&var)
    }

    /// Records the part that a statement loads.
    fn loads(&mut self, stmt: &Stmt, op: &Op, state: &State) -> Result<(), Stay> {
        let (var, region) = if let Op::Field { table, base, width } = op {
            let width = self.value(width, state);
            (*table, self.columns(base, width, state))
        } else if let Op::Column(table, index) | Op::Bit(table, _, index) = op {
            (*table, self.column(index, state))
        } else if let Op::Row(table, index) = op {
            (*table, Ok(Region::Row(index.clone())))
        } else if let Op::Component(bits, index) = op {
            (*bits, Ok(Region::Component(index.clone())))
        } else {
            return Ok(());
        };
        self.touch(var, region, stmt).map_err(Stay::from)
    }

    fn columns(
        &mut self,
        base: &Operand,
        width: Option<Polynomial>,
        state: &State,
    ) -> Result<Region, ()> {
        let (base, width) = self.value(base, state).zip(width).ok_or(())?;
        Ok(Region::Columns { base, width, loops: self.polynomials.loops(), index: None })
    }

    fn column(&mut self, index: &Operand, state: &State) -> Result<Region, ()> {
        let one = Polynomial::number(1);
        let base = self.value(index, state).and_then(|index| index.plus(-1, &one)).ok_or(())?;
        let (loops, index) = (self.polynomials.loops(), Some(index.clone()));
        Ok(Region::Columns { base, width: one, loops, index })
    }

    /// Records that the statement accesses a part of a variable.
    fn touch(&mut self, var: VarId, region: Result<Region, ()>, stmt: &Stmt) -> Result<(), String> {
        if self.privates.contains(&var) {
            return Ok(());
        }
        let is_field = matches!(
            stmt.kind,
            StmtKind::Simple(Simple::Assign(_, Op::Field { .. }) | Simple::PutField { .. })
        );
        if is_field && !self.fields.contains(&var) {
            self.fields.push(var);
        }
        if !self.stored.contains(&var) {
            return Ok(());
        }
        let Ok(region) = region else {
            let name = self.name(var);
            return Err(format!("the accessed part of {name} depends on computed values"));
        };
        let (stores, stmt) =
            (!matches!(stmt.kind, StmtKind::Simple(Simple::Assign(..))), stmt.clone());
        self.touched.entry(var).or_default().push(Touch { region, stores, stmt });
        Ok(())
    }

    fn is_assigned(&self, dst: VarId, state: &mut State) {
        state.forget(dst);
        state.assigned.insert(dst);
        // Variables whose length is this number lose their size.
        if self.routine.var(dst).ty == Ty::Int {
            for (at, var) in (0..).zip(&self.routine.vars) {
                if var.ty.extents().contains(&Extent::Var(dst)) {
                    state.forget(VarId(at));
                    state.assigned.remove(&VarId(at));
                }
            }
        }
    }

    fn assign(&mut self, dst: VarId, op: &Op, state: &mut State) {
        let value = self.result(op, state);
        let sizes = self.sizes_of(dst, op, state);
        self.is_assigned(dst, state);
        if let Some(value) = value {
            state.values.insert(dst, value);
        }
        if self.routine.var(dst).ty.extents() != [Extent::Dynamic; 2]
            || sizes.iter().any(Option::is_some)
        {
            state.sizes.insert(dst, sizes);
        }
    }
}

/// Returns the variable of which the statement writes a part.
fn part_of(kind: &StmtKind) -> Option<VarId> {
    if let StmtKind::Simple(
        Simple::Put { bits: var, .. }
        | Simple::PutColumn { table: var, .. }
        | Simple::PutRow { table: var, .. }
        | Simple::PutBit { table: var, .. }
        | Simple::PutField { table: var, .. },
    ) = kind
    {
        Some(*var)
    } else {
        None
    }
}

/// Returns the variable of which the operation loads a part.
fn loaded(op: &Op) -> Option<VarId> {
    if let Op::Field { table: var, .. }
    | Op::Column(var, _)
    | Op::Row(var, _)
    | Op::Bit(var, ..)
    | Op::Component(var, _) = op
    {
        Some(*var)
    } else {
        None
    }
}
