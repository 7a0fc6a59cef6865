//! Standard output, for the output of a program and the results only. Runs whose output is
//! inspected write to a string instead.
//!
//! A terminal shows control characters as visible ones, so that data cannot move its cursor or
//! change its title; files and pipes receive the bytes unchanged. Only [`Output::write_styled`]
//! writes escape sequences to a terminal.
//!
//! A write failure is stored and reported once, at the end; see [`Output::finish`].

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

use star_base::text;
use star_base::{Code, Diagnostic};

use crate::exit::Exit;
use crate::flags::{Flags, Stopped};
use crate::nonblocking::StdoutWriter;
use crate::stream::Stream;

/// Buffered standard output, or a string.
pub struct Output {
    inner: Sink,
    terminal: bool,
    /// The flags that end a write which waits for a reader.
    flags: Arc<Mutex<Flags>>,
    /// The beginning of a character whose remaining bytes are not yet written to the terminal.
    partial: Vec<u8>,
    failure: Option<io::Error>,
}

/// The target of the output.
enum Sink {
    Stdout(Stream<StdoutWriter>),
    Text(Vec<u8>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Stdout(inner) => inner.write(bytes),
            Sink::Text(inner) => inner.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stdout(inner) => inner.flush(),
            Sink::Text(inner) => inner.flush(),
        }
    }
}

/// Binary output; failures are stored, too.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match self.terminal {
            true => self.write_to_terminal(bytes),
            false => self.attempt(|inner, _| inner.write_all(bytes)),
        };
        match written {
            true => Ok(bytes.len()),
            false => Err(io::Error::other("cannot write to standard output")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match Output::flush(self) {
            true => Ok(()),
            false => Err(io::Error::other("cannot write to standard output")),
        }
    }
}

impl Output {
    /// Returns standard output, with nothing written yet.
    pub fn stdout() -> Self {
        let flags = Arc::default();
        let inner = Sink::Stdout(Stream::new(StdoutWriter::new(Arc::clone(&flags))));
        let terminal = io::stdout().is_terminal();
        Output { inner, terminal, flags, partial: Vec::new(), failure: None }
    }

    /// Returns an output that collects text; see [`Output::into_text`].
    pub fn kept() -> Self {
        let inner = Sink::Text(Vec::new());
        let (flags, partial) = (Arc::default(), Vec::new());
        Output { inner, terminal: false, flags, partial, failure: None }
    }

    /// Lets these flags end a write that waits for a reader.
    pub fn stop_at(&self, flags: &Flags) {
        *self.flags.lock().unwrap_or_else(PoisonError::into_inner) = flags.clone();
    }

    /// Returns the collected text; empty for standard output.
    pub fn into_text(self) -> String {
        match self.inner {
            Sink::Stdout(_) => String::new(),
            Sink::Text(text) => String::from_utf8_lossy(&text).into_owned(),
        }
    }

    /// Returns the width of a text line: `COLUMNS`, the width of the terminal, or 80.
    pub fn width(&self) -> usize {
        let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        let terminal = || if self.terminal { terminal_width() } else { None };
        said.or_else(terminal).filter(|&width| width > 0).unwrap_or(80)
    }

    /// Tests whether the output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes text, without control characters to a terminal; returns `false` if this or an earlier
    /// write failed.
    pub fn write(&mut self, text: &str) -> bool {
        match self.terminal {
            true => self.write_styled(&text::printable(text)),
            false => self.write_styled(text),
        }
    }

    /// Writes text with escape sequences of the toolchain; returns `false` if this or an earlier
    /// write failed.
    pub fn write_styled(&mut self, text: &str) -> bool {
        self.attempt(|inner, terminal| {
            inner.write_all(text.as_bytes())?;
            // On a terminal, lines must appear immediately; a pipe can wait.
            if terminal { inner.flush() } else { Ok(()) }
        })
    }

    /// Flushes the buffer; returns `false` if this or an earlier write failed.
    pub fn flush(&mut self) -> bool {
        if !self.partial.is_empty() {
            let partial = std::mem::take(&mut self.partial);
            self.write(&String::from_utf8_lossy(&partial));
        }
        self.attempt(|inner, _| inner.flush())
    }

    /// Ends the output. `exit` is the exit code if everything was written or an earlier error was
    /// more severe. The message describes the write failure, unless the reader closed the pipe.
    pub fn finish(mut self, exit: Exit) -> (Exit, Option<Diagnostic>) {
        self.flush();
        let or = |other: Exit| if exit == Exit::Success { other } else { exit };
        match self.failure.take() {
            None => (exit, None),
            Some(error) if error.kind() == ErrorKind::BrokenPipe => (or(Exit::Pipe), None),
            // The command reported why it stopped.
            Some(error) if Stopped::code(&error).map(Exit::of) == Some(exit) => (exit, None),
            Some(error) => {
                let diagnostic = match Stopped::code(&error) {
                    Some(code) => Diagnostic::new(code, format!("standard output: {error}")),
                    None => {
                        let why = text::reason(&error);
                        let message = format!("cannot write to standard output: {why}");
                        Diagnostic::new(Code::CannotWrite, message)
                    }
                };
                (or(Exit::of(diagnostic.code)), Some(diagnostic))
            }
        }
    }

    /// Tests whether standard output was closed when the process started. The runtime then opens
    /// the null device in its place for reading and writing; a redirection by a user opens it for
    /// writing only.
    pub fn is_closed(&self) -> bool {
        match &self.inner {
            Sink::Stdout(_) => is_closed(),
            Sink::Text(_) => false,
        }
    }

    /// Tests whether the reader of standard output closed it, without writing anything.
    pub fn is_abandoned(&self) -> bool {
        match &self.inner {
            Sink::Stdout(_) => is_abandoned(),
            Sink::Text(_) => false,
        }
    }

    /// Tests whether a write failed.
    pub fn failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Writes bytes of data as text. A character may be divided between two writes.
    fn write_to_terminal(&mut self, bytes: &[u8]) -> bool {
        let mut pending = std::mem::take(&mut self.partial);
        pending.extend_from_slice(bytes);
        let n_partial = match pending.utf8_chunks().last() {
            // At most three bytes can begin a character.
            Some(last) if std::str::from_utf8(last.invalid()).is_err_and(is_incomplete) => {
                last.invalid().len()
            }
            Some(_) | None => 0,
        };
        self.partial = pending.split_off(pending.len() - n_partial);
        self.write(&String::from_utf8_lossy(&pending))
    }

    fn attempt(&mut self, write: impl FnOnce(&mut Sink, bool) -> io::Result<()>) -> bool {
        if self.failure.is_none()
            && let Err(error) = write(&mut self.inner, self.terminal)
        {
            self.failure = Some(error);
        }
        self.failure.is_none()
    }
}

/// Tests whether more bytes can complete the character.
fn is_incomplete(error: std::str::Utf8Error) -> bool {
    error.error_len().is_none()
}

/// Tests whether standard output is the null device, open for reading and writing.
#[cfg(unix)]
fn is_closed() -> bool {
    let stdout = io::stdout();
    let flags = rustix::fs::fcntl_getfl(&stdout);
    let both = flags.is_ok_and(|flags| flags.contains(rustix::fs::OFlags::RDWR));
    let (here, null) = (rustix::fs::fstat(&stdout), rustix::fs::stat("/dev/null"));
    let same = here
        .ok()
        .zip(null.ok())
        .is_some_and(|(here, null)| (here.st_dev, here.st_ino) == (null.st_dev, null.st_ino));
    both && same
}

#[cfg(not(unix))]
fn is_closed() -> bool {
    false
}

/// Tests whether standard output is a pipe without a reader or a terminal that is gone.
#[cfg(unix)]
fn is_abandoned() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    let is_known = poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok();
    is_known && polled[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

#[cfg(not(unix))]
fn is_abandoned() -> bool {
    false
}

/// Returns the width of the terminal on standard output.
#[cfg(unix)]
fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn terminal_width() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(terminal: bool, parts: &[&[u8]]) -> String {
        let mut output = Output { terminal, ..Output::kept() };
        parts.iter().for_each(|part| output.write_all(part).unwrap());
        output.flush();
        output.into_text()
    }

    #[test]
    fn terminals_show_control_characters_of_data() {
        let data: &[&[u8]] = &[b"a\x1b[2J\r\x07\tb\n", "\u{202e}\u{9b}Я".as_bytes()];
        assert_eq!(written(true, data), "a␛[2J␍␇\tb\n\u{fffd}\u{fffd}Я");
        assert_eq!(written(false, data), "a\x1b[2J\r\x07\tb\n\u{202e}\u{9b}Я");
        let mut output = Output { terminal: true, ..Output::kept() };
        output.write("\x1b[2J");
        output.write_styled("\x1b[1mX\x1b[0m");
        assert_eq!(output.into_text(), "␛[2J\x1b[1mX\x1b[0m");
    }

    #[test]
    fn characters_divided_between_writes_stay_whole() {
        let bytes = "Я∅𝄞".as_bytes();
        let parts: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(written(true, &parts), "Я∅𝄞");
        assert_eq!(
            written(true, &[b"\xff", b"\xe2\x88", b"x", b"\xe2"]),
            "\u{fffd}\u{fffd}x\u{fffd}"
        );
    }
}
