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
/// ones. A line that fails because the output is closed is not an error of the session: the owner
/// of the output reports it.
pub(crate) fn run(session: &mut Session, input: &mut dyn BufRead, sink: &mut Plain<'_>) -> Exit {
    let input = &RefCell::new(input);
    // The next line of the pipe answers a prompt of the session.
    let answers = |_: &mut Plain<'_>| {
        let mut bytes = Vec::new();
        match read_line(*input.borrow_mut(), &mut bytes) {
            Ok(Line::End | Line::TooLong) | Err(_) => None,
            Ok(Line::Whole) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        }
    };
    let sink = &mut FrontEnd { plain: sink, answers };
    let mut bytes = Vec::new();
    let mut number = 0_u64;
    let mut n_dropped = 0;
    loop {
        bytes.clear();
        number += 1;
        session.rest();
        let read = read_line(*input.borrow_mut(), &mut bytes);
        session.wake();
        match read {
            Ok(Line::End) => break,
            Ok(Line::Whole) => {}
            Ok(Line::TooLong) => {
                let most = text::bytes(MAX_LINE_BYTES as u64);
                let message = format!("line {number} is longer than {most}");
                let diagnostic = Diagnostic::new(Code::SourceTooLarge, message);
                session.refuse(&diagnostic.note("the line was discarded"), sink);
                continue;
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
    /// It exceeds [`MAX_LINE_BYTES`] and was skipped.
    TooLong,
    /// The input has no more lines.
    End,
}

/// Reads a line with its line break, of which at most [`MAX_LINE_BYTES`] are kept.
fn read_line(input: &mut dyn BufRead, bytes: &mut Vec<u8>) -> io::Result<Line> {
    let n = (&mut *input).take(MAX_LINE_BYTES as u64).read_until(b'\n', bytes)?;
    match bytes.last() {
        None => Ok(Line::End),
        Some(b'\n') => Ok(Line::Whole),
        Some(_) if n < MAX_LINE_BYTES => Ok(Line::Whole),
        Some(_) => {
            // Frees the memory before the rest arrives.
            *bytes = Vec::new();
            input.skip_until(b'\n')?;
            Ok(Line::TooLong)
        }
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
