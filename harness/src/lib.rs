//! What tests and benchmarks share: the header in a comment that says what is run with which values.
//!
//! * [`mod@header`]: headers as they are written, read from the comments of a file.
//! * [`template`] and [`expr`]: the values in them, with integer expressions in braces.
//! * [`cases`]: the combinations of values that a header asks for, smallest first.
//! * [`measure`]: how often to run, what the samples say, and whether two sets of them differ.
//! * [`record`]: what a run of benchmarks leaves, and the file of that.
//!
//! Nothing here reads a file, binds a value to a parameter or knows a command line.

#![allow(
    clippy::result_large_err,
    reason = "a message is made once for each header that is wrong, and its fields are public and plain"
)]

pub mod cases;
pub mod expr;
pub mod header;
pub mod measure;
pub mod record;
pub mod template;

pub use cases::{Case, Given, MAX_CASES, Purpose};
pub use header::{Definition, Expectation, Expected, Header, Kind, Name, headers};
