//! A digest of a compiled program, which shows whether a checkpoint is of the same one.

use std::fmt::{self, Write};

use star_ir::RoutineId;

use crate::cpu::code::{Code, RoutineCode};
use crate::exchange::Partition;

/// Returns the digest of a program with this entry, on this partition.
pub(super) fn of(code: &Code, entry: RoutineId, partition: Option<Partition>) -> u64 {
    let mut digest = Fnv(0xcbf2_9ce4_8422_2325);
    // All ranks have the same digest.
    let partition = partition.map(|partition| (partition.n_ranks(), partition.least_rows()));
    // The digest accepts everything.
    let _ = write!(digest, "{entry:?} {partition:?} {:?}", code.options);
    for routine in &code.routines {
        let _ = add(&mut digest, routine);
    }
    digest.0
}

/// Adds everything that registers depend on. Locations are not part of it: a comment changes them.
fn add(digest: &mut Fnv, routine: &RoutineCode) -> fmt::Result {
    let RoutineCode {
        id,
        insts,
        locs: _,
        covered: _,
        places,
        slices,
        size,
        sized,
        params,
        intrinsic,
        result,
        checks,
        constants,
        calls,
        literals,
        prints,
        files,
        parts,
        foralls,
        loops,
        counts,
        summary: _,
        decisions: _,
        param_use: _,
    } = routine;
    write!(digest, "{id:?} {insts:?} {places:?} {slices:?} {size:?} {sized:?} {params:?}")?;
    write!(digest, "{intrinsic:?} {result:?} {checks:?} {constants:?} {calls:?} {literals:?}")?;
    write!(digest, "{prints:?} {files:?} {parts:?} {foralls:?} {loops:?} {counts:?}")
}

/// FNV-1a with 64 bits.
struct Fnv(u64);

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        Ok(())
    }
}
