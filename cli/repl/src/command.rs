//! The commands of a session: names, arguments and descriptions.

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
    /// `:watch`
    Watch,
    /// `:type`
    Type,
    /// `:vars`
    Vars,
    /// `:info`
    Info,
    /// `:show`
    Show,
    /// `:page`
    Page,
    /// `:draw`
    Draw,
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
    /// `:edit`
    Edit,
    /// `:undo`
    Undo,
    /// `:delete`
    Delete,
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

/// The argument of a command, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// No argument.
    None,
    /// The name of a routine, built-in or module.
    Topic,
    /// A file.
    File,
    /// Program text.
    Code,
    /// The name of a variable, routine or constant.
    Name,
    /// The names of variables, routines and constants.
    DeletableNames,
    /// `on`, `off` or program text.
    TimedCode,
    /// Variable names, followed by rows, columns and fields.
    Names,
    /// A variable name followed by a file.
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
    pub const ALL: [Command; 23] = [
        Command::Help,
        Command::Load,
        Command::Reload,
        Command::Watch,
        Command::Type,
        Command::Vars,
        Command::Info,
        Command::Show,
        Command::Page,
        Command::Draw,
        Command::Step,
        Command::Time,
        Command::Cost,
        Command::Backend,
        Command::Limits,
        Command::Edit,
        Command::Undo,
        Command::Delete,
        Command::Save,
        Command::SaveOver,
        Command::Dump,
        Command::Reset,
        Command::Quit,
    ];

    /// Returns the name without the colon.
    pub fn name(self) -> &'static str {
        match self {
            Command::Help => "help",
            Command::Load => "load",
            Command::Reload => "reload",
            Command::Watch => "watch",
            Command::Type => "type",
            Command::Vars => "vars",
            Command::Info => "info",
            Command::Show => "show",
            Command::Page => "page",
            Command::Draw => "draw",
            Command::Step => "step",
            Command::Time => "time",
            Command::Cost => "cost",
            Command::Backend => "backend",
            Command::Limits => "limits",
            Command::Edit => "edit",
            Command::Undo => "undo",
            Command::Delete => "delete",
            Command::Save => "save",
            Command::SaveOver => "save!",
            Command::Dump => "dump",
            Command::Reset => "reset",
            Command::Quit => "quit",
        }
    }

    /// Returns the argument that follows the command.
    pub fn argument(self) -> Argument {
        match self {
            Command::Help => Argument::Topic,
            Command::Load | Command::Save | Command::SaveOver => Argument::File,
            Command::Reload | Command::Vars | Command::Undo | Command::Reset | Command::Quit => {
                Argument::None
            }
            Command::Type | Command::Step => Argument::Code,
            Command::Info | Command::Edit | Command::Draw => Argument::Name,
            Command::Delete => Argument::DeletableNames,
            Command::Show | Command::Page => Argument::Names,
            Command::Time => Argument::TimedCode,
            Command::Cost | Command::Watch => Argument::Switch,
            Command::Backend => Argument::Backend,
            Command::Limits => Argument::Limits,
            Command::Dump => Argument::NameAndFile,
        }
    }

    /// Returns the syntax and a description.
    pub fn usage(self) -> (&'static str, &'static str) {
        match self {
            Command::Help => (":help [WORD]", "list commands or show help for WORD; also `?WORD`"),
            Command::Load => (":load FILE", "load the routines and constants of a file"),
            Command::Reload => (":reload", "reload all loaded files"),
            Command::Watch => (":watch [on|off]", "reload loaded files that change"),
            Command::Type => (":type EXPR", "show the type of an expression without evaluating it"),
            Command::Vars => (":vars", "list variables with their types and values"),
            Command::Info => (":info NAME", "show what a name is and where it is defined"),
            Command::Show => (
                ":show T [X …] [PART]",
                "show T and X; PART: rows 5..9, columns 1..4, fields h; `X rows of T`: records",
            ),
            Command::Page => (":page T [X …] [PART]", "show T and X a page of rows at a time"),
            Command::Draw => (":draw NAME", "draw a variable in a terminal that shows pictures"),
            Command::Step => {
                (":step [all] CALL", "run a routine step by step and show each change")
            }
            Command::Time => {
                (":time [on|off|N TEXT]", "show the time of each line, or of N runs of TEXT")
            }
            Command::Cost => {
                (":cost [on|off]", "show the operations of each line; disables intrinsics")
            }
            Command::Backend => {
                (":backend [NAME]", "list backends, or move all values to another one")
            }
            Command::Limits => {
                (":limits [NAME=VALUE]", "set steps=N, memory=SIZE or time=TIME; none removes it")
            }
            Command::Edit => (":edit [NAME]", "edit the last entry, or a definition, and run it"),
            Command::Undo => (":undo", "undo the last entry"),
            Command::Delete => (":delete NAME …", "delete variables and definitions"),
            Command::Save => (":save FILE", "save the definitions and entered lines as a program"),
            Command::SaveOver => (":save! FILE", "save, even if the file holds other text"),
            Command::Dump => {
                (":dump NAME FILE", "write a variable to FILE in the format of its extension")
            }
            Command::Reset => (":reset", "delete all variables and definitions"),
            Command::Quit => (":quit", "quit; also `quit`, `exit` and Ctrl-D"),
        }
    }
}

/// Parses a command line into the command and its argument. Inside an incomplete entry (`alone` is
/// false), only complete names count, since lines of programs may begin with `:`.
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

/// Tests whether the line is `quit` or `exit` alone. Both are also words of programs.
pub fn is_farewell(line: &str) -> bool {
    let word = line.trim().trim_end_matches(';').trim_end_matches("()");
    ["quit", "exit"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Returns the command for a word that lacks its colon.
pub fn without_colon(word: &str) -> Option<Command> {
    Command::ALL.into_iter().find(|command| command.name() == word)
}

/// Returns the command with this name, or with this unique prefix.
fn find(word: &str) -> Result<Command, Diagnostic> {
    let lower = word.to_ascii_lowercase();
    if lower == "?" {
        return Ok(Command::Help);
    }
    // A name that ends in `!` matches only if the `!` is written.
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
            let message = format!("unknown command `:{shown}`");
            let diagnostic = Diagnostic::new(Code::Usage, message);
            let names = Command::ALL.iter().map(|command| command.name());
            Err(match did_you_mean(&lower, names) {
                Some(meant) => diagnostic.help(format!("did you mean `:{meant}`?")),
                None => diagnostic.help("`:help` lists the commands"),
            })
        }
        several => {
            let names = several.iter().map(|command| format!(":{}", command.name()));
            let message = format!("ambiguous command `:{shown}`");
            Err(Diagnostic::new(Code::Usage, message)
                .note(format!("it could be {}", text::quoted_list(names))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unique_prefixes_are_enough() {
        let found = |text| line(text, true).map(|(found, rest)| (found.unwrap(), rest));
        assert_eq!(found(":q"), Some((Command::Quit, "")));
        assert_eq!(found("  :LOAD a b "), Some((Command::Load, "a b")));
        assert_eq!(found("?MATCH"), Some((Command::Help, "MATCH")));
        assert_eq!(found(" ? "), Some((Command::Help, "")));
        assert_eq!(found(": integer"), None);
        assert_eq!(found(":= 1"), None);
    }

    #[test]
    fn rejects_unknown_and_ambiguous_names_with_help() {
        let error = |text| line(text, true).unwrap().0.unwrap_err();
        assert_eq!(error(":lod x").help, ["did you mean `:load`?"]);
        assert_eq!(error(":r").notes, ["it could be `:reload`, `:reset`"]);
        assert_eq!(error(":xyzzy").help, ["`:help` lists the commands"]);
    }

    #[test]
    fn quit_and_exit_alone_end_the_session() {
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
    fn only_complete_names_count_inside_an_entry() {
        assert!(line(":integer;", false).is_none());
        assert!(line(":q", false).is_none());
        assert!(line(":quit", false).is_some());
    }
}
