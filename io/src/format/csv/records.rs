//! The records of a CSV file, each with its place, to the last one that is whole.

use std::rc::Rc;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder, Trim};
use star_base::Code;

use super::pipe::{END, Pipe, Shared};
use crate::error::{Fault, FileError};
use crate::source::{CHUNK, Source};
use crate::text;

/// The records still to be read, and the last one read.
pub(super) struct Records<'r, 'o> {
    reader: Reader<Pipe<'r, 'o>>,
    shared: Rc<Shared>,
    file: String,
    record: ByteRecord,
    /// Fields of the first record.
    n_fields: Option<usize>,
}

impl<'r, 'o> Records<'r, 'o> {
    pub(super) fn new(source: Source<'r, 'o>) -> Self {
        let file = source.file().to_owned();
        let pipe = Pipe::new(source);
        let shared = Rc::clone(&pipe.shared);
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true) // the lengths are compared here
            .trim(Trim::All)
            .buffer_capacity(CHUNK)
            .from_reader(pipe);
        Records { reader, shared, file, record: ByteRecord::new(), n_fields: None }
    }

    /// Reads a record with as many fields as the first one; `false` at the end of the file.
    pub(super) fn next(&mut self) -> Result<bool, Fault> {
        if !self.read_one()? {
            return Ok(false);
        }
        let last = self.record.len().saturating_sub(1);
        if self.record.get(last).is_some_and(|cell| cell.ends_with(END)) {
            return self.end(last);
        }
        let (len, expected) = (self.record.len(), *self.n_fields.get_or_insert(self.record.len()));
        if len != expected {
            let message =
                format!("{} in a line, {expected} before", text::count(len as u64, "field"));
            return Err(self.in_field(0, Code::BadFormat, message));
        }
        Ok(true)
    }

    /// The record that was read.
    pub(super) fn record(&self) -> &ByteRecord {
        &self.record
    }

    /// Is it the first one?
    pub(super) fn is_first(&self) -> bool {
        self.record.position().is_none_or(|position| position.record() == 0)
    }

    /// A fault in field `idx`, from 0.
    pub(super) fn in_field(&self, idx: usize, code: Code, message: impl Into<String>) -> Fault {
        let start = self.record.position().map_or((0, 1), |start| (start.byte(), start.line()));
        let (line, column) = self.shared.place(start, idx);
        self.at(line, column, code, message)
    }

    pub(super) fn at(
        &self,
        line: u64,
        column: u64,
        code: Code,
        message: impl Into<String>,
    ) -> Fault {
        Box::new(FileError::new(code, self.file.as_str(), message).at(line, column))
    }

    /// The fault that the budget does not hold the fields.
    pub(super) fn out_of_memory(&self, n_bytes: u128, max_bytes: u64) -> Fault {
        crate::source::out_of_memory(&self.file, n_bytes, max_bytes)
    }

    /// What the end mark in the last field means: the end, if it is a record of its own behind all others.
    fn end(&mut self, last: usize) -> Result<bool, Fault> {
        let alone = last == 0 && self.record.get(0) == Some(END);
        let marked = std::mem::take(&mut self.record);
        let is_data = self.read_one()?;
        if alone && !is_data {
            return Ok(false);
        }
        self.record = marked;
        Err(match is_data {
            true => {
                let quoted = text::quote(self.record.get(last).unwrap_or_default());
                self.in_field(last, Code::BadFormat, format!("{quoted} is not a whole number"))
            }
            false => {
                let message = "the file ends in a quote that begins here";
                self.in_field(last, Code::Truncated, message)
            }
        })
    }

    fn read_one(&mut self) -> Result<bool, Fault> {
        let start = self.reader.position();
        self.shared.begin_record(start.byte(), start.line());
        self.reader.read_byte_record(&mut self.record).map_err(|error| {
            self.shared.take_fault().unwrap_or_else(|| {
                let reason = match error.kind() {
                    ErrorKind::Io(error) => error.to_string(),
                    other => format!("{other:?}"), // none of the others is about bytes
                };
                Box::new(FileError::new(Code::BadFormat, self.file.as_str(), reason))
            })
        })
    }
}
