//! The interface that a caller provides: opening files, receiving notes, and stopping long
//! operations.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read};

use star_base::Code;
use star_io::{FileError, Stopped};

use crate::settings::Settings;

/// Opens files by name: those of a file system, of a folder that a program may read, or of a test.
pub trait Files {
    /// Returns whether a readable file with this name exists.
    fn exists(&self, file: &str) -> bool;

    /// Opens a file for reading.
    ///
    /// # Errors
    /// If it may not be read, or cannot be opened.
    fn open(&self, file: &str) -> Result<OpenFile, FileError>;
}

/// Fills a buffer with the bytes of a file at an offset.
pub type ReadAt = dyn Fn(u64, &mut [u8]) -> io::Result<()>;

/// Returns the reads of a regular file at offsets, where the system has them.
#[cfg(unix)]
pub fn reads_at(file: impl std::os::unix::fs::FileExt + 'static) -> Option<Box<ReadAt>> {
    Some(Box::new(move |offset, bytes| file.read_exact_at(bytes, offset)))
}

/// Returns `None`: the system has no reads at offsets.
#[cfg(not(unix))]
pub fn reads_at<F>(_file: F) -> Option<Box<ReadAt>> {
    None
}

/// A file opened for reading.
pub struct OpenFile {
    /// Its contents, from the start. It may return [`ErrorKind::WouldBlock`] after a time without
    /// data, like a pipe without a writer: [`Waiting`] retries.
    pub input: Box<dyn Read>,
    /// Its length, if known.
    pub n_bytes: Option<u64>,
    /// Reads bytes at an offset, independently of `input`, if the file allows that.
    pub at: Option<Box<ReadAt>>,
    /// Receives the number of bytes read so far.
    pub progress: Box<dyn FnMut(u64)>,
}

/// An input that waits for bytes until it is stopped.
pub struct Waiting<'a> {
    /// May return [`ErrorKind::WouldBlock`].
    input: Box<dyn Read + 'a>,
    /// Called whenever no data arrived for a time.
    goes_on: &'a dyn Fn() -> bool,
}

impl<'a> Waiting<'a> {
    /// Waits while `goes_on` returns true; then the input fails with [`Stopped`].
    pub fn new(input: Box<dyn Read + 'a>, goes_on: &'a dyn Fn() -> bool) -> Self {
        Waiting { input, goes_on }
    }
}

impl Read for Waiting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.input.read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                done => return done,
            }
            if !(self.goes_on)() {
                return Err(io::Error::other(Stopped));
            }
        }
    }
}

/// An observer of long operations.
pub trait Observer {
    /// Returns the reason to stop, if any: [`Code::Interrupted`] or [`Code::TimeLimit`].
    fn stop(&self) -> Option<Code>;

    /// Receives information for the user.
    fn note(&self, message: &str);

    /// Receives information about the values of a program.
    fn detail(&self, message: &str) {
        self.note(message);
    }

    /// Receives a warning for the user.
    fn warning(&self, message: &str);
}

/// An observer that passes on each note and warning once.
pub(crate) struct Once<'a> {
    observer: &'a dyn Observer,
    /// The messages so far.
    told: RefCell<BTreeSet<String>>,
}

impl<'a> Once<'a> {
    pub(crate) fn new(observer: &'a dyn Observer) -> Self {
        Once { observer, told: RefCell::default() }
    }

    fn is_new(&self, message: &str) -> bool {
        self.told.borrow_mut().insert(message.to_owned())
    }
}

impl Observer for Once<'_> {
    fn stop(&self) -> Option<Code> {
        self.observer.stop()
    }

    fn note(&self, message: &str) {
        if self.is_new(message) {
            self.observer.note(message);
        }
    }

    fn detail(&self, message: &str) {
        if self.is_new(message) {
            self.observer.detail(message);
        }
    }

    fn warning(&self, message: &str) {
        if self.is_new(message) {
            self.observer.warning(message);
        }
    }
}

/// The common context for reading files.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// Opens files.
    pub files: &'a dyn Files,
    /// Receives notes and warnings, and can stop the operation.
    pub observer: &'a dyn Observer,
    /// The user's settings for files.
    pub settings: &'a Settings,
}
