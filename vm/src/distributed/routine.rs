//! Routines: statements, calls and loops.

use std::collections::BTreeSet;

use star_ir::{
    Arg, Block, Check, Extent, ForallRange, LabelId, Mode, Op, Operand, Param, ReductionOp,
    Relation, Routine, RoutineId, Simple, SizeOp, SizeOperand, Stmt, StmtKind, Ty, VarId,
};

use super::emit::{Rewriter, Step};
use super::trap_names::TrapNames;
use super::{Extra, internal};

/// A distributed routine, its parameters after those of the source, and the variables of the source
/// of which a rank has only a part.
pub(super) struct Distributed {
    pub(super) routine: Routine,
    pub(super) extras: Vec<Extra>,
    pub(super) divided: BTreeSet<VarId>,
    pub(super) trap_names: TrapNames,
}

impl Rewriter<'_> {
    /// Translates the routine.
    pub(super) fn routine(mut self) -> Step<Distributed> {
        if self.source.vars.iter().any(|var| var.ty == Ty::Handle) {
            return Err(self.unsupported("handles"));
        }
        let mut params = self.source.params.clone();
        let mut extras = Vec::new();
        for (idx, param) in self.source.params.iter().enumerate() {
            if let Some(all) = self.all.get(&param.var) {
                params.push(Param { var: *all, ..*param });
                extras.push(Extra::Size { param: idx, mode: param.mode });
            }
        }
        let by_reference = |var| Param { var, mode: Mode::Ref, set_at_end: true };
        if let Some(all) = self.source.result.and_then(|result| self.all.get(&result)) {
            params.push(by_reference(*all));
            extras.push(Extra::Result);
        }
        params.push(by_reference(self.own_operations));
        extras.push(Extra::Own);
        let given: BTreeSet<VarId> = self.source.params.iter().map(|param| param.var).collect();
        let divided: BTreeSet<VarId> = self.all.keys().copied().collect();
        let statements = self.inner(&self.source.body)?;
        let mut body = self.nested(|this| {
            for (var, all) in this.all.clone() {
                if !given.contains(&var) {
                    this.copy(all, Operand::Int(-1));
                }
            }
            Ok(())
        })?;
        body.extend(statements);
        let trap_names = self.trap_names;
        let routine = Routine { params, body, ..self.made };
        Ok(Distributed { routine, extras, divided, trap_names })
    }

    pub(super) fn block(&mut self, block: &[Stmt]) -> Step<()> {
        block.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn inner(&mut self, block: &[Stmt]) -> Step<Block> {
        self.nested(|this| this.block(block))
    }

    fn statement(&mut self, stmt: &Stmt) -> Step<()> {
        self.loc = stmt.loc;
        match &stmt.kind {
            StmtKind::Simple(simple) => self.simple(simple)?,
            StmtKind::For { label, var, from, to, down, body } => {
                let (from, to, body) = (from.clone(), to.clone(), self.inner(body)?);
                let (label, var, down) = (*label, *var, *down);
                self.emit(StmtKind::For { label, var, from, to, down, body });
            }
            StmtKind::While { label, head, test, body } => {
                let (head, body) = (self.inner(head)?, self.inner(body)?);
                self.emit(StmtKind::While { label: *label, head, test: test.clone(), body });
            }
            StmtKind::Foreach { label, var, over, body } => match self.is_slice(*over) {
                true => self.foreach(*label, (*var, *over), &[], body)?,
                false => {
                    let body = self.inner(body)?;
                    self.emit(StmtKind::Foreach { label: *label, var: *var, over: *over, body });
                }
            },
            StmtKind::Forall { label, var, range, privates, reductions, body, writes: _ } => {
                let extremes = reductions.iter().filter_map(|reduction| match reduction.op {
                    ReductionOp::Min => Some((reduction.var, Relation::Lt)),
                    ReductionOp::Max => Some((reduction.var, Relation::Gt)),
                    _ => None,
                });
                let outer = std::mem::replace(&mut self.extremes, extremes.collect());
                self.in_order(*label, *var, range, privates, body)?;
                self.extremes = outer;
            }
            StmtKind::Kernel(kernel) => self.kernel(kernel)?,
            StmtKind::If { test, then, otherwise } => {
                let (then, otherwise) = (self.inner(then)?, self.inner(otherwise)?);
                self.emit(StmtKind::If { test: test.clone(), then, otherwise });
            }
            StmtKind::Block { label, body } => {
                let body = self.inner(body)?;
                self.emit(StmtKind::Block { label: *label, body });
            }
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Exit => {
                self.emit(stmt.kind.clone());
            }
        }
        Ok(())
    }

    fn simple(&mut self, simple: &Simple) -> Step<()> {
        match simple {
            Simple::Assign(dst, op) => self.assign(*dst, op),
            Simple::Size(op) => self.resize(op),
            Simple::Check(check) => self.check(check),
            Simple::Cost { units, times } => {
                let measured = times.as_ref().map(|times| self.measure(times));
                let units = *units;
                let known: Vec<&SizeOperand> = times.iter().collect();
                self.if_known(&known, |this| {
                    this.emit(Simple::Cost { units, times: measured });
                    Ok(())
                })
            }
            Simple::Call { callee, args, dst } => self.call(*callee, args, *dst),
            Simple::Print(items) => {
                let mut items = items.clone();
                for item in &mut items {
                    let Operand::Var(var) = *item.operand() else { continue };
                    match self.ty(var) {
                        Ty::Table(..) => return Err(self.unsupported("`print` of a table")),
                        Ty::Slice(_) => {
                            let word = self.new_word();
                            self.gather(var, word)?;
                            *item.operand_mut() = Operand::Var(word);
                        }
                        _ => {}
                    }
                }
                self.emit(Simple::Print(items));
                Ok(())
            }
            Simple::Read { .. } => Err(self.unsupported("`read`")),
            Simple::Write { .. } => Err(self.unsupported("`write`")),
            Simple::PutHandlePart { .. } => Err(self.unsupported("handles")),
            Simple::Exchange { .. } | Simple::ExchangeRow { .. } => {
                Err(internal("a program that was distributed"))
            }
            Simple::Step { .. }
            | Simple::Put { .. }
            | Simple::Replace { .. }
            | Simple::PutColumn { .. }
            | Simple::PutRow { .. }
            | Simple::PutBit { .. }
            | Simple::PutField { .. } => self.store(simple),
        }
    }

    /// A call also passes the numbers of rows on all ranks.
    fn call(&mut self, callee: RoutineId, args: &[Arg], dst: Option<VarId>) -> Step<()> {
        let routine = self.program.routine(callee);
        let mut all_args = args.to_vec();
        let mut moved = Vec::new();
        for (param, arg) in routine.params.iter().zip(args) {
            if !matches!(routine.var(param.var).ty, Ty::Slice(_) | Ty::Table(..)) {
                continue;
            }
            let (Arg::Value(Operand::Var(var)) | Arg::Move(var) | Arg::Ref(var)) = arg else {
                return Err(internal("an argument that is no variable"));
            };
            let all = self.all_of(*var)?;
            all_args.push(match arg {
                Arg::Ref(_) => Arg::Ref(all),
                Arg::Value(_) | Arg::Move(_) => Arg::Value(Operand::Var(all)),
            });
            if let Arg::Move(_) = arg {
                moved.push(all);
            }
        }
        if routine
            .result
            .is_some_and(|result| matches!(routine.var(result).ty, Ty::Slice(_) | Ty::Table(..)))
        {
            let all = match dst {
                Some(dst) => self.all_of(dst)?,
                None => self.int_of_result(),
            };
            all_args.push(Arg::Ref(all));
        }
        all_args.push(Arg::Ref(self.own_operations));
        self.emit(Simple::Call { callee, args: all_args, dst });
        for all in moved {
            self.copy(all, Operand::Int(-1));
        }
        // A size other than that of the type is a trap at the call.
        let returned = args.iter().filter_map(|arg| match arg {
            Arg::Ref(var) => Some(*var),
            Arg::Value(_) | Arg::Move(_) => None,
        });
        for var in returned.chain(dst) {
            let [extent, _] = self.source.var(var).ty.extents();
            let size = match extent {
                Extent::Const(n) => Operand::Int(n.cast_signed()),
                Extent::Var(n) => Operand::Var(n),
                Extent::Dynamic => continue,
            };
            if self.is_divided(var) {
                let own = match self.ty(var) {
                    Ty::Table(..) => SizeOperand::Rows(var),
                    _ => SizeOperand::Length(var),
                };
                self.if_known(&[&own], |this| {
                    let own = this.measure(&own);
                    // An extent that was not measured yet is this size.
                    if let Operand::Var(dst) = size {
                        this.emit(Simple::Size(SizeOp::Latch { dst, size: own.clone() }));
                    }
                    this.emit(Simple::Check(Check::Size(own, SizeOperand::Value(size))));
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    fn int_of_result(&mut self) -> VarId {
        self.int(Op::Copy(Operand::Int(-1)))
    }

    /// Visits the ones of a slice on all ranks, in order.
    fn foreach(
        &mut self,
        label: LabelId,
        (var, over): (VarId, VarId),
        privates: &[VarId],
        body: &[Stmt],
    ) -> Step<()> {
        let left = self.new_slice();
        self.assign(left, &Op::Copy(Operand::Var(over)))?;
        let next = self.int(Op::Copy(Operand::Int(0)));
        let test = self.compare(Relation::Ne, Operand::Var(next), Operand::Int(0));
        let head = self.nested(|this| {
            this.store(&Simple::Step { dst: next, bits: left })?;
            this.set(test, Op::Compare(Relation::Ne, Operand::Var(next), Operand::Int(0)));
            Ok(())
        })?;
        let body = self.nested(|this| {
            this.copy(var, Operand::Var(next));
            this.forget(privates)?;
            this.block(body)
        })?;
        self.emit(StmtKind::While { label, head, test: Operand::Var(test), body });
        Ok(())
    }

    /// Makes the private variables of an iteration unset.
    fn forget(&mut self, privates: &[VarId]) -> Step<()> {
        privates.iter().try_for_each(|var| self.resize(&SizeOp::Unset(*var)))
    }

    /// Runs iterations that could run in any order.
    fn in_order(
        &mut self,
        label: LabelId,
        var: VarId,
        range: &ForallRange,
        privates: &[VarId],
        body: &[Stmt],
    ) -> Step<()> {
        match range {
            ForallRange::Range(from, to) => {
                let body = self.nested(|this| {
                    this.forget(privates)?;
                    this.block(body)
                })?;
                let (from, to) = (from.clone(), to.clone());
                self.emit(StmtKind::For { label, var, from, to, down: false, body });
                Ok(())
            }
            ForallRange::Ones(over) if self.is_slice(*over) => {
                self.foreach(label, (var, *over), privates, body)
            }
            ForallRange::Ones(over) => {
                let body = self.nested(|this| {
                    this.forget(privates)?;
                    this.block(body)
                })?;
                self.emit(StmtKind::Foreach { label, var, over: *over, body });
                Ok(())
            }
        }
    }
}
