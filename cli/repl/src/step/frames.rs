//! The running source statements, one for each active routine, and the previous values of their
//! variables.
//!
//! A source statement corresponds to several SIR statements, and a source variable to several SIR
//! variables, one for each web; this module combines them again.

use std::collections::BTreeMap;

use star_base::Span;
use star_compiler::{Head, HeadKind};
use star_ir::visit::{Access, accesses};
use star_ir::{Routine, Stmt, StmtKind, VarId};
use star_value::Value;
use star_vm::reference::Scene;

/// An active routine.
#[derive(Default)]
pub(super) struct Active {
    /// The SIR variable that holds the latest value of each source variable.
    latest: BTreeMap<String, VarId>,
    /// The loop variables, by source position of the loop.
    loops: BTreeMap<Span, VarId>,
    /// The running statement.
    pub(super) current: Option<Current>,
}

/// A running statement.
pub(super) struct Current {
    /// Its identity.
    pub(super) head: Head,
    /// Number of elementary operations before it.
    pub(super) operations: u64,
    /// The previous values of the variables that it writes, in the order of the writes; `None` if
    /// not recorded.
    pub(super) before: Option<Vec<(String, Value)>>,
    /// Whether statements of a called routine were shown meanwhile.
    pub(super) interrupted: bool,
    /// For a loop: whether the iteration has begun.
    iterated: bool,
}

impl Current {
    /// Creates a statement that begins.
    pub(super) fn new(head: Head, operations: u64) -> Self {
        Current { head, operations, before: Some(Vec::new()), interrupted: false, iterated: false }
    }
}

impl Active {
    /// Tests whether a source statement begins with the statement `kind`, which belongs to `head`.
    pub(super) fn begins(&self, head: Head, kind: &StmtKind) -> bool {
        // These have no effect, except where the source contains them.
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
            // A `while` with an empty body returns to its condition immediately.
            Some(current) if current.head == head => {
                current.iterated && head.kind == HeadKind::While
            }
            Some(_) | None => true,
        }
    }

    /// Starts an iteration of the loop `head`; returns whether a source statement begins with it.
    pub(super) fn begins_iteration(&mut self, head: Head) -> bool {
        let mine = self.current.as_mut().filter(|current| current.head == head);
        match head.kind {
            HeadKind::For | HeadKind::Foreach | HeadKind::While => match mine {
                Some(current) if !current.iterated => {
                    current.iterated = true;
                    false
                }
                Some(_) | None => true,
            },
            // The condition comes at the end.
            HeadKind::Repeat | HeadKind::Plain | HeadKind::If => false,
        }
    }

    /// Marks the running statement as an iteration of its loop, whose variable is about to change.
    pub(super) fn iteration(&mut self, scene: &Scene<'_>) {
        let Some(current) = &mut self.current else { return };
        current.iterated = true;
        if let Some(&var) = self.loops.get(&current.head.span) {
            self.keep(var, scene);
        }
    }

    /// Records the values that `stmt` is about to overwrite.
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
            // A moved variable is not read again.
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

    /// Returns the value of a source variable; `None` if the name is unknown.
    pub(super) fn value(&self, name: &str, scene: &Scene<'_>) -> Option<Value> {
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

/// Returns the names of the source variables of a routine, in order.
pub(super) fn names(routine: &Routine) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in routine.vars.iter().filter_map(|var| var.source.as_deref()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the name of a source variable; the session's name for a value (`‹value›`) is not one.
fn source_name(routine: &Routine, var: VarId) -> Option<&str> {
    let name = routine.vars.get(var.0 as usize)?.source.as_deref();
    name.filter(|name| !name.starts_with('‹'))
}
