//! A started `star`.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Nothing that is measured here takes longer.
const TOO_LONG: Duration = Duration::from_secs(600);

/// The programs, by the names of their files.
const PROGRAMS: [(&str, &str); 3] = [
    ("big.star", include_str!("../../programs/big.star")),
    ("write.star", include_str!("../../programs/write.star")),
    ("paths.star", include_str!("../../programs/paths.star")),
];

/// Which `star`, and where it works.
pub(crate) struct Star {
    /// The one beside this program if nothing is said.
    pub(super) binary: Option<PathBuf>,
    /// Where the folder is made; where the system wants files that go away if nothing is said.
    pub(super) folder: Option<PathBuf>,
}

impl Star {
    /// A folder of its own, with the programs.
    pub(super) fn folder(&self) -> Result<Folder, String> {
        let binary = match &self.binary {
            Some(binary) => binary.clone(),
            None => beside().ok_or("unknown location of `star`: `--star FILE` names it")?,
        };
        let binary = fs::canonicalize(&binary).map_err(|error| {
            format!(
                "no `star` next to this program ({error}); build it, or name it by `--star FILE`"
            )
        })?;
        let folder = match &self.folder {
            Some(folder) => TempDir::new_in(folder),
            None => TempDir::new(),
        };
        let folder = folder.map_err(|error| format!("no folder: {error}"))?;
        for (name, text) in PROGRAMS {
            fs::write(folder.path().join(name), text)
                .map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(Folder { folder, binary })
    }
}

/// The binary beside this program.
fn beside() -> Option<PathBuf> {
    Some(env::current_exe().ok()?.parent()?.join("star"))
}

/// A folder in which `star` works; it goes away at the end.
pub(super) struct Folder {
    folder: TempDir,
    binary: PathBuf,
}

impl Folder {
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The binary.
    pub(super) fn binary(&self) -> &Path {
        &self.binary
    }

    /// A command with these arguments, separated by blanks.
    pub(super) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments.split(' ')).current_dir(self.path());
        command.env("NO_COLOR", "1").stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it to its end, which has to be a good one; how long that took.
    pub(super) fn run(&self, arguments: &str) -> Result<Duration, String> {
        let begun = Instant::now();
        let output = self.command(arguments).output().map_err(|error| error.to_string())?;
        let time = begun.elapsed();
        let errors = String::from_utf8_lossy(&output.stderr);
        let ended = || format!("`star {arguments}` ended with {}: {errors}", output.status);
        if output.status.success() { Ok(time) } else { Err(ended()) }
    }

    /// Starts it.
    pub(super) fn start(&self, arguments: &str) -> Result<Running, String> {
        let mut child = self.command(arguments).spawn().map_err(|error| error.to_string())?;
        let printed = lines(child.stdout.take().ok_or("no standard output")?);
        let told = lines(child.stderr.take().ok_or("no standard error")?);
        Ok(Running { child, printed, told })
    }
}

/// A `star` that runs.
pub(super) struct Running {
    child: Child,
    printed: Receiver<(Instant, String)>,
    told: Receiver<(Instant, String)>,
}

/// How long a `star` that was interrupted took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interrupted {
    /// To its message.
    pub(super) message: Duration,
    /// To its end.
    pub(super) end: Duration,
}

impl Running {
    /// Waits for the first line that it prints.
    pub(super) fn first_line(&self) -> Result<String, String> {
        let line = self.printed.recv_timeout(TOO_LONG);
        line.map(|(_, line)| line).map_err(|_| "it prints nothing".to_owned())
    }

    /// Has it ended?
    pub(super) fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// The most memory that it had so far, in bytes; `None` once it has ended.
    pub(super) fn most_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kilobytes * 1024)
    }

    /// Waits for its end.
    pub(super) fn end(mut self) -> Result<ExitStatus, String> {
        self.child.wait().map_err(|error| error.to_string())
    }

    /// Interrupts it, and waits for its message and its end.
    pub(super) fn interrupt(mut self) -> Result<Interrupted, String> {
        let pid =
            i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).ok_or("no process")?;
        let sent = Instant::now();
        kill_process(pid, Signal::INT).map_err(|error| error.to_string())?;
        let message = loop {
            let (at, line) = self.told.recv_timeout(TOO_LONG).map_err(|_| "no message")?;
            if line.contains("L0106") {
                break at - sent;
            }
        };
        let status = self.child.wait().map_err(|error| error.to_string())?;
        let end = sent.elapsed();
        match status.code() {
            Some(130) => Ok(Interrupted { message, end }),
            _ => Err(format!("it ended with {status}, and not with 130")),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Where something went wrong, nothing is left running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of a pipe, with the times at which they came.
fn lines(pipe: impl std::io::Read + Send + 'static) -> Receiver<(Instant, String)> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send((Instant::now(), line)).is_err() {
                return;
            }
        }
    });
    receiver
}
