//! Open documents: their texts with versions, and snapshots of all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::position::Encoding;
use crate::protocol::types::{TextDocumentContentChangeEvent, Uri};
use crate::toolchain::{Overlay, SourceFile, canonical};
use crate::uri;

/// An open document.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// The URI that the client uses.
    pub(crate) uri: Uri,
    /// The version of the text.
    pub(crate) version: i32,
    /// The text.
    pub(crate) source: Arc<SourceFile>,
    /// The canonical path; `None` for a document without a file.
    pub(crate) path: Option<PathBuf>,
}

/// The settings of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Folders from which programs may import files.
    pub(crate) allow_read: Vec<PathBuf>,
}

/// The open documents at one moment. A copy shares all texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    documents: Arc<BTreeMap<String, Document>>,
    overlay: Arc<Overlay>,
    /// The folders of the workspace.
    pub(crate) folders: Arc<Vec<PathBuf>>,
    /// The settings.
    pub(crate) settings: Arc<Settings>,
    /// Increases when files on disk or settings change.
    pub(crate) generation: u64,
}

impl Snapshot {
    /// Returns an open document.
    pub(crate) fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(&uri.0)
    }

    /// Returns all open documents.
    pub(crate) fn documents(&self) -> impl Iterator<Item = &Document> {
        self.documents.values()
    }

    /// Returns the open document of a file.
    pub(crate) fn at_path(&self, path: &Path) -> Option<&Document> {
        self.documents.values().find(|document| document.path.as_deref() == Some(path))
    }

    /// Returns the texts of open files.
    pub(crate) fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    /// Returns the URI of a file: that of the client if it is open.
    pub(crate) fn uri_of(&self, path: &Path) -> Uri {
        self.at_path(path).map_or_else(|| uri::uri_of(path), |document| document.uri.clone())
    }

    /// Opens a document, or replaces its text.
    pub(crate) fn open(&mut self, uri: Uri, version: i32, text: String) {
        let path = uri::path_of(&uri).map(|path| canonical(&path));
        let name = path.as_ref().map_or_else(|| uri.0.clone(), |path| path.display().to_string());
        let source = Arc::new(SourceFile::new(name, text));
        if let Some(path) = &path {
            Arc::make_mut(&mut self.overlay).insert(path.clone(), Arc::clone(&source));
        }
        let document = Document { uri, version, source, path };
        Arc::make_mut(&mut self.documents).insert(document.uri.0.clone(), document);
    }

    /// Applies changes to a document; ignores a version that is not newer.
    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let Some(document) = self.document(uri) else { return };
        if version <= document.version {
            return;
        }
        let mut text = None;
        for change in changes {
            text = Some(match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    whole.text
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let before: String = text.unwrap_or_else(|| document.source.text().to_owned());
                    let before = SourceFile::new("", before);
                    let start = encoding.offset(&before, part.range.start);
                    let end = encoding.offset(&before, part.range.end).max(start);
                    let before = before.text();
                    format!("{}{}{}", &before[..start], part.text, &before[end..])
                }
            });
        }
        if let Some(text) = text {
            self.open(uri.clone(), version, text);
        }
    }

    /// Closes a document.
    pub(crate) fn close(&mut self, uri: &Uri) {
        let Some(closed) = Arc::make_mut(&mut self.documents).remove(&uri.0) else { return };
        if let Some(path) = closed.path {
            Arc::make_mut(&mut self.overlay).remove(&path);
        }
        self.generation += 1;
    }
}

/// Returns the byte of `new` that corresponds to a byte of `old`, where the texts agree at their
/// beginnings and ends; `None` in between.
pub(crate) fn mapped(old: &str, new: &str, offset: usize) -> Option<usize> {
    let (a, b) = (old.as_bytes(), new.as_bytes());
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    if offset <= prefix {
        return Some(offset);
    }
    let most = a.len().min(b.len()) - prefix;
    let same = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(a, b)| a == b);
    let suffix = same.count();
    (offset >= a.len() - suffix).then(|| b.len() - (a.len() - offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::types::{Position, Range, TextDocumentContentChangePartial};

    #[test]
    fn changes_apply_in_order_and_old_versions_are_ignored() {
        let mut snapshot = Snapshot::default();
        let uri = Uri("untitled:1".to_owned());
        snapshot.open(uri.clone(), 1, "/*Я*/ab\ncd".to_owned());
        let change = |line, from, to, text: &str| {
            let (start, end) =
                (Position { line, character: from }, Position { line, character: to });
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(
                TextDocumentContentChangePartial {
                    range: Range { start, end },
                    text: text.to_owned(),
                    ..Default::default()
                },
            )
        };
        let changes = vec![change(0, 5, 6, "x"), change(1, 0, 2, "y\n"), change(2, 0, 0, "z")];
        snapshot.change(&uri, 2, changes, Encoding::Utf16);
        assert_eq!(snapshot.document(&uri).unwrap().source.text(), "/*Я*/xb\ny\nz");
        snapshot.change(&uri, 2, vec![change(0, 0, 9, "")], Encoding::Utf16);
        assert_eq!(snapshot.document(&uri).unwrap().version, 2);
        assert_eq!(snapshot.document(&uri).unwrap().source.text(), "/*Я*/xb\ny\nz");
        snapshot.close(&uri);
        assert!(snapshot.document(&uri).is_none());
    }

    #[test]
    fn bytes_are_mapped_around_an_edit() {
        let (old, new) = ("abc def", "abc xyz def");
        let at = |offset| mapped(old, new, offset);
        assert_eq!((at(2), at(5), at(7)), (Some(2), Some(9), Some(11)));
        assert_eq!(mapped("abcd", "ad", 2), None);
        assert_eq!(mapped("aa", "aaa", 2), Some(2));
    }
}
