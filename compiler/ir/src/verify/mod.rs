//! The verifier: the rules that every program satisfies, after lowering and after every pass.
//!
//! Numbers (`ids`; if one of these fails, no other rule is checked):
//!  1. Routines, variables and locations that are named exist; blocks nest at most [`MAX_DEPTH`]
//!     deep. A location names variables of one routine, each once; the calls that it was inlined
//!     through are at locations of the source.
//!  2. Labels and variable names are unique in their routine; parameters are different variables,
//!     and the result is none of them.
//!
//! Types (`types`):
//!  3. Operands and destinations have the kinds that the operation or statement requires; strings
//!     are only copied, printed, passed on, or used as file names and messages. A loop variable is
//!     an `int`. A table with an extent of columns gets no others.
//!  4. A call has an argument per parameter, of its mode and kind; its destination has the kind of
//!     the callee's result. `check result` names the result of its routine; `no_carry` adds or
//!     subtracts. A routine with an intrinsic has the parameters of the catalogue.
//!
//! Structure (`flow`):
//!  5. `break` names an enclosing block or sequential loop, `continue` an enclosing loop; neither
//!     leaves a `forall`, nor does `exit`. `continue` may name the `forall` itself.
//!  6. The body of a `for`, `foreach` or `forall` does not write the loop variable; that of a
//!     `foreach` does not write the set that it visits.
//!  7. An argument by reference is not also another argument of the call, nor is a moved one; `ref`
//!     parameters are not moved.
//!  8. A variable used as an extent is an `int`: a value parameter that is never assigned, or a
//!     variable assigned by one `=` with an operation, or only by `latch`; `unset` does not count,
//!     nor does being a private of a `forall`.
//!
//! Parallel loops (`parallel`):
//!  9. A `forall` writes only its privates, the parts it declares (at the index that is its
//!     variable, in a field anywhere) and its reductions, these only as `dst = op dst, x`, for
//!     `min` and `max` as `dst = copy x`; it reads them only there, for `min` and `max` also in
//!     comparisons. No input, output, lending of shared variables. Variable, privates, parts,
//!     reductions are different.
//!
//! Kernels (`kernels`):
//! 10. The values of a kernel are computed from earlier ones of the right kinds; what is read from
//!     outside and what the guards name is the same in all iterations. The fallback is one
//!     `forall`, which declares the effects, or one `for`, which makes them; it contains no
//!     kernel. In order (Note [Kernels in order] in `kernel`), numbers are linear in the index,
//!     columns have the index plus a number, and a table that is stored to has one in each
//!     iteration.
//!
//! Guards (`guards`; only if nothing above failed; see Note \[Guards\] in the crate's head):
//! 11. A variable that is read is set; at an `exit` or the end of a routine, the result is set, and
//!     so are the `ref` parameters that it promises to set.
//! 12. The guard of an operation holds at its place, by a preceding check or by assignments.
//!
//! The extents of parameters are trusted there: the checks of the header establish them. A sum
//! reduced in a `forall` needs no check against overflow: the pass that parallelised it has proven
//! it.

mod flow;
mod guards;
mod ids;
mod kernels;
mod parallel;
mod types;

use std::collections::BTreeMap;
use std::fmt;

pub use crate::parse::MAX_DEPTH;
use crate::print;
use crate::program::{LocId, Program, Routine, RoutineId, Ty, VarId};
use crate::stmt::Stmt;

/// A violated rule and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The routine.
    pub routine: RoutineId,
    /// The first line of the statement as text; the routine's name if no statement is concerned.
    pub statement: String,
    /// The message.
    pub message: String,
    /// The variables of a guard that is not established.
    pub vars: Vec<VarId>,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "routine {}: `{}`: {}", self.routine.0, self.statement, self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Checks the rules in the documentation of this module.
///
/// # Errors
/// Returns every violation, in the order of the text; later rules are only checked where the
/// earlier ones hold.
pub fn verify(program: &Program) -> Result<(), Vec<VerifyError>> {
    let all: Vec<RoutineId> = (0..).map(RoutineId).take(program.routines.len()).collect();
    verify_routines(program, &all)
}

/// Checks the rules for these routines, in a program whose other routines satisfy them.
///
/// # Errors
/// As for [`verify`].
pub fn verify_routines(program: &Program, ids: &[RoutineId]) -> Result<(), Vec<VerifyError>> {
    let mut checker = Checker { program, ids, errors: Vec::new(), owners: BTreeMap::new() };
    checker.each(ids::check);
    if checker.errors.is_empty() {
        checker.each(|routine| {
            types::check(routine);
            flow::check(routine);
            parallel::check(routine);
            kernels::check(routine);
        });
    }
    if checker.errors.is_empty() {
        checker.each(guards::check);
    }
    if checker.errors.is_empty() { Ok(()) } else { Err(checker.errors) }
}

/// Checks rules 11 to 13 for one routine of a verified program, after a rewrite of it.
///
/// # Errors
/// Returns the variables of each guard that is not established. There may be one for every
/// statement, and a pass that reverts a rewrite shows none of them, so there are no messages.
pub fn verify_guards(program: &Program, id: RoutineId) -> Result<(), Vec<Vec<VarId>>> {
    let mut errors = Vec::new();
    let mut owners = BTreeMap::new();
    let (routine, wording) = (program.routine(id), Wording::LeftOut);
    let (errors_of, owners) = (&mut errors, &mut owners);
    guards::check(&mut Subject { program, id, routine, wording, errors: errors_of, owners });
    if errors.is_empty() {
        return Ok(());
    }
    Err(errors.into_iter().map(|error| error.vars).collect())
}

/// Whether faults get messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wording {
    /// With messages.
    Full,
    /// Only the variables are needed.
    LeftOut,
}

struct Checker<'a> {
    program: &'a Program,
    ids: &'a [RoutineId],
    errors: Vec<VerifyError>,
    /// The routine whose variables a location names.
    owners: BTreeMap<LocId, RoutineId>,
}

impl<'a> Checker<'a> {
    fn each(&mut self, mut rules: impl FnMut(&mut Subject<'a, '_>)) {
        for &id in self.ids {
            rules(&mut Subject {
                program: self.program,
                id,
                routine: self.program.routine(id),
                wording: Wording::Full,
                errors: &mut self.errors,
                owners: &mut self.owners,
            });
        }
    }
}

/// The routine being verified.
struct Subject<'a, 'e> {
    program: &'a Program,
    id: RoutineId,
    routine: &'a Routine,
    wording: Wording,
    errors: &'e mut Vec<VerifyError>,
    owners: &'e mut BTreeMap<LocId, RoutineId>,
}

impl Subject<'_, '_> {
    /// Reports a violated rule, at a statement or in the header.
    fn fault(&mut self, stmt: Option<&Stmt>, message: impl Into<String>) {
        let statement = match stmt {
            _ if self.wording == Wording::LeftOut => String::new(),
            Some(stmt) => print::print_statement(self.program, self.id, stmt),
            None => self.routine.name.clone(),
        };
        let (routine, message) = (self.id, message.into());
        self.errors.push(VerifyError { routine, statement, message, vars: Vec::new() });
    }

    /// Returns the name of a variable, for messages.
    fn name(&self, var: VarId) -> String {
        match self.routine.vars.get(var.0 as usize) {
            Some(var) => format!("`%{}`", var.name),
            None => format!("`#{}`", var.0),
        }
    }

    fn ty(&self, var: VarId) -> Ty {
        self.routine.var(var).ty
    }
}
