//! Access control for files. A program may read and write the files named on the command line,
//! those in the folder of the program or below, and those granted by `--allow-read` and
//! `--allow-write`. Links and `..` are resolved before the check.

use std::fs;
use std::path::{Component, Path, PathBuf};

use star_base::text;
use star_base::{Code, Diagnostic};
use star_io::FileError;

use crate::sources::{FileLoader, STDIN};

/// The files that a program may access. Folders and files are canonical paths.
#[derive(Debug, Default)]
pub struct Access {
    /// The folder of the program; base of relative names.
    folder: PathBuf,
    reading: Rights,
    writing: Rights,
    /// Whether this is the access of a session, which has no program.
    in_session: bool,
}

/// The rights for reading or for writing. The rule for imports is the rule for reading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rights {
    folders: Vec<PathBuf>,
    /// Names as written on the command line.
    names: Vec<String>,
    files: Vec<PathBuf>,
}

/// The grants on the command line.
#[derive(Debug, Default)]
pub struct Grants<'a> {
    /// Readable folders.
    pub read: &'a [PathBuf],
    /// Writable folders.
    pub write: &'a [PathBuf],
    /// Readable files, by name.
    pub read_names: Vec<String>,
    /// Writable files, by name.
    pub write_names: Vec<String>,
}

impl Access {
    /// Returns the access of the program in `file`.
    ///
    /// # Errors
    /// E0510 if a granted folder does not exist.
    pub fn new(file: &str, grants: Grants<'_>) -> Result<Self, Diagnostic> {
        let path = Path::new(file);
        let folder = match path.parent() {
            // A program from a pipe gets the same access as one entered here.
            Some(folder) if file != STDIN && path.is_file() => folder,
            Some(_) | None => Path::new(""),
        };
        let folder = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        let folder = granted("the program", folder)?;
        let Grants { read, write, read_names, write_names } = grants;
        Ok(Access {
            reading: Rights::new("--allow-read", &folder, read, read_names)?,
            writing: Rights::new("--allow-write", &folder, write, write_names)?,
            folder,
            in_session: false,
        })
    }

    /// Returns the access of a session: the current folder and what is granted.
    ///
    /// # Errors
    /// E0510 if the current folder or a granted folder does not exist.
    pub fn of_session(grants: Grants<'_>) -> Result<Self, Diagnostic> {
        Ok(Access { in_session: true, ..Access::new("", grants)? })
    }

    /// Returns the path of a file that the program wants to read.
    ///
    /// # Errors
    /// E0510 if reading is not allowed.
    pub fn for_reading(&self, file: &str) -> Result<PathBuf, FileError> {
        if self.reading.names.iter().any(|name| name == file) {
            return Ok(PathBuf::from(file));
        }
        match self.reading.resolve(&self.folder.join(file)) {
            Some(path) => regular(path, file),
            None => Err(self.not_allowed(file, "read", "--allow-read")),
        }
    }

    /// Returns the path of a file that a comment of the program names, given relative to the
    /// current folder.
    ///
    /// # Errors
    /// E0510 if reading is not allowed.
    pub(crate) fn for_reading_here(&self, file: &str) -> Result<PathBuf, FileError> {
        match self.reading.resolve(Path::new(file)) {
            Some(path) => regular(path, file),
            None => {
                let message = "it may not be read: it is outside the folder of the program";
                Err(FileError::new(Code::NotAllowed, file, message)
                    .help("`--allow-read DIR` grants a folder"))
            }
        }
    }

    /// Returns a loader whose imports are restricted to the readable folders.
    pub fn imports(&self) -> FileLoader {
        FileLoader::restricted(self.reading.clone())
    }

    /// Returns the path of a file that the program wants to write.
    ///
    /// # Errors
    /// E0510 if writing is not allowed.
    pub fn for_writing(&self, file: &str) -> Result<PathBuf, FileError> {
        if self.writing.names.iter().any(|name| name == file) {
            return Ok(PathBuf::from(file));
        }
        let path = self.folder.join(file);
        let refused = || self.not_allowed(file, "written", "--allow-write");
        if let Ok(existing) = fs::canonicalize(&path) {
            return match self.writing.allows(&existing) {
                true => regular(existing, file),
                false => Err(refused()),
            };
        }
        // Writing would follow a dangling link.
        let is_link = fs::symlink_metadata(&path).is_ok();
        let (Some(folder), Some(last), false) = (path.parent(), path.file_name(), is_link) else {
            return Err(refused());
        };
        match fs::canonicalize(folder) {
            Ok(folder) if self.writing.allows(&folder) => Ok(folder.join(last)),
            Err(_) if self.writing.allows(&existing_part(folder)) => Ok(path),
            Ok(_) | Err(_) => Err(refused()),
        }
    }

    fn not_allowed(&self, file: &str, verb: &str, option: &str) -> FileError {
        let (folder, help) = match self.in_session {
            true => ("current folder", format!("`star repl {option} DIR` grants a folder")),
            false => (
                "folder of the program",
                format!("`{option} DIR` grants a folder, `NAME=FILE` a file"),
            ),
        };
        let message = format!("it may not be {verb}: it is outside the {folder}");
        FileError::new(Code::NotAllowed, file, message).help(help)
    }
}

impl Rights {
    fn new(
        option: &str,
        own: &Path,
        folders: &[PathBuf],
        names: Vec<String>,
    ) -> Result<Self, Diagnostic> {
        let granted = folders.iter().map(|folder| granted(option, folder));
        let mut folders: Vec<PathBuf> = granted.collect::<Result<_, _>>()?;
        folders.push(own.to_owned());
        let files = names.iter().filter_map(|name| fs::canonicalize(name).ok());
        Ok(Rights { folders, files: files.collect(), names })
    }

    /// Returns the rights for these folders.
    ///
    /// # Errors
    /// E0510 if a folder does not exist.
    pub(crate) fn to_read(folders: &[PathBuf]) -> Result<Self, Diagnostic> {
        let granted = folders.iter().map(|folder| granted("--allow-read", folder));
        Ok(Rights { folders: granted.collect::<Result<_, _>>()?, ..Rights::default() })
    }

    /// Adds a canonical folder.
    pub(crate) fn add(&mut self, folder: PathBuf) {
        if !self.folders.contains(&folder) {
            self.folders.push(folder);
        }
    }

    /// Returns the canonical form of a permitted path, or the path itself if there is no file. Does
    /// not reveal whether a file outside the permitted folders exists.
    pub(crate) fn resolve(&self, path: &Path) -> Option<PathBuf> {
        match fs::canonicalize(path) {
            Ok(canonical) => self.allows(&canonical).then_some(canonical),
            Err(_) => self.allows(&existing_part(path)).then(|| path.to_owned()),
        }
    }

    fn allows(&self, path: &Path) -> bool {
        let below = |folder: &PathBuf| path.starts_with(folder);
        self.folders.iter().any(below) || self.files.iter().any(|file| file == path)
    }
}

/// Returns the canonical form of a folder.
fn granted(what: &str, folder: &Path) -> Result<PathBuf, Diagnostic> {
    let fault = |why: &str| {
        let message = format!("cannot access folder `{}` of {what}: {why}", folder.display());
        Diagnostic::new(Code::NotAllowed, message)
    };
    match fs::canonicalize(folder) {
        Ok(path) if path.is_dir() => Ok(path),
        Ok(_) => Err(fault("it is not a folder")),
        Err(error) => Err(fault(&text::reason(&error))),
    }
}

/// Rejects pipes and devices, which may be read and written only if the command line names them.
fn regular(path: PathBuf, file: &str) -> Result<PathBuf, FileError> {
    let special = fs::metadata(&path).is_ok_and(|data| !data.is_file() && !data.is_dir());
    if special {
        let message = "it is not a regular file, and the command line does not name it";
        return Err(FileError::new(Code::NotAllowed, file, message));
    }
    Ok(path)
}

/// Returns the canonical form of the longest existing part of the path; an empty path if the
/// remainder contains `..`.
fn existing_part(path: &Path) -> PathBuf {
    // The last ancestor of a relative path is empty: the current folder.
    let mut existing = path.ancestors().filter_map(|part| {
        let folder = if part.as_os_str().is_empty() { Path::new(".") } else { part };
        Some((part, fs::canonicalize(folder).ok()?))
    });
    let Some((part, canonical)) = existing.next() else {
        return PathBuf::new();
    };
    let rest = path.strip_prefix(part).unwrap_or(path);
    match rest.components().any(|component| component == Component::ParentDir) {
        true => PathBuf::new(),
        false => canonical,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates `in/p.star`, `in/a.mtx`, `out/b.mtx`.
    fn world() -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        for file in ["in/p.star", "in/a.mtx", "out/b.mtx"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let program = folder.path().join("in/p.star").display().to_string();
        (folder, program)
    }

    #[test]
    fn programs_are_confined_to_their_folder() {
        let (_folder, program) = world();
        let access = Access::new(&program, Grants::default()).unwrap();
        assert!(access.for_reading("a.mtx").is_ok());
        assert!(access.for_reading("none.mtx").is_ok());
        assert!(access.for_reading("./../in/a.mtx").is_ok());
        assert!(access.for_writing("new.mtx").is_ok());
        for outside in ["../out/b.mtx", "../out/none.mtx", "none/../../x", "/etc/passwd", "/"] {
            let code = |result: Result<PathBuf, FileError>| result.unwrap_err().code;
            assert_eq!(code(access.for_reading(outside)), Code::NotAllowed, "{outside}");
            assert_eq!(code(access.for_writing(outside)), Code::NotAllowed, "{outside}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_cannot_escape_the_folder() {
        let (folder, program) = world();
        let link = |to: &str, name: &str| {
            let (to, name) = (folder.path().join(to), folder.path().join(name));
            std::os::unix::fs::symlink(to, name).unwrap();
        };
        link("out", "in/folder");
        link("out/b.mtx", "in/file.mtx");
        link("out/new.mtx", "in/dangling.mtx");
        let access = Access::new(&program, Grants::default()).unwrap();
        assert!(access.for_reading("folder/b.mtx").is_err());
        assert!(access.for_reading("file.mtx").is_err());
        assert!(access.for_writing("folder/new.mtx").is_err());
        assert!(access.for_writing("file.mtx").is_err());
        assert!(access.for_writing("dangling.mtx").is_err());
    }

    #[test]
    fn command_line_grants_folders_and_files() {
        let (folder, program) = world();
        let out = [folder.path().join("out")];
        let file = folder.path().join("out/b.mtx").display().to_string();
        let grants = Grants { read: &out, write_names: vec![file.clone()], ..Grants::default() };
        let access = Access::new(&program, grants).unwrap();
        assert!(access.for_reading("../out/b.mtx").is_ok());
        assert!(access.for_writing(&file).is_ok());
        assert!(access.for_writing("../out/b.mtx").is_ok());
        assert!(access.for_writing("../out/c.mtx").is_err());
        let missing = [folder.path().join("missing")];
        let grants = Grants { read: &missing, ..Grants::default() };
        assert_eq!(Access::new(&program, grants).unwrap_err().code, Code::NotAllowed);
    }
}
