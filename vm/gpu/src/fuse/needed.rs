//! The statements of a run that its kernel executes, and the numbers that these need. The host
//! computes all numbers on its walk, so that others do not have to fit into the kernel.

use std::collections::BTreeSet;

use star_ir::{Op, Routine, Simple, SizeOp, Stmt, StmtKind, Ty, VarId, visit};

/// The numbers that the statements of a kernel need.
pub(super) struct Needed<'r> {
    routine: &'r Routine,
    pub(super) numbers: BTreeSet<VarId>,
}

impl<'r> Needed<'r> {
    pub(super) fn new(routine: &'r Routine, body: &[Stmt]) -> Self {
        let mut needed = Needed { routine, numbers: BTreeSet::new() };
        loop {
            let before = needed.numbers.len();
            needed.add(body);
            if needed.numbers.len() == before {
                return needed;
            }
        }
    }

    /// Adds the numbers that statements of the kernel read.
    fn add(&mut self, body: &[Stmt]) {
        for stmt in body.iter().filter(|stmt| self.executes(stmt)).collect::<Vec<_>>() {
            // The host knows the sizes of slices; the kernel executes the loop of a kernel of SIR.
            let is_read = !matches!(
                stmt.kind,
                StmtKind::Simple(Simple::Assign(_, Op::Fill(..))) | StmtKind::Kernel(_)
            );
            if is_read {
                visit::accesses(&stmt.kind, &mut |var, access| {
                    let is_number = matches!(self.routine.var(var).ty, Ty::Int | Ty::Bool);
                    if is_number && access.reads() {
                        self.numbers.insert(var);
                    }
                });
            }
            visit::blocks(&stmt.kind).into_iter().for_each(|block| self.add(block));
        }
    }

    /// Returns whether the kernel executes the statement.
    pub(super) fn executes(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, op)) => {
                !matches!(self.routine.var(*dst).ty, Ty::Int | Ty::Bool)
                    || matches!(op, Op::Query(..) | Op::BitsEqual(..))
                    || self.numbers.contains(dst)
            }
            StmtKind::Simple(Simple::Size(SizeOp::Latch { dst, .. })) => self.numbers.contains(dst),
            StmtKind::Simple(Simple::Size(_) | Simple::Check(_) | Simple::Cost { .. }) => false,
            StmtKind::For { .. }
            | StmtKind::Forall { .. }
            | StmtKind::If { .. }
            | StmtKind::Kernel(_) => {
                let mut inner = visit::blocks(&stmt.kind).into_iter().flatten();
                inner.any(|stmt| self.executes(stmt))
            }
            _ => true,
        }
    }
}
