//! The context of a pass: the time of verification and the collected remarks.

use star_ir::{LocId, RoutineId};

use crate::remark::{LoopOutcome, Remark, Stay};

/// When the verifier checks the guards of a rewritten routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guards {
    /// After each rewrite, which is reverted if a guard is not established.
    AtOnce,
    /// After all passes of a group ([`crate::group`]).
    Later,
}

/// The context of one run of a pass.
pub(crate) struct Context {
    /// Name of the pass.
    pub(crate) pass: &'static str,
    pub(crate) guards: Guards,
    /// Whether a routine was rewritten and not yet verified.
    pub(crate) is_unverified: bool,
    /// The number of times that the verifier checked the guards of a routine.
    pub(crate) n_verified: usize,
    /// Remarks of passes about loops.
    pub(crate) remarks: Vec<Remark>,
}

impl Context {
    pub(crate) fn new(pass: &'static str, guards: Guards) -> Self {
        Context { pass, guards, is_unverified: false, n_verified: 0, remarks: Vec::new() }
    }

    /// Records that a loop of the routine was transformed.
    pub(crate) fn became(&mut self, routine: RoutineId, loc: LocId, form: impl Into<String>) {
        self.remark(routine, loc, LoopOutcome::Became(form.into()), None);
    }

    /// Records that a loop of the routine as a whole is this, under conditions that the form names.
    pub(crate) fn whole(&mut self, routine: RoutineId, loc: LocId, form: impl Into<String>) {
        self.remark(routine, loc, LoopOutcome::Whole(form.into()), None);
    }

    /// Records that a loop of the routine is unchanged because of something in its body.
    pub(crate) fn stayed_for(&mut self, routine: RoutineId, loc: LocId, Stay { why, at }: Stay) {
        self.remark(routine, loc, LoopOutcome::Stayed(why), at);
    }

    /// Records that a loop of the routine is unchanged.
    pub(crate) fn stayed(&mut self, routine: RoutineId, loc: LocId, why: impl Into<String>) {
        self.remark(routine, loc, LoopOutcome::Stayed(why.into()), None);
    }

    fn remark(&mut self, routine: RoutineId, loc: LocId, outcome: LoopOutcome, at: Option<LocId>) {
        self.remarks.push(Remark { pass: self.pass, routine, loc, outcome, at });
    }
}
