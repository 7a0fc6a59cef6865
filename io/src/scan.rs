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

/// Bytes of a line that are in the buffer when it begins: messages show longer lines in part.
const SHOWN_BYTES: usize = 1 << 9;

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

    /// The offset of the next byte in the file.
    #[inline]
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.pos as u64
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
                other => {
                    if self.end - self.pos < SHOWN_BYTES {
                        self.complete_line()?;
                    }
                    return Ok(other);
                }
            }
        }
    }

    /// Reads the rest of a line that begins at the end of the buffer, as messages show it.
    #[cold]
    fn complete_line(&mut self) -> Result<(), Fault> {
        loop {
            let line = &self.buffer[self.pos..self.end];
            let is_whole = line.contains(&b'\n') || line.len() >= SHOWN_BYTES;
            if is_whole {
                return Ok(());
            }
            let more = self.extend();
            let at = self.base + self.end as u64;
            let column = at.saturating_sub(self.line_start) + 1;
            if !more.map_err(|fault| Box::new(fault.at(self.line, column)))? {
                return Ok(());
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

    /// The text of the next lines up to `n_lines`, without comments and empty lines, as far as the
    /// buffer can hold them.
    pub(crate) fn peek_lines(&mut self, n_lines: usize) -> Result<Vec<Vec<u8>>, Fault> {
        loop {
            let rest = &self.buffer[self.pos..self.end];
            let lines = rest.split_inclusive(|&byte| byte == b'\n');
            let is_data =
                |line: &&[u8]| !matches!(line.trim_ascii_start().first(), None | Some(b'#' | b'%'));
            let ended = lines.clone().filter(is_data).filter(|line| line.ends_with(b"\n"));
            let is_enough = ended.count() >= n_lines;
            if is_enough || !self.extend()? {
                let lines = self.buffer[self.pos..self.end].split(|&byte| byte == b'\n');
                let lines = lines.filter(is_data).take(n_lines);
                return Ok(lines.map(<[u8]>::to_vec).collect());
            }
        }
    }

    /// Reads more bytes after those in the buffer; `false` at the end of the file or if it is full.
    fn extend(&mut self) -> Result<bool, Fault> {
        let start = self.line_start.checked_sub(self.base).map_or(self.pos, |at| at as usize);
        let start = start.min(self.pos);
        self.buffer.copy_within(start..self.end, 0);
        self.base += start as u64;
        (self.pos, self.end) = (self.pos - start, self.end - start);
        self.begin_token();
        let n_bytes = self.source.read(&mut self.buffer[self.end..])?;
        self.end += n_bytes;
        Ok(n_bytes > 0)
    }

    /// Reads a cell up to `separator`, or without one up to a blank, or to the end of the line.
    /// Returns whether another cell follows. Quotes around a cell are not part of it.
    pub(crate) fn take_cell(
        &mut self,
        separator: Option<u8>,
        cell: &mut Vec<u8>,
    ) -> Result<bool, Fault> {
        cell.clear();
        while let Some(byte @ (b' ' | b'\t')) = self.peek()?
            && separator != Some(byte)
        {
            self.bump();
        }
        self.begin_token();
        let is_quoted = self.peek()? == Some(b'"');
        if is_quoted {
            self.take_quoted(cell)?;
        }
        while let Some(byte) = self.peek()? {
            let is_end = match separator {
                Some(separator) => byte == separator,
                // The data of a networkx edge contains blanks.
                None => matches!(byte, b' ' | b'\t') && (is_quoted || cell.first() != Some(&b'{')),
            };
            match byte {
                _ if is_end => break,
                b'\n' => break,
                b'\r' => {
                    self.pass_return()?;
                    break;
                }
                b' ' | b'\t' if is_quoted => self.bump(),
                _ if is_quoted => {
                    let fault = self.here(Code::BadFormat, text::AFTER_QUOTE);
                    return Err(Box::new(fault.help(text::HOW_TO_QUOTE)));
                }
                _ => {
                    cell.push(byte);
                    self.bump();
                    self.refuse_endless_cell(cell)?;
                }
            }
        }
        if !is_quoted {
            cell.truncate(cell.trim_ascii_end().len());
        }
        let ends = match separator {
            Some(_) => self.peek()?,
            None => self.skip_blanks()?,
        };
        match ends {
            None => Ok(false),
            Some(b'\r') => {
                self.pass_return()?;
                Ok(false)
            }
            Some(b'\n') => Ok(false),
            Some(byte) => {
                if separator == Some(byte) {
                    self.bump();
                }
                Ok(true)
            }
        }
    }

    /// Reads a quoted text; two quotes stand for one.
    fn take_quoted(&mut self, cell: &mut Vec<u8>) -> Result<(), Fault> {
        self.bump();
        loop {
            match self.peek()? {
                None | Some(b'\n') => {
                    let message = "a quoted field without its closing quote in the same line";
                    let fault = self.at_token(Code::BadFormat, message);
                    return Err(Box::new(fault.help(text::HOW_TO_QUOTE)));
                }
                Some(b'"') => {
                    self.bump();
                    if self.peek()? != Some(b'"') {
                        return Ok(());
                    }
                    cell.push(b'"');
                    self.bump();
                }
                Some(byte) => {
                    cell.push(byte);
                    self.bump();
                }
            }
            self.refuse_endless_cell(cell)?;
        }
    }

    #[inline]
    fn refuse_endless_cell(&self, cell: &[u8]) -> Result<(), Fault> {
        match cell.len() > MAX_WORD_BYTES {
            true => {
                let longest = text::size(MAX_WORD_BYTES as u128);
                Err(self.at_token(Code::BadFormat, format!("a field is longer than {longest}")))
            }
            false => Ok(()),
        }
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

    /// The rest of the line in which an entry begins; `None` if it is longer than messages show.
    pub(crate) fn rest_of_entry(&self) -> Option<&[u8]> {
        let rest = &self.buffer[self.pos..self.end];
        let rest = &rest[..rest.len().min(SHOWN_BYTES)];
        match rest.iter().position(|&byte| byte == b'\n') {
            Some(len) => Some(&rest[..len]),
            None => Some(rest).filter(|rest| rest.len() < SHOWN_BYTES),
        }
    }

    /// Starts a token at the next byte.
    #[inline]
    pub(crate) fn begin_token(&mut self) {
        self.token.start = self.pos;
        self.token.offset = self.base + self.pos as u64;
        self.token.saved.clear();
    }

    /// The last token as quoted text. Reads on to its end, a blank or a comma, or at least as many
    /// bytes as a message needs: for faults only.
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
            && (byte != b',' || n_bytes == 0)
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
        let fault = self.source.fault(code, message).at(self.line, column);
        // The line is shown if its start is still in the buffer.
        let Some(start) = self.line_start.checked_sub(self.base) else { return Box::new(fault) };
        let line = self.buffer[..self.end].get(start as usize..).unwrap_or_default();
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        Box::new(fault.showing(line, column))
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
        // A short line is kept for messages.
        let line = self.line_start.checked_sub(self.base).map_or(self.end, |at| at as usize);
        let start = if self.end.saturating_sub(line) < SHOWN_BYTES { line } else { self.end };
        let start = start.min(self.end);
        self.buffer.copy_within(start..self.end, 0);
        self.base += start as u64;
        self.end -= start;
        (self.pos, self.token.start) = (self.end, self.end);
        match self.source.read(&mut self.buffer[self.end..]) {
            Ok(n_bytes) => {
                self.end += n_bytes;
                Ok(n_bytes > 0)
            }
            Err(fault) => {
                let at = self.base + self.pos as u64;
                let column = at.saturating_sub(self.line_start) + 1;
                Err(Box::new(fault.at(self.line, column)))
            }
        }
    }
}
