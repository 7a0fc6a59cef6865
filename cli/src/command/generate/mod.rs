//! `star gen`: generates random graphs, tables, heights, images and update streams, and writes them
//! to files.

mod args;
mod moving;

use std::time::Instant;

use clap::Args;
use serde_json::json;
use star_base::Code;
use star_bind::form::{Form, Subject};
use star_bind::generated::advise;
use star_bind::{Observer, Reading, Settings, load};
use star_io::generate::GenerateOptions;
use star_io::generate::spec::{Made, Specification};
use star_io::{FileError, Format};
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::files::{Console, Disk};
use star_os::flags::Flags;
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::size_args::available_memory;

use self::args::{KindArgs, Kinds};
use crate::output_target::Outlet;
use crate::results::note_not_kept;
use crate::text;

/// Arguments of `star gen`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  star gen gnp -n 1000 -p 0.01 -o sparse.gr
  star gen gnm -n 1000 -m 5000 --undirected --max-weight 100 -o edges.mtx
  star gen dag -n 1000 -m 5000 --shuffle -o tasks.mtx
  star gen rmat --scale 16 --edge-factor 8 -o web.gr
  star gen road --rows 100 --columns 200 --connected -o road.gr
  star gen table --rows 10000 --widths 16,16,1 -o records.stb
  star gen terrain --size 8 --bits 12 -o heights.stb
  star gen blocks --rows 200 --columns 200 --impassable 0.4 -o blocks.npz
  star gen country --rows 200 --columns 200 --impassable 0.4 -o country.npy
  star gen curve --rows 200 --columns 300 -o image.stb --mask curve.stb
  star gen updates --graph road.gr --undirected -k 1000 -o road.updates
  star gen moving -n 100000 --updates 1000000 -o u.csv --queries q.csv")]
#[command(after_long_help = LONG_HELP)]
pub(crate) struct GenArgs {
    #[command(subcommand)]
    kind: Kinds,
}

const LONG_HELP: &str = "\
The extension of the file selects the format. Every graph format accepts graphs;
`.stb` stores a graph as its adjacency table, and numbers as a table with a row
for each record or cell. `.csv` stores a table with a number for each field. An
extension followed by `:-`, as in `gr:-`, selects standard output.

The same options and seed produce the same file on every machine and in every
version: the random numbers are those of ChaCha8.

Examples:
  star gen gnm -n 1000 -m 5000 --undirected --max-weight 100 -o edges.mtx
  star gen rmat --scale 16 --edge-factor 8 -o web.gr
  star gen road --rows 100 --columns 200 --connected -o road.gr
  star gen table --rows 10000 --widths 16,16,1 -o records.stb
  star run closure.star --graph sparse.gr
";

/// Generates the data and writes them.
///
/// # Errors
/// If a parameter is invalid, the data do not fit or cannot be written, or on Ctrl-C.
pub(crate) fn run(
    args: &GenArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let args = match &args.kind {
        Kinds::Moving(args) => return moving::run(args, reporter),
        Kinds::Data(args) => args,
    };
    let start = Instant::now();
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the run without a message");
    output.stop_at(&flags);
    let console = Console { flags: &flags, reporter };
    let KindArgs { spec, output: file, quiet } = args;
    let Specification { generator, seed, max_bytes, mask } = spec;
    let (outlet, form) = outlet(file, &Subject::of(generator))?;
    let mask = match mask {
        None => None,
        Some(name) => {
            let mask = self::outlet(name, &Subject::mask())?;
            if mask.0.is_stdout() && outlet.is_stdout() {
                let message = "image and mask must not share standard output";
                return Err(star_base::Diagnostic::new(Code::CannotWrite, message).into());
            }
            Some(mask)
        }
    };
    let max_bytes = max_bytes.unwrap_or_else(|| available_memory() / 4 * 3);
    let mut goes_on = |_| console.stop().is_none();
    let mut options = GenerateOptions::new(*seed, max_bytes);
    options.progress = Some(&mut goes_on);
    let graph = match generator.start() {
        None => None,
        Some(file) => {
            let settings = Settings::default();
            let reading = Reading { files: &Disk, observer: &console, settings: &settings };
            Some(load::read_graph(reading, file, max_bytes).map_err(advise)?)
        }
    };
    let made = generator.make(graph.as_ref(), &mut options);
    let Made { data, mask: true_curve, sizes } = made.map_err(advise)?;

    let mut n_bytes = 0;
    let mut written = Vec::new();
    let mut files = vec![(outlet, form, data)];
    files.extend(mask.zip(true_curve).map(|((outlet, form), data)| (outlet, form, data)));
    for (outlet, form, data) in files {
        let data = form.shape(data, outlet.name(), max_bytes, &console).map_err(advise)?;
        note_not_kept(&outlet, data.as_output(), reporter);
        let (file, n_more) = outlet.write(data.as_output(), &flags, output)?;
        n_bytes += n_more;
        written.extend(file);
    }
    if flags.stop().is_some() {
        return Err(FileError::new(Code::Interrupted, file, "interrupted").into());
    }
    written.into_iter().try_for_each(|file| file.commit())?;
    // No summary if the reader closed the output.
    if !quiet && !output.failed() {
        summary(args, &sizes, n_bytes, start.elapsed().as_secs_f64(), reporter);
    }
    Ok(Exit::Success)
}

/// Returns the destination named `name`, and the form of the data there.
fn outlet(name: &str, subject: &Subject) -> Result<(Outlet, Form), FileError> {
    let find = |format: Format| Form::find(format, subject);
    let outlet = Outlet::new(name, &|format| find(format).map(|_| ()))?;
    let form = find(outlet.format())?;
    Ok((outlet, form))
}

/// Formats `g.gr: 1000 vertices, 5000 arcs, 61234 bytes in 0.01 s, seed 1`.
fn summary(
    args: &KindArgs,
    sizes: &[(&'static str, u64)],
    n_bytes: u64,
    seconds: f64,
    reporter: &Reporter,
) {
    let KindArgs { spec: Specification { seed, .. }, output, quiet: _ } = args;
    let numbers: Vec<String> = sizes.iter().map(|(name, n)| format!("{n} {name}")).collect();
    let line = format!(
        "{}: {}, {n_bytes} bytes in {seconds:.2} s, seed {}",
        text::one_line(output),
        numbers.join(", "),
        seed
    );
    let mut object = json!({
        "file": output,
        "seed": seed,
        "bytes": n_bytes,
        "seconds": seconds,
    });
    for (name, n) in sizes {
        object[*name] = json!(n);
    }
    reporter.outcome(&line, &json!({ "generated": object }));
}
