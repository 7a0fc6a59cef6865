//! The variables of the routine that is being written, and what is known about them.
//!
//! Note [Known]. An integer variable has a domain from its declaration on; whatever is assigned lies in
//! it. A slice, word or table has a size where it is known to be set. Inside loops and branches a
//! variable that has a size keeps it, and a variable that was not set before them is taken for unset
//! after them. So what is known at the head of a loop holds in each of its turns.

use super::source::ExprType;

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Perhaps nothing.
    Unset,
    /// An integer of its domain, a truth value, a text.
    Scalar,
    /// So many bits.
    Bits(usize),
    /// So many rows and columns.
    Table(usize, usize),
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) kind: ExprType,
    pub(super) known: Known,
    /// The size that it always has, if it was declared or belongs to a caller.
    pub(super) fixed: Option<Known>,
    /// Least and greatest value of an integer.
    pub(super) domain: (i64, i64),
    /// Does it hold one value as long as its routine runs? A loop variable holds one for a turn only.
    pub(super) constant: bool,
    /// May statements that are made at random write it?
    pub(super) locked: bool,
    /// May expressions that are made at random read it?
    pub(super) hidden: bool,
}

/// The number of a variable in its scope.
pub(super) type VarIdx = usize;

/// The variables of a routine.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) vars: Vec<Var>,
}

impl Scope {
    /// Variables that can be read and suit.
    pub(super) fn readable(&self, suits: impl Fn(&Var) -> bool) -> Vec<VarIdx> {
        self.those(|var| !var.hidden && var.known != Known::Unset && suits(var))
    }

    /// Variables that can be written and suit, set or not.
    pub(super) fn writable(&self, suits: impl Fn(&Var) -> bool) -> Vec<VarIdx> {
        self.those(|var| !var.locked && suits(var))
    }

    fn those(&self, suits: impl Fn(&Var) -> bool) -> Vec<VarIdx> {
        (0..self.vars.len()).filter(|&idx| suits(&self.vars[idx])).collect()
    }

    /// What is known behind a loop or branch that began with `before`.
    pub(super) fn leave(&mut self, before: &Scope) {
        for (idx, var) in self.vars.iter_mut().enumerate() {
            match before.vars.get(idx) {
                Some(earlier) => var.clone_from(earlier),
                None => {
                    // Made inside: not known to be set, and free for everybody from now on.
                    (var.known, var.locked, var.hidden) = (Known::Unset, false, false);
                }
            }
        }
    }
}

impl Var {
    /// Does the variable hold so many bits of this kind?
    pub(super) fn is_bits(&self, kind: ExprType, size: usize) -> bool {
        self.kind == kind && self.known == Known::Bits(size)
    }

    /// Rows and columns of a table that is set.
    pub(super) fn table(&self) -> Option<(usize, usize)> {
        match self.known {
            Known::Table(rows, columns) => Some((rows, columns)),
            Known::Unset | Known::Scalar | Known::Bits(_) => None,
        }
    }

    /// Number of bits of a slice or word that is set.
    pub(super) fn bits(&self) -> Option<usize> {
        match self.known {
            Known::Bits(size) => Some(size),
            Known::Unset | Known::Scalar | Known::Table(..) => None,
        }
    }
}
