//! Rule 9: restrictions on `forall`.

use std::collections::{BTreeMap, BTreeSet};

use super::Subject;
use crate::op::{IntOp, Op, Operand};
use crate::program::VarId;
use crate::stmt::{Part, PartKind, Reduction, ReductionOp, Simple, Stmt, StmtKind};
use crate::visit::{self, Access};

pub(super) fn check(subject: &mut Subject<'_, '_>) {
    let body = &subject.routine.body;
    visit::walk(body, &mut |stmt| {
        if let StmtKind::Forall { label: _, var, range: _, writes, privates, reductions, body } =
            &stmt.kind
        {
            distinct(subject, stmt, *var, writes, privates, reductions);
            let forall = Forall {
                var: *var,
                writes: writes.iter().map(|part| (part.var, &part.kind)).collect(),
                privates: privates.iter().copied().collect(),
                reductions: reductions.iter().map(|r| (r.var, r.op)).collect(),
            };
            visit::walk(body, &mut |inner| forall.statement(subject, inner));
        }
    });
}

fn distinct(
    subject: &mut Subject<'_, '_>,
    stmt: &Stmt,
    var: VarId,
    writes: &[Part],
    privates: &[VarId],
    reductions: &[Reduction],
) {
    let mut seen = BTreeSet::from([var]);
    for var in (writes.iter().map(|part| part.var))
        .chain(privates.iter().copied())
        .chain(reductions.iter().map(|reduction| reduction.var))
    {
        if !seen.insert(var) {
            let message = format!("{} has two roles", subject.name(var));
            subject.fault(Some(stmt), message);
        }
    }
}

struct Forall<'a> {
    var: VarId,
    writes: BTreeMap<VarId, &'a PartKind>,
    privates: BTreeSet<VarId>,
    reductions: BTreeMap<VarId, ReductionOp>,
}

impl Forall<'_> {
    fn statement(&self, subject: &mut Subject<'_, '_>, stmt: &Stmt) {
        if matches!(
            stmt.kind,
            StmtKind::Simple(
                Simple::Print(_)
                    | Simple::Read { .. }
                    | Simple::Write { .. }
                    | Simple::Exchange { .. }
                    | Simple::ExchangeRow { .. }
            )
        ) {
            return subject.fault(Some(stmt), "input or output in a `forall`");
        }
        let reduced = self.reduced(&stmt.kind);
        let mut messages = BTreeSet::new();
        visit::accesses(&stmt.kind, &mut |var, access| {
            let name = subject.name(var);
            if let Some(&op) = self.reductions.get(&var) {
                let compared = matches!(op, ReductionOp::Min | ReductionOp::Max)
                    && matches!(stmt.kind, StmtKind::Simple(Simple::Assign(_, Op::Compare(..))))
                    && access == Access::Read;
                if access != Access::ReadSize && reduced != Some(var) && !compared {
                    messages.insert(format!("{name} is a reduction and used otherwise"));
                }
            } else if access.writes() && var != self.var && !self.privates.contains(&var) {
                match self.writes.get(&var) {
                    Some(kind) if self.own_part(kind, &stmt.kind) => {}
                    Some(_) => {
                        messages.insert(format!(
                            "writes a part of {name} that belongs to another \
                            iteration"
                        ));
                    }
                    None => {
                        messages.insert(format!("writes {name}, which all iterations share"));
                    }
                }
            }
        });
        for message in messages {
            subject.fault(Some(stmt), message);
        }
    }

    /// Returns the reduction that the statement is a step of.
    fn reduced(&self, kind: &StmtKind) -> Option<VarId> {
        let StmtKind::Simple(Simple::Assign(dst, op)) = kind else {
            return None;
        };
        use ReductionOp as R;
        let how = *self.reductions.get(dst)?;
        let once = |a: bool, b: bool| a != b;
        let is_dst = |operand: &Operand| *operand == Operand::Var(*dst);
        let step = match how {
            R::Or | R::And | R::Xor => {
                matches!(op, Op::Logic(logic, a, b)
                    if logic_reduction(*logic) == how && once(is_dst(a), is_dst(b)))
                    || matches!(op, Op::BitsLogic(logic, v, w)
                    if logic_reduction(*logic) == how && once(v == dst, w == dst))
            }
            R::Add => matches!(op, Op::Int(IntOp::Add, a, b) if once(is_dst(a), is_dst(b))),
            R::Min | R::Max => matches!(op, Op::Copy(value) if !is_dst(value)),
        };
        step.then_some(*dst)
    }

    /// Returns whether the statement writes the part that belongs to the iteration.
    fn own_part(&self, part: &PartKind, kind: &StmtKind) -> bool {
        let own = |index: &Operand| *index == Operand::Var(self.var);
        match part {
            PartKind::Column => matches!(kind,
                StmtKind::Simple(Simple::PutColumn { index, .. } | Simple::PutBit { column: index, .. })
                if own(index)),
            PartKind::Row => matches!(kind,
                StmtKind::Simple(Simple::PutRow { index, .. } | Simple::PutBit { row: index, .. })
                if own(index)),
            PartKind::Component => {
                matches!(kind, StmtKind::Simple(Simple::Put { index, .. }) if own(index))
            }
            // The pass must prove that it is inside; the reference backend checks it.
            PartKind::Field { .. } => matches!(
                kind,
                StmtKind::Simple(
                    Simple::PutField { .. } | Simple::PutColumn { .. } | Simple::PutBit { .. }
                )
            ),
        }
    }
}

fn logic_reduction(op: crate::op::LogicOp) -> ReductionOp {
    match op {
        crate::op::LogicOp::And => ReductionOp::And,
        crate::op::LogicOp::Or => ReductionOp::Or,
        crate::op::LogicOp::Xor => ReductionOp::Xor,
    }
}
