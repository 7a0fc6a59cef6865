//! Benchmark files on disk.

use star_base::Code;
use star_io::FileError;
use star_os::flags::Flags;
use star_os::whole_file;
use star_report::record::{Record, from_json};

/// Maximum size of a benchmark file in bytes.
const MAX_BYTES: usize = 64 << 20;

/// Reads a benchmark file.
///
/// # Errors
/// If it cannot be read or is not a benchmark file, or a flag is set.
pub(crate) fn read(file: &str, flags: &Flags) -> Result<Record, FileError> {
    let bytes = whole_file::read_named(file, MAX_BYTES, flags)?;
    let bad = |message: &str| {
        FileError::new(Code::BadFormat, file, message).help(
            "`star bench --out FILE` writes benchmark files; docs/src/testing.md describes \
                them",
        )
    };
    let text = String::from_utf8(bytes).map_err(|_| bad("it is not valid UTF-8"))?;
    from_json(&text).map_err(|error| {
        let mut fault = bad(&error.message);
        fault.line = error.place.map(|(line, _)| line as u64);
        fault.column = error.place.map(|(_, column)| column as u64);
        fault
    })
}

/// Returns the short name of a file on a page, without its folders.
pub(crate) fn short_name(file: &str) -> String {
    let name = std::path::Path::new(file).file_name();
    name.map_or_else(|| file.to_owned(), |name| name.to_string_lossy().into_owned())
}
