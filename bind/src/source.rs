//! What a caller does for this crate: it opens files, hears what the user should know, and may end long work.

use std::io::Read;

use star_base::Code;
use star_io::FileError;

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
    /// Its contents, from the beginning.
    pub input: Box<dyn Read>,
    /// Its length, if it is known.
    pub n_bytes: Option<u64>,
    /// Receives how many bytes were read so far.
    pub progress: Box<dyn FnMut(u64)>,
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
