//! Destinations of atomically written files: the data is written to a temporary file, which then
//! replaces the destination.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use star_base::{Code, text};
use star_io::FileError;

use crate::file_roles::{self, Identity, Writer};
use crate::flags::{Flags, Stopped};
use crate::nonblocking::{self, FileWriter};
use crate::temporary::Temporary;

/// The destination of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The name in messages.
    name: String,
    path: PathBuf,
    writer: Writer,
}

/// Whether the files of this process go nowhere.
static DISCARDS: AtomicBool = AtomicBool::new(false);

/// Discards the files of this process: another one, which runs the same command, writes them.
pub fn discard_all() {
    DISCARDS.store(true, Ordering::Relaxed);
}

impl Destination {
    /// Creates the destination `path` of an output, called `name` in messages.
    ///
    /// # Errors
    /// E0509 if a check shows that the file cannot be written, or is an input or another output of
    /// the command.
    pub fn new(path: &Path, name: &str) -> Result<Self, FileError> {
        Destination::by(Writer::Command, path, name)
    }

    /// Creates the destination `path` of a writer that may replace inputs.
    ///
    /// # Errors
    /// Those of [`Destination::new`], if the file has a role in which the writer must not replace
    /// it.
    pub fn by(writer: Writer, path: &Path, name: &str) -> Result<Self, FileError> {
        if DISCARDS.load(Ordering::Relaxed) {
            return Ok(Destination { name: name.to_owned(), path: "/dev/null".into(), writer });
        }
        let cannot = |why: &str| FileError::new(Code::CannotWrite, name, why);
        // Write the target of a link, not the link.
        let path = file_roles::resolved(path);
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
        let place = Destination { name: name.to_owned(), path, writer };
        if place.is_regular() {
            // Report an error before a long run, not after it. The file vanishes immediately.
            place.temporary()?;
        }
        file_roles::write(&place.path, name, writer)?;
        Ok(place)
    }

    /// Creates the destination of an output with one format, whose name must end in one of these
    /// extensions unless it is a pipe or a device.
    ///
    /// # Errors
    /// Those of [`Destination::new`], and E0506 for another extension.
    pub fn with_extension(path: &Path, name: &str, extensions: &[&str]) -> Result<Self, FileError> {
        Destination::with_extension_by(Writer::Command, path, name, extensions)
    }

    /// Creates such a destination of a writer that may replace inputs.
    ///
    /// # Errors
    /// Those of [`Destination::by`], and E0506 for another extension.
    pub fn with_extension_by(
        writer: Writer,
        path: &Path,
        name: &str,
        extensions: &[&str],
    ) -> Result<Self, FileError> {
        let place = Destination::by(writer, path, name)?;
        let found = path.extension().and_then(|extension| extension.to_str());
        let is_known = |found: &str| extensions.iter().any(|one| one.eq_ignore_ascii_case(found));
        if !place.is_regular() || found.is_some_and(is_known) {
            return Ok(place);
        }
        let allowed = extensions.iter().map(|extension| format!("`.{extension}`"));
        let message = format!("the name must end in {}", allowed.collect::<Vec<_>>().join(" or "));
        Err(FileError::new(Code::UnknownFormat, name, message))
    }

    /// Tests whether `file`, under any name, exists and would be replaced.
    pub fn replaces(&self, file: &str) -> bool {
        let file = Path::new(file);
        let identities = Identity::of(file).zip(Identity::of(&self.path));
        file.is_file() && identities.is_some_and(|(file, own)| file.is(&own))
    }

    /// Writes text to the destination. A flag ends the wait for the reader of a pipe.
    ///
    /// # Errors
    /// If the system refuses or a flag ends the wait; the old contents remain.
    pub fn write_text(&self, text: &str, flags: &Flags) -> Result<(), FileError> {
        self.write_bytes(text.as_bytes(), flags)
    }

    /// Does what [`Destination::write_text`] does, for bytes.
    ///
    /// # Errors
    /// Those of [`Destination::write_text`].
    pub fn write_bytes(&self, bytes: &[u8], flags: &Flags) -> Result<(), FileError> {
        let cannot = |error: io::Error| self.cannot(&error);
        if !self.is_regular() {
            return self.open(flags)?.write_all(bytes).map_err(cannot);
        }
        let mut file = self.temporary()?;
        file.as_file_mut().write_all(bytes).map_err(cannot)?;
        self.put(file)
    }

    /// Replaces the contents `old` of the existing destination by `new`, in the same file, so that
    /// all its hard links keep it.
    ///
    /// # Errors
    /// If the system refuses; the old contents are restored.
    pub fn overwrite(&self, old: &str, new: &str) -> Result<(), FileError> {
        // A full disk is found before the destination changes.
        let mut copy = self.temporary()?;
        copy.as_file_mut().write_all(new.as_bytes()).map_err(|error| self.cannot(&error))?;
        let put = |text: &str| {
            let file = fs::OpenOptions::new().write(true).open(&self.path);
            let mut file = file.map_err(|error| self.cannot(&error))?;
            let written = file.write_all(text.as_bytes());
            written.and_then(|()| file.set_len(text.len() as u64)).map_err(|e| self.cannot(&e))
        };
        put(new).inspect_err(|_| {
            // The first error is the one to report.
            let _ = put(old);
        })
    }

    /// Tests whether the destination is a regular file or does not exist. Pipes and devices are not
    /// replaced.
    pub fn is_regular(&self) -> bool {
        fs::metadata(&self.path).map_or(true, |metadata| metadata.is_file())
    }

    /// Opens the existing destination, a pipe or a device, for writing. A flag ends the wait for
    /// the reader of a pipe, here and in each write.
    ///
    /// # Errors
    /// If the system refuses or a flag ends the wait.
    pub fn open(&self, flags: &Flags) -> Result<FileWriter, FileError> {
        nonblocking::create(&self.path, flags).map_err(|error| self.cannot(&error))
    }

    /// Creates a temporary file in the folder of the destination. It is deleted when dropped.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn temporary(&self) -> Result<Temporary, FileError> {
        Temporary::new(folder_of(&self.path), &self.path).map_err(|error| self.cannot(&error))
    }

    /// Creates such a file with a name, by which other processes open it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn named_temporary(&self) -> Result<Temporary, FileError> {
        let file = Temporary::with_name(folder_of(&self.path), &self.path);
        file.map_err(|error| self.cannot(&error))
    }

    /// Moves a temporary file to the destination.
    ///
    /// # Errors
    /// If the system refuses, or the command has read the destination meanwhile.
    pub fn put(&self, temporary: Temporary) -> Result<(), FileError> {
        file_roles::check(&self.path, &self.name, self.writer)?;
        temporary.persist(&self.path).map_err(|error| self.cannot(&error))?;
        file_roles::wrote(&self.path, self.writer);
        Ok(())
    }

    /// Returns the error that the file cannot be written, with the cause.
    pub fn cannot(&self, error: &io::Error) -> FileError {
        let (code, message) = match Stopped::code(error) {
            Some(code) => (code, error.to_string()),
            None => (Code::CannotWrite, format!("cannot write: {}", text::reason(error))),
        };
        FileError::new(code, self.name.clone(), message)
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
