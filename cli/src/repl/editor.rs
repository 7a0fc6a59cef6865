//! `:edit`: a text in the user's editor.

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use star_base::{Code, Diagnostic};

use crate::text;

/// The variables that name the editor; the first that is set counts.
const VARIABLES: [&str; 2] = ["VISUAL", "EDITOR"];

/// The editors that are tried at a terminal if no variable is set.
const USUAL: [&str; 3] = ["sensible-editor", "nano", "vi"];

/// Tests whether a program is in a folder of `PATH`.
fn is_on_path(program: &str) -> bool {
    let paths = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// Runs the editor with a file that contains this text; returns the text that it leaves.
///
/// # Errors
/// E0608 if there is no editor or it fails, E0509 if the file cannot be written, E0110 and E0111 if
/// it cannot be read.
pub(super) fn edit(before: &str) -> Result<String, Diagnostic> {
    let set = |name: &&str| env::var(name).ok().filter(|value| !value.trim().is_empty());
    let usual = || USUAL.into_iter().find(|name| io::stdin().is_terminal() && is_on_path(name));
    let editor = VARIABLES.iter().find_map(set).or_else(|| usual().map(str::to_owned));
    let Some(editor) = editor else {
        return Err(Diagnostic::new(Code::Usage, "neither `VISUAL` nor `EDITOR` names an editor")
            .help("set one of them, as in `EDITOR=nano star repl`"));
    };
    let cannot = |code: Code, what: &str, error: &io::Error| {
        Diagnostic::new(code, format!("{what}: {}", text::reason(error)))
    };
    let unwritable =
        |error| cannot(Code::CannotWrite, "cannot write a file for the editor", &error);
    let mut file =
        tempfile::Builder::new().prefix("entry-").suffix(".star").tempfile().map_err(unwritable)?;
    file.write_all(before.as_bytes()).and_then(|()| file.flush()).map_err(unwritable)?;
    // An editor may replace the file, which the open handle would not show.
    let path = file.into_temp_path();
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).arg(&path);
    if !io::stdin().is_terminal() {
        // The lines of the session are not for the editor.
        command.stdin(Stdio::null());
    }
    let shown = text::one_line(&editor);
    let status = command.status().map_err(|error| {
        cannot(Code::Usage, &format!("cannot start the editor `{shown}`"), &error)
    })?;
    if !status.success() {
        let message = format!("the editor `{shown}` failed: {status}");
        return Err(Diagnostic::new(Code::Usage, message).note("nothing ran"));
    }
    let bytes = fs::read(&path)
        .map_err(|error| cannot(Code::SourceUnreadable, "cannot read the edited text", &error))?;
    String::from_utf8(bytes)
        .map_err(|_| Diagnostic::new(Code::NotUtf8, "the edited text is not valid UTF-8"))
}
