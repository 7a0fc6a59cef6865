//! Scanner for the bytes of a text file: lines, blanks, comments and the place of every token.
//!
//! It holds one chunk of the file, whatever the length of a line, and is independent of the format.
//! [`number`] reads the numbers. A column counts bytes, from 1.

mod number;

use star_base::Code;

use crate::error::Fault;
use crate::growing::OutOfBudget;
use crate::source::{CHUNK, Source};
use crate::text;

/// Bytes of a token that are kept for a message: 40 characters of four bytes, plus one more
/// character.
const KEPT: usize = 164;

/// Maximum bytes of a word, or digits of a number: no format has longer ones, but an endless device
/// does.
const MAX_WORD_BYTES: usize = 1 << 16;

/// Maximum bytes of a comment, or of a line of a grid.
const MAX_LINE_BYTES: usize = 1 << 28;

/// A text file during reading.
pub(crate) struct Scanner<'r, 'o> {
    source: Source<'r, 'o>,
    buffer: Vec<u8>,
    /// The next byte is `buffer[pos]`; `buffer[..end]` is filled.
    pos: usize,
    end: usize,
    /// Number of bytes of the file before `buffer[0]`.
    base: u64,
    /// The line of the next byte, from 1, and the offset in the file where it starts.
    line: u64,
    line_start: u64,
    token: Token,
}

/// The start of the last token, and its part that is no longer in the buffer.
#[derive(Default)]
struct Token {
    start: usize,
    offset: u64,
    saved: Vec<u8>,
}

impl<'r, 'o> Scanner<'r, 'o> {
    /// Starts at the first line; skips a byte order mark.
    pub(crate) fn new(source: Source<'r, 'o>) -> Result<Self, Fault> {
        let mut scanner = Scanner {
            source,
            buffer: vec![0; CHUNK],
            pos: 0,
            end: 0,
            base: 0,
            line: 1,
            line_start: 0,
            token: Token::default(),
        };
        while scanner.end < 3 {
            match scanner.source.read(&mut scanner.buffer[scanner.end..])? {
                0 => break,
                n_bytes => scanner.end += n_bytes,
            }
        }
        scanner.source.wants_utf8(&scanner.buffer[..scanner.end])?;
        if scanner.buffer[..scanner.end].starts_with(b"\xef\xbb\xbf") {
            scanner.pos = 3;
            scanner.line_start = 3;
        }
        Ok(scanner)
    }

    /// The file and its options.
    pub(crate) fn source(&self) -> &Source<'r, 'o> {
        &self.source
    }

    /// The file and its options, for interruptible work after the last byte.
    pub(crate) fn source_mut(&mut self) -> &mut Source<'r, 'o> {
        &mut self.source
    }

    /// The line of the next byte, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// The next byte, `None` at the end of the file.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, Fault> {
        if self.pos < self.end || self.refill()? {
            Ok(Some(self.buffer[self.pos]))
        } else {
            Ok(None)
        }
    }

    /// Skips the byte that `peek` returned, which must not end a line.
    #[inline]
    pub(crate) fn bump(&mut self) {
        self.pos += 1;
    }

    /// Skips blanks, tabs and line ends; returns the byte after them, `None` at the end of the
    /// file.
    #[inline]
    pub(crate) fn next_entry(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            match self.peek()? {
                Some(b' ' | b'\t') => self.bump(),
                Some(b'\n') => self.pass_newline(),
                Some(b'\r') => self.pass_return()?,
                other => return Ok(other),
            }
        }
    }

    /// Skips blanks and tabs; returns the byte after them.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            match self.peek()? {
                Some(b' ' | b'\t') => self.bump(),
                other => return Ok(other),
            }
        }
    }

    /// Skips the end of the line; rejects anything but blanks before it.
    #[inline]
    pub(crate) fn end_line(&mut self) -> Result<(), Fault> {
        if self.skip_blanks()? == Some(b'\r') {
            self.pass_return()?;
        }
        match self.peek()? {
            None => Ok(()),
            Some(b'\n') => {
                self.pass_newline();
                Ok(())
            }
            Some(_) => {
                self.begin_token();
                let quoted = self.quoted();
                let message = format!("expected the end of the line, found {quoted}");
                Err(self.at_token(Code::BadFormat, message))
            }
        }
    }

    /// Returns whether the line ends here.
    pub(crate) fn at_line_end(&mut self) -> Result<bool, Fault> {
        Ok(matches!(self.skip_blanks()?, None | Some(b'\n' | b'\r')))
    }

    /// Skips the rest of the line, including its end.
    pub(crate) fn skip_line(&mut self) -> Result<(), Fault> {
        self.take_line(&mut Vec::new(), 0)
    }

    /// Skips the rest of the line, including its end, and stores up to `limit` bytes of it in
    /// `text`.
    pub(crate) fn take_line(&mut self, text: &mut Vec<u8>, limit: usize) -> Result<(), Fault> {
        text.clear();
        let mut n_passed = 0;
        while self.peek()?.is_some() {
            if n_passed > MAX_LINE_BYTES {
                let longest = text::size(MAX_LINE_BYTES as u128);
                return Err(self.here(Code::BadFormat, format!("a line is longer than {longest}")));
            }
            let rest = &self.buffer[self.pos..self.end];
            let len = rest.iter().position(|&byte| byte == b'\n');
            let n_kept = (limit - text.len()).min(len.unwrap_or(rest.len()));
            text.extend_from_slice(&rest[..n_kept]);
            match len {
                Some(len) => {
                    self.pos += len;
                    self.pass_newline();
                    break;
                }
                None => {
                    n_passed += rest.len();
                    self.pos = self.end;
                }
            }
        }
        Ok(())
    }

    /// Skips blanks and reads everything up to the next blank or line end; stores the first bytes
    /// in `word`, nothing at the end of the line.
    pub(crate) fn take_word(&mut self, word: &mut Vec<u8>) -> Result<(), Fault> {
        word.clear();
        self.skip_blanks()?;
        self.begin_token();
        let mut n_bytes = 0;
        while let Some(byte) = self.peek()?
            && !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
        {
            self.bump();
            if word.len() < KEPT {
                word.push(byte);
            }
            n_bytes += 1;
            if n_bytes > MAX_WORD_BYTES {
                let longest = text::size(MAX_WORD_BYTES as u128);
                let message = format!("a word is longer than {longest}");
                return Err(self.at_token(Code::BadFormat, message));
            }
        }
        Ok(())
    }

    /// Starts a token at the next byte.
    #[inline]
    pub(crate) fn begin_token(&mut self) {
        self.token.start = self.pos;
        self.token.offset = self.base + self.pos as u64;
        self.token.saved.clear();
    }

    /// The last token as quoted text. Reads on to its end, or at least as many bytes as a message
    /// needs: for faults only.
    pub(crate) fn quoted(&mut self) -> String {
        text::quote(&self.token_bytes())
    }

    /// The first bytes of the last token. Reads on like `quoted`.
    fn token_bytes(&mut self) -> Vec<u8> {
        let mut n_bytes = (self.base + self.pos as u64).saturating_sub(self.token.offset);
        // An error while reading on must not replace the fault that is being reported.
        while n_bytes < KEPT as u64
            && let Ok(Some(byte)) = self.peek()
            && !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
        {
            self.bump();
            n_bytes += 1;
        }
        let mut bytes = self.token.saved.clone();
        bytes.extend_from_slice(&self.buffer[self.token.start.min(self.pos)..self.pos]);
        bytes.truncate(KEPT);
        bytes
    }

    /// A fault at the start of the last token.
    pub(crate) fn at_token(&self, code: Code, message: impl Into<String>) -> Fault {
        self.at_offset(self.token.offset, code, message)
    }

    /// Line and column of the last token, valid until its line ends.
    pub(crate) fn place_of_token(&self) -> (u64, u64) {
        (self.line, self.token.offset.saturating_sub(self.line_start) + 1)
    }

    /// A fault at the next byte.
    pub(crate) fn here(&self, code: Code, message: impl Into<String>) -> Fault {
        self.at_offset(self.base + self.pos as u64, code, message)
    }

    /// The error that the data read so far exceed the budget.
    pub(crate) fn out_of_memory(&self, refused: &OutOfBudget) -> Fault {
        let fault = self.source.out_of_memory(refused.0);
        Box::new(fault.at(self.line, 1))
    }

    fn at_offset(&self, offset: u64, code: Code, message: impl Into<String>) -> Fault {
        let column = offset.saturating_sub(self.line_start) + 1;
        Box::new(self.source.fault(code, message).at(self.line, column))
    }

    #[inline]
    fn pass_newline(&mut self) {
        self.pos += 1;
        self.line += 1;
        self.line_start = self.base + self.pos as u64;
    }

    /// Skips a carriage return, which is only allowed at the end of a line.
    fn pass_return(&mut self) -> Result<(), Fault> {
        let column = self.base + self.pos as u64;
        self.bump();
        match self.peek()? {
            None | Some(b'\n') => Ok(()),
            Some(_) => {
                let message = "carriage return inside a line";
                Err(self.at_offset(column, Code::BadFormat, message))
            }
        }
    }

    /// Reads the next chunk; `false` at the end of the file.
    #[cold]
    fn refill(&mut self) -> Result<bool, Fault> {
        let token = &self.buffer[self.token.start.min(self.end)..self.end];
        let n_kept = token.len().min(KEPT - self.token.saved.len());
        self.token.saved.extend_from_slice(&token[..n_kept]);
        self.token.start = 0;
        self.base += self.end as u64;
        (self.pos, self.end) = (0, 0);
        match self.source.read(&mut self.buffer) {
            Ok(n_bytes) => {
                self.end = n_bytes;
                Ok(n_bytes > 0)
            }
            Err(fault) => {
                let column = self.base.saturating_sub(self.line_start) + 1;
                Err(Box::new(fault.at(self.line, column)))
            }
        }
    }
}
