//! Remarks: what became of the loops that passes look at, and why not more, in the words of the source.

use star_ir::{LocId, Routine, RoutineId, VarId};

/// What a pass has to say about a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Name of the pass.
    pub pass: &'static str,
    /// The routine of the loop.
    pub routine: RoutineId,
    /// The location of the loop, which it keeps through all passes.
    pub loc: LocId,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This, as `a foreach`.
    Became(String),
    /// This, as a whole; the loop is kept for where that cannot be, and what becomes of it is of less interest.
    Whole(String),
    /// It stays, because of this condition, as "`X` is read in its body".
    Stayed(String),
}

/// Remarks of the pass that runs.
pub(crate) struct Remarks<'r> {
    pub(crate) pass: &'static str,
    pub(crate) all: &'r mut Vec<Remark>,
}

impl Remarks<'_> {
    /// A loop of the routine became something else.
    pub(crate) fn became(&mut self, routine: RoutineId, loc: LocId, form: impl Into<String>) {
        let (pass, outcome) = (self.pass, Outcome::Became(form.into()));
        self.all.push(Remark { pass, routine, loc, outcome });
    }

    /// A loop of the routine is this as a whole, under conditions that the form names.
    pub(crate) fn whole(&mut self, routine: RoutineId, loc: LocId, form: impl Into<String>) {
        let (pass, outcome) = (self.pass, Outcome::Whole(form.into()));
        self.all.push(Remark { pass, routine, loc, outcome });
    }

    /// A loop of the routine stays as it is.
    pub(crate) fn stayed(&mut self, routine: RoutineId, loc: LocId, why: impl Into<String>) {
        let (pass, outcome) = (self.pass, Outcome::Stayed(why.into()));
        self.all.push(Remark { pass, routine, loc, outcome });
    }
}

/// What the source calls a variable, for a remark.
pub(crate) fn name(routine: &Routine, var: VarId) -> String {
    match routine.source_name(var) {
        Some(name) => format!("`{name}`"),
        None => "a value in between".to_owned(),
    }
}
