//! Peers in Rust, and loops written by hand for jobs that no crate does better.
//!
//! * `graphs`: petgraph, rustworkx-core, bit-matrix, Warshall by hand. `columns`: packed numbers.

mod columns;
mod graphs;

use std::time::Instant;

use super::digest::Digest;
use super::failure::Failure;
use super::peer_args::PeerArgs;
use super::protocol::Hello;
use super::side::{Local, Steps, Work};

/// Reads the input and builds what the peer works on.
pub(super) fn open(given: &PeerArgs) -> Result<Local, Failure> {
    let begun = Instant::now();
    let job = given.job()?;
    let opened = match given.text("peer")? {
        "petgraph" => graphs::petgraph(job, given)?,
        "rustworkx-core" => graphs::rustworkx_core(job, given)?,
        "bit-matrix" => graphs::bit_matrix(job, given)?,
        "by hand" => graphs::by_hand(job, given)?,
        "packed numbers" => columns::packed_numbers(job, given)?,
        other => return Err(Failure::peer(format!("there is no Rust peer `{other}`"))),
    };
    let Opened { version, conditions, work } = opened;
    let hello = Hello {
        peer: given.text("peer")?.to_owned(),
        version: version.to_owned(),
        language: "Rust".to_owned(),
        threads: 1,
        load_s: begun.elapsed().as_secs_f64(),
        conditions: conditions.to_owned(),
    };
    Ok(Local::new(hello, work))
}

/// A peer made ready.
struct Opened {
    /// Of the crate; as `Cargo.toml` asks for it.
    version: &'static str,
    conditions: &'static str,
    work: Box<dyn Work>,
}

/// A job that uses nothing up.
fn steps<R: 'static>(
    work: impl Fn() -> R + 'static,
    digest: impl Fn(&R) -> Digest + 'static,
) -> Box<dyn Work> {
    Box::new(Steps { prepare: || (), work: move |()| work(), digest, last: None })
}

fn nothing_for(given: &PeerArgs) -> Failure {
    let text = |key| given.text(key).unwrap_or_default();
    Failure::peer(format!("{} has nothing for the job `{}`", text("peer"), text("job")))
}
