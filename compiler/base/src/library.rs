//! The library that every program can use, as source text.

/// The sources that are part of the toolchain.
#[derive(Debug, Clone, Copy, Default)]
pub struct Library {
    /// Modules visible to every program: name and text.
    pub basic: &'static [(&'static str, &'static str)],
    /// Modules imported as `"star:NAME"`: name and text.
    pub modules: &'static [(&'static str, &'static str)],
}
