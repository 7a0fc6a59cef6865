//! Threads for algorithms outside a backend: tools and benchmarks.

use crate::environment::{Ended, Environment};

/// Limbs between two checks of the flag.
const POLL_LIMBS: usize = 1 << 16;

/// A thread pool, and a flag that ends the work.
pub struct Workers<'a> {
    pool: rayon::ThreadPool,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Workers<'a> {
    /// Starts `n` threads, or one for each core if `None`; the work ends soon after `stop` returns
    /// true.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`] if the threads cannot be started.
    pub fn new(
        n: Option<usize>,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Result<Workers<'a>, Ended> {
        let n = n.or_else(|| std::thread::available_parallelism().ok().map(usize::from));
        let builder = rayon::ThreadPoolBuilder::new().num_threads(n.unwrap_or(1));
        let pool = builder.build().map_err(|_| Ended::OutOfMemory)?;
        Ok(Workers { pool, stop })
    }

    /// Starts at most `n` threads, or one for each core if `None`: half of them, repeatedly, while
    /// the system refuses them. The last resort is the calling thread.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`] if the calling thread cannot work alone.
    pub fn at_most(
        n: Option<usize>,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Result<Workers<'a>, Ended> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let mut n = n.unwrap_or_else(cores);
        while n > 0 {
            match Workers::new(Some(n), stop) {
                Ok(workers) => return Ok(workers),
                Err(_) => n /= 2,
            }
        }
        let builder = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        let pool = builder.build().map_err(|_| Ended::OutOfMemory)?;
        Ok(Workers { pool, stop })
    }

    /// Never ends the work.
    pub const NEVER: &'static (dyn Fn() -> bool + Sync) = &|| false;
}

impl Environment for Workers<'_> {
    fn poll_limbs(&self) -> usize {
        POLL_LIMBS
    }

    fn poll(&self) -> Result<(), Ended> {
        if (self.stop)() { Err(Ended::Interrupted) } else { Ok(()) }
    }

    fn fill(
        &self,
        to: &mut [u64],
        piece: &(dyn Fn(usize, &mut [u64]) + Sync),
    ) -> Result<(), Ended> {
        for (idx, part) in to.chunks_mut(POLL_LIMBS).enumerate() {
            self.poll()?;
            piece(idx * POLL_LIMBS, part);
        }
        Ok(())
    }

    fn or_assign(&self, to: &mut [u64], line: &[u64]) -> Result<(), Ended> {
        self.fill(to, &|start, part| {
            part.iter_mut().zip(&line[start..]).for_each(|(to, line)| *to |= line);
        })
    }

    fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Ended> {
        self.pool.install(work);
        Ok(())
    }
}
