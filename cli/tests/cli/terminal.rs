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
fn typed_commands_write_outside_of_the_current_folder() {
    let (folder, outside) = (Folder::new(&[]), Folder::new(&[]));
    let mut terminal = Terminal::new(&folder, "");
    let file = |name: &str| outside.path(name).display().to_string();
    terminal.line("x := '01'", "");
    terminal.line(&format!(":dump x {}", file("x.stb")), "written");
    terminal.line(&format!(":save {}", file("s.star")), "written");
    assert_eq!(outside.names(), ["s.star", "x.stb"]);
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
fn a_history_replaces_no_other_file() {
    let program = "program Q; begin print(\"q\") end.\n";
    let folder = Folder::new(&[("q.star", program), ("notes.txt", "to do\n"), ("new", "")]);
    assert_eq!(folder.shell("ln q.star hard; ln -s notes.txt soft").code, 0);
    for (file, why) in [
        ("q.star", "the command reads this file"),
        ("hard", "the command reads this file"),
        ("notes.txt", "it is not a history"),
        ("soft", "it is not a history"),
        ("none/x", "folder `none` does not exist"),
    ] {
        let piped = folder.star_with_input(&["repl", "--history", file, "q.star"], "1\n");
        piped.fails(5, &["error[E0509]", why]);
        let line = format!(
            "script --quiet --return --command '$STAR repl --history {file} q.star' /dev/null"
        );
        let typed = folder.shell(&line);
        assert!(typed.code == 5 && typed.stdout.contains(why), "{typed:?}");
    }
    assert_eq!(std::fs::read_to_string(folder.path("q.star")).unwrap(), program);
    assert_eq!(std::fs::read_to_string(folder.path("notes.txt")).unwrap(), "to do\n");
    for _ in 0..2 {
        let mut terminal = Terminal::new(&folder, "--history new q.star");
        terminal.line("40 + 2", "\n42\r\n");
        assert_eq!(terminal.leave(), 0);
    }
    assert_eq!(std::fs::read_to_string(folder.path("new")).unwrap(), "#V2\n40 + 2\n");
    folder.write("state/star/history", b"program text\n");
    let mut terminal = Terminal::new(&folder, "");
    terminal.line("40 + 2", "\n42\r\n");
    assert_eq!(terminal.leave(), 0);
    let kept = std::fs::read_to_string(folder.path("state/star/history")).unwrap();
    assert_eq!(kept, "program text\n");
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

#[test]
fn every_line_of_an_entry_has_a_prompt() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.press("function TWICE(n: integer): integer;\r");
    terminal.wait_for("....> ");
    terminal.press("begin\r");
    terminal.wait_for("....> ");
    terminal.line("TWICE := 2 * n end;", "\r\n");
    terminal.line("TWICE(21)", "\n42\r\n");
    // The end of the input ends an incomplete entry, not the session.
    terminal.press("begin\r");
    terminal.wait_for("....> ");
    terminal.press("\x04");
    terminal.wait_for("missing `end`");
    terminal.wait_for("star> ");
    terminal.line("print(\"abc)", "this string is not closed");
    terminal.line("TWICE(2)", "\n4\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn names_are_completed_on_continuation_lines() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.line("counter := 5", "");
    terminal.press("print(1,\r");
    terminal.wait_for("....> ");
    terminal.line("count\t + 2)", "\n17\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn routines_in_a_row_are_separate_entries_as_in_a_pipe() {
    let lines = ["proc A; begin print(1) end;", "proc B; begin x := := end;", "A"];
    let folder = Folder::new(&[]);
    let piped = folder.star_with_input(&["repl"], &lines.join("\n"));
    piped.fails(1, &["unexpected `:=`"]);
    assert_eq!(piped.stdout, "1\n");
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.line(lines[0], "");
    terminal.line(lines[1], "unexpected `:=`");
    terminal.line(lines[2], "\n1\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn documentation_before_a_routine_is_kept_as_in_a_pipe() {
    let lines = ["/* Prints one. */", "proc A; begin print(1) end;", ":info A"];
    let folder = Folder::new(&[]);
    let piped = folder.star_with_input(&["repl"], &lines.join("\n"));
    assert!(piped.stdout.starts_with("/* Prints one. */\nproc A;\n"), "{piped:?}");
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.line(lines[0], "");
    terminal.line(lines[1], "");
    terminal.line(lines[2], "\n/* Prints one. */\r\nproc A;\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn escape_sequences_of_data_are_shown() {
    let program = "procedure P(s: string); begin print(s) end;\n\
        procedure SAME(T: table; var R: table); begin R := T end;";
    let folder = Folder::new(&[("p.star", program), ("t.csv", "name\n\u{1b}[31mred\n")]);
    let print = "$STAR run p.star --proc P s=$'\\e]0;title\\ax\\rY'";
    let csv = "$STAR run p.star --proc SAME T=t.csv --out 'R=like T:csv:-' 2>/dev/null";
    let at_terminal = |line: &str| {
        folder.write("line.sh", line.as_bytes());
        folder.shell("script --quiet --return --command 'bash line.sh' /dev/null").stdout
    };
    assert_eq!(folder.shell(print).stdout, "\u{1b}]0;title\u{7}x\rY\n");
    assert_eq!(at_terminal(print), "␛]0;title␇x␍Y\r\n");
    assert_eq!(folder.shell(csv).stdout, "name\n\u{1b}[31mred\n");
    assert_eq!(at_terminal(csv), "name\r\n␛[31mred\r\n");
    folder.write("r.star", b"program R; begin print(\"\x1b[2Jx\") end.");
    let mut terminal = Terminal::new(&folder, "--no-history r.star");
    terminal.line("R", "␛[2Jx\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn long_runs_show_their_duration() {
    let silent = "program P; var i: integer; begin while true do i:=1 end.";
    let printing = "program P; var i: integer; begin print(\"x\"); while true do i:=1 end.";
    let folder = Folder::new(&[("silent.star", silent), ("printing.star", printing)]);
    let shown = |line: &str| {
        folder.write("line.sh", line.as_bytes());
        folder.shell("TERM=xterm script --quiet --return --command 'bash line.sh' /dev/null").stdout
    };
    let ran = shown("$STAR run silent.star --max-time 5s");
    assert!(ran.contains("running silent.star: 2 s"), "{ran}");
    // What the program prints is not mixed with the line.
    let ran = shown("$STAR run printing.star --max-time 4s");
    assert!(ran.contains("x\r\n") && !ran.contains("running"), "{ran}");
    let piped = folder.star(&["run", "silent.star", "--max-time", "4s"]);
    assert!(!piped.stderr.contains("running"), "{piped:?}");
}

#[test]
fn pictures_are_shown_in_terminals_that_promise_a_protocol() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::with(&folder, "", ("KITTY_WINDOW_ID", "1"));
    terminal.press("var T: table(2,3)\r:draw T\r");
    terminal.wait_for("\x1b_Ga=T,f=100,m=");
    terminal.press("\x04");
    let mut other = Terminal::new(&folder, "");
    other.press("var T: table(2,3)\r:draw T\r");
    other.wait_for("this terminal shows no pictures");
    other.press("\x04");
}
