//! A session at a terminal: the only place that knows rustyline.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Editor, Helper};

use super::event::{Event, Sink};
use super::plain::Plain;
use super::session::{Flow, Session};
use crate::failure::{Failure, internal};
use crate::text;

/// Entries of the history that are kept.
const MAX_HISTORY: usize = 10_000;

/// The prompt.
const PROMPT: &str = "star> ";

/// Reads texts until the user leaves.
///
/// # Errors
/// If the terminal cannot be used.
pub(crate) fn run(
    session: &mut Session,
    history: Option<PathBuf>,
    sink: &mut Plain<'_>,
) -> Result<(), Failure> {
    let cannot = |error: ReadlineError| internal(&format!("the terminal cannot be used: {error}"));
    let config = Config::builder().max_history_size(MAX_HISTORY);
    let config = config.and_then(|config| config.history_ignore_dups(true)).map_err(cannot)?;
    let mut editor: Editor<Typing, FileHistory> =
        Editor::with_history(config.build(), FileHistory::with_config(&Config::default()))
            .map_err(cannot)?;
    editor.set_helper(Some(Typing));
    let history = history.filter(|file| usable(file, sink));
    if let Some(file) = &history
        && let Err(error) = editor.load_history(file)
    {
        // What is there is not ours: it is left as it is.
        sink.show(Event::Note(&format!("the history in {} is not read: {error}", file.display())));
    }
    loop {
        match editor.readline(PROMPT) {
            Ok(text) => {
                if text.trim().is_empty() {
                    continue;
                }
                let added = editor.add_history_entry(&text);
                if let (Ok(true), Some(file)) = (added, &history) {
                    // A session that is killed keeps what was typed; failing to is no reason to stop.
                    let _ = editor.append_history(file);
                }
                session.wake();
                let flow = session.block(&text, sink);
                sink.flush();
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

/// Can the history be kept there? It is made if it is not there, for the user's eyes only.
fn usable(file: &Path, sink: &mut Plain<'_>) -> bool {
    let made = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(file).map(drop)
    });
    if let Err(error) = &made {
        let (file, why) = (file.display(), text::reason(error));
        sink.show(Event::Note(&format!("what is typed is not kept in {file}: {why}")));
    }
    made.is_ok()
}

/// What helps while a text is typed.
struct Typing;

impl Helper for Typing {}

impl Completer for Typing {
    type Candidate = String;
}

impl Hinter for Typing {
    type Hint = String;
}

impl Highlighter for Typing {}

impl Validator for Typing {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match Session::is_complete(context.input()) {
            true => ValidationResult::Valid(None),
            false => ValidationResult::Incomplete,
        })
    }
}

/// Where the lines are kept: the folder for the state of programs.
pub(crate) fn history_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let state = folder("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.filter(|path| path.is_absolute());
    let home = || folder("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    Some(state.or_else(home)?.join("star/history"))
}
