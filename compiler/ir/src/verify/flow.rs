//! Rules 5 to 8: jumps, loop variables, arguments, extents.

use std::collections::BTreeSet;

use super::Subject;
use crate::analysis::effects::{self, Effects};
use crate::op::Operand;
use crate::program::{Extent, LabelId, Mode, Ty, VarId};
use crate::stmt::{Arg, Simple, SizeOp, Stmt, StmtKind};
use crate::visit::{self, Access};

pub(super) fn check(subject: &mut Subject<'_, '_>) {
    extents(subject);
    let routine = subject.routine;
    let mut flow = Flow {
        loops: effects::of_loops(&routine.body, &routine.vars).into_iter(),
        contexts: Vec::new(),
        lent: routine
            .params
            .iter()
            .filter(|param| param.mode == Mode::Ref)
            .map(|param| param.var)
            .collect(),
        subject,
    };
    flow.block(&routine.body);
}

/// An enclosing statement.
enum LoopContext {
    Block(LabelId),
    Loop(LabelId),
    Forall(LabelId),
}

impl LoopContext {
    fn of(kind: &StmtKind) -> Option<LoopContext> {
        match kind {
            StmtKind::For { label, .. }
            | StmtKind::While { label, .. }
            | StmtKind::Foreach { label, .. } => Some(LoopContext::Loop(*label)),
            StmtKind::Forall { label, .. } => Some(LoopContext::Forall(*label)),
            StmtKind::Block { label, .. } => Some(LoopContext::Block(*label)),
            StmtKind::Simple(_)
            | StmtKind::Kernel(_)
            | StmtKind::If { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => None,
        }
    }
}

struct Flow<'s, 'a, 'e> {
    subject: &'s mut Subject<'a, 'e>,
    /// The effects of the remaining loops.
    loops: std::vec::IntoIter<Effects>,
    contexts: Vec<LoopContext>,
    /// The `ref` parameters.
    lent: BTreeSet<VarId>,
}

impl Flow<'_, '_, '_> {
    fn block(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.statement(stmt);
            let contexts = LoopContext::of(&stmt.kind);
            let entered = contexts.is_some();
            self.contexts.extend(contexts);
            for inner in visit::blocks(&stmt.kind) {
                self.block(inner);
            }
            if entered {
                self.contexts.pop();
            }
        }
    }

    fn fault(&mut self, stmt: &Stmt, message: String) {
        self.subject.fault(Some(stmt), message);
    }

    fn statement(&mut self, stmt: &Stmt) {
        let written = if effects::is_loop(&stmt.kind) {
            self.loops.next().unwrap_or_default()
        } else {
            Effects::new()
        };
        let kept = |var: VarId, subject: &mut Subject<'_, '_>| {
            if written.contains_key(&var) {
                let message = format!("the body writes {}", subject.name(var));
                subject.fault(Some(stmt), message);
            }
        };
        match &stmt.kind {
            StmtKind::For { var, .. } | StmtKind::Forall { var, .. } => kept(*var, self.subject),
            StmtKind::Foreach { var, over, .. } => {
                kept(*var, self.subject);
                kept(*over, self.subject);
            }
            StmtKind::Simple(Simple::Call { args, .. }) => self.arguments(stmt, args),
            StmtKind::Break(label) => self.jump(stmt, *label, false),
            StmtKind::Continue(label) => self.jump(stmt, *label, true),
            StmtKind::Exit => {
                if self.contexts.iter().any(|contexts| matches!(contexts, LoopContext::Forall(_))) {
                    self.fault(stmt, "leaves a `forall`".into());
                }
            }
            StmtKind::Simple(_)
            | StmtKind::While { .. }
            | StmtKind::Kernel(_)
            | StmtKind::If { .. }
            | StmtKind::Block { .. } => {}
        }
    }

    fn jump(&mut self, stmt: &Stmt, target: LabelId, again: bool) {
        for contexts in self.contexts.iter().rev() {
            match *contexts {
                LoopContext::Loop(label) if label == target => return,
                LoopContext::Block(label) if label == target && !again => return,
                LoopContext::Forall(label) if label == target && again => return,
                LoopContext::Forall(_) => {
                    return self.fault(stmt, "leaves a `forall`".into());
                }
                LoopContext::Loop(_) | LoopContext::Block(_) => {}
            }
        }
        let what = if again { "loop" } else { "block or loop" };
        self.fault(stmt, format!("no enclosing {what} `{target}`"));
    }

    fn arguments(&mut self, stmt: &Stmt, args: &[Arg]) {
        let mut owned = BTreeSet::new();
        for arg in args {
            match arg {
                Arg::Ref(v) | Arg::Move(v) => {
                    if !owned.insert(*v) {
                        let message = format!("{} is passed twice", self.subject.name(*v));
                        self.fault(stmt, message);
                    }
                }
                Arg::Value(_) => {}
            }
            if let Arg::Move(v) = arg
                && self.lent.contains(v)
            {
                let message = format!("{} is lent and cannot be moved", self.subject.name(*v));
                self.fault(stmt, message);
            }
        }
        for arg in args {
            if let Arg::Value(Operand::Var(v)) = arg
                && owned.contains(v)
            {
                let message = format!("{} is passed twice", self.subject.name(*v));
                self.fault(stmt, message);
            }
        }
    }
}

/// The sources of the value of a variable used as an extent.
#[derive(Clone, Copy, Default)]
struct Sources {
    assigned: u32,
    latched: bool,
    otherwise: bool,
}

/// Returns whether it is private to each iteration. It is unset where an iteration begins.
fn is_private(kind: &StmtKind, var: VarId) -> bool {
    matches!(kind, StmtKind::Forall { privates, .. } if privates.contains(&var))
}

fn extents(subject: &mut Subject<'_, '_>) {
    let routine = subject.routine;
    let mut sources = vec![Sources::default(); routine.vars.len()];
    visit::walk(&routine.body, &mut |stmt| {
        visit::accesses(&stmt.kind, &mut |var, access| {
            let sources = &mut sources[var.0 as usize];
            match access {
                Access::Read | Access::ReadSize | Access::Observe => {}
                Access::Kill
                    if matches!(stmt.kind, StmtKind::Simple(Simple::Size(SizeOp::Unset(_)))) => {}
                Access::Kill if is_private(&stmt.kind, var) => {}
                Access::InitSize => sources.latched = true,
                Access::Write if matches!(stmt.kind, StmtKind::Simple(Simple::Assign(..))) => {
                    sources.assigned = sources.assigned.saturating_add(1);
                }
                Access::Write
                | Access::Update
                | Access::LoopVar
                | Access::Kill
                | Access::Move
                | Access::Ref => sources.otherwise = true,
            }
        });
    });
    for param in &routine.params {
        let sources = &mut sources[param.var.0 as usize];
        match param.mode {
            Mode::Value => sources.assigned = sources.assigned.saturating_add(1),
            Mode::Ref => sources.otherwise = true,
        }
    }
    let used: BTreeSet<VarId> = routine
        .vars
        .iter()
        .flat_map(|var| var.ty.extents())
        .filter_map(|extent| match extent {
            Extent::Var(v) => Some(v),
            Extent::Const(_) | Extent::Dynamic => None,
        })
        .collect();
    for var in used {
        let name = subject.name(var);
        let Sources { assigned, latched, otherwise } = sources[var.0 as usize];
        if subject.ty(var) != Ty::Int {
            subject.fault(None, format!("the extent {name} is not an integer"));
        } else if otherwise {
            let message = format!("the extent {name} changes other than by one assignment");
            subject.fault(None, message);
        } else if assigned + u32::from(latched) > 1 {
            subject.fault(None, format!("the extent {name} is assigned twice"));
        }
    }
}
