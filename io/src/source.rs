//! The bytes of one file with its options: chunks, unpacked if necessary, progress, and faults with
//! the name of the file. It is independent of lines and formats.

use std::io::{self, Chain, Cursor, ErrorKind, Read};

use star_base::Code;

use crate::budget::Budget;
use crate::error::{Fault, FileError, Stopped};
use crate::graph_part::{ArcFacts, Sharing};
use crate::options::{Direction, EdgeFields, FieldRules, GraphSizes, ReadOptions};
use crate::packing::{BytesBehind, GZIP_MAGIC, Gunzip};
use crate::scaling::{Scaling, ScalingUses};
use crate::text;

/// Number of bytes that a reader requests at once.
pub(crate) const CHUNK: usize = 1 << 18;

/// Number of bytes that identify a format with a magic.
const FIRST_BYTES: usize = 16;

/// A file during reading.
pub(crate) struct Source<'r, 'o> {
    input: Input<'r>,
    options: &'r mut ReadOptions<'o>,
    budget: Budget,
    scaling: Option<&'r Scaling>,
    /// The readers of other ranges of the file.
    sharing: Option<&'r Sharing<'r>>,
    n_read: u64,
    /// Bytes that were read and pushed back.
    pushed_back: Vec<u8>,
}

/// The bytes: the already examined first ones, and the rest.
type Whole<'r> = Chain<Cursor<Vec<u8>>, &'r mut dyn Read>;

enum Input<'r> {
    Plain(Whole<'r>),
    Gzip(Box<Gunzip<Whole<'r>>>),
}

impl<'r, 'o> Source<'r, 'o> {
    /// Opens a file; the first two bytes determine whether it is unpacked with gzip.
    pub(crate) fn open(
        input: &'r mut dyn Read,
        options: &'r mut ReadOptions<'o>,
        scaling: Option<&'r Scaling>,
    ) -> Result<Self, Fault> {
        let mut first = Vec::new();
        let start = (&mut *input).take(GZIP_MAGIC.len() as u64).read_to_end(&mut first);
        start.map_err(|error| cannot_read(options.file, &error))?;
        let packed = first == GZIP_MAGIC;
        let whole = Cursor::new(first).chain(input);
        let input = match packed {
            true => Input::Gzip(Box::new(Gunzip::new(whole))),
            false => Input::Plain(whole),
        };
        let budget = Budget::from(options.max_bytes);
        let (sharing, pushed_back) = (None, Vec::new());
        Ok(Source { input, options, budget, scaling, sharing, n_read: 0, pushed_back })
    }

    /// Sets the scale of the values.
    pub(crate) fn set_scaling(&mut self, scaling: &'r Scaling) {
        self.scaling = Some(scaling);
    }

    /// Sets the exchange with the readers of other ranges of the file.
    pub(crate) fn set_sharing(&mut self, sharing: Option<&'r Sharing<'r>>) {
        self.sharing = sharing;
    }

    /// The readers of other ranges of the file, if there are any.
    pub(crate) fn sharing(&self) -> Option<&'r Sharing<'r>> {
        self.sharing
    }

    /// Returns the facts about the ranges of all readers, which call this together after their last
    /// lines. Then the statistics of the scale are those of the whole file.
    pub(crate) fn gather(
        &self,
        sharing: &Sharing<'_>,
        facts: ArcFacts,
    ) -> Result<Vec<ArcFacts>, Fault> {
        let uses = self.scaling.map_or(ScalingUses::default(), Scaling::uses);
        let all = sharing.gather(&ArcFacts { uses, ..facts });
        let all = all.map_err(|why| self.fault(Code::CannotOpen, why))?;
        if let Some(scaling) = self.scaling {
            scaling.set_uses(all.iter().fold(ScalingUses::default(), |uses, it| uses.and(it.uses)));
        }
        Ok(all)
    }

    /// Pushes back the first bytes after they were examined to identify the file.
    pub(crate) fn push_back(&mut self, bytes: &[u8]) {
        self.pushed_back.splice(0..0, bytes.iter().copied());
    }

    /// Reads up to `buffer.len()` bytes; 0 only at the end of the file.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        if !self.pushed_back.is_empty() {
            let n_bytes = self.pushed_back.len().min(buffer.len());
            let bytes = self.pushed_back.drain(..n_bytes);
            buffer.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
            return Ok(n_bytes);
        }
        let n_bytes = loop {
            let result = match &mut self.input {
                Input::Plain(input) => input.read(buffer),
                Input::Gzip(input) => input.read(buffer),
            };
            match result {
                Ok(n_bytes) => break n_bytes.min(buffer.len()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(&error)),
            }
        };
        self.n_read = match &self.input {
            Input::Plain(_) => self.n_read.saturating_add(n_bytes as u64),
            Input::Gzip(input) => input.n_read(),
        };
        self.go_on()?;
        Ok(n_bytes)
    }

    /// Reads until the buffer is full or the file ends; returns the number of bytes.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let mut n_bytes = 0;
        while n_bytes < buffer.len() {
            match self.read(&mut buffer[n_bytes..])? {
                0 => break,
                n_more => n_bytes += n_more,
            }
        }
        Ok(n_bytes)
    }

    /// Reads the whole file, for decoders that need random access. It counts against the budget. Of
    /// a file that begins with none of `magics` only the first bytes are read: they are enough to
    /// reject it, and it may be endless.
    pub(crate) fn read_all(&mut self, magics: &[&[u8]]) -> Result<Vec<u8>, Fault> {
        let mut first = [0; FIRST_BYTES];
        let n_first = self.fill(&mut first)?;
        let first = &first[..n_first];
        if !magics.iter().any(|magic| first.starts_with(magic) || magic.starts_with(first)) {
            return Ok(first.to_vec());
        }
        self.push_back(first);
        let mut bytes = Vec::new();
        // One byte more than the length detects the end. A failed reservation is ignored here.
        let expected = self.size_hint().unwrap_or(0).min(self.max_bytes()).saturating_add(1);
        let _ = bytes.try_reserve_exact(usize::try_from(expected).unwrap_or(0));
        loop {
            let len = bytes.len();
            let n_free = (bytes.capacity() - len).clamp(1 << 12, CHUNK);
            let n_needed = len as u128 + n_free as u128;
            bytes.try_reserve(n_free).map_err(|_| self.out_of_memory(n_needed))?;
            bytes.resize(len + n_free, 0);
            let n_bytes = self.read(&mut bytes[len..])?;
            bytes.truncate(len + n_bytes);
            if !self.budget.allows(bytes.len() as u128) {
                return Err(self.out_of_memory(bytes.len() as u128));
            }
            if n_bytes == 0 {
                return Ok(bytes);
            }
        }
    }

    /// Rejects a text whose first bytes indicate two-byte characters.
    pub(crate) fn wants_utf8(&self, first_bytes: &[u8]) -> Result<(), Fault> {
        match text::is_utf16(first_bytes) {
            true => {
                let fault =
                    FileError::new(Code::BadFormat, self.options.file, "the file is UTF-16");
                Err(Box::new(fault.at(1, 1).help("save the file as UTF-8")))
            }
            false => Ok(()),
        }
    }

    /// Polls the progress sink between the last byte and the result.
    pub(crate) fn go_on(&mut self) -> Result<(), Fault> {
        if let Some(progress) = self.options.progress.as_mut()
            && !progress(self.n_read)
        {
            return Err(self.fault(Code::Interrupted, "interrupted"));
        }
        Ok(())
    }

    /// Counts bytes that did not come from the input.
    #[cfg(feature = "arrow")]
    pub(crate) fn add_read(&mut self, n_bytes: u64) {
        self.n_read = self.n_read.saturating_add(n_bytes);
    }

    /// The error for a failed input, including errors of the packed data.
    pub(crate) fn failed(&self, error: &io::Error) -> Fault {
        if let Some(behind) = error.get_ref().and_then(|error| error.downcast_ref::<BytesBehind>())
        {
            return self.fault(Code::HeaderLies, behind.to_string());
        }
        match (&self.input, error.kind()) {
            (Input::Gzip(_), ErrorKind::UnexpectedEof) => {
                self.fault(Code::Truncated, "the file ends in the middle of its packed data")
            }
            (Input::Gzip(_), ErrorKind::InvalidInput | ErrorKind::InvalidData) => {
                self.fault(Code::BadFormat, format!("the packed file is damaged: {error}"))
            }
            (Input::Plain(_) | Input::Gzip(_), _) => cannot_read(self.options.file, error),
        }
    }

    /// The name of the file.
    pub(crate) fn file(&self) -> &str {
        self.options.file
    }

    /// A fault of the whole file.
    pub(crate) fn fault(&self, code: Code, message: impl Into<String>) -> Fault {
        Box::new(FileError::new(code, self.options.file, message))
    }

    /// The error that `n_bytes` exceed the budget.
    pub(crate) fn out_of_memory(&self, n_bytes: u128) -> Fault {
        out_of_memory(self.options.file, n_bytes, self.options.max_bytes)
    }

    /// Length of the file, if known; the unpacked length is not known.
    pub(crate) fn size_hint(&self) -> Option<u64> {
        match &self.input {
            Input::Plain(_) => self.options.size_hint,
            Input::Gzip(_) => None,
        }
    }

    /// The factor of values, if the user gives one.
    pub(crate) fn scaling(&self) -> Option<&'r Scaling> {
        self.scaling
    }

    /// Rules for the fields of a text list.
    pub(crate) fn field_rules(&self) -> FieldRules<'o> {
        self.options.fields
    }

    /// Known properties of the graph that an update stream changes.
    pub(crate) fn graph(&self) -> GraphSizes {
        self.options.graph
    }

    /// Returns whether a picture with a palette is read as palette indices.
    pub(crate) fn palette_indices(&self) -> bool {
        self.options.palette_indices
    }

    /// Whether NaN is a missing number.
    pub(crate) fn nan_is_missing(&self) -> bool {
        self.options.nan_is_missing
    }

    /// The direction of the arcs of a graph.
    pub(crate) fn direction(&self) -> Direction {
        self.options.direction
    }

    /// The fields of an edge list.
    pub(crate) fn edge_fields(&self) -> EdgeFields<'o> {
        self.options.edges
    }

    /// Whether the times of edge lists are skipped.
    pub(crate) fn skips_times(&self) -> bool {
        self.options.skip_times
    }

    /// The array to read.
    pub(crate) fn part(&self) -> Option<&str> {
        self.options.part
    }

    /// Memory budget.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The limit of the budget in bytes.
    pub(crate) fn max_bytes(&self) -> u64 {
        self.budget.max_bytes()
    }
}

fn cannot_read(file: &str, error: &io::Error) -> Fault {
    if error.get_ref().is_some_and(|error| error.is::<Stopped>()) {
        return Box::new(FileError::new(Code::Interrupted, file, "interrupted"));
    }
    let message = format!("cannot read: {}", star_base::text::reason(error));
    Box::new(FileError::new(Code::CannotOpen, file, message))
}

/// The error that `n_bytes` exceed the budget `max_bytes`, or the memory of the allocator.
pub(crate) fn out_of_memory(file: &str, n_bytes: u128, max_bytes: u64) -> Fault {
    let needed = text::size(n_bytes);
    let message = if n_bytes > u128::from(max_bytes) {
        match text::size(u128::from(max_bytes)) {
            // Both may be equal after rounding.
            budget if budget == needed => {
                format!("{n_bytes} bytes of memory are needed, but the budget is {max_bytes}")
            }
            budget => format!("{needed} of memory are needed, but the budget is {budget}"),
        }
    } else {
        format!("{needed} of memory are needed, more than is available")
    };
    Box::new(FileError::new(Code::DoesNotFit, file, message))
}
