//! Every graph algorithm of the library, beside the same job by petgraph.
//!
//! * `instance`: the graphs, and their tables.
//! * `measure`: a job, ours and the peer's in turn, and a line about it.
//! * `paths`, `trees`: algorithms that are called once. `dynamic`: those that follow changes.
//!
//! Times are those of the runs alone; laying out tables and building the peer's graph do not count. All
//! run on one thread but for operations on 1 MiB and more.

mod dynamic;
pub(crate) mod instance;
mod measure;
mod paths;
pub(crate) mod trees;

use star_vm::Cpu;

use crate::say::say;
use measure::Bench;

/// Measures those algorithms whose name contains `filter`, on graphs of these sizes, as they are lowered or after all passes.
pub(crate) fn run(sizes: &[usize], filter: &str, with_passes: bool) {
    let backend = Cpu::new();
    say!(
        "{} kernels, {} threads, seed {}, {}; medians",
        backend.kernels().level().name(),
        backend.threads(),
        instance::SEED,
        if with_passes { "with passes" } else { "as lowered" },
    );
    say!("{}", measure::HEADER);
    for &n in sizes {
        let bench = Bench::new(n, filter, with_passes);
        paths::run(&bench);
        trees::run(&bench);
        dynamic::run(&bench);
    }
}
