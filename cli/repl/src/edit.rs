//! `:edit`: the last entry, or a definition, in the user's editor.

use star_base::{Code, Diagnostic, did_you_mean, text};

use super::event::{Event, Sink};
use super::session::{Flow, Session};

impl Session {
    /// Lets the user edit the last entry or a definition, and runs the result.
    pub(super) fn edit(&mut self, name: &str, sink: &mut dyn Sink) -> Result<Flow, Diagnostic> {
        if self.is_editing {
            let message = "an edited text cannot start the editor";
            return Err(Diagnostic::new(Code::Usage, message));
        }
        let before = match name {
            "" => self.last_entry.clone(),
            name => self.editable(name)?,
        };
        let edited = sink.edit(&before)?;
        // Ctrl-C in the editor does not concern the entry.
        self.wake();
        if edited.trim().is_empty() || edited.trim_end() == before.trim_end() {
            sink.show(Event::Note("the text is unchanged or empty, and nothing ran"));
            return Ok(Flow::GoOn);
        }
        self.is_editing = true;
        let flow = self.block(&edited, sink);
        self.is_editing = false;
        Ok(flow)
    }

    /// Returns the text of a definition.
    fn editable(&self, name: &str) -> Result<String, Diagnostic> {
        if let Some(item) = self.state.definitions.item(name) {
            return Ok(self.item_text(item).trim_start().to_owned());
        }
        let items = self.state.definitions.items();
        let names = items.iter().filter_map(star_compiler::session::name_of);
        let message = format!("`{}` is not a definition of this session", text::one_line(name));
        let diagnostic = Diagnostic::new(Code::UnknownName, message);
        Err(match did_you_mean(name, names) {
            Some(meant) => diagnostic.help(format!("did you mean `:edit {meant}`?")),
            None => diagnostic.help("`:edit` alone edits the last entry"),
        })
    }
}
