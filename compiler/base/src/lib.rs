//! The base crate of the Star toolchain: types shared by all other crates.
//!
//! * [`span`]: places in source text.
//! * [`diagnostic`], [`codes`]: messages to the user and their catalogue.
//! * [`builtins`]: the catalogue of built-ins; [`intrinsics`]: the catalogue of intrinsics;
//!   [`language`]: documentation of the words of the language; [`library`]: the type of the
//!   standard library.
//! * [`kind`]: types without sizes.
//! * [`text`]: text fragments for messages; [`quantity`]: numbers and sizes in human-readable form.
//! * [`record`]: the fields of tables of records, by their names in files.
//! * [`random`]: numbers from a seed, for tests and measurements.
//!
//! This crate does not use files, the environment, standard output or the clock.

pub mod builtins;
pub mod codes;
pub mod diagnostic;
pub mod intrinsics;
pub mod kind;
pub mod language;
pub mod library;
pub mod quantity;
pub mod random;
pub mod record;
pub mod span;
pub mod text;

pub use builtins::Builtin;
pub use codes::{Code, Severity};
pub use diagnostic::{DataPlace, Diagnostic, Fix, Label, certain_fixes, did_you_mean, fixed};
pub use intrinsics::Intrinsic;
pub use kind::Kind;
pub use library::Library;
pub use random::{Random, mix64};
pub use span::{FileId, LineColumn, SourceFile, SourceMap, Span};
