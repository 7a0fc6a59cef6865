//! Files of measurements: pages, pictures and tables of benchmarks, whose extension selects the
//! format.

use std::path::Path;

use clap::Args;
use star_base::{Code, Diagnostic};
use star_io::FileError;
use star_os::destination::Destination;
use star_os::failure::Failure;
use star_os::flags::Flags;
use star_os::report::Reporter;
use star_report::page::{Axes, ExportError, ExportKind, NamedRecord, Selection, export, undrawn};

/// Options for pictures of benchmarks.
#[derive(Args, Clone, Debug)]
pub(crate) struct FigureArgs {
    /// Set the title of pages and pictures
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Select the parameter on the horizontal axis, and one for a second axis: `n,m`
    ///
    /// Each size must have one value of the second parameter. Defaults to the first integer with
    /// several values.
    #[arg(long, value_name = "NAME[,NAME]", value_parser = parse_axes)]
    axis: Option<Axes>,
}

impl FigureArgs {
    /// Warns about options that no file of these kinds uses.
    pub(crate) fn warn_if_unused(&self, kinds: &[ExportKind], reporter: &Reporter) {
        warn_if_untitled(self.title.as_deref(), kinds, reporter);
        if self.axis.is_some() && kinds.is_empty() {
            reporter.warning("`--axis` is unused: no output is a page, a picture or a table");
        }
    }

    /// Returns the selection of rows with this text.
    pub(crate) fn selection(&self, filter: Option<&str>) -> Selection {
        Selection {
            title: self.title.clone(),
            filter: filter.map(str::to_owned),
            axes: self.axis.clone().unwrap_or_default(),
        }
    }
}

/// Warns about a title if no file of these kinds has one.
pub(crate) fn warn_if_untitled(title: Option<&str>, kinds: &[ExportKind], reporter: &Reporter) {
    if title.is_some() && kinds.iter().all(|kind| *kind == ExportKind::Csv) {
        reporter.warning("`--title` is unused: no output is a page or a picture");
    }
}

fn parse_axes(text: &str) -> Result<Axes, String> {
    let names: Vec<&str> = text.split(',').map(str::trim).collect();
    let owned = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
    let (first, second) = match names[..] {
        [first] => (owned(first), None),
        [first, second] if !second.is_empty() => (owned(first), owned(second)),
        _ => return Err("expected one or two names, such as `n` or `n,m`".to_owned()),
    };
    match first {
        Some(_) => Ok(Axes { first, second, names: None }),
        None => Err("expected the name of a parameter, such as `n`".to_owned()),
    }
}

/// A file to be written at the end of a command.
pub(crate) struct FigureFile {
    /// Its name in messages.
    pub(crate) name: String,
    place: Destination,
    /// Its format.
    pub(crate) kind: ExportKind,
}

impl FigureFile {
    /// Prepares the files of a command.
    ///
    /// # Errors
    /// E0506 for an unknown extension, E0509 if a check shows that a file cannot be written.
    pub(crate) fn all(names: &[String]) -> Result<Vec<Self>, FileError> {
        names.iter().map(|name| FigureFile::new(name)).collect()
    }

    fn new(name: &str) -> Result<Self, FileError> {
        FigureFile::of(name, &ExportKind::EXTENSIONS)
    }

    /// Prepares a page.
    ///
    /// # Errors
    /// Those of [`FigureFile::all`].
    pub(crate) fn page(name: &str) -> Result<Self, FileError> {
        let page = FigureFile::of(name, &["html", "htm"])?;
        Ok(FigureFile { kind: ExportKind::Page, ..page })
    }

    fn of(name: &str, extensions: &[&str]) -> Result<Self, FileError> {
        let path = Path::new(name);
        let place = Destination::with_extension(path, name, extensions)?;
        let extension = path.extension().and_then(|it| it.to_str()).and_then(ExportKind::of);
        // A pipe or a device may have any name.
        Ok(FigureFile { name: name.to_owned(), place, kind: extension.unwrap_or(ExportKind::Json) })
    }

    /// Returns its contents.
    ///
    /// # Errors
    /// E0608 if the selection does not fit the format.
    pub(crate) fn contents(
        &self,
        files: &[NamedRecord],
        selection: &Selection,
    ) -> Result<Vec<u8>, Failure> {
        let ExportError { message, help } = match export(files, self.kind, selection) {
            Ok(contents) => return Ok(contents),
            Err(error) => error,
        };
        let name = star_base::text::one_line(&self.name);
        let fault = Diagnostic::new(Code::Usage, format!("cannot write {name}: {message}"));
        Err(help.into_iter().fold(fault, Diagnostic::help).into())
    }

    /// Writes contents.
    ///
    /// # Errors
    /// If the system refuses or a flag is set; the old contents remain.
    pub(crate) fn write(&self, contents: &[u8], flags: &Flags) -> Result<(), FileError> {
        self.place.write_bytes(contents, flags)
    }
}

/// The outcome of writing several files: one that fails does not prevent the others.
#[derive(Default)]
pub(crate) struct Outcome {
    written: Vec<String>,
    faults: Vec<Diagnostic>,
}

impl Outcome {
    /// Adds a file that is written or not.
    pub(crate) fn add(&mut self, name: &str, done: Result<(), impl Into<Failure>>) {
        match done {
            Ok(()) => self.written.push(format!("`{}`", star_base::text::one_line(name))),
            Err(error) => self.faults.extend(error.into().diagnostics),
        }
    }

    /// Writes and adds files of measurements; a note states what their plots cannot show.
    pub(crate) fn add_all(
        &mut self,
        outs: &[FigureFile],
        files: &[NamedRecord],
        selection: &Selection,
        (flags, reporter): (&Flags, &Reporter),
    ) {
        let has_plots = |out: &FigureFile| match out.kind {
            ExportKind::Page | ExportKind::Tex | ExportKind::Svg | ExportKind::Pdf => true,
            ExportKind::Csv | ExportKind::Json => false,
        };
        if outs.iter().any(has_plots) {
            undrawn(files, selection).iter().for_each(|note| reporter.note(note));
        }
        for out in outs {
            let contents = out.contents(files, selection);
            let done = contents.and_then(|contents| Ok(out.write(&contents, flags)?));
            self.add(&out.name, done);
        }
    }

    /// Returns the errors, which name the other files.
    ///
    /// # Errors
    /// E0608 if the selection does not fit a format, E0509 if the system refuses.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Outcome { written, mut faults } = self;
        if let (Some(first), false) = (faults.first_mut(), written.is_empty()) {
            first.notes.push(format!("written: {}", written.join(", ")));
        }
        if faults.is_empty() { Ok(()) } else { Err(faults.into()) }
    }
}

/// Writes these files.
///
/// # Errors
/// Those of [`Outcome::finish`].
pub(crate) fn write_all(
    outs: &[FigureFile],
    files: &[NamedRecord],
    selection: &Selection,
    (flags, reporter): (&Flags, &Reporter),
) -> Result<(), Failure> {
    let mut outcome = Outcome::default();
    outcome.add_all(outs, files, selection, (flags, reporter));
    outcome.finish()
}

/// Tests before a measurement whether files can show rows like these.
///
/// # Errors
/// E0608 for the files that cannot.
pub(crate) fn rehearse(
    outs: &[FigureFile],
    files: &[NamedRecord],
    selection: &Selection,
) -> Result<(), Failure> {
    let refused = outs.iter().filter_map(|out| out.contents(files, selection).err());
    let faults: Vec<Diagnostic> = refused.flat_map(|failure| failure.diagnostics).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.into()) }
}
