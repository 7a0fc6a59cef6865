//! Source files on disk and from standard input.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use star_base::{Diagnostic, did_you_mean, text};
use star_compiler::{LoadError, MAX_SOURCE_BYTES, Source, SourceLoader};
use star_io::{FileError, Format};
pub use star_stdlib::LIBRARY;

use crate::access::{Grants, Rights};
use crate::file_roles::{self, Input};
use crate::flags::Flags;
use crate::whole_file::{self, Unread, read_from};

/// The name of standard input on the command line.
pub const STDIN: &str = "-";
/// The name of standard input in messages.
pub const STDIN_NAME: &str = "<stdin>";

/// The option of commands that compile programs without running them in a folder.
#[derive(Args, Clone, Debug, Default)]
pub struct ImportArgs {
    /// Allow programs to read and import files in a folder
    #[arg(long, value_name = "DIR")]
    allow_read: Vec<PathBuf>,
}

impl ImportArgs {
    /// Returns the rights of a program to read files.
    pub fn grants(&self) -> Grants<'_> {
        Grants { read: &self.allow_read, ..Grants::default() }
    }

    /// Returns a loader with these rights.
    ///
    /// # Errors
    /// E0510 if a folder does not exist.
    pub fn loader(&self) -> Result<FileLoader, Diagnostic> {
        FileLoader::granting(&self.allow_read)
    }
}

/// Loader of source files; each file has one name, independent of its spelling.
///
/// Imports follow the rule of `read`: a file can be imported if it lies in the folder of the file
/// that the user named or below, or in a granted folder. Links and `..` are resolved before the
/// check.
#[derive(Clone, Debug, Default)]
pub struct FileLoader {
    names: BTreeMap<PathBuf, String>,
    rights: Rights,
    /// They end the reading of a pipe.
    flags: Flags,
}

impl SourceLoader for FileLoader {
    fn load(&mut self, path: &str, importer: Option<&str>) -> Result<Source, LoadError> {
        let Some(importer) = importer else {
            if path == STDIN {
                let name = STDIN_NAME.to_owned();
                file_roles::read(Path::new("/dev/stdin"), &name, Input::Source)
                    .map_err(replaced)?;
                let bytes = read_from(io::stdin().lock(), MAX_SOURCE_BYTES, &|| None);
                return Ok(Source { name, bytes: bytes.map_err(unread)? });
            }
            if let Some(format) = data_format(path) {
                let why = format!("it is a data file ({}), not a program", format.name());
                let help = format!(
                    "pass it to a program: `star run PROGRAM.star NAME={path}`, or a graph with \
                        `--graph {path}`"
                );
                return Err(LoadError::Mistaken { why, help });
            }
            self.permit(&folder_of(path));
            // The user may name a pipe.
            return self.read(Path::new(path), Allowed::AnyFile);
        };
        let folder = folder_of(importer);
        // An imported file does not extend the rights of its importer.
        if !self.names.values().any(|name| name == importer) {
            self.permit(&folder);
        }
        let path = folder.join(path);
        let Some(canonical) = self.rights.resolve(&path) else {
            return Err(LoadError::NotAllowed {
                why: "it is outside the folder of the program".to_owned(),
                help: "`--allow-read DIR` grants a folder".to_owned(),
            });
        };
        // Messages quote source text: an import must not make them quote an arbitrary file.
        if [&path, &canonical].into_iter().any(|path| path.extension() != Some("star".as_ref())) {
            return Err(LoadError::Unreadable("an import must name a `.star` file".to_owned()));
        }
        self.read(&path, Allowed::RegularFile)
    }
}

/// Returns the folder of a source file; the current folder for standard input.
fn folder_of(source: &str) -> PathBuf {
    match source {
        STDIN_NAME => PathBuf::new(),
        _ => Path::new(source).parent().map(Path::to_owned).unwrap_or_default(),
    }
}

/// The kind of file that may be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    AnyFile,
    RegularFile,
}

impl FileLoader {
    /// Creates a loader that also permits imports from these folders.
    ///
    /// # Errors
    /// E0510 if a folder does not exist.
    pub fn granting(folders: &[PathBuf]) -> Result<Self, Diagnostic> {
        Ok(FileLoader::restricted(Rights::to_read(folders)?))
    }

    pub(crate) fn restricted(rights: Rights) -> Self {
        FileLoader { names: BTreeMap::new(), rights, flags: Flags::default() }
    }

    /// Returns the same loader, whose reads end when a flag is set.
    #[must_use]
    pub fn stopped_by(self, flags: &Flags) -> Self {
        FileLoader { flags: flags.clone(), ..self }
    }

    /// Permits imports from the folder of a file that the user named.
    fn permit(&mut self, folder: &Path) {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        if let Ok(canonical) = fs::canonicalize(here) {
            self.rights.add(canonical);
        }
    }

    fn read(&mut self, path: &Path, allowed: Allowed) -> Result<Source, LoadError> {
        let metadata = fs::metadata(path).map_err(|error| not_there(path, &error))?;
        if metadata.is_dir() {
            return Err(LoadError::Unreadable("it is a directory".to_owned()));
        }
        if allowed == Allowed::RegularFile && !metadata.is_file() {
            return Err(LoadError::Unreadable("it is not a regular file".to_owned()));
        }
        // A pipe has no canonical name.
        let canonical = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Some(name) = self.names.get(&canonical) {
            // It is already loaded: the compiler needs only its name.
            return Ok(Source { name: name.clone(), bytes: Vec::new() });
        }
        let name = name_of(path);
        file_roles::read(path, &name, Input::Source).map_err(replaced)?;
        // If it has no flags, a watchdog ends the process at a limit.
        let stop = || self.flags.stop();
        let bytes = whole_file::read(path, &metadata, MAX_SOURCE_BYTES, &stop);
        let bytes = bytes.map_err(unread)?;
        self.names.insert(canonical, name.clone());
        Ok(Source { name, bytes })
    }
}

/// Returns the name for messages, which differs from all library files.
fn name_of(path: &Path) -> String {
    let name = path.strip_prefix(".").unwrap_or(path).display().to_string();
    let taken = LIBRARY.basic.iter().any(|(basic, _)| *basic == name);
    if taken || name == STDIN_NAME || name.starts_with("star:") {
        format!("./{name}")
    } else {
        name
    }
}

fn unread(error: Unread) -> LoadError {
    match error {
        Unread::Refused(error) => unreadable(&error),
        Unread::TooLarge => LoadError::TooLarge,
        Unread::Stopped(_) => LoadError::Unreadable("interrupted".to_owned()),
    }
}

/// Returns the error for a file that an output of the command would replace.
fn replaced(error: FileError) -> LoadError {
    LoadError::Mistaken { why: error.message, help: error.help.join("\n") }
}

fn unreadable(error: &io::Error) -> LoadError {
    LoadError::Unreadable(text::reason(error))
}

/// Returns the error, with a suggestion for the intended file.
fn not_there(path: &Path, error: &io::Error) -> LoadError {
    match similar(path) {
        Some(meant) if error.kind() == io::ErrorKind::NotFound => LoadError::Mistaken {
            why: text::reason(error),
            help: format!("did you mean `{meant}`?"),
        },
        _ => unreadable(error),
    }
}

/// Returns the format of a file with a data extension. Edge lists are excluded, since they share
/// extensions with other text files.
fn data_format(path: &str) -> Option<Format> {
    Format::of_path(path).filter(|format| *format != Format::EdgeList)
}

/// Returns a Star file with a similar name in the same folder.
fn similar(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let wanted = wanted.strip_suffix(".star").unwrap_or(wanted);
    let parent = path.parent().unwrap_or(Path::new(""));
    let folder = if parent == Path::new("") { Path::new(".") } else { parent };
    let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let stems = names.filter_map(|name| Some(name.strip_suffix(".star")?.to_owned()));
    let mut names: Vec<String> = stems.collect();
    names.sort();
    let meant = did_you_mean(wanted, names.iter().map(String::as_str))?;
    Some(parent.join(format!("{meant}.star")).display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spellings_of_a_path_are_one_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("a.star"), "x").unwrap();
        let root = folder.path().join("a.star").display().to_string();
        let mut loader = FileLoader::default();
        let first = loader.load(&root, None).unwrap();
        assert_eq!((first.name.as_str(), first.bytes.as_slice()), (root.as_str(), &b"x"[..]));
        let again = loader.load("sub/../a.star", Some(&root)).unwrap();
        assert_eq!(again.name, root);
    }

    #[test]
    fn rejects_directories_and_missing_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        let why = |path: &str| match FileLoader::default().load(path, None) {
            Err(LoadError::Unreadable(why)) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(why(&path), "it is a directory");
        assert_eq!(why(&format!("{path}/none")), "no such file or directory");
        let device = FileLoader::default().load("/dev/null", Some("a.star"));
        assert!(matches!(device, Err(LoadError::NotAllowed { .. })), "{device:?}");
    }
}
