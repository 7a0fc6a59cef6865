//! The command `star` from outside: every test runs the binary in a folder of its own.

#![allow(clippy::unwrap_used, reason = "what a test cannot set up is its failure")]

mod arguments;
mod disk;
mod doctor;
mod exit_codes;
mod files;
mod formats;
mod generate;
mod interrupts;
mod limits;
mod messages;
mod natives;
mod output;
mod sources;
mod support;
