//! Command-line options for passes, and the messages about them.

use clap::Args;
use star::pipeline::broken_pass;
use star_base::{Code, Diagnostic, text};
use star_opt::{ApplyError, Options, PASSES, UnknownPass};

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

/// Returns the diagnostic for passes that could not be applied.
pub fn not_applied(error: &ApplyError) -> Diagnostic {
    match error {
        ApplyError::Unknown(name) => unknown(name),
        ApplyError::Broken(pass) => broken_pass(pass),
    }
}
