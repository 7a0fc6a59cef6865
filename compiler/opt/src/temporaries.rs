//! Copy coalescing: `t = op; y = copy t` becomes `y = op` where `t` is not live afterwards; a part
//! of the pass `copies`.
//!
//! No statement is between the two, so nothing can trap there or read `y`. `t` and `y` have the
//! same type and are not extents. The body of a `forall` is unchanged.

use star_ir::analysis::liveness::Liveness;
use star_ir::rewrite::{Edit, Edits, edit};
use star_ir::{Op, Operand, Program, RoutineId, Simple, Stmt, StmtKind, VarId, visit};

use crate::context::Context;
use crate::rewrite::guarded;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    let Some(routine) = program.routines.get(id.0 as usize) else { return 0 };
    let liveness = Liveness::of(program, id);
    let mut find = Find { edits: Edits::new(), at: 0, joined: 0 };
    let suits = |at: usize, temporary: VarId, dst: VarId| {
        temporary != dst
            && routine.var(temporary).ty == routine.var(dst).ty
            && routine.var(temporary).source.is_none()
            && !liveness.is_live_after(at, temporary)
    };
    find.block(&routine.body, &suits);
    guarded(program, id, context, |routine| {
        edit(&mut routine.body, &find.edits);
        find.joined
    })
}

struct Find {
    edits: Edits,
    at: usize,
    joined: usize,
}

impl Find {
    fn block(&mut self, block: &[Stmt], suits: &impl Fn(usize, VarId, VarId) -> bool) {
        let mut before: Option<(usize, VarId, &Op)> = None;
        for stmt in block {
            let at = self.at;
            self.at += 1;
            let mut this = None;
            if let StmtKind::Simple(Simple::Assign(dst, op)) = &stmt.kind {
                if let (Some((made_at, temporary, made)), Op::Copy(Operand::Var(src))) =
                    (before, op)
                    && temporary == *src
                    && suits(at, temporary, *dst)
                {
                    self.edits.insert(
                        made_at,
                        Edit::Replace(StmtKind::Simple(Simple::Assign(*dst, made.clone()))),
                    );
                    self.edits.insert(at, Edit::Remove);
                    self.joined += 1;
                } else {
                    this = Some((at, *dst, op));
                }
            }
            before = this;
            if matches!(stmt.kind, StmtKind::Forall { .. }) {
                visit::blocks(&stmt.kind).into_iter().for_each(|inner| {
                    self.at += star_ir::analysis::n_statements(inner);
                });
            } else {
                visit::blocks(&stmt.kind).into_iter().for_each(|inner| self.block(inner, suits));
            }
        }
    }
}
