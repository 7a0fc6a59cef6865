//! Loops and parallel statements: the facts about what they write are forgotten at their head.

use super::effects::Effects;
use super::facts::Facts;
use super::walk::{Inspect, Walk, meet};
use crate::check::{Check, SizeOperand};
use crate::op::Operand;
use crate::program::{LabelId, VarId};
use crate::stmt::{ForallRange, ReductionOp, Stmt, StmtKind};

impl<'a, I: Inspect> Walk<'_, 'a, I> {
    /// Forgets the facts about the loop variable and about what the loop that begins here writes;
    /// returns what it writes.
    pub(super) fn enter_loop(&mut self, var: Option<VarId>) -> Effects {
        let written = self.loops.next().unwrap_or_default();
        if let Some(facts) = &mut self.facts {
            for (&var, &effect) in &written {
                facts.affected(var, effect);
                if effect.replaced {
                    for &other in &self.sized_by[var.0 as usize] {
                        facts.replaced(other);
                        facts.unset(other);
                    }
                }
            }
            if let Some(var) = var {
                facts.replaced(var);
            }
        }
        written
    }

    /// Leaves the innermost block or loop: keeps what holds here and at all its `break`s.
    pub(super) fn leave(&mut self) {
        if let Some((_, known)) = self.leaves.pop() {
            meet(&mut self.facts, known);
        }
    }

    /// Handles a `for` or `foreach`.
    pub(super) fn counted(
        &mut self,
        label: LabelId,
        var: VarId,
        iterations: Iterations<'_>,
        body: &'a [Stmt],
    ) {
        let written = self.enter_loop(Some(var));
        let before = self.branch();
        if let Some(facts) = &mut self.facts {
            facts.set(var);
            learn_iterations(facts, var, iterations, &written);
        }
        self.leaves.push((label, None));
        self.block(body);
        self.facts = before;
        self.leave();
    }

    pub(super) fn forall(&mut self, kind: &'a StmtKind) {
        let StmtKind::Forall { label: _, var, range, writes: _, privates, reductions, body } = kind
        else {
            return;
        };
        let written = self.enter_loop(Some(*var));
        if let Some(facts) = &mut self.facts {
            for &var in privates.iter().chain([var]) {
                facts.replaced(var);
                facts.unset(var);
            }
        }
        let before = self.branch();
        if let Some(facts) = &mut self.facts {
            facts.set(*var);
            let iterations = match range {
                ForallRange::Range(from, to) => Iterations::Between(from, to),
                ForallRange::Ones(over) => Iterations::Ones(*over),
            };
            learn_iterations(facts, *var, iterations, &written);
        }
        let n_sums = self.sums.len();
        self.sums.extend(
            reductions
                .iter()
                .filter(|reduction| reduction.op == ReductionOp::Add)
                .map(|reduction| reduction.var),
        );
        self.block(body);
        self.sums.truncate(n_sums);
        self.facts = before;
    }
}

/// The bounds or the set of values of a loop variable.
#[derive(Clone, Copy)]
pub(super) enum Iterations<'o> {
    Between(&'o Operand, &'o Operand),
    Ones(VarId),
}

/// Learns facts about the variable of a loop; what the body writes was evaluated before it.
fn learn_iterations(
    facts: &mut Facts<'_>,
    var: VarId,
    iterations: Iterations<'_>,
    written: &Effects,
) {
    let index = Operand::Var(var);
    let (low, limit) = match iterations {
        Iterations::Between(low, high) => (low.clone(), SizeOperand::Value(high.clone())),
        Iterations::Ones(over) => (Operand::Int(1), SizeOperand::Length(over)),
    };
    let changes = |of: &SizeOperand| match of {
        SizeOperand::Length(v) | SizeOperand::Value(Operand::Var(v)) => {
            *v == var || written.get(v).is_some_and(|effect| effect.replaced)
        }
        SizeOperand::Rows(_) | SizeOperand::Columns(_) | SizeOperand::Value(_) => false,
    };
    let own = SizeOperand::Value(index.clone());
    if low.as_int().is_some_and(|low| low >= 0) {
        facts.learn(&Check::NotNegative(index.clone()));
    }
    let low_size = SizeOperand::Value(low.clone());
    if !changes(&low_size) {
        facts.learn_order(low_size, 0, own.clone());
    }
    if changes(&limit) {
        return;
    }
    match low.as_int() {
        Some(1..) => facts.learn(&Check::Index(index, limit)),
        Some(_) | None => facts.learn_order(own, 0, limit),
    }
}
