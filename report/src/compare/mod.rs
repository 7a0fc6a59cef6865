//! Two records beside each other: [`mod@pairs`] finds the rows that are about the same thing and what became
//! of them, [`lines`] shows that to people and to scripts.

pub mod lines;
pub mod pairs;

pub use pairs::{Difference, Pair, pairs};
