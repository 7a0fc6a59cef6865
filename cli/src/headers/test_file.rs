//! A file with headers: its routines as entries, with the values of functions as last arguments.

use std::path::{Path, PathBuf};

use star::pipeline::{self, Build, EntryPoint};
use star_base::{Code, Diagnostic};
use star_compiler::{Compilation, Entry, LowerOptions};
use star_harness::{Expected, Header, Name};
use star_ir::Program;
use star_os::sources::FileLoader;
use star_syntax::ast::RoutineKind;

use crate::text;

/// A file with headers.
pub(crate) struct Subject {
    /// Its name.
    pub(crate) file: String,
    /// The checked file, possibly with errors.
    pub(crate) compilation: Compilation,
    /// Its headers.
    pub(crate) headers: Vec<Header>,
    /// The errors of its headers.
    pub(crate) faults: Vec<Diagnostic>,
}

impl Subject {
    /// Reads and checks a file without reporting to the user.
    pub(crate) fn read(file: &str, mut loader: FileLoader) -> Self {
        let compilation = pipeline::check(file, &mut loader);
        let (headers, faults) = super::of_root(&compilation);
        Subject { file: file.to_owned(), compilation, headers, faults }
    }

    /// Returns the folder to which file names in headers are relative.
    pub(crate) fn folder(&self) -> PathBuf {
        let path = Path::new(&self.file);
        let folder = path.parent().filter(|_| path.is_file());
        folder.map(Path::to_owned).unwrap_or_default()
    }
}

impl Subject {
    /// Returns the errors of the file itself, those of its headers excepted.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.compilation.diagnostics.iter().filter(|diagnostic| diagnostic.is_error())
    }

    /// Tests whether the position of a diagnostic, or another one that it names, is on this line of
    /// the file.
    pub(crate) fn is_on_line(&self, message: &Diagnostic, line: u64) -> bool {
        let sources = &self.compilation.sources;
        message.labels.iter().any(|label| {
            let file = sources.get(label.span.file);
            let of_root = Some(label.span.file) == self.compilation.root_file();
            let at = file.map(|file| file.line_column(label.span.start as usize).line as u64);
            of_root && at == Some(line)
        })
    }
}

/// A routine of the file.
#[derive(Clone, Debug)]
pub(crate) struct Routine {
    /// Its name and parameters.
    pub(crate) entry: Entry,
    /// Where it is entered.
    pub(crate) point: EntryPoint,
}

/// A runnable file.
pub(crate) struct Runnable {
    /// The complete program.
    pub(crate) program: Program,
    /// Its routines in order.
    pub(crate) routines: Vec<Routine>,
}

impl Runnable {
    /// Lowers a file without errors and applies the passes in `enabled`, if any.
    ///
    /// # Errors
    /// An internal error.
    pub(crate) fn of(
        compilation: &Compilation,
        options: &LowerOptions,
        enabled: Option<&star_opt::Options>,
    ) -> Result<Self, Diagnostic> {
        let mut build = Build::new(compilation, options, enabled)?;
        let routines = compilation.entries().into_iter().map(|entry| {
            let point = build.entry_point(entry.id)?;
            Ok(Routine { entry, point })
        });
        let routines = routines.collect::<Result<Vec<Routine>, Diagnostic>>()?;
        Ok(Runnable { program: build.lowered.program, routines })
    }

    /// Returns the routine of a header: see [`routine_of`].
    ///
    /// # Errors
    /// E0703 if there is none or more than one.
    pub(crate) fn of_header(
        &self,
        header: &Header,
        headers: &[Header],
    ) -> Result<&Routine, Diagnostic> {
        let entries: Vec<&Entry> = self.routines.iter().map(|routine| &routine.entry).collect();
        Ok(&self.routines[routine_of(header, headers, &entries)?])
    }

    /// Returns the routine named in a header.
    ///
    /// # Errors
    /// E0703 if the file has no routine with that name.
    pub(crate) fn named(&self, name: &Name) -> Result<&Routine, Diagnostic> {
        let entries: Vec<&Entry> = self.routines.iter().map(|routine| &routine.entry).collect();
        Ok(&self.routines[named(name, &entries)?])
    }
}

/// Returns the index of the routine of a header: the one named after `run`, else the program, else
/// the only one not used in expectations of a header.
///
/// # Errors
/// E0703 if there is none or more than one.
pub(super) fn routine_of(
    header: &Header,
    headers: &[Header],
    entries: &[&Entry],
) -> Result<usize, Diagnostic> {
    if let Some(name) = &header.routine {
        return named(name, entries);
    }
    if let Some(program) = entries.iter().position(|it| it.kind == RoutineKind::Program) {
        return Ok(program);
    }
    let helpers: Vec<&str> = headers
        .iter()
        .flat_map(|header| &header.expectations)
        .filter_map(|expectation| match &expectation.what {
            Expected::Ensures(name) | Expected::SameAs(name) => Some(name.text.as_str()),
            Expected::Value { .. } | Expected::Fails { .. } | Expected::Prints(_) => None,
        })
        .collect();
    let is_helper = |idx: &usize| helpers.contains(&entries[*idx].name.as_str());
    let mut others = (0..entries.len()).filter(|idx| !is_helper(idx));
    match (others.next(), others.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => {
            Err(Diagnostic::at(Code::BadHeader, header.span, "no routine for this header"))
        }
        (Some(_), Some(_)) => {
            let names = entries.iter().map(|entry| &entry.name);
            let message = "ambiguous routine: add a `run NAME` line";
            Err(Diagnostic::at(Code::BadHeader, header.span, message)
                .help(format!("write `run NAME`: {}", text::quoted_list(names))))
        }
    }
}

/// Returns the index of the routine with this name.
fn named(name: &Name, entries: &[&Entry]) -> Result<usize, Diagnostic> {
    entries.iter().position(|entry| entry.name == name.text).ok_or_else(|| {
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        super::no_routine(&name.text, name.span, &names)
    })
}
