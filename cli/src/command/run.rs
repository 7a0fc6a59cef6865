//! `star run`: binds the parameters of a routine, runs it, and shows its results.

mod auto;
mod line;
mod sizes;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use star_base::{Code, Diagnostic};
use star_bind::encoding::Formulas;
use star_bind::offer::OFFER_HELP;
use star_bind::settings::SETTINGS_HELP;
use star_bind::{Files, LoadedArguments, Observer, Reading, load};
use star_compiler::{Compilation, Entry, LowerOptions, Lowered, SourceLoader};
use star_io::{Direction, FileError, Graph, LEAST_DENSE_BYTES};
use star_ir::RoutineId;
use star_opt::Remark;
use star_os::access::Access;
use star_os::engine::{self, Argument, DeviceOptions, Engine, GpuMode};
use star_os::entry;
use star_os::exit::{EXIT_HELP, Exit};
use star_os::failure::{Failure, internal, no_thread, refused_by_backend};
use star_os::files::{Beside, Console, Disk};
use star_os::flags::Flags;
use star_os::host::{Advice, Printer, RunHost};
use star_os::limits::LimitArgs;
use star_os::output::Output;
use star_os::passes::{self, PassArgs};
use star_os::progress::RunProgress;
use star_os::report::Reporter;
use star_os::sources::{FileLoader, ImportArgs};
use star_os::watchdog::{Scope, Sentry};
use star_vm::{BackendError, CompileOptions, Control, HostValue, Outcome, Stats};

use self::sizes::{SizeAdvice, Sizes};
use super::outcome_message::describe;
use super::{Lints, compile};
use crate::explain;
use crate::function_entry;
use crate::profile::{self, Session};
use crate::results::{self, Origins};
use crate::text;
use crate::times::{Part, Times};
use crate::view;

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
    /// The extension selects the format; `gr:-` is standard output. A form may precede the file:
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
    /// `undirected:FILE` reads arcs as edges, `reverse:FILE` reverses them; `gr:-` is standard
    /// input.
    #[arg(long, value_name = "FILE")]
    pub(super) graph: Option<String>,

    /// Trap on overflow of ADD or SUBT
    #[arg(long)]
    pub(super) checked: bool,

    /// Show compiler warnings
    #[arg(short = 'W', long = "warnings")]
    pub(super) warnings: bool,

    /// Allow the program to read and import files in a folder
    #[arg(long, value_name = "DIR")]
    pub(super) allow_read: Vec<PathBuf>,

    /// Allow the program to write files in a folder
    #[arg(long, value_name = "DIR")]
    pub(super) allow_write: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) options: RunOptions,

    /// For an example in a comment, which may name only files beside it and in these folders.
    #[arg(skip)]
    pub(super) confined: Option<ImportArgs>,

    /// What is printed.
    #[arg(skip)]
    pub(super) prints: Prints,

    /// Whether notes about values are omitted, for users who do not see the program.
    #[arg(skip)]
    pub(super) hides_details: bool,
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
}

/// Prints lines after the line of progress is removed.
struct EndsProgress<'a> {
    printer: &'a mut dyn Printer,
    progress: RunProgress,
}

impl Printer for EndsProgress<'_> {
    fn print(&mut self, line: &str) -> bool {
        self.progress.end();
        self.printer.print(line)
    }
}

/// An observer that omits details.
struct WithoutDetails<'a>(Console<'a>);

impl Observer for WithoutDetails<'_> {
    fn stop(&self) -> Option<Code> {
        self.0.stop()
    }

    fn note(&self, message: &str) {
        self.0.note(message);
    }

    fn detail(&self, _: &str) {}

    fn warning(&self, message: &str) {
        self.0.warning(message);
    }
}

/// Prints lines on standard error.
struct Messages<'a>(&'a Reporter);

impl Printer for Messages<'_> {
    fn print(&mut self, line: &str) -> bool {
        self.0.summary(line.trim_end());
        true
    }
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
    #[arg(long, value_name = "NAME", default_value = engine::DEFAULT)]
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

    /// Run and report the plan: table layouts and loop transformations
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
    let engine = Engine::find_on(auto::first(&args.options.backend), &device)?;
    if args.options.backend != engine::AUTO {
        engine::warn_if_unused(&device, std::slice::from_ref(&engine), reporter);
    }
    let mut enabled = args.options.passes.options()?;
    if args.options.profile.is_some() {
        // Time is attributed to the running routine, and calls are counted.
        enabled.disabled.push("inline".to_owned());
    }
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the run without a message");
    output.stop_at(&flags);
    let limits = args.options.limits.limits(&engine)?;
    let max_bytes = limits.memory.unwrap_or(u64::MAX);
    let sentry =
        Sentry::over_compiler(&flags, args.options.limits.bounds(Scope::Command), reporter);
    let lints = if args.warnings { Lints::Shown } else { Lints::Hidden };
    let (compilation, _) = compile(loader, &args.file, lints, reporter);
    if compilation.has_errors() {
        return Ok(Exit::Compile);
    }
    let entries = compilation.entries();
    let entry = entry::choose(&entries, args.proc.as_deref(), &args.file)?;
    let signature = entry::signature(entry)?;
    let (mut binding, mut wanted) = line::read(args, &signature)?;
    let target = args.options.profile.as_deref().map(profile::Target::new).transpose()?;
    let grants = match &args.confined {
        Some(imports) => imports.grants(),
        None => line::grants(args, &binding),
    };
    let access = Access::new(beside, grants)?;
    let confined = Beside(&access);
    let files: &dyn Files = if args.confined.is_some() { &confined } else { &Disk };

    let formulas = if args.options.csv_safe { Formulas::Quoted } else { Formulas::Kept };
    binding.settings.formulas = formulas;
    let (undirected, reverse) = (args.options.undirected, args.options.reverse);
    binding.settings.direction = Direction { undirected, reverse };
    wanted.outs = wanted.outs.into_iter().map(|out| out.with(formulas)).collect();
    let settings = binding.settings.clone();
    let console = Console { flags: &flags, reporter };
    let without_details = WithoutDetails(console);
    let observer: &dyn Observer = if args.hides_details { &without_details } else { &console };
    let reading = Reading { files, observer, settings: &settings };
    binding.kept = results::parameters(&wanted.outs);
    binding.kept.extend(view::parameters(&wanted.views));
    binding.kept.extend(wanted.names.iter().flat_map(results::Names::parameters));
    binding.keeps_graph = true;
    let options = CompileOptions { profile: target.is_some(), ..options(args) };
    let enabled = options.optimise.then_some(&enabled);
    let ready = lower(&compilation, entry, args, enabled)?;
    let compiled = engine.machine(options).compile(ready.lowered.program.clone());
    let compiled =
        compiled.map_err(|error| refused_by_backend("the program cannot run", &error))?;
    // Load files in the layout that suits the program.
    let forms = compiled.home_forms(ready.entry);
    binding.forms =
        forms.map_err(|error| refused_by_backend("the program cannot be planned", &error))?;
    binding.sparse = line::sparse_wishes(args, &compiled, ready.entry)?;
    drop(sentry);
    let _clock =
        args.options.limits.max_time.map(|time| Sentry::clock(&flags, time)).transpose()?;
    times.end(Part::Compiling);
    let mut sizes = Sizes::of_origins(&signature, &binding, args.graph.as_deref());
    let loaded = load(&signature, binding, args.graph.as_deref(), reading, max_bytes);
    let loaded = loaded.map_err(|error| match settings.check_columns() {
        // The misspelled name may be the cause.
        Err(unknown) => stopped_at_file(error.note(unknown.message)),
        Ok(()) => stopped_at_file(error),
    });
    let LoadedArguments { mut arguments, rows, lists, graph, coding, peak_bytes: loading_bytes } =
        loaded?;
    // A program may read the file of a column in the settings.
    if !star_ir::reads_files(&ready.lowered.program) {
        settings.check_columns()?;
    }
    let is_sparse = |argument: &Argument| argument.sparse.is_some();
    if args.options.table_form.as_deref() == Some("sparse") && !arguments.iter().any(is_sparse) {
        reporter.warning("`--table-form` is unused: no parameter is read as a sparse table");
    }
    sizes.take(&signature, &arguments);
    // Limit the memory for a graph that is only shown.
    let needs_graph = wanted.need_graph() || star_ir::prints_names(&ready.lowered.program);
    let prints_integers = star_ir::prints_integers(&ready.lowered.program);
    let graph = graph.filter(|(_, graph)| needs_graph || graph.arcs.len() <= MAX_KEPT_ARCS);
    let places = match &graph {
        Some((file, _)) if !wanted.views.is_empty() => {
            view::places_for(reading, file, None, max_bytes).map_err(stopped_at_file)?
        }
        Some(_) | None => None,
    };
    let origins = Origins { rows, lists, graph, coding, places };
    if ready.is_function {
        arguments.push(Argument::new(HostValue::Unset, false));
    }
    let compiled = match args.options.backend == engine::AUTO {
        true => auto::settle((compiled, &engine), &device, options, &ready, &arguments, reporter)?,
        false => compiled,
    };
    let ready_to_run =
        compiled.load_laid_out(ready.entry, arguments, limits.memory, &flags.interrupt);
    let mut ready_to_run =
        ready_to_run.map_err(|error| refused_by_backend("no memory for the arguments", &error))?;
    let mut plan = explain::Plan::new();
    if args.options.explain || target.is_some() {
        let explanation = ready_to_run.explain();
        let explanation = explanation
            .map_err(|error| refused_by_backend("the plan cannot be explained", &error))?;
        let (program, sources) = (&ready.lowered.program, &compilation.sources);
        if target.is_some() {
            plan = explain::by_lines(&explanation, &ready.remarks, program, sources);
        }
        if args.options.explain {
            let lines = explain::lines(&explanation, &ready.remarks, program, sources);
            lines.iter().for_each(|line| reporter.summary(line));
        }
    }
    let mut session = match target {
        None => None,
        Some(_) => Some(ready.profile(&compilation)?),
    };
    let mut messages = Messages(reporter);
    let printer: &mut dyn Printer = match args.prints {
        Prints::All | Prints::Lines => &mut *output,
        Prints::Messages => &mut messages,
    };
    let mut printer = EndsProgress { printer, progress: RunProgress::start(&args.file) };
    let mut host = RunHost::new(&mut printer, &access, console, &settings);
    host.graph = origins.graph.as_ref().map(|(_, graph)| &**graph);
    let mut control = Control {
        interrupt: &flags.interrupt,
        deadline: &flags.deadline,
        limits,
        host: &mut host,
        profile: session.as_mut().map(|session| &mut session.profile),
        stats: Stats::default(),
    };
    times.end(Part::Loading);
    let outcome = ready_to_run.run(&mut control);
    times.end(Part::Running);
    let stats = control.stats;
    let advice = std::mem::take(&mut host.advice);
    printer.progress.end();
    if matches!(outcome, Outcome::Done) {
        settings.warn_unused(&console);
    }
    if let Some(scale) = origins.scale(&settings)
        && prints_integers
    {
        reporter.note(&format!(
            "printed weights and numbers of files are multiplied by `scale={scale}`"
        ));
    }
    let print_failed = output.failed();
    output.flush();
    let exit = match outcome {
        Outcome::Done => {
            let names = star_bind::results::names(&signature, ready.is_function);
            let as_they_lie = |idx, dense_bytes| {
                let is_large = dense_bytes >= LEAST_DENSE_BYTES
                    || args.options.table_form.as_deref() == Some("sparse");
                let is_named = wanted.names.as_ref().is_some_and(|names| names.shows(idx));
                let is_shown = is_named || view::shows(&wanted.views, idx);
                is_large && results::are_bits(&wanted.outs, idx) && !is_shown
            };
            let results = ready_to_run.into_results_as_they_lie(&as_they_lie, &flags.interrupt);
            finish(&names, wanted, results, &origins, &flags, reporter, output)
        }
        // `print` failed because the output is closed or the disk is full: reported at the end.
        Outcome::Trap(_) if print_failed => Exit::Success,
        stop @ (Outcome::Trap(_)
        | Outcome::Limit { .. }
        | Outcome::Unsupported { .. }
        | Outcome::DeviceLost { .. }
        | Outcome::Internal(_)) => {
            // The values are not used again, and the process is about to end.
            ready_to_run.abandon();
            let stop = function_entry::unwrapped(stop, ready.is_function);
            let is_trap = matches!(stop, Outcome::Trap(_));
            let SizeAdvice { notes, help, replaces_help } =
                sizes.advice(&stop, &ready.lowered.program);
            let vertices = origins.graph.as_ref().and_then(|(_, graph)| vertices_of(&stop, graph));
            let mut diagnostic = describe(stop, &ready.lowered.program);
            diagnostic.notes.extend(vertices);
            if replaces_help {
                diagnostic.help.clear();
            }
            diagnostic.notes.extend(notes);
            diagnostic.help.extend(help);
            if is_trap && Exit::of(diagnostic.code) != Exit::Interrupted {
                let Advice { notes, help } = advice;
                diagnostic.notes.extend(notes);
                diagnostic.help.extend(help);
            }
            reporter.diagnostic(&compilation.sources, &diagnostic);
            Exit::of(diagnostic.code)
        }
    };
    output.flush();
    times.end(Part::Results);
    if let Some(line) = explain::on_device(&stats.counters).filter(|_| args.options.explain) {
        reporter.summary(&line);
    }
    if args.options.time {
        times.tell(reporter);
    }
    if args.options.cost {
        // Exclude the call of a function from its wrapper.
        let steps = stats.steps.saturating_sub(u64::from(ready.is_function));
        reporter.cost(&Stats { steps, ..stats }, loading_bytes);
    }
    if let (Some(target), Some(session)) = (target, session) {
        let wrapper = ready.is_function.then_some(ready.entry);
        let (program, sources) = (&ready.lowered.program, &compilation.sources);
        let report = session.report(program, wrapper, sources, &args.file, engine.caps.name, plan);
        if let Err(error) = target.put(&report, &flags, reporter) {
            let failed = stopped_at_files(vec![error]).report(reporter);
            return Ok(if exit == Exit::Success { failed } else { exit });
        }
    }
    Ok(exit)
}

/// Returns the compile options: counting operations or calls disables intrinsics.
fn options(args: &RunArgs) -> CompileOptions {
    let options = match args.options.cost {
        true => CompileOptions::AS_LOWERED,
        false => args.options.limits.options(),
    };
    CompileOptions { intrinsics: options.intrinsics && !args.options.no_intrinsics, ..options }
}

/// Returns a note with the names of the vertices in the values of a trap: of integer variables that
/// may be rows of the graph.
fn vertices_of(stop: &Outcome, graph: &Graph) -> Option<String> {
    let Outcome::Trap(trap) = stop else { return None };
    graph.names.as_ref()?;
    let named = trap.values.iter().filter_map(|(name, value)| {
        let is_size = ["n", "m", "h", "b", "k"].contains(&name.as_str());
        let row: usize = value.parse().ok().filter(|_| !is_size && !value.starts_with('0'))?;
        let vertex = row.checked_sub(1).filter(|&vertex| vertex < graph.n_vertices)?;
        Some(format!("{name} = vertex {row} ({})", text::one_line(&graph.name(vertex).to_string())))
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("as vertices of the graph: {}", named.join(", ")))
}

/// Maximum number of arcs of a graph kept only to show what a slice marks.
const MAX_KEPT_ARCS: usize = 100_000;

/// A program ready to run.
struct Ready {
    lowered: Lowered,
    /// The reports of passes on its loops.
    remarks: Vec<Remark>,
    entry: RoutineId,
    /// Whether the entry is a function in a wrapper.
    is_function: bool,
}

impl Ready {
    /// Starts a profile of the run.
    fn profile(&self, compilation: &Compilation) -> Result<Session, Diagnostic> {
        let session = Session::start(&self.lowered, &compilation.sources);
        session.map_err(|error| no_thread("--profile", &error))
    }
}

/// Lowers the program and applies the passes in `enabled`, if any.
fn lower(
    compilation: &Compilation,
    entry: &Entry,
    args: &RunArgs,
    enabled: Option<&star_opt::Options>,
) -> Result<Ready, Diagnostic> {
    let options = LowerOptions {
        checked: args.checked,
        cost_places: args.options.profile.is_some(),
        ..LowerOptions::default()
    };
    let mut lowered = star_compiler::lower(compilation, &options).map_err(|error| *error)?;
    let remarks = match enabled {
        Some(enabled) => passes::optimise(&mut lowered.program, enabled)?.remarks,
        None => Vec::new(),
    };
    let found = lowered.routine(entry.id);
    let found = found.ok_or_else(|| internal("the routine to run was not lowered"))?;
    let wrapper = function_entry::with_result(&mut lowered.program, found);
    let is_function = wrapper.is_some();
    Ok(Ready { lowered, remarks, entry: wrapper.unwrap_or(found), is_function })
}

/// Writes and prints the results.
fn finish(
    names: &[Option<&str>],
    line::Outputs { outs, views, names: named, prints }: line::Outputs,
    results: Result<Vec<results::Taken>, BackendError>,
    origins: &Origins,
    flags: &Flags,
    reporter: &Reporter,
    output: &mut Output,
) -> Exit {
    let results = match results {
        Ok(results) => results,
        Err(error) => {
            let mut diagnostic = refused_by_backend("no memory for the results", &error);
            if error == BackendError::Interrupted {
                diagnostic.message += " while taking the results";
            }
            return Failure::from(diagnostic).report(reporter);
        }
    };
    // Do not mix a summary with data on standard output.
    let is_silent = results::use_stdout(&outs) || prints != Prints::All;
    let mut saved = results::save(outs, &results, origins, flags, reporter, output);
    if flags.stop().is_some()
        && let Err(errors) = saved
    {
        // After an interrupt, do not count the ones of a long table.
        let exit = stopped_at_files(errors).report(reporter);
        // The process is about to end, which also frees the memory.
        std::mem::forget(results);
        return exit;
    }
    if !is_silent {
        let printed = match named {
            Some(named) if origins.graph.is_some() => {
                results::print_with_names(output, &named, names, &results, origins)
            }
            named => {
                if named.is_some() {
                    reporter.warning("`--names` is unused: no graph is read");
                }
                results::print(output, names, &results, origins);
                Ok(())
            }
        };
        if let Err(fault) = printed {
            saved = Err(saved.err().into_iter().flatten().chain([fault]).collect());
        }
    }
    output.flush();
    for view in &views {
        if let Some(code) = flags.stop() {
            let message = "stopped before the picture was drawn";
            let fault = FileError::new(code, view.frame().name.as_str(), message);
            saved = Err(saved.err().into_iter().flatten().chain([fault]).collect());
            break;
        }
        if let Err(fault) = view.draw(&results, origins, flags, reporter) {
            saved = Err(saved.err().into_iter().flatten().chain([fault]).collect());
        }
    }
    match saved {
        Ok(()) => Exit::Success,
        Err(errors) => stopped_at_files(errors).report(reporter),
    }
}

/// Returns the diagnostics for incompletely written files.
fn stopped_at_files(errors: Vec<FileError>) -> Failure {
    let diagnostics: Vec<Diagnostic> = errors.iter().map(FileError::to_diagnostic).collect();
    Failure::from(diagnostics).with_limit_options()
}

/// Returns the diagnostic for an incompletely read file.
fn stopped_at_file(error: FileError) -> Failure {
    Failure::from(error).with_limit_options()
}
