//! The search against the source's programme and against all polylines, and whole requests against the definition.

mod reference;
mod requests;
mod searches;

use std::sync::LazyLock;

use crate::workers::Workers;

/// Random numbers by SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// A number from 0 to below `end`.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Two threads.
fn threads() -> &'static Workers<'static> {
    static THREADS: LazyLock<Workers<'static>> =
        LazyLock::new(|| Workers::new(Some(2), Workers::NEVER).unwrap());
    &THREADS
}
