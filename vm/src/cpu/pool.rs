//! Threads: one pool for each number of them in a process, made when it is first needed.
//!
//! The global pool of rayon is never used: its size comes from the environment.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};
use std::thread;

/// Threads that all runs of a process share.
pub(crate) struct Pool {
    /// How many are asked for.
    wanted: usize,
    made: OnceLock<PoolState>,
    /// The one thread of a pool without others, for work that spreads itself.
    single: OnceLock<Option<rayon::ThreadPool>>,
}

/// What the system gave.
struct PoolState {
    /// `None`: work stays on the thread that has it.
    threads: Option<rayon::ThreadPool>,
    /// Why there are fewer than were asked for.
    refused: Option<String>,
}

impl Pool {
    fn new(wanted: usize) -> Self {
        Pool { wanted, made: OnceLock::new(), single: OnceLock::new() }
    }

    /// The pool of so many threads; `None` is as many as there are cores.
    pub(crate) fn of(threads: Option<usize>) -> &'static Pool {
        static POOLS: Mutex<BTreeMap<usize, &'static Pool>> = Mutex::new(BTreeMap::new());
        static CORES: LazyLock<usize> =
            LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));
        let wanted = threads.unwrap_or(*CORES);
        // Nothing that may panic happens under the lock.
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        pools.entry(wanted).or_insert_with(|| Box::leak(Box::new(Pool::new(wanted))))
    }

    /// How many threads work at once at most, before the system was asked.
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

    /// The threads, or a single one, for work that spreads itself: outside of a pool it would go to the
    /// global one. `None` if the system refuses every thread.
    pub(super) fn at_least_one(&self) -> Option<&rayon::ThreadPool> {
        match self.threads() {
            Some(threads) => Some(threads),
            None => self.single.get_or_init(|| build(1).ok()).as_ref(),
        }
    }

    /// Was it ever needed?
    #[cfg(test)]
    pub(crate) fn is_made(&self) -> bool {
        self.made.get().is_some()
    }

    /// How many threads work at once, and why fewer than were asked for.
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

/// So many threads, or half as often as the system refuses them.
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
    fn a_pool_is_shared_by_all_that_ask_for_as_many_threads() {
        assert!(std::ptr::eq(Pool::of(Some(3)), Pool::of(Some(3))));
        assert_eq!(Pool::of(Some(3)).found(), (3, None));
        assert!(Pool::of(Some(1)).threads().is_none());
        let single = Pool::of(Some(1)).at_least_one().map(rayon::ThreadPool::current_num_threads);
        assert_eq!(single, Some(1));
        let cores = thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(Pool::of(None).wanted(), cores);
    }

    #[test]
    fn refused_threads_are_fewer_threads_with_the_reason() {
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
