//! Commands for files and pictures: `:load`, `:reload`, `:dump`, `:draw`.

use std::path::PathBuf;

use star_base::text;
use star_base::{Code, Diagnostic};
use star_bind::encoding::{self, WriteStyle};
use star_bind::load::list_formats;
use star_bind::result_table;
use star_bind::{RecordList, ResultForm, Rows};
use star_compiler::read_source;
use star_compiler::session::{Defined, FieldKind};
use star_io::{FileError, Format};
use star_ir::{Extent, Ty};
use star_os::failure::refused_by_backend;
use star_os::save;
use star_os::sources::STDIN;
use star_value::{BitsRef, Value};

use super::command::Command;
use super::commands::usage;
use super::event::{Event, Sink};
use super::session::Session;

/// Maximum number of records shown at once.
const MAX_RECORDS: usize = 1000;

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
                let before = self.item_texts();
                let sentry = self.sentry();
                let environment = &self.state.environment;
                let defined = self.state.definitions.load(environment, file, &mut imports);
                drop(sentry);
                self.note_replaced_items(&before);
                defined
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
            if self.files.iter().any(|file| file == path) {
                self.stale.insert(path.to_owned());
            }
            return Ok(());
        }
        self.stale.remove(path);
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

    /// Writes a variable to a data file: as `FORM:FILE` states, or as records if the fields of the
    /// table are known and the format has lists, or else its bits.
    pub(super) fn dump(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let Some((name, file)) = rest.split_once(char::is_whitespace) else {
            return Err(usage(Command::Dump));
        };
        // A form may contain blanks, also without quotes.
        let file = match ResultForm::prefix(file.trim()) {
            Some((form, end)) if !form.starts_with('"') && !end.contains(char::is_whitespace) => {
                file.trim()
            }
            Some(_) | None => one_file(Command::Dump, file)?,
        };
        let value = self.by_columns(name)?;
        let of = self.dump_value(name, &value, file).map_err(|error| error.to_diagnostic())?;
        let file = ResultForm::prefix(file).map_or(file, |(_, end)| end);
        self.dumped = true;
        let of = of.map_or_else(String::new, |of| format!(", as records of {of}"));
        sink.show(Event::Answer(&format!("{file}: written{of}\n")));
        Ok(())
    }

    /// Returns the value of a variable; a table is packed by columns.
    fn by_columns(&mut self, name: &str) -> Result<Value, Diagnostic> {
        let value = self.value_of(name)?;
        let Value::Table(table) = &value else { return Ok(value) };
        if table.columns().is_some() {
            return Ok(value);
        }
        let columns = table.view().to_columns();
        let columns = columns.map_err(|_| no_memory(name, "").to_diagnostic())?;
        Ok(Value::from(columns.into_owned()))
    }

    /// Shows `NAME rows of TABLE` or `NAME like TABLE` as records; returns `false` for another
    /// argument.
    pub(super) fn show_records(
        &mut self,
        rest: &str,
        sink: &mut dyn Sink,
    ) -> Result<bool, Diagnostic> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let (name, form, table) = match words[..] {
            [name, "rows", "of", table] => (name, ResultForm::RowsOf(table.to_owned()), table),
            [name, "like", table] => (name, ResultForm::Like(table.to_owned()), table),
            _ => return Ok(false),
        };
        let value = self.by_columns(name)?;
        let Some(bits) = value.bits() else {
            let message = format!("`{}` has no rows to show", text::one_line(name));
            return Err(Diagnostic::new(Code::Usage, message));
        };
        let rows = self.rows_meant_by(&form, table, "");
        let data = rows.and_then(|rows| form.data(bits, Some(&rows), None, ""));
        let data = data.map_err(|error| error.to_diagnostic())?;
        let (mut shown, mut n_lines) = (String::new(), 0);
        result_table::write_text(&data, None, &mut |line| {
            n_lines += 1;
            // The names of the fields are a line, too.
            let fits = n_lines <= MAX_RECORDS + 1;
            shown += if fits { line } else { "…\n" };
            fits
        });
        sink.show(Event::Answer(&text::printable(&shown)));
        Ok(true)
    }

    /// Writes a value; returns the list or table whose records it has without a form that says so.
    fn dump_value(
        &self,
        name: &str,
        value: &Value,
        file: &str,
    ) -> Result<Option<String>, FileError> {
        let path = |file: &str| self.written_by_command(file);
        let Some(bits) = value.bits() else {
            return encoding::writable(value, file).map(|_| None);
        };
        let (form, end) = ResultForm::split(file)?;
        let has_lists = || {
            let format = Format::of_path(end);
            format.is_some_and(|format| list_formats().contains(&format))
        };
        let is_table = matches!(bits, BitsRef::Table(_));
        let list = (form.is_none() && is_table && has_lists())
            .then(|| self.fields_of(name, bits.shape().1))
            .flatten();
        let form = form.or_else(|| list.as_ref().map(|_| ResultForm::Like(name.to_owned())));
        let Some((form, table)) = form.as_ref().and_then(|form| Some((form, form.parameter()?)))
        else {
            save::write_named(file, bits, &path, WriteStyle::default(), &self.flags)?;
            return Ok(None);
        };
        let rows = self.rows_meant_by(form, table, end)?;
        let data = form.data(bits, Some(&rows), None, end)?;
        save::write_form(form, &data, end, &path, &self.flags)?;
        Ok(list.map(|list| list.name))
    }

    /// Returns the meaning of the rows of a table of the session.
    ///
    /// # Errors
    /// E0507 if it is not a table, or its fields are not known.
    fn rows_meant_by(&self, form: &ResultForm, table: &str, file: &str) -> Result<Rows, FileError> {
        let shown = text::one_line(table);
        let refused = |message: String| FileError::new(Code::NoSuchLayout, file, message);
        let shape = match self.state.values.ty(table) {
            Some(Ty::Table(_, Extent::Const(n_cols))) => usize::try_from(n_cols).ok(),
            _ => None,
        };
        let n_cols = shape.ok_or_else(|| refused(format!("`{shown}` is not a table")))?;
        let list = self.fields_of(table, n_cols).ok_or_else(|| {
            let unknown = refused(format!("the fields of `{shown}` are not known"));
            let why = "they come from a record type, or the only list of this width that was read";
            let help = format!("name the fields and their bits, as in `records x=16 y=16:{file}`");
            if file.is_empty() { unknown.note(why) } else { unknown.note(why).help(help) }
        })?;
        let ResultForm::RowsOf(_) = form else { return Ok(Rows::Typed { list, of_file: None }) };
        let value = self.state.values.store(table, &self.flags.interrupt);
        let Ok(Value::Table(rows)) = value else { return Err(no_memory(table, file)) };
        let rows = rows.view().to_columns().map_err(|_| no_memory(table, file))?;
        Ok(Rows::Records { numbers: list.records(&rows)?, fields: 0..0, widths: Vec::new() })
    }

    /// Returns the fields of a table: those of its record type, or of the list that was read with
    /// rows of this width.
    fn fields_of(&self, table: &str, n_cols: usize) -> Option<RecordList> {
        let variable = self.state.environment.get(table);
        match variable.and_then(|variable| variable.record.as_deref()) {
            Some(record) => {
                let fields = record.fields.iter().map(|field| {
                    let is_signed = field.kind == FieldKind::Signed;
                    (field.name.as_str(), field.columns.len(), is_signed)
                });
                let plain = RecordList::plain(table, fields)?;
                // The last list that was read into such records has their texts.
                let read = self.lists.iter().rfind(|list| list.has_fields_of(&plain));
                Some(read.cloned().unwrap_or(plain))
            }
            None => RecordList::of_width(&self.lists, n_cols).cloned(),
        }
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

fn no_memory(name: &str, file: &str) -> FileError {
    let message = format!("no memory to read `{}`", text::one_line(name));
    FileError::new(Code::DoesNotFit, file, message)
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
    let quoted = quoted.filter(|name| !name.contains('"'));
    match quoted.unwrap_or(argument) {
        "" => Err(usage(command)),
        name if quoted.is_some() || !name.contains(char::is_whitespace) => Ok(name),
        names => {
            let shown = text::one_line(names);
            let message = format!("expected one file name, found `{shown}`");
            let refused = Diagnostic::new(Code::Usage, message);
            Err(match names.contains('"') {
                true => refused,
                false => refused.help(format!("a name with blanks must be quoted: `\"{shown}\"`")),
            })
        }
    }
}
