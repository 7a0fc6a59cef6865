//! Non-blocking files: pipes, terminals, devices. They are opened without waiting for a writer, and
//! each read waits only briefly, so that the reader can poll its flags between reads.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Opens a file with this metadata. Reads of an irregular file return [`io::ErrorKind::WouldBlock`]
/// after [`MOMENT`] without a byte.
///
/// # Errors
/// If it cannot be opened.
pub fn open(path: &Path, metadata: &Metadata) -> io::Result<Box<dyn Read>> {
    match metadata.is_file() {
        true => Ok(Box::new(File::open(path)?)),
        false => open_patiently(path),
    }
}

#[cfg(not(unix))]
fn open_patiently(path: &Path) -> io::Result<Box<dyn Read>> {
    Ok(Box::new(File::open(path)?))
}

#[cfg(unix)]
pub use self::unix::MOMENT;
#[cfg(unix)]
use self::unix::open_patiently;

#[cfg(unix)]
mod unix {
    use std::fs::{File, OpenOptions};
    use std::io::{self, ErrorKind, Read};
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::OFlags;

    /// Maximum wait of a read.
    pub const MOMENT: Duration = Duration::from_millis(20);

    /// Opens a pipe without waiting for a writer; `read` detects whether it has one.
    pub(super) fn open_patiently(path: &Path) -> io::Result<Box<dyn Read>> {
        let mut options = OpenOptions::new();
        // The flag applies to this open file only, not to other processes that share the pipe.
        options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        Ok(Box::new(Patient { file: options.open(path)? }))
    }

    struct Patient {
        file: File,
    }

    impl Read for Patient {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let moment = Timespec { tv_sec: 0, tv_nsec: MOMENT.subsec_nanos().into() };
            let mut files = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut files, Some(&moment))? {
                // A pipe without a writer would appear to have ended.
                0 => Err(ErrorKind::WouldBlock.into()),
                _ => self.file.read(buffer),
            }
        }
    }
}
