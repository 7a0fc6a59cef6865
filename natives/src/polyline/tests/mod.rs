//! The search against the source's programme and against all polylines, and whole requests against the definition.

mod reference;
mod requests;
mod searches;

use crate::environment::{Ended, Environment};

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

/// The threads of rayon's own pool, and no interruption.
struct Plain;

impl Environment for Plain {
    fn poll_limbs(&self) -> usize {
        1
    }

    fn poll(&self) -> Result<(), Ended> {
        Ok(())
    }

    fn fill(
        &self,
        to: &mut [u64],
        piece: &(dyn Fn(usize, &mut [u64]) + Sync),
    ) -> Result<(), Ended> {
        piece(0, to);
        Ok(())
    }

    fn or_assign(&self, to: &mut [u64], line: &[u64]) -> Result<(), Ended> {
        to.iter_mut().zip(line).for_each(|(to, line)| *to |= line);
        Ok(())
    }

    fn threads(&self) -> usize {
        1
    }

    fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Ended> {
        work();
        Ok(())
    }
}
