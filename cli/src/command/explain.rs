//! `star explain`: what a code means.

use clap::Args;
use star_base::{Code, Diagnostic, did_you_mean};

use crate::failure::Failure;
use crate::output::Output;
use crate::text;

/// What `star explain` is told.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// A code such as `E0602`; without one, all codes are listed
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Prints the explanation of a code, or the list of codes.
///
/// # Errors
/// E0608 if there is no such code.
pub(crate) fn run(args: &ExplainArgs, output: &mut Output) -> Result<(), Failure> {
    let Some(text) = &args.code else {
        for code in Code::ALL {
            output.write(&format!("{code}  {}\n", code.title()));
        }
        return Ok(());
    };
    let Some(code) = Code::parse(text) else {
        return Err(unknown(text).into());
    };
    let explanation = code.explanation().trim_end();
    output.write(&format!("{explanation}\n"));
    Ok(())
}

fn unknown(text: &str) -> Diagnostic {
    let message = format!("there is no code `{}`", text::one_line(text));
    let diagnostic = Diagnostic::new(Code::Usage, message);
    let names = Code::ALL.iter().map(|code| code.as_str());
    let diagnostic = match did_you_mean(text, names) {
        Some(meant) => diagnostic.help(format!("did you mean `star explain {meant}`?")),
        None => diagnostic,
    };
    diagnostic.help("`star explain` lists all codes")
}
