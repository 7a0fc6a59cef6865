//! The catalogue of intrinsics: library routines that a backend may do in its own way.
//!
//! An intrinsic is the twin of a library routine. The routine's Star body says what is computed and is
//! what runs wherever a backend has no such intrinsic, intrinsics are off, or a precondition does not hold; so
//! an intrinsic never traps. Signature and preconditions stand in [`catalogue`] once: lowering, the verifier, the
//! backends and the test that compares every intrinsic with its Star body all read them. What an intrinsic does, each
//! backend registers in a table of its own: an entry says nothing of backends, so that an intrinsic for another device
//! is a line in that backend's table and leaves the entry as it is.

pub mod catalogue;
mod precondition;

pub use crate::kind::Kind;
pub use precondition::{Precondition, SizeExpr, SizeTerm};

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// An intrinsic: an entry of the catalogue, known by its name. Tests have entries of their own.
#[derive(Clone, Copy)]
pub struct Intrinsic(&'static Signature);

/// What an intrinsic takes and needs.
#[derive(Debug)]
pub struct Signature {
    /// Its name, in lists and in the text form of SIR: small letters, digits and `-`.
    pub name: &'static str,
    /// The library module of its routines.
    pub module: &'static str,
    /// The routines that it is the twin of, by their names in that module. All have these parameters.
    pub routines: &'static [&'static str],
    /// Their parameters, in order.
    pub params: &'static [Param],
    /// What a function returns.
    pub result: Option<Kind>,
    /// What must hold when it begins. Every check of the Star body belongs here or to [`Signature::declines`], those
    /// of declared sizes of parameters included: where it would trap, it has to run.
    pub preconditions: &'static [Precondition],
    /// When else it leaves the call to the Star body, beside lack of memory and handles without a state of its own:
    /// what it sees in the values only. `None` if never.
    pub declines: Option<&'static str>,
    /// What it does, in one line.
    pub summary: &'static str,
}

/// A parameter of an intrinsic.
#[derive(Debug)]
pub struct Param {
    /// Its name, in preconditions.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// What happens to the argument.
    pub mode: ParamMode,
}

/// How an intrinsic treats an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamMode {
    /// A value parameter.
    Value,
    /// A `var` parameter that is read and changed: it has to be set.
    Changed,
    /// A `var` parameter that takes a new value, whatever it held.
    Made,
}

impl Intrinsic {
    /// All intrinsics of the library.
    pub const ALL: &'static [Intrinsic] = catalogue::ALL;

    /// The intrinsic of an entry.
    pub const fn new(signature: &'static Signature) -> Self {
        Intrinsic(signature)
    }

    /// What it takes and needs.
    pub fn signature(self) -> &'static Signature {
        self.0
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The intrinsic of this name.
    pub fn find(name: &str) -> Option<Intrinsic> {
        Intrinsic::ALL.iter().copied().find(|intrinsic| intrinsic.name() == name)
    }

    /// The intrinsic that a routine of a library module has as its twin.
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
    /// A value parameter.
    pub const fn value(name: &'static str, kind: Kind) -> Self {
        Param { name, kind, mode: ParamMode::Value }
    }

    /// A `var` parameter that is read and changed.
    pub const fn changed(name: &'static str, kind: Kind) -> Self {
        Param { name, kind, mode: ParamMode::Changed }
    }

    /// A `var` parameter that takes a new value.
    pub const fn made(name: &'static str, kind: Kind) -> Self {
        Param { name, kind, mode: ParamMode::Made }
    }
}

impl ParamMode {
    /// Is it a `var` parameter?
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
