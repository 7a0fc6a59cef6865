//! The commands of a session: their names, and what they do in a line.

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
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
    /// `:dump`
    Dump,
    /// `:reset`
    Reset,
    /// `:quit`
    Quit,
}

/// What stands behind a command, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
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
    pub(crate) const ALL: [Command; 15] = [
        Command::Help,
        Command::Load,
        Command::Reload,
        Command::Type,
        Command::Vars,
        Command::Info,
        Command::Step,
        Command::Time,
        Command::Cost,
        Command::Backend,
        Command::Limits,
        Command::Save,
        Command::Dump,
        Command::Reset,
        Command::Quit,
    ];

    /// The name, without the colon.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Command::Help => "help",
            Command::Load => "load",
            Command::Reload => "reload",
            Command::Type => "type",
            Command::Vars => "vars",
            Command::Info => "info",
            Command::Step => "step",
            Command::Time => "time",
            Command::Cost => "cost",
            Command::Backend => "backend",
            Command::Limits => "limits",
            Command::Save => "save",
            Command::Dump => "dump",
            Command::Reset => "reset",
            Command::Quit => "quit",
        }
    }

    /// What stands behind it.
    pub(crate) fn argument(self) -> Argument {
        match self {
            Command::Help => Argument::Topic,
            Command::Load | Command::Save => Argument::File,
            Command::Reload | Command::Vars | Command::Reset | Command::Quit => Argument::None,
            Command::Type | Command::Step => Argument::Code,
            Command::Info => Argument::Name,
            Command::Time | Command::Cost => Argument::Switch,
            Command::Backend => Argument::Backend,
            Command::Limits => Argument::Limits,
            Command::Dump => Argument::NameAndFile,
        }
    }

    /// How it is written, and what it does.
    pub(crate) fn usage(self) -> (&'static str, &'static str) {
        match self {
            Command::Help => (
                ":help [NAME]",
                "these commands, or the documentation of a routine, a built-in or a module",
            ),
            Command::Load => (":load FILE", "take over the routines and constants of a file"),
            Command::Reload => (":reload", "read the files that were loaded again"),
            Command::Type => (":type EXPR", "the type of an expression, which is not evaluated"),
            Command::Vars => (":vars", "the variables with their types and values"),
            Command::Info => (":info NAME", "what a name is and where it comes from"),
            Command::Step => {
                (":step CALL", "run a routine statement by statement and show what each changes")
            }
            Command::Time => (":time [on|off]", "show how long each line takes"),
            Command::Cost => {
                (":cost [on|off]", "show the elementary operations of each line; natives are off")
            }
            Command::Backend => {
                (":backend [NAME]", "the backends, or move all values to another one")
            }
            Command::Limits => (
                ":limits [steps=N] [memory=SIZE] [time=TIME]",
                "what a line may use; `none` lifts a limit",
            ),
            Command::Save => {
                (":save FILE", "write the definitions and what was typed as a Star program")
            }
            Command::Dump => (
                ":dump NAME FILE",
                "write a variable to a data file; the extension says the format",
            ),
            Command::Reset => (":reset", "forget variables and definitions"),
            Command::Quit => (":quit", "leave; Ctrl-D does the same"),
        }
    }
}
