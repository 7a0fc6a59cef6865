//! The steps from a program to its results, for tools that need more than [`crate::Program`] and
//! [`crate::Session`]. Their interfaces may change with every version.
//!
//! 1. [`check`]: text with its imports to a checked [`Compilation`].
//! 2. [`Build`]: lowering to SIR and the passes; [`EntryPoint`]: a routine that can be run.
//! 3. [`Machine::compile`]: SIR to the executable form of a backend. [`backends`] lists them,
//!    [`choice`] selects one.
//! 4. [`Compiled::load_laid_out`]: arguments to values of the backend, and a plan;
//!    [`Compiled::place`] and [`Compiled::plan`] if tables arrive by ranges of columns.
//! 5. [`LoadedRoutine::run`]: the run, which [`star_vm::Control`] limits, interrupts and profiles.
//! 6. [`LoadedRoutine::into_results`]: the results; [`describe`]: the message for a run that
//!    failed.
//!
//! [`SessionState`] takes the same steps for the consecutive texts of a session, and [`RunResult`]
//! holds everything that a single run leaves.

pub mod backends;
mod build;
pub mod choice;
mod function_entry;
mod machine;
mod outcome;
mod parts;
mod routine_run;
mod session_state;
mod values;

pub use star_compiler::{Compilation, LowerOptions, SourceLoader};
pub use star_stdlib::LIBRARY;
pub use star_value::Argument;
pub use star_vm::{self as vm, CompileOptions};

pub use build::{Build, EntryPoint, check, optimise, reoptimise};
pub use machine::{Compiled, LoadedRoutine, Machine, on};
pub use outcome::{
    broken_pass, describe, device_lost, internal, limit_of, refused_by_backend, unsupported,
    unwrapped,
};
#[cfg(feature = "files")]
pub use parts::SharedRows;
pub use parts::{PlaceError, PlacedArguments, PlacedTable, RoutineResult};
pub use routine_run::{Printed, RunResult};
pub use session_state::{Group, RESULT, SessionState, Work, groups};
pub use values::{Job, Values};
