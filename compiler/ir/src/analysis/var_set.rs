//! Sets of variables.

use crate::program::VarId;

/// A set of variables as a bit vector: it is copied at every branch.
#[derive(Debug, Default)]
pub struct VarSet(Vec<u64>);

impl Clone for VarSet {
    fn clone(&self) -> Self {
        VarSet(self.0.clone())
    }

    fn clone_from(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }
}

impl VarSet {
    /// Returns whether the set contains the variable.
    pub fn contains(&self, var: VarId) -> bool {
        let limb = self.0.get(var.0 as usize / 64).copied().unwrap_or(0);
        limb >> (var.0 % 64) & 1 == 1
    }

    /// Adds a variable.
    pub fn insert(&mut self, var: VarId) {
        let at = var.0 as usize / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (var.0 % 64);
    }

    /// Removes a variable.
    pub fn remove(&mut self, var: VarId) {
        if let Some(limb) = self.0.get_mut(var.0 as usize / 64) {
            *limb &= !(1 << (var.0 % 64));
        }
    }

    /// Keeps only the variables that `other` also contains.
    pub fn meet(&mut self, other: &VarSet) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= theirs);
    }

    /// Adds the variables of `other`.
    pub fn join(&mut self, other: &VarSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Returns whether the set contains every variable of `other`.
    pub fn covers(&self, other: &VarSet) -> bool {
        let mine = self.0.iter().copied().chain(std::iter::repeat(0));
        other.0.iter().zip(mine).all(|(theirs, mine)| theirs & !mine == 0)
    }
}
