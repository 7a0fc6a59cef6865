//! A contestant in a process of its own.
//!
//! Nothing that it does harms the measurement as a whole: an end, silence, and answers that are
//! none are failures of its row.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::failure::Failure;
use super::protocol::{Answer, Hello, Request};
use super::side::Side;

/// The longest answer, in bytes.
const MAX_LINE: u64 = 1 << 16;

/// Bytes of what it says on standard error that are kept, the last ones.
const KEPT: usize = 2000;

/// How long a process that has ended may take to be gone.
const END: Duration = Duration::from_millis(500);

/// A contestant in a process of its own; it ends with this value.
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Vec<u8>>,
    errors: Arc<Mutex<Vec<u8>>>,
    limit: Duration,
    hello: Hello,
}

impl Process {
    /// Starts it and waits until it is ready; every answer may take as long as `limit`.
    pub(super) fn start(mut command: Command, limit: Duration) -> Result<Self, Failure> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let shown = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .spawn()
            .map_err(|error| Failure::peer(format!("`{shown}` cannot be run: {error}")))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Failure::peer(format!("`{shown}` has no pipes")));
        };
        let (sender, lines) = sync_channel(1);
        thread::spawn(move || send_lines(output, &sender));
        let hello = Hello::default();
        let errors = keep_last(errors);
        let mut process = Process { child, input, lines, errors, limit, hello };
        match process.answer()? {
            Answer::Hello(hello) => process.hello = hello,
            other => return Err(process.unexpected(&other)),
        }
        Ok(process)
    }

    fn ask(&mut self, request: Request) -> Result<Answer, Failure> {
        // One that has ended does not read; its last answer and its errors say more.
        let _ = self.input.write_all(request.line().as_bytes()).and_then(|()| self.input.flush());
        self.answer()
    }

    fn answer(&mut self) -> Result<Answer, Failure> {
        match self.lines.recv_timeout(self.limit) {
            Ok(line) => Answer::parse(&String::from_utf8_lossy(&line)),
            Err(RecvTimeoutError::Timeout) => {
                let seconds = self.limit.as_secs_f64();
                Err(Failure::peer(format!("no answer within {seconds} s (`--limit`)")))
            }
            Err(RecvTimeoutError::Disconnected) => Err(Failure::peer(self.ended())),
        }
    }

    /// How it ended, and what it said last.
    fn ended(&mut self) -> String {
        let mut status = self.child.try_wait().ok().flatten();
        let mut waited = Duration::ZERO;
        while status.is_none() && waited < END {
            let step = Duration::from_millis(10);
            thread::sleep(step);
            waited += step;
            status = self.child.try_wait().ok().flatten();
        }
        let how = match status {
            Some(status) => format!("it ended without an answer ({status})"),
            None => "it closed its output without an answer".to_owned(),
        };
        // The other thread may still be reading what a process that has just ended said.
        thread::sleep(Duration::from_millis(20));
        let errors = self.errors.lock().map(|errors| errors.clone()).unwrap_or_default();
        let text = String::from_utf8_lossy(&errors).into_owned();
        // The last word of a Rust program is a note on how to see more.
        let says = |line: &&str| !line.trim().is_empty() && !line.starts_with("note: ");
        match text.lines().rfind(says) {
            Some(line) => format!("{how}: {}", line.trim()),
            None => how,
        }
    }

    fn unexpected(&self, answer: &Answer) -> Failure {
        match answer {
            Answer::Missing(message) => Failure::peer(message),
            Answer::Failed(failure) => failure.clone(),
            Answer::Hello(_) | Answer::Ran { .. } | Answer::Digest(_) => Failure::peer(format!(
                "the answer `{}` is to another question",
                answer.line().trim()
            )),
        }
    }
}

impl Side for Process {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn run(&mut self, runs: u32) -> Result<f64, Failure> {
        match self.ask(Request::Run(runs))? {
            Answer::Ran { runs: done, seconds } if done == runs => Ok(seconds),
            other => Err(self.unexpected(&other)),
        }
    }

    fn digest(&mut self) -> Result<String, Failure> {
        match self.ask(Request::Digest)? {
            Answer::Digest(digest) => Ok(digest),
            other => Err(self.unexpected(&other)),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends lines as they come; the last one is whatever is there at the end, or a line that is too
/// long.
fn send_lines(output: impl Read, sender: &SyncSender<Vec<u8>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        let is_whole = line.ends_with(b"\n");
        if read.is_err() || line.is_empty() || sender.send(line).is_err() || !is_whole {
            return;
        }
    }
}

/// The last bytes of what comes, as it comes.
fn keep_last(mut errors: impl Read + Send + 'static) -> Arc<Mutex<Vec<u8>>> {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&kept);
    thread::spawn(move || {
        let mut buffer = [0; 1024];
        while let Ok(n @ 1..) = errors.read(&mut buffer) {
            let Ok(mut kept) = shared.lock() else { return };
            kept.extend_from_slice(&buffer[..n]);
            let surplus = kept.len().saturating_sub(KEPT);
            kept.drain(..surplus);
        }
    });
    kept
}
