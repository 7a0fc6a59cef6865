//! `star explain`: explanations of diagnostic codes.

use clap::Args;
use star_base::{Code, Diagnostic, did_you_mean};
use star_doc::plain;
use star_os::failure::Failure;
use star_os::output::Output;

use crate::text;

/// Arguments of `star explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// Code such as `E0602`; lists all codes if omitted
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Prints the explanation of a code, or the list of codes.
///
/// # Errors
/// E0608 if the code is unknown.
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
    match output.is_terminal() {
        true => output.write(&plain::wrapped(explanation, output.width())),
        false => output.write(&format!("{explanation}\n")),
    };
    Ok(())
}

fn unknown(text: &str) -> Diagnostic {
    let message = format!("unknown code `{}`", text::one_line(text));
    let diagnostic = Diagnostic::new(Code::Usage, message);
    let names = Code::ALL.iter().map(|code| code.as_str());
    let diagnostic = match did_you_mean(text, names) {
        Some(meant) => diagnostic.help(format!("did you mean `star explain {meant}`?")),
        None => diagnostic,
    };
    diagnostic.help("`star explain` lists all codes")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use star_bind::Kind;
    use star_io::Format;

    use super::*;
    use star_bind::{encoding, layouts};

    /// Returns the texts between backticks before the example.
    fn quoted(code: Code) -> BTreeSet<&'static str> {
        let text = code.explanation().split("## Example").next().unwrap_or_default();
        text.split('`').skip(1).step_by(2).collect()
    }

    fn endings(code: Code) -> BTreeSet<&'static str> {
        quoted(code).into_iter().filter_map(|word| word.strip_prefix('.')).collect()
    }

    fn of_formats(which: impl Fn(Format) -> bool) -> BTreeSet<&'static str> {
        let formats = Format::ALL.iter().filter(|format| which(**format));
        formats.flat_map(|format| format.extensions()).copied().collect()
    }

    #[test]
    fn extensions_in_explanations_match_the_formats() {
        assert_eq!(endings(Code::BadFormat), of_formats(|_| true));
        let mut written = of_formats(|format| encoding::holds(Kind::Table, format).is_ok());
        written.insert("gz");
        assert_eq!(endings(Code::UnknownFormat), written);
    }

    #[test]
    fn explanations_list_all_layouts() {
        let words = quoted(Code::NoSuchLayout);
        let names = layouts::graph_names().chain(layouts::number_names()).chain(["updates"]);
        let missing: Vec<&str> = names.filter(|name| !words.contains(name)).collect();
        assert_eq!(missing, [""; 0]);
    }
}
