//! Optimisation: passes from SIR to SIR.
//!
//! * [`PASSES`] is the list of all passes in the order in which they run; each pass is a file.
//! * [`optimise`] runs the list over a program, [`reoptimise`] over what is new in one that goes on from another
//!   ([`Optimised`]), [`apply`] the passes that are named, in that order.
//!
//! Every pass keeps what a program does: its results, output, traps with their location and values, and the
//! sum of `cost` on every path. The verifier runs behind passes over a routine alone, and after each where it finds
//! a fault, so that a message names the pass at fault ([`Broken`], `group`).
//!
//! Adding a pass: its file here, a line in [`PASSES`], its golden files in `tests/passes`. This crate knows
//! SIR only: no source text, no backend.

mod checks;
mod constants;
mod context;
mod copies;
mod dead;
mod foreach;
mod group;
mod idioms;
mod inline;
mod lift;
mod loops;
mod optimised;
mod pipeline;
mod remark;
mod rewrite;
mod sizes;
mod temporaries;
mod unreachable;

use context::Context;
use star_ir::{Program, RoutineId};

pub use loops::{Loop, loops};
pub use optimised::{Optimised, reoptimise};
pub use pipeline::{ApplyError, Broken, Options, Report, UnknownPass, Verify, apply, optimise};
pub use remark::{LoopOutcome, Remark};

/// How far a pass looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The body of the routine, and the headers of those that it calls. Passes of this kind that stand side by side run
    /// one after the other over a routine, and the verifier looks at what they all have made of it.
    Routine,
    /// The bodies of other routines, too.
    Program,
}

/// A transformation of one routine.
pub struct Pass {
    /// What it is called, in `--passes` and `--no-pass`.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// Does it add places to the program? A session leaves it out.
    adds_locations: bool,
    /// What it looks at, and changes.
    scope: Scope,
    /// Transforms one routine; yields how often it fired. Loops that it looked at are remarked upon.
    run: fn(&mut Program, RoutineId, &mut Context) -> usize,
}

/// All passes in the order in which they run.
pub static PASSES: &[Pass] = &[
    Pass {
        name: "idioms",
        about: "gives routines that are a known algorithm the intrinsic of that",
        adds_locations: false,
        scope: Scope::Program,
        run: idioms::run,
    },
    Pass {
        name: "inline",
        about: "inlining: puts the statements of small routines in the place of calls",
        adds_locations: true,
        scope: Scope::Program,
        run: inline::run,
    },
    Pass {
        name: "constants",
        about: "constant folding and propagation, branches whose test is known",
        adds_locations: false,
        scope: Scope::Routine,
        run: constants::run,
    },
    Pass {
        name: "unreachable",
        about: "unreachable-code elimination: removes statements behind a jump",
        adds_locations: false,
        scope: Scope::Routine,
        run: unreachable::run,
    },
    Pass {
        name: "foreach",
        about: "turns loops that visit the ones of a slice or word into `foreach`",
        adds_locations: false,
        scope: Scope::Routine,
        run: foreach::run,
    },
    Pass {
        name: "checks",
        about: "redundant-check elimination: removes checks that are proven",
        adds_locations: false,
        scope: Scope::Routine,
        run: checks::run,
    },
    Pass {
        name: "sizes",
        about: "removes size operations that change nothing",
        adds_locations: false,
        scope: Scope::Routine,
        run: sizes::run,
    },
    Pass {
        name: "copies",
        about: "copy propagation: uses what was copied instead of the copy",
        adds_locations: false,
        scope: Scope::Routine,
        run: copies::run,
    },
    Pass {
        name: "dead",
        about: "dead-code elimination: removes stores that nothing sees",
        adds_locations: false,
        scope: Scope::Routine,
        run: dead::run,
    },
    Pass {
        name: "lift",
        about: "loop parallelisation: turns loops whose iterations are independent into `forall`",
        adds_locations: false,
        scope: Scope::Routine,
        run: lift::run,
    },
];

impl Pass {
    /// The pass of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str) -> Result<&'static Pass, UnknownPass> {
        let found = PASSES.iter().find(|pass| pass.name == name);
        found.ok_or_else(|| UnknownPass { name: name.to_owned() })
    }
}
