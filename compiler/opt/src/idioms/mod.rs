//! `idioms`: routines that are an algorithm which backends know, letter by letter or in other words, get its intrinsic.
//!
//! An intrinsic stands for the body of its routine wherever the preconditions of the catalogue hold; elsewhere, where a check
//! would fail or memory be refused, the body runs as it is, and traps where it does. So nothing has to be kept
//! beside it, and a pattern has to prove one thing: that under these preconditions the body is the algorithm, traps
//! nowhere, and leaves nothing else behind. Variables of the routine are gone when it ends.
//!
//! Patterns look at what the plain passes make of the routine, on a copy of it, so that it does not count in which words
//! something is said: `closure` at its statements, `min_plus` at its form beside those of known texts. The pass comes first: what has an intrinsic is not inlined.

mod closure;
mod min_plus;
mod textbook;

use star_base::Intrinsic;
use star_ir::{LocId, Mode, Param, Program, Routine, RoutineId, Ty};

use crate::context::Context;
use crate::group;
use crate::remark::Stay;

/// A loop that looks like an algorithm: of a routine with these parameters it would be this intrinsic.
struct Likeness {
    /// The location of the loop.
    loc: LocId,
    intrinsic: Intrinsic,
    /// What it becomes, for the remark; or which condition it fails on.
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

/// Does a routine take a number by value and a table by reference, and nothing else?
fn takes_number_and_table(routine: &Routine) -> Option<(Param, Param)> {
    let [number, table] = routine.params[..] else { return None };
    let fits = number.mode == Mode::Value
        && routine.var(number.var).ty == Ty::Int
        && table.mode == Mode::Ref
        && matches!(routine.var(table.var).ty, Ty::Table(..))
        && routine.result.is_none();
    fits.then_some((number, table))
}
