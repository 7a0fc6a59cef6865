//! Commands for files and pictures: `:load`, `:reload`, `:dump`, `:draw`.

use std::path::PathBuf;

use star_base::text;
use star_base::{Code, Diagnostic};
use star_bind::encoding::{self, WriteStyle};
use star_compiler::read_source;
use star_compiler::session::Defined;
use star_io::FileError;
use star_os::failure::refused_by_backend;
use star_os::save;
use star_os::sources::STDIN;
use star_value::Value;

use super::command::Command;
use super::commands::usage;
use super::event::{Event, Sink};
use super::session::Session;

impl Session {
    /// Loads the items of a file.
    pub fn load(&mut self, path: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let mut imports = self.access.imports().stopped_by(&self.flags);
        // The file may be a pipe without a writer: its reading can be interrupted.
        let clock = self.clock()?;
        let read = read_source(path, &mut imports);
        drop(clock);
        let stopped = self.flags.stop();
        self.flags.clear();
        let mut defined = match (read, stopped) {
            (Ok(file), _) => {
                self.keep_definitions();
                let _sentry = self.sentry();
                self.state.definitions.load(&self.state.environment, file, &mut imports)
            }
            (Err(diagnostic), stopped) => {
                let diagnostic = stopped.map_or(*diagnostic, |code| not_read(code, path));
                Defined { diagnostics: vec![diagnostic], ..Defined::default() }
            }
        };
        let names: Vec<String> = defined.items.iter().map(|item| item.name.clone()).collect();
        // One note covers all of them.
        let refused = !std::mem::take(&mut defined.refused).is_empty();
        if !self.tell(defined, sink) || refused {
            let message = format!("nothing was loaded from `{}`", text::one_line(path));
            sink.show(Event::Note(&message));
            return Ok(());
        }
        if !self.files.iter().any(|file| file == path) {
            self.files.push(path.to_owned());
        }
        self.note_versions();
        self.entry_has_effect();
        let mut text = match names.as_slice() {
            [] => format!("{path}: no definitions\n"),
            names => format!("{path}: {}\n", names.join(", ")),
        };
        if let Some(program) = self.state.definitions.program().filter(|name| names.contains(name))
        {
            text += &format!("`{program}` runs the program\n");
        }
        sink.show(Event::Answer(&text));
        Ok(())
    }

    pub(super) fn reload(&mut self, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        if self.files.is_empty() {
            return Err(Diagnostic::new(Code::Usage, "no file was loaded")
                .help("`:load FILE` loads the routines and constants of a file"));
        }
        self.begin_entry(":reload");
        let loaded = self.files.clone().iter().try_for_each(|file| self.load(file, sink));
        self.end_entry();
        loaded
    }

    /// Returns the path of a file that a command writes. Commands from a pipe or a file have the
    /// rights of `write`.
    ///
    /// # Errors
    /// E0510 if writing is not allowed.
    pub(super) fn written_by_command(&self, file: &str) -> Result<PathBuf, FileError> {
        if self.is_typed {
            return Ok(PathBuf::from(file));
        }
        self.access
            .for_writing(file)
            .map_err(|error| error.help("commands typed at a terminal may write any file"))
    }

    /// Writes a variable to a data file.
    pub(super) fn dump(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let Some((name, file)) = rest.split_once(char::is_whitespace) else {
            return Err(usage(Command::Dump));
        };
        let file = one_file(Command::Dump, file)?;
        let value = self.value_of(name)?;
        let path = |file: &str| self.written_by_command(file);
        let written = match value.bits() {
            Some(bits) => save::write_named(file, bits, &path, WriteStyle::default(), &self.flags),
            None => encoding::writable(&value, file).map(|_| ()),
        };
        written.map_err(|error| error.to_diagnostic())?;
        sink.show(Event::Answer(&format!("{file}: written\n")));
        Ok(())
    }

    /// Draws a variable in the terminal.
    pub(super) fn draw(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        if rest.is_empty() || rest.contains(char::is_whitespace) {
            return Err(usage(Command::Draw));
        }
        let value = self.value_of(rest)?;
        let Some(bits) = value.bits() else {
            let message = format!("`{}` has no bits to draw", text::one_line(rest));
            return Err(Diagnostic::new(Code::Usage, message));
        };
        sink.draw(bits)
    }

    /// Returns the value of a variable of the session.
    fn value_of(&mut self, name: &str) -> Result<Value, Diagnostic> {
        let variable = self.state.environment.get(name);
        if variable.and_then(|variable| variable.kind.known()).is_none() {
            let message = format!("`{}` is not a variable", text::one_line(name));
            let names = self.state.environment.iter().map(|(name, _)| name);
            let diagnostic = Diagnostic::new(Code::UnknownName, message);
            return Err(match star_base::did_you_mean(name, names) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic,
            });
        }
        let value = self.state.values.store(name, &self.flags.interrupt);
        value.map_err(|error| refused_by_backend(&format!("no memory to read `{name}`"), &error))
    }
}

/// Returns the error for a source file whose reading a flag ended.
fn not_read(code: Code, path: &str) -> Diagnostic {
    let path = text::one_line(path);
    match code {
        Code::TimeLimit => Diagnostic::new(code, format!("the time is up while reading `{path}`"))
            .help("`:limits time=TIME` sets this limit"),
        _ => Diagnostic::new(code, format!("interrupted while reading `{path}`")),
    }
}

/// Returns the file of `:load`.
///
/// # Errors
/// E0608 if there is not exactly one, or it is standard input, which the session itself reads.
pub(super) fn loaded_file(argument: &str) -> Result<&str, Diagnostic> {
    match one_file(Command::Load, argument)? {
        STDIN => {
            let message = "the session itself reads standard input";
            Err(Diagnostic::new(Code::Usage, message).help("name a file, as in `:load a.star`"))
        }
        file => Ok(file),
    }
}

/// Returns the only file name of an argument, without its quotes.
pub(super) fn one_file(command: Command, argument: &str) -> Result<&str, Diagnostic> {
    let argument = argument.trim();
    let quoted = argument.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    match quoted.unwrap_or(argument) {
        "" => Err(usage(command)),
        name if quoted.is_some() || !name.contains(char::is_whitespace) => Ok(name),
        names => {
            let shown = text::one_line(names);
            let message = format!("expected one file name, found `{shown}`");
            let quoted = format!("a name with blanks must be quoted: `\"{shown}\"`");
            Err(Diagnostic::new(Code::Usage, message).help(quoted))
        }
    }
}
