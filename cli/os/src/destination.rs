//! Places of files that are written whole or not at all: beside the place first, then put there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;

use star_base::Code;
use star_io::FileError;
use tempfile::{Builder, NamedTempFile, TempPath};

use star_base::text;

/// Where a file is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// As messages show it.
    name: String,
    path: PathBuf,
}

/// A file beside its place. Dropped, it leaves nothing behind.
///
/// Note [Closing]. When the last handle of a file without a name is closed, the system drops its pages, for a file of
/// a gigabyte a tenth of a second and more. So the name goes at once, and a thread of its own closes the file:
/// messages and other work need not wait, and the end of the process overlaps with it.
#[derive(Debug)]
pub struct Temporary {
    /// `None` once it was put in its place.
    file: Option<NamedTempFile>,
}

impl Temporary {
    /// Holds a file that was made.
    pub fn new(file: NamedTempFile) -> Self {
        Temporary { file: Some(file) }
    }

    /// The file to write to.
    pub fn as_file_mut(&mut self) -> &mut File {
        self.file.as_mut().expect("it is taken only where it ends").as_file_mut()
    }

    /// The path alone: the file is closed, and nothing more is written.
    pub fn into_path(mut self) -> TempPath {
        self.file.take().expect("it is taken only where it ends").into_temp_path()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let (file, path) = file.into_parts();
            drop(path);
            // Without a thread, it is closed here.
            let _ = thread::Builder::new().name("closing".to_owned()).spawn(move || drop(file));
        }
    }
}

impl Destination {
    /// A file at `path`, called `name` in messages.
    ///
    /// # Errors
    /// E0509 if it can be seen that the file cannot be written.
    pub fn new(path: &Path, name: &str) -> Result<Self, FileError> {
        let cannot = |why: &str| FileError::new(Code::CannotWrite, name, why);
        // What a link points to is written, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if path.is_dir() {
            return Err(cannot("it is a directory"));
        }
        let folder = folder_of(&path);
        let path = match (fs::canonicalize(folder), path.file_name()) {
            (Ok(canonical), Some(last)) if canonical.is_dir() => canonical.join(last),
            _ => {
                let why = format!("there is no folder `{}`", folder.display());
                return Err(cannot(&text::one_line(&why)));
            }
        };
        let place = Destination { name: name.to_owned(), path };
        if place.is_regular() {
            // Better told before a long run than after it; the file goes at once.
            place.temporary()?;
        }
        Ok(place)
    }

    /// Are both the same file, however it was named?
    pub fn is(&self, other: &Destination) -> bool {
        self.path == other.path
    }

    /// Is this file there already, so that it would be replaced, however it was named?
    pub fn replaces(&self, file: &str) -> bool {
        fs::canonicalize(file).is_ok_and(|file| file.is_file() && file == self.path)
    }

    /// Writes a text there.
    ///
    /// # Errors
    /// If the system refuses; what was there stays.
    pub fn write_text(&self, text: &str) -> Result<(), FileError> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes bytes there.
    ///
    /// # Errors
    /// If the system refuses; what was there stays.
    pub fn write_bytes(&self, bytes: &[u8]) -> Result<(), FileError> {
        let cannot = |error: io::Error| self.cannot(&error);
        if !self.is_regular() {
            return self.open()?.write_all(bytes).map_err(cannot);
        }
        let mut file = self.temporary()?;
        file.write_all(bytes).map_err(cannot)?;
        self.put(file.into_temp_path())
    }

    /// Is it a plain file, or none yet? A pipe or device keeps its place.
    pub fn is_regular(&self) -> bool {
        fs::metadata(&self.path).map_or(true, |metadata| metadata.is_file())
    }

    /// What is there, to write to.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(&self) -> Result<File, FileError> {
        let file = fs::OpenOptions::new().write(true).open(&self.path);
        file.map_err(|error| self.cannot(&error))
    }

    /// A file beside the place. Dropped, it leaves nothing behind.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn temporary(&self) -> Result<NamedTempFile, FileError> {
        let mut builder = Builder::new();
        builder.prefix(".star-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file, and not for the user's eyes only.
            let old = fs::metadata(&self.path).map(|metadata| metadata.permissions());
            let permissions = old.unwrap_or_else(|_| fs::Permissions::from_mode(0o666));
            builder.permissions(permissions);
        }
        let file = builder.tempfile_in(folder_of(&self.path));
        file.map_err(|error| self.cannot(&error))
    }

    /// Puts a file that was written beside the place there.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn put(&self, temporary: TempPath) -> Result<(), FileError> {
        temporary.persist(&self.path).map_err(|error| self.cannot(&error.error))
    }

    /// The error that it cannot be written, and why.
    pub fn cannot(&self, error: &io::Error) -> FileError {
        let message = format!("cannot write: {}", text::reason(error));
        FileError::new(Code::CannotWrite, self.name.clone(), message)
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
