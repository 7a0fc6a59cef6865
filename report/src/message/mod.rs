//! Messages: as text with the relevant source lines, or as JSON for editors and scripts.

mod excerpt;
pub mod json;
mod render;

pub use render::{Remark, Style, remark, render};
