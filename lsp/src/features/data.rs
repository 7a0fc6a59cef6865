//! Completion of values for parameters: layouts, data files and their columns, in the string of
//! `read` and in the headers of tests and benchmarks.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::toolchain::{self, Layout, NumberLayout};

/// Maximum number of files read from one folder.
const MAX_FILES: usize = 2_000;

/// Maximum number of files whose columns are offered together.
const MAX_DATA_FILES: usize = 20;

/// Number of bytes of a file whose columns are read; more of a text would only confirm them.
const MAX_BYTES: usize = 64 << 10;

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A layout of data.
    Layout,
    /// A column of a data file.
    Column,
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// A text that can replace a word.
pub(crate) struct Candidate {
    pub(crate) text: String,
    pub(crate) kind: Kind,
    pub(crate) detail: String,
}

impl Candidate {
    fn new(text: impl Into<String>, kind: Kind, detail: impl Into<String>) -> Self {
        Candidate { text: text.into(), kind, detail: detail.into() }
    }
}

/// Returns what can follow a file in `read`: layouts, and those of each column of the file.
pub(crate) fn layouts_of(file: Option<&Path>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = layouts().collect();
    for (column, about) in file.map(columns).unwrap_or_default() {
        found.push(Candidate::new(format!("field:{column}"), Kind::Column, about.clone()));
        found.push(Candidate::new(format!("code:{column}="), Kind::Column, about));
    }
    found
}

/// Returns the layouts that have a name without arguments.
fn layouts() -> impl Iterator<Item = Candidate> {
    let graphs = Layout::ALL.iter().map(|layout| (layout.name(), layout.description()));
    let numbers = NumberLayout::NAMES.iter().copied().filter(|(name, _)| !name.contains(':'));
    let all = graphs.chain(numbers).chain([("updates", "updates of moving objects")]);
    all.map(|(name, about)| Candidate::new(name, Kind::Layout, about))
}

/// Returns the candidates for a value in a header, `LAYOUT:FILE` or a part of it, relative to the
/// folder of the program.
pub(crate) fn values(word: &str, folder: &Path) -> Vec<Candidate> {
    if word == "field" || word.starts_with("field:") {
        return columns_below(folder, |column, file| format!("field:{column}:{file}"));
    }
    if word == "code" || word.starts_with("code:") {
        // The value follows, then the file.
        return match word.contains('=') {
            true => Vec::new(),
            false => columns_below(folder, |column, _| format!("code:{column}=")),
        };
    }
    let (layout, path) = word.split_once(':').map_or(("", word), |(layout, path)| (layout, path));
    let mut found = files(folder, path);
    if layout.is_empty() {
        let named = layouts().map(|one| Candidate { text: one.text + ":", ..one });
        let of_columns = NumberLayout::NAMES.iter().filter_map(|(name, about)| {
            let (name, _) = name.split_once(':')?;
            Some(Candidate::new(format!("{name}:"), Kind::Layout, *about))
        });
        found.extend(named.chain(of_columns));
    } else {
        found.iter_mut().for_each(|one| one.text = format!("{layout}:{}", one.text));
    }
    found
}

/// Returns the files and folders that can complete a path, without programs.
pub(crate) fn files(folder: &Path, path: &str) -> Vec<Candidate> {
    let (below, _) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
    let mut found = Vec::new();
    let listed = fs::read_dir(folder.join(below)).ok();
    for entry in listed.into_iter().flatten().take(MAX_FILES).filter_map(Result::ok) {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        found.push(match entry.path().is_dir() {
            true => Candidate::new(format!("{below}{name}/"), Kind::Folder, ""),
            false => Candidate::new(format!("{below}{name}"), Kind::File, ""),
        });
    }
    found.sort_by(|a, b| a.text.cmp(&b.text));
    found
}

/// Returns the columns of the data files in a folder.
fn columns_below(folder: &Path, text: impl Fn(&str, &str) -> String) -> Vec<Candidate> {
    let mut found = Vec::new();
    let all = files(folder, "").into_iter().filter(|one| one.kind == Kind::File);
    for file in all.filter(|one| toolchain::has_columns(&one.text)).take(MAX_DATA_FILES) {
        for (column, about) in columns(&folder.join(&file.text)) {
            found.push(Candidate::new(text(&column, &file.text), Kind::Column, about));
        }
    }
    found
}

/// Returns the columns of a data file and what they hold; none if it cannot be read.
fn columns(path: &Path) -> Vec<(String, String)> {
    let mut bytes = Vec::new();
    // A pipe would block.
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Vec::new();
    }
    let Ok(file) = File::open(path) else { return Vec::new() };
    if file.take(MAX_BYTES as u64).read_to_end(&mut bytes).is_err() {
        return Vec::new();
    }
    if bytes.len() == MAX_BYTES {
        // The last line may be incomplete.
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(end);
    }
    toolchain::columns(&path.display().to_string(), &bytes)
}
