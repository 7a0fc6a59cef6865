//! Analyses of a routine's variables before lowering.
//!
//! * [`webs`]: which mentions of a variable belong together, and where it may be unset.
//! * [`usage`]: which variables are never mentioned or never read.
//! * [`summary`]: the effects of a routine on its `var` parameters.

pub(crate) mod lints;
pub(crate) mod parallel;
pub(crate) mod summary;
pub(crate) mod usage;
pub(crate) mod webs;
