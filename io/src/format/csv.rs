//! CSV of unsigned integers: one record a line, numbers separated by commas, in quotes or not.
//!
//! If the first record holds anything but numbers, it is a header with the names of the fields; behind a
//! name may stand the width of its field in bits, as in `speed:8`. Without a header the fields are
//! called `1`, `2` and so on.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write};
use std::rc::Rc;

use csv::{ByteRecord, ErrorKind, ReaderBuilder, Terminator, Trim, WriterBuilder};
use star_base::Code;

use super::{Found, Told, cannot_hold, cannot_write};
use crate::data::{BitsRef, Data, OutputRef};
use crate::error::{Fault, FileError};
use crate::growing::{Growing, NoRoom};
use crate::numbers::{Field, MAX_BITS, Numbers, Shape};
use crate::source::{CHUNK, Source};
use crate::text;

/// Bytes of the longest record, so that a quote that is never closed does not fill the memory.
const MAX_RECORD_BYTES: usize = 1 << 24;
const BYTE_ORDER_MARK: &[u8; 3] = b"\xef\xbb\xbf";
/// Memory that a field takes beside its numbers, at least.
const FIELD_BYTES: u64 = 256;

/// Reads a list.
pub(crate) fn read(source: Source) -> Result<Found, Fault> {
    let (file, max_bytes) = (source.file().to_owned(), source.max_bytes());
    let pipe = Pipe::new(source);
    let (fault, n_pending) = (Rc::clone(&pipe.fault), Rc::clone(&pipe.n_pending));
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .trim(Trim::All)
        .buffer_capacity(CHUNK)
        .from_reader(pipe);
    let faults = Faults { file };
    let mut record = ByteRecord::new();
    let mut next = |record: &mut ByteRecord| {
        n_pending.set(0);
        match reader.read_byte_record(record) {
            Ok(found) => Ok(found),
            Err(error) => Err(match fault.borrow_mut().take() {
                Some(fault) => fault,
                None => faults.of(&error),
            }),
        }
    };
    if !next(&mut record)? {
        return Err(faults.at(1, 1, Code::Truncated, "the file is empty"));
    }
    let n_fields = record.len() as u64;
    if n_fields.saturating_mul(FIELD_BYTES) > max_bytes {
        let n_bytes = u128::from(n_fields) * u128::from(FIELD_BYTES);
        return Err(crate::source::no_room(&faults.file, n_bytes, max_bytes));
    }
    let is_header = !record.iter().all(is_number);
    let mut fields = if is_header { parse_header(&record, &faults)? } else { unnamed(n_fields) };
    let mut columns: Vec<Growing<i64>> = fields
        .iter()
        .map(|_| Growing::new(max_bytes / n_fields.max(1), size_of::<i64>() as u64))
        .collect();
    let mut more = if is_header { next(&mut record)? } else { true };
    while more {
        for (idx, (text, column)) in record.iter().zip(&mut columns).enumerate() {
            let number = parse_number(text).map_err(|(code, what)| {
                let message = format!("{} {what}", text::quote(text));
                faults.in_record(&record, idx, code, message)
            })?;
            column.push(number).map_err(|NoRoom(n_bytes)| {
                let n_bytes = n_bytes.saturating_mul(u128::from(n_fields));
                crate::source::no_room(&faults.file, n_bytes, max_bytes)
            })?;
        }
        more = next(&mut record)?;
    }
    for (field, column) in fields.iter_mut().zip(columns) {
        field.values = column.into_vec();
    }
    let n_records = fields.first().map_or(0, |field| field.values.len());
    Ok((Data::Numbers(Numbers { shape: Shape::List(n_records), fields }), Told::default()))
}

/// Writes numbers, cells of a grid row by row, or bits: each row of a table is one number of the field
/// `bits`, a slice is a column, a word a row.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let bits = match value {
        OutputRef::Numbers(numbers) => return write_numbers(value, numbers, out),
        OutputRef::Table(table) => BitsRef::Table(table),
        OutputRef::Slice(slice) => BitsRef::Slice(slice),
        OutputRef::Word(word) => BitsRef::Word(word),
        OutputRef::Graph(_) => {
            let fault = cannot_hold(value, "CSV", "lists of numbers");
            return Err(Box::new(fault.help("write a graph to a `.mtx`, `.gr` or `.txt` file")));
        }
    };
    let (n_rows, n_cols) = bits.shape();
    if n_cols >= 64 {
        let holds = "numbers of at most 63 bits, one for each row";
        return Err(Box::new(cannot_hold(value, "CSV", holds)));
    }
    let write = |out: &mut dyn Write| {
        writeln!(out, "bits:{n_cols}")?;
        (0..n_rows).try_for_each(|row| {
            let number = (0..n_cols).fold(0u64, |n, col| n << 1 | u64::from(bits.get(row, col)));
            writeln!(out, "{number}")
        })
    };
    write(out).map_err(|e| cannot_write(&e))
}

fn write_numbers(
    value: OutputRef<'_>,
    numbers: &Numbers,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    numbers.check("")?;
    let negative = |field: &&Field| field.values.iter().any(|&number| number < 0);
    let refused = match numbers.fields.iter().find(negative) {
        Some(field) => Some(format!("the field `{}` has negative numbers", field.name)),
        None => numbers.fields.is_empty().then(|| "there is no field".to_owned()),
    };
    if let Some(why) = refused {
        let fault = cannot_hold(value, "CSV", "unsigned integers");
        return Err(Box::new(fault.note(why)));
    }
    let mut writer = WriterBuilder::new().terminator(Terminator::Any(b'\n')).from_writer(out);
    let mut write = || {
        writer.write_record(header(&numbers.fields))?;
        (0..numbers.shape.n_records()).try_for_each(|record| {
            let numbers = numbers.fields.iter().map(|field| field.values[record].to_string());
            writer.write_record(numbers)
        })?;
        writer.flush().map_err(csv::Error::from)
    };
    write().map_err(|error: csv::Error| match error.into_kind() {
        ErrorKind::Io(error) => cannot_write(&error),
        // The writer has no other reason: all records have as many fields.
        other => cannot_write(&io::Error::other(format!("{other:?}"))),
    })
}

/// The header of these fields. A colon at the end of a name says that no width follows.
fn header(fields: &[Field]) -> Vec<String> {
    let reads_as_data = fields.iter().all(|field| field.bits.is_none() && is_digits(&field.name));
    let names = fields.iter().enumerate().map(|(idx, field)| match field.bits {
        Some(bits) => format!("{}:{bits}", field.name),
        None if field.name.contains(':') || reads_as_data && idx == 0 => format!("{}:", field.name),
        None => field.name.clone(),
    });
    names.collect()
}

fn is_digits(name: &str) -> bool {
    is_number(name.trim().as_bytes())
}

fn parse_header(record: &ByteRecord, faults: &Faults) -> Result<Vec<Field>, Fault> {
    let fields = record.iter().enumerate().map(|(idx, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        let (name, width) = match text.rsplit_once(':') {
            Some((name, "")) => (name, None),
            Some((name, digits)) if is_digits(digits) => (name, Some(digits.trim())),
            Some(_) | None => (text.as_ref(), None),
        };
        let bits = match width.map(str::parse::<usize>) {
            None => None,
            Some(Ok(bits)) if bits <= MAX_BITS => Some(bits),
            Some(_) => {
                let message = format!("{} has a width beyond {MAX_BITS} bits", text::quote(bytes));
                return Err(faults.in_record(record, idx, Code::OutOfRange, message));
            }
        };
        Ok(Field { name: name.to_owned(), bits, values: Vec::new() })
    });
    fields.collect()
}

fn unnamed(n_fields: u64) -> Vec<Field> {
    let names = 1..=n_fields;
    names.map(|name| Field { name: name.to_string(), bits: None, values: Vec::new() }).collect()
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// The number, or what is wrong with it.
fn parse_number(text: &[u8]) -> Result<i64, (Code, &'static str)> {
    let digits = std::str::from_utf8(text).ok().filter(|text| is_number(text.as_bytes()));
    match digits.map(str::parse) {
        Some(Ok(number)) => Ok(number),
        Some(Err(_)) => Err((Code::OutOfRange, "is beyond 63 bits")),
        None if text.starts_with(b"-") && is_number(&text[1..]) => {
            Err((Code::OutOfRange, "is negative, and only unsigned integers are read"))
        }
        None => Err((Code::BadFormat, "is not a whole number")),
    }
}

/// The wording of faults.
struct Faults {
    file: String,
}

impl Faults {
    fn at(&self, line: u64, column: u64, code: Code, message: impl Into<String>) -> Fault {
        Box::new(FileError::new(code, self.file.as_str(), message).at(line, column))
    }

    /// A fault in field `idx` of a record, from 0; the column is exact as long as nothing in front of it
    /// is quoted or trimmed.
    fn in_record(&self, record: &ByteRecord, idx: usize, code: Code, message: String) -> Fault {
        let line = record.position().map_or(1, csv::Position::line);
        let before: usize = record.iter().take(idx).map(|field| field.len() + 1).sum();
        self.at(line, before as u64 + 1, code, message)
    }

    fn of(&self, error: &csv::Error) -> Fault {
        match error.kind() {
            ErrorKind::UnequalLengths { pos, expected_len, len } => {
                let line = pos.as_ref().map_or(1, csv::Position::line);
                let message =
                    format!("{} in a line, {expected_len} before", text::count(*len, "field"));
                self.at(line, 1, Code::BadFormat, message)
            }
            _ => Box::new(FileError::new(Code::BadFormat, self.file.as_str(), error.to_string())),
        }
    }
}

/// The source as a [`Read`]er, which keeps a fault aside and stops at records that are too long.
struct Pipe<'r, 'o> {
    source: Source<'r, 'o>,
    fault: Rc<RefCell<Option<Fault>>>,
    /// Bytes read since the last record began.
    n_pending: Rc<Cell<usize>>,
    /// Were the first bytes read?
    begun: bool,
}

impl<'r, 'o> Pipe<'r, 'o> {
    fn new(source: Source<'r, 'o>) -> Self {
        Pipe { source, fault: Rc::default(), n_pending: Rc::default(), begun: false }
    }

    /// Reads the first bytes, and passes over a byte order mark.
    fn begin(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.begun = true;
        let mut first = Vec::new();
        while first.len() < BYTE_ORDER_MARK.len() {
            let mut bytes = [0; BYTE_ORDER_MARK.len()];
            let n_missing = BYTE_ORDER_MARK.len() - first.len();
            let n_bytes = self.source.read(&mut bytes[..n_missing]);
            match n_bytes.map_err(|fault| self.fail(fault))? {
                0 => break,
                n_bytes => first.extend_from_slice(&bytes[..n_bytes]),
            }
        }
        if first == BYTE_ORDER_MARK {
            return self.source.read(buffer).map_err(|fault| self.fail(fault));
        }
        // The buffer of the reader is a chunk.
        let n_bytes = first.len().min(buffer.len());
        buffer[..n_bytes].copy_from_slice(&first[..n_bytes]);
        Ok(n_bytes)
    }

    fn fail(&self, fault: Fault) -> io::Error {
        self.fault.replace(Some(fault));
        io::Error::other("kept aside")
    }
}

impl Read for Pipe<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_bytes = match self.begun {
            true => self.source.read(buffer).map_err(|fault| self.fail(fault))?,
            false => self.begin(buffer)?,
        };
        let n_pending = self.n_pending.get().saturating_add(n_bytes);
        self.n_pending.set(n_pending);
        if n_pending > MAX_RECORD_BYTES + CHUNK {
            let longest = text::size(MAX_RECORD_BYTES as u128);
            let message = format!("a record longer than {longest}");
            let fault = self.source.fault(Code::BadFormat, message);
            return Err(self.fail(Box::new(fault.note("is there a quote that is not closed?"))));
        }
        Ok(n_bytes)
    }
}
