//! `star gen`: makes random graphs, tables, heights, images and update streams, and writes them to files.

mod form;
mod kinds;
mod memory;
mod updates;
mod values;

use std::time::Instant;

use clap::{Args, Subcommand};
use serde_json::json;
use star_base::Code;
use star_bind::{Reading, Settings, load};
use star_io::generate::GenerateOptions;
use star_io::{Data, FileError, Format};

use self::form::{Form, Subject};
use self::kinds::{
    CurveArgs, DagArgs, GnmArgs, GnpArgs, RmatArgs, RoadArgs, TableArgs, TerrainArgs,
};
pub(crate) use self::memory::in_memory;
use self::updates::UpdatesArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{Console, Disk};
use crate::flags::Flags;
use crate::outlet::Outlet;
use crate::output::Output;
use crate::report::Reporter;
use crate::sizes::{available_memory, parse_count, parse_size};
use crate::text;

/// What `star gen` is told.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  star gen gnp -n 1000 -p 0.01 -o sparse.gr
  star gen gnm -n 1000 -m 5000 --undirected --max-weight 100 --seed 7 -o edges.mtx
  star gen dag -n 1000 -m 5000 --shuffle -o tasks.mtx
  star gen rmat --scale 16 --edge-factor 8 -o web.gr
  star gen road --rows 100 --columns 200 --connected -o road.gr
  star gen table --rows 10000 --widths 16,16,1 -o records.stb
  star gen terrain --size 8 --bits 12 -o heights.stb
  star gen curve --rows 200 --columns 300 -o image.stb --mask curve.stb
  star gen updates --graph road.gr --undirected -k 1000 -o road.updates")]
#[command(after_long_help = LONG_HELP)]
pub(crate) struct GenArgs {
    #[command(subcommand)]
    kind: Kind,
}

const LONG_HELP: &str = "\
The extension of the file says its format. Graphs go to every format of graphs; `.stb` takes a graph
as its adjacency table, and numbers as a table with a row for each record or cell. A table goes to
`.csv` with a number for each field. An extension and `:-`, as in `gr:-`, is standard output.

The same options and seed give the same file, on every machine and in every version: the random
numbers are those of ChaCha8.

Examples:
  star gen gnm -n 1000 -m 5000 --undirected --max-weight 100 --seed 7 -o edges.mtx
  star gen rmat --scale 16 --edge-factor 8 -o web.gr
  star gen road --rows 100 --columns 200 --connected -o road.gr
  star gen table --rows 10000 --widths 16,16,1 -o records.stb
  star run closure.star --graph sparse.gr
";

#[derive(Subcommand, Debug)]
enum Kind {
    /// G(n, p): each arc is there with the same probability
    #[command(
        after_help = "Example:\n  star gen gnp -n 1000 -p 0.01 --max-weight 100 -o sparse.gr"
    )]
    Gnp(GnpArgs),
    /// G(n, m): so many arcs, every set of them equally likely
    #[command(
        after_help = "Example:\n  star gen gnm -n 1000 -m 5000 --undirected --seed 7 -o edges.mtx"
    )]
    Gnm(GnmArgs),
    /// A directed graph without cycles
    #[command(after_help = "Example:\n  star gen dag -n 1000 -m 5000 --shuffle -o tasks.mtx")]
    Dag(DagArgs),
    /// R-MAT: few great vertices and many small ones
    #[command(after_help = "Example:\n  star gen rmat --scale 16 --edge-factor 8 -o web.gr")]
    Rmat(RmatArgs),
    /// A grid of streets with their lengths
    #[command(
        after_help = "Example:\n  star gen road --rows 100 --columns 200 --missing 0.2 --connected -o road.gr"
    )]
    Road(RoadArgs),
    /// A table of random numbers side by side
    #[command(
        after_help = "Example:\n  star gen table --rows 10000 --widths 16,16,1 -o records.stb"
    )]
    Table(TableArgs),
    /// Heights of hills, by diamond and square
    #[command(
        after_help = "Example:\n  star gen terrain --size 8 --roughness 0.3 --bits 12 -o heights.stb"
    )]
    Terrain(TerrainArgs),
    /// A smooth curve under noise, 8-bit gray
    #[command(
        after_help = "Example:\n  star gen curve --rows 200 --columns 300 --noise 40 -o image.stb --mask curve.stb"
    )]
    Curve(CurveArgs),
    /// Changes of a graph and questions about it, one after another
    #[command(
        after_help = "Examples:\n  star gen updates --graph road.gr --undirected -k 1000 -o road.updates\n  star gen updates -n 100 -k 1000 --delete 0 -o growth.updates"
    )]
    Updates(UpdatesArgs),
}

/// What every kind is told.
#[derive(Args, Debug)]
struct Common {
    /// Where the random numbers begin
    #[arg(long, value_name = "N", default_value = "1")]
    #[arg(value_parser = parse_count, allow_negative_numbers = true)]
    seed: u64,

    /// The file to write; the extension says the format, `gr:-` is standard output
    #[arg(short, long = "output", value_name = "FILE")]
    output: String,

    /// Bytes of memory that making it may take: `512M`, `2G`
    ///
    /// Without it, three quarters of the memory that is available.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_memory: Option<u64>,

    /// No summary
    #[arg(short, long)]
    quiet: bool,
}

/// Something made, not yet written.
struct Made {
    /// What the file gets.
    data: Data,
    /// What a second file gets, if one is named.
    second: Option<Data>,
    /// Its sizes for the summary, by their names.
    sizes: Vec<(&'static str, u64)>,
}

/// Makes the data and writes them.
///
/// # Errors
/// If a parameter does not suit, the data do not fit or cannot be written, or Ctrl-C came.
pub(crate) fn run(
    args: &GenArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let start = Instant::now();
    let flags = Flags::default();
    if let Err(error) = flags.catch_interrupts() {
        let why = text::reason(&error);
        reporter.warning(&format!("Ctrl-C ends the run without a message: {why}"));
    }
    let common = args.kind.common();
    let (outlet, form) = outlet(&common.output, &args.kind.subject())?;
    let mask = match args.kind.mask() {
        None => None,
        Some(name) => {
            let mask = self::outlet(name, &form::mask())?;
            if mask.0.is(&outlet) {
                let message = format!("image and mask for one file, `{name}`");
                return Err(star_base::Diagnostic::new(Code::Usage, message).into());
            }
            Some(mask)
        }
    };
    let max_bytes = common.max_memory.unwrap_or_else(|| available_memory() / 4 * 3);
    let mut goes_on = |_| flags.stop().is_none();
    let mut options = GenerateOptions::new(common.seed, max_bytes);
    options.progress = Some(&mut goes_on);
    let graph = match args.kind.start() {
        None => None,
        Some(file) => {
            let settings = Settings::default();
            let console = Console { flags: &flags, reporter };
            let reading = Reading { files: &Disk, observer: &console, settings: &settings };
            Some(load::read_graph(reading, file, max_bytes).map_err(advise)?)
        }
    };
    let made = args.kind.make(graph.as_ref(), &mut options);
    let Made { data, second, sizes } = made.map_err(advise)?;

    let mut n_bytes = 0;
    let mut written = Vec::new();
    let mut files = vec![(outlet, form, data)];
    files.extend(mask.zip(second).map(|((outlet, form), data)| (outlet, form, data)));
    for (outlet, form, data) in files {
        let data =
            form.shape(data, outlet.name(), max_bytes, (&flags, reporter)).map_err(advise)?;
        let (file, n_more) = outlet.write(form::as_output(&data), &flags, output)?;
        n_bytes += n_more;
        written.extend(file);
    }
    if flags.stop().is_some() {
        return Err(FileError::new(Code::Interrupted, &common.output, "interrupted").into());
    }
    written.into_iter().try_for_each(|file| file.commit())?;
    // Nobody reads on: there is nothing to boast of.
    if !common.quiet && !output.failed() {
        summary(args, &sizes, n_bytes, start.elapsed().as_secs_f64(), reporter);
    }
    Ok(Exit::Success)
}

/// Where `name` says that something goes, and the form that it has there.
fn outlet(name: &str, subject: &Subject) -> Result<(Outlet, Form), FileError> {
    let find = |format: Format| Form::find(format, subject);
    let outlet = Outlet::new(name, &|format| find(format).map(|_| ()))?;
    let form = find(outlet.format())?;
    Ok((outlet, form))
}

/// Adds what the user can do.
fn advise(error: FileError) -> FileError {
    match error.code {
        Code::DoesNotFit => error.help("`--max-memory` sets the budget"),
        _ => error,
    }
}

/// `g.gr: 1000 vertices, 5000 arcs, 61234 bytes in 0.01 s, seed 1`.
fn summary(
    args: &GenArgs,
    sizes: &[(&'static str, u64)],
    n_bytes: u64,
    seconds: f64,
    reporter: &Reporter,
) {
    let common = args.kind.common();
    let numbers: Vec<String> = sizes.iter().map(|(name, n)| format!("{n} {name}")).collect();
    let line = format!(
        "{}: {}, {n_bytes} bytes in {seconds:.2} s, seed {}",
        text::one_line(&common.output),
        numbers.join(", "),
        common.seed
    );
    let mut object = json!({
        "file": common.output,
        "seed": common.seed,
        "bytes": n_bytes,
        "seconds": seconds,
    });
    for (name, n) in sizes {
        object[*name] = json!(n);
    }
    reporter.outcome(&line, &json!({ "generated": object }));
}
