//! Whole files that are not data: programs and benchmark files. They are read here only, bounded
//! and interruptible.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use star_base::{Code, text};
use star_io::FileError;

use crate::file_roles::{self, Input};
use crate::flags::Flags;
use crate::nonblocking;

/// Bytes read between two checks of the flags.
const PIECE: usize = 1 << 16;

/// Why a file was not read.
#[derive(Debug)]
pub enum Unread {
    /// The system refuses it.
    Refused(io::Error),
    /// It has more bytes than permitted.
    TooLarge,
    /// A flag was set: an interrupt or the deadline.
    Stopped(Code),
}

/// Reads a file of at most `most` bytes until `stop` returns a code.
///
/// # Errors
/// If it cannot be read.
pub fn read(
    path: &Path,
    metadata: &Metadata,
    most: usize,
    stop: &dyn Fn() -> Option<Code>,
) -> Result<Vec<u8>, Unread> {
    if metadata.len() > most as u64 {
        return Err(Unread::TooLarge);
    }
    let input = nonblocking::open(path, metadata).map_err(Unread::Refused)?;
    read_from(input, most, stop)
}

/// Reads an input of at most `most` bytes until `stop` returns a code.
///
/// # Errors
/// If it cannot be read.
pub fn read_from(
    mut input: impl Read,
    most: usize,
    stop: &dyn Fn() -> Option<Code>,
) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; PIECE];
    loop {
        if let Some(code) = stop() {
            return Err(Unread::Stopped(code));
        }
        match input.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(n) if bytes.len() + n > most => return Err(Unread::TooLarge),
            Ok(n) => bytes.extend_from_slice(&piece[..n]),
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted => {}
                _ => return Err(Unread::Refused(error)),
            },
        }
    }
}

/// Reads a file named by the user that is not a program, of at most `most` bytes.
///
/// # Errors
/// E0501 if it cannot be opened, E0502 if it is too large, E0509 if an output would replace it, or
/// the code of a flag.
pub fn read_named(file: &str, most: usize, flags: &Flags) -> Result<Vec<u8>, FileError> {
    let path = Path::new(file);
    let refused = |error: io::Error| {
        let message = format!("cannot open: {}", text::reason(&error));
        FileError::new(Code::CannotOpen, file, message)
    };
    let metadata = fs::metadata(path).map_err(refused)?;
    if metadata.is_dir() {
        return Err(FileError::new(Code::CannotOpen, file, "it is a directory"));
    }
    file_roles::read(path, file, Input::Data)?;
    read(path, &metadata, most, &|| flags.stop()).map_err(|unread| match unread {
        Unread::Refused(error) => refused(error),
        Unread::TooLarge => {
            let message = format!("the file is larger than {}", text::bytes(most as u64));
            FileError::new(Code::BadFormat, file, message)
        }
        Unread::Stopped(code) => {
            let message = match code {
                Code::TimeLimit => "the time is up while reading",
                _ => "interrupted while reading",
            };
            FileError::new(code, file, message)
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn endless_inputs_are_refused_at_the_limit() {
        let read = |most| read_from(io::repeat(b'x').take(100), most, &|| None);
        assert_eq!(read(100).unwrap().len(), 100);
        assert!(matches!(read(99), Err(Unread::TooLarge)));
        assert!(matches!(read_from(io::repeat(0), 1 << 20, &|| None), Err(Unread::TooLarge)));
    }

    #[test]
    fn flags_end_the_reading() {
        let flags = Flags::default();
        flags.deadline.store(true, Ordering::Relaxed);
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = read_named(file.path().to_str().unwrap(), 1, &flags);
        assert_eq!(read.unwrap_err().code, Code::TimeLimit);
    }
}
