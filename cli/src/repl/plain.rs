//! Events as text: output of the program and the session is written to standard output, messages to
//! standard error, in chronological order.

use star_base::{Code, Diagnostic};
use star_report::message::Style;

use star_os::output::Output;
use star_os::report::{self, Reporter};
use star_repl::event::{Event, Sink};
use star_repl::show::{self, Screen};
use star_value::BitsRef;

use super::editor;
use crate::inline::Inline;
use crate::view;

/// Writes events as text.
pub(crate) struct Plain<'a> {
    output: &'a mut Output,
    reporter: Reporter,
    /// How the terminal shows pictures.
    inline: Inline,
    /// The table that was shown last.
    last_table: Option<String>,
}

impl<'a> Plain<'a> {
    /// Creates a writer for this output; messages use this reporter.
    pub(crate) fn new(output: &'a mut Output, reporter: Reporter, inline: Inline) -> Self {
        Plain { output, reporter, inline, last_table: None }
    }

    /// Returns the reporter of messages.
    pub(super) fn reporter(&self) -> Reporter {
        self.reporter
    }

    /// Flushes the buffer; returns `false` if the output is closed.
    pub(crate) fn flush(&mut self) -> bool {
        self.output.flush()
    }
}

impl Sink for Plain<'_> {
    fn show(&mut self, event: Event<'_>) -> bool {
        match event {
            // The reader should see the progress of the program.
            Event::Printed(text) => self.output.write(text) && self.output.flush(),
            Event::Answer(text) => self.output.write(text),
            Event::Picture(text) => self.output.write_styled(text),
            Event::Value { view, slot } => {
                let text = show::shown(view, slot, self.last_table.as_deref(), self.screen());
                if show::is_table(view, slot) {
                    self.last_table = Some(slot.to_owned());
                }
                self.output.write_styled(&(text + "\n"))
            }
            Event::Message(sources, diagnostic) => {
                // A failure of the output is reported once, at its end.
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

    fn draw(&mut self, bits: BitsRef<'_>) -> Result<(), Diagnostic> {
        let drawing = view::of_bits(bits, "it", view::palette(false));
        let drawing = drawing.map_err(|error| error.to_diagnostic())?;
        match self.inline.show(self.output, &|| view::pixels(&drawing)) {
            true => Ok(()),
            false => Err(Diagnostic::new(Code::Usage, "this terminal shows no pictures")
                .note("it announces no protocol of kitty or iTerm2, and no sixels")
                .help("`:show` shows bits as text, `:dump` writes a picture to a `.png` file")),
        }
    }

    fn screen(&self) -> Screen {
        let style = match self.output.is_terminal() && report::may_colour() {
            true => Style::Coloured,
            false => Style::Plain,
        };
        Screen { width: self.width(), style, ..Screen::default() }
    }
}

/// A front end: it writes events as text, and `answers` provides the lines requested by a stopped
/// run.
pub(super) struct FrontEnd<'a, 'o, A> {
    pub(super) plain: &'a mut Plain<'o>,
    pub(super) answers: A,
    /// The text that the user edited last.
    pub(super) edited: Option<String>,
}

impl<A: FnMut(&mut Plain<'_>, &str) -> Option<String>> Sink for FrontEnd<'_, '_, A> {
    fn show(&mut self, event: Event<'_>) -> bool {
        self.plain.show(event)
    }

    fn width(&self) -> usize {
        self.plain.width()
    }

    fn screen(&self) -> Screen {
        self.plain.screen()
    }

    fn ask(&mut self, prompt: &str) -> Option<String> {
        (self.answers)(self.plain, prompt)
    }

    fn draw(&mut self, bits: BitsRef<'_>) -> Result<(), Diagnostic> {
        self.plain.draw(bits)
    }

    fn edit(&mut self, text: &str) -> Result<String, Diagnostic> {
        self.plain.flush();
        let edited = editor::edit(text)?;
        self.edited = Some(edited.clone());
        Ok(edited)
    }
}
