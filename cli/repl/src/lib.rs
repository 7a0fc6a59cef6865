//! An interactive session whose values outlive the lines that created them, independent of a
//! terminal.
//!
//! * [`session`]: receives text, holds definitions, variables and settings, and emits [`event`]s.
//!   `run` runs a line; `commands` (with `files`, `program`, `edit`, `measure`, `page` and `watch`)
//!   implements the commands in the table `command`; `log` is the record of entries, `saved` writes
//!   it as a program; `undo` takes entries back, `answer` sets `ans`, `offers` implements
//!   `--graph`.
//! * `values`: the values of variables on any backend; [`view`]: read access to variables,
//!   [`show`]: pictures; `step` traces a run; [`complete`] completes names.
//!
//! Nothing here reads user input or writes to a terminal.

#![allow(
    clippy::result_large_err,
    reason = "a message is created once, where a command ends, and its fields are public and plain"
)]

mod answer;
pub mod command;
mod commands;
pub mod complete;
mod edit;
pub mod event;
mod execution;
mod files;
mod log;
mod measure;
mod messages;
mod offers;
mod page;
mod program;
mod saved;
pub mod session;
pub mod show;
mod step;
#[cfg(test)]
mod tests;
mod undo;
pub mod view;
mod watch;
