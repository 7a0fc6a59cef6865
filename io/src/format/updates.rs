//! Update streams: changes of a graph and queries, one a line, read in order.
//!
//! ```text
//! %%StarUpdates 10     the first line, if wanted: magic, and number of vertices
//! + 1 7 120            insert an arc or edge, with or without a weight
//! - 1 7                delete it
//! = 1 7 95             give it another weight
//! - 4                  delete a vertex with all its arcs
//! + 4                  insert it again, without arcs
//! ? 1 7                a query about two vertices, about one (`? 1`), about the graph (`?`)
//! ```
//!
//! Blank lines count, and so do comments, which begin with `#` or `%` and may follow an operation:
//! record i is line i. The result is a list with the fields of [`crate::updates`].

use std::io::{self, Write};

use star_base::Code;

use super::{ReadResult, ReaderNotes, cannot_hold, cannot_write};
use crate::data::{Data, OutputRef};
use crate::error::{Fault, FileError};
use crate::graph::bit_length;
use crate::growing::Growing;
use crate::numbers::{Numbers, Shape};
use crate::scan::Scanner;
use crate::source::Source;
use crate::text;
use crate::updates::{FIELDS, Update, to_numbers};

/// The optional first word of a stream, in any letter case.
const MAGIC: &str = "%%StarUpdates";

type Record = [i64; FIELDS.len()];

/// Returns whether a file begins with the magic word or an operation.
pub(crate) fn is_start(first_bytes: &[u8]) -> bool {
    let begins = first_bytes.get(..MAGIC.len());
    if begins.is_some_and(|bytes| bytes.eq_ignore_ascii_case(MAGIC.as_bytes())) {
        return true;
    }
    let lines = first_bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !matches!(line, [] | [b'#' | b'%', ..]));
    match lines.next() {
        Some([b'?']) => true,
        Some([b'+' | b'-' | b'=' | b'?', b' ' | b'\t', rest @ ..]) => {
            rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
        }
        Some(_) | None => false,
    }
}

/// Reads a list.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let mut scanner = Scanner::new(source)?;
    // Once as read and once by field.
    let record_bytes = 2 * size_of::<Record>() as u64;
    let mut records: Growing<Record> = Growing::new(scanner.source().budget(), record_bytes);
    let mut reader = Reader::new(&scanner);
    while scanner.peek()?.is_some() {
        let update = reader.line(&mut scanner)?;
        records.push(update.record()).map_err(|e| scanner.out_of_memory(&e))?;
    }
    if !reader.begun {
        let fault = scanner.here(Code::Truncated, "the file contains no operation");
        return Err(Box::new(fault.note(OPERATIONS)));
    }
    if let Some((_, fault)) = reader.too_heavy {
        return Err(fault);
    }
    let sizes = scanner.source().graph();
    let of_header = reader.announced.map(|n_vertices| bit_length(n_vertices.into()).max(1));
    let mut numbers = to_numbers(&records.into_vec(), sizes.b.or(of_header), sizes.h);
    let weight = numbers.fields.pop();
    numbers.fields.extend(weight.map(|weight| weight.scaled(scanner.source().scaling())));
    Ok((Data::Numbers(numbers), ReaderNotes::default()))
}

/// Writes a list with the fields of a stream; record 1 becomes the magic line if it is not an
/// operation.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let numbers = match value {
        OutputRef::Numbers(numbers) if is_stream(numbers) => numbers,
        OutputRef::Numbers(_) | OutputRef::Graph(_) | OutputRef::Bits(_) => {
            let holds = "lists with the fields `operation`, `first`, `second`, `weight`";
            return Err(Box::new(cannot_hold(value, "an update stream", holds)));
        }
    };
    numbers.check("")?;
    let record =
        |row: usize| -> Record { std::array::from_fn(|idx| numbers.fields[idx].values[row]) };
    let mut updates = Vec::new();
    for row in 0..numbers.shape.n_records() {
        let Some(update) = Update::of_record(record(row)) else {
            let message = format!("record {} is not an operation of a stream", row + 1);
            return Err(Box::new(FileError::new(Code::OutOfRange, "", message)));
        };
        updates.push(update);
    }
    write_lines(&updates, out).map_err(|e| cannot_write(&e))
}

fn write_lines(updates: &[Update], out: &mut dyn Write) -> io::Result<()> {
    let weighted = updates.iter().any(|update| match update {
        Update::InsertArc { weight, .. } => *weight != 1,
        Update::SetWeight { .. } => true,
        Update::Nothing
        | Update::DeleteArc { .. }
        | Update::InsertVertex(_)
        | Update::DeleteVertex(_)
        | Update::AskPair(..)
        | Update::AskVertex(_)
        | Update::AskAll => false,
    });
    for (row, update) in updates.iter().enumerate() {
        match update {
            Update::Nothing if row == 0 => writeln!(out, "{MAGIC}"),
            Update::Nothing => writeln!(out),
            Update::InsertArc { tail, head, weight } if weighted => {
                writeln!(out, "+ {tail} {head} {weight}")
            }
            Update::InsertArc { tail, head, .. } => writeln!(out, "+ {tail} {head}"),
            Update::DeleteArc { tail, head } => writeln!(out, "- {tail} {head}"),
            Update::SetWeight { tail, head, weight } => writeln!(out, "= {tail} {head} {weight}"),
            Update::InsertVertex(vertex) => writeln!(out, "+ {vertex}"),
            Update::DeleteVertex(vertex) => writeln!(out, "- {vertex}"),
            Update::AskPair(first, second) => writeln!(out, "? {first} {second}"),
            Update::AskVertex(vertex) => writeln!(out, "? {vertex}"),
            Update::AskAll => writeln!(out, "?"),
        }?;
    }
    Ok(())
}

/// Returns whether these are the fields of a stream.
fn is_stream(numbers: &Numbers) -> bool {
    let names = numbers.fields.iter().map(|field| field.name.as_str());
    matches!(numbers.shape, Shape::List(_)) && names.eq(FIELDS)
}

const OPERATIONS: &str = "an operation is `+ TAIL HEAD WEIGHT`, `- TAIL HEAD`, `= TAIL HEAD WEIGHT`, \
                          `+ VERTEX`, `- VERTEX`, `? FIRST SECOND`, `? VERTEX` or `?`";

/// The state of the reader.
struct Reader {
    /// Whether the magic line or an operation was read.
    begun: bool,
    /// The number of vertices in the magic line.
    announced: Option<u32>,
    /// The limit of vertex numbers, and its origin.
    limit: Option<(u64, &'static str)>,
    /// Whether the lines `+` have weights.
    weighted: Option<bool>,
    /// The greatest weight that does not fit, and the error at its place.
    too_heavy: Option<(i64, Fault)>,
}

impl Reader {
    fn new(scanner: &Scanner) -> Self {
        let n_vertices = scanner.source().graph().n_vertices;
        Reader {
            begun: false,
            announced: None,
            limit: n_vertices.map(|n| (n, "graph")),
            weighted: None,
            too_heavy: None,
        }
    }

    /// Reads a line including its end.
    fn line(&mut self, scanner: &mut Scanner) -> Result<Update, Fault> {
        match scanner.skip_blanks()? {
            None => return Ok(Update::Nothing),
            Some(b'\r' | b'\n') => {
                scanner.end_line()?;
                return Ok(Update::Nothing);
            }
            Some(b'%') if scanner.line() == 1 => {
                self.header(scanner)?;
                return Ok(Update::Nothing);
            }
            Some(b'#' | b'%') => {
                scanner.skip_line()?;
                return Ok(Update::Nothing);
            }
            Some(_) => {}
        }
        let mut sign = Vec::new();
        scanner.take_word(&mut sign)?;
        let update = match sign.as_slice() {
            b"+" => self.insertion(scanner)?,
            b"-" => {
                let tail = self.vertex(scanner, "the vertex")?;
                match self.more(scanner)? {
                    true => {
                        let head = self.vertex(scanner, "the second vertex")?;
                        Update::DeleteArc { tail, head }
                    }
                    false => Update::DeleteVertex(tail),
                }
            }
            b"=" => {
                let tail = self.vertex(scanner, "the first vertex")?;
                let head = self.vertex(scanner, "the second vertex")?;
                if self.more(scanner)? {
                    self.agree(scanner, true)?;
                }
                Update::SetWeight { tail, head, weight: self.weight(scanner)? }
            }
            b"?" => self.question(scanner)?,
            _ => {
                let quoted = scanner.quoted();
                let fault =
                    scanner.at_token(Code::BadFormat, format!("unknown operation {quoted}"));
                return Err(Box::new(fault.note(OPERATIONS)));
            }
        };
        self.begun = true;
        match self.more(scanner)? {
            false => scanner.skip_line()?,
            true => scanner.end_line()?,
        }
        Ok(update)
    }

    /// Reads a first line that begins with `%`: magic word and number of vertices, or a comment.
    fn header(&mut self, scanner: &mut Scanner) -> Result<(), Fault> {
        let mut word = Vec::new();
        scanner.take_word(&mut word)?;
        if !word.eq_ignore_ascii_case(MAGIC.as_bytes()) {
            return scanner.skip_line();
        }
        self.begun = true;
        if self.more(scanner)? {
            let n_vertices = super::vertex_count(scanner, "the number of vertices")?;
            self.announced = Some(n_vertices);
            // The smaller limit applies if the graph also has one.
            if self.limit.is_none_or(|(n, _)| u64::from(n_vertices) < n) {
                self.limit = Some((n_vertices.into(), "first line"));
            }
        }
        match self.more(scanner)? {
            false => scanner.skip_line(),
            true => scanner.end_line(),
        }
    }

    fn insertion(&mut self, scanner: &mut Scanner) -> Result<Update, Fault> {
        let tail = self.vertex(scanner, "the vertex")?;
        if !self.more(scanner)? {
            return Ok(Update::InsertVertex(tail));
        }
        let head = self.vertex(scanner, "the second vertex")?;
        let has_weight = self.more(scanner)?;
        self.agree(scanner, has_weight)?;
        let weight = if has_weight { self.weight(scanner)? } else { 1 };
        Ok(Update::InsertArc { tail, head, weight })
    }

    fn question(&mut self, scanner: &mut Scanner) -> Result<Update, Fault> {
        if !self.more(scanner)? {
            return Ok(Update::AskAll);
        }
        let first = self.vertex(scanner, "the vertex")?;
        if !self.more(scanner)? {
            return Ok(Update::AskVertex(first));
        }
        Ok(Update::AskPair(first, self.vertex(scanner, "the second vertex")?))
    }

    /// Returns whether the line has more than blanks and a comment.
    fn more(&self, scanner: &mut Scanner) -> Result<bool, Fault> {
        let next = scanner.skip_blanks()?;
        Ok(!matches!(next, None | Some(b'\r' | b'\n' | b'#' | b'%')))
    }

    /// Reads a vertex, from 1.
    fn vertex(&self, scanner: &mut Scanner, what: &str) -> Result<u32, Fault> {
        let number = scanner.unsigned(what)?;
        if number == 0 {
            let fault = scanner.at_token(Code::OutOfRange, format!("{what} is 0"));
            return Err(Box::new(fault.note("vertices are numbered from 1 in this format")));
        }
        if let Some((n, of)) = self.limit
            && number > n
        {
            let all = text::counted(n, "vertices");
            let message = format!("{what} {number} exceeds the {all} of the {of}");
            return Err(scanner.at_token(Code::OutOfRange, message));
        }
        u32::try_from(number).map_err(|_| {
            let message = format!("{what} {number} exceeds 32 bits");
            scanner.at_token(Code::OutOfRange, message)
        })
    }

    /// Rejects lines `+` with a weight after lines without, and vice versa: a forgotten weight
    /// would become 1.
    fn agree(&mut self, scanner: &mut Scanner, has_weight: bool) -> Result<(), Fault> {
        match self.weighted {
            None => self.weighted = Some(has_weight),
            Some(before) if before == has_weight => {}
            Some(before) => {
                let (now, then) = if before { ("no", "one") } else { ("a", "none") };
                let message = format!("{now} weight, but the lines before have {then}");
                return Err(scanner.here(Code::BadFormat, message));
            }
        }
        Ok(())
    }

    fn weight(&mut self, scanner: &mut Scanner) -> Result<i64, Fault> {
        let weight = scanner.unsigned_value("the weight")?;
        let needed = bit_length(u128::from(weight.unsigned_abs()) + 1);
        if let Some(h) = scanner.source().graph().h
            && needed > h
            && self.too_heavy.as_ref().is_none_or(|(heaviest, _)| weight > *heaviest)
        {
            let message = format!(
                "the weight {weight} must be below infinity, and `h = {h}` is \
                too small"
            );
            let fault = scanner.at_token(Code::WidthTooSmall, message);
            let fault = fault.note("infinity is all ones, and weights must be smaller");
            let fault = fault.help(format!("use `h = {needed}` or more"));
            self.too_heavy = Some((weight, Box::new(fault)));
        }
        Ok(weight)
    }
}
