//! Shared code of tests and benchmarks: headers in comments that specify runs and their values, and
//! the machines for these runs.
//!
//! * [`mod@header`]: headers, parsed from the comments of a file.
//! * [`template`] and [`expr`]: the values in them, with integer expressions in braces.
//! * [`cases`]: the combinations of values that a header specifies, smallest first.
//! * [`backends`]: the backends by name, [`choice`]: the best one for a program; [`machines`]:
//!   backends with other settings that must not affect results; [`machine`]: programs on one of
//!   them, for any number of runs; [`mod@mode`]: as lowered, or optimised.
//! * [`mod@run`]: one run with all its results; [`compare`]: differences between two runs.
//! * [`mod@shrink`]: smaller inputs that still fail.
//!
//! This crate reads no files, binds no values to parameters, and does not depend on a command line.

#![allow(
    clippy::result_large_err,
    reason = "a message is created once for each invalid header, and its fields are public and \
        plain"
)]

pub mod backends;
pub mod cases;
pub mod choice;
pub mod compare;
pub mod expr;
pub mod header;
pub mod machine;
pub mod machines;
pub mod mode;
pub mod routine_run;
pub mod shrink;
pub mod template;

pub use backends::{Availability, BACKENDS, BackendSpec, register_code};
pub use cases::{Binding, Case, MAX_CASES, Purpose};
pub use compare::{Difference, difference};
pub use header::{Definition, Expectation, Expected, Header, HeaderKind, Name, Published, headers};
pub use machine::{Compiled, LoadedRoutine, Machine, on};
pub use machines::{Configuration, DEVICES, MACHINES};
pub use mode::Mode;
pub use routine_run::{Printed, RunResult};
pub use shrink::shrink;
pub use star_vm::Argument;
