//! `star repl` at a terminal, provided by `script` of util-linux, so that keys are processed.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::support::Folder;

/// Generous, since test machines are busy.
const BOUND: Duration = Duration::from_secs(60);

/// A session at a separate terminal.
pub(crate) struct Terminal {
    child: Child,
    shown: Receiver<Vec<u8>>,
    text: String,
}

impl Terminal {
    pub(crate) fn new(folder: &Folder, arguments: &str) -> Self {
        Terminal::with(folder, arguments, ("NO_COLOR", "1"))
    }

    /// Starts a session with this environment variable.
    pub(crate) fn with(folder: &Folder, arguments: &str, variable: (&str, &str)) -> Self {
        let star = env!("CARGO_BIN_EXE_star");
        let line = format!("stty cols 80 rows 24; exec '{star}' repl {arguments}");
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]);
        command.current_dir(folder.path("")).env_remove("NO_COLOR").env("TERM", "xterm");
        command.env(variable.0, variable.1);
        command.env("XDG_STATE_HOME", folder.path("state"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let (sender, shown) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n) = output.read(&mut bytes) {
                if n == 0 || sender.send(bytes[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mut terminal = Terminal { child, shown, text: String::new() };
        terminal.wait_for("`:help` lists the commands, Ctrl-D ends the session.");
        terminal.wait_for("star> ");
        terminal
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(keys.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Waits until this text is shown, and discards the output up to then.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, wanted: &str) {
        let begun = Instant::now();
        loop {
            if let Some(at) = self.text.find(wanted) {
                self.text.drain(..at + wanted.len());
                return;
            }
            assert!(begun.elapsed() < BOUND, "no `{wanted}` in {:?}", self.text);
            if let Ok(bytes) = self.shown.recv_timeout(Duration::from_millis(100)) {
                self.text.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
    }

    /// Types a line and waits for its output and the next prompt.
    #[track_caller]
    pub(crate) fn line(&mut self, line: &str, shows: &str) {
        self.press(&format!("{line}\r"));
        self.wait_for(shows);
        self.wait_for("star> ");
    }

    /// Quits with Ctrl-D; returns the exit code.
    pub(crate) fn leave(mut self) -> i32 {
        self.press("\x04");
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(begun.elapsed() < BOUND, "it does not end: {:?}", self.text);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A failed test must not leave a process running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn lines_are_edited_and_found_in_the_history() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "");
    terminal.line("x := 40", "");
    // Two extra characters, deleted.
    terminal.line("x + 2ab\x7f\x7f", "\n42\r\n");
    // Several lines form one entry.
    terminal.press("begin x := x + 1;\r");
    terminal.press("x := x + 1 end\r");
    terminal.wait_for("star> ");
    terminal.line("x * 10", "\n420\r\n");
    assert_eq!(terminal.leave(), 0);

    let history = std::fs::read_to_string(folder.path("state/star/history")).unwrap();
    let entries: Vec<&str> = history.lines().skip(1).collect();
    assert_eq!(entries, ["x := 40", "x + 2", "begin x := x + 1;\\nx := x + 1 end", "x * 10"]);

    let mut terminal = Terminal::new(&folder, "");
    terminal.line("x := 1", "");
    // Three times up: past `x := 1` and `x * 10` to the complete entry of two lines.
    terminal.press("\x1b[A\x1b[A\x1b[A\r");
    terminal.wait_for("star> ");
    terminal.line("x", "\n3\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn ctrl_c_discards_the_line_or_ends_the_computation() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.line("x := 1", "");
    terminal.press("x := 2; begin\r");
    terminal.press("this is dropped \x03");
    terminal.wait_for("star> ");
    terminal.line("x + 100", "\n101\r\n");
    for round in 0..2 {
        terminal.press("begin print(\"begun\"); while true do x := 7 end\r");
        terminal.wait_for("begun\r\n");
        std::thread::sleep(Duration::from_millis(100 + 200 * round));
        terminal.press("\x03");
        terminal.wait_for("error[L0106]: interrupted here");
        terminal.wait_for("star> ");
    }
    terminal.line("x + 100", "\n107\r\n");
    assert_eq!(terminal.leave(), 0);
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn pasted_text_runs_until_an_error() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    // The marks that terminals add to pasted text.
    let paste = |text: &str| format!("\x1b[200~{text}\x1b[201~\r");
    terminal.press(&paste(
        "a := 1\nif a = 2 then print(\"no\")\nelse print(\"yes\")\nprint(b)\na := 5\na := 6",
    ));
    terminal.wait_for("yes\r\n");
    terminal.wait_for("`b` is not declared");
    terminal.wait_for("lines 5 to 6 of this text did not run");
    terminal.wait_for("star> ");
    terminal.line("a + 100", "\n101\r\n");
    terminal.press("proc P;\rbegin print(\"in P\")\rend\r");
    terminal.wait_for("star> ");
    terminal.line("P", "in P\r\n");
    assert_eq!(terminal.leave(), 0);
}

/// A terminal that does not mark pasted text, and typing faster than the session.
#[test]
fn lines_that_arrive_together_all_run() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.press("x := 1\ry := x + 1\rx + y + 100\r");
    terminal.wait_for("\n103\r\n");
    terminal.wait_for("star> ");
    assert_eq!(terminal.leave(), 0);
}
