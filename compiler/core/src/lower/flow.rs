//! Control: branches and loops.

use star_ir::{Operand, Simple, StmtKind};

use super::{Jump, LoopLabels, Lowerer};
use crate::hir::{Expr, Stmt, VarUse};

/// Longer chains of `else if` are not lowered to nested statements.
const MAX_NESTED_ARMS: usize = 8;

impl Lowerer<'_> {
    pub(super) fn choice(&mut self, arms: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt]) -> bool {
        if arms.len() > MAX_NESTED_ARMS {
            return self.long_choice(arms, otherwise);
        }
        let Some(((test, then), rest)) = arms.split_first() else { return self.stmts(otherwise) };
        let outer = self.loc;
        self.loc = self.expr_loc(test);
        let test = self.operand(test);
        self.flush_cost();
        let (then, falls_then) = self.nested(|this| this.stmts(then));
        let loc = self.loc;
        let (otherwise, falls_otherwise) = self.nested(|this| this.choice(rest, otherwise));
        self.loc = loc;
        self.emit(StmtKind::If { test, then, otherwise });
        self.loc = outer;
        falls_then || falls_otherwise
    }

    /// Lowers a long chain of `else if` as a block that every arm leaves at its end; nested arms
    /// would nest as deeply as the chain is long.
    fn long_choice(&mut self, arms: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt]) -> bool {
        let label = self.label();
        let (body, falls_through) = self.nested(|this| {
            let mut falls_through = false;
            for (test, then) in arms {
                let outer = this.loc;
                this.loc = this.expr_loc(test);
                let test = this.operand(test);
                this.flush_cost();
                let (then, falls) = this.nested(|this| {
                    let falls = this.stmts(then);
                    if falls {
                        this.flush_cost();
                        this.emit(StmtKind::Break(label));
                    }
                    falls
                });
                this.emit(StmtKind::If { test, then, otherwise: Vec::new() });
                this.loc = outer;
                falls_through |= falls;
            }
            falls_through | this.stmts(otherwise)
        });
        self.emit(StmtKind::Block { label, body });
        falls_through
    }

    pub(super) fn loop_body(
        &mut self,
        on_break: star_ir::LabelId,
        on_continue: Jump,
        body: &[Stmt],
    ) -> star_ir::Block {
        self.loops.push(LoopLabels { on_break, on_continue, broken: false, continued: false });
        let (block, _) = self.nested(|this| this.stmts(body));
        self.loops.pop();
        block
    }

    pub(super) fn while_loop(&mut self, test: &Expr, body: &[Stmt]) {
        let label = self.label();
        self.forget_set();
        let (head, test) = self.nested(|this| this.operand(test));
        let body = self.loop_body(label, Jump::Continue(label), body);
        self.emit(StmtKind::While { label, head, test, body });
    }

    /// Lowers `repeat S until c` to an endless loop that `c` breaks; `continue` jumps to the test.
    pub(super) fn repeat_loop(&mut self, body: &[Stmt], until: &Expr) -> bool {
        let label = self.label();
        let inner = self.label();
        self.forget_set();
        let (block, falls_through) = self.nested(|this| {
            this.loops.push(LoopLabels {
                on_break: label,
                on_continue: Jump::Break(inner),
                broken: false,
                continued: false,
            });
            let (block, falls_through) = this.nested(|this| this.stmts(body));
            let Some(LoopLabels { broken, continued, .. }) = this.loops.pop() else {
                this.fault("a loop was left twice");
                return false;
            };
            if continued {
                this.emit(StmtKind::Block { label: inner, body: block });
            } else {
                this.block.extend(block);
            }
            let tested = falls_through || continued;
            if tested {
                let test = this.operand(until);
                this.flush_cost();
                let stop = star_ir::Stmt { kind: StmtKind::Break(label), loc: this.loc };
                this.emit(StmtKind::If { test, then: vec![stop], otherwise: Vec::new() });
            }
            tested || broken
        });
        let test = Operand::Bool(true);
        self.emit(StmtKind::While { label, head: Vec::new(), test, body: block });
        falls_through
    }

    /// Lowers `foreach`, with the cost of its STEP loop: SOME and STEP in every iteration, SOME at
    /// the end.
    pub(super) fn foreach_loop(&mut self, var: VarUse, over: &Expr, body: &[Stmt]) {
        let over_var = self.bits(over, None);
        // The body may change a variable; any other value is a temporary.
        let copy = self.keep_bits(over_var, over, true);
        let var = self.place_var(var);
        let (outside, label) = (self.label(), self.label());
        self.forget_set();
        let (block, ()) = self.nested(|this| {
            this.loops.push(LoopLabels {
                on_break: outside,
                on_continue: Jump::Continue(label),
                broken: false,
                continued: false,
            });
            let (body, _) = this.nested(|this| {
                this.emit(Simple::Cost { units: 2, times: None });
                this.stmts(body)
            });
            this.loops.pop();
            this.emit(StmtKind::Foreach { label, var, over: copy, body });
            this.count(1);
        });
        self.emit(StmtKind::Block { label: outside, body: block });
    }

    /// Forgets, at the head of a loop, every fact that an iteration could invalidate.
    pub(super) fn forget_set(&mut self) {
        self.facts.retain(|fact| !matches!(fact, super::Fact::Set(_) | super::Fact::Sized(_)));
    }
}
