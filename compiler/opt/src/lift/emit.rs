//! What stands in the place of a loop that is lifted: its guards, the `forall`, and the loop behind them.

use std::collections::BTreeMap;

use star_ir::rewrite::{Edit, Edits, Labels, clone_block, edit, fresh_var};
use star_ir::{
    Block, LocId, LogicOp, Op, Operand, Relation, Routine, SizeOperand, Stmt, StmtKind, Ty,
};

use super::{Guard, Least, Lifted};

/// Puts the loops that were found in their `forall` form.
pub(super) fn rewrite(routine: &mut Routine, found: BTreeMap<usize, Lifted>) {
    let mut labels = Labels::new(routine);
    let mut edits = Edits::new();
    for (at, lifted) in found {
        edits.insert(at, Edit::Splice(forall(routine, &mut labels, lifted)));
    }
    edit(&mut routine.body, &edits);
}

/// What stands in the place of the loop.
fn forall(routine: &mut Routine, labels: &mut Labels, lifted: Lifted) -> Block {
    let Lifted { stmt, label, var, body, range, writes, reductions, privates, guards } = lifted;
    let loc = stmt.loc;
    let at = |kind| Stmt { kind, loc };
    let forall = at(StmtKind::Forall { label, var, range, writes, privates, reductions, body });
    if guards.is_empty() {
        return vec![forall];
    }
    let mut stmts = Block::new();
    let mut holds: Option<Operand> = None;
    let mut and = |routine: &mut Routine, stmts: &mut Block, op: Op| {
        let test = fresh_var(routine, "fits", Ty::Bool);
        stmts.push(at(StmtKind::Assign(test, op)));
        holds = Some(match holds.take() {
            None => Operand::Var(test),
            Some(before) => {
                let both = fresh_var(routine, "fits", Ty::Bool);
                let op = Op::Logic(LogicOp::And, before, Operand::Var(test));
                stmts.push(at(StmtKind::Assign(both, op)));
                Operand::Var(both)
            }
        });
    };
    for guard in guards {
        let (least, limit) = match guard {
            Guard::AtMost(least, limit) => (least, limit),
            Guard::Equal(left, right) => {
                let sizes = [left, right].map(|of| measure(routine, &mut stmts, loc, &of));
                let [left, right] = sizes;
                and(routine, &mut stmts, Op::Compare(Relation::Eq, left, right));
                continue;
            }
        };
        let limit = measure(routine, &mut stmts, loc, &limit);
        let greatest = match least {
            Least::Range(from, to) => {
                if !matches!(from, Operand::Int(1..)) {
                    and(routine, &mut stmts, Op::Compare(Relation::Ge, from, Operand::Int(1)));
                }
                to
            }
            Least::Length(over) => measure(routine, &mut stmts, loc, &SizeOperand::Length(over)),
        };
        and(routine, &mut stmts, Op::Compare(Relation::Le, greatest, limit));
    }
    let otherwise = clone_block(std::slice::from_ref(&stmt), labels);
    match holds {
        Some(test) => stmts.push(at(StmtKind::If { test, then: vec![forall], otherwise })),
        None => stmts.push(forall),
    }
    stmts
}

/// The size as a number.
fn measure(routine: &mut Routine, stmts: &mut Block, loc: LocId, size: &SizeOperand) -> Operand {
    let op = match size {
        SizeOperand::Length(var) => Op::Length(*var),
        SizeOperand::Rows(var) => Op::Rows(*var),
        SizeOperand::Columns(var) => Op::Columns(*var),
        SizeOperand::Value(value) => return value.clone(),
    };
    let number = fresh_var(routine, "size", Ty::Int);
    stmts.push(Stmt { kind: StmtKind::Assign(number, op), loc });
    Operand::Var(number)
}
