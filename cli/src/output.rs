//! Standard output: what a program prints and the results. Nothing else writes there.
//!
//! A failure to write is kept and told once, at the end; see [`Output::finish`].

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stdout, Write};

use star_base::{Code, Diagnostic};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::text;

/// Standard output with a buffer.
pub(crate) struct Output {
    inner: BufWriter<Stdout>,
    terminal: bool,
    failure: Option<io::Error>,
}

impl Output {
    /// Nothing is written yet.
    pub(crate) fn new() -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        Output { inner: BufWriter::with_capacity(1 << 16, stdout), terminal, failure: None }
    }

    /// Is it a terminal?
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes text; `false` if this or an earlier writing failed.
    pub(crate) fn write(&mut self, text: &str) -> bool {
        self.attempt(|inner, terminal| {
            inner.write_all(text.as_bytes())?;
            // A person wants to see a line at once; a pipe takes whole buffers.
            if terminal { inner.flush() } else { Ok(()) }
        })
    }

    /// Brings out what is in the buffer; `false` if this or an earlier writing failed.
    pub(crate) fn flush(&mut self) -> bool {
        self.attempt(|inner, _| inner.flush())
    }

    /// Ends the output. `exit` is how the command ends if all was written; otherwise that is what
    /// the user must know, unless something worse happened before.
    ///
    /// # Errors
    /// If the output could not be written, and not for want of a reader.
    pub(crate) fn finish(mut self, exit: Exit) -> Result<Exit, Failure> {
        self.flush();
        match self.failure.take() {
            None => Ok(exit),
            Some(_) if exit != Exit::Success => Ok(exit),
            Some(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Exit::Pipe),
            Some(error) => {
                let message = format!("cannot write to standard output: {}", text::reason(&error));
                Err(Diagnostic::new(Code::CannotWrite, message).into())
            }
        }
    }

    /// Did a writing fail?
    pub(crate) fn failed(&self) -> bool {
        self.failure.is_some()
    }

    fn attempt(
        &mut self,
        write: impl FnOnce(&mut BufWriter<Stdout>, bool) -> io::Result<()>,
    ) -> bool {
        if self.failure.is_none()
            && let Err(error) = write(&mut self.inner, self.terminal)
        {
            self.failure = Some(error);
        }
        self.failure.is_none()
    }
}
