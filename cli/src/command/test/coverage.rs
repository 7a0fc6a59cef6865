//! `star test --coverage`: the lines and the outcomes of conditions that the tests run.
//!
//! Each run on the first machine is repeated on the reference backend, statement by statement and
//! without passes and intrinsics, where an observer counts. The results of the tests are
//! unaffected.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use star::pipeline::Argument;
use star_base::{Code, Diagnostic, FileId, SourceMap, Span};
use star_compiler::{HeadKind, LowerOptions, Statements};
use star_ir::{Program, RoutineId, StmtKind};
use star_os::destination::Destination;
use star_os::failure::{Failure, refused_by_backend};
use star_os::flags::Flags;
use star_os::output::Output;
use star_os::sources::STDIN_NAME;
use star_report::coverage::{Branch, FileCoverage, lcov, page, table};
use star_value::Value;
use star_vm::reference::{self, Moment, Observer, Scene};
use star_vm::{Backend, CompileOptions, Control, Host, Limits, Reference, Stats};

use super::report::Format;
use crate::headers::test_file::{Runnable, Subject};

/// The destination of the coverage.
#[derive(Debug)]
pub(super) enum Target {
    /// Standard output.
    Table,
    /// An HTML page.
    Html(Destination),
    /// A file in the format of lcov.
    Lcov(Destination),
}

impl Target {
    /// Parses the value of `--coverage=`; empty means standard output.
    ///
    /// # Errors
    /// E0506 if the extension selects no format, E0509 if the file cannot be written, E0608 if
    /// neither a file nor the output can hold it.
    pub(super) fn new(file: &str, format: Format) -> Result<Self, Failure> {
        if file.is_empty() {
            return match format {
                Format::Text => Ok(Target::Table),
                Format::Json => {
                    let message = "the coverage needs a file if results are JSON";
                    let help = "use `--coverage=FILE.html` or `--coverage=FILE.info`";
                    Err(Diagnostic::new(Code::Usage, message).help(help).into())
                }
            };
        }
        let path = Path::new(file);
        let place = Destination::with_extension(path, file, &["html", "htm", "info", "lcov"])?;
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_page = extension.is_some_and(|it| it.to_ascii_lowercase().starts_with("htm"));
        Ok(if is_page { Target::Html(place) } else { Target::Lcov(place) })
    }

    /// Shows or writes the coverage.
    ///
    /// # Errors
    /// E0509 if the file cannot be written, or the code of the flag.
    pub(super) fn put(
        &self,
        coverage: &Coverage,
        flags: &Flags,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let files = coverage.files();
        match self {
            Target::Table => {
                output.write(&table(&files));
            }
            Target::Html(place) => place.write_text(&page(&files), flags)?,
            Target::Lcov(place) => place.write_text(&lcov(&files), flags)?,
        }
        Ok(())
    }
}

/// The counts of all files.
#[derive(Debug, Default)]
pub(super) struct Coverage(BTreeMap<String, Counts>);

/// The counts of a file.
#[derive(Debug)]
struct Counts {
    text: String,
    /// The runs of each statement.
    statements: BTreeMap<Place, u64>,
    /// How often each condition of `if`, `while` and `until` was true and false.
    conditions: BTreeMap<Place, [u64; 2]>,
}

/// The start and the end of a statement in its file.
type Place = (u32, u32);

fn place(span: Span) -> Place {
    (span.start, span.end)
}

impl Coverage {
    /// Adds the statements of a subject's files, except those of the library.
    fn add(&mut self, statements: &Statements, sources: &SourceMap) {
        let Coverage(files) = self;
        for (file, source) in sources.files() {
            let name = source.name();
            let mut heads = statements.of_file(file).peekable();
            if heads.peek().is_none() || is_library(name) {
                continue;
            }
            let text = source.text();
            // A file that changed between two subjects begins again.
            if files.get(name).is_none_or(|counts| counts.text != text) {
                let (statements, conditions) = (BTreeMap::new(), BTreeMap::new());
                let counts = Counts { text: text.to_owned(), statements, conditions };
                files.insert(name.to_owned(), counts);
            }
            let Some(counts) = files.get_mut(name) else { continue };
            for head in heads {
                counts.statements.entry(place(head.span)).or_default();
                if statements.is_condition(head.span) {
                    counts.conditions.entry(place(head.span)).or_default();
                }
            }
        }
    }

    fn counts(&mut self, sources: &SourceMap, file: FileId) -> Option<&mut Counts> {
        self.0.get_mut(sources.get(file)?.name())
    }

    /// Returns the coverage of all files in the order of their names.
    fn files(&self) -> Vec<FileCoverage> {
        let Coverage(files) = self;
        let file = |(name, counts): (&String, &Counts)| {
            let text = counts.text.as_str();
            let starts = line_starts(text);
            let line = |place: &Place| starts.partition_point(|start| *start <= place.0 as usize);
            let mut lines = BTreeMap::new();
            for (place, runs) in &counts.statements {
                let known: &mut u64 = lines.entry(line(place)).or_default();
                *known = (*known).max(*runs);
            }
            let branches = counts.conditions.iter().map(|(place, [n_true, n_false])| Branch {
                line: line(place),
                n_true: *n_true,
                n_false: *n_false,
            });
            let branches = branches.collect();
            FileCoverage { name: name.clone(), text: text.to_owned(), lines, branches }
        };
        files.iter().map(file).collect()
    }
}

/// Returns the offsets at which lines begin.
fn line_starts(text: &str) -> Vec<usize> {
    let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(breaks).collect()
}

/// Tests whether a file belongs to the library rather than to the user.
fn is_library(name: &str) -> bool {
    !Path::new(name).is_file() && name != STDIN_NAME
}

/// A subject that is observed.
pub(super) struct Observed<'a> {
    runnable: Runnable,
    statements: Statements,
    code: reference::Code,
    sources: &'a SourceMap,
    coverage: &'a RefCell<Coverage>,
}

impl<'a> Observed<'a> {
    /// Lowers a subject without errors for observation.
    ///
    /// # Errors
    /// An internal error.
    pub(super) fn new(
        subject: &'a Subject,
        checked: bool,
        coverage: &'a RefCell<Coverage>,
    ) -> Result<Self, Diagnostic> {
        let options = LowerOptions { checked, by_statement: true, ..LowerOptions::default() };
        let runnable = Runnable::of(&subject.compilation, &options, None)?;
        let statements = Statements::new(&subject.compilation.hir);
        let sources = &subject.compilation.sources;
        coverage.borrow_mut().add(&statements, sources);
        let compiled =
            Reference::new().compile(runnable.program.clone(), &CompileOptions::AS_LOWERED, None);
        let compiled = compiled
            .map_err(|error| refused_by_backend("the coverage cannot be observed", &error))?;
        Ok(Observed { runnable, statements, code: compiled.code, sources, coverage })
    }

    /// Runs the routine with this number among the routines of the file and counts. A run that
    /// cannot begin counts nothing.
    pub(super) fn run(
        &self,
        routine_idx: usize,
        values: &[Value],
        limits: Limits,
        host: &mut dyn Host,
        [interrupt, deadline]: [&AtomicBool; 2],
    ) {
        let Some(routine) = self.runnable.routines.get(routine_idx) else { return };
        let entry: RoutineId = routine.point.routine;
        let reference = Reference::new();
        let arguments = values.iter().map(Argument::of);
        let loaded = arguments.map(|Argument { value, fixed }| reference.load(value, fixed));
        let Ok(mut loaded) = loaded.collect::<Result<Vec<_>, _>>() else { return };
        let Ok(plan) = reference.plan(&self.code, entry, &[]) else { return };
        let stats = Stats::default();
        let mut control = Control { interrupt, deadline, limits, host, profile: None, stats };
        let mut counter = Counter {
            program: &self.runnable.program,
            observed: self,
            coverage: &mut self.coverage.borrow_mut(),
            frames: Vec::new(),
        };
        reference.run_observed(&plan, &mut loaded, &mut control, &mut counter);
    }
}

/// Counts the statements of a run.
struct Counter<'a> {
    program: &'a Program,
    observed: &'a Observed<'a>,
    coverage: &'a mut Coverage,
    /// The last statement of each active routine.
    frames: Vec<Option<Span>>,
}

impl Counter<'_> {
    /// Counts the step from one statement of a routine to another.
    fn step(&mut self, before: Option<Span>, now: Option<Span>) {
        let Observed { statements, sources, .. } = self.observed;
        if let Some(condition) = before
            && let Some(outcome) = statements.outcome(condition, now)
            && let Some(counts) = self.coverage.counts(sources, condition.file)
            && let Some(outcomes) = counts.conditions.get_mut(&place(condition))
        {
            outcomes[usize::from(!outcome)] += 1;
        }
        if let Some(now) = now
            && let Some(counts) = self.coverage.counts(sources, now.file)
            && let Some(runs) = counts.statements.get_mut(&place(now))
        {
            *runs += 1;
        }
    }
}

/// Tests whether a loop begins or has another iteration.
fn is_loop(moment: Moment<'_>) -> bool {
    match moment {
        Moment::Iteration => true,
        Moment::Statement(stmt) => {
            matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Block { .. })
        }
        Moment::End => false,
    }
}

impl Observer for Counter<'_> {
    fn at(&mut self, moment: Moment<'_>, scene: &Scene<'_>) -> ControlFlow<()> {
        let depth = scene.depth();
        self.frames.truncate(depth);
        self.frames.resize(depth, None);
        let span = self.program.location(scene.loc()).span;
        let now = match moment {
            Moment::Statement(_) | Moment::Iteration => {
                // What belongs to no statement is part of the one before it.
                let Some(head) = self.observed.statements.at(span) else {
                    return ControlFlow::Continue(());
                };
                // The loop of a `repeat` has the position of its condition.
                if head.kind == HeadKind::Repeat && is_loop(moment) {
                    return ControlFlow::Continue(());
                }
                Some(head.span)
            }
            Moment::End => None,
        };
        let Some(last) = self.frames.last_mut() else { return ControlFlow::Continue(()) };
        let before = std::mem::replace(last, now);
        if before != now {
            self.step(before, now);
        }
        ControlFlow::Continue(())
    }
}
