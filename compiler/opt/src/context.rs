//! What a pass is given beside the program: when the verifier looks at what it makes, and a place for its remarks.

use star_ir::{LocId, RoutineId};

use crate::remark::{LoopOutcome, Remark, Stay};

/// When the verifier looks for the guards of a routine that was rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guards {
    /// After each rewrite, which is taken back where one is not found.
    AtOnce,
    /// After all passes of a group ([`crate::group`]).
    Later,
}

/// The run of a pass.
pub(crate) struct Context {
    /// Name of the pass.
    pub(crate) pass: &'static str,
    pub(crate) guards: Guards,
    /// Was a routine rewritten and not looked at?
    pub(crate) is_unverified: bool,
    /// How often the verifier looked for the guards of a routine.
    pub(crate) n_verified: usize,
    /// What passes had to say about loops.
    pub(crate) remarks: Vec<Remark>,
}

impl Context {
    pub(crate) fn new(pass: &'static str, guards: Guards) -> Self {
        Context { pass, guards, is_unverified: false, n_verified: 0, remarks: Vec::new() }
    }

    /// A loop of the routine became something else.
    pub(crate) fn became(&mut self, routine: RoutineId, loc: LocId, form: impl Into<String>) {
        self.remark(routine, loc, LoopOutcome::Became(form.into()), None);
    }

    /// A loop of the routine is this as a whole, under conditions that the form names.
    pub(crate) fn whole(&mut self, routine: RoutineId, loc: LocId, form: impl Into<String>) {
        self.remark(routine, loc, LoopOutcome::Whole(form.into()), None);
    }

    /// A loop of the routine stays as it is, because of something in its body.
    pub(crate) fn stayed_for(&mut self, routine: RoutineId, loc: LocId, Stay { why, at }: Stay) {
        self.remark(routine, loc, LoopOutcome::Stayed(why), at);
    }

    /// A loop of the routine stays as it is.
    pub(crate) fn stayed(&mut self, routine: RoutineId, loc: LocId, why: impl Into<String>) {
        self.remark(routine, loc, LoopOutcome::Stayed(why.into()), None);
    }

    fn remark(&mut self, routine: RoutineId, loc: LocId, outcome: LoopOutcome, at: Option<LocId>) {
        self.remarks.push(Remark { pass: self.pass, routine, loc, outcome, at });
    }
}
