//! Messages of a session, and reports on definitions.

use std::borrow::Cow;

use star_base::{Code, Diagnostic, SourceMap, text};
use star_compiler::session::{Defined, ItemKind};
use star_os::exit::Exit;

use super::command;
use super::event::{Event, Sink};
use super::log::End;
use super::session::Session;

impl Session {
    /// Reports a diagnostic and fails the line.
    pub fn refuse(&mut self, diagnostic: &Diagnostic, sink: &mut dyn Sink) {
        self.failed(Exit::of(diagnostic.code));
        sink.show(Event::Message(&SourceMap::new(), diagnostic));
    }

    /// Shows diagnostics; returns whether one is an error.
    pub(super) fn report(&mut self, diagnostics: &[Diagnostic], sink: &mut dyn Sink) -> bool {
        for diagnostic in diagnostics {
            if diagnostic.is_error() {
                self.failed(Exit::of(diagnostic.code));
            }
            let diagnostic = self.with_command(diagnostic);
            sink.show(Event::Message(self.state.definitions.sources(), &diagnostic));
        }
        diagnostics.iter().any(Diagnostic::is_error)
    }

    /// For an unknown name that is a command without its colon, replaces other suggestions with the
    /// command.
    fn with_command<'d>(&self, diagnostic: &'d Diagnostic) -> Cow<'d, Diagnostic> {
        let unknown = matches!(diagnostic.code, Code::UnknownName | Code::UnknownRoutine);
        let span = diagnostic.span().filter(|_| unknown);
        let word = span.map(|span| self.state.definitions.sources().slice(span));
        match word.and_then(command::without_colon) {
            None => Cow::Borrowed(diagnostic),
            Some(command) => {
                let mut diagnostic = diagnostic.clone();
                diagnostic.fixes.clear();
                let (usage, about) = command.usage();
                Cow::Owned(diagnostic.help(format!("the command is `{usage}`: {about}")))
            }
        }
    }

    /// Tests whether the first word of a line is a name of the session.
    pub(super) fn means_something(&self, line: &str) -> bool {
        let word = line.trim().trim_end_matches(';').trim_end_matches("()");
        self.state.environment.get(word).is_some() || self.state.definitions.item(word).is_some()
    }

    /// Reports the result of definitions; returns whether all succeeded.
    pub(super) fn tell(&mut self, defined: Defined, sink: &mut dyn Sink) -> bool {
        let Defined { items, refused, broken, mended, diagnostics } = defined;
        let errors = self.report(&diagnostics, sink);
        for item in &items {
            let is_variable = self.state.environment.get(&item.name).is_some();
            if item.kind != ItemKind::Import && is_variable {
                self.keep_value(&item.name);
                if let Some(variable) = self.state.environment.get(&item.name).cloned() {
                    self.log.end(&item.name, End::Replaced, variable);
                }
                self.state.forget(&item.name);
                let name = &item.name;
                sink.show(Event::Note(&format!(
                    "the variable `{name}` was removed: the name now has a definition"
                )));
            }
        }
        if !refused.is_empty() {
            self.failed(Exit::Compile);
            let (names, verb) =
                (text::quoted_list(&refused), if refused.len() == 1 { "is" } else { "are" });
            sink.show(Event::Note(&format!("{names} {verb} not defined by this text")));
        }
        if !broken.is_empty() {
            let names = text::quoted_list(&broken);
            let verb = if broken.len() == 1 { "does" } else { "do" };
            sink.show(Event::Note(&format!(
                "{names} {verb} not match this definition, and cannot be called until one of them \
                    is changed"
            )));
        }
        if !mended.is_empty() {
            let names = text::quoted_list(&mended);
            let verb = if mended.len() == 1 { "fits" } else { "fit" };
            sink.show(Event::Note(&format!("{names} {verb} again")));
        }
        !errors && refused.is_empty()
    }
}
