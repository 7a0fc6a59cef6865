//! A session: texts that come one after another, each seeing what those before it declared.

mod environment;

pub use environment::{Environment, Variable};
