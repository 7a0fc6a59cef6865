//! A plain loop that reads and writes as many lines as a library procedure and does almost no work
//! on them, so that its speed is that of the memory.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

use crate::program::median;

/// Maximum number of bytes of all lines together.
const MOST_BYTES: usize = 1 << 29;

/// Minimum number of bytes that a round reads and writes.
const LEAST_BYTES: usize = 1 << 28;

const ROUNDS: usize = 5;

/// Limbs of a line that are processed together.
const BLOCK: usize = 8;

/// Lines that are read, and lines that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Streams {
    pub(crate) read: usize,
    pub(crate) written: usize,
}

impl Streams {
    /// Returns the GB/s of the loop over lines of `n_bits` bits: the median of [`ROUNDS`] rounds.
    pub(crate) fn speed(self, n_bits: usize, threads: usize) -> f64 {
        let n_lines = self.read + self.written;
        let n_limbs = (n_bits / 64).min(MOST_BYTES / 8 / n_lines);
        let per_thread = (n_limbs / threads).next_multiple_of(BLOCK);
        let bytes = per_thread * threads * n_lines * 8;
        let repeats = (LEAST_BYTES / bytes).max(1);
        let numbers = 0..per_thread * threads * n_lines;
        let mut memory: Vec<u64> = numbers.map(|idx| idx as u64).collect();
        let mut round = || {
            let begun = Instant::now();
            thread::scope(|scope| {
                for part in memory.chunks_mut(per_thread * n_lines) {
                    let work = move || {
                        for _ in 0..repeats {
                            self.pass(black_box(&mut *part), per_thread);
                        }
                    };
                    scope.spawn(work);
                }
            });
            begun.elapsed()
        };
        round();
        let mut times: Vec<_> = (0..ROUNDS).map(|_| round()).collect();
        (bytes * repeats) as f64 / median(&mut times).as_nanos() as f64
    }

    /// Stores the conjunction of all lines that are read in each line that is written.
    fn pass(self, part: &mut [u64], n_limbs: usize) {
        let (read, written) = part.split_at_mut(self.read * n_limbs);
        for start in (0..n_limbs).step_by(BLOCK) {
            let mut all = [!0_u64; BLOCK];
            for line in read.chunks_exact(n_limbs) {
                for (all, limb) in all.iter_mut().zip(&line[start..start + BLOCK]) {
                    *all &= limb;
                }
            }
            for line in written.chunks_exact_mut(n_limbs) {
                line[start..start + BLOCK].copy_from_slice(&all);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_written() {
        let streams = Streams { read: 3, written: 2 };
        let mut memory: Vec<u64> = (0..5 * 16).map(|idx| !(1 << (idx / 16))).collect();
        streams.pass(&mut memory, 16);
        assert!(memory[48..].iter().all(|limb| *limb == !0b111), "{memory:x?}");
        assert!(streams.speed(10_000, 2) > 0.0);
    }
}
