//! Threads for the natives' algorithms, and nobody who interrupts.

use rayon::{ThreadPool, ThreadPoolBuilder};
use star_natives::{Ended, Environment};

/// One thread, or a pool.
pub(crate) struct Threads(Option<ThreadPool>);

impl Threads {
    pub(crate) fn new(n_threads: usize) -> Result<Threads, String> {
        if n_threads <= 1 {
            return Ok(Threads(None));
        }
        let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
        pool.map(Some).map(Threads).map_err(|error| error.to_string())
    }
}

impl Environment for Threads {
    fn poll_limbs(&self) -> usize {
        1 << 18
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
        self.0.as_ref().map_or(1, ThreadPool::current_num_threads)
    }

    fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Ended> {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
        Ok(())
    }
}
