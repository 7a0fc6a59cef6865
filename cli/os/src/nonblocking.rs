//! Non-blocking files: pipes, terminals, devices. They are opened for reading without waiting for a
//! writer, and each read waits only briefly, so that the reader can poll its flags between reads.
//! Writers wait for a reader, and for space in each write, until a flag is set.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

#[cfg(not(unix))]
pub use self::elsewhere::{FileWriter, StdoutWriter, create};
#[cfg(unix)]
use self::unix::open_patiently;
#[cfg(unix)]
pub use self::unix::{FileWriter, MOMENT, StdoutWriter, create};

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
mod unix {
    use std::fs::{self, File, OpenOptions};
    use std::io::{self, ErrorKind, Read, Stdout, Write};
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    use std::path::Path;
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::OFlags;
    use rustix::io::Errno;

    use crate::flags::{Flags, Stopped};

    /// Maximum wait of a read, and of a write between two checks of the flags.
    pub const MOMENT: Duration = Duration::from_millis(20);

    /// Bytes that a pipe with space accepts without blocking.
    const PIPE_BYTES: usize = 4096;

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
            match is_ready(&self.file, PollFlags::IN)? {
                // A pipe without a writer would appear to have ended.
                false => Err(ErrorKind::WouldBlock.into()),
                true => self.file.read(buffer),
            }
        }
    }

    /// Waits at most [`MOMENT`] for an event of the file; returns whether it occurred.
    fn is_ready(file: &impl AsFd, event: PollFlags) -> io::Result<bool> {
        let moment = Timespec { tv_sec: 0, tv_nsec: MOMENT.subsec_nanos().into() };
        Ok(poll(&mut [PollFd::new(file, event)], Some(&moment))? > 0)
    }

    /// Opens an existing pipe or device for writing. A pipe is opened when it has a reader, unless
    /// a flag is set before.
    ///
    /// # Errors
    /// If the system refuses, and [`Stopped`].
    pub fn create(path: &Path, flags: &Flags) -> io::Result<FileWriter> {
        let mut options = OpenOptions::new();
        options.write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        let has_no_reader = |error: &io::Error| {
            let is_pipe = || fs::metadata(path).is_ok_and(|data| data.file_type().is_fifo());
            error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) && is_pipe()
        };
        loop {
            match options.open(path) {
                Err(error) if has_no_reader(&error) => Stopped::check(flags)?,
                opened => return Ok(FileWriter { file: opened?, flags: flags.clone() }),
            }
            thread::sleep(MOMENT);
        }
    }

    /// A non-blocking file whose writes wait for space until a flag is set.
    #[derive(Debug)]
    pub struct FileWriter {
        file: File,
        flags: Flags,
    }

    impl Write for FileWriter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            write_patiently(&self.file, bytes, || Stopped::check(&self.flags))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Standard output, whose writes wait for space until a flag is set. Other processes share the
    /// open file, so it remains a blocking one.
    #[derive(Debug)]
    pub struct StdoutWriter {
        file: Stdout,
        flags: Arc<Mutex<Flags>>,
        /// Maximum size of a write.
        most: usize,
    }

    impl StdoutWriter {
        /// Creates the writer, which always polls the current flags.
        pub fn new(flags: Arc<Mutex<Flags>>) -> Self {
            let file = io::stdout();
            let is_file = rustix::fs::fstat(&file)
                .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file());
            let most = if is_file { usize::MAX } else { PIPE_BYTES };
            StdoutWriter { file, flags, most }
        }
    }

    impl Write for StdoutWriter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let piece = &bytes[..bytes.len().min(self.most)];
            write_patiently(&self.file, piece, || {
                Stopped::check(&self.flags.lock().unwrap_or_else(PoisonError::into_inner))
            })
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Writes some bytes when the file has space; calls `check` while it has none.
    fn write_patiently(
        file: &impl AsFd,
        bytes: &[u8],
        check: impl Fn() -> io::Result<()>,
    ) -> io::Result<usize> {
        loop {
            if is_ready(file, PollFlags::OUT)? {
                match rustix::io::write(file, bytes) {
                    // Another process wrote in the meantime.
                    Err(Errno::AGAIN) => {}
                    written => return Ok(written?),
                }
            }
            check()?;
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::fs::{File, OpenOptions};
    use std::io::{self, Stdout, Write};
    use std::path::Path;
    use std::sync::{Arc, Mutex};

    use crate::flags::Flags;

    /// A file for writing.
    pub type FileWriter = File;

    /// Opens an existing device for writing.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(path: &Path, _: &Flags) -> io::Result<FileWriter> {
        OpenOptions::new().write(true).open(path)
    }

    /// Standard output.
    #[derive(Debug)]
    pub struct StdoutWriter(Stdout);

    impl StdoutWriter {
        /// Creates the writer.
        pub fn new(_: Arc<Mutex<Flags>>) -> Self {
            StdoutWriter(io::stdout())
        }
    }

    impl Write for StdoutWriter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }
}
