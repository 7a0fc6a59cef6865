//! The documentation of the language, its library and the user's files, from the comments in them.
//!
//! * [`catalogue`]: the documented items and the lookup of names.
//! * [`mod@search`]: full-text search, including the sections of [`chapters`].
//! * [`plain`] formats it as text, [`markdown`] as pages of the book, [`mod@site`] as an HTML site.
//!
//! This crate opens no files and runs no examples.

#![allow(
    clippy::result_large_err,
    reason = "a message is created once, when a name is not found, and its fields are public"
)]

pub mod catalogue;
pub mod chapters;
mod links;
pub mod markdown;
pub mod plain;
pub mod search;
mod site;

pub use catalogue::{Catalogue, Module, Topic};
pub use site::{INDEX, site};
