//! Incremental optimisation of programs that extend one another, such as the lines of a session:
//! each routine is optimised once.

use std::sync::Arc;

use star_ir::{Program, RoutineId};

use crate::pipeline::run;
use crate::{Broken, Options};

/// A program before and after passes.
#[derive(Debug)]
pub struct Optimised {
    before: Program,
    after: Program,
    options: Options,
    n_kept: usize,
}

impl Optimised {
    /// Returns the program after passes.
    pub fn program(&self) -> &Program {
        &self.after
    }

    /// Returns the number of optimised routines that were reused.
    pub fn n_kept(&self) -> usize {
        self.n_kept
    }
}

/// Runs all passes that are not disabled over the routines of `program` that `earlier` does not
/// share. A shared routine reuses its optimised form: passes may have examined its callees, but
/// these are shared, too (Note [Shared routines] in star-ir). Passes that add locations do not run:
/// the next program has others under their numbers.
///
/// # Errors
/// If a routine does not verify after a pass: a fault of that pass.
pub fn reoptimise(
    program: Program,
    options: &Options,
    earlier: Option<&Optimised>,
) -> Result<Optimised, Broken> {
    let earlier = earlier.filter(|earlier| earlier.options == *options);
    let mut after = program.clone();
    let mut new = Vec::new();
    for (id, routine) in (0..).map(RoutineId).zip(&mut after.routines) {
        match earlier.filter(|earlier| program.shares(&earlier.before, id)) {
            Some(earlier) => *routine = Arc::clone(&earlier.after.routines[id.0 as usize]),
            None => new.push(id),
        }
    }
    let n_kept = after.routines.len() - new.len();
    let passes = options.passes().filter(|pass| !pass.adds_locations);
    run(&mut after, &new, passes, options.verify)?;
    Ok(Optimised { before: program, after, options: options.clone(), n_kept })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_routines_that_are_not_shared_are_optimised() {
        let routine = |id: u32, name: &str, body: &str| {
            format!(
                "routine {id} \"{name}\" (value %n: int) !0 {{\n{body}  exit !0\n  print %n !0\n}}\n"
            )
        };
        let locations = "locations {\n  !0 = 0:0..1\n}\n";
        let text = routine(0, "F", "") + &routine(1, "G", "  call 0 (value %n) !0\n") + locations;
        let first = star_ir::parse(&text).expect("SIR");
        let options = Options::default();
        let made = reoptimise(first.clone(), &options, None).expect("verifies");
        let mut whole = first.clone();
        let without = Options::without(&["inline"]).expect("a pass");
        crate::optimise(&mut whole, &without).expect("verifies");
        assert_eq!((made.n_kept(), made.program()), (0, &whole));

        let mut next = first.clone();
        next.push((*first.routines[1]).clone());
        let next = reoptimise(next, &options, Some(&made)).expect("verifies");
        assert_eq!(next.n_kept(), 2);
        assert!((0..2).all(|id| next.program().shares(made.program(), RoutineId(id))));
        assert_eq!(next.program().routines[2], whole.routines[1]);

        let others = Options::without(&["unreachable"]).expect("a pass");
        assert_eq!(reoptimise(first, &others, Some(&made)).expect("verifies").n_kept(), 0);
    }
}
