//! Standard output: what a program prints and the results. Nothing else writes there. A run whose
//! output is to be looked at has a text in its place.
//!
//! A failure to write is kept and told once, at the end; see [`Output::finish`].

use std::io::{self, ErrorKind, IsTerminal, Stdout, Write};

use star_base::text;
use star_base::{Code, Diagnostic};

use crate::exit::Exit;
use crate::stream::Stream;

/// Standard output with a buffer, or a text.
pub struct Output {
    inner: Sink,
    terminal: bool,
    failure: Option<io::Error>,
}

/// Where the output goes.
enum Sink {
    Stdout(Stream<Stdout>),
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

/// For data; a failure is kept, too.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.attempt(|inner, _| inner.write_all(bytes)) {
            true => Ok(bytes.len()),
            false => Err(io::Error::other("standard output takes no more")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match Output::flush(self) {
            true => Ok(()),
            false => Err(io::Error::other("standard output takes no more")),
        }
    }
}

impl Output {
    /// Standard output, to which nothing is written yet.
    pub fn stdout() -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let inner = Sink::Stdout(Stream::new(stdout));
        Output { inner, terminal, failure: None }
    }

    /// An output that is kept; see [`Output::into_text`].
    pub fn kept() -> Self {
        Output { inner: Sink::Text(Vec::new()), terminal: false, failure: None }
    }

    /// What was written to an output that is kept; empty for standard output.
    pub fn into_text(self) -> String {
        match self.inner {
            Sink::Stdout(_) => String::new(),
            Sink::Text(text) => String::from_utf8_lossy(&text).into_owned(),
        }
    }

    /// Characters in a line of text for people: what `COLUMNS` or the terminal says, 80 otherwise.
    pub fn width(&self) -> usize {
        let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        let terminal = || if self.terminal { terminal_width() } else { None };
        said.or_else(terminal).filter(|&width| width > 0).unwrap_or(80)
    }

    /// Is it a terminal?
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes text; `false` if this or an earlier writing failed.
    pub fn write(&mut self, text: &str) -> bool {
        self.attempt(|inner, terminal| {
            inner.write_all(text.as_bytes())?;
            // A person wants to see a line at once; for a pipe, soon is enough.
            if terminal { inner.flush() } else { Ok(()) }
        })
    }

    /// Brings out what is in the buffer; `false` if this or an earlier writing failed.
    pub fn flush(&mut self) -> bool {
        self.attempt(|inner, _| inner.flush())
    }

    /// Ends the output. `exit` is how the command ends if all was written, or if something worse happened
    /// before; the message says what could not be written, unless nobody wants to read it.
    pub fn finish(mut self, exit: Exit) -> (Exit, Option<Diagnostic>) {
        self.flush();
        let or = |other: Exit| if exit == Exit::Success { other } else { exit };
        match self.failure.take() {
            None => (exit, None),
            Some(error) if error.kind() == ErrorKind::BrokenPipe => (or(Exit::Pipe), None),
            Some(error) => {
                let message = format!("cannot write to standard output: {}", text::reason(&error));
                let diagnostic = Diagnostic::new(Code::CannotWrite, message);
                (or(Exit::of(diagnostic.code)), Some(diagnostic))
            }
        }
    }

    /// Was standard output closed when the process began? The runtime has then opened the null device in its place, for
    /// reading, too, as nobody does who wants to write to it.
    pub fn is_closed(&self) -> bool {
        match &self.inner {
            Sink::Stdout(_) => is_closed(),
            Sink::Text(_) => false,
        }
    }

    /// Did a writing fail?
    pub fn failed(&self) -> bool {
        self.failure.is_some()
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

/// Does standard output lead to the null device, open for reading and writing?
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

/// Columns of the terminal behind standard output.
#[cfg(unix)]
fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn terminal_width() -> Option<usize> {
    None
}
