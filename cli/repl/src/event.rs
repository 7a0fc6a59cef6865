//! Events that a session emits to its display.

use star_base::{Code, Diagnostic, SourceMap};
use star_value::BitsRef;

use super::show::Screen;
use super::view::View;

/// An event to show. Events are in chronological order.
pub enum Event<'a> {
    /// The program printed text, line break included.
    Printed(&'a str),
    /// The value of an expression.
    Value {
        /// All variables, including the value.
        view: &'a View<'a>,
        /// The slot of [`View`] that holds the value: a variable or the result of an expression.
        slot: &'a str,
    },
    /// A diagnostic for a text of the session.
    Message(&'a SourceMap, &'a Diagnostic),
    /// A note without a source position.
    Note(&'a str),
    /// The answer of a command, line breaks included.
    Answer(&'a str),
    /// A picture of values, line breaks and colours included.
    Picture(&'a str),
}

/// A display for events.
pub trait Sink {
    /// Shows an event. Returns `false` if the output is closed.
    fn show(&mut self, event: Event<'_>) -> bool;

    /// Returns the width of a line in characters.
    fn width(&self) -> usize;

    /// Returns the dimensions for pictures.
    fn screen(&self) -> Screen {
        Screen { width: self.width(), ..Screen::default() }
    }

    /// Reads a line that tells how to continue; `None` at the end of the input.
    fn ask(&mut self, _prompt: &str) -> Option<String> {
        None
    }

    /// Draws bits in the terminal.
    ///
    /// # Errors
    /// If there is no terminal that shows pictures, or there are no bits to draw.
    fn draw(&mut self, _bits: BitsRef<'_>) -> Result<(), Diagnostic> {
        Err(Diagnostic::new(Code::Usage, "this session has no terminal that shows pictures"))
    }

    /// Lets the user edit a text; returns the result.
    ///
    /// # Errors
    /// If there is no editor, or it fails.
    fn edit(&mut self, _text: &str) -> Result<String, Diagnostic> {
        Err(Diagnostic::new(Code::Usage, "this session has no editor"))
    }
}
