//! Facts at a point of an iteration: the variables it has assigned, and their values and sizes.

use std::collections::{BTreeMap, BTreeSet};

use star_ir::analysis::polynomial::Polynomial;
use star_ir::visit::{self, Access};
use star_ir::{SizeOperand, Stmt, VarId};

/// The facts at a point of an iteration.
#[derive(Clone, Default)]
pub(super) struct State {
    /// Variables that hold a value computed by the iteration.
    pub(super) assigned: BTreeSet<VarId>,
    /// Variables that are unset.
    pub(super) unset: BTreeSet<VarId>,
    /// Numbers.
    pub(super) values: BTreeMap<VarId, Polynomial>,
    /// Sizes: the length, or rows and columns.
    pub(super) sizes: BTreeMap<VarId, [Option<Polynomial>; 2]>,
}

impl State {
    /// Keeps the facts that hold on both paths.
    pub(super) fn meet(&mut self, other: &State) {
        self.assigned.retain(|var| other.assigned.contains(var));
        self.unset.retain(|var| other.unset.contains(var));
        self.values.retain(|var, value| other.values.get(var) == Some(value));
        self.sizes.retain(|var, size| other.sizes.get(var) == Some(size));
    }

    /// Drops the value and size of a variable.
    pub(super) fn forget(&mut self, var: VarId) {
        self.unset.remove(&var);
        self.values.remove(&var);
        self.sizes.remove(&var);
    }

    /// Records that the variable is unset.
    pub(super) fn kill(&mut self, var: VarId) {
        self.forget(var);
        self.assigned.remove(&var);
        self.unset.insert(var);
    }

    /// Drops the facts that statements may change, if some or all of them may have run.
    pub(super) fn may_execute(&mut self, stmts: &[Stmt]) {
        visit::walk(stmts, &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |var, access| {
                if access == Access::Kill {
                    self.assigned.remove(&var);
                }
                // An update in place keeps the size.
                if access.writes() && access != Access::Update {
                    self.forget(var);
                }
            });
        });
    }

    pub(super) fn size(&self, of: &SizeOperand) -> Option<&Polynomial> {
        let [first, second] = self.sizes.get(&visit::measured(of)?)?;
        match of {
            SizeOperand::Length(_) | SizeOperand::Rows(_) => first.as_ref(),
            SizeOperand::Columns(_) => second.as_ref(),
            SizeOperand::Value(_) => None,
        }
    }
}
