//! Thread pools: one for each number of threads in a process, created on first use.
//!
//! The global pool of rayon is never used: its size depends on the environment.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};
use std::thread;

/// Threads that all runs of a process share.
pub(crate) struct Pool {
    /// The number of threads requested.
    wanted: usize,
    made: OnceLock<PoolState>,
    /// A pool with a single thread, for work that spawns parallel work.
    single: OnceLock<Option<rayon::ThreadPool>>,
}

/// The threads that the system provided.
struct PoolState {
    /// `None`: work stays on the calling thread.
    threads: Option<rayon::ThreadPool>,
    /// Why there are fewer threads than requested.
    refused: Option<String>,
}

impl Pool {
    fn new(wanted: usize) -> Self {
        Pool { wanted, made: OnceLock::new(), single: OnceLock::new() }
    }

    /// Returns the pool with this number of threads; `None` means one for each core.
    pub(crate) fn of(threads: Option<usize>) -> &'static Pool {
        static POOLS: Mutex<BTreeMap<usize, &'static Pool>> = Mutex::new(BTreeMap::new());
        static CORES: LazyLock<usize> =
            LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));
        let wanted = threads.unwrap_or(*CORES);
        // No code under the lock may panic.
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        pools.entry(wanted).or_insert_with(|| Box::leak(Box::new(Pool::new(wanted))))
    }

    /// Returns the requested number of threads.
    pub(super) fn wanted(&self) -> usize {
        self.wanted.max(1)
    }

    /// The threads, if there are at least two.
    #[inline]
    pub(super) fn threads(&self) -> Option<&rayon::ThreadPool> {
        match self.wanted {
            0 | 1 => None,
            _ => self.made().threads.as_ref(),
        }
    }

    /// Returns the threads, or a single one, for work that spawns parallel work: outside of a pool
    /// it would run on the global one. `None` if the system refuses every thread.
    pub(super) fn at_least_one(&self) -> Option<&rayon::ThreadPool> {
        match self.threads() {
            Some(threads) => Some(threads),
            None => self.single.get_or_init(|| build(1).ok()).as_ref(),
        }
    }

    /// Was the pool created?
    #[cfg(test)]
    pub(crate) fn is_made(&self) -> bool {
        self.made.get().is_some()
    }

    /// Returns the number of threads that work at once, and why it is lower than requested.
    pub(super) fn found(&self) -> (usize, Option<&str>) {
        match self.wanted {
            0 | 1 => (1, None),
            _ => {
                let PoolState { threads, refused } = self.made();
                let n = threads.as_ref().map_or(1, rayon::ThreadPool::current_num_threads);
                (n, refused.as_deref())
            }
        }
    }

    fn made(&self) -> &PoolState {
        self.made.get_or_init(|| make(self.wanted, build))
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("wanted", &self.wanted).finish_non_exhaustive()
    }
}

fn build(n: usize) -> Result<rayon::ThreadPool, String> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(n);
    let builder = builder.thread_name(|idx| format!("star-{idx}"));
    builder.build().map_err(|error| error.to_string())
}

/// Creates a pool of `wanted` threads, halving the number as long as the system refuses it.
fn make(wanted: usize, build: impl Fn(usize) -> Result<rayon::ThreadPool, String>) -> PoolState {
    let mut refused = None;
    let mut n = wanted;
    while n > 1 {
        match build(n) {
            Ok(threads) => return PoolState { threads: Some(threads), refused },
            Err(why) => {
                refused.get_or_insert(format!("the system refuses {wanted} threads: {why}"));
            }
        }
        n /= 2;
    }
    PoolState { threads: None, refused }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_thread_counts_share_a_pool() {
        assert!(std::ptr::eq(Pool::of(Some(3)), Pool::of(Some(3))));
        assert_eq!(Pool::of(Some(3)).found(), (3, None));
        assert!(Pool::of(Some(1)).threads().is_none());
        let single = Pool::of(Some(1)).at_least_one().map(rayon::ThreadPool::current_num_threads);
        assert_eq!(single, Some(1));
        let cores = thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(Pool::of(None).wanted(), cores);
    }

    #[test]
    fn refused_threads_reduce_the_pool_and_report_the_reason() {
        let few = |most: usize| {
            move |n: usize| match n <= most {
                true => build(n),
                false => Err("no more".to_owned()),
            }
        };
        let PoolState { threads, refused } = make(9, few(4));
        assert_eq!(threads.map(|it| it.current_num_threads()), Some(4));
        assert_eq!(refused.as_deref(), Some("the system refuses 9 threads: no more"));
        let PoolState { threads, refused } = make(9, few(1));
        assert!(threads.is_none() && refused.is_some());
    }
}
