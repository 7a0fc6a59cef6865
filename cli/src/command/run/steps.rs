//! The steps of a run: compiling, loading, planning, running, and its end.

use std::collections::BTreeMap;

use star::pipeline::{
    Argument, Build, Compiled, EntryPoint, LoadedRoutine, PlaceError, RoutineResult, describe,
    refused_by_backend, unwrapped,
};
use star_base::{Code, Diagnostic};
use star_bind::encoding::Formulas;
use star_bind::{
    Binding, Files, Leave, LeftTable, LoadedArguments, Observer, Reading, Settings, Signature, load,
};
use star_compiler::{Compilation, Entry, LowerOptions, SourceLoader};
use star_io::{Direction, FileError, Format, Graph, LEAST_DENSE_BYTES};
use star_os::access::Access;
use star_os::checkpoint::{self, CheckpointFolder};
use star_os::entry;
use star_os::exit::Exit;
use star_os::failure::{Failure, no_thread};
use star_os::files::{Beside, Console, Disk};
use star_os::flags::Flags;
use star_os::host::{Advice, Printer, RunHost};
use star_os::machines::{self, DeviceOptions, Machine};
use star_os::output::Output;
use star_os::progress::RunProgress;
use star_os::report::Reporter;
use star_os::watchdog::{Scope, Sentry};
use star_value::Value;
use star_vm::columns::PART_BYTES;
use star_vm::{BackendError, CompileOptions, Control, Limits, Outcome, Stats, Wanted};

use super::line::{self, Outputs};
use super::sizes::{SizeAdvice, Sizes};
use super::{Prints, RunArgs, auto, json};
use crate::command::{Lints, compile};
use crate::explain;
use crate::placed_results::PlacedResults;
use crate::profile::{self, Session};
use crate::results::{self, Origins};
use crate::text;
use crate::times::{Part, Times};
use crate::view;

/// Maximum number of arcs of a graph kept only to show what a slice marks.
const MAX_KEPT_ARCS: usize = 100_000;

/// What all steps of a run share.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) args: &'a RunArgs,
    pub(super) limits: Limits,
    pub(super) flags: &'a Flags,
    pub(super) reporter: &'a Reporter,
}

/// A compiled program, and the settings of its command line.
pub(super) struct Prepared {
    compilation: Compilation,
    signature: Signature,
    pub(super) target: Option<profile::Target>,
    access: Access,
    settings: Settings,
    options: CompileOptions,
    build: Build,
    pub(super) point: EntryPoint,
    compiled: Compiled,
}

/// The origins of the arguments of a run.
pub(super) struct Inputs {
    origins: Origins,
    sizes: Sizes,
    /// The peak memory use of reading and layout.
    pub(super) peak_bytes: u64,
}

/// The arguments of a run.
pub(super) struct Arguments {
    values: Vec<Argument>,
    /// Those that are still in their files, by the indices of their unset values.
    tables: BTreeMap<usize, LeftTable>,
}

/// A run, and where its output goes.
pub(super) struct Running<'a> {
    pub(super) context: Context<'a>,
    pub(super) prepared: &'a Prepared,
    pub(super) inputs: &'a Inputs,
    pub(super) output: &'a mut Output,
    pub(super) prints: Prints,
}

/// The end of a run.
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    pub(super) stats: Stats,
    pub(super) advice: Advice,
    /// The reason for which the run was not continued.
    pub(super) refused: Option<Diagnostic>,
}

impl<'a> Context<'a> {
    /// Compiles the program and resolves the command line; `None` if the program has errors, which
    /// are reported.
    ///
    /// # Errors
    /// If the command line does not fit the program, or the backend refuses it.
    pub(super) fn prepare(
        &self,
        loader: &mut dyn SourceLoader,
        beside: &str,
        machine: &Machine,
    ) -> Result<Option<(Prepared, Binding, Outputs)>, Failure> {
        let Context { args, flags, reporter, .. } = *self;
        let mut enabled = args.options.passes.options()?;
        if args.options.profile.is_some() {
            // Time is attributed to the running routine, and calls are counted.
            enabled.disabled.push("inline".to_owned());
        }
        let _sentry =
            Sentry::over_compiler(flags, args.options.limits.bounds(Scope::Command), reporter);
        let lints = if args.warnings { Lints::Shown } else { Lints::Hidden };
        let (compilation, _) = compile(loader, &args.file, lints, reporter);
        if compilation.has_errors() {
            return Ok(None);
        }
        let entries = compilation.entries();
        let entry = entry::choose(&entries, args.proc.as_deref(), &args.file)?;
        let signature = entry::signature(entry)?;
        let (mut binding, wanted) = line::read(args, &signature)?;
        let target = args.options.profile.as_deref().map(profile::Target::new).transpose()?;
        let grants = match &args.confined {
            Some(imports) => imports.grants(),
            None => line::grants(args, &binding),
        };
        let access = Access::new(beside, grants)?;

        let formulas = if args.options.csv_safe { Formulas::Quoted } else { Formulas::Kept };
        binding.settings.style.formulas = formulas;
        let (undirected, reverse) = (args.options.undirected, args.options.reverse);
        binding.settings.direction = Direction { undirected, reverse };
        let settings = binding.settings.clone();
        binding.kept = results::parameters(&wanted.outs);
        binding.kept.extend(view::parameters(&wanted.views));
        binding.kept.extend(wanted.names.iter().flat_map(results::Names::parameters));
        let options = CompileOptions { profile: target.is_some(), ..options(args) };
        let enabled = options.optimise.then_some(&enabled);
        let (build, point) = build(&compilation, entry, args, enabled)?;
        let compiled = machine.with(options).compile(build.lowered.program.clone());
        let compiled =
            compiled.map_err(|error| refused_by_backend("the program cannot run", &error))?;
        // Limit the memory for a graph that is only shown.
        let needs_graph = wanted.need_graph() || star_ir::prints_names(&build.lowered.program);
        binding.keeps_arcs = Some(if needs_graph { usize::MAX } else { MAX_KEPT_ARCS });
        // Load files in the layout that suits the program.
        binding.wishes = line::table_wishes(args, &compiled, point.routine)?;
        // Tables that the backend copies stay in their files until then.
        binding.leave = match args.options.backend == machines::AUTO {
            true => Some(Leave::above(PART_BYTES)),
            false => compiled.leaves(),
        };
        let prepared = Prepared {
            compilation,
            signature,
            target,
            access,
            settings,
            options,
            build,
            point,
            compiled,
        };
        Ok(Some((prepared, binding, wanted)))
    }

    /// Reads the arguments.
    ///
    /// # Errors
    /// The first file that cannot be read or has unsuitable contents.
    pub(super) fn load(
        &self,
        prepared: &Prepared,
        binding: Binding,
        wanted: &Outputs,
    ) -> Result<(Inputs, Arguments), Failure> {
        let Context { args, limits, flags, reporter } = *self;
        let Prepared { signature, access, settings, build, point, .. } = prepared;
        let confined = Beside(access);
        let files: &dyn Files = if args.confined.is_some() { &confined } else { &Disk };
        let (program, graph) = (&build.lowered.program, args.graph.as_deref());
        let max_bytes = limits.memory.unwrap_or(u64::MAX);
        let console = Console { flags, reporter };
        let without_details = WithoutDetails(console);
        let observer: &dyn Observer = if args.hides_details { &without_details } else { &console };
        let reading = Reading { files, observer, settings };
        let mut sizes = Sizes::of_origins(signature, &binding, graph);
        let loaded = load(signature, binding, graph, reading, max_bytes);
        let loaded = loaded.map_err(|error| match settings.check_columns() {
            // The misspelled name may be the cause.
            Err(unknown) => stopped_at_file(error.note(unknown.message)),
            Ok(()) => stopped_at_file(error),
        });
        let loaded = loaded?;
        let LoadedArguments {
            mut arguments,
            tables,
            whole,
            rows,
            lists,
            graph,
            coding,
            peak_bytes,
        } = loaded;
        if args.options.explain {
            whole.iter().for_each(|note| reporter.summary(note));
        }
        // A program may read the file of a column in the settings.
        if !star_ir::reads_files(program) {
            settings.check_columns()?;
        }
        let is_sparse = |argument: &Argument| match &argument.value {
            Value::Table(table) => table.is_sparse(),
            _ => false,
        };
        if args.options.table_form.as_deref() == Some("sparse") && !arguments.iter().any(is_sparse)
        {
            reporter.warning("`--table-form` is unused: no parameter is read as a sparse table");
        }
        sizes.take(signature, &arguments, &tables);
        let places = match &graph {
            Some((file, _)) if !wanted.views.is_empty() => {
                view::places_for(reading, file, None, max_bytes).map_err(stopped_at_file)?
            }
            Some(_) | None => None,
        };
        if point.is_function() {
            arguments.push(Argument::new(Value::Unset, false));
        }
        let origins = Origins { rows, lists, graph, coding, places };
        wanted.outs.iter().try_for_each(|out| out.check(&origins)).map_err(stopped_at_file)?;
        wanted.views.iter().try_for_each(|view| view.check(&origins)).map_err(stopped_at_file)?;
        Ok((Inputs { origins, sizes, peak_bytes }, Arguments { values: arguments, tables }))
    }

    /// Loads the arguments on the machine, or on a better one with `--backend auto`.
    ///
    /// # Errors
    /// If the backend refuses the program or its arguments.
    pub(super) fn plan(
        &self,
        prepared: &Prepared,
        (machine, device): (&Machine, &DeviceOptions<'_>),
        Arguments { values, mut tables }: Arguments,
    ) -> Result<LoadedRoutine, Failure> {
        let Prepared { options, build, point, compiled, .. } = prepared;
        let entry = point.routine;
        let better = match self.args.options.backend == machines::AUTO {
            true => {
                let program = (&build.lowered.program, entry);
                let shapes: Vec<_> = tables.values().map(LeftTable::shape).collect();
                let given = (&values[..], &shapes[..]);
                auto::settle((machine, device), *options, program, given, self.reporter)?
            }
            false => None,
        };
        let compiled = better.as_ref().unwrap_or(compiled);
        let (memory, interrupt) = (self.limits.memory, &self.flags.interrupt);
        let refused = |error| refused_by_backend("no memory for the arguments", &error);
        let console = Console { flags: self.flags, reporter: self.reporter };
        let mut placed = compiled.place();
        for (idx, argument) in values.into_iter().enumerate() {
            let Some(table) = tables.remove(&idx) else {
                placed.add(argument).map_err(refused)?;
                continue;
            };
            placed.add_left(table, &console).map_err(|error| match error {
                PlaceError::Source(error) => stopped_at_file(error),
                PlaceError::Backend(error) => refused(error).into(),
            })?;
        }
        let sources = &prepared.compilation.sources;
        let in_program = |error| Failure::in_sources(refused(error), sources);
        let mut loaded = compiled.plan(entry, placed).map_err(in_program)?;
        loaded.lay_out(memory, interrupt).map_err(refused)?;
        Ok(loaded)
    }

    /// Reports the plan if requested; returns it for a profile.
    ///
    /// # Errors
    /// If the backend cannot describe it.
    pub(super) fn explain(
        &self,
        prepared: &Prepared,
        loaded: &LoadedRoutine,
    ) -> Result<explain::Plan, Failure> {
        let Prepared { compilation, target, build, .. } = prepared;
        let is_shown = self.args.options.explain;
        if !is_shown && target.is_none() {
            return Ok(explain::Plan::new());
        }
        let explanation = loaded.explain();
        let (program, sources) = (&build.lowered.program, &compilation.sources);
        if is_shown {
            let lines = explain::lines(&explanation, &build.remarks, program, sources);
            lines.iter().for_each(|line| self.reporter.summary(line));
        }
        Ok(match target {
            Some(_) => explain::by_lines(&explanation, &build.remarks, program, sources),
            None => explain::Plan::new(),
        })
    }
}

impl Arguments {
    /// Notes the digests of the arguments.
    pub(super) fn note_in(&self, checkpoints: &mut CheckpointFolder, prepared: &Prepared) {
        let params = prepared.signature.params.iter();
        for (idx, (param, argument)) in params.zip(&self.values).enumerate() {
            let digest = match self.tables.get(&idx) {
                Some(file) => checkpoint::of_file(file),
                None => checkpoint::of_value(&argument.value),
            };
            checkpoints.add_argument(&param.name, digest);
        }
    }
}

impl Prepared {
    /// Starts a profile of the run.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn start_profile(&self) -> Result<Session, Diagnostic> {
        let session = Session::start(&self.build.lowered, &self.compilation.sources);
        session.map_err(|error| no_thread("--profile", &error))
    }

    /// Returns the profile of a run.
    pub(super) fn profile<'p>(
        &'p self,
        session: &Session,
        title: &'p str,
        backend: &'static str,
        plan: explain::Plan,
    ) -> star_report::profile::Profile<'p> {
        let wrapper = self.point.is_function().then_some(self.point.routine);
        let (program, sources) = (&self.build.lowered.program, &self.compilation.sources);
        session.report(program, wrapper, sources, title, backend, plan)
    }
}

impl Running<'_> {
    /// Runs the program.
    pub(super) fn run(
        &mut self,
        mut loaded: LoadedRoutine,
        session: Option<&mut Session>,
        checkpoints: Option<CheckpointFolder>,
        times: &mut Times,
    ) -> (LoadedRoutine, Ended) {
        let Context { args, limits, flags, reporter } = self.context;
        let Prepared { access, settings, build, .. } = self.prepared;
        let origins = &self.inputs.origins;
        let console = Console { flags, reporter };
        let mut messages = Messages(reporter);
        let printer: &mut dyn Printer = match self.prints {
            Prints::All | Prints::Lines | Prints::Values => &mut *self.output,
            Prints::Messages => &mut messages,
        };
        let mut printer = EndsProgress { printer, progress: RunProgress::start(&args.file) };
        let mut host = RunHost::new(&mut printer, access, console, settings);
        host.graph = origins.graph.as_ref().map(|(_, graph)| &**graph);
        host.checkpoints = checkpoints;
        let mut control = Control {
            interrupt: &flags.interrupt,
            deadline: &flags.deadline,
            limits,
            host: &mut host,
            profile: session.map(|session| &mut session.profile),
            stats: Stats::default(),
        };
        times.end(Part::Loading);
        let outcome = loaded.run(&mut control);
        times.end(Part::Running);
        let stats = control.stats;
        let advice = std::mem::take(&mut host.advice);
        let checkpoints = host.checkpoints.take();
        // A run that was continued has not read all files itself.
        let has_read_all = !checkpoints.as_ref().is_some_and(CheckpointFolder::is_resumed);
        printer.progress.end();
        if matches!(outcome, Outcome::Done) && has_read_all {
            settings.warn_unused(&console);
        }
        if let Some(scale) = origins.scale(settings)
            && star_ir::prints_integers(&build.lowered.program)
        {
            reporter.note(&format!(
                "printed weights and numbers of files are multiplied by `scale={scale}`"
            ));
        }
        let refused = checkpoints.and_then(|checkpoints| checkpoints.refused);
        (loaded, Ended { outcome, stats, advice, refused })
    }

    /// Writes and prints the results, or reports why there are none. Sets the number of parts in
    /// which tables were written from the backend, and the bytes of the rows of this rank.
    pub(super) fn finish(
        &mut self,
        loaded: LoadedRoutine,
        outcome: Outcome,
        advice: Advice,
        mut wanted: Outputs,
        stored: (&mut u64, &mut u64),
    ) -> Exit {
        let Context { args, flags, reporter, .. } = self.context;
        let Prepared { compilation, signature, build, point, .. } = self.prepared;
        let Inputs { origins, sizes, .. } = self.inputs;
        let program = &build.lowered.program;
        let print_failed = self.output.failed();
        self.output.flush();
        // A map that was read may give the coordinates of pixels.
        let settings = &self.prepared.settings;
        let style = settings.write_style();
        let is_map = |out: &results::Out| out.outlet().format() == Format::GeoJson;
        let is_used = wanted.outs.iter().any(is_map) || star_ir::writes_files(program);
        if settings.style.transform.is_some() && !is_used {
            reporter.warning("`transform=` is unused: it is for GeoJSON files");
        }
        wanted.outs = wanted.outs.into_iter().map(|out| out.with(style)).collect();
        match outcome {
            Outcome::Done => {
                let names = star_bind::results::names(signature, point.is_function());
                let from_bytes = match args.options.table_form.as_deref() {
                    Some("sparse") => 0,
                    Some(_) | None => LEAST_DENSE_BYTES,
                };
                let form = |idx| {
                    let is_named = wanted.names.as_ref().is_some_and(|names| names.shows(idx));
                    let is_shown = is_named || view::shows(&wanted.views, idx);
                    match results::are_bits(&wanted.outs, idx) && !is_shown {
                        true => Wanted::Sparse { from_bytes },
                        false => Wanted::Columns,
                    }
                };
                let stays =
                    |idx| form(idx) != Wanted::Columns && results::take_columns(&wanted.outs, idx);
                let results = loaded.into_results_as(&form, &stays, &flags.interrupt);
                let output = (&mut *self.output, stored);
                finish(&names, wanted, results, origins, flags, reporter, output)
            }
            // `print` failed because the output is closed or the disk is full: reported at the end.
            Outcome::Trap(_) if print_failed => Exit::Success,
            stop @ (Outcome::Trap(_)
            | Outcome::Limit { .. }
            | Outcome::Unsupported { .. }
            | Outcome::DeviceLost { .. }
            | Outcome::Internal(_)) => {
                // The values are not used again, and the process is about to end.
                loaded.abandon();
                let stop = unwrapped(stop, point.is_function());
                let is_trap = matches!(stop, Outcome::Trap(_));
                let SizeAdvice { notes, help, replaces_help } = sizes.advice(&stop, program);
                let graph = origins.graph.as_ref();
                let vertices = graph.and_then(|(_, graph)| vertices_of(&stop, graph));
                let mut diagnostic = describe(stop, program);
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
        }
    }
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

    fn flush(&mut self) -> bool {
        self.printer.flush()
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
        let line = line.strip_suffix('\n').unwrap_or(line);
        self.0.outcome(line, &serde_json::json!({ "printed": line }));
        true
    }
}

/// Returns the compile options: counting operations or calls disables intrinsics.
fn options(args: &RunArgs) -> CompileOptions {
    let options = match args.options.cost {
        true => CompileOptions::AS_LOWERED,
        false => args.options.limits.options(),
    };
    let intrinsics = options.intrinsics && !args.options.no_intrinsics;
    CompileOptions { intrinsics, checkpoints: args.long.is_used(), ..options }
}

/// Lowers the program and applies the passes in `enabled`, if any.
fn build(
    compilation: &Compilation,
    entry: &Entry,
    args: &RunArgs,
    enabled: Option<&star_opt::Options>,
) -> Result<(Build, EntryPoint), Diagnostic> {
    let options = LowerOptions {
        checked: args.checked,
        cost_places: args.options.profile.is_some(),
        ..LowerOptions::default()
    };
    let mut build = Build::new(compilation, &options, enabled)?;
    let point = build.entry_point(entry.id)?;
    Ok((build, point))
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

/// Returns the failure of a backend that does not give the results.
fn no_results(error: &BackendError) -> Failure {
    let mut diagnostic = refused_by_backend("no memory for the results", error);
    if *error == BackendError::Interrupted {
        diagnostic.message += " while taking the results";
    }
    diagnostic.into()
}

/// Writes and prints the results.
fn finish(
    names: &[Option<&str>],
    line::Outputs { outs, views, names: named, prints }: line::Outputs,
    results: Result<Vec<RoutineResult>, BackendError>,
    origins: &Origins,
    flags: &Flags,
    reporter: &Reporter,
    (output, (parts_stored, own_stored)): (&mut Output, (&mut u64, &mut u64)),
) -> Exit {
    let (mut results, mut placed) = match results {
        Ok(results) => PlacedResults::split(results, names, &origins.lists),
        Err(error) => return no_results(&error).report(reporter),
    };
    // Do not mix a summary with data on standard output.
    let is_silent = results::use_stdout(&outs) || prints != Prints::All;
    let of_run = (&results[..], &mut placed);
    let mut saved = results::save(outs, of_run, origins, flags, reporter, output);
    (*parts_stored, *own_stored) = (placed.n_parts, placed.own_bytes);
    if flags.stop().is_some() && !saved.faults.is_empty() {
        // After an interrupt, do not count the ones of a long table.
        let exit = stopped_at_files(saved.faults).report(reporter);
        // The process is about to end, which also frees the memory.
        std::mem::forget(results);
        return exit;
    }
    let named = named.filter(|_| {
        if origins.graph.is_none() {
            reporter.warning("`--names` is unused: no graph is read");
        }
        origins.graph.is_some()
    });
    if prints == Prints::Values {
        if let Err(error) = placed.read_short(json::MAX_BITS, &mut results, flags) {
            return no_results(&error).report(reporter);
        }
        let shape = |idx| placed.shape(idx);
        let values = json::of_results(names, &results, &shape, &origins.lists);
        reporter.outcome("", &serde_json::json!({ "results": values }));
        if let Some(wanted) = &named {
            let named = results::named(wanted, names, &results, origins);
            match json::named(&named, &results, origins) {
                Ok(tables) => reporter.outcome("", &tables),
                Err(fault) => saved.faults.push(fault),
            }
        }
    }
    if !is_silent {
        if let Err(error) = placed.read_rest(flags)
            && saved.faults.is_empty()
        {
            return no_results(&error).report(reporter);
        }
        match named {
            Some(named) => {
                let printed = results::print_with_names(output, &named, names, &results, origins);
                saved.faults.extend(printed.err());
            }
            None => results::print_all(output, names, (&results, &placed), origins),
        }
    }
    output.flush();
    for view in &views {
        let name = view.frame().name.as_str();
        if let Some(code) = flags.stop() {
            let message = "stopped before the picture was drawn";
            saved.faults.push(FileError::new(code, name, message));
            break;
        }
        match view.draw(&results, origins, flags, (output, reporter)) {
            Ok(()) => saved.written.push(text::one_line(name)),
            Err(fault) => saved.faults.push(fault),
        }
    }
    match saved.finish() {
        Ok(()) => Exit::Success,
        Err(errors) => stopped_at_files(errors).report(reporter),
    }
}

/// Returns the diagnostics for incompletely written files.
pub(super) fn stopped_at_files(errors: Vec<FileError>) -> Failure {
    let diagnostics: Vec<Diagnostic> = errors.iter().map(FileError::to_diagnostic).collect();
    Failure::from(diagnostics).with_limit_options()
}

/// Returns the diagnostic for an incompletely read file.
fn stopped_at_file(error: FileError) -> Failure {
    Failure::from(error).with_limit_options()
}
