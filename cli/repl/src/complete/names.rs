//! Names for completion.

use std::collections::BTreeMap;

/// The names known to a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Variables and constants.
    pub values: Vec<String>,
    /// The fields of variables that are tables of records.
    pub fields: BTreeMap<String, Vec<String>>,
    /// Callable routines.
    pub routines: Vec<Signature>,
    /// Routines of modules that are not imported, with the module, `star:` included.
    pub unimported: Vec<(Signature, String)>,
    /// Modules of the library, `star:` included.
    pub modules: Vec<String>,
    /// Layouts, for the last argument of `read`.
    pub layouts: Vec<String>,
    /// Backends.
    pub backends: Vec<String>,
}

/// A routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// Its parameters as declared, on one line: `(n: integer; var P: table)`.
    pub params: String,
}

/// Access to folders.
pub trait Files {
    /// Returns the names in a folder, those of folders followed by `/`, in any order; none if it
    /// cannot be read. The empty name is the current folder.
    fn names_in(&self, folder: &str) -> Vec<String>;
}
