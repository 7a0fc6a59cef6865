//! Runs passes over programs, and the verifier behind each.

use std::collections::BTreeSet;
use std::fmt;

use star_base::did_you_mean;
use star_ir::{Program, RoutineId, StmtKind, VerifyError, visit};

use crate::group::{self, Done};
use crate::remark::Remark;
use crate::{PASSES, Pass, Scope};

/// How a program is optimised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Names of passes that do not run.
    pub disabled: Vec<String>,
    /// When the verifier runs.
    pub verify: Verify,
}

impl Options {
    /// Every pass but the ones named.
    ///
    /// # Errors
    /// If a name is no pass's.
    pub fn without(names: &[impl AsRef<str>]) -> Result<Self, UnknownPass> {
        let disabled = names.iter().map(|name| Pass::find(name.as_ref()));
        let disabled = disabled.map(|pass| pass.map(|pass| pass.name.to_owned()));
        Ok(Options { disabled: disabled.collect::<Result<_, _>>()?, ..Options::default() })
    }

    /// The passes that run, in their order.
    pub(crate) fn passes(&self) -> impl Iterator<Item = &'static Pass> {
        PASSES.iter().filter(|pass| self.disabled.iter().all(|name| name != pass.name))
    }
}

/// When the verifier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verify {
    /// After each pass; where a routine verifies behind several passes that look at nothing else, behind these.
    EachPass,
    /// Never: passes are trusted.
    Never,
}

impl Default for Verify {
    /// After each pass where debug assertions are on.
    fn default() -> Self {
        if cfg!(debug_assertions) { Verify::EachPass } else { Verify::Never }
    }
}

/// How often each pass fired, in the order in which the passes ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Name of a pass, and how often it fired in all routines together.
    pub fired: Vec<(&'static str, usize)>,
    /// What became of the loops of the program, in the order in which passes looked at them.
    pub remarks: Vec<Remark>,
    /// How often the verifier looked for the guards of a routine, so that a pass knows whether what it made can be shown.
    /// [`Verify`] is not counted.
    pub n_verified: usize,
}

impl Report {
    /// How often the pass of this name fired.
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

/// Runs the passes named, in that order; `all` stands for the whole list. The verifier runs behind
/// them, and after each where it finds a fault ([`crate::group`]).
///
/// # Errors
/// If a name is no pass's (then nothing was done), or the program does not verify after a pass.
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

/// The routines, each behind those of them that it calls, unless these call it, too.
fn callees_first(program: &Program, ids: &[RoutineId]) -> Vec<RoutineId> {
    let mut ordered = Vec::new();
    let mut seen: BTreeSet<RoutineId> = BTreeSet::new();
    for &id in ids {
        // A routine stands on the stack with the callees that are still to be visited.
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
        if let StmtKind::Call { callee, .. } = &stmt.kind {
            found.push(*callee);
        }
    });
    found
}

/// Runs passes over these routines; the others verify.
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
    /// What the verifier found.
    pub errors: Vec<VerifyError>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the program does not verify after the pass `{}`", self.pass)?;
        self.errors.iter().try_for_each(|error| write!(f, "\n{error}"))
    }
}

impl std::error::Error for Broken {}

/// A name that is no pass's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPass {
    /// The name.
    pub name: String,
}

impl UnknownPass {
    /// The pass that was likely meant.
    pub fn meant(&self) -> Option<&'static str> {
        did_you_mean(&self.name, PASSES.iter().map(|pass| pass.name))
    }
}

impl fmt::Display for UnknownPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no pass `{}`", self.name)
    }
}

impl std::error::Error for UnknownPass {}

/// Why passes could not be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApplyError {
    /// A name is no pass's.
    Unknown(UnknownPass),
    /// A pass made a program that does not verify.
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
            about: "reads a variable that is not there",
            adds_locations: false,
            scope: Scope::Routine,
            run: |program, id, _| {
                let body = &mut program.routine_mut(id).body;
                body[0].kind = StmtKind::Print(vec![star_ir::Operand::Var(VarId(9))]);
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
