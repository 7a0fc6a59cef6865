//! Export of the session as a program: `:save`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use star_base::text;
use star_base::{Builtin, Code, Diagnostic, SourceFile};
use star_compiler::Formatter;
use star_compiler::session::span_of;
use star_os::destination::Destination;
use star_os::file_roles::Writer;
use star_os::sources::LIBRARY;
use star_syntax::ast;

use super::answer::ANSWER;
use super::command::Command;
use super::event::{Event, Sink};
use super::files::one_file;
use super::saved::SavedProgram;
use super::session::Session;

/// Maximum number of lines listed in a note.
const MAX_LINES: usize = 10;

/// What saving may overwrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// The text that this session last wrote to the file.
    OwnText,
    /// Any contents.
    Anything,
}

impl Session {
    /// Writes the definitions and entered lines as a program.
    pub(super) fn save(
        &mut self,
        rest: &str,
        over: Over,
        sink: &mut dyn Sink,
    ) -> Result<(), Diagnostic> {
        let command = match over {
            Over::OwnText => Command::Save,
            Over::Anything => Command::SaveOver,
        };
        let file = one_file(command, rest)?;
        if self.comes_from(file) {
            let message = format!("`{}` was loaded into this session", text::one_line(file));
            return Err(Diagnostic::new(Code::Usage, message)
                .note("saving the session there would replace its text")
                .help("save the session under another name"));
        }
        let saved = self.saved_program();
        let source = SourceFile::new(file, self.as_program(&saved));
        let formatted = Formatter::new(LIBRARY).format(&source, &mut self.access.imports());
        // Text that does not parse stays unformatted and is reported below.
        let program = formatted.unwrap_or_else(|_| source.text().to_owned());
        let path = self.written_by_command(file).map_err(|error| error.to_diagnostic())?;
        let place = Destination::with_extension_by(Writer::User, &path, file, &["star"])
            .map_err(|error| error.to_diagnostic())?;
        let replaces = place.is_regular() && Path::new(file).exists();
        if replaces && over == Over::OwnText && !self.wrote_last(file) {
            let shown = text::one_line(file);
            let message = format!("`{shown}` has contents that this session did not write");
            return Err(
                Diagnostic::new(Code::Usage, message).help(format!("`:save! {shown}` replaces it"))
            );
        }
        place.write_text(&program, &self.flags).map_err(|error| error.to_diagnostic())?;
        if let Ok(path) = fs::canonicalize(file) {
            self.saved.insert(path, program.clone());
        }
        let done = if replaces { "replaced" } else { "written" };
        sink.show(Event::Answer(&format!("{file}: {done}\n")));
        for difference in saved.differences {
            sink.show(Event::Note(&difference));
        }
        if self.dumped {
            let note = "the program does not repeat `:dump`; `write` writes bits, and `--out` of \
                        `star run` a `var` parameter";
            sink.show(Event::Note(note));
        }
        if !place.is_regular() {
            return Ok(());
        }
        let folder = Path::new(file).parent().filter(|folder| !is_current(folder));
        if let Some(folder) = folder.filter(|_| self.names_files()) {
            let folder = text::one_line(&folder.display().to_string());
            sink.show(Event::Note(&format!(
                "the names of files in the program are relative to `{folder}`, those in the \
                    session to the current folder: edit the names by hand"
            )));
        }
        let checked = star::pipeline::check(file, &mut self.access.imports());
        let wrong = checked.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        let mut lines = BTreeSet::new();
        for diagnostic in wrong {
            sink.show(Event::Message(&checked.sources, diagnostic));
            let at = diagnostic.span();
            let place = at.and_then(|at| Some((checked.sources.get(at.file)?, at.start as usize)));
            lines.extend(place.map(|(source, start)| source.line_column(start).line));
        }
        if !lines.is_empty() {
            let shown = text::listed(lines.iter().map(ToString::to_string), MAX_LINES);
            let what = if lines.len() == 1 { "line" } else { "lines" };
            sink.show(Event::Note(&format!(
                "{what} {shown} of {file} cannot be part of a program: edit the file by hand"
            )));
        }
        Ok(())
    }

    /// Tests whether the program imports, reads or writes files.
    fn names_files(&self) -> bool {
        let is_access =
            |name: &String| matches!(Builtin::find(name), Some(Builtin::Read | Builtin::Write));
        let definitions = &self.state.definitions;
        let mut imports = definitions.imports();
        imports.any(|(path, _)| !path.starts_with("star:"))
            || definitions.items().iter().any(|item| self.names_in(item).iter().any(is_access))
            || self.log.lines.iter().any(|line| line.others.iter().any(is_access))
    }

    /// Tests whether the contents of the file are exactly those that the session last wrote.
    fn wrote_last(&self, file: &str) -> bool {
        let written = fs::canonicalize(file).ok().and_then(|path| self.saved.get(&path));
        written.is_some_and(|text| fs::read(file).is_ok_and(|now| now == text.as_bytes()))
    }

    /// Tests whether definitions of the session come from this file.
    fn comes_from(&self, file: &str) -> bool {
        let Ok(file) = fs::canonicalize(file) else { return false };
        let imported =
            self.state.definitions.imports().map(|(path, importer)| relative_to(path, importer));
        let mut sources = self.files.iter().map(PathBuf::from).chain(imported);
        sources.any(|source| fs::canonicalize(source).is_ok_and(|source| source == file))
    }

    /// Returns the statements and variables of the program.
    fn saved_program(&self) -> SavedProgram {
        let is_taken = |name: &str| {
            let mut known = self.state.definitions.visible_names();
            known.any(|other| other.eq_ignore_ascii_case(name))
        };
        let answer = self.owns_answer.then_some(ANSWER);
        self.log.program(&self.state.environment, &is_taken, answer)
    }

    fn as_program(&self, saved: &SavedProgram) -> String {
        let mut program = String::new();
        for (path, importer) in self.state.definitions.imports() {
            program += &format!("import \"{}\";\n", relative_to(path, importer).display());
        }
        for item in self.state.definitions.items() {
            program += &self.item_text(item);
        }
        saved.items.iter().for_each(|text| program += text);
        let variables = saved.variables.iter().map(|(name, variable)| {
            let word = variable.kind.name();
            match (&variable.record, variable.sizes) {
                (Some(of), [Some(rows), _]) => format!("{name}: {word}({rows}) of {of};"),
                (_, [Some(rows), Some(columns)]) => format!("{name}: {word}({rows}, {columns});"),
                (_, [Some(n), None]) => format!("{name}: {word}({n});"),
                (_, [None, _]) => format!("{name}: {word};"),
            }
        });
        let variables: Vec<String> = variables.collect();
        if variables.is_empty() && self.log.is_empty() {
            return program;
        }
        program += &format!("\nprogram {};\n", self.free_name(saved));
        if !variables.is_empty() {
            program += &format!("var\n  {}\n", variables.join("\n  "));
        }
        let body: String = saved.body.lines().map(|line| format!("  {line}\n")).collect();
        program + &format!("begin\n{body}end.\n")
    }

    /// Returns the text of a definition in the exported program.
    pub(super) fn item_text(&self, item: &ast::Item) -> String {
        let sources = self.state.definitions.sources();
        match item {
            ast::Item::Import { .. } => String::new(),
            ast::Item::Const { name, value } => {
                format!("const {} = {};\n", name.name, sources.slice(value.span))
            }
            ast::Item::Type(one) => {
                format!("{}{}\n", self.comment_of(one.span), sources.slice(one.span))
            }
            ast::Item::Routine(routine) => {
                let text = sources.slice(span_of(item)).trim_end_matches([';', '.']);
                let comment = self.comment_of(routine.span);
                match routine.kind {
                    ast::RoutineKind::Procedure | ast::RoutineKind::Function => {
                        format!("\n{comment}{text};\n")
                    }
                    // Only one program is allowed; others become callable procedures.
                    ast::RoutineKind::Program => {
                        let behind = text.get("program".len()..).unwrap_or("");
                        format!("\n{comment}procedure{behind};\n")
                    }
                }
            }
        }
    }

    /// Returns an unused name for the program.
    fn free_name(&self, saved: &SavedProgram) -> String {
        let taken = |name: &str| {
            let variables = saved.variables.iter().map(|(name, _)| name.as_str());
            let mut known = variables.chain(self.state.definitions.visible_names());
            known.any(|other| other.eq_ignore_ascii_case(name))
        };
        let mut name = "SESSION".to_owned();
        let mut n = 1_u64;
        while taken(&name) {
            n += 1;
            name = format!("SESSION{n}");
        }
        name
    }
}

/// Tests whether a folder is the current one.
fn is_current(folder: &Path) -> bool {
    let same = |current: PathBuf| fs::canonicalize(folder).is_ok_and(|folder| folder == current);
    folder.as_os_str().is_empty() || std::env::current_dir().is_ok_and(same)
}

/// Returns the path of an import relative to the current folder.
pub(super) fn relative_to(path: &str, importer: &str) -> PathBuf {
    match Path::new(importer).parent() {
        Some(folder) if !path.starts_with("star:") => folder.join(path),
        Some(_) | None => PathBuf::from(path),
    }
}
