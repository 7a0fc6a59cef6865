//! Destinations of atomically written files: the data is written to a temporary file next to the
//! destination, which then replaces it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;

use star_base::Code;
use star_io::FileError;
use tempfile::{Builder, NamedTempFile, TempPath};

use star_base::text;

/// The destination of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The name in messages.
    name: String,
    path: PathBuf,
}

/// A temporary file next to its destination. It is deleted when dropped.
///
/// Note [Closing]. When the last handle of a deleted file is closed, the system drops its pages,
/// which takes a tenth of a second or more for a file of a gigabyte. So the name is removed
/// immediately, and a separate thread closes the file: messages and other work do not wait, and the
/// end of the process overlaps with it.
#[derive(Debug)]
pub struct Temporary {
    /// `None` after the file was moved to its destination.
    file: Option<NamedTempFile>,
}

impl Temporary {
    /// Wraps an existing temporary file.
    pub fn new(file: NamedTempFile) -> Self {
        Temporary { file: Some(file) }
    }

    /// Returns the file for writing.
    pub fn as_file_mut(&mut self) -> &mut File {
        self.file.as_mut().expect("it is taken only where it ends").as_file_mut()
    }

    /// Closes the file and returns its path. Nothing more can be written.
    pub fn into_path(mut self) -> TempPath {
        self.file.take().expect("it is taken only where it ends").into_temp_path()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let (file, path) = file.into_parts();
            drop(path);
            // Without a thread, the file is closed here.
            let _ = thread::Builder::new().name("closing".to_owned()).spawn(move || drop(file));
        }
    }
}

impl Destination {
    /// Creates the destination `path`, called `name` in messages.
    ///
    /// # Errors
    /// E0509 if a check shows that the file cannot be written.
    pub fn new(path: &Path, name: &str) -> Result<Self, FileError> {
        let cannot = |why: &str| FileError::new(Code::CannotWrite, name, why);
        // Write the target of a link, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if path.is_dir() {
            return Err(cannot("it is a directory"));
        }
        let folder = folder_of(&path);
        let path = match (fs::canonicalize(folder), path.file_name()) {
            (Ok(canonical), Some(last)) if canonical.is_dir() => canonical.join(last),
            _ => {
                let why = format!("folder `{}` does not exist", folder.display());
                return Err(cannot(&text::one_line(&why)));
            }
        };
        let place = Destination { name: name.to_owned(), path };
        if place.is_regular() {
            // Report an error before a long run, not after it. The file is deleted immediately.
            place.temporary()?;
        }
        Ok(place)
    }

    /// Tests whether both are the same file, even under different names.
    pub fn is(&self, other: &Destination) -> bool {
        self.path == other.path
    }

    /// Tests whether `file`, under any name, exists and would be replaced.
    pub fn replaces(&self, file: &str) -> bool {
        fs::canonicalize(file).is_ok_and(|file| file.is_file() && file == self.path)
    }

    /// Writes text to the destination.
    ///
    /// # Errors
    /// If the system refuses; the old contents remain.
    pub fn write_text(&self, text: &str) -> Result<(), FileError> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes bytes to the destination.
    ///
    /// # Errors
    /// If the system refuses; the old contents remain.
    pub fn write_bytes(&self, bytes: &[u8]) -> Result<(), FileError> {
        let cannot = |error: io::Error| self.cannot(&error);
        if !self.is_regular() {
            return self.open()?.write_all(bytes).map_err(cannot);
        }
        let mut file = self.temporary()?;
        file.write_all(bytes).map_err(cannot)?;
        self.put(file.into_temp_path())
    }

    /// Tests whether the destination is a regular file or does not exist. Pipes and devices are not
    /// replaced.
    pub fn is_regular(&self) -> bool {
        fs::metadata(&self.path).map_or(true, |metadata| metadata.is_file())
    }

    /// Opens the existing destination for writing.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(&self) -> Result<File, FileError> {
        let file = fs::OpenOptions::new().write(true).open(&self.path);
        file.map_err(|error| self.cannot(&error))
    }

    /// Creates a temporary file next to the destination. It is deleted when dropped.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn temporary(&self) -> Result<NamedTempFile, FileError> {
        let mut builder = Builder::new();
        builder.prefix(".star-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Use the permissions of any new file, not those of a private temporary file.
            let old = fs::metadata(&self.path).map(|metadata| metadata.permissions());
            let permissions = old.unwrap_or_else(|_| fs::Permissions::from_mode(0o666));
            builder.permissions(permissions);
        }
        let file = builder.tempfile_in(folder_of(&self.path));
        file.map_err(|error| self.cannot(&error))
    }

    /// Moves a temporary file to the destination.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn put(&self, temporary: TempPath) -> Result<(), FileError> {
        temporary.persist(&self.path).map_err(|error| self.cannot(&error.error))
    }

    /// Returns the error that the file cannot be written, with the cause.
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
