//! Optimisation: passes from SIR to SIR.
//!
//! * [`PASSES`] is the list of all passes in execution order; each pass is a file.
//! * [`optimise`] runs the list over a program, [`reoptimise`] over the new routines of a program
//!   that extends another one ([`Optimised`]), [`apply`] the named passes, in that order.
//!
//! Every pass preserves the behaviour of a program: its results, output, traps with their location
//! and values, and the sum of `cost` on every path. The verifier runs after passes over a single
//! routine, and after each pass if it finds a fault, so that a message names the pass at fault
//! ([`Broken`], `group`).
//!
//! Adding a pass: its file here, a line in [`PASSES`], its golden files in `tests/passes`. This
//! crate depends only on SIR: no source text, no backend.

mod checks;
mod constants;
mod context;
mod copies;
mod dead;
mod foreach;
mod group;
mod idioms;
mod inline;
mod kernels;
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

pub use loops::{Loop, loops, plan};
pub use optimised::{Optimised, reoptimise};
pub use pipeline::{ApplyError, Broken, Options, Report, UnknownPass, Verify, apply, optimise};
pub use remark::{LoopOutcome, Remark};

/// The scope of a pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The body of the routine, and the headers of those that it calls. Adjacent passes of this
    /// kind run in sequence over a routine, and the verifier checks their combined result.
    Routine,
    /// Also the bodies of other routines.
    Program,
}

/// A transformation of one routine.
pub struct Pass {
    /// Its name in `--passes` and `--no-pass`.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// Whether it adds locations to the program. A session omits it.
    adds_locations: bool,
    /// The routines that it reads and changes.
    scope: Scope,
    /// Transforms one routine; returns the number of times it fired. Examined loops get remarks.
    run: fn(&mut Program, RoutineId, &mut Context) -> usize,
}

/// All passes in execution order.
pub static PASSES: &[Pass] = &[
    Pass {
        name: "idioms",
        about: "idiom recognition: tags routines that implement a known algorithm with its \
            intrinsic",
        adds_locations: false,
        scope: Scope::Program,
        run: idioms::run,
    },
    Pass {
        name: "inline",
        about: "inlining: replaces calls of small routines by their statements",
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
        about: "unreachable-code elimination: removes statements after a jump",
        adds_locations: false,
        scope: Scope::Routine,
        run: unreachable::run,
    },
    Pass {
        name: "foreach",
        about: "rewrites loops that visit the ones of a slice or word as `foreach`",
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
        about: "copy propagation: uses the original instead of the copy",
        adds_locations: false,
        scope: Scope::Routine,
        run: copies::run,
    },
    Pass {
        name: "dead",
        about: "dead-code elimination: removes stores that are never read",
        adds_locations: false,
        scope: Scope::Routine,
        run: dead::run,
    },
    Pass {
        name: "lift",
        about: "loop parallelisation: rewrites loops with independent iterations as `forall`",
        adds_locations: false,
        scope: Scope::Routine,
        run: lift::run,
    },
    Pass {
        name: "kernels",
        about: "states each `forall` over lines and `for` over columns as data flow, a kernel",
        adds_locations: false,
        scope: Scope::Routine,
        run: kernels::run,
    },
];

impl Pass {
    /// Returns the pass with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str) -> Result<&'static Pass, UnknownPass> {
        // The name of the pass in earlier versions.
        let name = if name == "responders" { "foreach" } else { name };
        let found = PASSES.iter().find(|pass| pass.name == name);
        found.ok_or_else(|| UnknownPass { name: name.to_owned() })
    }
}
