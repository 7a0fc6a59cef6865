//! Backend services for algorithms: interruption, threads, vector kernels.

use star_value::OutOfMemory;
use star_value::bits::TooLarge;

/// Reasons for ending an algorithm without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The run was interrupted by the user or the deadline.
    Interrupted,
    /// Memory allocation failed: the Star body runs instead.
    OutOfMemory,
    /// An internal error with its description.
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
    /// Limbs that may be processed between two calls of [`Environment::poll`].
    fn poll_limbs(&self) -> usize;

    /// Checks for an interrupt.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted.
    fn poll(&self) -> Result<(), Ended>;

    /// Fills `to`, on several threads and with polls if it is long: `piece(start, part)` fills the
    /// part that begins at limb `start`.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted.
    fn fill(&self, to: &mut [u64], piece: &(dyn Fn(usize, &mut [u64]) + Sync))
    -> Result<(), Ended>;

    /// Computes `to = to or line`, where the line may be longer; like [`Environment::fill`], with
    /// vector instructions.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted.
    fn or_assign(&self, to: &mut [u64], line: &[u64]) -> Result<(), Ended>;

    /// The number of threads.
    fn threads(&self) -> usize;

    /// Runs `work` on the backend's threads, which rayon uses inside it. Algorithms call
    /// [`install`], which returns the result of the work.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`] if no thread can be started.
    fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Ended>;
}

/// Runs `work` on the backend's threads, which rayon uses inside it, and returns its result. Never
/// use rayon outside: the size of its global pool depends on the shell's environment.
///
/// # Errors
/// Those of the work, [`Ended::OutOfMemory`] if no thread can be started, and [`Ended::Internal`]
/// if the environment does not run the work.
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
    result.unwrap_or(Err(Ended::Internal("the work of an intrinsic was not run")))
}

/// Polls whenever the permitted amount of work has been done.
pub struct InterruptPoller<'a> {
    environment: &'a dyn Environment,
    /// Limbs until the next poll.
    left: usize,
}

impl<'a> InterruptPoller<'a> {
    /// A poller with no work done.
    pub fn new(environment: &'a dyn Environment) -> Self {
        InterruptPoller { environment, left: environment.poll_limbs() }
    }

    /// Announces work on `n_limbs` limbs.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted.
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

    /// Computes `to = to or line`, where the line may be longer.
    ///
    /// # Errors
    /// As for [`InterruptPoller::spend`].
    pub fn or(&mut self, to: &mut [u64], line: &[u64]) -> Result<(), Ended> {
        self.spend(to.len())?;
        self.environment.or_assign(to, line)
    }

    /// Computes `to = line`, where the line may be longer.
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
