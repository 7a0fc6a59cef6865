//! The commands of a session: their names, and what they do in a line.

use star_base::{Code, Diagnostic, did_you_mean};

use star_base::text;

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `:help`
    Help,
    /// `:load`
    Load,
    /// `:reload`
    Reload,
    /// `:type`
    Type,
    /// `:vars`
    Vars,
    /// `:info`
    Info,
    /// `:show`
    Show,
    /// `:step`
    Step,
    /// `:time`
    Time,
    /// `:cost`
    Cost,
    /// `:backend`
    Backend,
    /// `:limits`
    Limits,
    /// `:save`
    Save,
    /// `:save!`
    SaveOver,
    /// `:dump`
    Dump,
    /// `:reset`
    Reset,
    /// `:quit`
    Quit,
}

/// What stands behind a command, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Nothing.
    None,
    /// The name of a routine, built-in or module.
    Topic,
    /// A file.
    File,
    /// Text of the language.
    Code,
    /// The name of a variable, routine or constant.
    Name,
    /// Names of variables, then rows, columns and fields.
    Names,
    /// The name of a variable, then a file.
    NameAndFile,
    /// `on` or `off`.
    Switch,
    /// The name of a backend.
    Backend,
    /// `steps=…`, `memory=…`, `time=…`.
    Limits,
}

impl Command {
    /// All commands, in the order of `:help`.
    pub const ALL: [Command; 17] = [
        Command::Help,
        Command::Load,
        Command::Reload,
        Command::Type,
        Command::Vars,
        Command::Info,
        Command::Show,
        Command::Step,
        Command::Time,
        Command::Cost,
        Command::Backend,
        Command::Limits,
        Command::Save,
        Command::SaveOver,
        Command::Dump,
        Command::Reset,
        Command::Quit,
    ];

    /// The name, without the colon.
    pub fn name(self) -> &'static str {
        match self {
            Command::Help => "help",
            Command::Load => "load",
            Command::Reload => "reload",
            Command::Type => "type",
            Command::Vars => "vars",
            Command::Info => "info",
            Command::Show => "show",
            Command::Step => "step",
            Command::Time => "time",
            Command::Cost => "cost",
            Command::Backend => "backend",
            Command::Limits => "limits",
            Command::Save => "save",
            Command::SaveOver => "save!",
            Command::Dump => "dump",
            Command::Reset => "reset",
            Command::Quit => "quit",
        }
    }

    /// What stands behind it.
    pub fn argument(self) -> Argument {
        match self {
            Command::Help => Argument::Topic,
            Command::Load | Command::Save | Command::SaveOver => Argument::File,
            Command::Reload | Command::Vars | Command::Reset | Command::Quit => Argument::None,
            Command::Type | Command::Step => Argument::Code,
            Command::Info => Argument::Name,
            Command::Show => Argument::Names,
            Command::Time | Command::Cost => Argument::Switch,
            Command::Backend => Argument::Backend,
            Command::Limits => Argument::Limits,
            Command::Dump => Argument::NameAndFile,
        }
    }

    /// How it is written, and what it does.
    pub fn usage(self) -> (&'static str, &'static str) {
        match self {
            Command::Help => (
                ":help [WORD]",
                "these commands, or what is documented of a name or a word; `?WORD`, too",
            ),
            Command::Load => (":load FILE", "take over the routines and constants of a file"),
            Command::Reload => (":reload", "read the files that were loaded again"),
            Command::Type => (":type EXPR", "the type of an expression, which is not evaluated"),
            Command::Vars => (":vars", "the variables with their types and values"),
            Command::Info => (":info NAME", "what a name is and where it comes from"),
            Command::Show => (
                ":show T [X …] [PART]",
                "a table with slices and words beside it; `fields 8` are numbers, `rows 5..9`, `columns 1..4`",
            ),
            Command::Step => (
                ":step [all] CALL",
                "run a routine statement by statement and show what each changes",
            ),
            Command::Time => (":time [on|off]", "show how long each line takes"),
            Command::Cost => (
                ":cost [on|off]",
                "show the elementary operations of each line; intrinsics are off",
            ),
            Command::Backend => {
                (":backend [NAME]", "the backends, or move all values to another one")
            }
            Command::Limits => (
                ":limits [NAME=VALUE]",
                "what a line may use: steps=N, memory=SIZE, time=TIME; `none` lifts a limit",
            ),
            Command::Save => {
                (":save FILE", "write the definitions and what was typed as a Star program")
            }
            Command::SaveOver => (":save! FILE", "the same, in place of whatever the file holds"),
            Command::Dump => (
                ":dump NAME FILE",
                "write a variable to a data file; the extension says the format",
            ),
            Command::Reset => (":reset", "forget variables and definitions"),
            Command::Quit => (":quit", "leave; `quit`, `exit` and Ctrl-D do the same"),
        }
    }
}

/// The command that a line is, with what stands behind it. Inside an entry that is not complete (`alone` is
/// false) only whole names count, since `:` begins lines of programs, too.
pub fn line(line: &str, alone: bool) -> Option<(Result<Command, Diagnostic>, &str)> {
    if let Some(topic) = line.trim().strip_prefix('?').filter(|_| alone) {
        return Some((Ok(Command::Help), topic));
    }
    let text = line.trim().strip_prefix(':')?;
    if !text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '?') {
        return None;
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let found = find(word);
    if !alone && !found.as_ref().is_ok_and(|command| command.name() == word) {
        return None;
    }
    Some((found, rest))
}

/// Is it `quit` or `exit` alone, as people leave other programs? Both are words of programs, too.
pub fn is_farewell(line: &str) -> bool {
    let word = line.trim().trim_end_matches(';').trim_end_matches("()");
    ["quit", "exit"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The command that a word without its colon would be.
pub fn without_colon(word: &str) -> Option<Command> {
    Command::ALL.into_iter().find(|command| command.name() == word)
}

/// The command of this name, or the only one that begins so.
fn find(word: &str) -> Result<Command, Diagnostic> {
    let lower = word.to_ascii_lowercase();
    if lower == "?" {
        return Ok(Command::Help);
    }
    // What ends in `!` is meant only where it is written so.
    let named = |command: &Command| command.name().ends_with('!') == lower.ends_with('!');
    let begin = Command::ALL.into_iter().filter(named);
    let begin: Vec<Command> = begin.filter(|command| command.name().starts_with(&lower)).collect();
    if let Some(exact) = begin.iter().find(|command| command.name() == lower) {
        return Ok(*exact);
    }
    let shown = text::one_line(word);
    match begin.as_slice() {
        [command] => Ok(*command),
        [] => {
            let message = format!("there is no command `:{shown}`");
            let diagnostic = Diagnostic::new(Code::Usage, message);
            let names = Command::ALL.iter().map(|command| command.name());
            Err(match did_you_mean(&lower, names) {
                Some(meant) => diagnostic.help(format!("did you mean `:{meant}`?")),
                None => diagnostic.help("`:help` lists the commands"),
            })
        }
        several => {
            let names = several.iter().map(|command| format!(":{}", command.name()));
            let message = format!("`:{shown}` could be several commands");
            Err(Diagnostic::new(Code::Usage, message)
                .note(format!("they are {}", text::quoted_list(names))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unique_beginning_is_enough() {
        let found = |text| line(text, true).map(|(found, rest)| (found.unwrap(), rest));
        assert_eq!(found(":q"), Some((Command::Quit, "")));
        assert_eq!(found("  :LOAD a b "), Some((Command::Load, "a b")));
        assert_eq!(found("?MATCH"), Some((Command::Help, "MATCH")));
        assert_eq!(found(" ? "), Some((Command::Help, "")));
        assert_eq!(found(": integer"), None);
        assert_eq!(found(":= 1"), None);
    }

    #[test]
    fn unknown_and_ambiguous_names_are_errors_with_help() {
        let error = |text| line(text, true).unwrap().0.unwrap_err();
        assert_eq!(error(":lod x").help, ["did you mean `:load`?"]);
        assert_eq!(error(":r").notes, ["they are `:reload`, `:reset`"]);
        assert_eq!(error(":xyzzy").help, ["`:help` lists the commands"]);
    }

    #[test]
    fn quit_and_exit_alone_are_farewells() {
        for text in ["quit", "exit", " EXIT; ", "quit()", "exit();"] {
            assert!(is_farewell(text), "{text}");
        }
        for text in ["quit := 1", "quit(1)", "if a then exit", "quitter", ""] {
            assert!(!is_farewell(text), "{text}");
        }
        assert_eq!(without_colon("vars"), Some(Command::Vars));
        assert_eq!(without_colon("VARS"), None);
    }

    #[test]
    fn inside_an_entry_only_whole_names_count() {
        assert!(line(":integer;", false).is_none());
        assert!(line(":q", false).is_none());
        assert!(line(":quit", false).is_some());
    }
}
