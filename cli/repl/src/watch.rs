//! `:watch`: loaded files are loaded again if they changed, while the session waits for an entry or
//! before it runs.

use std::path::PathBuf;

use star_base::text;
use star_os::versions::Versions;

use super::event::{Event, Sink};
use super::program::relative_to;
use super::session::Session;

impl Session {
    /// Records the current versions of the loaded files.
    pub(super) fn note_versions(&mut self) {
        self.versions = self.versions_now();
    }

    /// Tests whether the session watches files.
    pub fn watches(&self) -> bool {
        self.settings.watch && !self.files.is_empty()
    }

    /// Loads the files again if one of them changed while the session waits for an entry.
    pub fn catch_up(&mut self, sink: &mut dyn Sink) {
        self.wake();
        self.load_changed(sink);
    }

    /// Loads the files again if one of them changed.
    pub(super) fn load_changed(&mut self, sink: &mut dyn Sink) {
        if !self.watches() {
            return;
        }
        let now = self.versions_now();
        let changed = self.versions.changed(&now);
        if changed.is_empty() {
            return;
        }
        let verb = if changed.len() == 1 { "has" } else { "have" };
        sink.show(Event::Note(&format!("{} {verb} changed", text::quoted_list(changed))));
        if let Err(diagnostic) = self.reload(sink) {
            self.refuse(&diagnostic, sink);
        }
        // A file that does not compile is reported once.
        self.versions = now;
        let imports = self.versions_now();
        self.versions.extend(imports);
    }

    /// Notes that an entry uses definitions of files that changed and could not be loaded since.
    pub(super) fn note_stale(&self, sink: &mut dyn Sink) {
        if self.watches() && !self.stale.is_empty() {
            let files = text::quoted_list(&self.stale);
            sink.show(Event::Note(&format!(
                "this uses the definitions of {files} before the errors"
            )));
        }
    }

    /// Returns the versions of the loaded files and of their imports.
    fn versions_now(&self) -> Versions {
        let imports = self.state.definitions.imports();
        let imports = imports
            .filter(|(path, importer)| !importer.is_empty() && !path.starts_with("star:"))
            .map(|(path, importer)| relative_to(path, importer));
        let files = self.files.iter().map(PathBuf::from).chain(imports);
        Versions::of(files)
    }
}
