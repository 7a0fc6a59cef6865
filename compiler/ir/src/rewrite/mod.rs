//! Tools to rewrite SIR.
//!
//! * [`fresh_var`], [`Labels`]: fresh variables and labels of a routine.
//! * [`map`]: maps the variables, operands, labels and locations of statements; every enum is
//!   destructured in full. [`clone_block`] copies statements with fresh labels.
//! * [`edit`]: removes, replaces and splices statements by their numbers; [`for_each`] changes
//!   them.

mod edit;
pub mod map;

use std::collections::BTreeMap;

pub use edit::{Edit, Edits, edit, for_each};
use map::Mapper;

use crate::program::{LabelId, Routine, Ty, Var, VarId};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::visit;

/// Adds a new variable to the routine, named after `stem`. It has no source name, so messages never
/// name it.
pub fn fresh_var(routine: &mut Routine, stem: &str, ty: Ty) -> VarId {
    let taken = |name: &str| routine.vars.iter().any(|var| var.name == name);
    let mut n = 1_u64;
    while taken(&format!("{stem}.{n}")) {
        n += 1;
    }
    let name = format!("{stem}.{n}");
    routine.vars.push(Var { name, ty, source: None, sized: false });
    // A routine cannot have 2³² variables: each takes more than a byte of memory.
    VarId(u32::try_from(routine.vars.len() - 1).unwrap_or(u32::MAX))
}

/// A generator of labels that a routine does not have yet.
pub struct Labels {
    next: u32,
}

impl Labels {
    /// Starts after the labels of the routine.
    pub fn new(routine: &Routine) -> Self {
        let mut next = 0;
        visit::walk(&routine.body, &mut |stmt| {
            if let Some(LabelId(label)) = label_of(&stmt.kind) {
                next = next.max(label.saturating_add(1));
            }
        });
        Labels { next }
    }

    /// Returns an unused label.
    pub fn fresh(&mut self) -> LabelId {
        let label = LabelId(self.next);
        self.next = self.next.saturating_add(1);
        label
    }
}

/// Returns the label that a statement defines.
pub fn label_of(kind: &StmtKind) -> Option<LabelId> {
    match kind {
        StmtKind::For { label, .. }
        | StmtKind::While { label, .. }
        | StmtKind::Foreach { label, .. }
        | StmtKind::Forall { label, .. }
        | StmtKind::Block { label, .. } => Some(*label),
        StmtKind::Simple(_)
        | StmtKind::Kernel(_)
        | StmtKind::If { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => None,
    }
}

/// Copies statements of the same routine: inner blocks and loops get fresh labels, jumps to outer
/// ones are unchanged.
pub fn clone_block(block: &[Stmt], labels: &mut Labels) -> Block {
    struct Relabel(BTreeMap<LabelId, LabelId>);
    impl Mapper for Relabel {
        fn label(&mut self, label: &mut LabelId) {
            if let Some(new) = self.0.get(label) {
                *label = *new;
            }
        }
    }
    let mut renamed = BTreeMap::new();
    visit::walk(block, &mut |stmt| {
        if let Some(label) = label_of(&stmt.kind) {
            renamed.insert(label, labels.fresh());
        }
    });
    let mut copy = block.to_vec();
    map::block(&mut copy, &mut Relabel(renamed));
    copy
}
