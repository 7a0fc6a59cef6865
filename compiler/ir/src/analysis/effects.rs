//! Write effects of the loops of a routine, each computed once.

use std::collections::BTreeMap;

use crate::program::{Var, VarId};
use crate::stmt::{Stmt, StmtKind};
use crate::visit::{self, Access};

/// The effects on a variable; several may apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Changed in place; sizes are preserved.
    pub contents: bool,
    /// Given a value or a size if it has none; a table may grow.
    pub settled: bool,
    /// Given a new value.
    pub replaced: bool,
    /// Possibly unset.
    pub unset: bool,
}

impl Effect {
    /// Returns the effect of an access on a variable; `None` if it only reads.
    pub fn of(access: Access, var: &Var) -> Option<Effect> {
        let mut effect = Effect::default();
        match access {
            Access::Read | Access::ReadSize | Access::Observe => return None,
            Access::Update => effect.contents = true,
            Access::InitSize => effect.settled = true,
            Access::Write | Access::LoopVar => effect.replaced = true,
            Access::Kill | Access::Move => (effect.replaced, effect.unset) = (true, true),
            // Only `adapt` unsets something through a reference.
            Access::Ref => (effect.replaced, effect.unset) = (true, var.ty.is_bits()),
        }
        Some(effect)
    }

    fn add(&mut self, other: Effect) {
        self.contents |= other.contents;
        self.settled |= other.settled;
        self.replaced |= other.replaced;
        self.unset |= other.unset;
    }
}

/// The variables that are written.
pub type Effects = BTreeMap<VarId, Effect>;

/// Returns what the blocks of each loop write, with the loops in textual order.
pub fn of_loops(body: &[Stmt], vars: &[Var]) -> Vec<Effects> {
    let mut loops = Vec::new();
    collect(body, vars, &mut loops, &mut Effects::new());
    loops
}

/// Returns whether it is one of the statements that [`of_loops`] numbers.
pub fn is_loop(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::Forall { .. }
    )
}

fn collect(block: &[Stmt], vars: &[Var], loops: &mut Vec<Effects>, written: &mut Effects) {
    for Stmt { kind, loc: _ } in block {
        visit::accesses(kind, &mut |var, access| {
            if let Some(effect) = Effect::of(access, &vars[var.0 as usize]) {
                written.entry(var).or_default().add(effect);
            }
        });
        if is_loop(kind) {
            let at = loops.len();
            loops.push(Effects::new());
            let mut inside = Effects::new();
            for inner in visit::blocks(kind) {
                collect(inner, vars, loops, &mut inside);
            }
            for (&var, &effect) in &inside {
                written.entry(var).or_default().add(effect);
            }
            loops[at] = inside;
        } else {
            for inner in visit::blocks(kind) {
                collect(inner, vars, loops, written);
            }
        }
    }
}
