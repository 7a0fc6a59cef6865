//! `idioms`: routines that are an algorithm which backends know, letter by letter or in other words, get its native.
//!
//! A native stands for the body of its routine wherever the preconditions of the catalogue hold; elsewhere, where a check
//! would fail or memory be refused, the body runs as it is, and traps where it does. So nothing has to be kept
//! beside it, and a pattern has to prove one thing: that under these preconditions the body is the algorithm, traps
//! nowhere, and leaves nothing else behind. Variables of the routine are gone when it ends.
//!
//! Patterns look at what the plain passes make of the routine, on a copy of it, so that it does not count in which words
//! something is said. The pass comes first: what has a native is not inlined.

mod closure;

use star_base::Native;
use star_ir::{LocId, Mode, Param, Program, Routine, RoutineId, Ty};

use crate::remark::Remarks;
use crate::{checks, constants, copies, dead, responders, sizes, unreachable};

/// What makes one form of many.
const PLAIN: [fn(&mut Program, RoutineId, &mut Remarks) -> usize; 7] = [
    constants::run,
    unreachable::run,
    responders::run,
    checks::run,
    sizes::run,
    copies::run,
    dead::run,
];

/// A loop that looks like an algorithm: of a routine with these parameters it would be this native.
struct Likeness {
    /// The location of the loop.
    loc: LocId,
    native: Native,
    /// What it becomes, for the remark; or which condition it fails on.
    found: Result<String, String>,
}

pub(crate) fn run(program: &mut Program, id: RoutineId, remarks: &mut Remarks) -> usize {
    let Some(routine) = program.routines.get(id.0 as usize) else { return 0 };
    if routine.native.is_some() || !closure::may_be(routine) {
        return 0;
    }
    let mut plain = program.clone();
    let mut unheard = Vec::new();
    for pass in PLAIN {
        pass(&mut plain, id, &mut Remarks { pass: remarks.pass, all: &mut unheard });
    }
    let Some(Likeness { loc, native, found }) = closure::find(plain.routine(id)) else { return 0 };
    match found {
        Ok(form) => {
            program.routine_mut(id).native = Some(native);
            remarks.whole(id, loc, form);
            1
        }
        Err(why) => {
            remarks.stayed(id, loc, why);
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
