//! Generated data in the place of a file: `P='gen gnp -n 100 -p 0.1'`. No file is written.

use std::io::Cursor;

use star_base::Code;
use star_io::generate::GenerateOptions;
use star_io::generate::spec::{Generator, words};
use star_io::{FileError, Format, ReadOptions};

use crate::data::{Expected, FileContents};
use crate::load;
use crate::source::Reading;

/// The first word of the name of generated data.
const WORD: &str = "gen";

/// Returns the options if a name describes generated data instead of a file. A file of that name is
/// written `./gen …`.
pub fn options(name: &str) -> Option<&str> {
    let rest = name.trim_start().strip_prefix(WORD)?;
    rest.starts_with(char::is_whitespace).then_some(rest)
}

/// Generates the data for `options`, as `star gen` would write them to a file; messages use their
/// name.
///
/// # Errors
/// E0605 if the options do not parse; those of the generators; L0103 and L0106 if the observer
/// stops it.
pub(crate) fn make(
    reading: Reading<'_>,
    name: &str,
    options: &str,
    max_bytes: u64,
    expected: Expected,
) -> Result<FileContents, FileError> {
    let spec = words::parse(options).map_err(|error| error.in_file(name))?;
    if spec.mask.is_some() {
        let message = "`--mask` requires an output file, which is not available here";
        return Err(FileError::new(Code::BadArgument, name, message));
    }
    let max_bytes = spec.max_bytes.map_or(max_bytes, |most| most.min(max_bytes));
    let graph = match spec.generator.start() {
        None => None,
        Some(file) => Some(load::read_graph(reading, file, max_bytes)?),
    };
    let mut goes_on = |_| reading.observer.stop().is_none();
    let mut settings = GenerateOptions::new(spec.seed, max_bytes);
    settings.progress = Some(&mut goes_on);
    let made = spec.generator.make(graph.as_ref(), &mut settings).map_err(|error| {
        match (error.code, reading.observer.stop()) {
            (Code::Interrupted, Some(code)) => {
                FileError::new(code, name, "stopped while generating data")
            }
            (_, Some(_) | None) => advise(error.in_file(name)),
        }
    })?;
    let n_bytes = settings.n_bytes();
    match spec.generator {
        // The target of the stream determines the widths of its fields.
        Generator::Updates(_) => {
            let mut bytes = Vec::new();
            star_io::write(Format::Updates, made.data.as_output(), &mut bytes)?;
            let mut options = ReadOptions::new(name, max_bytes);
            options.graph = expected.graph;
            let loaded = star_io::read(Format::Updates, &mut Cursor::new(bytes), &mut options)?;
            let n_bytes = n_bytes.max(loaded.n_bytes);
            Ok(FileContents {
                data: loaded.data,
                is_stream: true,
                is_array: false,
                n_bytes,
                scale: None,
            })
        }
        Generator::Uniform(_)
        | Generator::Rmat(_)
        | Generator::Road(_)
        | Generator::Table(_)
        | Generator::Terrain(_)
        | Generator::Blocks(_)
        | Generator::Country(_)
        | Generator::Curve(_) => {
            let (is_stream, is_array) = (false, false);
            Ok(FileContents { data: made.data, is_stream, is_array, n_bytes, scale: None })
        }
    }
}

/// Adds help for the user.
pub fn advise(error: FileError) -> FileError {
    match error.code {
        Code::DoesNotFit => error.help("`--max-memory` sets the budget"),
        _ => error,
    }
}
