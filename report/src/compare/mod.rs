//! Comparison of two records: [`mod@pairs`] matches rows and classifies their differences,
//! [`lines`] formats them for people and for scripts.

pub mod lines;
pub mod pairs;

pub use pairs::{Difference, Pair, pairs};
