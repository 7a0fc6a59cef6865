//! A file that is written incrementally and appears atomically.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use star_io::FileError;

use crate::destination::Destination;
use crate::temporary::Temporary;

/// A temporary file until it is committed; pipes and devices are written
/// directly. It is deleted when dropped.
#[derive(Debug)]
pub struct Sheet {
    place: Destination,
    file: Inner,
}

#[derive(Debug)]
enum Inner {
    Temporary(Temporary),
    Direct(File),
}

impl Sheet {
    /// Creates a file with this name.
    ///
    /// # Errors
    /// E0509 if it cannot be written.
    pub fn new(name: &str) -> Result<Sheet, FileError> {
        Sheet::at(Destination::new(Path::new(name), name)?)
    }

    /// Creates a file at this destination.
    ///
    /// # Errors
    /// E0509 if the system refuses.
    pub fn at(place: Destination) -> Result<Sheet, FileError> {
        let file = match place.is_regular() {
            true => Inner::Temporary(place.temporary()?),
            false => Inner::Direct(place.open()?),
        };
        Ok(Sheet { place, file })
    }

    /// Returns the destination.
    pub fn place(&self) -> &Destination {
        &self.place
    }

    /// Moves the file to its destination.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn commit(self) -> Result<(), FileError> {
        match self.file {
            Inner::Temporary(file) => self.place.put(file),
            Inner::Direct(_) => Ok(()),
        }
    }
}

impl Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Inner::Temporary(file) => file.as_file_mut().write(bytes),
            Inner::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Inner::Temporary(file) => file.as_file_mut().flush(),
            Inner::Direct(file) => file.flush(),
        }
    }
}
