//! Statements that decide what runs next.

use star_ir::{
    Kernel, LabelId, LocId, Operand, PrintItem, ReductionOp, Simple, Stmt, StmtKind, VarId,
};
use star_shaders::layout::measure;
use star_shaders::{Generator, Op, Reduce};

use super::builder::{Builder, Label, table};
use super::parallel::Forall;
use super::{Counter, SiteKind, Unsupported, is_number};
use crate::code::{Object, Reg};
use crate::lift;

impl Builder<'_> {
    pub(super) fn block(&mut self, block: &[Stmt]) -> Result<(), Unsupported> {
        let mut rest = block;
        while let Some(first) = rest.first() {
            let n = match self.fused.remove(&std::ptr::from_ref(first)) {
                Some(fused) => self.fused_run(rest, fused)?,
                None => {
                    self.statement(first)?;
                    1
                }
            };
            rest = &rest[n..];
        }
        Ok(())
    }

    pub(super) fn statement(&mut self, stmt: &Stmt) -> Result<(), Unsupported> {
        if let Some(lifted) = self.lifted.remove(&std::ptr::from_ref(stmt))
            && let Some(least) = self.source.choices.lifts
        {
            let least = match lifted.pivots {
                Some(_) => least.pivots,
                // One instruction needs no stop.
                None if is_lines(stmt) => least.few_lines,
                None => least.single,
            };
            return self.lifted_loop(stmt, lifted, least);
        }
        self.loc = stmt.loc;
        self.taken = 0;
        self.observe(stmt);
        // A block is only its statements, and a `while` begins with its head.
        if !matches!(
            stmt.kind,
            StmtKind::Block { .. } | StmtKind::While { .. } | StmtKind::Kernel(_)
        ) {
            self.profile(Op::Tally, Counter::Runs(stmt.loc), None);
        }
        match &stmt.kind {
            StmtKind::Simple(simple) => self.simple(simple, stmt.loc),
            StmtKind::For { label, var, from, to, down, body } => {
                self.for_loop(*label, *var, (from, to), *down, body)
            }
            StmtKind::While { label, head, test, body } => {
                self.while_loop(*label, head, test, body)
            }
            StmtKind::Foreach { label, var, over, body } => {
                let over = self.object(*over);
                self.over_ones(*label, *var, over, body)
            }
            StmtKind::Forall { label, var, range, writes: _, privates, reductions, body } => {
                let forall = Forall { label: *label, var: *var, range, privates, reductions, body };
                self.forall(&forall)
            }
            StmtKind::Kernel(kernel) => self.kernel(kernel),
            StmtKind::If { test, then, otherwise } => {
                let (test, other, end) = (self.value(test), self.label(), self.label());
                self.jump_if(Op::JumpZero, test, other);
                self.block(then)?;
                self.jump(end);
                self.here(other);
                self.block(otherwise)?;
                self.here(end);
                Ok(())
            }
            StmtKind::Block { label, body } => {
                let end = self.label();
                self.around.push((*label, None, end));
                self.block(body)?;
                self.around.pop();
                self.here(end);
                Ok(())
            }
            StmtKind::Break(label) => {
                let to = self.target(*label)?.1;
                self.jump(to);
                Ok(())
            }
            StmtKind::Continue(label) => {
                let to = self.target(*label)?.0.ok_or_else(|| no_loop(*label))?;
                self.jump(to);
                Ok(())
            }
            StmtKind::Exit => {
                self.jump(self.end);
                Ok(())
            }
        }
    }

    fn simple(&mut self, simple: &Simple, loc: LocId) -> Result<(), Unsupported> {
        match simple {
            Simple::Assign(dst, op) => self.assignment(*dst, op),
            store @ (Simple::Step { .. }
            | Simple::Put { .. }
            | Simple::Replace { .. }
            | Simple::PutColumn { .. }
            | Simple::PutRow { .. }
            | Simple::PutBit { .. }
            | Simple::PutField { .. }
            | Simple::PutHandlePart { .. }) => self.store(store),
            Simple::Size(op) => {
                self.resize(op);
                Ok(())
            }
            Simple::Check(check) => self.check(check),
            Simple::Cost { units, times } => {
                let units = i64::try_from(*units).unwrap_or(i64::MAX);
                match times {
                    None => {
                        self.profile(Op::Charge, Counter::Cost(loc, units as u64), None);
                        self.count(Op::Cost, None, units);
                    }
                    Some(times) => {
                        let times = self.measure(times);
                        let cost = Counter::Cost(loc, units as u64);
                        self.profile(Op::Charge, cost, Some(times));
                        self.count(Op::CostTimes, Some(times), units);
                    }
                }
                Ok(())
            }
            Simple::Call { callee, args, dst } => self.call(*callee, args, *dst),
            Simple::Print(items) => {
                self.print(items);
                Ok(())
            }
            Simple::Read { dst, file, layout } => {
                let (dst, file, layout) = (*dst, file.clone(), layout.clone());
                let object = self.object(dst);
                self.host(SiteKind::Read { dst, file, layout }, Some(object));
                Ok(())
            }
            Simple::Write { src, file } => {
                self.host(SiteKind::Write { src: *src, file: file.clone() }, None);
                Ok(())
            }
            Simple::Exchange { word, op } => {
                let object = self.object(*word);
                self.host(SiteKind::Exchange { word: *word, op: *op }, Some(object));
                Ok(())
            }
            Simple::ExchangeRow { word, table: of, index, before } => {
                let (x, y) = (self.object(*word), self.object(*of));
                let (index, before) = (self.value(index), self.value(before));
                let own = self.alu(Op::Sub, index, before);
                let (rows, columns) = (self.size(y, measure::ROWS), self.size(y, measure::COLUMNS));
                let (elsewhere, end) = (self.label(), self.label());
                self.shape(x, columns, None);
                let precedes = self.alu_imm(Op::Lt, own, 1);
                self.jump_if(Op::JumpNonzero, precedes, elsewhere);
                let follows = self.alu(Op::Gt, own, rows);
                self.jump_if(Op::JumpNonzero, follows, elsewhere);
                self.generate(Generator::Row, x, Some(y), (Some(own), None));
                self.jump(end);
                self.here(elsewhere);
                self.logic(table::ZERO, x.into(), None, None);
                self.here(end);
                self.host(SiteKind::Exchange { word: *word, op: ReductionOp::Or }, Some(x));
                Ok(())
            }
        }
    }

    #[inline(never)] // Statements nest deeply, and this needs much stack.
    fn kernel(&mut self, kernel: &Kernel) -> Result<(), Unsupported> {
        let counts = self.source.choices.counts_steps || self.source.choices.profiles;
        if counts {
            self.block(&kernel.fallback)
        } else if let Some(lines) = lift::lines(kernel) {
            self.lines(kernel, &lines)
        } else if let Some(acts) = lift::acts(kernel) {
            self.planes(kernel, &acts)
        } else {
            self.block(&kernel.fallback)
        }
    }

    fn target(&self, label: LabelId) -> Result<(Option<Label>, Label), Unsupported> {
        let found = self.around.iter().rev().find(|(known, _, _)| *known == label);
        found.map(|(_, again, end)| (*again, *end)).ok_or_else(|| no_loop(label))
    }

    /// Stops for the host.
    fn host(&mut self, kind: SiteKind, x: Option<Object>) {
        let site = self.site(kind);
        let observed = self.looked_at(site);
        self.emit(Op::Host, |it| (it.x, it.site, it.observed) = (x, Some(site), observed));
    }

    /// Writes a line to the journal, variable by variable.
    fn print(&mut self, items: &[PrintItem]) {
        let site = self.site(SiteKind::Print(items.to_vec()));
        let (observed, end) = (self.looked_at(site), self.label());
        self.emit(Op::Print, |it| {
            (it.site, it.observed, it.target) = (Some(site), observed, end.0);
        });
        for item in items {
            let Operand::Var(var) = item.operand() else { continue };
            if is_number(self.routine.var(*var).ty) {
                let (value, flag) = self.number(*var);
                self.emit(Op::Show, |it| (it.a, it.b) = (Some(value), Some(flag)));
            } else {
                let object = self.object(*var);
                self.emit(Op::Show, |it| it.y = Some(object));
            }
        }
        self.here(end);
    }

    /// Emits the start of an iteration, which is counted, and sets the variable of the loop.
    pub(super) fn iteration(&mut self, var: VarId, value: Reg, loc: star_ir::LocId) {
        self.loc = loc;
        self.count(Op::Iteration, None, 0);
        self.assign(var, value);
    }

    fn for_loop(
        &mut self,
        label: LabelId,
        var: VarId,
        (from, to): (&Operand, &Operand),
        down: bool,
        body: &[Stmt],
    ) -> Result<(), Unsupported> {
        let (loc, iterations) = (self.loc, self.iterations());
        let (from, to) = (self.value(from), self.value(to));
        let (next, last) = (self.fresh(), self.fresh());
        self.emit(Op::Move, |it| (it.d, it.a) = (Some(next), Some(from)));
        self.emit(Op::Move, |it| (it.d, it.a) = (Some(last), Some(to)));
        let (again, goes_on, end) = (self.label(), self.label(), self.label());
        self.looks_for_iteration(iterations);
        let beyond = self.alu(if down { Op::Lt } else { Op::Gt }, next, last);
        self.jump_if(Op::JumpNonzero, beyond, end);
        self.here(again);
        self.iteration(var, next, loc);
        self.around.push((label, Some(goes_on), end));
        self.block(body)?;
        self.around.pop();
        self.here(goes_on);
        self.loc = loc;
        self.looks_for_iteration(iterations);
        // No value lies beyond the last one, which may be the greatest integer there is.
        let at_last = self.alu(Op::Eq, next, last);
        self.jump_if(Op::JumpNonzero, at_last, end);
        let step = if down { -1 } else { 1 };
        self.emit(Op::Add, |it| (it.d, it.a, it.imm) = (Some(next), Some(next), step));
        self.jump(again);
        self.here(end);
        Ok(())
    }

    fn while_loop(
        &mut self,
        label: LabelId,
        head: &[Stmt],
        test: &Operand,
        body: &[Stmt],
    ) -> Result<(), Unsupported> {
        let (loc, iterations) = (self.loc, self.iterations());
        let (again, end) = (self.label(), self.label());
        self.here(again);
        self.looks_for_iteration(iterations);
        self.around.push((label, Some(again), end));
        self.block(head)?;
        self.loc = loc;
        let test = self.value(test);
        self.jump_if(Op::JumpZero, test, end);
        self.count(Op::Iteration, None, 0);
        self.block(body)?;
        self.around.pop();
        self.jump(again);
        self.here(end);
        Ok(())
    }

    /// Emits a loop with an iteration for each component of `over` that is one.
    fn over_ones(
        &mut self,
        label: LabelId,
        var: VarId,
        over: Object,
        body: &[Stmt],
    ) -> Result<(), Unsupported> {
        let (loc, iterations) = (self.loc, self.iterations());
        let (at, again, end) = (self.fresh(), self.label(), self.label());
        self.load(at, 0);
        self.here(again);
        self.loc = loc;
        self.looks_for_iteration(iterations);
        let first = self.reduce(Reduce::First, table::FIRST, over, None, Some(at));
        self.emit(Op::Move, |it| (it.d, it.a) = (Some(at), Some(first)));
        self.jump_if(Op::JumpZero, at, end);
        self.iteration(var, at, loc);
        self.around.push((label, Some(again), end));
        self.block(body)?;
        self.around.pop();
        self.jump(again);
        self.here(end);
        Ok(())
    }

    /// The variables hold nothing any more.
    pub(super) fn unset(&mut self, vars: &[VarId]) {
        for &var in vars {
            if is_number(self.routine.var(var).ty) {
                self.load(self.number(var).1, 0);
            }
            for object in self.objects_of(var) {
                self.emit(Op::Unset, |it| it.x = Some(object));
            }
        }
    }
}

/// Returns whether a statement is a kernel that is one instruction.
fn is_lines(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Kernel(kernel) if lift::lines(kernel).is_some())
}

fn no_loop(label: LabelId) -> Unsupported {
    Unsupported(format!("a jump to {label}, which is not around it"))
}
