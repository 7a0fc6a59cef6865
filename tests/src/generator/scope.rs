//! The variables of the routine under construction, and what is known about them.
//!
//! Note [Known]. An integer variable has a domain from its declaration on; every assigned value is
//! in it. A slice, word or table has a size where it is known to be set. Inside loops and branches
//! a variable that has a size keeps it, and a variable that was not set before them is considered
//! unset after them. So what is known at the head of a loop holds in each of its iterations.

use super::source::ExprType;

/// What is known about the contents of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Possibly unset.
    Unset,
    /// An integer of its domain, a truth value or a text.
    Scalar,
    /// This number of bits.
    Bits(usize),
    /// These numbers of rows and columns.
    Table(usize, usize),
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) kind: ExprType,
    pub(super) known: Known,
    /// The fixed size, if it was declared or belongs to a caller.
    pub(super) fixed: Option<Known>,
    /// Least and greatest value of an integer.
    pub(super) domain: (i64, i64),
    /// Whether it holds one value during the whole call of its routine. A loop variable holds one
    /// only during an iteration.
    pub(super) constant: bool,
    /// Whether randomly generated statements must not write it.
    pub(super) locked: bool,
    /// Whether randomly generated expressions must not read it.
    pub(super) hidden: bool,
    /// Whether it is a table of records, which random statements write field by field.
    pub(super) is_records: bool,
}

/// The number of a variable in its scope.
pub(super) type VarIdx = usize;

/// The variables of a routine.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) vars: Vec<Var>,
}

impl Scope {
    /// Returns the variables that can be read and are suitable.
    pub(super) fn readable(&self, suits: impl Fn(&Var) -> bool) -> Vec<VarIdx> {
        self.those(|var| !var.hidden && var.known != Known::Unset && suits(var))
    }

    /// Returns the variables that can be written and are suitable, set or not.
    pub(super) fn writable(&self, suits: impl Fn(&Var) -> bool) -> Vec<VarIdx> {
        self.those(|var| !var.locked && suits(var))
    }

    fn those(&self, suits: impl Fn(&Var) -> bool) -> Vec<VarIdx> {
        (0..self.vars.len()).filter(|&idx| suits(&self.vars[idx])).collect()
    }

    /// Restores what is known after a loop or branch that began with `before`.
    pub(super) fn leave(&mut self, before: &Scope) {
        for (idx, var) in self.vars.iter_mut().enumerate() {
            match before.vars.get(idx) {
                Some(earlier) => var.clone_from(earlier),
                None => {
                    // Declared inside: not known to be set, and free for any use from now on.
                    (var.known, var.locked, var.hidden) = (Known::Unset, var.is_records, false);
                }
            }
        }
    }
}

impl Var {
    /// Returns whether the variable holds this number of bits of this kind.
    pub(super) fn is_bits(&self, kind: ExprType, size: usize) -> bool {
        self.kind == kind && self.known == Known::Bits(size)
    }

    /// Returns whether it is a field of a table of records.
    pub(super) fn is_field(&self) -> bool {
        self.name.contains('.')
    }

    /// Returns the rows and columns of a table that is set.
    pub(super) fn table(&self) -> Option<(usize, usize)> {
        match self.known {
            Known::Table(rows, columns) => Some((rows, columns)),
            Known::Unset | Known::Scalar | Known::Bits(_) => None,
        }
    }

    /// Returns the number of bits of a slice or word that is set.
    pub(super) fn bits(&self) -> Option<usize> {
        match self.known {
            Known::Bits(size) => Some(size),
            Known::Unset | Known::Scalar | Known::Table(..) => None,
        }
    }
}
