//! Source files on disk and from standard input.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use star_compiler::{Library, LoadError, MAX_SOURCE_BYTES, Source, SourceLoader};

use star_base::{did_you_mean, text};
use star_io::Format;

/// The name of standard input on the command line.
pub const STDIN: &str = "-";
/// The name of standard input in messages.
const STDIN_NAME: &str = "<stdin>";

/// The library of the toolchain.
pub const LIBRARY: Library = Library { basic: star_stdlib::BASIC, modules: star_stdlib::MODULES };

/// Loader of source files; each file has one name, independent of its spelling.
#[derive(Debug, Default)]
pub struct FileLoader {
    names: BTreeMap<PathBuf, String>,
}

impl SourceLoader for FileLoader {
    fn load(&mut self, path: &str, importer: Option<&str>) -> Result<Source, LoadError> {
        let Some(importer) = importer else {
            if path == STDIN {
                return Ok(Source {
                    name: STDIN_NAME.to_owned(),
                    bytes: read_up_to_limit(&mut io::stdin().lock())?,
                });
            }
            if let Some(format) = data_format(path) {
                let why = format!("it is a data file ({}), not a program", format.name());
                let help = format!(
                    "pass it to a program: `star run PROGRAM.star NAME={path}`, or a graph with \
                        `--graph {path}`"
                );
                return Err(LoadError::Mistaken { why, help });
            }
            // The user may name a pipe.
            return self.read(Path::new(path), Allowed::AnyFile);
        };
        let beside = match importer {
            STDIN_NAME => Path::new(""),
            _ => Path::new(importer).parent().unwrap_or(Path::new("")),
        };
        let path = beside.join(path);
        // Messages quote source text: an import must not make them quote an arbitrary file.
        let canonical = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if [&path, &canonical].into_iter().any(|path| path.extension() != Some("star".as_ref())) {
            return Err(LoadError::Unreadable("an import must name a `.star` file".to_owned()));
        }
        self.read(&path, Allowed::RegularFile)
    }
}

/// The kind of file that may be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    AnyFile,
    RegularFile,
}

impl FileLoader {
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
        if metadata.len() > MAX_SOURCE_BYTES as u64 {
            return Err(LoadError::TooLarge);
        }
        let mut file = File::open(path).map_err(|error| unreadable(&error))?;
        let bytes = read_up_to_limit(&mut file)?;
        let name = name_of(path);
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

fn read_up_to_limit(input: &mut dyn Read) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    let mut limited = input.take(MAX_SOURCE_BYTES as u64 + 1);
    let done = limited.read_to_end(&mut bytes);
    done.map_err(|error| unreadable(&error))?;
    if bytes.len() > MAX_SOURCE_BYTES {
        return Err(LoadError::TooLarge);
    }
    Ok(bytes)
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
        assert!(matches!(device, Err(LoadError::Unreadable(_))), "{device:?}");
    }
}
