//! Description of a compiled program, as data; the command line formats it.

use star_ir::{LocId, RoutineId};

/// How a program was compiled, in the order of its routines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The decisions.
    pub items: Vec<Item>,
    /// The exchanges of outermost loops on several ranks.
    pub exchanges: Vec<LoopExchanges>,
}

/// The exchanges of the iterations of an outermost loop, if its slices and tables are distributed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopExchanges {
    /// The routine with the loop.
    pub routine: RoutineId,
    /// The loop.
    pub loc: LocId,
    /// The operations that exchange once in each iteration that reaches them, with their places.
    pub each: Vec<(&'static str, LocId)>,
    /// The operations in inner loops.
    pub inner: Vec<(&'static str, LocId)>,
}

/// One decision of a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The subject.
    pub subject: Subject,
    /// The routine to which it belongs; `None` if it concerns the whole program.
    pub routine: Option<RoutineId>,
    /// The statement, if it concerns one.
    pub loc: Option<LocId>,
    /// The result.
    pub became: Became,
}

/// The subject of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The whole program.
    Program,
    /// The computing device: kernels, an adapter.
    Device,
    /// Threads of the host.
    Threads,
    /// A routine.
    Routine,
    /// A library routine that has an intrinsic.
    Intrinsic,
    /// A loop.
    Loop,
    /// A sequence of operations on slices.
    Slices,
    /// A table argument of the entry.
    Table,
    /// An exchange between ranks.
    Exchange,
}

impl Subject {
    /// Returns the name, for text and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Program => "program",
            Subject::Device => "device",
            Subject::Threads => "threads",
            Subject::Routine => "routine",
            Subject::Intrinsic => "intrinsic",
            Subject::Loop => "loop",
            Subject::Slices => "slices",
            Subject::Table => "table",
            Subject::Exchange => "exchange",
        }
    }
}

/// How a subject was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    /// In this form.
    Form(String),
    /// Exactly as written: the backend could not improve it, or was configured not to.
    AsWritten {
        /// The reason.
        why: String,
    },
}

impl Explanation {
    /// Adds an item about the whole program.
    pub fn whole(&mut self, subject: Subject, form: impl Into<String>) {
        let became = Became::Form(form.into());
        self.items.push(Item { subject, routine: None, loc: None, became });
    }
}
