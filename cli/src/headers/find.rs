//! The Star files named on a command line, directly or by their folders.

use std::fs;
use std::path::Path;

use star_base::{Code, Diagnostic};
use star_os::sources::STDIN;

use crate::text;

/// A file to process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StarFile {
    /// Its name for messages and the compiler.
    pub(crate) file: String,
    /// Whether it was named directly rather than found in a folder.
    pub(crate) named: bool,
}

/// Returns the named files, and all `.star` files below the named folders in the order of their
/// names. Names that begin with a dot and links to folders are skipped.
///
/// # Errors
/// E0111 for each path that does not exist or cannot be read.
pub(crate) fn star_files(paths: &[String]) -> Result<Vec<StarFile>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut faults = Vec::new();
    for path in paths {
        if path == STDIN || path.starts_with("star:") {
            found.push(StarFile { file: path.clone(), named: true });
            continue;
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                if let Err(fault) = collect(Path::new(path), &mut found) {
                    faults.push(fault);
                }
            }
            Ok(_) => found.push(StarFile { file: path.clone(), named: true }),
            Err(error) => faults.push(unreadable(Path::new(path), &error)),
        }
    }
    if faults.is_empty() { Ok(found) } else { Err(faults) }
}

fn collect(folder: &Path, found: &mut Vec<StarFile>) -> Result<(), Diagnostic> {
    let cannot = |error: &std::io::Error| unreadable(folder, error);
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| cannot(&error))? {
        let entry = entry.map_err(|error| cannot(&error))?;
        let kind = entry.file_type().map_err(|error| cannot(&error))?;
        entries.push((entry.path(), kind));
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, kind) in entries {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if kind.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "star") && path.is_file() {
            let path = path.strip_prefix(".").unwrap_or(&path);
            found.push(StarFile { file: path.display().to_string(), named: false });
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let path = text::one_line(&path.display().to_string());
    let message = format!("cannot read `{path}`: {}", text::reason(error));
    Diagnostic::new(Code::SourceUnreadable, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_searched_in_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("b/c")).unwrap();
        fs::create_dir_all(at(".git")).unwrap();
        for name in ["z.star", "a.star", "b/x.star", "b/c/y.star", ".git/h.star", "b/n.txt"] {
            fs::write(at(name), "").unwrap();
        }
        let path = folder.path().display().to_string();
        let found = star_files(std::slice::from_ref(&path)).unwrap();
        let names: Vec<&str> = found.iter().map(|found| &found.file[path.len() + 1..]).collect();
        assert_eq!(names, ["a.star", "b/c/y.star", "b/x.star", "z.star"]);
        let named = at("a.star").display().to_string();
        assert_eq!(
            star_files(std::slice::from_ref(&named)),
            Ok(vec![StarFile { file: named, named: true }])
        );
        let missing = star_files(&[path, at("none").display().to_string()]).unwrap_err();
        assert_eq!((missing.len(), missing[0].code), (1, Code::SourceUnreadable));
    }
}
