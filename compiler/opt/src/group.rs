//! Runs groups of adjacent passes over one routine, followed by the verifier.
//!
//! The verifier would dominate the time of most passes: it checks every operation of a routine, and
//! nearly every pass changes something. A pass is correct by its own proofs, so a guard that the
//! verifier cannot establish is not a wrong result but one that cannot be shown. So it runs once,
//! after all passes of the group. If it cannot establish a guard, the routine is reverted and the
//! passes run again, with verification after each rewrite.

use star_ir::{Program, RoutineId, verify_guards, verify_routines};

use crate::context::{Context, Guards};
use crate::pipeline::{Broken, Verify};
use crate::remark::Remark;
use crate::{PASSES, Pass, Scope, kernels};

/// The result of a group of passes.
#[derive(Default)]
pub(crate) struct Done {
    /// The number of times each pass fired, in the order of the group.
    pub(crate) fired: Vec<usize>,
    pub(crate) remarks: Vec<Remark>,
    /// The number of times that the verifier checked the guards of the routine on behalf of a pass.
    pub(crate) n_verified: usize,
    is_unverified: bool,
}

/// Returns whether these passes can be in one group.
pub(crate) fn go_together(one: &Pass, next: &Pass) -> bool {
    one.scope == Scope::Routine && next.scope == Scope::Routine
}

/// Runs a group of passes over a routine.
///
/// # Errors
/// If the routine does not verify after a pass of scope [`Scope::Routine`].
pub(crate) fn run(
    program: &mut Program,
    id: RoutineId,
    group: &[&'static Pass],
    verify: Verify,
) -> Result<Done, Broken> {
    let Some(before) = program.routines.get(id.0 as usize).cloned() else {
        return Ok(Done { fired: vec![0; group.len()], ..Done::default() });
    };
    if group.iter().any(|pass| pass.scope == Scope::Program) {
        return one_by_one(program, id, group, Guards::AtOnce, Verify::Never);
    }
    let done = one_by_one(program, id, group, Guards::Later, Verify::Never)?;
    let n_verified = done.n_verified + usize::from(done.is_unverified);
    let has_guards = !done.is_unverified || verify_guards(program, id).is_ok();
    let keeps_rules = match verify {
        Verify::EachPass => has_guards && verify_routines(program, &[id]).is_ok(),
        Verify::Never => has_guards,
    };
    if keeps_rules {
        return Ok(Done { n_verified, ..done });
    }
    program.routines[id.0 as usize] = before;
    let again = one_by_one(program, id, group, Guards::AtOnce, verify)?;
    Ok(Done { n_verified: n_verified + again.n_verified, ..again })
}

fn one_by_one(
    program: &mut Program,
    id: RoutineId,
    group: &[&'static Pass],
    guards: Guards,
    verify: Verify,
) -> Result<Done, Broken> {
    let mut done = Done::default();
    for pass in group {
        kernels::discard(program, id);
        let mut context = Context::new(pass.name, guards);
        done.fired.push((pass.run)(program, id, &mut context));
        done.remarks.append(&mut context.remarks);
        done.n_verified += context.n_verified;
        done.is_unverified |= context.is_unverified;
        match verify {
            Verify::EachPass => verify_routines(program, &[id])
                .map_err(|errors| Broken { pass: pass.name, errors })?,
            Verify::Never => {}
        }
    }
    Ok(done)
}

/// Normalises a routine: runs the passes before `lift` that need only the routine over one of a
/// copy of a program. Returns the number of times that the verifier checked its guards.
pub(crate) fn plain(program: &mut Program, id: RoutineId) -> usize {
    let before_lift = PASSES.iter().take_while(|pass| pass.name != "lift");
    let plain: Vec<&Pass> = before_lift.filter(|pass| pass.scope == Scope::Routine).collect();
    run(program, id, &plain, Verify::Never).map_or(0, |done| done.n_verified)
}

#[cfg(test)]
mod tests {
    use star_ir::{Simple, StmtKind};

    use super::*;
    use crate::rewrite::guarded;
    use crate::{Options, optimise};

    const F: RoutineId = RoutineId(0);

    fn program(body: &str) -> Program {
        let text = format!(
            "routine 0 \"F\" (value %n: int, ref %x: int) !0 {{\n  var %a: int\n  var %b: int\n{body}}}\n\
             locations {{\n  !0 = 0:0..1\n}}\n"
        );
        star_ir::parse(&text).expect("SIR")
    }

    /// Work for `constants`, `checks`, `copies` and `dead`.
    const MUCH: &str = "  %a = copy 1 !0\n  check add %a, 2 !0\n  %a = add %a, 2 !0\n  \
                        %b = copy %a !0\n  %x = copy %b !0\n";

    #[test]
    fn one_verification_follows_all_passes_unless_nothing_changed() {
        let never = Options { verify: Verify::Never, ..Options::default() };
        let report = optimise(&mut program(MUCH), &never).expect("trusted");
        let fired = report.fired.iter().filter(|(_, count)| *count > 0).count();
        assert!(fired >= 3, "{:?}", report.fired);
        assert_eq!(report.n_verified, 1);
        let report = optimise(&mut program("  print %n !0\n"), &never).expect("trusted");
        assert_eq!(report.n_verified, 0);
    }

    /// Removes all checks, including those that the verifier needs.
    static CARELESS: Pass = Pass {
        name: "careless",
        about: "removes all checks",
        adds_locations: false,
        scope: Scope::Routine,
        run: |program, id, context| {
            guarded(program, id, context, |routine| {
                let n_before = routine.body.len();
                routine
                    .body
                    .retain(|stmt| !matches!(stmt.kind, StmtKind::Simple(Simple::Check(_))));
                n_before - routine.body.len()
            })
        },
    };

    #[test]
    fn unverifiable_rewrite_is_reverted_and_others_stay() {
        let body = "  check add %n, 2 !0\n  %x = add %n, 2 !0\n  exit !0\n  print %n !0\n";
        let unreachable = Pass::find("unreachable").expect("a pass");
        for verify in [Verify::Never, Verify::EachPass] {
            let mut program = program(body);
            let done = run(&mut program, F, &[&CARELESS, unreachable], verify).expect("verifies");
            assert_eq!((done.fired, done.n_verified), (vec![0, 1], 2));
            assert_eq!(program.routine(F).body.len(), 3);
        }
    }
}
