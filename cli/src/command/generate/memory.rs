//! Data made where a file may stand: `P='gen gnp -n 100 -p 0.1'`. Nothing is written.

use std::io::Cursor;

use clap::Parser;
use star_base::Code;
use star_bind::data::{Expected, FileContents};
use star_bind::{Reading, load};
use star_io::generate::GenerateOptions;
use star_io::{FileError, Format, ReadOptions};

use super::{Kind, Made, advise, form};
use crate::usage::{self, Refusal};

/// The command line of data made in memory.
#[derive(Parser, Debug)]
#[command(name = "star gen")]
struct InMemory {
    #[command(subcommand)]
    kind: Kind,
}

/// Makes the data that `options` say, as `star gen` would write them to a file; messages call them by
/// their name.
///
/// # Errors
/// E0605 if the options do not parse; those of the generators; L0103 and L0106 if a flag is set.
pub(crate) fn in_memory(
    name: &str,
    options: &str,
    reading: Reading<'_>,
    max_bytes: u64,
    expected: Expected,
) -> Result<FileContents, FileError> {
    let bad = |message: String| FileError::new(Code::BadArgument, name, message);
    // The command needs a file, and this one has none.
    let nowhere = ["--output", name];
    let words = ["gen"].into_iter().chain(options.split_whitespace()).chain(nowhere);
    let InMemory { kind } =
        InMemory::try_parse_from(words).map_err(|error| match usage::refusal(&error, false) {
            Refusal::Fault(diagnostic) => bad(diagnostic.message),
            Refusal::Answer(_) | Refusal::Help(_) => {
                bad("the options ask for help, or name no kind".to_owned())
                    .help("`star gen --help` lists the kinds")
            }
        })?;
    if kind.mask().is_some() {
        return Err(bad("`--mask` writes a file, and none is written here".to_owned()));
    }
    let common = kind.common();
    let max_bytes = common.max_memory.map_or(max_bytes, |most| most.min(max_bytes));
    let graph = match kind.start() {
        None => None,
        Some(file) => Some(load::read_graph(reading, file, max_bytes)?),
    };
    let mut goes_on = |_| reading.observer.stop().is_none();
    let mut settings = GenerateOptions::new(common.seed, max_bytes);
    settings.progress = Some(&mut goes_on);
    let made = kind.make(graph.as_ref(), &mut settings);
    let Made { data, second: _, sizes: _ } = made.map_err(|mut error| {
        name.clone_into(&mut error.file);
        match (error.code, reading.observer.stop()) {
            (Code::Interrupted, Some(code)) => {
                FileError::new(code, name, "stopped while the data were made")
            }
            (_, Some(_) | None) => advise(error),
        }
    })?;
    let made_bytes = settings.n_bytes();
    match kind {
        // How wide its fields are is said by what it is read for.
        Kind::Updates(_) => {
            let mut bytes = Vec::new();
            star_io::write(Format::Updates, form::as_output(&data), &mut bytes)?;
            let mut options = ReadOptions::new(name, max_bytes);
            options.graph = expected.graph;
            let loaded = star_io::read(Format::Updates, &mut Cursor::new(bytes), &mut options)?;
            let n_bytes = made_bytes.max(loaded.n_bytes);
            Ok(FileContents { data: loaded.data, is_stream: true, n_bytes })
        }
        Kind::Gnp(_)
        | Kind::Gnm(_)
        | Kind::Dag(_)
        | Kind::Rmat(_)
        | Kind::Road(_)
        | Kind::Table(_)
        | Kind::Terrain(_)
        | Kind::Curve(_) => Ok(FileContents { data, is_stream: false, n_bytes: made_bytes }),
    }
}
