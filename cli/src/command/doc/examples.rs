//! Tests of the examples in documentation comments.
//!
//! An example runs as with `star run`, and its module is imported. Its output is compared with the
//! text after `Prints`, ignoring trailing blanks on each line.

use std::time::{Duration, Instant};

use clap::Parser;
use star_base::{Code, Diagnostic, SourceFile, SourceMap};
use star_compiler::{LoadError, Source, SourceLoader};
use star_os::exit::Exit;
use star_os::flags::Flags;
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::sources::{FileLoader, ImportArgs};
use star_syntax::doc::{Doc, Label, Section, example};

use super::catalogue::{Catalogue, Module, ModuleKind, Topic, modules_of};
use crate::command::run::{RunArgs, run_with};
use crate::text;
use crate::usage::{self, Refusal};

/// Runs the examples of these topics and returns the exit code. `time` limits the examples of each
/// file.
///
/// # Errors
/// L0106 on Ctrl-C between two examples, E0510 if a granted folder does not exist.
pub(super) fn test(
    catalogue: &Catalogue,
    topics: &[Topic],
    (backend, imports): (&str, &ImportArgs),
    time: Option<Duration>,
    flags: &Flags,
    reporter: &Reporter,
) -> Result<Exit, Diagnostic> {
    let mut exit = Exit::Success;
    for idx in modules_of(topics) {
        let module = catalogue.at(idx);
        let whole = topics.iter().any(|topic| topic.module == idx && topic.routine.is_none());
        let wanted = |routine: usize| {
            whole || topics.contains(&Topic { module: idx, routine: Some(routine) })
        };
        let head = module.head.as_ref().filter(|_| whole).map(|head| (None, head));
        let routines = module.routines.iter().enumerate().filter(|(routine, _)| wanted(*routine));
        let routines = routines
            .filter_map(|(_, routine)| Some((Some(routine.name.as_str()), routine.doc.as_ref()?)));
        let (mut n_run, mut n_failed) = (0, 0);
        let begin = Instant::now();
        for (name, doc) in head.into_iter().chain(routines) {
            let Some(section) = doc.section(Label::Example) else { continue };
            let example = Example { module, name, doc, section, imports };
            flags.go_on()?;
            n_run += 1;
            let left = time.map(|time| time.saturating_sub(begin.elapsed()));
            match example.run(backend, left, reporter) {
                Ok(()) => {}
                Err(Failed::Interrupted) => return Ok(Exit::Interrupted),
                Err(Failed::Because(diagnostic)) => {
                    reporter.diagnostic(&module.sources, &diagnostic);
                    n_failed += 1;
                }
            }
        }
        let examples = text::count(n_run, "example");
        reporter.summary(&format!("{}: {examples} run, {n_failed} failed", module.title));
        if n_failed > 0 {
            exit = Exit::Compile;
            if let Some(twin) =
                catalogue.module(module.short_name()).filter(|_| module.kind == ModuleKind::File)
                && let twin = catalogue.at(twin)
                && twin.kind == ModuleKind::Imported
            {
                // Only the text of the library has the rights of the library.
                let name = text::one_line(&module.title);
                let other = &twin.title;
                reporter.note(&format!(
                    "{name} is not the text of `{other}`: use `star doc --test {other}` for that"
                ));
            }
        }
    }
    flags.go_on()?;
    Ok(exit)
}

/// The reason why an example failed.
enum Failed {
    /// Interrupted by the user.
    Interrupted,
    /// Differs from its comment.
    Because(Box<Diagnostic>),
}

impl Failed {
    fn because(diagnostic: Diagnostic) -> Self {
        Failed::Because(Box::new(diagnostic))
    }
}

struct Example<'a> {
    module: &'a Module,
    /// The routine; `None` in the comment of the file.
    name: Option<&'a str>,
    doc: &'a Doc,
    section: &'a Section,
    /// What it may read outside the folder of its file.
    imports: &'a ImportArgs,
}

/// The command line of an example.
#[derive(Parser, Debug)]
#[command(name = "star run")]
struct ExampleArgs {
    #[command(flatten)]
    run: RunArgs,
}

impl Example<'_> {
    fn run(
        &self,
        backend: &str,
        left: Option<Duration>,
        reporter: &Reporter,
    ) -> Result<(), Failed> {
        let args = self.arguments(backend, left).map_err(Failed::because)?;
        let mut loader = ExampleLoader::new(self).map_err(Failed::because)?;
        let mut output = Output::kept();
        let done = run_with(&mut loader, &self.module.title, &args, reporter, &mut output);
        let exit = done.unwrap_or_else(|failure| failure.report(reporter));
        match exit {
            Exit::Success => self.compare(&output.into_text()).map_err(Failed::because),
            Exit::Interrupted => Err(Failed::Interrupted),
            Exit::Compile
            | Exit::Usage
            | Exit::Trap
            | Exit::Limit
            | Exit::Data
            | Exit::Slower
            | Exit::Internal
            | Exit::Pipe => {
                let message = format!("{} ends with exit code {}", self.title(), exit.number());
                let place = self.section.span;
                let diagnostic = Diagnostic::at(Code::ExampleFails, place, message);
                Err(Failed::because(diagnostic.note("the previous message states the reason")))
            }
        }
    }

    fn title(&self) -> String {
        match self.name {
            Some(name) => format!("the example of `{name}`"),
            None => "the example of the file".to_owned(),
        }
    }

    /// Returns the arguments of `star run` in the label.
    fn arguments(&self, backend: &str, left: Option<Duration>) -> Result<RunArgs, Diagnostic> {
        let bad = |message: String| Diagnostic::at(Code::BadDocComment, self.section.span, message);
        let file = self.file();
        let own = ["star run", "--backend", backend, &file];
        let given = self.section.arguments.split_whitespace();
        let mut args = match ExampleArgs::try_parse_from(own.into_iter().chain(given)) {
            Ok(ExampleArgs { run }) => run,
            Err(error) => {
                let why = match usage::refusal(&error, false) {
                    Refusal::Fault(diagnostic) => diagnostic.message,
                    Refusal::Answer(_) | Refusal::Help(_) => "they request help".to_owned(),
                };
                return Err(bad(format!("invalid arguments for `star run`: {why}")));
            }
        };
        if args.reaches_elsewhere() {
            let message = "the label of an example must not name output files or allow access";
            return Err(bad(message.to_owned()));
        }
        args.bound_example(left, self.imports);
        Ok(args)
    }

    /// Returns the name of the program in messages; its line numbers are those of the documented
    /// file.
    fn file(&self) -> String {
        match self.name {
            Some(name) => format!("{} (example of {name})", self.module.title),
            None => format!("{} (example)", self.module.title),
        }
    }

    fn compare(&self, printed: &str) -> Result<(), Diagnostic> {
        let Some(prints) = self.doc.section(Label::Prints) else { return Ok(()) };
        let expected = prints.text();
        if example::lines(&expected) == example::lines(printed) {
            return Ok(());
        }
        let message = format!("the output of {} differs", self.title());
        let shown = |what: &str, text: &str| {
            let lines = example::lines(text).into_iter();
            lines.fold(what.to_owned(), |text, line| format!("{text}\n  {line}"))
        };
        let diagnostic = Diagnostic::at(Code::ExampleFails, prints.span, message);
        let diagnostic = diagnostic.label(self.section.span, "of this program");
        Err(diagnostic.note(shown("expected", &expected)).note(shown("printed", printed)))
    }
}

/// Loads the program of an example, its module, and files.
struct ExampleLoader {
    /// Its name and text.
    program: (String, String),
    /// The user's module: its path in the import, its name and its text.
    own: Option<(String, String, String)>,
    files: FileLoader,
}

impl ExampleLoader {
    fn new(example: &Example<'_>) -> Result<Self, Diagnostic> {
        let module = example.module;
        let path = match module.kind {
            ModuleKind::Language | ModuleKind::Operations | ModuleKind::Basic => None,
            ModuleKind::Imported => Some(module.title.clone()),
            // Relative to the folder of the file; a string cannot contain a quote.
            ModuleKind::File => Some(format!("{}.star", module.short_name().replace('"', "_"))),
        };
        let source = module.sources.get(example.section.span.file);
        let program =
            source.map(|source| example::program(example.section, source, path.as_deref()));
        let own = match module.kind {
            ModuleKind::Language
            | ModuleKind::Operations
            | ModuleKind::Basic
            | ModuleKind::Imported => None,
            ModuleKind::File => {
                path.map(|path| (path, module.title.clone(), whole_text(&module.sources)))
            }
        };
        Ok(ExampleLoader {
            program: (example.file(), program.unwrap_or_default()),
            own,
            files: example.imports.loader()?,
        })
    }
}

fn whole_text(sources: &SourceMap) -> String {
    let first = sources.files().next();
    first.map_or_else(String::new, |(_, file): (_, &SourceFile)| file.text().to_owned())
}

impl SourceLoader for ExampleLoader {
    fn load(&mut self, path: &str, importer: Option<&str>) -> Result<Source, LoadError> {
        let (name, text) = &self.program;
        let of = |name: &str, text: &str| Source {
            name: name.to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        match (importer, &self.own) {
            (None, _) => Ok(of(name, text)),
            (Some(importer), Some((own, title, module))) if importer == name && path == own => {
                Ok(of(title, module))
            }
            (Some(_), _) => self.files.load(path, importer),
        }
    }
}
