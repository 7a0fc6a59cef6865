//! The pass pipeline, with the verifier after each pass.

use std::collections::BTreeSet;
use std::fmt;

use star_base::did_you_mean;
use star_ir::{Program, RoutineId, Simple, StmtKind, VerifyError, visit};

use crate::group::{self, Done};
use crate::remark::Remark;
use crate::{PASSES, Pass, Scope};

/// Options of the optimiser.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Names of passes that do not run.
    pub disabled: Vec<String>,
    /// When the verifier runs.
    pub verify: Verify,
}

impl Options {
    /// Enables every pass except the named ones.
    ///
    /// # Errors
    /// If a name is not that of a pass.
    pub fn without(names: &[impl AsRef<str>]) -> Result<Self, UnknownPass> {
        let disabled = names.iter().map(|name| Pass::find(name.as_ref()));
        let disabled = disabled.map(|pass| pass.map(|pass| pass.name.to_owned()));
        Ok(Options { disabled: disabled.collect::<Result<_, _>>()?, ..Options::default() })
    }

    /// Returns the enabled passes, in order.
    pub(crate) fn passes(&self) -> impl Iterator<Item = &'static Pass> {
        PASSES.iter().filter(|pass| self.disabled.iter().all(|name| name != pass.name))
    }
}

/// When the verifier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verify {
    /// After each pass, or after each group of passes over a single routine.
    EachPass,
    /// Never: passes are trusted.
    Never,
}

impl Default for Verify {
    /// Verifies after each pass if debug assertions are enabled.
    fn default() -> Self {
        if cfg!(debug_assertions) { Verify::EachPass } else { Verify::Never }
    }
}

/// The number of times each pass fired, in execution order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The name of a pass and the number of times it fired, over all routines.
    pub fired: Vec<(&'static str, usize)>,
    /// Remarks about the loops of the program, in the order in which passes examined them.
    pub remarks: Vec<Remark>,
    /// The number of times that the verifier checked the guards of a routine, to tell a pass
    /// whether its result can be verified. [`Verify`] is not counted.
    pub n_verified: usize,
}

impl Report {
    /// Returns the number of times the pass with this name fired.
    pub fn count(&self, name: &str) -> usize {
        self.fired.iter().filter(|(pass, _)| *pass == name).map(|(_, count)| count).sum()
    }
}

/// Runs all passes that are not disabled.
///
/// # Errors
/// If the program does not verify after a pass: a fault of that pass.
pub fn optimise(program: &mut Program, options: &Options) -> Result<Report, Broken> {
    let all = all_of(program);
    run(program, &all, options.passes(), options.verify)
}

/// Runs the named passes, in that order; `all` means the whole list. The verifier runs after them,
/// and after each pass if it finds a fault ([`crate::group`]).
///
/// # Errors
/// If a name is not that of a pass (then the program is unchanged), or the program does not verify
/// after a pass.
pub fn apply(program: &mut Program, names: &[&str]) -> Result<Report, ApplyError> {
    let mut passes: Vec<&Pass> = Vec::new();
    for &name in names {
        match name {
            "all" => passes.extend(PASSES),
            name => passes.push(Pass::find(name)?),
        }
    }
    let all = all_of(program);
    Ok(run(program, &all, passes, Verify::EachPass)?)
}

/// The routines of a program.
fn all_of(program: &Program) -> Vec<RoutineId> {
    (0..).map(RoutineId).take(program.routines.len()).collect()
}

/// Returns the routines, each after its callees, except in cycles.
fn callees_first(program: &Program, ids: &[RoutineId]) -> Vec<RoutineId> {
    let mut ordered = Vec::new();
    let mut seen: BTreeSet<RoutineId> = BTreeSet::new();
    for &id in ids {
        // Each routine on the stack has the list of callees that remain to be visited.
        let mut open = vec![(id, Vec::new())];
        if seen.insert(id) {
            open[0].1 = callees(program, id);
        }
        while let Some((at, rest)) = open.last_mut() {
            match rest.pop() {
                Some(callee) if seen.insert(callee) => {
                    open.push((callee, callees(program, callee)))
                }
                Some(_) => {}
                None => {
                    ordered.push(*at);
                    open.pop();
                }
            }
        }
    }
    let mut wanted: BTreeSet<RoutineId> = ids.iter().copied().collect();
    ordered.retain(|id| wanted.remove(id));
    ordered
}

fn callees(program: &Program, id: RoutineId) -> Vec<RoutineId> {
    let mut found = Vec::new();
    let Some(routine) = program.routines.get(id.0 as usize) else { return found };
    visit::walk(&routine.body, &mut |stmt| {
        if let StmtKind::Simple(Simple::Call { callee, .. }) = &stmt.kind {
            found.push(*callee);
        }
    });
    found
}

/// Runs passes over these routines; the others already verify.
pub(crate) fn run(
    program: &mut Program,
    ids: &[RoutineId],
    passes: impl IntoIterator<Item = &'static Pass>,
    verify: Verify,
) -> Result<Report, Broken> {
    let mut report = Report::default();
    let ids = &callees_first(program, ids)[..];
    let passes: Vec<&'static Pass> = passes.into_iter().collect();
    for group in passes.chunk_by(|one, next| group::go_together(one, next)) {
        let first = report.fired.len();
        report.fired.extend(group.iter().map(|pass| (pass.name, 0)));
        for &id in ids {
            let Done { fired, mut remarks, n_verified, .. } =
                group::run(program, id, group, verify)?;
            let counts = report.fired[first..].iter_mut();
            counts.zip(fired).for_each(|((_, count), fired)| *count += fired);
            report.remarks.append(&mut remarks);
            report.n_verified += n_verified;
        }
        if let (Verify::EachPass, [Pass { name, scope: Scope::Program, .. }]) = (verify, group) {
            star_ir::verify_routines(program, ids)
                .map_err(|errors| Broken { pass: name, errors })?;
        }
    }
    Ok(report)
}

/// A pass after which a program does not verify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Name of the pass.
    pub pass: &'static str,
    /// The errors of the verifier.
    pub errors: Vec<VerifyError>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the program does not verify after the pass `{}`", self.pass)?;
        self.errors.iter().try_for_each(|error| write!(f, "\n{error}"))
    }
}

impl std::error::Error for Broken {}

/// An unknown pass name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPass {
    /// The name.
    pub name: String,
}

impl UnknownPass {
    /// Returns the most similar pass name.
    pub fn meant(&self) -> Option<&'static str> {
        did_you_mean(&self.name, PASSES.iter().map(|pass| pass.name))
    }
}

impl fmt::Display for UnknownPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown pass `{}`", self.name)
    }
}

impl std::error::Error for UnknownPass {}

/// An error of [`apply`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApplyError {
    /// An unknown pass name.
    Unknown(UnknownPass),
    /// The result of a pass does not verify.
    Broken(Broken),
}

impl From<UnknownPass> for ApplyError {
    fn from(unknown: UnknownPass) -> Self {
        ApplyError::Unknown(unknown)
    }
}

impl From<Broken> for ApplyError {
    fn from(broken: Broken) -> Self {
        ApplyError::Broken(broken)
    }
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApplyError::Unknown(unknown) => unknown.fmt(f),
            ApplyError::Broken(broken) => broken.fmt(f),
        }
    }
}

impl std::error::Error for ApplyError {}

#[cfg(test)]
mod tests {
    use super::*;
    use star_ir::VarId;

    fn program() -> Program {
        let text = "routine 0 \"F\" (value %n: int) !0 {\n  exit !0\n  print %n !0\n}\n\
                    locations {\n  !0 = 0:0..1\n}\n";
        star_ir::parse(text).expect("SIR")
    }

    #[test]
    fn a_disabled_pass_does_not_run() {
        let options = Options::without(&["unreachable"]).expect("a pass");
        let mut kept = program();
        let report = optimise(&mut kept, &options).expect("verifies");
        assert_eq!((kept, report.count("unreachable")), (program(), 0));
        let report = optimise(&mut program(), &Options::default()).expect("verifies");
        assert_eq!(report.count("unreachable"), 1);
    }

    #[test]
    fn an_unknown_name_changes_nothing() {
        let mut kept = program();
        let error = apply(&mut kept, &["unreachable", "unreachabel"]).expect_err("unknown");
        let ApplyError::Unknown(unknown) = error else { panic!("{error}") };
        assert_eq!(unknown.meant(), Some("unreachable"));
        assert_eq!(kept, program());
        assert_eq!(
            Options::without(&["nothing"]).map_err(|error| error.name).err().as_deref(),
            Some("nothing")
        );
    }

    #[test]
    fn the_pass_at_fault_is_named() {
        static BAD: Pass = Pass {
            name: "bad",
            about: "reads an unknown variable",
            adds_locations: false,
            scope: Scope::Routine,
            run: |program, id, _| {
                let body = &mut program.routine_mut(id).body;
                body[0].kind =
                    StmtKind::Simple(Simple::Print(vec![star_ir::Operand::Var(VarId(9)).into()]));
                1
            },
        };
        let broken = run(&mut program(), &[RoutineId(0)], [&BAD], Verify::EachPass)
            .expect_err("does not verify");
        assert_eq!(broken.pass, "bad");
        assert!(broken.to_string().starts_with("the program does not verify after the pass `bad`"));
        assert!(run(&mut program(), &[RoutineId(0)], [&BAD], Verify::Never).is_ok());
    }

    #[test]
    fn names_are_unique_and_not_all() {
        for (idx, pass) in PASSES.iter().enumerate() {
            assert!(PASSES[..idx].iter().all(|other| other.name != pass.name), "{}", pass.name);
            assert_ne!(pass.name, "all");
        }
    }
}
