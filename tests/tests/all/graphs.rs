//! The graph procedures of the library against independent references.
//!
//! Each module of the library has a file of its own here, with a function `play`: one random
//! instance, all procedures of the module run on it, every result compared. The seed of an instance
//! that fails is in the message.
//!
//! * `variants` plays some instances again on the bodies of the library in place of the machine's
//!   operations, and on the raw listings: values must be equal.
//! * `streams` runs the examples that follow update streams, against answers computed anew.
//! * `counts` looks at elementary operations: formulas of the comments, growth with n.
//! * `steps` has what the procedures of `paths` share.
//! * `widths`: fields that are too narrow end in an error, never in a wrong result.
//! * `real`: graphs of the shared data folder, on the CPU backend alone.
//! * `module`, `random`, `values`, `reference` are what the others share.

mod closure;
mod counts;
mod dynmst;
mod edmonds;
mod gabow;
mod italiano;
mod module;
mod moving;
mod mst;
mod paths;
mod ramalingam;
mod random;
mod reach;
mod real;
mod reference;
mod steps;
mod streams;
mod updates;
mod values;
mod variants;
mod widths;
