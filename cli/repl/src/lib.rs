//! A session in which values outlive the lines that made them, without a terminal.
//!
//! * [`session`]: takes text, holds definitions, variables and settings, and says everything that it has to say
//!   as [`event`]s. `run` runs a line, `commands` (with `files` and `program`) does what the
//!   commands ask for, whose table is `command`; `log` keeps what was typed, `offers` is `--graph`.
//! * `values`: the variables' values on a backend, whichever it is; [`view`]: the variables as those see
//!   them who show them, [`show`] as pictures; `step` follows a run; [`complete`] knows which names may come next.
//!
//! Nothing here reads what a user types or writes to a terminal.

#![allow(
    clippy::result_large_err,
    reason = "a message is made once, where a command ends, and its fields are public and plain"
)]

pub mod command;
mod commands;
pub mod complete;
pub mod event;
mod files;
mod log;
mod messages;
mod offers;
mod program;
mod run;
pub mod session;
pub mod show;
mod step;
#[cfg(test)]
mod tests;
mod values;
pub mod view;
