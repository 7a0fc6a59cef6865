//! A session at a terminal, the only module that uses rustyline.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, ExternalPrinter, Helper};
use star_base::Code;
use star_io::FileError;
use star_os::destination::Destination;
use star_os::failure::{Failure, internal};
use star_os::report::Reporter;
use star_repl::complete::{self, Disk, Names};
use star_repl::event::{Event, Sink};
use star_repl::session::{Completeness, Flow, Session};
use star_report::message::Style;

use super::plain::{FrontEnd, Plain};
use crate::text;

/// Maximum number of history entries.
const MAX_HISTORY: usize = 10_000;

/// The time between two comparisons of watched files.
const INTERVAL: Duration = Duration::from_millis(500);

/// The first line of a history.
const HISTORY_START: &[u8] = b"#V2\n";

/// The greeting above the first prompt.
const GREETING: &str = "`:help` lists the commands, Ctrl-D ends the session.\n";

/// The prompt.
const PROMPT: &str = "star> ";

/// The prompt of a line that continues an entry.
const CONTINUATION_PROMPT: &str = "....> ";

/// Reads entries until the user quits.
///
/// # Errors
/// If the terminal cannot be used.
pub(crate) fn run(
    session: &mut Session,
    history: Option<PathBuf>,
    sink: &mut Plain<'_>,
) -> Result<(), Failure> {
    let cannot = |error: ReadlineError| internal(&format!("cannot use the terminal: {error}"));
    let config = Config::builder().completion_type(CompletionType::List);
    let config = config.max_history_size(MAX_HISTORY);
    let config = config.and_then(|config| config.history_ignore_dups(true)).map_err(cannot)?;
    let mut editor: Editor<Typing, FileHistory> =
        Editor::with_history(config.build(), FileHistory::with_config(&Config::default()))
            .map_err(cannot)?;
    let style = sink.screen().style;
    editor.set_helper(Some(Typing {
        names: Names::default(),
        style,
        asked: false,
        entry: String::new(),
    }));
    let mut history = history.filter(|file| usable(file, sink));
    if let Some(file) = &history
        && let Err(error) = editor.load_history(file)
    {
        // The existing file is not a history: leave it unchanged.
        sink.show(Event::Note(&format!("cannot read the history in {}: {error}", file.display())));
        history = None;
    }
    sink.show(Event::Answer(GREETING));
    let editor = &RefCell::new(editor);
    // Answers to prompts of the session are typed, too.
    let answers = |plain: &mut Plain<'_>, prompt: &str| {
        plain.flush();
        let mut editor = editor.borrow_mut();
        if let Some(typing) = editor.helper_mut() {
            typing.asked = true;
        }
        let line = editor.readline(prompt);
        if let Some(typing) = editor.helper_mut() {
            typing.asked = false;
        }
        line.ok()
    };
    let mut printer = Printer::new(&mut editor.borrow_mut(), sink.reporter());
    let sink = &mut FrontEnd { plain: sink, answers, edited: None };
    loop {
        if let Some(typing) = editor.borrow_mut().helper_mut() {
            typing.names = complete::names(session);
        }
        let is_watched = session.watches();
        let mut reload = || {
            if let Some(printer) = &mut printer {
                session.catch_up(printer);
                printer.print();
            }
        };
        let reload: &mut dyn FnMut() = &mut reload;
        let read = entry(editor, is_watched.then_some(reload));
        match read {
            Ok(text) => {
                if text.trim().is_empty() {
                    continue;
                }
                let remember = |text: &str| {
                    let added = editor.borrow_mut().add_history_entry(text);
                    if let (Ok(true), Some(file)) = (added, &history) {
                        // Preserves entries if the session is killed; a failure is ignored.
                        let _ = editor.borrow_mut().append_history(file);
                    }
                };
                remember(&text);
                session.wake();
                let flow = session.block(&text, sink);
                sink.plain.flush();
                if let Some(edited) = sink.edited.take() {
                    remember(edited.trim_end());
                }
                if flow == Flow::Quit {
                    return Ok(());
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(cannot(error).into()),
        }
    }
}

/// Reads lines until they form an entry, and calls `idle` from time to time meanwhile. The end of
/// the input ends an incomplete entry, too.
fn entry(
    editor: &RefCell<Editor<Typing, FileHistory>>,
    mut idle: Option<&mut dyn FnMut()>,
) -> rustyline::Result<String> {
    let mut text = String::new();
    let mut read_so_far = Completeness::default();
    loop {
        let prompt = if text.is_empty() { PROMPT } else { CONTINUATION_PROMPT };
        // The session uses the editor for prompts, too.
        let mut editor = editor.borrow_mut();
        if let Some(typing) = editor.helper_mut() {
            typing.entry.clone_from(&text);
        }
        let read = match &mut idle {
            Some(idle) => read_line(&mut editor, prompt, &mut **idle),
            None => editor.readline(prompt),
        };
        if let Some(typing) = editor.helper_mut() {
            typing.entry.clear();
        }
        match read {
            Ok(line) => {
                text += &line;
                if read_so_far.add(&line) {
                    return Ok(text);
                }
            }
            Err(ReadlineError::Eof) if !text.is_empty() => return Ok(text),
            Err(error) => return Err(error),
        }
        text.push('\n');
    }
}

/// Reads a line in another thread, and calls `idle` from time to time meanwhile. Without a thread,
/// it is not called.
fn read_line(
    editor: &mut Editor<Typing, FileHistory>,
    prompt: &str,
    idle: &mut dyn FnMut(),
) -> rustyline::Result<String> {
    let (sender, receiver) = mpsc::channel();
    let read = thread::scope(|scope| {
        let reader = thread::Builder::new().spawn_scoped(scope, || {
            let read = editor.readline(prompt);
            drop(sender);
            read
        });
        let reader = reader.ok()?;
        let wait = || receiver.recv_timeout(INTERVAL);
        while wait() == Err::<(), _>(RecvTimeoutError::Timeout) {
            idle();
        }
        Some(reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    read.unwrap_or_else(|| editor.readline(prompt))
}

/// Events while a line is typed, which are shown above it.
struct Printer {
    texts: Sender<String>,
    reporter: Reporter,
    text: String,
}

impl Printer {
    /// Creates a printer for a terminal; `None` if the terminal or the system refuses it.
    fn new(editor: &mut Editor<Typing, FileHistory>, reporter: Reporter) -> Option<Self> {
        let mut terminal = editor.create_external_printer().ok()?;
        let (texts, receiver) = mpsc::channel::<String>();
        // The editor accepts no text while it searches the history, and the session goes on.
        let print = move || {
            let _ = receiver.iter().try_for_each(|text| terminal.print(text));
        };
        thread::Builder::new().spawn(print).ok()?;
        Some(Printer { texts, reporter, text: String::new() })
    }

    /// Shows the events so far.
    fn print(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            // The thread ends if the terminal is gone, which the editor reports.
            let _ = self.texts.send(text);
        }
    }
}

impl Sink for Printer {
    fn show(&mut self, event: Event<'_>) -> bool {
        match event {
            Event::Printed(text) | Event::Answer(text) => self.text += &text::printable(text),
            Event::Picture(text) => self.text += text,
            Event::Message(sources, diagnostic) => {
                self.text += &self.reporter.diagnostic_text(sources, diagnostic);
            }
            Event::Note(text) => self.text += &self.reporter.note_text(text),
            // Nothing that is loaded has a value to show.
            Event::Value { .. } => {}
        }
        true
    }

    fn width(&self) -> usize {
        80
    }
}

/// Tests whether the history can be kept in a file that the user named.
///
/// # Errors
/// E0509 if the file cannot be written, the session reads it, or it is not a history.
pub(crate) fn check_history(file: &Path) -> Result<(), FileError> {
    let name = file.display().to_string();
    let refused = |why: &str| {
        FileError::new(Code::CannotWrite, name.clone(), why)
            .help("a history needs a new or empty file; `--no-history` keeps none")
    };
    Destination::new(file, &name)?;
    match is_history(file) {
        Ok(true) => Ok(()),
        Ok(false) => Err(refused("it is not a history, and the history would replace it")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(refused(&format!("cannot read: {}", text::reason(&error)))),
    }
}

/// Tests whether the file begins as a history does, or is empty or a device.
fn is_history(file: &Path) -> io::Result<bool> {
    if !fs::metadata(file)?.is_file() {
        return Ok(true);
    }
    let mut start = Vec::new();
    File::open(file)?.take(HISTORY_START.len() as u64).read_to_end(&mut start)?;
    Ok(start.is_empty() || start == HISTORY_START)
}

/// Tests whether the history can be kept in the file, which is created with private permissions if
/// necessary.
fn usable(file: &Path, sink: &mut Plain<'_>) -> bool {
    let made = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(file)?;
        match is_history(file)? {
            true => Ok(()),
            false => Err(io::Error::other("the file is not a history")),
        }
    });
    if let Err(error) = &made {
        let (file, why) = (file.display(), text::reason(error));
        sink.show(Event::Note(&format!("the history cannot be kept in {file}: {why}")));
    }
    made.is_ok()
}

/// Editing support.
struct Typing {
    names: Names,
    style: Style,
    /// Whether the input is an answer rather than program text.
    asked: bool,
    /// The lines of an incomplete entry before this line, line breaks included.
    entry: String,
}

impl Helper for Typing {}

impl Completer for Typing {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        if self.asked {
            return Ok((position, Vec::new()));
        }
        let (before, text) = (self.entry.len(), self.entry.clone() + line);
        let found = complete::complete(&text, before + position, &self.names, &Disk);
        Ok((found.start.saturating_sub(before), found.candidates))
    }
}

impl Hinter for Typing {
    type Hint = Signature;

    fn hint(&self, line: &str, position: usize, _context: &Context<'_>) -> Option<Signature> {
        let at_end = position == line.len() && !self.asked;
        let hint = || complete::hint(&(self.entry.clone() + line), &self.names);
        at_end.then(hint).flatten().map(Signature)
    }
}

/// A hint that cannot be inserted.
struct Signature(String);

impl Hint for Signature {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Highlighter for Typing {
    fn highlight<'l>(&self, line: &'l str, _position: usize) -> Cow<'l, str> {
        match self.style {
            Style::Coloured if !self.asked => {
                let text = self.entry.clone() + line;
                Cow::Owned(complete::coloured(&text, self.entry.len()).into_owned())
            }
            Style::Coloured | Style::Plain => Cow::Borrowed(line),
        }
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        match self.style {
            Style::Coloured => Cow::Owned(format!("\x1b[2m{hint}\x1b[0m")),
            Style::Plain => Cow::Borrowed(hint),
        }
    }

    fn highlight_char(&self, _line: &str, _position: usize, kind: CmdKind) -> bool {
        self.style == Style::Coloured && kind != CmdKind::MoveCursor
    }
}

impl Validator for Typing {}

/// Returns the history file in the state folder.
pub(crate) fn history_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let state = folder("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.filter(|path| path.is_absolute());
    let home = || folder("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    Some(state.or_else(home)?.join("star/history"))
}
