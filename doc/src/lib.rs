//! The documentation of the language, its library and the user's files, from the comments in them.
//!
//! * [`catalogue`]: what is documented, and how a name is looked up.
//! * [`mod@search`]: what speaks of a word, the sections of [`guides`] among it.
//! * [`plain`] makes text of it, [`mod@site`] a site of HTML.
//!
//! Nothing here opens a file or runs an example.

#![allow(
    clippy::result_large_err,
    reason = "a message is made once, where a name is not found, and its fields are public and plain"
)]

pub mod catalogue;
pub mod guides;
mod links;
pub mod plain;
pub mod search;
mod site;

pub use catalogue::{Catalogue, Module, Topic};
pub use site::site;
