//! Outputs of writers, with polling for interruption during long work before writing.

use std::io::{self, Write};

/// An interruptible output.
pub(crate) trait Sink: Write {
    /// Polls for interruption while nothing is written.
    ///
    /// # Errors
    /// If interrupted.
    fn go_on(&mut self) -> io::Result<()>;
}

/// An output with a callback that decides whether to continue.
pub(crate) struct InterruptibleSink<'a, W> {
    pub(crate) output: W,
    pub(crate) go_on: &'a mut dyn FnMut() -> bool,
}

impl<W: Write> Write for InterruptibleSink<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl<W: Write> Sink for InterruptibleSink<'_, W> {
    fn go_on(&mut self) -> io::Result<()> {
        // `ErrorKind::Interrupted` would cause a retry.
        if (self.go_on)() { Ok(()) } else { Err(io::Error::other("interrupted")) }
    }
}
