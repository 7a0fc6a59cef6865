//! The text part of a Netpbm file: numbers between white space and comments.

use star_base::Code;

use crate::error::{Fault, FileError};
use crate::source::Source;
use crate::text;

/// A position in the bytes of a file.
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The start of the last number.
    number: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Text { bytes, at, number: at }
    }

    /// Number of remaining bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Reads a decimal number, 0..=`max`, and the white space before it.
    pub(super) fn number(&mut self, source: &Source, what: &str, max: u64) -> Result<u64, Fault> {
        self.skip_space();
        self.number = self.at;
        let rest = &self.bytes[self.at..];
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'#';
        let token = &rest[..rest.iter().position(is_end).unwrap_or(rest.len())];
        if token.is_empty() {
            return Err(self.ends(source, what));
        }
        let mut number = 0u64;
        for &byte in token {
            if !byte.is_ascii_digit() {
                let message = format!("{} is not {what}", text::quote(token));
                return Err(self.fault(source, Code::BadFormat, message));
            }
            number = number.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
        }
        if number > max {
            let message = format!("{what} is {}, but must be at most {max}", text::quote(token));
            return Err(self.fault(source, Code::OutOfRange, message));
        }
        self.at += token.len();
        Ok(number)
    }

    /// Reads a `0` or `1`, and the white space before it.
    pub(super) fn bit(&mut self, source: &Source) -> Result<u64, Fault> {
        self.skip_space();
        let bit = match self.bytes.get(self.at) {
            Some(b'0') => 0,
            Some(b'1') => 1,
            Some(other) => {
                let message = format!("{} is neither 0 nor 1", text::quote(&[*other]));
                return Err(self.fault(source, Code::BadFormat, message));
            }
            None => return Err(self.ends(source, "a bit")),
        };
        self.at += 1;
        Ok(bit)
    }

    /// The bytes after the header, which ends with one byte of white space.
    pub(super) fn samples(&mut self, source: &Source) -> Result<&'a [u8], Fault> {
        match self.bytes.get(self.at) {
            Some(byte) if byte.is_ascii_whitespace() => Ok(&self.bytes[self.at + 1..]),
            Some(_) => Err(self.fault(
                source,
                Code::BadFormat,
                "expected white space after the \
                header",
            )),
            None => Err(self.ends(source, "the picture")),
        }
    }

    /// Rejects trailing bytes.
    pub(super) fn end(&mut self, source: &Source) -> Result<(), Fault> {
        self.skip_space();
        match self.bytes.get(self.at) {
            None => Ok(()),
            Some(_) => {
                Err(self.fault(source, Code::HeaderLies, "unexpected data after the picture"))
            }
        }
    }

    /// An error at this position.
    pub(super) fn fault(&self, source: &Source, code: Code, message: impl Into<String>) -> Fault {
        self.fault_at(self.at, source, code, message)
    }

    /// An error at the last number.
    pub(super) fn at_number(
        &self,
        source: &Source,
        code: Code,
        message: impl Into<String>,
    ) -> Fault {
        self.fault_at(self.number, source, code, message)
    }

    fn fault_at(
        &self,
        at: usize,
        source: &Source,
        code: Code,
        message: impl Into<String>,
    ) -> Fault {
        let before = &self.bytes[..at];
        let line = before.iter().filter(|&&byte| byte == b'\n').count();
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        let error = FileError::new(code, source.file(), message);
        Box::new(error.at(line as u64 + 1, column as u64 + 1))
    }

    fn ends(&self, source: &Source, what: &str) -> Fault {
        self.fault(source, Code::Truncated, format!("expected {what}, found the end of the file"))
    }

    /// Skips white space and comments, from `#` to the end of the line.
    fn skip_space(&mut self) {
        let mut in_comment = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' | b'\r' => in_comment = false,
                b'#' => in_comment = true,
                _ if in_comment || byte.is_ascii_whitespace() => {}
                _ => return,
            }
            self.at += 1;
        }
    }
}
