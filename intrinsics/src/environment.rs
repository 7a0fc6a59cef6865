//! What a backend gives to an algorithm: interruption, threads, vector kernels.

use star_base::bits::TooLarge;
use star_base::limbs::OutOfMemory;

/// Why an algorithm ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The user or the clock wants the end of the run.
    Interrupted,
    /// The system refuses the memory: the Star body runs instead.
    OutOfMemory,
    /// Cannot happen: an internal error, which is this.
    Internal(&'static str),
}

impl From<OutOfMemory> for Ended {
    fn from(_: OutOfMemory) -> Ended {
        Ended::OutOfMemory
    }
}

impl From<TooLarge> for Ended {
    fn from(_: TooLarge) -> Ended {
        Ended::OutOfMemory
    }
}

/// Services of the backend that runs an algorithm.
pub trait Environment: Sync {
    /// Limbs that may be worked on between two calls of [`Environment::poll`].
    fn poll_limbs(&self) -> usize;

    /// Goes on unless the run has to end.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if it has to.
    fn poll(&self) -> Result<(), Ended>;

    /// Fills `to`, on several threads and with polls in between if it is long: `piece(start, part)` fills
    /// the part that begins at limb `start`.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run has to end.
    fn fill(&self, to: &mut [u64], piece: &(dyn Fn(usize, &mut [u64]) + Sync))
    -> Result<(), Ended>;

    /// `to = to or line`, where the line may be longer; like [`Environment::fill`], with vector instructions.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run has to end.
    fn or_assign(&self, to: &mut [u64], line: &[u64]) -> Result<(), Ended>;

    /// How many threads work at once.
    fn threads(&self) -> usize;

    /// Does `work` on the backend's threads: what rayon spreads inside it goes to them. Algorithms call
    /// [`install`], which returns what the work gives.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`] if the system refuses every thread.
    fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Ended>;
}

/// What `work` gives, done on the backend's threads: what rayon spreads inside it goes to them. Never use rayon
/// outside: its global pool has as many threads as the shell says.
///
/// # Errors
/// Those of the work, [`Ended::OutOfMemory`] if the system refuses every thread, and [`Ended::Internal`] if the
/// environment leaves the work undone without a word.
pub fn install<T: Send>(
    environment: &dyn Environment,
    work: impl FnOnce() -> Result<T, Ended> + Send,
) -> Result<T, Ended> {
    let (mut work, mut result) = (Some(work), None);
    environment.install(&mut || {
        if let Some(work) = work.take() {
            result = Some(work());
        }
    })?;
    result.unwrap_or(Err(Ended::Internal("threads have left the work of an intrinsic undone")))
}

/// Polls each time that so much was done as may lie between two polls.
pub struct InterruptPoller<'a> {
    environment: &'a dyn Environment,
    /// Limbs until the next poll.
    left: usize,
}

impl<'a> InterruptPoller<'a> {
    /// Nothing was done yet.
    pub fn new(environment: &'a dyn Environment) -> Self {
        InterruptPoller { environment, left: environment.poll_limbs() }
    }

    /// So many limbs are about to be worked on.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run has to end.
    #[inline]
    pub fn spend(&mut self, n_limbs: usize) -> Result<(), Ended> {
        match self.left.checked_sub(n_limbs) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = self.environment.poll_limbs();
                self.environment.poll()
            }
        }
    }

    /// `to = to or line`, which may be longer.
    ///
    /// # Errors
    /// As for [`InterruptPoller::spend`].
    pub fn or(&mut self, to: &mut [u64], line: &[u64]) -> Result<(), Ended> {
        self.spend(to.len())?;
        self.environment.or_assign(to, line)
    }

    /// `to = line`, which may be longer.
    ///
    /// # Errors
    /// As for [`InterruptPoller::spend`].
    pub fn copy(&mut self, to: &mut [u64], line: &[u64]) -> Result<(), Ended> {
        self.spend(to.len())?;
        self.environment.fill(to, &|start, part| {
            part.copy_from_slice(&line[start..start + part.len()]);
        })
    }
}
