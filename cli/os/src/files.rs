//! Data files on disk, as opened by star-bind: any file named on the command line, or those that a
//! program may read; and the messages emitted while reading.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use star_base::{Code, text};
use star_bind::source::reads_at;
use star_bind::{Files, Observer, OpenFile};
use star_io::{FileError, Format};

use crate::access::Access;
use crate::file_roles::{self, Input};
use crate::flags::Flags;
use crate::nonblocking;
use crate::progress::Progress;
use crate::report::Reporter;
use crate::sources::STDIN;

/// All files, by path: for names given on the command line.
pub struct Disk;

impl Files for Disk {
    fn exists(&self, file: &str) -> bool {
        is_stdin(file) || Path::new(file).exists()
    }

    fn open(&self, file: &str) -> Result<OpenFile, FileError> {
        match is_stdin(file) {
            true => open(Path::new("/dev/stdin"), file),
            false => open(Path::new(file), file),
        }
    }
}

/// Returns whether a name denotes standard input: `-`, or `gr:-` with its format.
fn is_stdin(name: &str) -> bool {
    let is_stream = Format::of_stream(name).is_some_and(|_| Format::of_path(name).is_some());
    name == STDIN || is_stream
}

/// Whether a pipe on standard input was opened: it can be read only once.
static STDIN_OPENED: AtomicBool = AtomicBool::new(false);

/// The files that a program may read.
impl Files for Access {
    fn exists(&self, file: &str) -> bool {
        self.for_reading(file).is_ok_and(|path| path.exists())
    }

    fn open(&self, file: &str) -> Result<OpenFile, FileError> {
        open(&self.for_reading(file)?, file)
    }
}

/// The files that the comments of a program may name, relative to the current folder.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a>(pub &'a Access);

impl Files for Beside<'_> {
    fn exists(&self, file: &str) -> bool {
        self.0.for_reading_here(file).is_ok_and(|path| path.exists())
    }

    fn open(&self, file: &str) -> Result<OpenFile, FileError> {
        open(&self.0.for_reading_here(file)?, file)
    }
}

/// Opens a file; messages call it by its name.
fn open(path: &Path, name: &str) -> Result<OpenFile, FileError> {
    let cannot = |error: io::Error| {
        let message = format!("cannot open: {}", text::reason(&error));
        FileError::new(Code::CannotOpen, name, message)
    };
    let metadata = fs::metadata(path).map_err(cannot)?;
    if metadata.is_dir() {
        return Err(FileError::new(Code::CannotOpen, name, "it is a directory"));
    }
    if is_stdin(name) && !metadata.is_file() && STDIN_OPENED.swap(true, Ordering::Relaxed) {
        let message = "standard input can be read only once";
        let fault = FileError::new(Code::CannotOpen, name, message);
        return Err(fault.help("save it to a file first"));
    }
    if path.extension().is_some_and(|extension| extension == "star") {
        let help = format!("`star run {}` runs it", text::shell_word(name));
        let error = FileError::new(Code::UnknownFormat, name, "it is a Star program, not data");
        return Err(error.help(help));
    }
    file_roles::read(path, name, Input::Data)?;
    let input = nonblocking::open(path, &metadata).map_err(cannot)?;
    let n_bytes = metadata.is_file().then_some(metadata.len());
    let mut bar = Progress::reading(name, n_bytes);
    let progress = Box::new(move |n_read| bar.show(n_read));
    let at = match metadata.is_file() {
        true => reads_at(fs::File::open(path).map_err(cannot)?),
        false => None,
    };
    Ok(OpenFile { input, n_bytes, at, progress })
}

/// The terminal as an observer: it shows notes and warnings, and the flags tell when to stop.
#[derive(Clone, Copy)]
pub struct Console<'a> {
    /// The flags that request a stop.
    pub flags: &'a Flags,
    /// Receives notes and warnings.
    pub reporter: &'a Reporter,
}

impl Observer for Console<'_> {
    fn stop(&self) -> Option<Code> {
        self.flags.stop()
    }

    fn note(&self, message: &str) {
        self.reporter.note(message);
    }

    fn warning(&self, message: &str) {
        self.reporter.warning(message);
    }
}
