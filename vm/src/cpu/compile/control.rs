//! Loops, branches and tile kernels.

use std::collections::BTreeSet;

use star_ir::{Block, LabelId, Operand, StmtKind, TileReduction, VarId, visit};

use super::super::code::{Forall, Pc, Reg, RegRef};
use super::super::form::Line;
use super::super::inst::Inst;
use super::super::lines::{Kernel, LineKernel, LineReduction};
use super::super::recording::Tile;
use super::{Compiler, LoopContext};
use crate::explain::{Became, Item, Subject};

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
        self.code.summary.loops += 1;
        let state = self.state(3);
        let (from, to) = (self.number(from), self.number(to));
        self.emit(Inst::ForBegin { state, from, to });
        let var = self.reg(var);
        self.turns(label, Inst::ForNext { state, var, down, exit: 0 }, body);
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
        self.rest(next, test, body);
    }

    pub(super) fn foreach_loop(&mut self, label: LabelId, var: VarId, over: VarId, body: &Block) {
        self.code.summary.loops += 1;
        let state = self.state(1);
        let zero = self.constant(0);
        self.emit(Inst::Set { dst: state, value: zero });
        let (var, over) = (self.reg(var), self.reg(over));
        self.turns(label, Inst::ForeachNext { state, var, over, exit: 0 }, body);
    }

    /// `writes` is the table of which the iterations write a line each, if they do that alone.
    #[inline(never)] // Statements nest deeply, and this needs much of the stack.
    pub(super) fn forall_loop(
        &mut self,
        label: LabelId,
        forall: Forall,
        writes: Option<(Reg, Line)>,
        body: &Block,
    ) {
        let loc = self.loc;
        self.code.foralls.push(forall);
        let idx = self.code.foralls.len() - 1;
        let begin = self.emit(Inst::ForallBegin(idx as u32));
        self.turns(label, Inst::ForallNext { forall: idx as u32, exit: 0 }, body);
        // Behind the two instructions that begin, and without the one that jumps back.
        let insts = &self.code.insts[begin + 2..self.code.insts.len() - 1];
        let forall = &self.code.foralls[idx];
        let kernel = match self.options.optimise {
            true => match writes {
                Some(writes) => LineKernel::compile(forall, writes, insts).map(Kernel::Lines),
                None => LineReduction::compile(forall, insts).map(Kernel::Reduction),
            },
            false => None,
        };
        self.loc = loc;
        self.decide(
            Subject::Forall,
            match kernel {
                Some(Kernel::Lines(_)) => Ok("a kernel over lines"),
                Some(Kernel::Reduction(_)) => Ok("a kernel that combines lines"),
                None => Err("its body is more than logic on lines of its own index"),
            },
        );
        self.code.foralls[idx].kernel = kernel.map(Box::new);
    }

    #[inline(never)]
    pub(super) fn tile(&mut self, privates: &[VarId], reductions: &[TileReduction], body: &Block) {
        let loc = self.loc;
        self.decide(
            Subject::Tile,
            Ok("recorded whole, unless it does more than logic on columns and slices"),
        );
        let written = self.to_be_kept(privates, body);
        let privates: Vec<RegRef> = privates.iter().map(|var| self.place(*var)).collect();
        let reductions = reductions.iter().map(|reduction| {
            (self.reg(reduction.dst), reduction.op.into(), self.reg(reduction.of))
        });
        let reductions = reductions.collect();
        self.code.tiles.push(Tile { privates: privates.clone(), written, reductions });
        let tile = self.code.tiles.len() as u32 - 1;
        self.emit(Inst::TileBegin(tile));
        self.block(body);
        self.loc = loc;
        self.emit(Inst::TileEnd(tile));
        for private in privates {
            self.emit(Inst::Unset(private));
        }
    }

    /// For `explain`: what became of the statement at hand, or why it runs as it is written.
    fn decide(&mut self, subject: Subject, form: Result<&str, &str>) {
        let became = match (form, self.options.optimise) {
            (Ok(form), true) => Became::Form(form.to_owned()),
            (Err(why), true) => Became::AsWritten { why: why.to_owned() },
            (Ok(_) | Err(_), false) => {
                Became::AsWritten { why: "the program runs as lowered".to_owned() }
            }
        };
        let (routine, loc) = (Some(self.code.id), Some(self.loc));
        self.code.decisions.push(Item { subject, routine, loc, became });
    }

    /// Slices and tables that the body of a kernel writes, private ones left out, if it has guards; see
    /// Note [Kernels that trap] in `recording::tile`.
    fn to_be_kept(&self, privates: &[VarId], body: &Block) -> Vec<RegRef> {
        let (mut has_guards, mut written) = (false, BTreeSet::new());
        visit::walk(body, &mut |stmt| {
            has_guards |= matches!(stmt.kind, StmtKind::Check(_));
            visit::accesses(&stmt.kind, &mut |var, access| {
                if access.writes() && !privates.contains(&var) {
                    written.insert(var);
                }
            });
        });
        let written = written.into_iter().filter(|_| has_guards).map(|var| self.place(var));
        written.filter(|place| matches!(place, RegRef::Slice(_) | RegRef::Table(_))).collect()
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

    /// A loop that begins each turn with the instruction `next`.
    fn turns(&mut self, label: LabelId, next: Inst, body: &Block) {
        let begin = self.here();
        let at = self.emit(next);
        self.contexts.push(LoopContext { label, next: Some(begin), breaks: Vec::new() });
        self.rest(begin, at, body);
    }

    /// The rest of a loop that was begun: its body, until `test` leaves it.
    fn rest(&mut self, next: Pc, test: usize, body: &Block) {
        let loc = self.loc;
        self.block(body);
        self.loc = loc;
        self.emit(Inst::Jump(next));
        match self.contexts.last_mut() {
            Some(context) => context.breaks.push(test),
            None => self.broken("a loop that was not begun"),
        }
        self.end_construct();
    }

    pub(super) fn end_construct(&mut self) {
        let end = self.here();
        let Some(context) = self.contexts.pop() else {
            return self.broken("the end of a construct that was not begun");
        };
        for at in context.breaks {
            self.patch(at, end);
        }
    }
}
