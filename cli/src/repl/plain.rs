//! Events as text: what the program and the session say goes to standard output, messages go to standard
//! error, in the order in which they come.

use star_base::Code;
use star_report::message::Style;

use star_os::output::Output;
use star_os::report::{self, Reporter};
use star_repl::event::{Event, Sink};
use star_repl::show::{self, Screen};

/// Writes events as text.
pub(crate) struct Plain<'a> {
    output: &'a mut Output,
    reporter: Reporter,
    /// The table that was shown last.
    last_table: Option<String>,
}

impl<'a> Plain<'a> {
    /// Writes to this output, messages through this reporter.
    pub(crate) fn new(output: &'a mut Output, reporter: Reporter) -> Self {
        Plain { output, reporter, last_table: None }
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
                let text = show::shown(view, slot, self.last_table.as_deref(), self.screen());
                if show::is_table(view, slot) {
                    self.last_table = Some(slot.to_owned());
                }
                self.output.write(&(text + "\n"))
            }
            Event::Message(sources, diagnostic) => {
                // Why the output takes no more is told once, when it ends.
                let heard = self.output.flush();
                if heard || diagnostic.code != Code::FileTrap {
                    self.reporter.diagnostic(sources, diagnostic);
                }
                heard
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

    fn screen(&self) -> Screen {
        let style = match self.output.is_terminal() && report::may_colour() {
            true => Style::Coloured,
            false => Style::Plain,
        };
        Screen { width: self.width(), style, ..Screen::default() }
    }
}

/// A front end: events go out as text, and `answers` gives the lines that a run which has stopped asks for.
pub(super) struct FrontEnd<'a, 'o, A> {
    pub(super) plain: &'a mut Plain<'o>,
    pub(super) answers: A,
}

impl<A: FnMut(&mut Plain<'_>) -> Option<String>> Sink for FrontEnd<'_, '_, A> {
    fn show(&mut self, event: Event<'_>) -> bool {
        self.plain.show(event)
    }

    fn width(&self) -> usize {
        self.plain.width()
    }

    fn screen(&self) -> Screen {
        self.plain.screen()
    }

    fn ask(&mut self) -> Option<String> {
        (self.answers)(self.plain)
    }
}
