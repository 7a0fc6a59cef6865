//! What tests and benchmarks share: the header in a comment that says what is run with which values, and
//! the machines that it is run on.
//!
//! * [`mod@header`]: headers as they are written, read from the comments of a file.
//! * [`template`] and [`expr`]: the values in them, with integer expressions in braces.
//! * [`cases`]: the combinations of values that a header asks for, smallest first.
//! * [`backends`]: the backends by their names, [`choice`]: which of them suits a program; [`machines`]: the same with other settings that must not matter;
//!   [`machine`]: programs on one of them, run as often as wanted; [`mod@mode`]: as lowered, or optimised.
//! * [`mod@run`]: one run with all that it left behind; [`compare`]: what two runs differ in.
//! * [`mod@shrink`]: smaller inputs that fail as well.
//!
//! Nothing here reads a file, binds a value to a parameter or knows a command line.

#![allow(
    clippy::result_large_err,
    reason = "a message is made once for each header that is wrong, and its fields are public and plain"
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
pub mod run;
pub mod shrink;
pub mod template;

pub use backends::{Availability, BACKENDS, BackendSpec, register_code};
pub use cases::{Binding, Case, MAX_CASES, Purpose};
pub use compare::{Difference, difference};
pub use header::{Definition, Expectation, Expected, Header, HeaderKind, Name, Published, headers};
pub use machine::{Compiled, LoadedRoutine, Machine, on};
pub use machines::{Configuration, DEVICES, MACHINES};
pub use mode::Mode;
pub use run::{Printed, RunResult};
pub use shrink::shrink;
pub use star_vm::Argument;
