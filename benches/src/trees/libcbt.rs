//! libcbt as a process: `benches/peers/libcbt.c`, compiled with the library's folder.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use star_intrinsics::cbt::Heap;
use tempfile::TempDir;

/// The adapter.
const SOURCE: &str = include_str!("../../peers/libcbt.c");

/// The process.
pub(crate) struct Libcbt {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Where the program and the heaps are.
    folder: TempDir,
}

impl Libcbt {
    /// Compiles and starts it.
    pub(crate) fn start(library: &str) -> Result<Libcbt, String> {
        let of = |error: std::io::Error| format!("libcbt: {error}");
        let folder = tempfile::tempdir().map_err(of)?;
        let (source, program) = (folder.path().join("libcbt.c"), folder.path().join("libcbt"));
        std::fs::write(&source, SOURCE).map_err(of)?;
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let status = Command::new(compiler)
            .args(["-O3", "-march=native", "-I"])
            .arg(Path::new(library))
            .arg("-o")
            .args([&program, &source])
            .status()
            .map_err(of)?;
        if !status.success() {
            return Err(format!("libcbt in `{library}` cannot be compiled"));
        }
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(of)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("libcbt has no pipes".to_owned());
        };
        Ok(Libcbt { child, input, output: BufReader::new(output), folder })
    }

    fn ask(&mut self, command: &str) -> Result<Vec<u64>, String> {
        let gone = |error: std::io::Error| format!("libcbt, `{command}`: {error}");
        writeln!(self.input, "{command}").map_err(gone)?;
        self.input.flush().map_err(gone)?;
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(gone)?;
        let numbers = line.split_whitespace().map(str::parse);
        match numbers.collect::<Result<Vec<u64>, _>>() {
            Ok(numbers) if !numbers.is_empty() => Ok(numbers),
            Ok(_) | Err(_) => Err(format!("libcbt answers `{}` to `{command}`", line.trim())),
        }
    }

    /// Takes a heap with so many leaves.
    pub(crate) fn load(&mut self, heap: &Heap, n_leaves: usize) -> Result<(), String> {
        let path = self.folder.path().join("heap");
        let bytes: Vec<u8> = heap.bytes().collect();
        std::fs::write(&path, bytes).map_err(|error| error.to_string())?;
        match self.ask(&format!("load {}", path.display()))?[..] {
            [n, ..] if n == n_leaves as u64 => Ok(()),
            _ => Err("libcbt reads another number of leaves in the heap".to_owned()),
        }
    }

    /// Splits a leaf.
    pub(crate) fn split(&mut self, index: u32) -> Result<(), String> {
        self.ask(&format!("split {index}")).map(|_| ())
    }

    /// Merges the children of a node.
    pub(crate) fn merge(&mut self, index: u32) -> Result<(), String> {
        self.ask(&format!("merge {index}")).map(|_| ())
    }

    /// The hash of its heap.
    pub(crate) fn hash(&mut self) -> Result<u64, String> {
        Ok(self.ask("hash")?[0])
    }

    /// Microseconds of decoding; the leaves have to have this sum.
    pub(crate) fn decode(&mut self, sum: u64) -> Result<f64, String> {
        match self.ask("decode")?[..] {
            [nanoseconds, found] if found == sum => Ok(nanoseconds as f64 / 1e3),
            _ => Err("libcbt decodes other leaves".to_owned()),
        }
    }

    /// Microseconds of the reduction.
    pub(crate) fn reduce(&mut self) -> Result<f64, String> {
        Ok(self.ask("reduce")?[0] as f64 / 1e3)
    }
}

impl Drop for Libcbt {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
