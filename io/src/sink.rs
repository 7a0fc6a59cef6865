//! Where writers write, and where those that have long work to do before poll whether to go on.

use std::io::{self, Write};

/// An output that may be stopped.
pub(crate) trait Sink: Write {
    /// Polls whether to go on, for the time in which nothing is written.
    ///
    /// # Errors
    /// If not.
    fn go_on(&mut self) -> io::Result<()>;
}

/// An output with someone who says whether to go on.
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
        // `ErrorKind::Interrupted` would mean: try again.
        if (self.go_on)() { Ok(()) } else { Err(io::Error::other("interrupted")) }
    }
}
