//! A session independent of a terminal: it reads text and emits [`Event`]s.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use star::Machine;
pub use star::pipeline::Work;
use star::pipeline::{Group, RESULT, SessionState, groups};
use star_base::{Code, Diagnostic, Span, text};
use star_bind::RecordList;
use star_compiler::hir::TyKind;
use star_compiler::session::{self as compiler, Does, SessionLine};
use star_os::access::{Access, Grants};
use star_os::exit::Exit;
use star_os::flags::Flags;
use star_os::limits::LimitArgs;
use star_os::report::Reporter;
use star_os::versions::Versions;
use star_os::watchdog::{Bounds, Scope, Sentry};
use star_syntax::{Feed, Piece, PieceKind, Readiness, ast};

use super::answer::NextAnswer;
use super::command::{self, Command};
use super::event::{Event, Sink};
use super::execution::{How, Ran};
use super::log::{Did, End, Log};
use super::measure::Measured;
use super::offers::Offers;
use super::undo::Undo;
use super::view::View;

/// Maximum length of an entry in bytes.
const MAX_ENTRY_BYTES: usize = 16 << 20;

/// Definitions, variables and their values, and settings.
pub struct Session {
    pub(super) state: SessionState,
    pub(super) machine: Machine,
    pub(super) flags: Flags,
    /// Set while nothing runs.
    pub(super) idle: Arc<AtomicBool>,
    pub(super) settings: Settings,
    pub(super) access: Access,
    /// Whether a person types the commands, which may then write any file.
    pub(super) is_typed: bool,
    pub(super) reporter: Reporter,
    /// The loaded files, in order.
    pub(super) files: Vec<String>,
    pub(super) log: Log,
    pub(super) undo: Undo,
    /// Whether the session itself set the variable `ans`.
    pub(super) owns_answer: bool,
    /// The next value of `ans`.
    pub(super) next_answer: Option<NextAnswer>,
    /// The offers of `--graph`.
    pub(super) offers: Option<Offers>,
    /// The lists that lines read as tables.
    pub(super) lists: Vec<RecordList>,
    /// Whether `:dump` wrote a file.
    pub(super) dumped: bool,
    /// The text written by `:save` to each file.
    pub(super) saved: BTreeMap<PathBuf, String>,
    /// The resources of the lines that run, while they are measured.
    pub(super) measured: Option<Measured>,
    /// The text of the last entry.
    pub(super) last_entry: String,
    /// Whether an edited text runs.
    pub(super) is_editing: bool,
    /// The versions of the loaded files when they were loaded.
    pub(super) versions: Versions,
    /// The loaded files whose current texts could not be loaded.
    pub(super) stale: BTreeSet<String>,
    feed: Feed,
    /// The time taken to read the incomplete entry, without waiting for it.
    reading: Duration,
    /// The exit code of the first failure.
    first_failure: Option<Exit>,
}

/// The user's settings.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whether the time of each line is shown.
    pub time: bool,
    /// Whether loaded files are loaded again before an entry if they changed.
    pub watch: bool,
    /// Whether the elementary operations of each line are shown.
    pub cost: bool,
    /// The limits of a line.
    pub limits: LimitArgs,
    /// Default memory limit in bytes of values.
    pub memory: u64,
    /// Whether overflow of ADD and SUBT traps.
    pub checked: bool,
}

/// Control flow after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Continue with the next line.
    GoOn,
    /// Continue after a failure.
    Failed,
    /// Quit.
    Quit,
}

impl Session {
    /// Creates a session without definitions.
    ///
    /// # Errors
    /// If the current folder or a granted folder does not exist.
    pub fn new(
        machine: Machine,
        settings: Settings,
        reporter: Reporter,
        grants: Grants<'_>,
    ) -> Result<Self, Diagnostic> {
        Ok(Session {
            state: SessionState::new(&machine),
            machine,
            flags: Flags::default(),
            idle: Arc::new(AtomicBool::new(true)),
            settings,
            access: Access::of_session(grants)?,
            is_typed: false,
            reporter,
            files: Vec::new(),
            log: Log::default(),
            undo: Undo::default(),
            owns_answer: false,
            next_answer: None,
            offers: None,
            lists: Vec::new(),
            dumped: false,
            saved: BTreeMap::new(),
            measured: None,
            last_entry: String::new(),
            is_editing: false,
            versions: Versions::default(),
            stale: BTreeSet::new(),
            feed: Feed::new(),
            reading: Duration::ZERO,
            first_failure: None,
        })
    }

    /// Lets commands write any file: a person types them.
    pub fn allow_commands_to_write(&mut self) {
        self.is_typed = true;
    }

    /// Returns a read-only view of the variables.
    pub fn view(&self) -> View<'_> {
        View {
            environment: &self.state.environment,
            values: &self.state.values,
            lists: &self.lists,
            interrupt: &self.flags.interrupt,
        }
    }

    /// Returns the memory of all variables together, in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.settings.limits.max_memory.unwrap_or(self.settings.memory)
    }

    /// Starts a watchdog for the compiler, which cannot be interrupted, with the limits of a line.
    /// Without a thread, there is no watchdog.
    pub(super) fn sentry(&self) -> Sentry {
        let bounds = self.settings.limits.bounds(Scope::Session);
        let memory = self.memory();
        Sentry::over_compiler(&self.flags, Bounds { memory, ..bounds }, &self.reporter)
    }

    /// Starts the clock of a line, if its time is limited.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub(super) fn clock(&self) -> Result<Option<Sentry>, Diagnostic> {
        let most = self.settings.limits.max_time;
        most.map(|time| Sentry::clock(&self.flags, time)).transpose()
    }

    /// Returns the definitions.
    pub fn definitions(&self) -> &compiler::Session {
        &self.state.definitions
    }

    /// Returns the work done so far to run lines.
    pub fn work(&self) -> Work {
        self.state.work()
    }

    /// Makes the values of a graph available to undefined names.
    pub fn offer(&mut self, file: &str) {
        self.offers = Some(Offers::new(file));
    }

    /// Returns the flags that end a line.
    pub fn flags(&self) -> &Flags {
        &self.flags
    }

    /// Set while nothing runs.
    pub fn idle(&self) -> &Arc<AtomicBool> {
        &self.idle
    }

    /// Returns the exit code of the first failure.
    pub fn exit(&self) -> Exit {
        self.first_failure.unwrap_or(Exit::Success)
    }

    /// Starts a run: clears the flags, and lets Ctrl-C end the run.
    pub fn wake(&self) {
        self.idle.store(false, Ordering::Relaxed);
        self.flags.clear();
    }

    /// Ends a run: nothing is running.
    pub fn rest(&self) {
        self.idle.store(true, Ordering::Relaxed);
    }

    /// Reads a line of a pipe. An entry runs once it is clear that the line does not continue it.
    /// An entry that exceeds a limit has no end that is known, so that it ends the session.
    pub fn line(&mut self, line: &str, sink: &mut dyn Sink) -> Flow {
        let before = self.before(line, sink);
        if let Some(fault) = self.exceeded(line.len()) {
            self.feed.take();
            self.refuse(&fault.note("the rest of the input is ignored"), sink);
            return Flow::Quit;
        }
        match (before, self.next(line, sink)) {
            (Flow::Failed, Flow::GoOn) => Flow::Failed,
            (_, flow) => flow,
        }
    }

    /// Returns the error of an incomplete entry that exceeds a limit with this many more bytes.
    fn exceeded(&mut self, n_bytes: usize) -> Option<Diagnostic> {
        if self.feed.is_empty() {
            self.reading = Duration::ZERO;
        }
        if self.feed.text().len() + n_bytes > MAX_ENTRY_BYTES {
            let most = text::bytes(MAX_ENTRY_BYTES as u64);
            let message = format!("an entry is longer than {most}");
            return Some(Diagnostic::new(Code::SourceTooLarge, message));
        }
        let most = self.settings.limits.max_time?;
        (self.reading > most).then(|| {
            let fault = Diagnostic::new(Code::TimeLimit, "the time is up while reading an entry");
            fault.help("`--max-time` sets this limit")
        })
    }

    /// Runs a complete entry unless this line continues it.
    fn before(&mut self, line: &str, sink: &mut dyn Sink) -> Flow {
        let complete = self.feed.readiness() == Readiness::Complete;
        if complete && !self.feed.goes_on(line) { self.flush(sink) } else { Flow::GoOn }
    }

    /// Reads a line that continues the pending entry or begins a new one.
    fn next(&mut self, line: &str, sink: &mut dyn Sink) -> Flow {
        let alone = self.feed.readiness() == Readiness::Empty;
        if let Some(command) = command::line(line, alone) {
            let pending = self.feed.take();
            if !alone {
                self.last_entry = pending;
                if matches!(command, (Ok(Command::Undo), _)) {
                    sink.show(Event::Note("the incomplete lines were discarded, nothing else"));
                    return Flow::GoOn;
                }
                self.failed(Exit::Compile);
                sink.show(Event::Note(
                    "the incomplete lines before the command did not run; `:edit` opens them",
                ));
            }
            return match self.command(command, sink) {
                Flow::GoOn if !alone => Flow::Failed,
                flow => flow,
            };
        }
        if alone && command::is_farewell(line) && !self.means_something(line) {
            self.feed.take();
            return Flow::Quit;
        }
        let begun = Instant::now();
        let readiness = self.feed.line(line);
        self.reading += begun.elapsed();
        match readiness {
            Readiness::Complete if !self.feed.may_go_on() => self.flush(sink),
            Readiness::Empty if line.trim().is_empty() => {
                // Comments directly before a routine are its documentation and stay with it.
                self.feed.take();
                Flow::GoOn
            }
            Readiness::Complete | Readiness::Empty | Readiness::Open => Flow::GoOn,
        }
    }

    /// Ends the input: runs the pending entry, or reports what is missing.
    pub fn end(&mut self, sink: &mut dyn Sink) -> Flow {
        match self.feed.readiness() {
            Readiness::Empty => {
                self.feed.take();
                Flow::GoOn
            }
            Readiness::Complete | Readiness::Open => self.flush(sink),
        }
    }

    /// Reads a text that was typed or pasted as a whole. It stops at the first failed entry and
    /// reports what did not run.
    pub fn block(&mut self, text: &str, sink: &mut dyn Sink) -> Flow {
        let n_lines = text.lines().count();
        for (idx, line) in text.lines().enumerate() {
            // Lines count from 1; this is the first that does not run if this entry or the previous
            // one fails.
            let (flow, first) = match self.before(line, sink) {
                Flow::GoOn => (self.next(line, sink), idx + 2),
                flow @ (Flow::Failed | Flow::Quit) => (flow, idx + 1),
            };
            match flow {
                Flow::GoOn => {}
                Flow::Quit => return Flow::Quit,
                Flow::Failed => {
                    self.feed.take();
                    if first <= n_lines {
                        let which = match n_lines - first {
                            0 => format!("line {first}"),
                            _ => format!("lines {first} to {n_lines}"),
                        };
                        sink.show(Event::Note(&format!("{which} of this text did not run")));
                    }
                    return Flow::Failed;
                }
            }
        }
        match self.feed.readiness() {
            // The documentation of a routine that follows.
            Readiness::Empty => Flow::GoOn,
            Readiness::Complete | Readiness::Open => self.end(sink),
        }
    }

    fn flush(&mut self, sink: &mut dyn Sink) -> Flow {
        let text = self.feed.take();
        match self.enter(text, sink) {
            true => Flow::GoOn,
            false => Flow::Failed,
        }
    }

    pub(super) fn failed(&mut self, exit: Exit) {
        self.first_failure.get_or_insert(exit);
    }

    /// Processes and runs a text that can be undone; returns whether everything succeeded.
    fn enter(&mut self, text: String, sink: &mut dyn Sink) -> bool {
        self.load_changed(sink);
        self.note_stale(sink);
        self.begin_entry(&text);
        self.last_entry.clone_from(&text);
        let well = self.run_text(text, sink);
        self.end_entry();
        well
    }

    fn run_text(&mut self, text: String, sink: &mut dyn Sink) -> bool {
        let n_lines = text.trim_end().lines().count();
        let sentry = self.sentry();
        let typed = self.state.definitions.read(&self.state.environment, text);
        drop(sentry);
        if self.report(&typed.diagnostics, sink) {
            if n_lines > 1 {
                let message = format!("these {n_lines} lines form one entry, and none of them ran");
                sink.show(Event::Note(&message));
            }
            return false;
        }
        let mut groups = groups(typed.pieces).into_iter();
        while let Some(group) = groups.next() {
            let well = match group {
                Group::Items(items) => self.define(items, sink),
                Group::Lines(pieces) => self.lines(pieces, How::Whole, sink),
            };
            if !well {
                if groups.len() > 0 {
                    sink.show(Event::Note("the text after it did not run"));
                }
                return false;
            }
        }
        true
    }

    fn define(&mut self, items: Vec<ast::Item>, sink: &mut dyn Sink) -> bool {
        self.keep_definitions();
        let before = self.item_texts();
        let environment = &self.state.environment;
        let sentry = self.sentry();
        let defined = self.state.definitions.define(environment, items, &mut self.access.imports());
        drop(sentry);
        if !defined.items.is_empty() {
            self.entry_has_effect();
        }
        self.note_replaced_items(&before);
        self.tell(defined, sink)
    }

    pub(super) fn lines(&mut self, pieces: Vec<Piece>, how: How, sink: &mut dyn Sink) -> bool {
        if !self.take_offers(&pieces, sink) {
            return false;
        }
        let options = star_compiler::LowerOptions {
            checked: self.settings.checked,
            by_statement: how != How::Whole,
            ..star_compiler::LowerOptions::default()
        };
        let sentry = self.sentry();
        let lines = self.state.definitions.lines(&self.state.environment, pieces, &options);
        drop(sentry);
        if self.report(&lines.diagnostics, sink) {
            return false;
        }
        let well = self.run_lines(lines.lines, how, sink);
        self.set_answer();
        well
    }

    fn run_lines(&mut self, lines: Vec<SessionLine>, how: How, sink: &mut dyn Sink) -> bool {
        let mut lines = lines.into_iter();
        while let Some(line) = lines.next() {
            let span = line.span;
            let replaced = self.replaced(&line);
            let did = match &line.does {
                Does::Show(_) | Does::Run { value: Some(_), .. } => Some(Did::Showed),
                Does::Run { variables, .. } if !variables.is_empty() => None,
                Does::Run { .. } => Some(Did::Ran),
            };
            let ran = self.run_line(line, how, sink);
            match did {
                Some(did) => self.keep(span, did, ran),
                None if ran == Ran::Well => {
                    for (name, variable) in replaced {
                        self.log.end(&name, End::Replaced, variable);
                    }
                }
                None => {}
            }
            if ran == Ran::Not || ran == Ran::Wrong {
                if lines.len() > 0 {
                    sink.show(Event::Note("the text after it did not run"));
                }
                return false;
            }
        }
        true
    }

    fn run_line(&mut self, line: SessionLine, how: How, sink: &mut dyn Sink) -> Ran {
        match line.does {
            Does::Show(ref name) => self.show_variable(name, &line, sink),
            Does::Run { .. } => self.run(line, how, sink),
        }
    }

    fn show_variable(&mut self, name: &str, line: &SessionLine, sink: &mut dyn Sink) -> Ran {
        if self.state.values.ty(name).is_none() {
            let message = format!("`{name}` was never set");
            let mut diagnostic = Diagnostic::at(Code::UnsetTrap, line.span, message);
            if let Some(variable) = self.state.environment.get(name) {
                diagnostic = diagnostic.label(variable.span, "declared here");
            }
            self.report(&[diagnostic], sink);
            return Ran::Not;
        }
        sink.show(Event::Value { view: &self.view(), slot: name });
        self.show_marked(name, sink);
        self.answer_with_variable(name, line.span);
        Ran::Well
    }

    /// Shows the result of an expression, which becomes the answer.
    pub(super) fn show_result(&mut self, kind: TyKind, span: Span, sink: &mut dyn Sink) {
        sink.show(Event::Value { view: &self.view(), slot: RESULT });
        self.show_marked(RESULT, sink);
        self.answer(kind, span);
        self.state.values.forget(RESULT);
    }

    fn command(
        &mut self,
        (command, rest): (Result<Command, Diagnostic>, &str),
        sink: &mut dyn Sink,
    ) -> Flow {
        match command {
            Ok(command) => self.run_command(command, rest.trim(), sink),
            Err(diagnostic) => {
                self.refuse(&diagnostic, sink);
                Flow::Failed
            }
        }
    }
}

/// Recognition of complete text, line by line.
#[derive(Debug, Default)]
pub struct Completeness(Feed);

impl Completeness {
    /// Adds lines; returns whether the text is complete, so that it can run.
    pub fn add(&mut self, lines: &str) -> bool {
        let Completeness(feed) = self;
        for line in lines.lines() {
            if command::line(line, feed.is_empty()).is_some() {
                *feed = Feed::new();
            } else {
                if feed.readiness() == Readiness::Complete && !feed.goes_on(line) {
                    *feed = Feed::new();
                }
                feed.line(line);
            }
        }
        match feed.readiness() {
            Readiness::Open => false,
            // A blank line ends an entry that could continue.
            Readiness::Complete => !feed.may_go_on() || lines.trim().is_empty(),
            Readiness::Empty => true,
        }
    }
}

/// Tests whether the piece is a definition.
pub(super) fn is_item(piece: &Piece) -> bool {
    match piece.kind {
        PieceKind::Item(_) => true,
        PieceKind::Statements(_) | PieceKind::Value(_) | PieceKind::Variables(_) => false,
    }
}
