//! Options that limit the resources of a run.

use std::time::Duration;

use clap::Args;
use star_base::{Code, Diagnostic};
use star_vm::{Capabilities, CompileOptions, Limits};

use crate::size_args::{available_memory, parse_count, parse_size, parse_time_limit};
use crate::watchdog::{Bounds, Scope};
use star::Machine;

/// Resource limits of a run.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Limit operations, loop iterations and calls; implies `--no-intrinsics`
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub max_steps: Option<u64>,

    /// Limit the bytes of values alive at once, including input files
    ///
    /// Accepts `1000`, `64K`, `512M` or `2G` and counts packed slices, words and tables. Defaults
    /// to three quarters of the available memory, or less if the backend uses more than one bit per
    /// bit. Compilation has the same limit, but at least 64M.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_memory: Option<u64>,

    /// Limit the time to compile, then to load, run and write results: `5s`, `200ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit)]
    pub max_time: Option<Duration>,

    /// Limit the number of bytes printed
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_output: Option<u64>,

    /// Limit the nesting of calls [default: 10000]; implies `--no-intrinsics`
    #[arg(long, value_name = "N", value_parser = parse_depth)]
    max_depth: Option<u64>,
}

impl LimitArgs {
    /// Limits the time and output of an example unless limits are given. `most` is the time left
    /// for it on the command line.
    pub fn bound_example(&mut self, most: Option<Duration>) {
        let own = *self.max_time.get_or_insert(Duration::from_secs(60));
        self.max_time = Some(most.map_or(own, |most| own.min(most)));
        self.max_output.get_or_insert(1 << 20);
    }

    /// Limits the time and output of a test unless limits are given, so that an endless program
    /// fails its test.
    pub fn bound_test(&mut self) {
        self.max_time.get_or_insert(Duration::from_secs(10));
        self.max_output.get_or_insert(1 << 20);
    }

    /// Returns these limits, completed by those of `others`.
    #[must_use]
    pub fn or(&self, others: &LimitArgs) -> LimitArgs {
        LimitArgs {
            max_steps: self.max_steps.or(others.max_steps),
            max_memory: self.max_memory.or(others.max_memory),
            max_time: self.max_time.or(others.max_time),
            max_output: self.max_output.or(others.max_output),
            max_depth: self.max_depth.or(others.max_depth),
        }
    }

    /// Tests whether the limits count steps or calls, which an intrinsic does not count for the
    /// body that it replaces.
    pub fn count_bodies(&self) -> bool {
        self.max_steps.is_some() || self.max_depth.is_some()
    }

    /// Returns the limits of the compilation before the run.
    pub fn bounds(&self, scope: Scope) -> Bounds {
        bounds(self.max_memory, self.max_time, scope)
    }

    /// Returns the compile options for runs within these limits: without optimisation if the steps
    /// of the program are counted.
    pub fn options(&self) -> CompileOptions {
        match self.count_bodies() {
            true => CompileOptions::AS_LOWERED,
            false => CompileOptions::default(),
        }
    }

    /// Returns the limits of a run on this backend.
    ///
    /// # Errors
    /// E0608 if the allowed memory exceeds the capacity of the backend.
    pub fn limits(&self, machine: &Machine) -> Result<Limits, Diagnostic> {
        let memory = match self.max_memory {
            Some(memory) if memory > machine.caps().max_bytes => {
                return Err(too_much(memory, &machine.caps()));
            }
            Some(memory) => memory,
            None => default_memory(&machine.caps(), available_memory()),
        };
        Ok(Limits {
            steps: self.max_steps,
            memory: Some(memory),
            output: self.max_output,
            depth: self.max_depth.unwrap_or(DEPTH),
        })
    }
}

/// Resource limits of commands that compile without running.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub struct CompileLimitArgs {
    /// Limit the memory of compilation, at least 64M: `512M`, `2G`
    ///
    /// Defaults to three quarters of the available memory.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_memory: Option<u64>,

    /// Limit the time for each file: `5` or `5s`, `200ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit)]
    max_time: Option<Duration>,
}

impl CompileLimitArgs {
    /// Returns the time limit for each file, if any.
    pub fn max_time(&self) -> Option<Duration> {
        self.max_time
    }

    /// Returns the limits of compilation.
    pub fn bounds(&self) -> Bounds {
        bounds(self.max_memory, self.max_time, Scope::Command)
    }
}

fn bounds(memory: Option<u64>, time: Option<Duration>, scope: Scope) -> Bounds {
    let memory = memory.unwrap_or_else(|| available_memory() / 4 * 3);
    Bounds { time, memory, scope }
}

/// Returns the default memory limit of a run, in bytes of packed values.
pub fn default_memory(caps: &Capabilities, available: u64) -> u64 {
    (available / 4 * 3 / caps.expansion.max(1)).min(caps.max_bytes)
}

fn too_much(memory: u64, caps: &Capabilities) -> Diagnostic {
    let (name, most) = (caps.name, caps.max_bytes);
    let message = format!(
        "`--max-memory` allows {memory} bytes, but the {name} backend holds at most {most}"
    );
    Diagnostic::new(Code::Usage, message)
        .note(format!("it uses {} bytes of memory for each packed byte", caps.expansion))
}

/// Default limit of nested calls.
const DEPTH: u64 = 10_000;

/// Maximum limit of nested calls: each call uses memory that `--max-memory` does not count.
const DEEPEST: u64 = 1_000_000;

fn parse_depth(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        depth if depth <= DEEPEST => Ok(depth),
        _ => Err(format!("must be at most {DEEPEST}")),
    }
}
