//! What a caller does for this crate: it opens files, hears what the user should know, and may end long work.

use std::io::{self, ErrorKind, Read};

use star_base::Code;
use star_io::{FileError, Stopped};

use crate::settings::Settings;

/// Opens the files that names mean: those of a file system, of a folder that a program may read, of a test.
pub trait Files {
    /// Is there a file of this name that may be read?
    fn exists(&self, file: &str) -> bool;

    /// Opens a file for reading.
    ///
    /// # Errors
    /// If it may not be read, or cannot be opened.
    fn open(&self, file: &str) -> Result<OpenFile, FileError>;
}

/// A file to be read.
pub struct OpenFile {
    /// Its contents, from the beginning. It may answer [`ErrorKind::WouldBlock`] after a while in which nothing came, as a
    /// pipe that nobody writes to: [`Waiting`] asks again.
    pub input: Box<dyn Read>,
    /// Its length, if it is known.
    pub n_bytes: Option<u64>,
    /// Receives how many bytes were read so far.
    pub progress: Box<dyn FnMut(u64)>,
}

/// An input that waits for bytes, until it is told to stop.
pub struct Waiting<'a> {
    /// May answer [`ErrorKind::WouldBlock`].
    input: Box<dyn Read>,
    /// Asked whenever nothing came for a while.
    goes_on: &'a dyn Fn() -> bool,
}

impl<'a> Waiting<'a> {
    /// Waits as long as `goes_on` says so; then the input fails with [`Stopped`].
    pub fn new(input: Box<dyn Read>, goes_on: &'a dyn Fn() -> bool) -> Self {
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

/// Watches long work.
pub trait Observer {
    /// Why to stop, if at all: [`Code::Interrupted`] or [`Code::TimeLimit`].
    fn stop(&self) -> Option<Code>;

    /// Takes what the user may want to know.
    fn note(&self, message: &str);

    /// Takes what the user should know.
    fn warning(&self, message: &str);
}

/// What every reading of a file needs to know.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// Opens files.
    pub files: &'a dyn Files,
    /// Takes notes and warnings, and says when to stop.
    pub observer: &'a dyn Observer,
    /// What the user says about files.
    pub settings: &'a Settings,
}
