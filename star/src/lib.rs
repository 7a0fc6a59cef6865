//! Star programs from Rust.
//!
//! ```
//! let program = star::Program::parse("
//!     procedure CLOSE(n: integer; var P: table);
//!       var X: slice(P); i, j: integer;
//!     begin
//!       for i := 1 to n do begin
//!         X := COL(i, P);
//!         foreach j in X do ROW(j, P) := ROW(j, P) or ROW(i, P);
//!       end;
//!     end;
//! ")?;
//! let out = program.call("CLOSE", star::args![n = 3, P = "010 001 000"])?;
//! assert_eq!(out.table("P")?.to_rows(), ["011", "001", "000"]);
//! # Ok::<(), star::Error>(())
//! ```
//!
//! * [`Program`] is a checked text; [`Program::call`] calls one of its routines with [`Args`].
//! * [`Run`] is such a call with a choice of the [`Machine`], [`Limits`], a flag for interruption,
//!   and a receiver for the printed text. It can be repeated.
//! * [`Outputs`] are the results by name: each is a [`Value`].
//! * [`Session`] reads consecutive texts: definitions, statements and expressions over variables
//!   that keep their values, also after a trap.
//! * [`Error`] says why something failed. [`Diagnostics`] are messages with their places.
//!
//! # Features
//!
//! | feature | effect |
//! |---|---|
//! | `threads` (default) | the CPU backend uses all cores |
//! | `files` | arguments and programs from files: `Args::graph`, `Args::text`, `Program::open` |
//! | `render` | messages with excerpts of the source, `Diagnostics::render` |
//! | `gpu` | the backend for graphics cards, `Machine::find("gpu")` |
//!
//! Without features the crate uses no file, thread, clock or terminal, and compiles for
//! `wasm32-unknown-unknown`.
//!
//! # Stability
//!
//! The items of this page are the interface. Enumerations that may grow are marked
//! `#[non_exhaustive]`; fields of [`Limits`] and [`Stats`] may be added. The module [`pipeline`] is
//! for tools, and may change with every version.

#![allow(
    clippy::result_large_err,
    reason = "a message is created once, where a call ends, and its fields are public and plain"
)]

mod args;
mod diagnostics;
mod error;
#[cfg(feature = "files")]
mod files;
mod outputs;
pub mod pipeline;
mod program;
mod run;
mod session;

pub use star_base::{Code, Diagnostic, Kind};
pub use star_value::{BitTable, BitVector as Bits, Table, Value};
pub use star_vm::{Limits, Stats};

pub use args::Args;
pub use diagnostics::Diagnostics;
pub use error::{Error, Stopped};
pub use outputs::Outputs;
pub use pipeline::Machine;
pub use program::{Parameter, Program};
pub use run::Run;
pub use session::{Entered, Session};

/// The chapter of the book, tested.
#[cfg(doctest)]
#[doc = include_str!("../../docs/src/embedding.md")]
struct Chapter;
