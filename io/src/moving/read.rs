//! Reader of streams of moving objects, batch by batch.

use std::io::Read;
use std::marker::PhantomData;

use star_base::Code;

use super::sealed::Sealed;
use super::{MAX_COORDINATE, Position, Record, Window, is_coordinate};
use crate::error::{Fault, FileError};
use crate::options::ReadOptions;
use crate::scan::Scanner;
use crate::source::Source;

/// Bytes before the records of a batch.
const BATCH_HEADER: usize = 12;
/// Number of binary records that are read at once.
const BLOCK: usize = 4096;

/// The maximum number of a record of a stream, and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberLimit {
    /// The number declared by the user.
    Declared(u32),
    /// The default maximum; greater numbers must be declared.
    Undeclared(u32),
    /// Only the 32 bits of a number.
    None,
}

impl NumberLimit {
    fn allows(self, number: u64) -> bool {
        match self {
            NumberLimit::Declared(greatest) | NumberLimit::Undeclared(greatest) => {
                number <= u64::from(greatest)
            }
            NumberLimit::None => number <= u64::from(u32::MAX),
        }
    }

    /// The reason for rejecting a number, and the help.
    fn refusal<R: Record>(self, number: u64) -> (String, Option<&'static str>) {
        let name = R::NUMBER;
        match self {
            NumberLimit::Declared(greatest) => {
                let why =
                    format!("{name} {number} exceeds {greatest}, the declared number of objects");
                (why, None)
            }
            NumberLimit::Undeclared(greatest) => {
                let why = format!(
                    "{name} {number} exceeds {greatest}, the maximum without a declaration"
                );
                (why, Some("declare a greater number with `--objects N`"))
            }
            NumberLimit::None => {
                (format!("{name} {number} exceeds {}, the maximum", u32::MAX), None)
            }
        }
    }
}

/// A stream during reading.
pub struct MovingReader<'r, 'o, R> {
    input: Input<'r, 'o>,
    limit: NumberLimit,
    /// The time of the last record, or of a record with a fault, if its time was read.
    last: Option<i64>,
    /// The first record of the next batch, if already read.
    ahead: Option<(i64, R)>,
    n_read: u64,
    record: PhantomData<R>,
}

enum Input<'r, 'o> {
    Text(Box<Scanner<'r, 'o>>),
    Binary(Binary<'r, 'o>),
    /// After the end, or a fault.
    Ended,
}

/// The binary form.
struct Binary<'r, 'o> {
    source: Source<'r, 'o>,
    /// Offset of the next byte in the file.
    offset: u64,
    /// The time of the current batch, and the number of its remaining records.
    time: i64,
    n_left: u32,
    n_in_batch: u32,
    block: Vec<u8>,
    /// Number of bytes of the block that were consumed.
    n_done: usize,
}

impl<'r, 'o, R: Record> MovingReader<'r, 'o, R> {
    /// Opens a stream whose records have numbers within a limit.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(
        input: &'r mut dyn Read,
        options: &'r mut ReadOptions<'o>,
        limit: NumberLimit,
    ) -> Result<Self, FileError> {
        let mut source = Source::open(input, options, None)?;
        let mut magic = [0; 8];
        let n_bytes = source.fill(&mut magic)?;
        let input = if magic == R::MAGIC {
            Input::Binary(Binary {
                source,
                offset: 8,
                time: 0,
                n_left: 0,
                n_in_batch: 0,
                block: Vec::new(),
                n_done: 0,
            })
        } else if magic.starts_with(b"STARMOV") {
            let message = format!("this stream does not contain {}", R::NOUN);
            return Err(source.fault(Code::BadFormat, message).into());
        } else {
            source.push_back(&magic[..n_bytes]);
            Input::Text(Box::new(Scanner::new(source)?))
        };
        let (last, ahead, n_read, record) = (None, None, 0, PhantomData);
        let mut reader = MovingReader { input, limit, last, ahead, n_read, record };
        if let Input::Text(scanner) = &mut reader.input {
            pass_header::<R>(scanner)?;
        }
        Ok(reader)
    }

    /// The time of the next batch; `None` at the end.
    ///
    /// # Errors
    /// If the data are not a record. The stream is then at its end.
    pub fn time(&mut self) -> Result<Option<i64>, FileError> {
        if self.ahead.is_none() {
            self.ahead = self.next()?;
        }
        Ok(self.ahead.as_ref().map(|(time, _)| *time))
    }

    /// Passes all records of the next batch to `take`.
    ///
    /// # Errors
    /// If the data are not a record: earlier records were passed on, and the stream is at its end.
    /// Those of `take`.
    pub fn batch(
        &mut self,
        mut take: impl FnMut(R) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let first = match self.ahead.take() {
            Some(first) => Some(first),
            None => self.next()?,
        };
        let Some((time, record)) = first else { return Ok(()) };
        take(record)?;
        while let Some((next, record)) = self.next()? {
            if next != time {
                self.ahead = Some((next, record));
                break;
            }
            take(record)?;
        }
        Ok(())
    }

    /// The time of the last record read; after a fault, no record that is missing is earlier.
    pub fn last_time(&self) -> Option<i64> {
        self.last
    }

    /// Number of records read.
    pub fn n_read(&self) -> u64 {
        self.n_read
    }

    #[inline]
    fn next(&mut self) -> Result<Option<(i64, R)>, FileError> {
        let next = match &mut self.input {
            Input::Text(scanner) => text_record(scanner, self.limit, &mut self.last),
            Input::Binary(binary) => binary.record(self.limit, &mut self.last),
            Input::Ended => Ok(None),
        };
        match next {
            Ok(Some((time, record))) => {
                self.n_read += 1;
                Ok(Some((time, record)))
            }
            Ok(None) => {
                self.input = Input::Ended;
                Ok(None)
            }
            Err(fault) => {
                self.input = Input::Ended;
                Err(fault.into())
            }
        }
    }
}

/// Skips the names of the fields, if present.
fn pass_header<R: Record>(scanner: &mut Scanner<'_, '_>) -> Result<(), Fault> {
    if scanner.next_entry()? != Some(b't') {
        return Ok(());
    }
    scanner.begin_token();
    let mut fault = scanner.here(Code::BadFormat, "");
    let mut line = Vec::new();
    scanner.take_line(&mut line, 80)?;
    let names: Vec<u8> = line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if names == R::HEADER.as_bytes() {
        return Ok(());
    }
    let quoted = crate::text::quote(line.trim_ascii_end());
    fault.message = format!("expected `{}`, found {quoted}", R::HEADER);
    Err(fault)
}

fn text_record<R: Record>(
    scanner: &mut Scanner<'_, '_>,
    limit: NumberLimit,
    last: &mut Option<i64>,
) -> Result<Option<(i64, R)>, Fault> {
    if scanner.next_entry()?.is_none() {
        return Ok(None);
    }
    let time = scanner.signed("the time")?;
    if let Some(message) = backwards(time, *last) {
        return Err(scanner.at_token(Code::OutOfRange, message));
    }
    comma(scanner, R::NUMBER)?;
    *last = Some(time);
    let number = scanner.unsigned(R::NUMBER)?;
    let number = match u32::try_from(number).ok().filter(|_| limit.allows(number)) {
        Some(number) => number,
        None => {
            let (message, help) = limit.refusal::<R>(number);
            return Err(advised(scanner.at_token(Code::OutOfRange, message), help));
        }
    };
    let record = R::parse(number, scanner)?;
    scanner.end_line()?;
    Ok(Some((time, record)))
}

fn backwards(time: i64, last: Option<i64>) -> Option<String> {
    let last = last.filter(|&last| time < last)?;
    Some(format!("timestamps must not decrease: {time} follows {last}"))
}

fn advised(fault: Fault, help: Option<&'static str>) -> Fault {
    match help {
        Some(help) => Box::new(fault.help(help)),
        None => fault,
    }
}

/// Skips a comma; `what` follows it.
fn comma(scanner: &mut Scanner<'_, '_>, what: &str) -> Result<(), Fault> {
    match scanner.skip_blanks()? {
        Some(b',') => {
            scanner.bump();
            Ok(())
        }
        None => {
            let message = format!("expected {what}, found the end of the file");
            Err(scanner.here(Code::Truncated, message))
        }
        Some(b'\r' | b'\n') => {
            Err(scanner
                .here(Code::BadFormat, format!("expected {what}, found the end of the line")))
        }
        Some(_) => {
            let message = format!("expected a comma before {what}");
            Err(scanner.here(Code::BadFormat, message))
        }
    }
}

fn coordinate(scanner: &mut Scanner<'_, '_>, what: &str) -> Result<i32, Fault> {
    let number = scanner.signed(what)?;
    match i32::try_from(number).ok().filter(|&c| is_coordinate(c)) {
        Some(c) => Ok(c),
        None => {
            let message = format!("{what} is {number}, outside ±{MAX_COORDINATE}");
            Err(scanner.at_token(Code::OutOfRange, message))
        }
    }
}

#[allow(private_interfaces, reason = "the trait is sealed: it is called only here")]
impl Sealed for Position {
    fn parse(id: u32, scanner: &mut Scanner<'_, '_>) -> Result<Self, Fault> {
        comma(scanner, "x")?;
        if scanner.skip_blanks()? == Some(b',') {
            comma(scanner, "y")?;
            return match scanner.at_line_end()? {
                true => Ok(Position { id, at: None }),
                false => {
                    let fault = scanner.here(Code::BadFormat, "y without x");
                    Err(Box::new(fault.note("a removed object has neither: `3,7,,`")))
                }
            };
        }
        let x = coordinate(scanner, "x")?;
        comma(scanner, "y")?;
        Ok(Position { id, at: Some([x, coordinate(scanner, "y")?]) })
    }
}

/// The fault of a rectangle whose first corner is beyond the second.
fn inverted([first, second]: [&str; 2], [low, high]: [i32; 2]) -> Option<String> {
    (low > high).then(|| format!("{second} is {high}, less than {first}, which is {low}"))
}

#[allow(private_interfaces, reason = "the trait is sealed: it is called only here")]
impl Sealed for Window {
    fn fault(&self) -> Option<String> {
        let Window { number: _, low: [x1, y1], high: [x2, y2] } = *self;
        inverted(["x1", "x2"], [x1, x2]).or_else(|| inverted(["y1", "y2"], [y1, y2]))
    }

    fn parse(number: u32, scanner: &mut Scanner<'_, '_>) -> Result<Self, Fault> {
        let mut corners = [0; 4];
        for (idx, what) in ["x1", "y1", "x2", "y2"].into_iter().enumerate() {
            comma(scanner, what)?;
            corners[idx] = coordinate(scanner, what)?;
            let [x1, y1, x2, y2] = corners;
            let fault = match what {
                "x2" => inverted(["x1", "x2"], [x1, x2]),
                "y2" => inverted(["y1", "y2"], [y1, y2]),
                _ => None,
            };
            if let Some(message) = fault {
                return Err(scanner.at_token(Code::OutOfRange, message));
            }
        }
        let [x1, y1, x2, y2] = corners;
        Ok(Window { number, low: [x1, y1], high: [x2, y2] })
    }
}

impl Binary<'_, '_> {
    fn record<R: Record>(
        &mut self,
        limit: NumberLimit,
        last: &mut Option<i64>,
    ) -> Result<Option<(i64, R)>, Fault> {
        while self.n_left == 0 {
            if !self.begin_batch(*last)? {
                return Ok(None);
            }
            *last = Some(self.time);
        }
        if self.n_done == self.block.len() {
            self.fill::<R>()?;
        }
        let bytes = &self.block[self.n_done..self.n_done + R::N_BYTES];
        let record = R::decode(bytes);
        let number = u64::from(record.number());
        if !limit.allows(number) {
            let (message, help) = limit.refusal::<R>(number);
            return Err(advised(self.fault(Code::OutOfRange, &message), help));
        }
        if !record.in_range() {
            let message = format!("a coordinate outside ±{MAX_COORDINATE}");
            return Err(self.fault(Code::OutOfRange, &message));
        }
        if let Some(message) = record.fault() {
            return Err(self.fault(Code::OutOfRange, &message));
        }
        self.n_done += R::N_BYTES;
        self.offset += R::N_BYTES as u64;
        self.n_left -= 1;
        Ok(Some((self.time, record)))
    }

    /// Reads time and length of the next batch; `false` at the end of the file.
    fn begin_batch(&mut self, last: Option<i64>) -> Result<bool, Fault> {
        let mut header = [0; BATCH_HEADER];
        match self.source.fill(&mut header)? {
            0 => return Ok(false),
            BATCH_HEADER => {}
            _ => {
                return Err(self.fault(
                    Code::Truncated,
                    "the file ends within the header of a \
                batch",
                ));
            }
        }
        let (mut time, mut n) = ([0; 8], [0; 4]);
        time.copy_from_slice(&header[..8]);
        n.copy_from_slice(&header[8..]);
        let time = i64::from_le_bytes(time);
        if let Some(message) = backwards(time, last) {
            return Err(self.fault(Code::OutOfRange, &message));
        }
        self.offset += BATCH_HEADER as u64;
        self.time = time;
        self.n_left = u32::from_le_bytes(n);
        self.n_in_batch = self.n_left;
        Ok(true)
    }

    /// Reads the next records of the batch; only complete ones if the file ends among them.
    fn fill<R: Record>(&mut self) -> Result<(), Fault> {
        let n_wanted = BLOCK.min(self.n_left as usize) * R::N_BYTES;
        self.block.resize(n_wanted, 0);
        let n_bytes = self.source.fill(&mut self.block)?;
        self.block.truncate(n_bytes / R::N_BYTES * R::N_BYTES);
        self.n_done = 0;
        if self.block.is_empty() {
            let n_there = self.n_in_batch - self.n_left;
            let message = format!(
                "the file ends in the middle of the batch of time {}: {n_there} of {} records are \
                    present",
                self.time, self.n_in_batch
            );
            return Err(self.fault(Code::Truncated, &message));
        }
        Ok(())
    }

    fn fault(&self, code: Code, message: &str) -> Fault {
        self.source.fault(code, format!("{message} (byte {})", self.offset + 1))
    }
}
