//! Barrier for threads that work in lockstep.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

/// Iterations of waiting before the thread yields the processor.
const N_SPINS: usize = 4000;

/// A barrier at which the threads add up numbers. Waiting takes a few hundred nanoseconds, less
/// than sleeping would: a window of the wave takes about ten microseconds.
#[derive(Debug)]
pub(super) struct Gate {
    n_threads: usize,
    n_here: AtomicUsize,
    iteration: AtomicUsize,
    /// Sums of three rounds: one that is being added to, one that is read, one that is reset to
    /// zero.
    sums: [AtomicU64; 3],
    /// Whether a thread has panicked and will not arrive.
    is_broken: AtomicBool,
}

/// Breaks the gate when its thread panics, so that the others do not wait forever.
#[derive(Debug)]
pub(super) struct Passer<'g>(&'g Gate);

impl Gate {
    pub(super) fn new(n_threads: usize) -> Self {
        Gate {
            n_threads,
            n_here: AtomicUsize::new(0),
            iteration: AtomicUsize::new(0),
            sums: Default::default(),
            is_broken: AtomicBool::new(false),
        }
    }

    /// The handle of a thread that will pass.
    pub(super) fn passer(&self) -> Passer<'_> {
        Passer(self)
    }
}

impl Passer<'_> {
    /// Waits until all threads have arrived; returns the sum of their numbers, or `None` if a
    /// thread will not arrive.
    pub(super) fn pass(&self, number: u64) -> Option<u64> {
        let Gate { n_threads, n_here, iteration, sums, is_broken } = self.0;
        let now = iteration.load(Ordering::Acquire);
        sums[now % 3].fetch_add(number, Ordering::Relaxed);
        if n_here.fetch_add(1, Ordering::AcqRel) + 1 == *n_threads {
            n_here.store(0, Ordering::Relaxed);
            // Every thread that arrives here has read the sum of the previous round.
            sums[(now + 1) % 3].store(0, Ordering::Relaxed);
            iteration.store(now + 1, Ordering::Release);
        }
        let mut n_spins = 0;
        while iteration.load(Ordering::Acquire) == now {
            if is_broken.load(Ordering::Relaxed) {
                return None;
            }
            n_spins += 1;
            match n_spins < N_SPINS {
                true => hint::spin_loop(),
                false => thread::yield_now(),
            }
        }
        Some(sums[now % 3].load(Ordering::Relaxed))
    }
}

impl Drop for Passer<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.is_broken.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_get_the_sum_of_every_round() {
        let gate = Gate::new(3);
        thread::scope(|scope| {
            for thread in 0..3u64 {
                let gate = &gate;
                scope.spawn(move || {
                    let passer = gate.passer();
                    for iteration in 0..500 {
                        assert_eq!(passer.pass(iteration + thread), Some(3 * iteration + 3));
                    }
                });
            }
        });
    }
}
