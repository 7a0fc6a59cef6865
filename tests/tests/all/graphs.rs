//! The graph procedures of the library against independent references.
//!
//! Each module of the library has a separate file here, with a function `play`: it creates one
//! random instance, runs all procedures of the module on it, and compares every result. The seed of
//! a failing instance is in the message.
//!
//! * `variants` replays some instances on the bodies of the library in place of the machine's
//!   operations, and on the raw listings: values must be equal.
//! * `streams` runs the examples that follow update streams, against recomputed answers.
//! * `counts` checks elementary operations: formulas of the comments, growth with n.
//! * `steps` checks what the procedures of `paths` share.
//! * `widths`: fields that are too narrow end in an error, never in a wrong result.
//! * `real`: graphs of the shared data folder, on the CPU backend alone.
//! * `module`, `random`, `values`, `reference` are shared helpers.

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
