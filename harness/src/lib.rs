//! Shared code of tests and benchmarks: headers in comments that specify runs and their values, and
//! the machines for these runs.
//!
//! * [`mod@header`]: headers, parsed from the comments of a file.
//! * [`template`] and [`expr`]: the values in them, with integer expressions in braces.
//! * [`cases`]: the combinations of values that a header specifies, smallest first.
//! * [`machines`]: backends with other settings that must not affect results; [`mod@mode`]: as
//!   lowered, or optimised; [`compare`]: differences between two runs.
//! * [`mod@shrink`]: smaller inputs that still fail.
//!
//! This crate reads no files, binds no values to parameters, and does not depend on a command line.

#![allow(
    clippy::result_large_err,
    reason = "a message is created once for each invalid header, and its fields are public and \
        plain"
)]

mod card_team;
pub mod cases;
pub mod compare;
pub mod expr;
pub mod header;
pub mod machines;
pub mod mode;
pub mod shrink;
pub mod template;

pub use cases::{Binding, Case, MAX_CASES, Purpose};
pub use compare::{Difference, difference};
pub use header::{Definition, Expectation, Expected, Header, HeaderKind, Name, Published, headers};
pub use machines::{CARDS, DEVICES, MACHINES, MachineSpec, TEAMS};
pub use mode::Mode;
pub use shrink::shrink;
