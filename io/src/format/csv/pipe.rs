//! The bytes of a CSV file on their way to the parser, followed by an end mark.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::rc::Rc;

use star_base::Code;

use super::blanks::Blanks;
use super::positions::{Place, Recent};
use crate::error::Fault;
use crate::source::{CHUNK, Source};
use crate::text;

/// The end mark, on a line after the last line of the file. The parser does not report an unclosed
/// quote; the mark is then part of that field.
pub(super) const END: &[u8] = b"\0";

/// Maximum length of a record in bytes, so that an unclosed quote does not fill the memory.
const MAX_RECORD_BYTES: usize = 1 << 24;
const BYTE_ORDER_MARK: &[u8; 3] = b"\xef\xbb\xbf";

/// State that the parser between the two ends does not pass on.
#[derive(Default)]
pub(super) struct Shared {
    fault: RefCell<Option<Fault>>,
    /// Bytes read since the last record began.
    n_pending: Cell<usize>,
    /// Separators among them, after the first [`CHUNK`].
    n_separators: Cell<usize>,
    /// The byte and the line at which that record begins.
    start: Cell<(u64, u64)>,
    /// The field separator.
    pub(super) separator: Cell<u8>,
    /// Number of blank lines before the first record.
    pub(super) n_leading: Cell<usize>,
    recent: RefCell<Recent>,
}

impl Shared {
    /// Notes that a record begins at this byte of this line, or after the line ends that follow it.
    pub(super) fn begin_record(&self, byte: u64, line: u64) {
        self.n_pending.set(0);
        self.n_separators.set(0);
        self.start.set((byte, line));
    }

    /// The place of field `idx`, from 0, of the record that begins at this byte and line.
    pub(super) fn place(&self, (byte, line): (u64, u64), idx: usize) -> Place {
        self.recent.borrow().place(byte, line, idx, self.separator.get())
    }

    /// Takes the fault that ended the reading.
    pub(super) fn take_fault(&self) -> Option<Fault> {
        self.fault.borrow_mut().take()
    }
}

/// The source as a [`Read`]er that stores the fault and rejects overlong records.
pub(super) struct Pipe<'r, 'o> {
    source: Source<'r, 'o>,
    pub(super) shared: Rc<Shared>,
    /// Whether the first bytes were read.
    begun: bool,
    /// Whether the end mark was returned.
    ended: bool,
    /// The line of the record in which the last piece of the file began.
    line: u64,
    /// The state of the removal of blanks; `None` before the first piece.
    blanks: Option<Blanks>,
    /// A piece of the file.
    piece: Vec<u8>,
    /// The piece without the blanks around fields, and the number of bytes already returned.
    ready: Vec<u8>,
    n_returned: usize,
    /// Number of bytes of the piece before a character that must not follow a closing quote.
    n_valid: Option<usize>,
}

impl<'r, 'o> Pipe<'r, 'o> {
    pub(super) fn new(source: Source<'r, 'o>) -> Self {
        Pipe {
            source,
            shared: Rc::default(),
            begun: false,
            ended: false,
            line: 1,
            blanks: None,
            piece: vec![0; CHUNK],
            ready: Vec::new(),
            n_returned: 0,
            n_valid: None,
        }
    }

    /// Reads the next piece of the file; nothing is ready afterwards at its end.
    fn read_piece(&mut self) -> io::Result<()> {
        self.n_returned = 0;
        self.ready.clear();
        let mut piece = std::mem::take(&mut self.piece);
        let mut n_held = 0;
        while self.ready.is_empty() {
            let n_bytes = match self.begun {
                true => self.source.read(&mut piece).map_err(|fault| self.fail(fault))?,
                false => self.begin(&mut piece)?,
            };
            let separator = self.shared.separator.get();
            let blanks = self.blanks.get_or_insert_with(|| Blanks::new(separator));
            if n_bytes == 0 {
                break;
            }
            let mut recent = self.shared.recent.borrow_mut();
            let removed = &mut |n_blanks, idx| recent.note_removed(n_blanks, idx);
            blanks.pass(&piece[..n_bytes], &mut self.ready, removed);
            self.shared.n_leading.set(blanks.n_leading());
            self.n_valid = blanks.after_quote();
            n_held += n_bytes;
            if n_held > MAX_RECORD_BYTES {
                drop(recent);
                return Err(self.too_long());
            }
        }
        self.piece = piece;
        Ok(())
    }

    /// Charges the parser's copy of a record, of which `n_pending` bytes are read, to the budget. A
    /// chunk may belong to the records before and after it.
    fn charge(&self, piece: &[u8], n_pending: usize) -> io::Result<()> {
        let separator = self.shared.separator.get();
        let more = piece.iter().filter(|&&byte| byte == separator).count();
        let n_fields = self.shared.n_separators.get() + more;
        self.shared.n_separators.set(n_fields);
        // The parser doubles its buffers of bytes and of ends of fields.
        let n_bytes = 2 * (n_pending - CHUNK + n_fields * size_of::<usize>());
        match self.source.budget().allows(n_bytes as u128) {
            true => Ok(()),
            false => Err(self.fail(self.source.out_of_memory(n_bytes as u128))),
        }
    }

    /// The error for a record that may be endless.
    fn too_long(&self) -> io::Error {
        let longest = text::size(MAX_RECORD_BYTES as u128);
        let message = format!("a record is longer than {longest}");
        let fault = self.source.fault(Code::BadFormat, message).at(self.line, 1);
        self.fail(Box::new(fault.note("a quote may be unclosed")))
    }

    /// Reads the first bytes and skips a byte order mark.
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
        // The buffer of the reader is one chunk long.
        let n_bytes = first.len().min(buffer.len());
        buffer[..n_bytes].copy_from_slice(&first[..n_bytes]);
        Ok(n_bytes)
    }

    /// The error for a character after the closing quote of a field, the next one of the piece.
    fn after_quote(&self) -> io::Error {
        let (byte, line) = self.shared.start.get();
        let mut recent = self.shared.recent.borrow_mut();
        let n_record = recent.end().saturating_sub(byte);
        let line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let rest = &self.ready[self.n_returned..];
        let rest = rest.split(line_end).next().unwrap_or_default();
        recent.push(&rest[..rest.len().min(CHUNK)]);
        let Place { line, column, text } = recent.place_at(byte, line, n_record);
        let fault = self.source.fault(Code::BadFormat, text::AFTER_QUOTE).at(line, column);
        let fault = match text {
            Some(line) => fault.showing(&line, column),
            None => fault,
        };
        self.fail(Box::new(fault.help(text::HOW_TO_QUOTE)))
    }

    fn fail(&self, fault: Fault) -> io::Error {
        self.shared.fault.replace(Some(fault));
        io::Error::other("stored separately")
    }
}

impl Read for Pipe<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.n_returned == self.ready.len() {
            self.read_piece()?;
        }
        if self.n_valid == Some(self.n_returned) {
            return Err(self.after_quote());
        }
        let rest = &self.ready[self.n_returned..self.n_valid.unwrap_or(self.ready.len())];
        let n_bytes = rest.len().min(buffer.len()).min(CHUNK);
        buffer[..n_bytes].copy_from_slice(&rest[..n_bytes]);
        self.n_returned += n_bytes;
        if n_bytes == 0 && !self.ended {
            self.ended = true;
            return (&[b"\n", END].concat()[..]).read(buffer);
        }
        if self.shared.n_pending.get() == 0 {
            // The first bytes of a long record are no longer available.
            self.line = self.shared.place(self.shared.start.get(), 0).line;
        }
        let n_pending = self.shared.n_pending.get().saturating_add(n_bytes);
        self.shared.n_pending.set(n_pending);
        self.shared.recent.borrow_mut().push(&buffer[..n_bytes]);
        if n_pending > MAX_RECORD_BYTES + CHUNK {
            return Err(self.too_long());
        }
        if n_pending > CHUNK {
            self.charge(&buffer[..n_bytes], n_pending)?;
        }
        Ok(n_bytes)
    }
}
