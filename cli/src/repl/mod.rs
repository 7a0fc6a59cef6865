//! `star repl`: a session in which values outlive the lines that made them.
//!
//! * [`session`]: takes text, holds definitions, variables and settings, and says everything that it has to say
//!   as [`event`]s; it knows no terminal.
//! * [`machine`]: the variables' values on a backend, whichever it is.
//! * [`view`]: the variables as those see them who show them.
//! * [`command`]: the commands that begin with a colon.

pub(crate) mod command;
mod complete;
pub(crate) mod event;
pub(crate) mod machine;
pub(crate) mod session;
mod show;
mod step;
pub(crate) mod view;
