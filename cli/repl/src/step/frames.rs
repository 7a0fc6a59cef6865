//! The statements of the source that are running, one for each active routine, and what their variables
//! held before.
//!
//! A statement of the source is several statements of SIR, and a variable of the source several variables
//! there, one for each web; here they are put together again.

use std::collections::BTreeMap;

use star_base::Span;
use star_compiler::{Head, HeadKind};
use star_ir::visit::{Access, accesses};
use star_ir::{Routine, Stmt, StmtKind, VarId};
use star_vm::HostValue;
use star_vm::reference::Scene;

/// An active routine.
#[derive(Default)]
pub(super) struct Active {
    /// Under which variable of SIR the value of a source variable was stored last.
    latest: BTreeMap<String, VarId>,
    /// The variables of loops, by the places of the loops.
    loops: BTreeMap<Span, VarId>,
    /// The statement that is running.
    pub(super) current: Option<Current>,
}

/// A statement that is running.
pub(super) struct Current {
    /// Which one.
    pub(super) head: Head,
    /// Elementary operations before it.
    pub(super) operations: u64,
    /// What the variables that it writes held before, in the order of the writes; `None` if nobody wants to
    /// know.
    pub(super) before: Option<Vec<(String, HostValue)>>,
    /// Were statements of a called routine shown meanwhile?
    pub(super) interrupted: bool,
    /// Of a loop: has the turn begun?
    turned: bool,
}

impl Current {
    /// A statement that begins.
    pub(super) fn new(head: Head, operations: u64) -> Self {
        Current { head, operations, before: Some(Vec::new()), interrupted: false, turned: false }
    }
}

impl Active {
    /// Does a source statement begin with the statement `kind`, which belongs to `head`?
    pub(super) fn begins(&self, head: Head, kind: &StmtKind) -> bool {
        // These do nothing by themselves, unless they are what was written.
        let silent = head.kind != HeadKind::Plain
            && matches!(
                kind,
                StmtKind::While { .. }
                    | StmtKind::Block { .. }
                    | StmtKind::Break(_)
                    | StmtKind::Continue(_)
            );
        match &self.current {
            _ if silent => false,
            // A `while` with nothing inside comes back to its condition at once.
            Some(current) if current.head == head => current.turned && head.kind == HeadKind::While,
            Some(_) | None => true,
        }
    }

    /// A turn of the loop `head`: does a source statement begin with it?
    pub(super) fn begins_turn(&mut self, head: Head) -> bool {
        let mine = self.current.as_mut().filter(|current| current.head == head);
        match head.kind {
            HeadKind::For | HeadKind::Foreach | HeadKind::While => match mine {
                Some(current) if !current.turned => {
                    current.turned = true;
                    false
                }
                Some(_) | None => true,
            },
            // The condition comes at the end.
            HeadKind::Repeat | HeadKind::Plain | HeadKind::If => false,
        }
    }

    /// The statement that is running is a turn of its loop, whose variable is about to change.
    pub(super) fn turn(&mut self, scene: &Scene<'_>) {
        let Some(current) = &mut self.current else { return };
        current.turned = true;
        if let Some(&var) = self.loops.get(&current.head.span) {
            self.keep(var, scene);
        }
    }

    /// Keeps what `stmt` is about to overwrite.
    pub(super) fn note(&mut self, stmt: &Stmt, scene: &Scene<'_>) {
        let mut written = Vec::new();
        accesses(&stmt.kind, &mut |var, access| match access {
            Access::LoopVar => {
                if let Some(current) = &self.current {
                    self.loops.insert(current.head.span, var);
                }
                written.push(var);
            }
            Access::Write | Access::Update | Access::InitSize | Access::Ref => written.push(var),
            // A variable is moved where nobody reads it again.
            Access::Read | Access::ReadSize | Access::Observe | Access::Kill | Access::Move => {}
        });
        for var in written {
            self.keep(var, scene);
        }
    }

    fn keep(&mut self, var: VarId, scene: &Scene<'_>) {
        let Some(name) = source_name(scene.routine(), var) else { return };
        let kept = self.current.as_mut().and_then(|current| current.before.as_mut());
        if let Some(kept) = kept
            && !kept.iter().any(|(known, _)| known == name)
        {
            let holds = self.latest.get(name).copied().unwrap_or(var);
            kept.push((name.to_owned(), scene.value(holds)));
        }
        if self.latest.get(name) != Some(&var) {
            self.latest.insert(name.to_owned(), var);
        }
    }

    /// What a source variable holds; `None` if there is none of this name.
    pub(super) fn value(&self, name: &str, scene: &Scene<'_>) -> Option<HostValue> {
        let routine = scene.routine();
        let known = self.latest.get(name).copied();
        let param = || {
            let mut params = routine.params.iter().map(|param| param.var);
            params.find(|&var| source_name(routine, var) == Some(name))
        };
        let any = || {
            let mut vars = (0..routine.vars.len()).map(|idx| VarId(idx as u32));
            vars.find(|&var| source_name(routine, var) == Some(name))
        };
        known.or_else(param).or_else(any).map(|var| scene.value(var))
    }
}

/// The names of the source variables of a routine, in order.
pub(super) fn names(routine: &Routine) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in routine.vars.iter().filter_map(|var| var.source.as_deref()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The name of a source variable; what a session calls a value (`‹value›`) is none.
fn source_name(routine: &Routine, var: VarId) -> Option<&str> {
    let name = routine.vars.get(var.0 as usize)?.source.as_deref();
    name.filter(|name| !name.starts_with('‹'))
}
