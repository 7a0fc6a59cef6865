//! A contestant, in this process or in another.

use std::time::{Duration, Instant};

use super::digest::Digest;
use super::failure::Failure;
use super::protocol::Hello;

/// One of those that are measured in turn.
pub(super) trait Side {
    /// Who it is.
    fn hello(&self) -> &Hello;

    /// Does the job so many times; the seconds of the jobs alone, together.
    fn run(&mut self, runs: u32) -> Result<f64, Failure>;

    /// The digest of the last result.
    fn digest(&mut self) -> Result<String, Failure>;
}

/// A job that can be done again and again.
pub(super) trait Work {
    /// Does it; the time of the job alone, without getting its input ready.
    fn run(&mut self) -> Result<Duration, Failure>;

    /// Of the last result.
    fn digest(&mut self) -> Result<Digest, Failure>;
}

/// A contestant in this process.
pub(super) struct Local {
    hello: Hello,
    work: Box<dyn Work>,
}

impl Local {
    pub(super) fn new(hello: Hello, work: Box<dyn Work>) -> Self {
        Local { hello, work }
    }
}

impl Side for Local {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn run(&mut self, runs: u32) -> Result<f64, Failure> {
        (0..runs).try_fold(0.0, |sum, _| Ok(sum + self.work.run()?.as_secs_f64()))
    }

    fn digest(&mut self) -> Result<String, Failure> {
        self.work.digest().map(Digest::text)
    }
}

/// A job of three functions.
pub(super) struct Steps<P, R, Prepare, Do, Show>
where
    Prepare: Fn() -> P,
    Do: Fn(P) -> R,
    Show: Fn(&R) -> Digest,
{
    /// Gets ready what a run uses up; not timed.
    pub(super) prepare: Prepare,
    /// Does the job.
    pub(super) work: Do,
    /// The digest of a result.
    pub(super) digest: Show,
    /// The last result.
    pub(super) last: Option<R>,
}

impl<P, R, Prepare, Do, Show> Work for Steps<P, R, Prepare, Do, Show>
where
    Prepare: Fn() -> P,
    Do: Fn(P) -> R,
    Show: Fn(&R) -> Digest,
{
    fn run(&mut self) -> Result<Duration, Failure> {
        self.last = None;
        let prepared = (self.prepare)();
        let begun = Instant::now();
        let result = (self.work)(prepared);
        let time = begun.elapsed();
        self.last = Some(result);
        Ok(time)
    }

    fn digest(&mut self) -> Result<Digest, Failure> {
        let last = self.last.as_ref().ok_or_else(|| Failure::peer("nothing was run yet"))?;
        Ok((self.digest)(last))
    }
}
