//! `star doc`: documentation of the library and of user files, extracted from their comments.
//!
//! `star-doc` collects and formats the documentation; [`examples`] runs the examples, [`reference`]
//! writes the reference pages of the book.

mod examples;
mod reference;

use std::path::{Path, PathBuf};

use clap::{Args, Command, ValueEnum};
use star_base::{Code, Diagnostic};
use star_compiler::MAX_SOURCE_BYTES;
use star_doc::catalogue::{self, Catalogue, Module, Topic};
use star_doc::search::search;
use star_doc::{chapters, markdown, plain, site};
use star_io::FileError;
use star_os::destination::Destination;
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::file_set::FileSet;
use star_os::flags::Flags;
use star_os::limits::CompileLimitArgs;
use star_os::machines::{self, Machine};
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::sources::{FileLoader, ImportArgs, LIBRARY, STDIN};
use star_os::watchdog::Sentry;
use star_os::whole_file;
use star_syntax::doc::Label;

use super::MAX_SHOWN;
use crate::text;

/// Arguments of `star doc`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  star doc
  star doc MATCH
  star doc shortest path
  star doc star:mst
  star doc my.star --out my.txt
  star doc --format html --out site
  star doc --format md --out docs/src/reference
  star doc --test my.star")]
pub(crate) struct DocArgs {
    /// Routines, operations, modules, files, sections or words to search for
    ///
    /// Modules are written as `star:mst`; sections are those of the book. Without a name, the whole
    /// library is shown.
    #[arg(value_name = "NAME|FILE|WORD")]
    what: Vec<String>,

    /// Select the output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Write the result to FILE
    ///
    /// HTML, and the whole reference as Markdown, are written to a folder.
    #[arg(short, long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,

    /// Check the form of the comments
    #[arg(long, conflicts_with_all = ["out", "format"])]
    check: bool,

    /// Run the examples and report those that differ from their comments
    #[arg(long, conflicts_with_all = ["out", "format", "check"])]
    test: bool,

    /// Select the backend that runs the examples
    #[arg(long, value_name = "NAME", default_value = machines::DEFAULT, requires = "test")]
    backend: String,

    #[command(flatten)]
    imports: ImportArgs,

    #[command(flatten)]
    limits: CompileLimitArgs,
}

/// The format of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for a terminal
    Text,
    /// Site with one page for each module
    Html,
    /// Markdown; without names the reference pages of the book
    Md,
}

/// Shows, writes, checks or tests documentation. `command` is `star` itself, which the reference
/// describes.
///
/// # Errors
/// E0608 if a name is unknown, E0607 if the backend is unknown, E0110 to E0112 if a file cannot be
/// read, E0509 if one cannot be written; an error if the watchdog thread cannot be started.
pub(crate) fn run(
    args: &DocArgs,
    command: &mut Command,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    // Report this once, not for each example.
    Machine::find(&args.backend)?;
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command without a message");
    output.stop_at(&flags);
    let mut catalogue = Catalogue::library(&LIBRARY);
    let mut topics = Vec::new();
    for name in &args.what {
        flags.go_on()?;
        let _sentry = Sentry::over_compiler(&flags, args.limits.bounds(), reporter);
        if is_file(name) && catalogue.module(name).is_none() {
            let module = Module::of_file(name, &mut FileLoader::default())?;
            if report(&module, &module.unreadable, reporter) {
                return Ok(Exit::Compile);
            }
            // A file of the library is tested with the rights of the library.
            let known = catalogue.same_text(&module);
            let module = known.unwrap_or_else(|| catalogue.add(module));
            topics.push(Topic { module, routine: None });
        } else {
            match catalogue.find(name) {
                Ok(found) => topics.extend(found),
                Err(unknown) => return look_for(args, &catalogue, unknown, &flags, output),
            }
        }
    }
    flags.go_on()?;
    let all = topics.is_empty();
    if all {
        topics.extend(catalogue.modules().map(|(module, _)| Topic { module, routine: None }));
    }
    if args.check || args.test {
        let well_formed = check(&catalogue, &topics, reporter);
        if args.check {
            count(&catalogue, &topics, reporter);
            return Ok(well_formed);
        }
        let time = args.limits.max_time();
        let tested = examples::test(
            &catalogue,
            &topics,
            (&args.backend, &args.imports),
            time,
            &flags,
            reporter,
        )?;
        return Ok(if tested == Exit::Success { well_formed } else { tested });
    }
    match args.format {
        Format::Html => {
            write_site(&catalogue, &topics, args.out.as_deref(), (&flags, reporter))?;
        }
        Format::Text => {
            let width = match &args.out {
                None => output.width(),
                Some(_) => 80,
            };
            let page = if all {
                plain::contents(&catalogue, width)
            } else {
                plain::topics(&catalogue, &topics, width)
            };
            show(&text::printable(&page), args, &flags, output)?;
        }
        Format::Md => match args.out.as_deref().filter(|_| all) {
            Some(folder) => {
                let pages = reference::pages(&catalogue, command);
                write_pages(&pages, folder, &flags, reporter)?;
            }
            None => {
                let page = markdown::topics(&catalogue, &topics);
                show(&text::printable(&page), args, &flags, output)?;
            }
        },
    }
    Ok(Exit::Success)
}

/// Shows a section of the book, or the search results for words that are not names.
///
/// # Errors
/// `unknown` if there is neither, or if a format other than text is requested.
fn look_for(
    args: &DocArgs,
    catalogue: &Catalogue,
    unknown: Diagnostic,
    flags: &Flags,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let query = args.what.join(" ");
    if args.what.iter().any(|name| catalogue.is_unknown_module(name)) {
        return Err(unknown.into());
    }
    let plain = !args.check && !args.test && args.format == Format::Text;
    let page = match (chapters::find(&query), search(catalogue, &query)) {
        _ if !plain => return Err(unknown.into()),
        (sections, _) if !sections.is_empty() => plain::sections(&sections),
        (_, found) if found.hits.is_empty() => return Err(unknown.into()),
        (_, found) => plain::hits(&found, &text::one_line(&query), "star doc", output.width()),
    };
    show(&text::printable(&page), args, flags, output)?;
    Ok(Exit::Success)
}

/// Writes text to standard output or to the requested file.
fn show(page: &str, args: &DocArgs, flags: &Flags, output: &mut Output) -> Result<(), Failure> {
    match &args.out {
        None => {
            output.write(page);
        }
        Some(file) => {
            let extensions: &[&str] = match args.format {
                Format::Md => &["md"],
                Format::Text | Format::Html => &["txt"],
            };
            let name = file.display().to_string();
            Destination::with_extension(file, &name, extensions)?.write_text(page, flags)?;
        }
    }
    Ok(())
}

/// Tests whether the name is that of a file.
fn is_file(name: &str) -> bool {
    name == STDIN || name.ends_with(".star") || name.contains(['/', '\\'])
}

/// Shows diagnostics for a module; returns whether there is one.
fn report(module: &Module, diagnostics: &[Diagnostic], reporter: &Reporter) -> bool {
    for diagnostic in diagnostics.iter().take(MAX_SHOWN) {
        reporter.diagnostic(&module.sources, diagnostic);
    }
    if diagnostics.len() > MAX_SHOWN {
        let messages = text::count(diagnostics.len() - MAX_SHOWN, "message");
        reporter.note(&format!("{}: {messages} omitted", module.title));
    }
    !diagnostics.is_empty()
}

/// Reports faults of the comments.
fn check(catalogue: &Catalogue, topics: &[Topic], reporter: &Reporter) -> Exit {
    let mut exit = Exit::Success;
    for idx in catalogue::modules_of(topics) {
        let module = catalogue.at(idx);
        if report(module, &module.faults, reporter) {
            exit = Exit::Compile;
        }
    }
    exit
}

/// Reports the numbers of routines with a comment and with an example.
fn count(catalogue: &Catalogue, topics: &[Topic], reporter: &Reporter) {
    for idx in catalogue::modules_of(topics) {
        let module = catalogue.at(idx);
        let routines = module.routines.iter().filter(|one| one.kind.is_some());
        let docs: Vec<_> = routines.clone().filter_map(|one| one.doc.as_ref()).collect();
        let n_examples = docs.iter().filter(|doc| doc.section(Label::Example).is_some()).count();
        let routines = text::count(routines.count(), "routine");
        let (title, n_docs) = (&module.title, docs.len());
        reporter.summary(&format!(
            "{title}: {routines}, {n_docs} documented, {n_examples} with an example"
        ));
    }
}

/// Writes the pages of the modules to a folder.
fn write_site(
    catalogue: &Catalogue,
    topics: &[Topic],
    folder: Option<&Path>,
    (flags, reporter): (&Flags, &Reporter),
) -> Result<(), Failure> {
    let usage = |message: &str, help: &str| Diagnostic::new(Code::Usage, message).help(help);
    if let Some(one) = topics.iter().find(|topic| topic.routine.is_some()) {
        let title = &catalogue.at(one.module).title;
        let help = format!("use `star doc {title} --format html --out DIR`");
        return Err(usage("HTML pages describe modules, not single routines", &help).into());
    }
    let Some(folder) = folder else {
        let help = "add `--out DIR` with the folder for its pages";
        return Err(usage("HTML output requires a folder", help).into());
    };
    let site = site(catalogue, &catalogue::modules_of(topics));
    write_pages(&site, folder, flags, reporter)
}

/// Tests whether the first page of a folder is one of documentation.
fn has_site(folder: &Path, flags: &Flags) -> bool {
    let index = folder.join(star_doc::INDEX);
    let Ok(metadata) = index.metadata() else { return false };
    let page = whole_file::read(&index, &metadata, MAX_SOURCE_BYTES, &|| flags.stop());
    page.is_ok_and(|page| String::from_utf8_lossy(&page).contains("<body class=\"documentation\">"))
}

/// Writes pages, names with their texts, to a folder: all or none. Files of others stay.
fn write_pages(
    pages: &[(String, String)],
    folder: &Path,
    flags: &Flags,
    reporter: &Reporter,
) -> Result<(), Failure> {
    if let Some((name, _)) = pages.iter().find(|(name, _)| folder.join(name).exists())
        && !has_site(folder, flags)
    {
        let file = folder.join(name).display().to_string();
        let fault = FileError::new(Code::CannotWrite, file, "`star doc` did not write this file");
        return Err(fault.help("`--out` with a new folder keeps it").into());
    }
    let mut set = FileSet::default();
    set.create_folder(folder, &folder.display().to_string())?;
    for (name, text) in pages {
        if let Some(code) = flags.stop() {
            return Err(Diagnostic::new(code, "interrupted; no page was written").into());
        }
        set.add(&folder.join(name), text, flags)?;
    }
    set.commit()?;
    let files = text::count(pages.len(), "file");
    reporter.summary(&format!("{}: {files} written", folder.display()));
    Ok(())
}
