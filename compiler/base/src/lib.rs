//! The base crate of the Star toolchain: types shared by all other crates.
//!
//! * [`span`]: places in source text.
//! * [`diagnostic`], [`codes`]: messages to the user and their catalogue.
//! * [`builtins`]: the catalogue of built-ins; [`intrinsics`]: the catalogue of intrinsics;
//!   [`language`]: documentation of the words of the language; [`library`]: the type of the
//!   standard library.
//! * [`bits`]: packed bit vectors and tables; [`table`]: tables in the forms in which they enter and
//!   leave a machine; [`bits_ref`]: any of them, borrowed.
//! * [`kind`]: types without sizes.
//! * [`text`]: text fragments for messages; [`quantity`]: numbers and sizes in human-readable form.
//! * [`limbs`], [`zeros`]: their memory; [`transpose`]: blocks of 64 × 64 bits.
//! * [`random`]: numbers from a seed, for tests and measurements.
//!
//! This crate does not use files, the environment, standard output or the clock.

pub mod bits;
pub mod bits_ref;
pub mod builtins;
pub mod codes;
pub mod diagnostic;
pub mod intrinsics;
pub mod kind;
pub mod language;
pub mod library;
pub mod limbs;
pub mod quantity;
pub mod random;
pub mod span;
pub mod sparse;
pub mod table;
pub mod text;
pub mod transpose;
pub mod zeros;

pub use bits::{BitTable, BitVector, stride_of};
pub use bits_ref::BitsRef;
pub use builtins::Builtin;
pub use codes::{Code, Severity};
pub use diagnostic::{DataPlace, Diagnostic, Fix, Label, certain_fixes, did_you_mean, fixed};
pub use intrinsics::Intrinsic;
pub use kind::Kind;
pub use library::Library;
pub use limbs::{Limbs, OutOfMemory};
pub use random::{Random, mix64};
pub use span::{FileId, LineColumn, SourceFile, SourceMap, Span};
pub use sparse::{SparseLine, SparseLines, SparseTable};
pub use table::{Table, TableRef};
pub use zeros::Zeros;
