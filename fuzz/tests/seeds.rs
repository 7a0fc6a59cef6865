//! Every target over its seeds, without a fuzzer.

use star_fuzz::{TARGETS, seeds};

/// One test for all targets: one of them measures memory, which is shared by the whole process.
#[test]
fn targets_accept_their_seeds() {
    for target in TARGETS {
        let seeds = seeds::seeds(target.name);
        assert!(seeds.len() > 10, "{} has {} seeds", target.name, seeds.len());
        for (name, bytes) in seeds {
            println!("{} {name}", target.name);
            (target.body)(&bytes);
        }
    }
}
