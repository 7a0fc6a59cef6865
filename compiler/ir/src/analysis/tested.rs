//! Comparisons that determine tests: the booleans of a run of statements and the comparisons that
//! define them.

use crate::op::{LogicOp, Op, Operand, Relation};
use crate::program::{Routine, Ty, VarId};
use crate::stmt::{Simple, StmtKind};
use crate::visit;

/// The maximum number of booleans kept: a test is usually evaluated shortly before its use.
const MAX_KEPT: usize = 8;
/// The maximum number of operations that are followed.
const MAX_FOLLOWED: usize = 16;

/// A comparison of integers and its result.
pub(super) struct Comparison {
    pub(super) relation: Relation,
    pub(super) a: Operand,
    pub(super) b: Operand,
    pub(super) truth: bool,
}

/// The booleans assigned last whose operands have not changed.
#[derive(Default)]
pub(super) struct Tests {
    made: Vec<(VarId, Op)>,
}

impl Tests {
    pub(super) fn clear(&mut self) {
        self.made.clear();
    }

    /// Records the execution of a statement without inner blocks.
    pub(super) fn record(&mut self, kind: &StmtKind, routine: &Routine) {
        visit::accesses(kind, &mut |var, access| {
            if access.writes() {
                self.made.retain(|(dst, op)| *dst != var && !mentions(op, var));
            }
        });
        if let StmtKind::Simple(Simple::Assign(dst, op)) = kind
            && routine.var(*dst).ty == Ty::Bool
            && matches!(op, Op::Compare(..) | Op::Not(_) | Op::Logic(..) | Op::Copy(_))
            && !mentions(op, *dst)
        {
            if self.made.len() == MAX_KEPT {
                self.made.remove(0);
            }
            self.made.push((*dst, op.clone()));
        }
    }

    /// Returns the comparisons that follow if a boolean has this value.
    pub(super) fn follow(&self, test: &Operand, truth: bool) -> Vec<Comparison> {
        let mut found = Vec::new();
        let mut open = vec![(test, truth)];
        for _ in 0..MAX_FOLLOWED {
            let Some((test, truth)) = open.pop() else { break };
            let Operand::Var(test) = test else { continue };
            let Some((_, op)) = self.made.iter().rfind(|(dst, _)| dst == test) else { continue };
            if let Op::Not(of) = op {
                open.push((of, !truth));
            } else if let Op::Copy(of) = op {
                open.push((of, truth));
            } else if let Op::Compare(relation, a, b) = op {
                let (relation, a, b) = (*relation, a.clone(), b.clone());
                found.push(Comparison { relation, a, b, truth });
            } else if let Op::Logic(op, a, b) = op
                && *op == if truth { LogicOp::And } else { LogicOp::Or }
            {
                open.extend([(a, truth), (b, truth)]);
            }
        }
        found
    }
}

fn mentions(op: &Op, var: VarId) -> bool {
    let mut found = false;
    visit::op_accesses(op, &mut |accessed, _| found |= accessed == var);
    found
}
