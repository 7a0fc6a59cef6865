//! The catalogue of intrinsics: library routines with a built-in implementation in a backend.
//!
//! An intrinsic replaces a library routine. The routine's Star body defines the result and is the
//! fallback wherever a backend has no such intrinsic, intrinsics are disabled, or a precondition
//! does not hold; so an intrinsic never traps. Signature and preconditions are stated once in
//! [`catalogue`]: lowering, the verifier, the backends and the test that compares every intrinsic
//! with its Star body all use them. Each backend registers its implementation of an intrinsic in a
//! separate table: an entry does not mention backends, so an intrinsic for another device is a line
//! in that backend's table and leaves the entry unchanged.

pub mod catalogue;
mod precondition;

pub use crate::kind::Kind;
pub use precondition::{Precondition, SizeExpr, SizeTerm};

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// An intrinsic: an entry of the catalogue, identified by its name. Tests have separate entries.
#[derive(Clone, Copy)]
pub struct Intrinsic(&'static Signature);

/// The parameters and requirements of an intrinsic.
#[derive(Debug)]
pub struct Signature {
    /// Its name, in lists and in the text form of SIR: lower-case letters, digits and `-`.
    pub name: &'static str,
    /// The library module of its routines, or the file of basic procedures, without extension.
    pub module: &'static str,
    /// The routines that it replaces, by their names in that module. All have these parameters.
    pub routines: &'static [&'static str],
    /// Their parameters, in order.
    pub params: &'static [Param],
    /// The result of a function.
    pub result: Option<Kind>,
    /// The preconditions at the call. Every check of the Star body belongs here or to
    /// [`Signature::declines`], including those of declared sizes of parameters: where the body
    /// would trap, it must run.
    pub preconditions: &'static [Precondition],
    /// Other conditions for leaving the call to the Star body, besides lack of memory and handles
    /// without a state of this backend: those that depend on values only. `None` if there are none.
    pub declines: Option<&'static str>,
    /// A description in one line.
    pub summary: &'static str,
}

/// A parameter of an intrinsic.
#[derive(Debug)]
pub struct Param {
    /// Its name, in preconditions.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// The use of the argument.
    pub mode: ParamMode,
}

/// The use of an argument by an intrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamMode {
    /// A value parameter.
    Value,
    /// A `var` parameter that is read and changed: it must be set.
    Changed,
    /// A `var` parameter that is set to a new value, independent of the old one.
    Made,
}

impl Intrinsic {
    /// All intrinsics of the library.
    pub const ALL: &'static [Intrinsic] = catalogue::ALL;

    /// Creates the intrinsic of an entry.
    pub const fn new(signature: &'static Signature) -> Self {
        Intrinsic(signature)
    }

    /// Returns its parameters and requirements.
    pub fn signature(self) -> &'static Signature {
        self.0
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the intrinsic with this name.
    pub fn find(name: &str) -> Option<Intrinsic> {
        Intrinsic::ALL.iter().copied().find(|intrinsic| intrinsic.name() == name)
    }

    /// Returns the intrinsic of a routine of a library module or file of basic procedures.
    pub fn of_routine(module: &str, routine: &str) -> Option<Intrinsic> {
        let is_same = |intrinsic: &Intrinsic| {
            let Signature { module: of, routines, .. } = intrinsic.signature();
            *of == module && routines.contains(&routine)
        };
        Intrinsic::ALL.iter().copied().find(is_same)
    }
}

impl PartialEq for Intrinsic {
    fn eq(&self, other: &Intrinsic) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Intrinsic {}

impl PartialOrd for Intrinsic {
    fn partial_cmp(&self, other: &Intrinsic) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Intrinsic {
    fn cmp(&self, other: &Intrinsic) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl Hash for Intrinsic {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Intrinsic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Intrinsic({})", self.name())
    }
}

impl fmt::Display for Intrinsic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Param {
    /// Creates a value parameter.
    pub const fn value(name: &'static str, kind: Kind) -> Self {
        Param { name, kind, mode: ParamMode::Value }
    }

    /// Creates a `var` parameter that is read and changed.
    pub const fn changed(name: &'static str, kind: Kind) -> Self {
        Param { name, kind, mode: ParamMode::Changed }
    }

    /// Creates a `var` parameter that is set to a new value.
    pub const fn made(name: &'static str, kind: Kind) -> Self {
        Param { name, kind, mode: ParamMode::Made }
    }
}

impl ParamMode {
    /// Returns whether it is a `var` parameter.
    pub fn is_by_ref(self) -> bool {
        match self {
            ParamMode::Value => false,
            ParamMode::Changed | ParamMode::Made => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_routines_belong_to_one_intrinsic() {
        for &intrinsic in Intrinsic::ALL {
            let Signature { name, module, routines, .. } = intrinsic.signature();
            assert_eq!(Intrinsic::find(name), Some(intrinsic));
            assert_eq!(Intrinsic::ALL.iter().filter(|other| other.name() == *name).count(), 1);
            let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(name.chars().all(is_word), "{name} is no word of SIR");
            for routine in *routines {
                assert_eq!(Intrinsic::of_routine(module, routine), Some(intrinsic));
            }
        }
        assert_eq!(Intrinsic::of_routine("paths", "WARSHALL"), None);
    }
}
