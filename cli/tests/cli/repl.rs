//! `star repl` from a pipe: transcripts in `repl/*.txt`. A transcript contains the arguments,
//! files, input, output (standard output and standard error in the order of a terminal) and exit
//! code. `STAR_BLESS=1` updates the output.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Folder, Ran};

/// A transcript file.
struct Transcript {
    arguments: String,
    /// Names and texts.
    files: Vec<(String, String)>,
    input: String,
    expected: String,
}

impl Transcript {
    fn parse(text: &str) -> Transcript {
        let (head, rest) = text.split_once("---- input\n").expect("`---- input`");
        let (input, expected) = rest.split_once("---- output\n").expect("`---- output`");
        let mut lines = head.lines();
        let arguments =
            lines.next().expect("the command").trim_start_matches("star repl").to_owned();
        let mut files: Vec<(String, String)> = Vec::new();
        for line in lines {
            match (line.strip_prefix("file "), files.last_mut()) {
                (Some(name), _) => files.push((name.to_owned(), String::new())),
                (None, Some((_, text))) => {
                    text.push_str(line.strip_prefix("  ").unwrap_or(line));
                    text.push('\n');
                }
                (None, None) => panic!("`{line}` belongs to no file"),
            }
        }
        Transcript { arguments, files, input: input.to_owned(), expected: expected.to_owned() }
    }

    fn run(&self) -> String {
        let folder = Folder::new(&[("input", &self.input)]);
        for (name, text) in &self.files {
            folder.write(name, text.as_bytes());
        }
        let line = format!("\"$STAR\" repl {} < input 2>&1", self.arguments);
        let Ran { code, stdout, .. } = folder.shell(&line);
        let mut out = stdout;
        let mut names = folder.names();
        names.retain(|name| name != "input" && !self.files.iter().any(|(known, _)| known == name));
        for name in names.iter().filter(|name| name.ends_with(".star")) {
            let text = fs::read_to_string(folder.path(name)).unwrap();
            write!(out, "---- {name}\n{text}").unwrap();
        }
        writeln!(out, "---- exit {code}").unwrap();
        out
    }
}

fn transcripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/repl");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|it| it == "txt")).collect();
    found.sort();
    found
}

#[test]
fn transcripts_match() {
    let paths = transcripts();
    assert!(paths.len() > 15, "the transcripts are found");
    let bless = std::env::var_os("STAR_BLESS").is_some();
    let mut wrong = String::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let transcript = Transcript::parse(&text);
        let found = transcript.run();
        if found == transcript.expected {
            continue;
        }
        if bless {
            let kept = text.len() - transcript.expected.len();
            fs::write(&path, text[..kept].to_owned() + &found).unwrap();
        } else {
            let expected = &transcript.expected;
            writeln!(wrong, "{}\nexpected:\n{expected}\nfound:\n{found}", path.display()).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Both backends print the same for every line.
#[test]
fn transcripts_match_on_the_reference_backend() {
    for path in transcripts() {
        let mut transcript = Transcript::parse(&fs::read_to_string(&path).unwrap());
        // Names of backends and limits on memory or time have different output there.
        let own = transcript.arguments.contains("--") || transcript.input.contains(":backend");
        let own = own || transcript.expected.contains(": dense by");
        if own || transcript.input.contains(":limits") || transcript.input.contains(":cost") {
            continue;
        }
        transcript.arguments += " --backend reference";
        assert_eq!(transcript.run(), transcript.expected, "{}", path.display());
    }
}

#[test]
fn a_hundred_thousand_lines_run_quickly() {
    let n = 100_000;
    let mut block = "x := 0\nbegin\n".to_owned();
    for _ in 0..n {
        block += "  x := x + 1;\n";
    }
    block += "end\nx\n";
    let folder = Folder::new(&[]);
    folder.star_with_input(&["repl"], &block).prints("100000\n");
    let lines = "x := 0\n".to_owned() + &"x := x + 1\n".repeat(n / 10) + "x\n";
    folder.star_with_input(&["repl"], &lines).prints("10000\n");
    let comment = "/*\n".to_owned() + &"begin (\n".repeat(n) + "*/ 5\n";
    folder.star_with_input(&["repl"], &comment).prints("5\n");
}

#[test]
fn invalid_text_is_reported_and_the_session_continues() {
    let folder = Folder::new(&[]);
    folder.write("bytes", b"1 + 1\n\xff\xfe\x00\n2 + 2\n\x00\x01\n3 + 3\n");
    let ran = folder.shell("\"$STAR\" repl < bytes");
    ran.fails(1, &["error[E0110]: line 2, byte 1: 0xff is not valid UTF-8", "error[E0101]"]);
    assert_eq!(ran.stdout, "2\n4\n6\n");
    let ran = folder.shell("head -c 5000 /dev/urandom | \"$STAR\" repl 2>&1 | wc -c");
    let n_bytes: usize = ran.stdout.trim().parse().unwrap();
    assert!(n_bytes < 100_000, "{n_bytes} bytes of messages");
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_ends_the_command_but_not_the_session() {
    let folder = Folder::new(&[]);
    let ran = folder.shell(
        "mkfifo p.star; printf 'x := 3\\n:load p.star\\nx\\n' | \
        \"$STAR\" repl --max-time 300ms",
    );
    ran.fails(4, &["error[L0103]: the time is up while reading `p.star`", "`:limits time=TIME`"]);
    assert_eq!(ran.stdout, "3\n", "{ran:?}");
}

#[cfg(unix)]
#[test]
fn requests_to_terminate_end_the_session() {
    use crate::support::{is_delivered, kill};
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;

    let folder = Folder::new(&[]);
    for signal in ["-TERM", "-HUP"].into_iter().filter(|signal| is_delivered(signal)) {
        let mut command = folder.command(&["repl"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let endless = "begin print(\"begun\"); while true do x := 42 end\n";
        stdin.write_all(endless.as_bytes()).unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut String::new()).unwrap();
        kill(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
    }
}

#[test]
fn ctrl_c_ends_the_line_but_not_the_session() {
    use crate::support::kill;
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;

    let folder = Folder::new(&[]);
    let mut command = folder.command(&["repl"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdin.write_all(b"x := 0; X := '0110'\n").unwrap();
    for _ in 0..3 {
        let endless = "begin print(\"begun\"); while true do x := 42 end\n";
        stdin.write_all(endless.as_bytes()).unwrap();
        line.clear();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, "begun\n");
        std::thread::sleep(std::time::Duration::from_millis(50));
        kill(&child, "-INT");
    }
    stdin.write_all(b"x\nX\n").unwrap();
    drop(stdin);
    let ran = Ran::of(child.wait_with_output().unwrap());
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut rest).unwrap();
    assert!(rest.starts_with("42\n"), "{rest}");
    assert_eq!(ran.stderr.matches("error[L0106]: interrupted here").count(), 3, "{ran:#?}");
    assert_eq!(ran.code, 130);
}
