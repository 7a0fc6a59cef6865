//! Archives of NumPy arrays, `.npz`: zip files whose parts are `.npy` files, stored or deflated.
//!
//! The reader returns the array named in the options, or else the only array; single numbers next
//! to it are ignored. The writer writes one array, named `arr_0` as NumPy does, or after its only
//! field.

mod directory;
mod sparse;

use std::io::{self, Cursor, ErrorKind, Read, Write};

use star_base::Code;
use star_base::text::{MAX_LISTED, listed};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use self::directory::Announced;
use super::npy::{self, Header, Input};
use super::{ReadResult, ReaderNotes, cannot_write};
use crate::data::{Data, OutputRef};
use crate::error::{Fault, FileError};
use crate::source::Source;

/// The first bytes of every nonempty archive.
pub(crate) const MAGIC: [u8; 4] = *b"PK\x03\x04";

/// The suffix of part names.
const SUFFIX: &str = ".npy";

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// An array of the archive.
struct Part {
    name: String,
    idx: usize,
    shape: Vec<u64>,
}

impl Part {
    /// The file name in errors about this array.
    fn shown(&self, source: &Source) -> String {
        format!("{}#{}", source.file(), self.name.escape_debug())
    }
}

/// Reads one array.
pub(crate) fn read(mut source: Source) -> Result<ReadResult, Fault> {
    let bytes = source.read_all(&[&MAGIC])?;
    if !bytes.starts_with(&MAGIC) {
        let code = match MAGIC.starts_with(&bytes) {
            true => Code::Truncated,
            false => Code::BadFormat,
        };
        return Err(source.fault(code, "the file does not begin like an archive of arrays"));
    }
    let free = source.budget().rest(bytes.len() as u64);
    directory::check(&bytes, &free).map_err(|announced| match announced {
        Announced::TooLarge(n_bytes) => {
            source.out_of_memory(u128::from(n_bytes) + bytes.len() as u128)
        }
        Announced::TooMany(n_parts) => {
            let message = format!("{n_parts} arrays in its directory, more than the file holds");
            source.fault(Code::HeaderLies, message)
        }
    })?;
    let archive = ZipArchive::new(Cursor::new(&bytes[..]));
    let mut archive = archive.map_err(|e| zip_fault(source.file(), &e))?;
    if source.part().is_none() && sparse::is_matrix(&archive) {
        return sparse::read(&mut source, &mut archive, bytes.len());
    }
    let part = choose(&source, &mut archive)?;
    let name = part.name.clone();
    source.go_on()?;
    let numbers = with_part(&mut source, &mut archive, &part, bytes.len(), |input| {
        let header = Header::read(input)?;
        npy::read_array(input, &header, &name)
    })?;
    Ok((Data::Numbers(numbers), ReaderNotes::default()))
}

/// Writes an archive of one array.
pub(crate) fn write(value: OutputRef<'_>, out: &mut dyn Write) -> Result<(), Fault> {
    let name = match value {
        OutputRef::Numbers(numbers) => match &numbers.fields[..] {
            [field] if !field.name.is_empty() => &field.name,
            _ => "arr_0",
        },
        OutputRef::Bits(_) | OutputRef::Graph(_) => "arr_0",
    };
    // Unwritable values are rejected before the archive begins.
    let mut head = Head::default();
    npy::write_array(value, &mut head, "NumPy")?;
    let is_large = head.n_bytes >= u64::from(u32::MAX);
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut output = FirstFailure { out, error: None };
    let mut archive = ZipWriter::new_stream(&mut output);
    let started = archive.start_file(format!("{name}{SUFFIX}"), options.large_file(is_large));
    let written = started.map_err(|error| cannot_write(&error.into()));
    let written = written.and_then(|()| npy::write_array(value, &mut archive, "NumPy"));
    let finished = archive.finish().map(drop).map_err(|error| cannot_write(&error.into()));
    match output.error {
        Some(error) => Err(cannot_write(&error)),
        None => written.and(finished),
    }
}

/// An output that keeps its first error and discards everything after it. The library completes an
/// archive also after an error, and prints it if that fails.
struct FirstFailure<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl FirstFailure<'_> {
    fn keep<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| match error.kind() {
            ErrorKind::Interrupted => error,
            _ => {
                self.error = Some(error);
                io::Error::other("stored separately")
            }
        })
    }
}

impl Write for FirstFailure<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.is_some() {
            return Ok(bytes.len());
        }
        let done = self.out.write(bytes);
        self.keep(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.error.is_some() {
            return Ok(());
        }
        let done = self.out.flush();
        self.keep(done)
    }
}

/// Counts the bytes of an array without storing them.
#[derive(Default)]
struct Head {
    n_bytes: u64,
}

impl Write for Head {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.n_bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Selects the array to read.
fn choose(source: &Source, archive: &mut Archive<'_>) -> Result<Part, Fault> {
    let names: Vec<(usize, String)> = (0..archive.len())
        .filter_map(|idx| {
            Some((idx, archive.name_for_index(idx)?.strip_suffix(SUFFIX)?.to_owned()))
        })
        .collect();
    if let Some(wanted) = source.part() {
        let found = names.iter().find(|(_, name)| name == wanted);
        return match found {
            Some((idx, name)) => Ok(Part { name: name.clone(), idx: *idx, shape: Vec::new() }),
            None => {
                let message = format!("the archive has no array `{}`", wanted.escape_debug());
                let fault = source.fault(Code::CannotOpen, message);
                let names = names.iter().map(|(_, name)| quote(name));
                Err(Box::new(fault.note(list(names))))
            }
        };
    }
    let mut parts = Vec::with_capacity(names.len());
    for (idx, name) in names {
        // Unreadable arrays are tolerated next to the selected one.
        let mut part = Part { name, idx, shape: Vec::new() };
        parts.push(header_of(source, archive, &part).map(|header| {
            part.shape = header.shape;
            part
        }));
    }
    let n_parts = parts.len();
    if n_parts == 1
        && let Some(part) = parts.pop()
    {
        return part;
    }
    let mut parts: Vec<Part> = parts.into_iter().flatten().collect();
    let is_array = |part: &&Part| !part.shape.is_empty();
    let is_only = parts.iter().filter(is_array).count() == 1;
    let listed = list(parts.iter().map(|part| {
        let lens: Vec<String> = part.shape.iter().map(u64::to_string).collect();
        match lens.is_empty() {
            true => format!("{} (a number)", quote(&part.name)),
            false => format!("{} ({})", quote(&part.name), lens.join(" × ")),
        }
    }));
    let first = parts.iter().max_by_key(|part| (part.shape.len() == 2, usize::MAX - part.idx));
    let first = first.map_or_else(|| "NAME".to_owned(), |part| part.name.clone());
    match parts.iter().position(|part| is_only && is_array(&part)) {
        Some(at) => Ok(parts.remove(at)),
        None if n_parts == 0 => Err(source.fault(Code::BadFormat, "the archive has no arrays")),
        None => {
            let fault = source.fault(
                Code::CannotOpen,
                "the archive has several arrays; select \
                one by name",
            );
            let help = format!("append the name to the file: `{}#{first}`", source.file());
            Err(Box::new(fault.note(listed).help(help.escape_debug().to_string())))
        }
    }
}

fn quote(name: &str) -> String {
    crate::text::quote(name.as_bytes())
}

fn list(arrays: impl ExactSizeIterator<Item = String>) -> String {
    match arrays.len() {
        0 => "it has no arrays".to_owned(),
        _ => format!("it has {}", listed(arrays, MAX_LISTED)),
    }
}

fn header_of(source: &Source, archive: &mut Archive<'_>, part: &Part) -> Result<Header, Fault> {
    let file = part.shown(source);
    let mut part = archive.by_index(part.idx).map_err(|e| zip_fault(&file, &e))?;
    let mut fill = |buffer: &mut [u8]| fill(&mut part, buffer, &file);
    let (n_left, budget) = (None, source.budget().clone());
    let (file, scaling, nan_is_missing) = (file.clone(), None, false);
    Header::read(&mut Input { fill: &mut fill, file, n_left, budget, scaling, nan_is_missing })
}

/// Opens an array for reading; `n_file_bytes` of the budget are already in use.
fn with_part<T>(
    source: &mut Source,
    archive: &mut Archive<'_>,
    part: &Part,
    n_file_bytes: usize,
    read: impl FnOnce(&mut Input<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let file = part.shown(source);
    let mut part = archive.by_index(part.idx).map_err(|e| zip_fault(&file, &e))?;
    // The length in the archive is not trusted: memory is allocated as the bytes arrive.
    let n_left = (part.compression() == CompressionMethod::Stored).then(|| part.size());
    let n_left = n_left.filter(|&n_left| n_left <= n_file_bytes as u64);
    let budget = source.budget().rest(n_file_bytes as u64);
    let (scaling, nan_is_missing) = (source.scaling(), source.nan_is_missing());
    let mut fill = |buffer: &mut [u8]| {
        source.go_on()?;
        fill(&mut part, buffer, &file)
    };
    let file = file.clone();
    read(&mut Input { fill: &mut fill, file, n_left, budget, scaling, nan_is_missing })
}

fn fill(part: &mut dyn Read, buffer: &mut [u8], file: &str) -> Result<usize, Fault> {
    let mut n_bytes = 0;
    while n_bytes < buffer.len() {
        match part.read(&mut buffer[n_bytes..]) {
            Ok(0) => break,
            Ok(n_more) => n_bytes += n_more,
            Err(error) => return Err(zip_fault(file, &ZipError::Io(error))),
        }
    }
    Ok(n_bytes)
}

fn zip_fault(file: &str, error: &ZipError) -> Fault {
    let (code, reason) = match error {
        ZipError::Io(error) if error.kind() == ErrorKind::UnexpectedEof => {
            (Code::Truncated, "the file ends too early".to_owned())
        }
        ZipError::Io(error) => (Code::BadFormat, error.to_string()),
        ZipError::InvalidArchive(_) => {
            (Code::BadFormat, "it is damaged, or its end is missing".to_owned())
        }
        other => (Code::BadFormat, other.to_string()),
    };
    let reason = reason.trim_end_matches('.').escape_debug().to_string();
    let message = format!("cannot read the archive: {reason}");
    Box::new(FileError::new(code, file, message))
}
