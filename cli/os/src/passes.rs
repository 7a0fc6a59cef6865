//! Passes on the command line: which run before a program does, and the messages about them.

use clap::Args;
use star_base::{Code, Diagnostic, text};
use star_ir::Program;
use star_opt::{ApplyError, Broken, Optimised, Options, PASSES, Report, UnknownPass};

use crate::failure::internal;

/// Which passes run.
#[derive(Args, Clone, Debug, Default)]
pub struct PassArgs {
    /// Leave an optimisation pass out; may be given several times. `star dev --help` lists them
    ///
    /// The results are the same. `--cost`, `--max-steps` and `--max-depth` run programs without any pass.
    #[arg(long, value_name = "NAME")]
    no_pass: Vec<String>,
}

impl PassArgs {
    /// The passes that are left.
    ///
    /// # Errors
    /// E0610 if a name is no pass's.
    pub fn options(&self) -> Result<Options, Diagnostic> {
        Options::without(&self.no_pass).map_err(|name| unknown(&name))
    }
}

/// Optimises a program; yields what the passes did.
///
/// # Errors
/// A fault of a pass.
pub fn optimise(program: &mut Program, options: &Options) -> Result<Report, Diagnostic> {
    star_opt::optimise(program, options).map_err(|pass| broken(&pass))
}

/// Optimises what `program` does not share with what was optimised before.
///
/// # Errors
/// A fault of a pass.
pub fn reoptimise(
    program: Program,
    options: &Options,
    earlier: Option<&Optimised>,
) -> Result<Optimised, Diagnostic> {
    star_opt::reoptimise(program, options, earlier).map_err(|pass| broken(&pass))
}

/// The message for a name that is no pass's.
pub fn unknown(unknown: &UnknownPass) -> Diagnostic {
    let message = format!("there is no pass `{}`", text::one_line(&unknown.name));
    let names = text::quoted_list(PASSES.iter().map(|pass| pass.name));
    let diagnostic = Diagnostic::new(Code::NoPass, message).note(format!("the passes are {names}"));
    match unknown.meant() {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    }
}

/// The message for a pass after which a program does not verify.
pub fn broken(broken: &Broken) -> Diagnostic {
    internal(&broken.to_string())
}

/// The message for passes that could not be applied.
pub fn not_applied(error: &ApplyError) -> Diagnostic {
    match error {
        ApplyError::Unknown(name) => unknown(name),
        ApplyError::Broken(pass) => broken(pass),
    }
}
