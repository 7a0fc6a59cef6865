//! A file that is written incrementally and appears atomically.

use std::io::{self, Write};
use std::path::Path;

use star_io::FileError;

use crate::destination::Destination;
use crate::flags::Flags;
use crate::nonblocking::FileWriter;
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
    Direct(FileWriter),
}

impl Sheet {
    /// Creates a file with this name.
    ///
    /// # Errors
    /// E0509 if it cannot be written, or the code of a flag that ends the wait for the reader of a
    /// pipe.
    pub fn new(name: &str, flags: &Flags) -> Result<Sheet, FileError> {
        Sheet::at(Destination::new(Path::new(name), name)?, flags)
    }

    /// Creates a file at this destination.
    ///
    /// # Errors
    /// E0509 if the system refuses, or the code of a flag.
    pub fn at(place: Destination, flags: &Flags) -> Result<Sheet, FileError> {
        let file = match place.is_regular() {
            true => Inner::Temporary(place.temporary()?),
            false => Inner::Direct(place.open(flags)?),
        };
        Ok(Sheet { place, file })
    }

    /// Creates a file at this destination from a temporary one that is complete.
    pub(crate) fn complete(place: Destination, file: Temporary) -> Sheet {
        Sheet { place, file: Inner::Temporary(file) }
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
