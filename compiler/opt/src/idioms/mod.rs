//! `idioms`: recognises routines that implement a known algorithm, verbatim or in a variant, and
//! tags them with its intrinsic.
//!
//! An intrinsic replaces the body of its routine wherever the preconditions of the catalogue hold;
//! elsewhere, where a check would fail or memory be refused, the body runs unchanged and traps at
//! its checks. So no other code needs to be kept, and a pattern must prove one thing: that under
//! these preconditions the body is the algorithm, never traps, and has no other effects. Variables
//! of the routine are dropped when it ends.
//!
//! Patterns examine the routine after normalisation by the simple passes, on a copy of it, so that
//! different formulations are equivalent: `closure` examines its statements, `min_plus` compares
//! its form with those of known variants. The pass runs first: routines with an intrinsic are not
//! inlined.

mod closure;
mod min_plus;
mod textbook;

use star_base::Intrinsic;
use star_ir::{LocId, Mode, Param, Program, Routine, RoutineId, Ty};

use crate::context::Context;
use crate::group;
use crate::remark::Stay;

/// A loop similar to an algorithm: in a routine with these parameters it would be this intrinsic.
struct Likeness {
    /// The location of the loop.
    loc: LocId,
    intrinsic: Intrinsic,
    /// The result of the transformation, for the remark, or the condition that fails.
    found: Result<String, Stay>,
}

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    let Some(routine) = program.routines.get(id.0 as usize) else { return 0 };
    if routine.intrinsic.is_some() {
        return 0;
    }
    let found = if closure::may_be(routine) {
        let mut copy = program.clone();
        context.n_verified += group::plain(&mut copy, id);
        closure::find(copy.routine(id))
    } else if min_plus::may_be(routine) {
        min_plus::find(program, id)
    } else {
        None
    };
    let Some(Likeness { loc, intrinsic, found }) = found else { return 0 };
    match found {
        Ok(form) => {
            program.routine_mut(id).intrinsic = Some(intrinsic);
            context.whole(id, loc, form);
            1
        }
        Err(stay) => {
            context.stayed_for(id, loc, stay);
            0
        }
    }
}

/// Returns the parameters if a routine has only a number by value and a table by reference.
fn takes_number_and_table(routine: &Routine) -> Option<(Param, Param)> {
    let [number, table] = routine.params[..] else { return None };
    let fits = number.mode == Mode::Value
        && routine.var(number.var).ty == Ty::Int
        && table.mode == Mode::Ref
        && matches!(routine.var(table.var).ty, Ty::Table(..))
        && routine.result.is_none();
    fits.then_some((number, table))
}
