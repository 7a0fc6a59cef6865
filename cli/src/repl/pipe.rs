//! A session that reads a pipe or a file: without a prompt, and with an exit code that reports
//! failures.

use std::cell::RefCell;
use std::io::{self, BufRead, Read};

use star_base::{Code, Diagnostic};
use star_os::exit::Exit;
use star_repl::event::{Event, Sink};
use star_repl::session::{Flow, Session};

use super::plain::{FrontEnd, Plain};
use crate::text;

/// Maximum length of a line in bytes.
const MAX_LINE_BYTES: usize = 16 << 20;

/// Maximum number of lines that are not text; the input then ends.
const MAX_DROPPED: usize = 20;

/// Runs `input` line by line and returns the exit code. A failed line does not stop the following
/// ones, except one that is too long: its end may never come. A line that fails because the output
/// is closed is not an error of the session: the owner of the output reports it.
pub(crate) fn run(session: &mut Session, input: &mut dyn BufRead, sink: &mut Plain<'_>) -> Exit {
    let lines = &RefCell::new(Lines { input, is_cut: false });
    // The next line of the pipe answers a prompt of the session.
    let answers = |_: &mut Plain<'_>, _: &str| {
        let mut bytes = Vec::new();
        match lines.borrow_mut().read(&mut bytes) {
            Ok(Line::End | Line::TooLong) | Err(_) => None,
            Ok(Line::Whole) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        }
    };
    let sink = &mut FrontEnd { plain: sink, answers, edited: None };
    let mut bytes = Vec::new();
    let mut number = 0_u64;
    let mut n_dropped = 0;
    loop {
        bytes.clear();
        number += 1;
        session.rest();
        let read = lines.borrow_mut().read(&mut bytes);
        session.wake();
        match read {
            Ok(Line::End) => break,
            Ok(Line::Whole) => {}
            Ok(Line::TooLong) => {
                let most = text::bytes(MAX_LINE_BYTES as u64);
                let message = format!("line {number} is longer than {most}");
                let diagnostic = Diagnostic::new(Code::SourceTooLarge, message);
                session.refuse(&diagnostic.note("the rest of the input is ignored"), sink);
                return session.exit();
            }
            Err(error) => {
                let message = format!("cannot read standard input: {}", text::reason(&error));
                session.refuse(&Diagnostic::new(Code::SourceUnreadable, message), sink);
                break;
            }
        }
        let line = match std::str::from_utf8(&bytes) {
            Ok(line) => line.strip_suffix('\n').unwrap_or(line),
            Err(error) => {
                let at = error.valid_up_to();
                let message = format!(
                    "line {number}, byte {}: {:#04x} is not valid UTF-8",
                    at + 1,
                    bytes[at]
                );
                let diagnostic = Diagnostic::new(Code::NotUtf8, message);
                session.refuse(&diagnostic.note("the line was discarded"), sink);
                n_dropped += 1;
                if n_dropped == MAX_DROPPED {
                    sink.show(Event::Note("this is not text: the rest of it is ignored"));
                    return session.exit();
                }
                continue;
            }
        };
        let before = session.exit();
        let flow = session.line(line.strip_suffix('\r').unwrap_or(line), sink);
        if !sink.plain.flush() {
            return before;
        }
        if flow == Flow::Quit {
            return session.exit();
        }
    }
    session.end(sink);
    session.exit()
}

/// The result of reading a line.
enum Line {
    Whole,
    /// It exceeds [`MAX_LINE_BYTES`].
    TooLong,
    /// The input has no more lines.
    End,
}

/// The lines of an input.
struct Lines<'a> {
    input: &'a mut dyn BufRead,
    /// A line was too long, and its rest was not read.
    is_cut: bool,
}

impl Lines<'_> {
    /// Reads a line with its line break. After one that is too long none is read.
    fn read(&mut self, bytes: &mut Vec<u8>) -> io::Result<Line> {
        if self.is_cut {
            return Ok(Line::TooLong);
        }
        let n = (&mut *self.input).take(MAX_LINE_BYTES as u64).read_until(b'\n', bytes)?;
        Ok(match bytes.last() {
            None => Line::End,
            Some(&last) if last == b'\n' || n < MAX_LINE_BYTES => Line::Whole,
            Some(_) => {
                self.is_cut = true;
                *bytes = Vec::new(); // frees the memory
                Line::TooLong
            }
        })
    }
}

/// Loads the files named on the command line.
pub(crate) fn load(session: &mut Session, files: &[String], sink: &mut dyn Sink) {
    for file in files {
        if let Err(diagnostic) = session.load(file, sink) {
            session.refuse(&diagnostic, sink);
        }
    }
}
