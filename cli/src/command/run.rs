//! `star run`: binds the parameters of a routine, runs it, and shows its results.

mod auto;
mod checkpoints;
mod json;
mod line;
mod sizes;
mod steps;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use star_base::{Code, Diagnostic};
use star_bind::offer::OFFER_HELP;
use star_bind::settings::SETTINGS_HELP;
use star_compiler::SourceLoader;
use star_os::exit::{EXIT_HELP, Exit};
use star_os::failure::Failure;
use star_os::flags::Flags;
use star_os::limits::LimitArgs;
use star_os::machines::{self, DeviceOptions, GpuMode, Machine};
use star_os::output::Output;
use star_os::passes::PassArgs;
use star_os::report::Reporter;
use star_os::sources::{FileLoader, ImportArgs};
use star_os::watchdog::Sentry;
use star_vm::Stats;

pub(crate) use self::checkpoints::LongRunArgs;
use self::steps::{Context, Running, stopped_at_files};
use crate::explain;
use crate::inline::Inline;
use crate::times::{Part, Times};

/// Arguments of `star run`.
#[derive(Args, Debug)]
#[command(after_long_help = long_help())]
pub(crate) struct RunArgs {
    /// Star program; `-` is standard input, `star:NAME` a library module
    #[arg(value_name = "FILE")]
    pub(super) file: String,

    /// Values for parameters
    ///
    /// `n=5`, `b=true`, `s=text`, `X=0101` or `X='0101'`, `T='010 001'` for the rows of a table;
    /// `G=road.gr` for a table, slice or word from a file. A layout may precede a graph, as in
    /// `Cost=weights-out:road.gr`; the default for a table is `adjacency`. Numbers have the layouts
    /// `records`, `grid` and `field:NAME`, as in `Z=field:speed:cars.csv`. `H=grid:dem.npz#height`
    /// is the array `height` of an archive. `T=` leaves a `var` parameter unset even if `--graph`
    /// offers a value. Booleans default to false.
    #[arg(value_name = "NAME=VALUE")]
    pub(super) arguments: Vec<String>,

    /// Run this routine, if the file has several and no program
    #[arg(long, value_name = "NAME")]
    pub(super) proc: Option<String>,

    /// Write the result to FILE
    ///
    /// The extension selects the format; `gr:-` is standard output, and the lines of the program
    /// then go to standard error. A form may precede the file:
    /// `D=distances:d.csv` contains vertices and distances, `X=vertices:x.csv` the vertices that a
    /// slice marks, `P=codes:p.csv` the vertices whose codes are in the rows; `D=distances,
    /// P=codes:d.csv` has a column for each. `T=rows of R:t.csv` contains the marked records or
    /// arcs, `A=adjacency:a.csv` an arc for each one of a square table; `T=like R:t.csv`,
    /// `records`, `pixels` and `planes` convert a table to numbers. A slice over the arcs of a
    /// graph in a `.gr` file is written as the graph of those arcs.
    #[arg(short, long, value_name = "NAME=FILE")]
    pub(super) out: Vec<String>,

    /// Print results about a graph with the names of its vertices
    ///
    /// Results with a row for each vertex become the columns of one table. `Dist`, `Pred`, `Next`
    /// and `Label` have the meaning that the library gives them; other results are numbers.
    /// `=COLUMNS` names results and their forms, as in `--names="D=distances, P=codes"` or
    /// `--names="T=rows of graph"`; other results are then not printed.
    #[arg(
        long,
        value_name = "COLUMNS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub(super) names: Option<String>,

    /// Draw a result to `NAME.svg`, or to this `.svg` or `.png` file
    ///
    /// A table is drawn as its bits; a slice over the edges or vertices of the graph is drawn on
    /// that graph, with the coordinates in a `.co` file of the same name if there is one. A form
    /// may precede the file, as for `--out`: `H=planes height=8:h.png` is drawn with a scale.
    #[arg(long, value_name = "NAME[=FILE]")]
    pub(super) view: Vec<String>,

    /// Bind the remaining parameters to a graph
    ///
    /// `undirected:FILE` reads arcs as edges, `reverse:FILE` reverses them, `directed:FILE` reads
    /// them as they are; `gr:-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(super) graph: Option<String>,

    /// Trap on overflow of ADD or SUBT
    #[arg(long)]
    pub(super) checked: bool,

    /// Show compiler warnings
    #[arg(short = 'W', long = "warnings")]
    pub(super) warnings: bool,

    /// Select the output format
    ///
    /// `json` is one object with the printed text, the results, the tables of `--names`, messages,
    /// times, and the plan with `--explain`. Values of more than 1048576 bits are omitted; `--out`
    /// writes them.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: RunFormat,

    /// Allow the program to read and import files in a folder
    #[arg(long, value_name = "DIR")]
    pub(super) allow_read: Vec<PathBuf>,

    /// Allow the program to write files in a folder
    #[arg(long, value_name = "DIR")]
    pub(super) allow_write: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) options: RunOptions,

    #[command(flatten)]
    pub(super) long: LongRunArgs,

    /// For an example in a comment, which may read only files in the folder of its file, and in
    /// these.
    #[arg(skip)]
    pub(super) confined: Option<ImportArgs>,

    /// What is printed.
    #[arg(skip)]
    pub(super) prints: Prints,

    /// Whether notes about values are omitted, for users who do not see the program.
    #[arg(skip)]
    pub(super) hides_details: bool,
}

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunFormat {
    /// The lines of the program and the results
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// What a run prints, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prints {
    /// The lines of the program and the results, on standard output.
    #[default]
    All,
    /// The lines of the program.
    Lines,
    /// The lines of the program, on standard error: standard output is for a result.
    Messages,
    /// The lines of the program, and the results as an object for the reporter.
    Values,
}

/// Options of every run.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunOptions {
    /// Read arcs as edges without direction
    ///
    /// This concerns all graphs of the command line; `undirected:FILE` concerns one. An arc and its
    /// opposite with the same weight become one edge. Files without directions are unchanged.
    #[arg(long)]
    undirected: bool,

    /// Read arcs from their heads to their tails
    ///
    /// `reverse:FILE` concerns one graph.
    #[arg(long)]
    reverse: bool,

    /// Select the backend; `auto` chooses one and reports why
    ///
    /// The choice depends on the program and its tables.
    #[arg(long, value_name = "NAME", default_value = machines::DEFAULT)]
    backend: String,

    /// Select the graphics adapter of `gpu` by part of its name
    ///
    /// `star doctor` shows the best one.
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,

    /// Select how `--backend gpu` runs programs
    ///
    /// `lifted` rejects programs of which nothing can run as kernels over the whole device.
    #[arg(
        long,
        value_name = "MODE",
        default_value = GpuMode::Auto.name(),
        value_parser = PossibleValuesParser::new(GpuMode::ALL.map(GpuMode::name))
    )]
    gpu_mode: String,

    /// Select the layout of graph matrices
    ///
    /// By default, matrices are sparse if that is faster or if they do not fit otherwise.
    #[arg(long, value_name = "FORM", value_parser = ["dense", "sparse"])]
    table_form: Option<String>,

    /// Print operations, steps and memory; implies `--no-intrinsics`
    #[arg(long)]
    cost: bool,

    /// Print the times of compiling, loading, running and results
    #[arg(long)]
    time: bool,

    /// Profile lines; `=FILE.html` or `=FILE.json` writes a file
    ///
    /// Times are sampled; operations and executions are counted. Without a file, a table of the
    /// hottest lines is shown at the end. The results of the run are unaffected.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    profile: Option<String>,

    /// Run and report the plan: table layouts, loop transformations, exchanges of ranks
    #[arg(long, visible_alias = "explain-plan")]
    explain: bool,

    /// Run library procedures as written, without intrinsics
    ///
    /// `star doctor` lists the intrinsics. The results are the same.
    #[arg(long, alias = "no-natives")]
    no_intrinsics: bool,

    /// Quote texts in CSV files that a spreadsheet would evaluate as formulas
    ///
    /// A `'` is written before each text and field name that begins with `=`, `+`, `-` or `@`.
    #[arg(long)]
    csv_safe: bool,

    /// Draw pictures in light colours on a dark sheet
    #[arg(long, requires = "view")]
    dark: bool,

    /// Select how a terminal shows the pictures, too
    #[arg(long, value_name = "PROTOCOL", default_value = "auto", requires = "view")]
    inline: Inline,

    #[command(flatten)]
    passes: PassArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

impl RunArgs {
    /// Sets the limits of an example unless its arguments do, and what it may read; `most` is the
    /// remaining time.
    pub(crate) fn bound_example(&mut self, most: Option<Duration>, imports: &ImportArgs) {
        self.options.limits.bound_example(most);
        self.confined = Some(imports.clone());
    }

    /// Tests whether the run may write files, or read them outside the folder of the program.
    pub(crate) fn reaches_elsewhere(&self) -> bool {
        let has_profile_file = self.options.profile.as_ref().is_some_and(|file| !file.is_empty());
        !self.out.is_empty()
            || !self.view.is_empty()
            || self.long.writes()
            || !self.allow_write.is_empty()
            || !self.allow_read.is_empty()
            || has_profile_file
    }
}

fn long_help() -> String {
    format!(
        "Examples:
  star run closure.star --graph road.gr
  star run closure.star n=34 P=karate.mtx --out P=closure.mtx
  star run star:closure --proc WARSHALL --graph road.gr
  star run paths.star --proc DIJKSTRA Cost=weights-out:road.gr h=20 v=1 --cost
  star run closure.star --graph road.gr --profile=closure.html

{OFFER_HELP}

{SETTINGS_HELP}

{EXIT_HELP}"
    )
}

/// Runs the program.
///
/// # Errors
/// Everything that ends it before its first step.
pub(crate) fn run(
    args: &RunArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if args.format == RunFormat::Json {
        return Ok(json::run(args, output));
    }
    let mut loader = FileLoader::granting(&args.allow_read)?;
    run_with(&mut loader, &args.file, args, reporter, output)
}

/// Runs a program found by `loader` as if it were in the file `beside`: paths in the program are
/// relative to that file.
///
/// # Errors
/// Everything that ends it before its first step.
pub(crate) fn run_with(
    loader: &mut dyn SourceLoader,
    beside: &str,
    args: &RunArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut times = Times::start();
    let mode = GpuMode::find(&args.options.gpu_mode).unwrap_or_default();
    let device = DeviceOptions { adapter: args.options.adapter.as_deref(), mode };
    let machine = Machine::find_on(auto::first(&args.options.backend), &device)?;
    if args.options.backend != machines::AUTO {
        machines::warn_if_unused(&device, std::slice::from_ref(&machine), reporter);
    }
    if args.options.profile.is_some() && machine.backend.ranks().is_some() {
        let diagnostic =
            Diagnostic::new(Code::Usage, "`--profile` is not available on several ranks");
        return Err(diagnostic.help("omit `--profile`").into());
    }
    let flags = Flags::default();
    match args.format {
        RunFormat::Text => flags.catch_or_warn(reporter, "the run without a message"),
        RunFormat::Json => flags.catch_for_object(reporter, "the run without its object"),
    }
    output.stop_at(&flags);
    args.options.inline.warn_if_unused(output, reporter);
    let limits = args.options.limits.limits(&machine)?;
    let context = Context { args, limits, flags: &flags, reporter };
    let mut checkpoints = args.long.open(args, &flags, reporter)?;
    let Some((prepared, binding, wanted)) = context.prepare(loader, beside, &machine)? else {
        return Ok(Exit::Compile);
    };
    let _clock =
        args.options.limits.max_time.map(|time| Sentry::clock(&flags, time)).transpose()?;
    times.end(Part::Compiling);
    let (inputs, arguments) = context.load(&prepared, binding, &wanted)?;
    if let Some(checkpoints) = &mut checkpoints {
        arguments.note_in(checkpoints, &prepared);
    }
    let loaded = context.plan(&prepared, (&machine, &device), arguments)?;
    let plan = context.explain(&prepared, &loaded)?;
    let mut session = prepared.target.as_ref().map(|_| prepared.start_profile()).transpose()?;
    let prints = wanted.prints;
    let mut run = Running { context, prepared: &prepared, inputs: &inputs, output, prints };
    let (loaded, ended) = run.run(loaded, session.as_mut(), checkpoints, &mut times);
    if let Some(refused) = ended.refused {
        loaded.abandon();
        return Err(refused.into());
    }
    let mut stats = ended.stats;
    let counters = &mut stats.counters;
    let stored = (&mut counters.parts_stored, &mut counters.own_bytes_stored);
    let exit = run.finish(loaded, ended.outcome, ended.advice, wanted, stored);
    output.flush();
    times.end(Part::Results);
    if args.options.explain {
        let counters = &stats.counters;
        let by_parts = explain::by_parts(counters);
        let lines = [by_parts, explain::on_device(counters), explain::between_ranks(counters)];
        lines.into_iter().flatten().for_each(|line| reporter.summary(&line));
    }
    if args.options.time || args.format == RunFormat::Json {
        times.tell(reporter);
    }
    if args.options.cost {
        // Exclude the call of a function from its wrapper.
        let steps = stats.steps.saturating_sub(u64::from(prepared.point.is_function()));
        reporter.cost(&Stats { steps, ..stats }, inputs.peak_bytes);
    }
    if let (Some(target), Some(session)) = (&prepared.target, session) {
        let report = prepared.profile(&session, &args.file, machine.name, plan);
        if let Err(error) = target.put(&report, &flags, reporter) {
            let failed = stopped_at_files(vec![error]).report(reporter);
            return Ok(if exit == Exit::Success { failed } else { exit });
        }
    }
    Ok(exit)
}
