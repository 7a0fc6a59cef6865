//! Command lines that do not parse: conversion of clap's errors into diagnostics.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error};
use star_base::{Code, Diagnostic, did_you_mean, text};

use star_os::report::ErrorFormat;

/// The subcommand that generates data.
const GENERATE: &str = "gen";

/// Other names for the kinds of generated data.
const OTHER_NAMES: [(&str, &str); 11] = [
    ("graph", "gnm"),
    ("random", "gnm"),
    ("acyclic", "dag"),
    ("streets", "road"),
    ("grid", "blocks"),
    ("maze", "blocks"),
    ("heights", "terrain"),
    ("hills", "terrain"),
    ("image", "curve"),
    ("picture", "curve"),
    ("objects", "moving"),
];

/// The response to a command line without a valid command.
pub(crate) enum Refusal {
    /// Help or version, for standard output.
    Answer(String),
    /// Help for a missing subcommand, for standard error.
    Help(String),
    /// A command line that does not parse.
    Fault(Diagnostic),
}

impl Refusal {
    /// Names the whole argument that clap took for options of one character, and the way to give it
    /// as a vertex.
    pub(crate) fn naming(self, error: &Error, arguments: &[String]) -> Refusal {
        let (mut fault, option) = match (self, error.get(ContextKind::InvalidArg)) {
            (Refusal::Fault(fault), Some(ContextValue::String(option)))
                if error.kind() == ErrorKind::UnknownArgument && !option.starts_with("--") =>
            {
                (fault, option)
            }
            (refusal, _) => return refusal,
        };
        if let Some(whole) = arguments.iter().skip(1).find(|whole| whole.starts_with(option)) {
            fault.message = format!("unexpected argument `{}` found", text::one_line(whole));
            if arguments.iter().any(|argument| argument == "graph") {
                let whole = text::shell_word(whole);
                let help = format!("a vertex that begins with `-` follows `--`: `-- {whole}`");
                return Refusal::Fault(fault.help(help));
            }
        }
        Refusal::Fault(fault)
    }
}

/// Converts an error of clap.
pub(crate) fn refusal(error: &Error, coloured: bool) -> Refusal {
    let rendered = error.render();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion if coloured => {
            Refusal::Answer(rendered.ansi().to_string())
        }
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Refusal::Answer(rendered.to_string()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Refusal::Help(rendered.to_string()),
        ErrorKind::InvalidSubcommand => {
            let fault = fault(&rendered.to_string());
            let typed = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(typed)) => typed,
                Some(_) | None => return Refusal::Fault(fault),
            };
            let command = crate::Cli::command();
            let kinds = command.find_subcommand(GENERATE);
            let usage = format!("usage: star {GENERATE} ");
            Refusal::Fault(
                match kinds.filter(|_| fault.notes.iter().any(|note| note.starts_with(&usage))) {
                    Some(kinds) => meant_kind(fault, typed, kinds),
                    None => meant(fault, typed, &command),
                },
            )
        }
        _ => Refusal::Fault(fault(&rendered.to_string())),
    }
}

/// Returns the message format requested by a command line that does not parse. With `--format
/// json`, too, a program reads the messages.
pub(crate) fn format_of(arguments: &[String]) -> ErrorFormat {
    let next = arguments.iter().skip(1).map(String::as_str);
    let pairs = arguments.iter().map(String::as_str).zip(next);
    let options = ["--error-format", "--format"];
    let in_two = pairs.into_iter().any(|(name, value)| options.contains(&name) && value == "json");
    let is_one = |arg: &String| options.contains(&arg.strip_suffix("=json").unwrap_or_default());
    if in_two || arguments.iter().any(is_one) { ErrorFormat::Json } else { ErrorFormat::Text }
}

/// Converts the first paragraph to the message, `tip:` lines to help, and the usage to a note.
fn fault(text: &str) -> Diagnostic {
    let text = text.strip_prefix("error: ").unwrap_or(text).replace('\'', "`");
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let lines: Vec<&str> = first.lines().map(str::trim).collect();
    let mut diagnostic = Diagnostic::new(Code::Usage, lower_first(&lines.join(" ")));
    for paragraph in paragraphs {
        for line in paragraph.lines().map(str::trim) {
            if let Some(tip) = line.strip_prefix("tip: ") {
                // No command accepts an option as a value after `--`.
                if !tip.contains("use `-- ") {
                    diagnostic = diagnostic.help(tip);
                }
            } else if let Some(usage) = line.strip_prefix("Usage: ") {
                diagnostic = diagnostic.note(format!("usage: {usage}"));
            } else if line.starts_with('[') || line.starts_with("For more") {
                diagnostic = diagnostic.help(lower_first(line.trim_end_matches('.')));
            }
        }
    }
    diagnostic
}

/// Suggests a subcommand for an unknown word, unless clap did.
fn meant(fault: Diagnostic, typed: &str, command: &Command) -> Diagnostic {
    if typed.ends_with(".star") {
        let file = text::shell_word(typed);
        return fault.help(format!("`star run {file}` runs a program"));
    }
    if fault.help.iter().any(|help| help.contains("similar")) {
        return fault;
    }
    match did_you_mean(typed, command.get_subcommands().map(Command::get_name)) {
        Some(name) => fault.help(format!("did you mean `star {name}`?")),
        None => fault,
    }
}

/// Lists the kinds of generated data after an unknown one, and suggests the intended kind.
fn meant_kind(mut fault: Diagnostic, typed: &str, command: &Command) -> Diagnostic {
    let names = || command.get_subcommands().map(Command::get_name).filter(|name| *name != "help");
    fault.message = format!("unknown kind of data `{}`", text::one_line(typed));
    fault.notes.insert(0, format!("the kinds are {}", text::quoted_list(names())));
    let lower = typed.to_lowercase();
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == lower).map(|(_, name)| *name);
    fault.help.retain(|help| !help.contains("similar"));
    match other.or_else(|| did_you_mean(&lower, names())) {
        Some(name) => fault.help(format!("did you mean `star {GENERATE} {name}`?")),
        None => fault,
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => "cannot parse the command line".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_errors_become_message_help_and_note() {
        let text = "error: unexpected argument '--prok' found\n\n  tip: a similar argument exists: \
                    '--proc'\n\nUsage: star run [OPTIONS] <FILE>\n\nFor more information, try \
                    '--help'.\n";
        let diagnostic = fault(text);
        assert_eq!(diagnostic.code, Code::Usage);
        assert_eq!(diagnostic.message, "unexpected argument `--prok` found");
        assert_eq!(diagnostic.notes, ["usage: star run [OPTIONS] <FILE>"]);
        assert_eq!(
            diagnostic.help,
            ["a similar argument exists: `--proc`", "for more information, try `--help`"]
        );
    }

    #[test]
    fn advice_that_fails_when_followed_is_dropped() {
        let text = "error: unexpected argument '-1' found\n\n  tip: to pass '-1' as a value, use \
                    '-- -1'\n\nUsage: star run [OPTIONS] <FILE>\n";
        assert_eq!(fault(text).help, <[String; 0]>::default());
    }

    #[test]
    fn error_format_is_known_before_parsing() {
        let of = |text: &str| {
            let arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
            format_of(&arguments)
        };
        assert_eq!(of("star run --error-format json --x"), ErrorFormat::Json);
        assert_eq!(of("star --error-format=json"), ErrorFormat::Json);
        assert_eq!(of("star run a.star --format json --x"), ErrorFormat::Json);
        assert_eq!(of("star bench --format=json --x"), ErrorFormat::Json);
        assert_eq!(of("star run --x"), ErrorFormat::Text);
        assert_eq!(of("star run --format text --x json"), ErrorFormat::Text);
    }
}
