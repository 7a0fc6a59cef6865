//! The command `star` from outside: every test runs the binary in a separate folder.

#![allow(clippy::unwrap_used, reason = "what a test cannot set up is its failure")]

mod arguments;
mod bench;
mod book;
mod checkpoints;
mod dev;
mod disk;
mod doc;
mod doctor;
#[cfg(target_os = "linux")]
mod endless;
mod examples;
mod exit_codes;
mod figures;
mod files;
mod fmt;
mod formats;
mod generate;
mod graph;
mod graph_files;
mod grids;
mod help;
#[cfg(target_os = "linux")]
mod idle_readers;
mod interrupts;
mod intrinsics;
#[cfg(target_os = "linux")]
mod keys;
mod limits;
mod lines;
mod lsp;
mod messages;
mod moving;
mod new;
mod output;
mod page;
mod parts;
mod profile;
mod readers;
mod records;
mod reference;
mod repl;
mod reports;
mod results;
mod roles;
mod site;
mod sources;
mod sparse;
mod support;
mod system;
#[cfg(target_os = "linux")]
mod terminal;
mod test;
mod tiny_examples;
mod updates;
mod view;
mod widths;
