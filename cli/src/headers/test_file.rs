//! A file with headers: its routines as entries, with the values of functions as last arguments.

use std::path::{Path, PathBuf};

use star_base::{Code, Diagnostic, Kind, did_you_mean};
use star_compiler::{Compilation, Entry, LowerOptions};
use star_harness::{Expected, Header};
use star_ir::{Program, RoutineId};
use star_os::failure::internal;
use star_os::passes;
use star_os::sources::{FileLoader, LIBRARY};
use star_syntax::ast::RoutineKind;

use crate::function_entry;
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
        let compilation = star_compiler::check(file, &mut loader, &LIBRARY);
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
    /// The entry: the routine, or the wrapper that returns the value of a function as the last
    /// argument.
    pub(crate) id: RoutineId,
    /// The result type of a function.
    pub(crate) result: Option<Kind>,
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
        checked: bool,
        enabled: Option<&star_opt::Options>,
    ) -> Result<Self, Diagnostic> {
        let options = LowerOptions { checked, ..LowerOptions::default() };
        let lowered = star_compiler::lower(compilation, &options).map_err(|error| *error)?;
        let mut routines = Vec::new();
        let entries = compilation.entries();
        let ids: Option<Vec<RoutineId>> =
            entries.iter().map(|entry| lowered.routine(entry.id)).collect();
        let ids = ids.ok_or_else(|| internal("a routine was not lowered"))?;
        let mut program = lowered.program;
        if let Some(enabled) = enabled {
            passes::optimise(&mut program, enabled)?;
        }
        for (entry, found) in entries.into_iter().zip(ids) {
            let function = program.routine(found);
            let result = function.result.map(|value| function.var(value).ty.kind());
            let id = function_entry::with_result(&mut program, found).unwrap_or(found);
            routines.push(Routine { entry, id, result });
        }
        Ok(Runnable { program, routines })
    }

    /// Returns the routine of a header: the one named after `run`, else the program, else the only
    /// one not used in expectations of a header.
    ///
    /// # Errors
    /// E0703 if there is none or more than one.
    pub(crate) fn of_header(
        &self,
        header: &Header,
        headers: &[Header],
    ) -> Result<&Routine, Diagnostic> {
        if let Some(name) = &header.routine {
            return self.named(name);
        }
        let is_program = |routine: &&Routine| routine.entry.kind == RoutineKind::Program;
        if let Some(program) = self.routines.iter().find(is_program) {
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
        let is_helper = |routine: &&Routine| helpers.contains(&routine.entry.name.as_str());
        let mut others = self.routines.iter().filter(|routine| !is_helper(routine));
        match (others.next(), others.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => {
                Err(Diagnostic::at(Code::BadHeader, header.span, "no routine for this header"))
            }
            (Some(_), Some(_)) => {
                let names = self.routines.iter().map(|routine| &routine.entry.name);
                let message = "ambiguous routine: add a `run NAME` line";
                Err(Diagnostic::at(Code::BadHeader, header.span, message)
                    .help(format!("write `run NAME`: {}", text::quoted_list(names))))
            }
        }
    }

    /// Returns the routine named in a header.
    ///
    /// # Errors
    /// E0703 if the file has no routine with that name.
    pub(crate) fn named(&self, name: &star_harness::Name) -> Result<&Routine, Diagnostic> {
        let wanted = &name.text;
        let mut routines = self.routines.iter();
        if let Some(routine) = routines.find(|routine| routine.entry.name == *wanted) {
            return Ok(routine);
        }
        let message = format!("the file has no routine `{wanted}`");
        let fault = Diagnostic::at(Code::BadHeader, name.span, message).note(
            "to use a routine of another file or of the library, call it in a routine of \
                this file",
        );
        let names = self.routines.iter().map(|routine| routine.entry.name.as_str());
        Err(match did_you_mean(wanted, names) {
            Some(meant) => fault.help(format!("did you mean `{meant}`?")),
            None => fault,
        })
    }
}
