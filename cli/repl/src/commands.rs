//! Implementation of the commands, except those on files.

use std::rc::Rc;

use star::Machine;
use star::pipeline::{SessionState, Values};
use star_base::text;
use star_base::{Builtin, Code, Diagnostic, Span, did_you_mean};
use star_compiler::hir::TyKind;
use star_compiler::session::{Variable, span_of};
use star_doc::catalogue::Catalogue;
use star_doc::search::{Found, search};
use star_doc::{chapters, plain};
use star_ir::{Extent, Ty};
use star_os::failure::{not_shown, refused_by_backend};
use star_os::limits::default_memory;
use star_os::size_args::{available_memory, parse_count, parse_size, parse_time_limit};
use star_syntax::ast;
use star_value::{Value, display};
use star_vm::BackendError;

use super::command::{Argument, Command};
use super::event::{Event, Sink};
use super::execution::How;
use super::files::loaded_file;
use super::page::refused;
use super::program::Over;
use super::session::{Flow, Session, is_item};
use super::show;
use super::step::Stops;

/// Maximum length of a value in a list of variables.
const MAX_VALUE: usize = 60;

impl Session {
    /// Executes a command.
    pub(super) fn run_command(
        &mut self,
        command: Command,
        rest: &str,
        sink: &mut dyn Sink,
    ) -> Flow {
        if command.argument() == Argument::None && !rest.is_empty() {
            let about = format!("`:{}` takes no arguments", command.name());
            self.refuse(&usage(command).note(about), sink);
            return Flow::Failed;
        }
        let done = match command {
            Command::Quit => return Flow::Quit,
            Command::Help => self.help(rest, sink),
            Command::Load => loaded_file(rest).and_then(|file| {
                self.begin_entry(&format!(":load {rest}"));
                let loaded = self.load(file, sink);
                self.end_entry();
                loaded
            }),
            Command::Reload => self.reload(sink),
            Command::Type => self.type_of(rest, sink),
            Command::Vars => self.vars(sink),
            Command::Info => self.info(rest, sink),
            Command::Show => self.show(rest, sink),
            Command::Step => self.step(rest, sink),
            Command::Page => self.page(rest, sink),
            Command::Draw => self.draw(rest, sink),
            Command::Time => self.time(rest, sink),
            Command::Watch => switch(command, rest, self.settings.watch).map(|(on, answer)| {
                self.settings.watch = on;
                self.note_versions();
                sink.show(Event::Answer(&answer));
            }),
            Command::Cost => switch(command, rest, self.settings.cost).map(|(on, answer)| {
                self.settings.cost = on;
                sink.show(Event::Answer(&answer));
            }),
            Command::Backend => self.backend(rest, sink),
            Command::Limits => self.set_limits(rest, sink),
            Command::Edit => match self.edit(rest, sink) {
                Ok(flow) => return flow,
                Err(diagnostic) => Err(diagnostic),
            },
            Command::Undo => self.undo(sink),
            Command::Delete => self.delete(rest, sink),
            Command::Save => self.save(rest, Over::OwnText, sink),
            Command::SaveOver => self.save(rest, Over::Anything, sink),
            Command::Dump => self.dump(rest, sink),
            Command::Reset => {
                self.reset();
                sink.show(Event::Answer("variables and definitions deleted\n"));
                Ok(())
            }
        };
        match done {
            Ok(()) => Flow::GoOn,
            Err(diagnostic) => {
                self.refuse(&diagnostic, sink);
                Flow::Failed
            }
        }
    }

    fn help(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let width = sink.width();
        if rest.is_empty() {
            let rows = Command::ALL.iter().map(|command| {
                let (usage, about) = command.usage();
                plain::described(&format!("  {usage}"), about, 25, width)
            });
            let rows: String = rows.collect();
            let text = "Enter a statement, a definition, or an expression, whose value is shown. \
                Assigning to a new name creates a variable.\n\n";
            let text = plain::wrapped(text, width) + &rows;
            let end = "\nCommands can be abbreviated to a unique prefix.\n";
            sink.show(Event::Answer(&(text + end)));
            return Ok(());
        }
        if let Some(name) = rest.strip_prefix(':')
            && let Some((found, _)) = super::command::line(&format!(":{name}"), true)
        {
            let (usage, about) = found?.usage();
            sink.show(Event::Answer(&plain::wrapped(&format!("{usage}\n   {about}\n"), width)));
            return Ok(());
        }
        if let Some(variable) = self.state.environment.get(rest) {
            let ty = self.type_text(rest, variable);
            sink.show(Event::Answer(&format!("{rest}: {ty}, a variable of this session\n")));
            return Ok(());
        }
        if let Some(item) = self.state.definitions.item(rest) {
            let header = self.header_of(item);
            sink.show(Event::Answer(&header));
            return Ok(());
        }
        if let Some(code) = Code::parse(rest) {
            let page = code.explanation().trim_end();
            sink.show(Event::Answer(&plain::wrapped(page, width)));
            return Ok(());
        }
        let catalogue = Catalogue::library(&star_os::sources::LIBRARY);
        let sections = chapters::find(rest);
        if !sections.is_empty() {
            sink.show(Event::Answer(&plain::wrapped(&plain::sections(&sections), width)));
            return Ok(());
        }
        let topics = catalogue.find(rest);
        let is_command = Command::ALL.iter().any(|command| command.name() == rest);
        let looks = topics.is_err() && !is_command && !catalogue.is_unknown_module(rest);
        let found = if looks { search(&catalogue, rest) } else { Found::default() };
        if !found.hits.is_empty() {
            let page = plain::hits(&found, &text::one_line(rest), ":help", width);
            sink.show(Event::Answer(&text::printable(&page)));
            return Ok(());
        }
        let topics = topics.map_err(|mut diagnostic| {
            if is_command {
                diagnostic.help = vec![format!("`:help :{rest}` describes the command")];
                return diagnostic;
            }
            diagnostic.help.retain(|help| help.starts_with("did you mean"));
            for help in &mut diagnostic.help {
                *help = help.replace("star doc", ":help");
            }
            diagnostic
        })?;
        let page = plain::topics(&catalogue, &topics, width);
        sink.show(Event::Answer(&text::printable(&page)));
        Ok(())
    }

    /// Returns a definition of the session: its preceding comment and its header.
    fn header_of(&self, item: &ast::Item) -> String {
        let sources = self.state.definitions.sources();
        match item {
            ast::Item::Import { path, .. } => format!("import \"{path}\";\n"),
            ast::Item::Const { name, value } => {
                format!("const {} = {};\n", name.name, sources.slice(value.span))
            }
            ast::Item::Type(one) => {
                format!("{}{}\n", self.comment_of(one.span), sources.slice(one.span))
            }
            ast::Item::Routine(routine) => {
                let comment = self.comment_of(routine.span);
                format!("{comment}{};\n", sources.slice(routine.header))
            }
        }
    }

    /// Returns the comment directly before a routine, followed by a line break, or nothing.
    pub(super) fn comment_of(&self, routine: Span) -> String {
        let file = self.state.definitions.sources().get(routine.file);
        let before = file.and_then(|file| file.text().get(..routine.start as usize));
        let before = before.unwrap_or("");
        let comment = before.trim_end();
        let near = before[comment.len()..].matches('\n').count() <= 1;
        match comment.rfind("/*") {
            Some(at) if near && comment.ends_with("*/") => format!("{}\n", &comment[at..]),
            Some(_) | None => String::new(),
        }
    }

    fn type_of(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        if rest.is_empty() {
            return Err(usage(Command::Type));
        }
        let typed = self.state.definitions.read(&self.state.environment, rest.to_owned());
        if typed.diagnostics.iter().any(Diagnostic::is_error) {
            self.report(&typed.diagnostics, sink);
            return Ok(());
        }
        let declared = match typed.pieces.as_slice() {
            [piece] => {
                self.state.environment.get(self.state.definitions.sources().slice(piece.span))
            }
            _ => None,
        };
        if let Some(variable) = declared {
            let name = self.state.definitions.sources().slice(typed.pieces[0].span);
            let ty = self.type_text(name, variable);
            let lies = self.state.values.table_layout(name).map(|layout| format!(": {layout}"));
            sink.show(Event::Answer(&format!("{ty}{}\n", lies.unwrap_or_default())));
            return Ok(());
        }
        match self.state.definitions.type_of(&self.state.environment, typed.pieces) {
            Ok(Some(kind)) => {
                sink.show(Event::Answer(&format!("{}\n", kind.name())));
                Ok(())
            }
            Ok(None) => {
                Err(Diagnostic::new(Code::Usage, "this is not an expression, so it has no type"))
            }
            Err(diagnostics) => {
                self.report(&diagnostics, sink);
                Ok(())
            }
        }
    }

    /// Returns the type of a variable with its current or declared sizes.
    fn type_text(&self, name: &str, variable: &Variable) -> String {
        let word = variable.kind.name();
        let size = |extent: Extent| match extent {
            Extent::Const(n) => n.to_string(),
            Extent::Var(_) | Extent::Dynamic => "?".to_owned(),
        };
        match (self.state.values.ty(name), variable.sizes) {
            (Some(Ty::Table(rows, _)), _) if variable.record.is_some() => {
                let record = variable.record.as_deref().map(ToString::to_string);
                format!("{word}({}) of {}", size(rows), record.unwrap_or_default())
            }
            (Some(Ty::Slice(n) | Ty::Word(n)), _) => format!("{word}({})", size(n)),
            (Some(Ty::Table(rows, columns)), _) => {
                format!("{word}({}, {})", size(rows), size(columns))
            }
            (None, [Some(n), None]) => format!("{word}({n})"),
            (None, [Some(rows), Some(columns)]) => format!("{word}({rows}, {columns})"),
            (Some(Ty::Int | Ty::Bool | Ty::Str | Ty::Handle), _) | (None, [None, _]) => {
                word.to_owned()
            }
        }
    }

    fn vars(&mut self, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let rows: Vec<(String, String, String)> = self
            .state
            .environment
            .iter()
            .map(|(name, variable)| {
                let value = self.short_value(name, variable);
                (name.to_owned(), self.type_text(name, variable), value)
            })
            .collect();
        let widest = |of: fn(&(String, String, String)) -> usize| rows.iter().map(of).max();
        let names = widest(|row| row.0.chars().count()).unwrap_or(0);
        let types = widest(|row| row.1.chars().count()).unwrap_or(0);
        let text = rows.iter().map(|(name, ty, value)| {
            format!("{name:<names$}  {ty:<types$}  {value}").trim_end().to_owned() + "\n"
        });
        let text: String = text.collect();
        sink.show(Event::Answer(match text.as_str() {
            "" => "no variables\n",
            text => text,
        }));
        Ok(())
    }

    /// Formats a value on one line, without reading large tables.
    fn short_value(&self, name: &str, variable: &Variable) -> String {
        if self.state.values.ty(name).is_none() {
            return "unset".to_owned();
        }
        match variable.kind {
            TyKind::Table | TyKind::Handle | TyKind::Error => return String::new(),
            TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Slice | TyKind::Word => {}
        }
        match self.state.values.store(name, &self.flags.interrupt) {
            Ok(value) => {
                let shown = display::short(display::Shown::from(&value));
                match shown.chars().nth(MAX_VALUE) {
                    Some(_) if matches!(value, Value::Slice(_) | Value::Word(_)) => shown,
                    Some(_) => shown.chars().take(MAX_VALUE).chain(['…']).collect(),
                    None => shown,
                }
            }
            Err(error) => not_shown(&error),
        }
    }

    fn info(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        if rest.is_empty() {
            return Err(usage(Command::Info));
        }
        let sources = self.state.definitions.sources();
        let place = |span: Span| {
            sources.get(span.file).map_or_else(String::new, |file| {
                let at = file.line_column(span.start as usize);
                format!("{}:{}:{}", file.name(), at.line, at.column)
            })
        };
        if let Some(variable) = self.state.environment.get(rest) {
            let ty = self.type_text(rest, variable);
            let unsized_one = variable.sizes == [None, None];
            let size = match variable.kind {
                TyKind::Slice | TyKind::Word if unsized_one => {
                    "; every assignment may change its size"
                }
                TyKind::Table if unsized_one => "; it may grow",
                TyKind::Int
                | TyKind::Bool
                | TyKind::Str
                | TyKind::Slice
                | TyKind::Word
                | TyKind::Table
                | TyKind::Handle
                | TyKind::Error => "",
            };
            let from = place(variable.span);
            let text = format!("variable {rest}: {ty}, from {from}{size}\n");
            sink.show(Event::Answer(&text));
            return Ok(());
        }
        if let Some(item) = self.state.definitions.item(rest) {
            let from = place(span_of(item));
            let broken = match self.state.definitions.broken().any(|name| name == rest) {
                true => "it no longer matches the routines that it calls, and cannot be called\n",
                false => "",
            };
            let text = format!("{}from {from}\n{broken}", self.header_of(item));
            sink.show(Event::Answer(&text));
            return Ok(());
        }
        let catalogue = Catalogue::library(&star_os::sources::LIBRARY);
        if Builtin::find(rest).is_some() || catalogue.find(rest).is_ok() {
            return self.help(rest, sink);
        }
        let names = self.state.environment.iter().map(|(name, _)| name);
        let names = names.chain(self.state.definitions.visible_names());
        let message = format!("`{}` is neither a variable nor a routine", text::one_line(rest));
        let diagnostic = Diagnostic::new(Code::UnknownName, message);
        Err(match did_you_mean(rest, names) {
            Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
            None => diagnostic,
        })
    }

    fn show(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        if self.show_records(rest, sink)? {
            return Ok(());
        }
        let view = self.view();
        let text = show::parse(rest, &|name| show::number(&view, name))
            .and_then(|request| show::requested(&view, &request, sink.screen()))
            .map_err(refused)?;
        sink.show(Event::Picture(&text));
        Ok(())
    }

    fn step(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let (stops, text) = match rest.strip_prefix("all") {
            Some(text) if text.starts_with(char::is_whitespace) => (Stops::None, text),
            Some(_) | None => (Stops::Every, rest),
        };
        if text.trim().is_empty() {
            return Err(usage(Command::Step));
        }
        let typed = self.state.definitions.read(&self.state.environment, text.trim().to_owned());
        if self.report(&typed.diagnostics, sink) {
            return Ok(());
        }
        if typed.pieces.iter().any(is_item) {
            let message = "a definition cannot be stepped through";
            return Err(Diagnostic::new(Code::Usage, message).help(Command::Step.usage().0));
        }
        self.begin_entry(&format!(":step {rest}"));
        self.lines(typed.pieces, How::Steps(stops), sink);
        self.end_entry();
        Ok(())
    }

    fn backend(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        if rest.is_empty() {
            let rows = star::pipeline::backends::names().map(|name| {
                let mark = if name == self.machine.caps().name { "*" } else { " " };
                format!("{mark} {name}\n")
            });
            sink.show(Event::Answer(&rows.collect::<String>()));
            return Ok(());
        }
        let machine = Machine::find(rest).map_err(|mut diagnostic| {
            for help in &mut diagnostic.help {
                *help = help.replace("did you mean `", "did you mean `:backend ");
            }
            diagnostic
        })?;
        self.settings.limits.limits(&machine)?;
        let mut values = Values::new(Rc::clone(&machine.backend));
        for (name, variable) in self.state.environment.iter() {
            let value = self.state.values.store(name, &self.flags.interrupt);
            let moved = value.and_then(|value| values.load(name, value, variable.is_fixed()));
            moved.map_err(|error| {
                let what = format!("cannot move `{name}`");
                let mut diagnostic = refused_by_backend(&what, &error);
                if error == BackendError::Interrupted {
                    diagnostic.message = format!("{what}: interrupted");
                }
                diagnostic.note("no values were moved")
            })?;
        }
        let lost = self.state.environment.iter().filter(|(name, variable)| {
            variable.kind == TyKind::Handle && self.state.values.ty(name).is_some()
        });
        let lost: Vec<&str> = lost.map(|(name, _)| name).collect();
        if !lost.is_empty() {
            let names = text::quoted_list(&lost);
            sink.show(Event::Note(&format!(
                "handles cannot be transferred to this backend; now \
                unset: {names}"
            )));
        }
        self.state.values = values;
        self.settings.memory = default_memory(&machine.caps(), available_memory());
        self.machine = machine;
        Ok(())
    }

    fn set_limits(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let mut limits = self.settings.limits.clone();
        for word in rest.split_whitespace() {
            let bad = |why: &str| {
                let message = format!("`{}`: {why}", text::one_line(word));
                Diagnostic::new(Code::Usage, message).help(Command::Limits.usage().0)
            };
            let (name, value) = word.split_once('=').ok_or_else(|| bad("expected `name=value`"))?;
            let none = value == "none";
            match name {
                "steps" if none => limits.max_steps = None,
                "memory" if none => limits.max_memory = None,
                "time" if none => limits.max_time = None,
                "steps" => limits.max_steps = Some(parse_count(value).map_err(|why| bad(&why))?),
                "memory" => limits.max_memory = Some(parse_size(value).map_err(|why| bad(&why))?),
                "time" => limits.max_time = Some(parse_time_limit(value).map_err(|why| bad(&why))?),
                _ => return Err(bad("expected `steps`, `memory` or `time`")),
            }
        }
        limits.limits(&self.machine)?;
        self.settings.limits = limits;
        let limits = &self.settings.limits;
        let shown = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
        let text = format!(
            "steps   {}\nmemory  {}\ntime    {}\n",
            shown(limits.max_steps.map(|n| n.to_string())),
            text::bytes(limits.max_memory.unwrap_or(self.settings.memory)),
            shown(limits.max_time.map(|time| format!("{time:?}"))),
        );
        sink.show(Event::Answer(&text));
        Ok(())
    }

    fn reset(&mut self) {
        self.state = SessionState::new(&self.machine);
        self.log.clear();
        self.forget_entries();
        self.owns_answer = false;
        self.files.clear();
        self.stale.clear();
        self.dumped = false;
        self.lists.clear();
        self.last_entry.clear();
    }
}

/// Returns the message for a command whose argument is missing.
pub(super) fn usage(command: Command) -> Diagnostic {
    let (usage, about) = command.usage();
    Diagnostic::new(Code::Usage, format!("expected `{usage}`: {about}"))
}

/// Applies `on`, `off` or nothing to a switch; returns the new state and the answer.
fn switch(command: Command, rest: &str, now: bool) -> Result<(bool, String), Diagnostic> {
    let on = match rest {
        "on" => true,
        "off" => false,
        "" => !now,
        _ => return Err(usage(command)),
    };
    let word = if on { "on" } else { "off" };
    Ok((on, format!("{} {word}\n", command.name())))
}
