//! What can be completed: the names that a session knows.

/// The names that a session knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Variables and constants.
    pub values: Vec<String>,
    /// Routines that can be called.
    pub routines: Vec<Signature>,
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

/// Folders to look into.
pub trait Files {
    /// The names in a folder, those of folders with a `/` behind them, in any order; none if it cannot be
    /// read. The empty name is the folder at hand.
    fn names_in(&self, folder: &str) -> Vec<String>;
}

/// The keywords, as the formatter spells them.
pub(super) const KEYWORDS: &[&str] = &[
    "and",
    "begin",
    "boolean",
    "const",
    "div",
    "do",
    "downto",
    "else",
    "end",
    "false",
    "for",
    "foreach",
    "function",
    "if",
    "import",
    "in",
    "integer",
    "mod",
    "not",
    "or",
    "procedure",
    "program",
    "repeat",
    "slice",
    "string",
    "table",
    "then",
    "to",
    "true",
    "until",
    "var",
    "while",
    "word",
    "xor",
];
