//! `star repl`: a session in which values outlive the lines that made them.
//!
//! * [`session`]: takes text, holds definitions, variables and settings, and says everything that it has to say
//!   as [`event`]s; it knows no terminal. [`run`] runs a line, [`commands`] (with [`files`] and [`program`]) does what the
//!   commands ask for, whose table is [`command`]; [`log`] keeps what was typed, [`offers`] is `--graph`.
//! * [`values`]: the variables' values on a backend, whichever it is; [`view`]: the variables as those see
//!   them who show them.
//! * The front ends: [`pipe`] and [`terminal`], with [`plain`], which writes events as text.

pub(crate) mod command;
mod commands;
mod complete;
pub(crate) mod event;
mod files;
mod log;
mod offers;
pub(crate) mod pipe;
pub(crate) mod plain;
mod program;
mod run;
pub(crate) mod session;
mod show;
mod step;
pub(crate) mod terminal;
pub(crate) mod values;
pub(crate) mod view;
