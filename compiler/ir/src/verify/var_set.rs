//! Sets of variables.

use crate::program::VarId;

/// A set of variables, as bits: it is copied at every branch.
#[derive(Clone, Debug, Default)]
pub(super) struct VarSet(Vec<u64>);

impl VarSet {
    pub(super) fn contains(&self, var: VarId) -> bool {
        let limb = self.0.get(var.0 as usize / 64).copied().unwrap_or(0);
        limb >> (var.0 % 64) & 1 == 1
    }

    pub(super) fn insert(&mut self, var: VarId) {
        let at = var.0 as usize / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (var.0 % 64);
    }

    pub(super) fn remove(&mut self, var: VarId) {
        if let Some(limb) = self.0.get_mut(var.0 as usize / 64) {
            *limb &= !(1 << (var.0 % 64));
        }
    }

    /// Keeps what `other` has too.
    pub(super) fn meet(&mut self, other: &VarSet) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= theirs);
    }

    /// Adds what `other` has.
    pub(super) fn join(&mut self, other: &VarSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }
}
