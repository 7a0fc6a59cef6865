//! The bytes of a CSV file on their way to the parser, followed by an end mark.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::rc::Rc;

use star_base::Code;

use super::positions::Recent;
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
    /// The byte and the line at which that record begins.
    start: Cell<(u64, u64)>,
    /// The field separator.
    pub(super) separator: Cell<u8>,
    recent: RefCell<Recent>,
}

impl Shared {
    /// Notes that a record begins at this byte of this line, or after the line ends that follow it.
    pub(super) fn begin_record(&self, byte: u64, line: u64) {
        self.n_pending.set(0);
        self.start.set((byte, line));
    }

    /// Line and column of field `idx`, from 0, of the record that begins at this byte and line.
    pub(super) fn place(&self, (byte, line): (u64, u64), idx: usize) -> (u64, u64) {
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
}

impl<'r, 'o> Pipe<'r, 'o> {
    pub(super) fn new(source: Source<'r, 'o>) -> Self {
        Pipe { source, shared: Rc::default(), begun: false, ended: false, line: 1 }
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

    fn fail(&self, fault: Fault) -> io::Error {
        self.shared.fault.replace(Some(fault));
        io::Error::other("stored separately")
    }
}

impl Read for Pipe<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_bytes = match self.begun {
            true => self.source.read(buffer).map_err(|fault| self.fail(fault))?,
            false => self.begin(buffer)?,
        };
        if n_bytes == 0 && !self.ended {
            self.ended = true;
            return (&[b"\n", END].concat()[..]).read(buffer);
        }
        if self.shared.n_pending.get() == 0 {
            // The first bytes of a long record are no longer available.
            self.line = self.shared.place(self.shared.start.get(), 0).0;
        }
        let n_pending = self.shared.n_pending.get().saturating_add(n_bytes);
        self.shared.n_pending.set(n_pending);
        self.shared.recent.borrow_mut().push(&buffer[..n_bytes]);
        if n_pending > MAX_RECORD_BYTES + CHUNK {
            let longest = text::size(MAX_RECORD_BYTES as u128);
            let message = format!("a record is longer than {longest}");
            let fault = self.source.fault(Code::BadFormat, message).at(self.line, 1);
            return Err(self.fail(Box::new(fault.note("a quote may be unclosed"))));
        }
        Ok(n_bytes)
    }
}
