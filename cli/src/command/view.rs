//! `star view`: draws a file.

use std::path::Path;

use clap::Args;
use star_bind::{Reading, Settings};
use star_io::Data;
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::files::{Console, Disk};
use star_os::flags::Flags;
use star_os::limits::LimitArgs;
use star_os::machines::{DEFAULT, Machine};
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::watchdog::Sentry;

use crate::inline::Inline;
use crate::text;
use crate::view::{Extras, Frame, draw_path, drawing, palette, pixels, places_for, read_path};

/// Arguments of `star view`.
#[derive(Args, Debug)]
#[command(after_help = "\
Tables are drawn as bits, graphs as disks and lines (as bits if they have many
arcs and no coordinates), and number grids as colours with a scale. A terminal
with the protocol of kitty or iTerm2 or with sixels shows the picture, too.

Examples:
  star view closure.mtx
  star view road.gr --places road.co
  star view directed:cities.csv --dark
  star view rooms.map --path route.csv --out route.png
  star view dem.png --out heights.svg
  star view dem.tif nodata=-32768")]
pub(crate) struct ViewArgs {
    /// File with bits, numbers or a graph
    ///
    /// `directed:FILE` reads a list of arcs as a graph, `undirected:FILE` one of edges.
    #[arg(value_name = "FILE")]
    file: String,

    /// Settings for reading files, as in `star run --help`
    ///
    /// All settings are accepted except `widths=`, `codes=`, `h=` and `b=`.
    #[arg(value_name = "SETTING=VALUE")]
    settings: Vec<String>,

    /// Write the result to FILE
    ///
    /// The extension is `.svg` or `.png`. Defaults to the name of the input with `.svg`, in the
    /// current folder, unless that file exists.
    #[arg(long, short, value_name = "FILE")]
    out: Option<String>,

    /// Read the coordinates of the vertices of a graph from FILE
    ///
    /// Defaults to a file next to the graph with the extension `.co`.
    #[arg(long, value_name = "FILE")]
    places: Option<String>,

    /// Draw the path in FILE over a grid or a table
    ///
    /// A list with the fields `x` and `y`: the cells from the start to the goal. x counts columns
    /// and y rows from the top, both from 1.
    #[arg(long, value_name = "FILE")]
    path: Option<String>,

    /// Draw in light colours on a dark sheet
    #[arg(long)]
    dark: bool,

    /// Select how a terminal shows the picture, too
    #[arg(long, value_name = "PROTOCOL", default_value = "auto")]
    inline: Inline,

    #[command(flatten)]
    limits: LimitArgs,
}

/// Draws a file.
///
/// # Errors
/// If it cannot be read, has no picture, or the picture cannot be written.
pub(crate) fn run(
    args: &ViewArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let frame = match &args.out {
        Some(out) => Frame::new(out)?,
        None => Frame::unnamed(&default_name(&args.file), "--out ")?,
    };
    args.inline.warn_if_unused(output, reporter);
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "reading without a message");
    let settings = Settings::of_reading(&args.settings)?;
    let console = Console { flags: &flags, reporter };
    let reading = Reading { files: &Disk, observer: &console, settings: &settings };
    let limits = args.limits.limits(&Machine::find(DEFAULT)?)?;
    let max_bytes = limits.memory.unwrap_or(u64::MAX);
    let _clock = args.limits.max_time.map(|time| Sentry::clock(&flags, time)).transpose()?;
    let stopped = |error| Failure::from(error).with_limit_options();
    let data = star_bind::load::read_data(reading, &args.file, max_bytes).map_err(stopped)?;
    let places = match &data {
        Data::Graph(_) => {
            places_for(reading, &args.file, args.places.as_deref(), max_bytes).map_err(stopped)?
        }
        Data::Table(_) | Data::Slice(_) | Data::Word(_) | Data::Numbers(_) => {
            if args.places.is_some() {
                reporter.warning("`--places` is unused: the file contains no graph");
            }
            None
        }
    };
    let path = args.path.as_deref().map(|name| {
        let cells = read_path(reading, name, max_bytes).map_err(stopped)?;
        Ok::<_, Failure>((name, cells))
    });
    let path = path.transpose()?;
    settings.check_columns()?;
    settings.warn_unused(&console);
    let palette = palette(args.dark);
    let extras = Extras { places: places.as_ref(), marked: None, palette };
    let mut drawing = drawing(&data, extras, &args.file)?;
    if let Some((name, cells)) = &path {
        draw_path(&mut drawing, &data, cells, (name, palette))?;
    }
    frame.write(&drawing, &flags).map_err(stopped)?;
    args.inline.show(output, &|| pixels(&drawing));
    reporter.summary(&format!("{}: {}", text::one_line(&frame.name), drawing.about));
    Ok(Exit::Success)
}

/// Returns the default name of the picture of a file.
fn default_name(file: &str) -> String {
    let file = file.trim_end_matches(".gz");
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    format!("{}.svg", stem.filter(|stem| !stem.is_empty()).unwrap_or("view"))
}
