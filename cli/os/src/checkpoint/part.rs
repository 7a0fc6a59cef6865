//! The state of one rank in a file: Star tables, slices and words, each after its number of bytes.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use star_base::{Code, text};
use star_io::{Data, FileError, Format, OutputRef, Packing, ReadOptions};
use star_value::{BitsRef, Value};

/// A file that is written.
#[derive(Debug)]
pub(super) struct PartWriter {
    name: String,
    file: BufWriter<File>,
}

impl PartWriter {
    /// Creates the file.
    pub(super) fn create(path: &Path) -> Result<Self, FileError> {
        let file = File::create(path).map_err(|error| cannot(path, &error))?;
        Ok(PartWriter { name: path.display().to_string(), file: BufWriter::new(file) })
    }

    /// Writes a value, unless `go_on` returns `false`.
    pub(super) fn put(
        &mut self,
        value: BitsRef<'_>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), FileError> {
        let PartWriter { name, file } = self;
        let failed = |error: io::Error| cannot(Path::new(&*name), &error);
        let start = file.stream_position().map_err(failed)?;
        file.write_all(&[0; 8]).map_err(failed)?;
        let value = OutputRef::Bits(value);
        let written = star_io::write_packed(Format::Stb, Packing::Plain, value, file, go_on);
        written.map_err(|error| error.in_file(name))?;
        let end = file.stream_position().map_err(failed)?;
        let n_bytes = end - start - 8;
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        file.write_all(&n_bytes.to_le_bytes()).map_err(failed)?;
        file.seek(SeekFrom::Start(end)).map_err(failed)?;
        Ok(())
    }

    /// Waits until the system has stored the file.
    pub(super) fn end(&mut self) -> Result<(), FileError> {
        let PartWriter { name, file } = self;
        let stored = file.flush().and_then(|()| file.get_ref().sync_all());
        stored.map_err(|error| cannot(Path::new(name), &error))
    }
}

/// A file that is read.
#[derive(Debug)]
pub(super) struct PartReader {
    name: String,
    file: BufReader<File>,
}

impl PartReader {
    /// Opens the file.
    pub(super) fn open(path: &Path) -> Result<Self, FileError> {
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Ok(PartReader { name, file: BufReader::new(file) }),
            Err(error) => Err(cannot_read(&name, &error)),
        }
    }

    /// Returns the next value.
    pub(super) fn take(&mut self) -> Result<Value, FileError> {
        let PartReader { name, file } = self;
        let mut n_bytes = [0; 8];
        file.read_exact(&mut n_bytes).map_err(|error| cannot_read(name, &error))?;
        let n_bytes = u64::from_le_bytes(n_bytes);
        let mut options = ReadOptions::new(name, u64::MAX);
        let left = file.get_ref().metadata().map(|metadata| metadata.len());
        if left.is_ok_and(|left| n_bytes > left) {
            return Err(FileError::new(Code::Truncated, &**name, "the file ends too early"));
        }
        options.size_hint = Some(n_bytes);
        let read = star_io::read(Format::Stb, &mut file.take(n_bytes), &mut options)?;
        match read.data {
            Data::Table(table) => Ok(Value::Table(table)),
            Data::Slice(bits) => Ok(Value::Slice(bits)),
            Data::Word(bits) => Ok(Value::Word(bits)),
            Data::Graph(_) | Data::Numbers(_) => {
                Err(FileError::new(Code::BadFormat, &**name, "a value of another kind"))
            }
        }
    }
}

/// Returns the error for a file or folder that cannot be written.
pub(super) fn cannot(path: &Path, error: &io::Error) -> FileError {
    let message = format!("cannot write: {}", text::reason(error));
    FileError::new(Code::CannotWrite, path.display().to_string(), message)
}

fn cannot_read(name: &str, error: &io::Error) -> FileError {
    match error.kind() {
        ErrorKind::UnexpectedEof => {
            FileError::new(Code::Truncated, name, "the file ends too early")
        }
        _ => {
            let message = format!("cannot read: {}", text::reason(error));
            FileError::new(Code::CannotOpen, name, message)
        }
    }
}
