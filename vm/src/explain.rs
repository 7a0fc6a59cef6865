//! What a backend made of a program, as data; the command line words it.

use star_ir::{LocId, RoutineId};

/// What became of a program, in the order of its routines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// What there is to say.
    pub items: Vec<Item>,
}

/// One thing that a backend decided about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is about.
    pub subject: Subject,
    /// The routine that it belongs to; `None` if it is about the whole program.
    pub routine: Option<RoutineId>,
    /// The statement, if it is about one.
    pub loc: Option<LocId>,
    /// What became of it.
    pub became: Became,
}

/// What an item is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// All of the program.
    Program,
    /// What computes: kernels, an adapter.
    Device,
    /// Threads of the host.
    Threads,
    /// A routine.
    Routine,
    /// A library routine that has an intrinsic.
    Intrinsic,
    /// A `for`.
    Loop,
    /// A `forall`.
    Forall,
    /// A tile kernel.
    Tile,
    /// A run of operations on slices.
    Slices,
    /// A table that the entry is given.
    Table,
}

impl Subject {
    /// Its name, in text and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Program => "program",
            Subject::Device => "device",
            Subject::Threads => "threads",
            Subject::Routine => "routine",
            Subject::Intrinsic => "intrinsic",
            Subject::Loop => "loop",
            Subject::Forall => "forall",
            Subject::Tile => "tile",
            Subject::Slices => "slices",
            Subject::Table => "table",
        }
    }
}

/// What became of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    /// This.
    Form(String),
    /// Nothing but what was written: the backend could not, or was told not to, do better.
    AsWritten {
        /// Why.
        why: String,
    },
}

impl Explanation {
    /// An item about the whole program.
    pub fn whole(&mut self, subject: Subject, form: impl Into<String>) {
        let became = Became::Form(form.into());
        self.items.push(Item { subject, routine: None, loc: None, became });
    }
}
