//! Events as text: what the program and the session say goes to standard output, messages go to standard
//! error, in the order in which they come.

use star_vm::{StoreError, display};

use super::event::{Event, Sink};
use crate::output::Output;
use crate::report::Reporter;

/// Writes events as text.
pub(crate) struct Plain<'a> {
    output: &'a mut Output,
    reporter: Reporter,
}

impl<'a> Plain<'a> {
    /// Writes to this output, messages through this reporter.
    pub(crate) fn new(output: &'a mut Output, reporter: Reporter) -> Self {
        Plain { output, reporter }
    }

    /// Brings out what is in the buffer; `false` if nobody reads it.
    pub(crate) fn flush(&mut self) -> bool {
        self.output.flush()
    }
}

impl Sink for Plain<'_> {
    fn show(&mut self, event: Event<'_>) -> bool {
        match event {
            // Whoever listens wants to know how far the program is.
            Event::Printed(text) => self.output.write(text) && self.output.flush(),
            Event::Answer(text) => self.output.write(text),
            Event::Value { view, slot } => {
                let text = match view.value(slot) {
                    Ok(value) => display::long(display::Shown::from(&value)),
                    Err(StoreError::OutOfMemory(_)) => "there is no memory to show it".to_owned(),
                    Err(StoreError::Interrupted) => "interrupted".to_owned(),
                };
                self.output.write(&(text + "\n"))
            }
            Event::Message(sources, diagnostic) => {
                self.output.flush();
                self.reporter.diagnostic(sources, diagnostic);
                true
            }
            Event::Note(text) => {
                self.output.flush();
                self.reporter.note(text);
                true
            }
        }
    }

    fn width(&self) -> usize {
        self.output.width()
    }
}
