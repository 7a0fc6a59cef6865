//! Comparison of records: [`mod@pairs`] matches the rows of two and classifies their differences,
//! [`lines`] formats them for people and for scripts; [`mod@history`] follows rows through several.

pub mod history;
pub mod lines;
pub mod pairs;

pub use history::{Past, as_plots, history, history_text};
pub use pairs::{Difference, Pair, pairs};
