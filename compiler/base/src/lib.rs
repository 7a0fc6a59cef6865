//! The ground floor of the Star toolchain: what every other crate talks about.
//!
//! * [`span`]: places in source text.
//! * [`diagnostic`], [`codes`]: messages to the user and their catalogue.
//! * [`builtins`]: the catalogue of built-ins; [`intrinsics`]: that of intrinsics; [`language`]: the words of the
//!   language for people.
//! * [`bits`]: packed bit vectors and tables, the form in which values enter and leave a machine;
//!   [`bits_ref`]: either of them, borrowed.
//! * [`kind`]: types without sizes.
//! * [`text`]: pieces of wording; [`quantity`]: numbers and sizes as people write them.
//! * [`limbs`], [`zeros`]: their memory.
//! * [`random`]: numbers from a seed, for tests and measurements.
//!
//! Nothing here touches files, the environment, standard output or the clock.

pub mod bits;
pub mod bits_ref;
pub mod builtins;
pub mod codes;
pub mod diagnostic;
pub mod intrinsics;
pub mod kind;
pub mod language;
pub mod limbs;
pub mod quantity;
pub mod random;
pub mod span;
pub mod sparse;
pub mod text;
pub mod zeros;

pub use bits::{BitTable, BitVector, stride_of};
pub use bits_ref::BitsRef;
pub use builtins::Builtin;
pub use codes::{Code, Severity};
pub use diagnostic::{DataPlace, Diagnostic, Fix, Label, did_you_mean};
pub use intrinsics::Intrinsic;
pub use kind::Kind;
pub use limbs::{Limbs, OutOfMemory};
pub use random::{Random, mix64};
pub use span::{FileId, LineColumn, SourceFile, SourceMap, Span};
pub use sparse::{SparseLine, SparseLines, SparseTable};
pub use zeros::Zeros;
