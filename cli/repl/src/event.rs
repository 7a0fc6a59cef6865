//! What a session says, for whoever shows it.

use star_base::{Diagnostic, SourceMap};

use super::show::Screen;
use super::view::View;

/// Something to show. Events come in the order in which things happen.
pub enum Event<'a> {
    /// The program printed a text, line break included.
    Printed(&'a str),
    /// An expression has a value.
    Value {
        /// All variables, the value among them.
        view: &'a View<'a>,
        /// The slot of [`View`] that holds the value: a variable, or the result of an expression.
        slot: &'a str,
    },
    /// A message about a text of the session.
    Message(&'a SourceMap, &'a Diagnostic),
    /// A remark without a place.
    Note(&'a str),
    /// The answer of a command, line breaks included.
    Answer(&'a str),
}

/// Shows events.
pub trait Sink {
    /// Shows one. `false` if nobody listens any more.
    fn show(&mut self, event: Event<'_>) -> bool;

    /// Characters in a line.
    fn width(&self) -> usize;

    /// What pictures are drawn for.
    fn screen(&self) -> Screen {
        Screen { width: self.width(), ..Screen::default() }
    }

    /// A line that says how a run goes on that has stopped; `None` if there will be none any more.
    fn ask(&mut self) -> Option<String> {
        None
    }
}
