//! `star benchpage`: benchmark files of Star and its peers, as a page, a picture or a table.

use std::path::Path;

use clap::Args;
use star_base::Code;
use star_io::FileError;
use star_os::destination::Destination;
use star_os::failure::Failure;
use star_os::file_roles::{self, Writer};
use star_os::file_set::FileSet;
use star_os::flags::Flags;
use star_os::report::Reporter;
use star_report::page::{self, ExportKind, NamedRecord};

use super::figures::{FigureArgs, FigureFile, write_all};
use crate::records;
use crate::text;

/// Arguments of `star benchpage`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  star benchpage new.json -o page.html
  star benchpage new.json --filter closure -o figure.pdf -o figure.csv
  star benchpage ours.json peers.json -o page.html --svg plots")]
pub(crate) struct PageArgs {
    /// Files written by `star bench --out`, or files of peers in that format
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,

    /// Write the result to FILE
    ///
    /// The extension selects the format: `.html` is a page, `.csv` the rows, `.json` the lines of
    /// the plots; `.svg`, `.pdf` and `.tex` (pgfplots) are pictures of one benchmark. Can be given
    /// several times.
    #[arg(short, long, alias = "output", value_name = "FILE", default_value = "page.html")]
    out: Vec<String>,

    /// Show only benchmarks with TEXT in their file, title or routine
    ///
    /// Letter case is ignored.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    #[command(flatten)]
    figures: FigureArgs,

    /// Write the plots to DIR, too
    #[arg(long, value_name = "DIR")]
    svg: Option<String>,
}

/// Creates the page.
///
/// # Errors
/// If a file cannot be read or is not a benchmark file, or the page cannot be written.
pub(crate) fn run(args: &PageArgs, reporter: &Reporter) -> Result<(), Failure> {
    let PageArgs { files, out, filter, figures, svg } = args;
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command without a message");
    let outs = FigureFile::all(out)?;
    let kinds: Vec<ExportKind> = outs.iter().map(|out| out.kind).collect();
    figures.warn_if_unused(&kinds, reporter);
    let others: Vec<&String> = out.iter().collect();
    let plots = svg.as_deref().map(|folder| plot_folder(folder, &others)).transpose()?;
    let mut named = Vec::new();
    for file in files {
        let name = records::short_name(file);
        named.push(NamedRecord { name, record: records::read(file, &flags)? });
    }
    let plots = match (svg, plots) {
        (Some(folder), Some(plots)) => Some(Plots::new(plots, folder, &named, &flags)?),
        (Some(_) | None, _) => None,
    };
    let selection = figures.selection(filter.as_deref());
    write_all(&outs, &named, &selection, (&flags, reporter))?;
    let rows = named.iter().flat_map(|file| &file.record.rows);
    let n_rows = rows.filter(|row| selection.has(row)).count();
    let (files, rows) = (text::count(files.len(), "file"), text::count(n_rows, "row"));
    let outs: Vec<String> = out.iter().map(|name| text::one_line(name)).collect();
    reporter.summary(&format!("{}: {files}, {rows}", outs.join(", ")));
    plots.map_or(Ok(()), |plots| plots.commit(reporter))
}

/// Creates a folder for plots, which vanishes unless they are written, and tests whether it is
/// writable. The names of plots depend on the measurements, so that no other output may be a plot
/// in this folder.
///
/// # Errors
/// E0509 if the system refuses, or an output could be a plot.
pub(crate) fn plot_folder(folder: &str, outputs: &[&String]) -> Result<FileSet, FileError> {
    let path = Path::new(folder);
    let mut set = FileSet::default();
    set.create_folder(path, folder)?;
    // The test file vanishes immediately.
    Destination::by(Writer::User, &path.join("plot.svg"), folder)?;
    let own = file_roles::resolved(&path.join("plot.svg"));
    for output in outputs {
        let resolved = file_roles::resolved(Path::new(output));
        if resolved.extension() == own.extension() && resolved.parent() == own.parent() {
            let message = "two outputs must not share a file: the folder of `--svg` is for plots";
            let error = FileError::new(Code::CannotWrite, output.as_str(), message);
            return Err(error.help("give each output another file"));
        }
    }
    Ok(set)
}

/// Plots that are not yet in their folder.
#[derive(Debug)]
pub(crate) struct Plots<'a> {
    set: FileSet,
    folder: &'a str,
    n_plots: usize,
}

impl<'a> Plots<'a> {
    /// Writes the plots of these files.
    ///
    /// # Errors
    /// E0509 if the system refuses, or a plot has the file of another output.
    pub(crate) fn new(
        mut set: FileSet,
        folder: &'a str,
        files: &[NamedRecord],
        flags: &Flags,
    ) -> Result<Self, FileError> {
        let path = Path::new(folder);
        let plots = page::plots(files);
        for plot in &plots {
            set.add(&path.join(&plot.name), &plot.svg, flags)?;
        }
        Ok(Plots { set, folder, n_plots: plots.len() })
    }

    /// Moves the plots to their folder.
    ///
    /// # Errors
    /// E0509 if the system refuses.
    pub(crate) fn commit(self, reporter: &Reporter) -> Result<(), Failure> {
        self.set.commit()?;
        let plots = text::count(self.n_plots, "plot");
        reporter.summary(&format!("{}: {plots}", text::one_line(self.folder)));
        Ok(())
    }
}
