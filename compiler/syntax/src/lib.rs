//! From text to syntax tree: lexer, grammar, tree; and what comments say ([`doc`]).
//!
//! [`parse`] returns the tree *and* the messages: a statement or routine that could not be read is
//! left out or stands there as an error node, everything else is as written.
//!
//! This crate knows nothing of names, types and imports, and reads no files.

pub mod ast;
pub mod doc;
mod lexemes;
pub mod parser;
mod prepass;
mod state;
pub mod token;

pub use lexemes::lexemes;
pub use parser::{Parsed, is_reserved, mentions, parse};

#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    unused,
    reason = "generated code"
)]
mod grammar {
    include!(concat!(env!("OUT_DIR"), "/grammar.rs"));
}
