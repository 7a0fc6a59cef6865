//! A file that is written bit by bit, and appears whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use star_io::FileError;

use crate::destination::{Destination, Temporary};

/// A file beside its place until it is committed; a pipe or device as it is. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct Sheet {
    place: Destination,
    file: Inner,
}

#[derive(Debug)]
enum Inner {
    Beside(Temporary),
    Direct(File),
}

impl Sheet {
    /// A file of this name.
    ///
    /// # Errors
    /// E0509 if it cannot be written.
    pub fn new(name: &str) -> Result<Sheet, FileError> {
        Sheet::at(Destination::new(Path::new(name), name)?)
    }

    /// A file in this place.
    ///
    /// # Errors
    /// E0509 if the system refuses.
    pub fn at(place: Destination) -> Result<Sheet, FileError> {
        let file = match place.is_regular() {
            true => Inner::Beside(Temporary::new(place.temporary()?)),
            false => Inner::Direct(place.open()?),
        };
        Ok(Sheet { place, file })
    }

    /// Where it will be.
    pub fn place(&self) -> &Destination {
        &self.place
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn commit(self) -> Result<(), FileError> {
        match self.file {
            Inner::Beside(file) => self.place.put(file.into_path()),
            Inner::Direct(_) => Ok(()),
        }
    }
}

impl Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Inner::Beside(file) => file.as_file_mut().write(bytes),
            Inner::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Inner::Beside(file) => file.as_file_mut().flush(),
            Inner::Direct(file) => file.flush(),
        }
    }
}
