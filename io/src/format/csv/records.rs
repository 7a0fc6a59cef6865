//! The records of a CSV file with their places, up to the last complete one.

use std::rc::Rc;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use star_base::Code;

use super::column::Column;
use super::pipe::{END, Pipe, Shared};
use super::positions::Place;
use crate::budget::Budget;
use crate::error::{Fault, FileError};
use crate::growing::Growing;
use crate::numbers::Field;
use crate::options::FieldRules;
use crate::source::{CHUNK, Source};
use crate::text;

/// The remaining records, and the last one read.
pub(super) struct Records<'r, 'o> {
    reader: Reader<Pipe<'r, 'o>>,
    shared: Rc<Shared>,
    file: String,
    budget: Budget,
    rules: FieldRules<'o>,
    record: ByteRecord,
    /// Number of fields of the first record.
    n_fields: Option<usize>,
}

impl<'r, 'o> Records<'r, 'o> {
    /// Detects the separator from the first line.
    pub(super) fn new(mut source: Source<'r, 'o>) -> Result<Self, Fault> {
        let (file, budget) = (source.file().to_owned(), source.budget().clone());
        let rules = source.field_rules();
        let mut first = vec![0; CHUNK];
        let n_bytes = source.fill(&mut first)?;
        source.wants_utf8(&first[..n_bytes])?;
        let separator = separator(&first[..n_bytes]);
        source.push_back(&first[..n_bytes]);
        let pipe = Pipe::new(source);
        let shared = Rc::clone(&pipe.shared);
        shared.separator.set(separator);
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .delimiter(separator)
            .flexible(true) // the lengths are compared here
            .buffer_capacity(CHUNK)
            .from_reader(pipe);
        let record = ByteRecord::new();
        Ok(Records { reader, shared, file, budget, rules, record, n_fields: None })
    }

    /// The name of the file.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// The field separator.
    pub(super) fn separator(&self) -> u8 {
        self.shared.separator.get()
    }

    /// The memory budget.
    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Creates a column; the budget is shared by all fields of the last record.
    pub(super) fn column(&self, field: Field, is_text: bool) -> Column {
        let is_text = is_text || self.rules.texts.contains(&field.name);
        let mut scales = self.rules.scales.iter();
        let scale = scales.find(|(name, _)| *name == field.name).map(|(_, scale)| *scale);
        // All columns grow together.
        let record_bytes = self.record.len() as u64 * size_of::<i64>() as u64;
        Column::new(field, is_text, scale, Growing::new(&self.budget, record_bytes))
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
        if self.record.as_slice().contains(&0) {
            let idx = self.record.iter().position(|cell| cell.contains(&0));
            return Err(self.zero_byte(idx.unwrap_or(last)));
        }
        let (len, expected) = (self.record.len(), *self.n_fields.get_or_insert(self.record.len()));
        if len != expected {
            let message =
                format!("{} in a line, expected {expected}", text::count(len as u64, "field"));
            return Err(self.in_field(0, Code::BadFormat, message));
        }
        Ok(true)
    }

    /// The last record read.
    pub(super) fn record(&self) -> &ByteRecord {
        &self.record
    }

    /// Number of blank lines before the first record.
    pub(super) fn n_leading_blank_lines(&self) -> usize {
        self.shared.n_leading.get()
    }

    /// Returns whether it is the first one.
    pub(super) fn is_first(&self) -> bool {
        self.record.position().is_none_or(|position| position.record() == 0)
    }

    /// The error in field `idx`, from 0.
    pub(super) fn in_field(&self, idx: usize, code: Code, message: impl Into<String>) -> Fault {
        let start = self.record.position().map_or((0, 1), |start| (start.byte(), start.line()));
        let Place { line, column, text } = self.shared.place(start, idx);
        let fault = self.at(line, column, code, message);
        match text {
            Some(text) => Box::new(fault.showing(&text, column)),
            None => fault,
        }
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

    /// The error that the fields exceed the budget.
    pub(super) fn out_of_memory(&self, n_bytes: u128, max_bytes: u64) -> Fault {
        crate::source::out_of_memory(&self.file, n_bytes, max_bytes)
    }

    /// Interprets the end mark in the last field: it ends the file if it is a separate record after
    /// all others.
    fn end(&mut self, last: usize) -> Result<bool, Fault> {
        let alone = last == 0 && self.record.get(0) == Some(END);
        let marked = std::mem::take(&mut self.record);
        let is_data = self.read_one()?;
        if alone && !is_data {
            return Ok(false);
        }
        self.record = marked;
        Err(match is_data {
            true => self.zero_byte(last),
            false => {
                let message = "the file ends within a quote that begins here";
                let fault = self.in_field(last, Code::Truncated, message);
                Box::new(fault.help(text::HOW_TO_QUOTE))
            }
        })
    }

    /// The error for a zero byte in a field; a file that began with zero bytes would have been
    /// taken for UTF-16.
    fn zero_byte(&self, idx: usize) -> Fault {
        let quoted = text::quote(self.record.get(idx).unwrap_or_default());
        let fault = self.in_field(idx, Code::BadFormat, format!("{quoted} contains a zero byte"));
        Box::new(fault.help("save the file as UTF-8"))
    }

    fn read_one(&mut self) -> Result<bool, Fault> {
        let start = self.reader.position();
        self.shared.begin_record(start.byte(), start.line());
        self.reader.read_byte_record(&mut self.record).map_err(|error| {
            self.shared.take_fault().unwrap_or_else(|| {
                let reason = match error.kind() {
                    ErrorKind::Io(error) => error.to_string(),
                    other => format!("{other:?}"), // the other variants do not concern bytes
                };
                Box::new(FileError::new(Code::BadFormat, self.file.as_str(), reason))
            })
        })
    }
}

/// Detects the separator: a tab or a semicolon if the first nonblank line has one outside quotes,
/// else a comma.
fn separator(bytes: &[u8]) -> u8 {
    let mut found = b',';
    let (mut is_quoted, mut is_blank) = (false, true);
    for &byte in bytes {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'\t' => return b'\t',
            b';' => found = b';',
            b'\n' | b'\r' if !is_blank => break,
            _ => {}
        }
        is_blank &= matches!(byte, b'\n' | b'\r');
    }
    found
}
