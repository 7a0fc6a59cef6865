//! What is known about the variables of a routine before it is lowered.
//!
//! * [`webs`]: which mentions of a variable belong together, and where it may be unset.
//! * [`summary`]: what a routine does to its `var` parameters.

pub(crate) mod lints;
pub(crate) mod summary;
pub(crate) mod webs;
