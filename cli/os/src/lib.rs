//! Where the command `star` meets the world; the only crate of ours, besides the command itself, that does.
//!
//! * [`sources`], [`files`] (with [`access`]; [`nonblocking`] are those that may keep one waiting),
//!   [`save`] (each at its [`destination`], as a [`incremental_file`]): files that are read and written;
//!   [`output`] (over a [`stream`]) is standard output.
//! * [`engine`]: the backends by their names; [`entry`] describes a routine to be run, [`host`] serves the program,
//!   [`limits`] (with [`size_args`]) bound it, [`flags`] end it, and a [`watchdog`] while it is compiled, [`cost`] says what it used.
//! * [`passes`]: which passes run before a program does, and what is said about them.
//! * [`report`] writes messages to standard error, [`progress`] shows how far something is; [`failure`] and [`exit`] say
//!   how a command ends.
//!
//! Nothing here knows a subcommand or a session.

#![allow(
    clippy::result_large_err,
    reason = "a message is made once, where a command ends, and its fields are public and plain"
)]

pub mod access;
pub mod cost;
pub mod destination;
pub mod engine;
pub mod entry;
pub mod exit;
pub mod failure;
pub mod files;
pub mod flags;
pub mod host;
pub mod incremental_file;
pub mod limits;
pub mod nonblocking;
pub mod output;
pub mod passes;
pub mod progress;
pub mod report;
pub mod save;
pub mod size_args;
pub mod sources;
pub mod stream;
pub mod watchdog;
