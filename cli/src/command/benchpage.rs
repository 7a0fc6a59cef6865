//! `star benchpage`: benchmark files of Star and its peers, as one HTML page.

use std::path::Path;

use clap::Args;
use star_base::Code;
use star_io::FileError;
use star_os::destination::Destination;
use star_os::failure::Failure;
use star_os::report::Reporter;
use star_report::page::{self, NamedRecord};

use crate::records;
use crate::text;

/// Arguments of `star benchpage`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  star benchpage new.json -o page.html
  star benchpage ours.json peers.json -o page.html --svg plots")]
pub(crate) struct PageArgs {
    /// Files written by `star bench --out`, or files of peers in that format
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,

    /// Write the result to FILE
    #[arg(short, long = "output", value_name = "FILE", default_value = "page.html")]
    output: String,

    /// Write the plots to DIR, too
    #[arg(long, value_name = "DIR")]
    svg: Option<String>,
}

/// Creates the page.
///
/// # Errors
/// If a file cannot be read or is not a benchmark file, or the page cannot be written.
pub(crate) fn run(args: &PageArgs, reporter: &Reporter) -> Result<(), Failure> {
    let PageArgs { files, output, svg } = args;
    let place = Destination::new(Path::new(output), output)?;
    if let Some(folder) = svg {
        make_folder(folder)?;
    }
    let mut named = Vec::new();
    for file in files {
        named.push(NamedRecord { name: records::short_name(file), record: records::read(file)? });
    }
    place.write_text(&page::page(&named))?;
    let n_rows: usize = named.iter().map(|file| file.record.rows.len()).sum();
    let (files, rows) = (text::count(files.len(), "file"), text::count(n_rows, "row"));
    reporter.summary(&format!("{}: {files}, {rows}", text::one_line(output)));
    if let Some(folder) = svg {
        write_plots(folder, &named, reporter)?;
    }
    Ok(())
}

/// Creates a folder for plots and tests whether it is writable.
///
/// # Errors
/// If the system refuses.
pub(crate) fn make_folder(folder: &str) -> Result<(), FileError> {
    let path = Path::new(folder);
    std::fs::create_dir_all(path).map_err(|error| {
        let why = format!("cannot create the folder: {}", text::reason(&error));
        FileError::new(Code::CannotWrite, folder, why)
    })?;
    // The created test file is deleted immediately.
    Destination::new(&path.join("plot.svg"), folder).map(drop)
}

/// Writes the plots to a folder, which is created if necessary.
///
/// # Errors
/// If the system refuses.
pub(crate) fn write_plots(
    folder: &str,
    files: &[NamedRecord],
    reporter: &Reporter,
) -> Result<(), Failure> {
    make_folder(folder)?;
    let path = Path::new(folder);
    let records: Vec<_> = files.iter().map(|file| file.record.clone()).collect();
    let plots = page::plots(&records);
    for (name, svg) in &plots {
        let file = path.join(name);
        Destination::new(&file, &file.display().to_string())?.write_text(svg)?;
    }
    let plots = text::count(plots.len(), "plot");
    reporter.summary(&format!("{}: {plots}", text::one_line(folder)));
    Ok(())
}
