//! The files of the workspace, and the uses of a name in all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::analysis::Analysis;
use crate::document::Snapshot;
use crate::state::{Context, Refusal};
use crate::toolchain::{Meaning, SourceFile, Use, canonical};
use crate::uri;

/// Maximum number of files of a workspace.
const MAX_FILES: usize = 2_000;
/// Maximum number of folders that are searched.
const MAX_FOLDERS: usize = 10_000;

/// Returns the Star files of the workspace and all open files, by canonical path. Hidden folders,
/// `target` and `node_modules` are skipped.
pub(crate) fn files(snapshot: &Snapshot) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = snapshot.overlay().keys().cloned().collect();
    let mut folders: Vec<PathBuf> =
        snapshot.folders.iter().map(|folder| canonical(folder)).collect();
    let mut n_folders = 0;
    while let Some(folder) = folders.pop() {
        n_folders += 1;
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if kind.is_dir() {
                let skipped = name.starts_with('.') || name == "target" || name == "node_modules";
                if !skipped && n_folders < MAX_FOLDERS {
                    folders.push(path);
                }
            } else if kind.is_file() && name.ends_with(".star") && found.len() < MAX_FILES {
                found.push(path);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Returns the text of a file: that of the open document, or of the disk.
pub(crate) fn text_of(snapshot: &Snapshot, path: &Path) -> Option<Arc<SourceFile>> {
    if let Some(open) = snapshot.overlay().get(path) {
        return Some(Arc::clone(open));
    }
    let text = std::fs::read_to_string(path).ok()?;
    Some(Arc::new(SourceFile::new(path.display().to_string(), text)))
}

/// The declaration of a name: its file and the byte at which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    file: String,
    offset: u32,
}

/// Returns the declaration of a name; `None` for a built-in.
pub(crate) fn declaration(analysis: &Analysis, meaning: Meaning) -> Option<Declaration> {
    let span = analysis.declaration(meaning)?;
    let path = analysis.path_of(span.file).map(|path| path.display().to_string());
    let file = path.unwrap_or_else(|| analysis.source(span.file).name().to_owned());
    Some(Declaration { file, offset: span.start })
}

/// The uses of a name in one file.
pub(crate) struct FileUses {
    /// An analysis that contains the file.
    pub(crate) analysis: Arc<Analysis>,
    /// The uses, in order.
    pub(crate) uses: Vec<Use>,
}

/// Returns the uses of a name: of a variable in its file, of a routine or constant in all files of
/// the workspace.
///
/// # Errors
/// If the request is cancelled.
pub(crate) fn uses(
    context: &Context<'_>,
    analysis: &Arc<Analysis>,
    meaning: Meaning,
) -> Result<Vec<FileUses>, Refusal> {
    let mut by_file: BTreeMap<PathBuf, FileUses> = BTreeMap::new();
    let mut add = |analysis: &Arc<Analysis>, meaning: Meaning| {
        let mut of_files: BTreeMap<PathBuf, Vec<Use>> = BTreeMap::new();
        for one in analysis.index.uses_of(meaning) {
            let path = analysis.path_of(one.span.file).cloned();
            let path = path.unwrap_or_else(|| PathBuf::from(&analysis.uri.0));
            of_files.entry(path).or_default().push(*one);
        }
        for (path, uses) in of_files {
            let analysis = Arc::clone(analysis);
            by_file.entry(path).or_insert(FileUses { analysis, uses });
        }
    };
    add(analysis, meaning);
    let wanted = match meaning {
        Meaning::Routine(_) | Meaning::Constant(_) => declaration(analysis, meaning),
        Meaning::Local(..) | Meaning::Builtin(_) => None,
    };
    if let Some(wanted) = wanted {
        // Hyphenated names may contain blanks.
        let name = analysis.name(meaning).to_lowercase();
        let first = name.split('-').next().unwrap_or_default();
        for path in files(context.snapshot) {
            context.go_on()?;
            let Some(source) = text_of(context.snapshot, &path) else { continue };
            if !source.text().to_lowercase().contains(first) {
                continue;
            }
            let uri = context.snapshot.uri_of(&path);
            let Some(other) = context.state.analysis(context.snapshot, &uri) else { continue };
            let same = other.index.uses.iter().map(|one| one.meaning);
            let same = same.filter(|one| matches!(one, Meaning::Routine(_) | Meaning::Constant(_)));
            let mut same = same.filter(|one| declaration(&other, *one).as_ref() == Some(&wanted));
            if let Some(meaning) = same.next() {
                add(&other, meaning);
            }
        }
    }
    Ok(by_file.into_values().collect())
}

/// Returns the URI of the file of a use.
pub(crate) fn uri_of(
    context: &Context<'_>,
    analysis: &Analysis,
    one: &Use,
) -> crate::protocol::types::Uri {
    match analysis.path_of(one.span.file) {
        Some(path) if one.span.file != analysis.root() => context.snapshot.uri_of(path),
        Some(_) | None => analysis.uri.clone(),
    }
}

/// Returns the path of the document with a URI, for commands.
pub(crate) fn path_of(uri: &crate::protocol::types::Uri) -> Option<PathBuf> {
    uri::path_of(uri).map(|path| canonical(&path))
}
