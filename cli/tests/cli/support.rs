//! A folder with files, and the binary run in it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The transitive closure, as a procedure.
pub(crate) const WARSHALL: &str = "\
procedure WARSHALL(n: integer; var P: table);
var k, i: integer; X: slice; w, v: word;
begin
  for k := 1 to n do begin
    X := COL(k,P); w := ROW(k,P);
    while SOME(X) do begin i := STEP(X); v := ROW(i,P); v := v or w; ROW(i,P) := v end
  end
end;
";

/// An endless program.
pub(crate) const ENDLESS: &str = "\
program ENDLESS;
var i: integer;
begin
  print(\"begun\");
  while true do i := 1
end.
";

/// A path of three vertices with weights 3 and 4.
pub(crate) const PATH: &str = "p sp 3 2\na 1 2 3\na 2 3 4\n";

/// A folder that is deleted after the test.
#[derive(Debug)]
pub(crate) struct Folder(tempfile::TempDir);

/// The outcome of a run of the binary.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Folder {
    /// Creates a folder with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in files {
            folder.write(name, text.as_bytes());
        }
        folder
    }

    /// Adds a file and its parent folders.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Returns the path of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the names of all contained files and folders, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Returns the command with empty input, not yet run.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        command_in(self.0.path(), arguments)
    }

    /// Runs `star` with these arguments.
    pub(crate) fn star(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// Runs `star` with this input.
    pub(crate) fn star_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        Ran::of(child.wait_with_output().unwrap())
    }

    /// Runs a shell command line in which `$STAR` is the binary.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let mut command = Command::new("bash");
        command.arg("-c").arg(line).current_dir(self.0.path());
        command.env("STAR", binary()).env("NO_COLOR", "1");
        Ran::of(command.output().unwrap())
    }
}

impl Ran {
    /// Converts the output of a process.
    pub(crate) fn of(output: Output) -> Self {
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Asserts the exit code, and that standard error contains all of these parts.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{self:#?}");
        for part in parts {
            assert!(self.stderr.contains(part), "no `{part}` in {self:#?}");
        }
    }

    /// Asserts success and the printed output.
    #[track_caller]
    pub(crate) fn prints(&self, stdout: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (0, stdout), "{self:#?}");
    }
}

/// Runs `star` with these arguments in an existing folder.
pub(crate) fn star_in(folder: &Path, arguments: &[&str]) -> Ran {
    Ran::of(command_in(folder, arguments).output().unwrap())
}

fn command_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(folder);
    // GPU drivers print warnings to standard error if no runtime folder is set.
    command.env("NO_COLOR", "1").env("XDG_RUNTIME_DIR", std::env::temp_dir());
    command.stdin(Stdio::null());
    command
}

/// Sends a signal to a process.
pub(crate) fn kill(child: &Child, signal: &str) {
    let mut kill = Command::new("kill");
    let status = kill.arg(signal).arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
}

/// Tests whether a signal reaches the processes that are started here: they inherit an ignored
/// SIGHUP, as under `nohup`.
pub(crate) fn is_delivered(signal: &str) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    signal != "-HUP" || ignored.is_none_or(|mask| mask & 1 == 0)
}

/// Tests whether the process is writing a file in the folder that has no final name yet: a hidden
/// file, or on Linux one without a name.
pub(crate) fn written_aside(folder: &Folder, child: &Child) -> bool {
    let is_nonempty = |path: &Path| fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0);
    let hidden = folder.names().into_iter().filter(|name| name.starts_with(".star-"));
    if hidden.map(|name| folder.path(&name)).any(|path| is_nonempty(&path)) {
        return true;
    }
    let open = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
    let mut unnamed = open.map(|file| file.path()).filter(|file| {
        let target = fs::read_link(file).unwrap_or_default();
        target.to_string_lossy().ends_with(" (deleted)")
    });
    unnamed.any(|file| is_nonempty(&file))
}

pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_star"))
}
