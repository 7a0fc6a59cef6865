//! The backends by their names, one line each: `--backend`, `star doctor` and the tests know them from here.

use std::fmt;
use std::rc::Rc;

use star_vm::{Backend, Cpu, DynBackend, Reference, erase};

/// A backend that there is, or will be.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name for `--backend`.
    pub name: &'static str,
    open: fn() -> Availability,
}

/// Is a backend there?
#[derive(Clone)]
pub enum Availability {
    /// Yes.
    Ready(Rc<dyn DynBackend>),
    /// No.
    Unavailable {
        /// Why not.
        reason: String,
    },
}

/// All backends.
pub const BACKENDS: &[Entry] = &[
    Entry { name: "cpu", open: || ready(Cpu::new()) },
    Entry { name: "reference", open: || ready(Reference::new()) },
    Entry {
        name: "gpu",
        open: || unavailable("not in this build: no GPU backend has been written yet"),
    },
];

impl Entry {
    /// The backend of this name.
    pub fn find(name: &str) -> Option<&'static Entry> {
        BACKENDS.iter().find(|entry| entry.name == name)
    }

    /// Opens it.
    pub fn open(&self) -> Availability {
        (self.open)()
    }
}

impl Availability {
    /// The backend, if it is there.
    pub fn ready(self) -> Option<Rc<dyn DynBackend>> {
        match self {
            Availability::Ready(backend) => Some(backend),
            Availability::Unavailable { .. } => None,
        }
    }
}

impl fmt::Debug for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Availability::Ready(backend) => f.debug_tuple("Ready").field(&backend.caps()).finish(),
            Availability::Unavailable { reason } => {
                f.debug_struct("Unavailable").field("reason", reason).finish()
            }
        }
    }
}

/// A backend that is there.
pub(crate) fn ready<B: Backend + 'static>(backend: B) -> Availability {
    Availability::Ready(erase(backend).into())
}

fn unavailable(reason: &str) -> Availability {
    Availability::Unavailable { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_is_called_as_it_calls_itself_or_says_why_it_is_not_there() {
        for entry in BACKENDS {
            assert!(Entry::find(entry.name).is_some_and(|found| found.name == entry.name));
            match entry.open() {
                Availability::Ready(backend) => assert_eq!(backend.caps().name, entry.name),
                Availability::Unavailable { reason } => assert!(!reason.is_empty()),
            }
        }
        assert!(Entry::find("abacus").is_none());
    }
}
