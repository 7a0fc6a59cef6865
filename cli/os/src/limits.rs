//! The options that bound what a run may use.

use std::time::Duration;

use clap::Args;
use star_base::{Code, Diagnostic};
use star_vm::{Capabilities, CompileOptions, Limits};

use crate::engine::Engine;
use crate::size_args::{available_memory, parse_count, parse_size, parse_time};
use crate::watchdog::{Bounds, Scope};

/// Bounds on a run.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Elementary operations plus loop turns and calls; implies `--no-intrinsics` for a run
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub max_steps: Option<u64>,

    /// Bytes of slices, words and tables alive at once, packed; input files included
    ///
    /// Written `1000`, `64K`, `512M` or `2G`. Without it, three quarters of the memory that is
    /// available, less where the backend needs more than one bit for a bit. Compiling may take as much before, and
    /// at least 64M.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_memory: Option<u64>,

    /// Time from the first input file on, and for compiling before: `5` or `5s`, `200ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub max_time: Option<Duration>,

    /// Bytes printed
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_output: Option<u64>,

    /// Nested calls, 10000 without it; implies `--no-intrinsics` for a run
    #[arg(long, value_name = "N", value_parser = parse_depth)]
    max_depth: Option<u64>,
}

impl LimitArgs {
    /// Time and output of an example, unless they are given: it is there to be read. `most` is what the command
    /// line has left for it.
    pub fn bound_example(&mut self, most: Option<Duration>) {
        let own = *self.max_time.get_or_insert(Duration::from_secs(60));
        self.max_time = Some(most.map_or(own, |most| own.min(most)));
        self.max_output.get_or_insert(1 << 20);
    }

    /// Time and output of a test, unless they are given: a program without an end is a test that fails.
    pub fn bound_test(&mut self) {
        self.max_time.get_or_insert(Duration::from_secs(10));
        self.max_output.get_or_insert(1 << 20);
    }

    /// These bounds, and those of `others` where these say nothing.
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

    /// Do they bound what an intrinsic does not count: steps, and the calls in the body that it stands for?
    pub fn count_bodies(&self) -> bool {
        self.max_steps.is_some() || self.max_depth.is_some()
    }

    /// What compiling may take before.
    pub fn bounds(&self, scope: Scope) -> Bounds {
        bounds(self.max_memory, self.max_time, scope)
    }

    /// How programs are compiled that run within these bounds: as lowered if they count what a program does.
    pub fn options(&self) -> CompileOptions {
        match self.count_bodies() {
            true => CompileOptions::AS_LOWERED,
            false => CompileOptions::default(),
        }
    }

    /// The bounds for a run on this backend.
    ///
    /// # Errors
    /// E0608 if more memory is allowed than the backend can hold.
    pub fn limits(&self, engine: &Engine) -> Result<Limits, Diagnostic> {
        let memory = match self.max_memory {
            Some(memory) if memory > engine.caps.max_bytes => {
                return Err(too_much(memory, &engine.caps));
            }
            Some(memory) => memory,
            None => default_memory(&engine.caps, available_memory()),
        };
        Ok(Limits {
            steps: self.max_steps,
            memory: Some(memory),
            output: self.max_output,
            depth: self.max_depth.unwrap_or(DEPTH),
        })
    }
}

/// Bounds on commands that compile, and run nothing.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub struct CompileLimitArgs {
    /// Bytes of memory that compiling takes, and at least 64M: `512M`, `2G`
    ///
    /// Without it, three quarters of the memory that is available.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_memory: Option<u64>,

    /// Time for each file: `5` or `5s`, `200ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    max_time: Option<Duration>,
}

impl CompileLimitArgs {
    /// The time for each file, where it is bounded.
    pub fn max_time(&self) -> Option<Duration> {
        self.max_time
    }

    /// What compiling may take.
    pub fn bounds(&self) -> Bounds {
        bounds(self.max_memory, self.max_time, Scope::Command)
    }
}

fn bounds(memory: Option<u64>, time: Option<Duration>, scope: Scope) -> Bounds {
    let memory = memory.unwrap_or_else(|| available_memory() / 4 * 3);
    Bounds { time, memory, scope }
}

/// Bytes of values, packed, that a run may have if nothing else is said.
pub fn default_memory(caps: &Capabilities, available: u64) -> u64 {
    (available / 4 * 3 / caps.expansion.max(1)).min(caps.max_bytes)
}

fn too_much(memory: u64, caps: &Capabilities) -> Diagnostic {
    let (name, most) = (caps.name, caps.max_bytes);
    let message = format!(
        "`--max-memory` allows {memory} bytes, but the {name} backend holds at most {most}"
    );
    Diagnostic::new(Code::Usage, message)
        .note(format!("it takes {} bytes of memory for each packed byte", caps.expansion))
}

/// Nested calls, if nothing is said.
const DEPTH: u64 = 10_000;

/// Calls that can be nested at all: each takes memory that `--max-memory` does not count.
const DEEPEST: u64 = 1_000_000;

fn parse_depth(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        depth if depth <= DEEPEST => Ok(depth),
        _ => Err(format!("at most {DEEPEST}")),
    }
}
