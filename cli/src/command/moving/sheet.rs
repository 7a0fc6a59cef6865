//! A file that is written line by line, and appears whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use star_edge::destination::{Destination, Temporary};
use star_io::FileError;

/// A file beside its place until it is committed; a pipe or device as it is.
pub(crate) struct Sheet {
    place: Destination,
    file: Inner,
}

enum Inner {
    Beside(Temporary),
    Direct(File),
}

impl Sheet {
    /// A file of this name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn new(name: &str) -> Result<Sheet, FileError> {
        let place = Destination::new(Path::new(name), name)?;
        let file = match place.is_regular() {
            true => Inner::Beside(Temporary::new(place.temporary()?)),
            false => Inner::Direct(place.open()?),
        };
        Ok(Sheet { place, file })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn commit(self) -> Result<(), FileError> {
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
