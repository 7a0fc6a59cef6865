//! Loops and branches.

use star_ir::{Block, LabelId, Operand, VarId};

use super::super::class::Class;
use super::super::code::{Forall, Summary};
use super::super::counts::Ahead;
use super::super::inst::Inst;
use super::super::lines::Kernel;
use super::super::loop_kernels::LoopKernel;
use super::super::operand::{Number, Pc, Range, Reg, RegRef};
use super::super::table::form::Line;
use super::{Compiler, LoopContext, Planned};
use crate::explain::{Became, Item, Subject};

/// A position in the code.
struct Mark {
    n_insts: usize,
    n_covered: usize,
    n_decisions: usize,
    summary: Summary,
    settled: usize,
    at: usize,
}

impl Compiler<'_> {
    pub(super) fn for_loop(
        &mut self,
        label: LabelId,
        var: VarId,
        from: &Operand,
        to: &Operand,
        down: bool,
        body: &Block,
    ) {
        let kernel = std::mem::take(&mut self.planned).in_order;
        let (from, to, var) = (self.number(from), self.number(to), self.reg(var));
        self.for_numbers(label, var, (from, to), down, (&[], body), kernel);
    }

    /// Some variables are unset at the beginning of an iteration.
    pub(super) fn for_numbers(
        &mut self,
        label: LabelId,
        var: Reg,
        (from, to): (Number, Number),
        down: bool,
        (unset, body): (&[RegRef], &Block),
        kernel: Option<Box<LoopKernel>>,
    ) {
        self.code.summary.loops += 1;
        let loc = self.loc;
        let state = self.state(3);
        let number = kernel.as_ref().map(|_| self.code.loops.len() as u32);
        let begin = self.emit(Inst::ForBegin { state, from, to, kernel: number });
        self.iterations(label, Inst::ForNext { state, var, down, exit: 0 }, (unset, body));
        self.loc = loc;
        let Some(mut kernel) = kernel else {
            return self.count_ahead(begin + 2, var, Ahead { state, down });
        };
        // No other loop is in its body.
        self.decide(Ok("in one pass over the rows where slices are short"));
        kernel.state = state;
        if self.options.profile {
            // After the two instructions that begin the loop, and without the one that jumps back.
            let within = begin + 2..self.code.insts.len() - 1;
            for (way, of) in kernel.ways.iter_mut().enumerate() {
                of.insts = self.path(within.clone(), &kernel.words, way);
            }
        }
        self.code.loops.push(*kernel);
    }

    pub(super) fn while_loop(
        &mut self,
        label: LabelId,
        head: &Block,
        test: &Operand,
        body: &Block,
    ) {
        let loc = self.loc;
        self.code.summary.loops += 1;
        let next = self.here();
        self.contexts.push(LoopContext { label, next: Some(next), breaks: Vec::new() });
        self.block(head);
        self.loc = loc;
        let test = self.number(test);
        let test = self.emit(Inst::WhileTest { test, exit: 0 });
        self.rest(next, test, (&[], body));
    }

    /// Some variables are unset at the beginning of an iteration.
    pub(super) fn foreach_loop(
        &mut self,
        label: LabelId,
        var: VarId,
        over: VarId,
        body: (&[RegRef], &Block),
    ) {
        self.code.summary.loops += 1;
        let state = self.state(1);
        let zero = self.constant(0);
        self.emit(Inst::Set { dst: state, value: zero });
        let (var, over) = (self.reg(var), self.reg(over));
        self.iterations(label, Inst::ForeachNext { state, var, over, exit: 0 }, body);
    }

    #[inline(never)] // Statements nest deeply, and this needs much stack.
    pub(super) fn forall_loop(&mut self, label: LabelId, forall: Forall, body: &Block) {
        let Planned { lines: kernel, in_order } = std::mem::take(&mut self.planned);
        let (loc, before) = (self.loc, self.mark());
        self.code.foralls.push(forall);
        let idx = self.code.foralls.len() - 1;
        let begin = self.emit(Inst::ForallBegin(idx as u32));
        self.iterations(label, Inst::ForallNext { forall: idx as u32, exit: 0 }, (&[], body));
        let kernel = kernel.map(|kernel| match kernel {
            Kernel::Lines(lines) => Kernel::Lines(Box::new(lines.or_masked(in_order.clone()))),
            kernel @ (Kernel::Reduction(_) | Kernel::Queries(_)) => kernel,
        });
        self.loc = loc;
        if kernel.is_none()
            && self.options.optimise
            && let Range::Numbers(from, to) = self.code.foralls[idx].range
            && self.has_columns(begin, idx)
        {
            // Iterations in order can become a kernel, or be recorded.
            self.undo(before);
            return self.forall_in_order(label, idx, (from, to), body, in_order);
        }
        self.decide(match kernel {
            Some(Kernel::Lines(_)) => Ok("many lines at a time"),
            Some(Kernel::Reduction(_)) => Ok("many lines are combined at a time"),
            Some(Kernel::Queries(_)) => Ok("many lines are queried at a time"),
            None => Err("its body does more than logic on lines with the iteration's index"),
        });
        self.code.foralls[idx].kernel = kernel.map(Box::new);
    }

    /// Does the `forall` that starts at the instruction `begin` work only on columns and slices? If
    /// it combines results, it must not trap: the contribution of the trapping iteration would be
    /// visible.
    fn has_columns(&self, begin: usize, idx: usize) -> bool {
        let Forall { var, reductions, .. } = &self.code.foralls[idx];
        let (own, may_trap) = (Number(*var), reductions.is_empty());
        let is_column = |inst: &Inst| match inst.class() {
            Class::Load { line, index, .. } | Class::Store { line, index, .. } => {
                line == Line::Column && index == own
            }
            Class::Guard(_) => may_trap,
            Class::Bitwise(_) | Class::Cost => true,
            Class::Fill { .. }
            | Class::Query { .. }
            | Class::Scalar
            | Class::Other(_)
            | Class::Control => false,
        };
        self.code.insts[begin + 2..self.code.insts.len() - 1].iter().all(is_column)
    }

    /// Returns the current end of the code.
    fn mark(&self) -> Mark {
        Mark {
            n_insts: self.code.insts.len(),
            n_covered: self.code.covered.len(),
            n_decisions: self.code.decisions.len(),
            summary: self.code.summary,
            settled: self.settled,
            at: self.at,
        }
    }

    /// Removes everything emitted since the mark, within the current statement.
    fn undo(&mut self, mark: Mark) {
        let Mark { n_insts, n_covered, n_decisions, summary, settled, at } = mark;
        self.code.insts.truncate(n_insts);
        self.code.locs.truncate(n_insts);
        self.code.covered.truncate(n_covered);
        self.code.decisions.truncate(n_decisions);
        self.code.summary = summary;
        self.settled = settled;
        (self.at, self.next_at) = (at, at + 1);
    }

    /// Compiles a `forall` over a range as a `for`: iterations may run in any order, and each
    /// combines its result into a slice or word.
    fn forall_in_order(
        &mut self,
        label: LabelId,
        idx: usize,
        range: (Number, Number),
        body: &Block,
        kernel: Option<Box<LoopKernel>>,
    ) {
        let Forall { var, privates, .. } = &self.code.foralls[idx];
        let (var, privates) = (*var, privates.clone());
        let loc = self.loc;
        self.for_numbers(label, var, range, false, (&[], body), kernel);
        self.loc = loc;
        for private in privates.into_iter().chain([RegRef::Int(var)]) {
            self.emit(Inst::Unset(private));
        }
    }

    /// Records the decision about the current statement, or why it runs as written, for `explain`.
    pub(super) fn decide(&mut self, form: Result<&str, &str>) {
        let became = match (form, self.options.optimise) {
            (Ok(form), true) => Became::Form(form.to_owned()),
            (Err(why), true) => Became::AsWritten { why: why.to_owned() },
            (Ok(_) | Err(_), false) => {
                Became::AsWritten { why: "the program runs as lowered".to_owned() }
            }
        };
        let (routine, loc) = (Some(self.code.id), Some(self.loc));
        self.code.decisions.push(Item { subject: Subject::Loop, routine, loc, became });
    }

    pub(super) fn branch(&mut self, test: &Operand, then: &Block, otherwise: &Block) {
        let loc = self.loc;
        let test = self.number(test);
        let test = self.emit(Inst::Unless { test, to: 0 });
        self.block(then);
        if otherwise.is_empty() {
            let end = self.here();
            self.patch(test, end);
            return;
        }
        self.loc = loc;
        let over = self.emit(Inst::Jump(0));
        let begin = self.here();
        self.patch(test, begin);
        self.block(otherwise);
        let end = self.here();
        self.patch(over, end);
    }

    /// Compiles a loop whose iterations begin with the instruction `next`.
    fn iterations(&mut self, label: LabelId, next: Inst, body: (&[RegRef], &Block)) {
        let begin = self.here();
        let at = self.emit(next);
        self.contexts.push(LoopContext { label, next: Some(begin), breaks: Vec::new() });
        self.rest(begin, at, body);
    }

    /// Compiles the rest of a loop after its head: the body, which first unsets some variables,
    /// until `test` leaves it.
    fn rest(&mut self, next: Pc, test: usize, (unset, body): (&[RegRef], &Block)) {
        let loc = self.loc;
        let is_loop = |context: &&LoopContext| context.next.is_some();
        // The state of a running `forall` is not part of a checkpoint.
        if self.options.checkpoints
            && self.contexts.iter().filter(is_loop).count() == 1
            && !matches!(self.code.insts[test], Inst::ForallNext { .. })
        {
            let begin = test.checked_sub(1).map(|begin| self.code.insts[begin]);
            let has_kernel = matches!(begin, Some(Inst::ForBegin { kernel: Some(_), .. }))
                && matches!(self.code.insts[test], Inst::ForNext { .. });
            self.emit(Inst::SafePoint { common: !has_kernel });
        }
        for place in unset {
            self.emit(Inst::Unset(*place));
        }
        self.block(body);
        self.loc = loc;
        self.emit(Inst::Jump(next));
        match self.contexts.last_mut() {
            Some(context) => context.breaks.push(test),
            None => self.internal_error("a loop that was not started"),
        }
        self.end_construct();
    }

    pub(super) fn end_construct(&mut self) {
        let end = self.here();
        let Some(context) = self.contexts.pop() else {
            return self.internal_error("the end of a construct that was not started");
        };
        for at in context.breaks {
            self.patch(at, end);
        }
    }
}
