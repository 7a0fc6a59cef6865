//! Command-line options for passes, and the messages about them.

use clap::Args;
use star_base::{Code, Diagnostic, text};
use star_ir::Program;
use star_opt::{ApplyError, Broken, Optimised, Options, PASSES, Report, UnknownPass};

use crate::failure::internal;

/// Selection of passes.
#[derive(Args, Clone, Debug, Default)]
pub struct PassArgs {
    /// Skip an optimisation pass (repeatable); see `star dev --help`
    ///
    /// The results are the same. `--cost`, `--max-steps` and `--max-depth` disable all passes.
    #[arg(long, value_name = "NAME")]
    no_pass: Vec<String>,
}

impl PassArgs {
    /// Returns the enabled passes.
    ///
    /// # Errors
    /// E0610 if a name is not a pass.
    pub fn options(&self) -> Result<Options, Diagnostic> {
        Options::without(&self.no_pass).map_err(|name| unknown(&name))
    }
}

/// Optimises a program and returns the report of the passes.
///
/// # Errors
/// An internal error of a pass.
pub fn optimise(program: &mut Program, options: &Options) -> Result<Report, Diagnostic> {
    star_opt::optimise(program, options).map_err(|pass| broken(&pass))
}

/// Optimises the parts of `program` that it does not share with the previously optimised program.
///
/// # Errors
/// An internal error of a pass.
pub fn reoptimise(
    program: Program,
    options: &Options,
    earlier: Option<&Optimised>,
) -> Result<Optimised, Diagnostic> {
    star_opt::reoptimise(program, options, earlier).map_err(|pass| broken(&pass))
}

/// Returns the diagnostic for an unknown pass name.
pub fn unknown(unknown: &UnknownPass) -> Diagnostic {
    let message = format!("unknown pass `{}`", text::one_line(&unknown.name));
    let names = text::quoted_list(PASSES.iter().map(|pass| pass.name));
    let diagnostic = Diagnostic::new(Code::NoPass, message).note(format!(
        "available passes: \
        {names}"
    ));
    match unknown.meant() {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    }
}

/// Returns the diagnostic for a pass that produced an invalid program.
pub fn broken(broken: &Broken) -> Diagnostic {
    internal(&broken.to_string())
}

/// Returns the diagnostic for passes that could not be applied.
pub fn not_applied(error: &ApplyError) -> Diagnostic {
    match error {
        ApplyError::Unknown(name) => unknown(name),
        ApplyError::Broken(pass) => broken(pass),
    }
}
