//! Messages: as text with the lines of the source that they are about, or as JSON for editors and scripts.

mod excerpt;
pub mod json;
mod render;

pub use render::{Remark, Style, remark, render};
