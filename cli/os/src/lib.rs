//! The interface between the command `star` and the system. Besides the command itself, it is the
//! only crate of the project that accesses the system.
//!
//! * [`sources`] and other [`whole_file`]s, [`files`] of data (with [`access`]; [`nonblocking`] for
//!   files that may block), [`save`] (each at its [`destination`], a [`temporary`] file first, as
//!   an [`incremental_file`]): files that are read and written, in their [`file_roles`], together
//!   as a [`file_set`], which a repeated signal removes (`cleanup`); [`output`] (over a [`stream`])
//!   is standard output.
//! * [`machines`]: backends by name; [`entry`] selects the routine to run, [`host`] serves the
//!   program, [`limits`] (with [`size_args`]) restrict it, [`flags`] end it, a [`watchdog`] watches
//!   its compilation, [`cost`] reports its resources.
//! * [`checkpoint`]: the state of a long run, in a folder.
//! * [`terminal`]: what the terminal can.
//! * [`versions`]: changes of files while a command waits.
//! * [`passes`]: the passes that run before a program, and the messages about them.
//! * [`report`] writes messages to standard error, [`progress`] shows the progress of long
//!   operations; [`failure`] and [`exit`] determine how a command ends.
//!
//! Nothing here depends on a subcommand or a session.

#![allow(
    clippy::result_large_err,
    reason = "a message is created once, where a command ends, and its fields are public and plain"
)]

pub mod access;
pub mod checkpoint;
mod cleanup;
pub mod cost;
pub mod destination;
pub mod entry;
pub mod exit;
pub mod failure;
pub mod file_roles;
pub mod file_set;
pub mod files;
pub mod flags;
pub mod host;
pub mod incremental_file;
pub mod limits;
pub mod machines;
pub mod nonblocking;
pub mod output;
pub mod passes;
pub mod progress;
pub mod report;
pub mod save;
pub mod shared_file;
pub mod size_args;
pub mod sources;
pub mod stream;
pub mod temporary;
pub mod terminal;
pub mod versions;
pub mod watchdog;
pub mod whole_file;
