//! Passes on the command line: their names, and the messages about them.

use star_base::{Code, Diagnostic};
use star_edge::failure::internal;
use star_opt::{ApplyError, Broken, PASSES, UnknownPass};

use crate::text;

/// The message for a name that is no pass's.
pub(crate) fn unknown(unknown: &UnknownPass) -> Diagnostic {
    let message = format!("there is no pass `{}`", text::one_line(&unknown.name));
    let names = text::quoted_list(PASSES.iter().map(|pass| pass.name));
    let diagnostic = Diagnostic::new(Code::NoPass, message).note(format!("the passes are {names}"));
    match unknown.meant() {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    }
}

/// The message for a pass after which a program does not verify.
pub(crate) fn broken(broken: &Broken) -> Diagnostic {
    internal(&broken.to_string())
}

/// The message for passes that could not be applied.
pub(crate) fn not_applied(error: &ApplyError) -> Diagnostic {
    match error {
        ApplyError::Unknown(name) => unknown(name),
        ApplyError::Broken(pass) => broken(pass),
    }
}
