//! The options that bound what a run may use.

use std::time::Duration;

use clap::Args;
use star_vm::Limits;

use crate::engine::Engine;
use crate::sizes::{available_memory, parse_count, parse_size, parse_time};

/// Bounds on a run.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Elementary operations plus loop turns and calls
    #[arg(long, value_name = "N", value_parser = parse_count)]
    max_steps: Option<u64>,

    /// Bytes of slices, words and tables alive at once, packed; input files included
    ///
    /// Written `1000`, `64K`, `512M` or `2G`. Without it, three quarters of the memory that is
    /// available, less where the backend needs more than one bit for a bit.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_memory: Option<u64>,

    /// Time from the first input file on: `5` or `5s`, `200ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) max_time: Option<Duration>,

    /// Bytes printed
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_output: Option<u64>,

    /// Nested calls
    #[arg(long, value_name = "N", value_parser = parse_count, default_value = "10000")]
    max_depth: u64,
}

impl LimitArgs {
    /// The bounds for a run on this backend.
    pub(crate) fn limits(&self, engine: &Engine) -> Limits {
        let memory =
            self.max_memory.unwrap_or_else(|| available_memory() / 4 * 3 / engine.expansion.max(1));
        Limits {
            steps: self.max_steps,
            memory: Some(memory.min(engine.max_bytes)),
            output: self.max_output,
            depth: self.max_depth,
        }
    }
}
