//! The natives of the library: a file for each module that has some.

pub mod closure;

use super::Native;

/// All of them, in the order of lists.
pub const ALL: &[Native] =
    &[closure::CLOSURE, closure::CONDENSE, closure::REACHES, closure::REACHABLE];
