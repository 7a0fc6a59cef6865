//! Why a program, a call or an entry failed.

use std::fmt;

use star_base::{Code, Diagnostic, Kind};

use crate::diagnostics::{Diagnostics, line};
use crate::outputs::Outputs;

/// Why a program, a call or an entry failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The text has errors.
    Invalid(Diagnostics),
    /// The program has no routine of this name.
    UnknownRoutine {
        /// The name.
        name: String,
        /// The name that was probably meant.
        meant: Option<String>,
    },
    /// The routine has no parameter of this name.
    UnknownParameter {
        /// The routine.
        routine: String,
        /// The name.
        name: String,
        /// The name that was probably meant.
        meant: Option<String>,
    },
    /// A parameter that is not a `var` parameter needs an argument.
    MissingArgument {
        /// The routine.
        routine: String,
        /// The parameter.
        name: String,
    },
    /// A value has another kind than its parameter, or than the one requested.
    WrongKind {
        /// The name of the value.
        name: String,
        /// The expected kind.
        expected: Kind,
        /// The kind of the value; `None` if it is unset.
        found: Option<Kind>,
    },
    /// There is no result or variable of this name.
    UnknownResult {
        /// The name.
        name: String,
    },
    /// The run ended early: a trap, a limit, or an interruption.
    Stopped(Box<Stopped>),
    /// The backend refused the program or a value, or a file could not be read.
    Refused(Box<Diagnostic>),
}

/// The state at the end of a run that ended early.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// What happened: the kind of trap or limit.
    pub code: Code,
    /// The message, with the place in the program and the calls that lead to it.
    pub diagnostics: Diagnostics,
    /// The `var` parameters at this point, and the printed text.
    pub outputs: Outputs,
}

impl Error {
    /// Returns the state at the end of the run, if it ended early.
    pub fn stopped(&self) -> Option<&Stopped> {
        match self {
            Error::Stopped(stopped) => Some(stopped),
            Error::Invalid(_)
            | Error::UnknownRoutine { .. }
            | Error::UnknownParameter { .. }
            | Error::MissingArgument { .. }
            | Error::WrongKind { .. }
            | Error::UnknownResult { .. }
            | Error::Refused(_) => None,
        }
    }

    /// Returns the messages with their places, if the program or a run has them.
    pub fn diagnostics(&self) -> Option<&Diagnostics> {
        match self {
            Error::Invalid(diagnostics) => Some(diagnostics),
            Error::Stopped(stopped) => Some(&stopped.diagnostics),
            Error::UnknownRoutine { .. }
            | Error::UnknownParameter { .. }
            | Error::MissingArgument { .. }
            | Error::WrongKind { .. }
            | Error::UnknownResult { .. }
            | Error::Refused(_) => None,
        }
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Error::Refused(Box::new(diagnostic))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meant = |f: &mut fmt::Formatter<'_>, meant: &Option<String>| match meant {
            Some(meant) => write!(f, "; did you mean `{meant}`?"),
            None => Ok(()),
        };
        match self {
            Error::Invalid(diagnostics) => write!(f, "{diagnostics}"),
            Error::UnknownRoutine { name, meant: intended } => {
                write!(f, "unknown routine `{name}`")?;
                meant(f, intended)
            }
            Error::UnknownParameter { routine, name, meant: intended } => {
                write!(f, "`{routine}` has no parameter `{name}`")?;
                meant(f, intended)
            }
            Error::MissingArgument { routine, name } => {
                write!(f, "`{routine}` needs a value for `{name}`")
            }
            Error::WrongKind { name, expected, found } => {
                let found = found.map_or("an unset value".to_owned(), Kind::with_article);
                write!(f, "`{name}`: expected {}, found {found}", expected.with_article())
            }
            Error::UnknownResult { name } => write!(f, "there is no value `{name}`"),
            Error::Stopped(stopped) => write!(f, "{}", stopped.diagnostics),
            Error::Refused(diagnostic) => f.write_str(&line(diagnostic)),
        }
    }
}

impl std::error::Error for Error {}
