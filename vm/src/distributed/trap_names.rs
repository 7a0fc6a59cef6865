//! Names of sizes in traps: the guards of a distributed program compare integers instead.

use std::collections::BTreeMap;

use star_ir::{LocId, NamedSize, TrapKind};

/// The sizes that the guards of the source name, by location.
#[derive(Clone, Debug, Default)]
pub(super) struct TrapNames {
    /// Limits of indices and parts.
    limits: BTreeMap<LocId, Vec<NamedSize>>,
    /// Sizes that must be equal.
    pairs: BTreeMap<LocId, Vec<[NamedSize; 2]>>,
}

impl TrapNames {
    pub(super) fn note_limit(&mut self, loc: LocId, limit: NamedSize) {
        note(self.limits.entry(loc).or_default(), limit);
    }

    pub(super) fn note_pair(&mut self, loc: LocId, pair: [NamedSize; 2]) {
        note(self.pairs.entry(loc).or_default(), pair);
    }

    /// Adds the names of another routine.
    pub(super) fn add(&mut self, other: TrapNames) {
        self.limits.extend(other.limits);
        self.pairs.extend(other.pairs);
    }

    /// Names the sizes of a trap as the source does, if its location has only one such guard.
    pub(super) fn name(&self, loc: LocId, kind: &mut TrapKind) {
        match kind {
            TrapKind::Index { of, .. } | TrapKind::Range { of, .. } => {
                if let Some([limit]) = self.limits.get(&loc).map(Vec::as_slice) {
                    replace(of, limit);
                }
            }
            TrapKind::Size { left, right } => {
                if let Some([[first, second]]) = self.pairs.get(&loc).map(Vec::as_slice) {
                    replace(&mut left.0, first);
                    replace(&mut right.0, second);
                }
            }
            _ => {}
        }
    }
}

fn note<T: PartialEq>(known: &mut Vec<T>, new: T) {
    if !known.contains(&new) {
        known.push(new);
    }
}

fn replace(size: &mut NamedSize, name: &NamedSize) {
    if *size == NamedSize::Number {
        *size = name.clone();
    }
}
