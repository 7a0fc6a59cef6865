//! Read bandwidth of memory: an upper bound for any program that reads its data once.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

/// Limbs that a thread reads between two checks whether to stop.
const PIECE: usize = 1 << 19;

/// Passes over the buffer after an initial one that does not count.
const PASSES: usize = 5;

/// Minimum bytes that a thread reads in a pass, so that short buffers are read repeatedly.
const LEAST_BYTES: usize = 1 << 25;

/// Maximum repetitions for a short buffer in a pass.
const MOST_REPEATS: usize = 1 << 20;

/// Partial sums: enough that no addition waits for another.
const LANES: usize = 32;

/// A read bandwidth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bandwidth {
    /// Threads, each of which reads a separate part.
    pub threads: usize,
    /// Bytes read once in each pass.
    pub bytes: usize,
    /// Bytes per nanosecond, the median of five passes.
    pub gb_per_s: f64,
}

/// Reads the buffer several times on `threads` threads. It should have been written to: untouched
/// memory is a single page of zeros. For the bandwidth of memory it should be much larger than the
/// caches; for that of a cache, about as large as the data used there: each thread reads its part
/// of a short buffer many times in a row.
///
/// Returns `None` if `stopped` returns true meanwhile.
#[must_use]
pub fn read_speed(
    buffer: &[u64],
    threads: usize,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Option<Bandwidth> {
    let threads = threads.clamp(1, buffer.len().max(1));
    let bytes = size_of_val(buffer);
    let repeats = (LEAST_BYTES * threads / bytes.max(1)).clamp(1, MOST_REPEATS);
    let mut passes = Vec::new();
    for _ in 0..=PASSES {
        passes.push(pass(buffer, threads, repeats, stopped));
        if stopped() {
            return None;
        }
    }
    passes.remove(0);
    passes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (median, threads) = passes[PASSES / 2];
    let median = median.max(f64::MIN_POSITIVE);
    Some(Bandwidth { threads, bytes, gb_per_s: (bytes * repeats) as f64 / median / 1e9 })
}

/// Returns the seconds for reading everything `repeats` times, and the number of threads. A part
/// whose thread the system refuses is read here.
fn pass(
    buffer: &[u64],
    threads: usize,
    repeats: usize,
    stopped: &(dyn Fn() -> bool + Sync),
) -> (f64, usize) {
    let read = |part: &[u64]| {
        for _ in 0..repeats {
            for piece in part.chunks(PIECE) {
                if stopped() {
                    return;
                }
                black_box(sum(black_box(piece)));
            }
        }
    };
    let begun = Instant::now();
    let mut n_refused = 0;
    if threads == 1 {
        read(buffer);
    } else {
        let part = buffer.len().div_ceil(threads).max(1);
        thread::scope(|scope| {
            for chunk in buffer.chunks(part) {
                let started = thread::Builder::new().spawn_scoped(scope, move || read(chunk));
                if started.is_err() {
                    n_refused += 1;
                    read(chunk);
                }
            }
        });
    }
    // This thread waits for the others unless it reads some parts.
    let n_here = n_refused.min(1);
    (begun.elapsed().as_secs_f64(), threads - n_refused + n_here)
}

/// Returns the sum of all limbs, in a form that compilers vectorise.
fn sum(limbs: &[u64]) -> u64 {
    let mut sums = [0u64; LANES];
    let chunks = limbs.chunks_exact(LANES);
    let rest = chunks.remainder().iter().fold(0u64, |sum, limb| sum.wrapping_add(*limb));
    for chunk in chunks {
        for (sum, limb) in sums.iter_mut().zip(chunk) {
            *sum = sum.wrapping_add(*limb);
        }
    }
    sums.iter().fold(rest, |sum, lane| sum.wrapping_add(*lane))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limb_is_read_once() {
        for n in [0, 1, 31, 32, 33, 1000] {
            let limbs: Vec<u64> = (0..n).map(|i| i * i).collect();
            assert_eq!(sum(&limbs), limbs.iter().sum::<u64>(), "{n}");
        }
    }

    #[test]
    fn bandwidth_is_positive_for_any_number_of_threads() {
        let buffer = vec![1; 10_000];
        for threads in [0, 1, 3] {
            let speed = read_speed(&buffer, threads, &|| false).unwrap();
            assert!(
                speed.gb_per_s > 0.0 && speed.bytes == 80_000 && speed.threads == threads.max(1)
            );
        }
        assert_eq!(read_speed(&[], 2, &|| false).map(|speed| speed.bytes), Some(0));
    }
}
