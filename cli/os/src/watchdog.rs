//! A thread that watches a command: the clock of a run, which polls flags; and the compiler, which
//! does not. While a program is compiled, nothing was written and nothing runs, so the process may
//! end immediately, with a message.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use std::{fmt, io, process};

use star_base::{Code, Diagnostic, text};

use crate::failure::{Failure, no_thread};
use crate::flags::Flags;
use crate::report::Reporter;
use crate::size_args::resident_memory;

/// Polling interval while compiling.
const MOMENT: Duration = Duration::from_millis(10);

/// Minimum memory limit of compilation, part of which the library uses.
pub const LEAST_BYTES: u64 = 64 << 20;

/// The limits of compilation.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Time since the start of the watchdog.
    pub time: Option<Duration>,
    /// Bytes of memory in addition to those that the process used before; at least [`LEAST_BYTES`].
    pub memory: u64,
    /// What ends together with the process.
    pub scope: Scope,
}

/// What ends together with the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A command that has done nothing yet.
    Command,
    /// Tests or measurements; earlier results remain reported.
    Results,
    /// A session with its values.
    Session,
}

impl Scope {
    /// Returns how long an interrupt waits for the compiler. Waiting briefly may save values or
    /// results that would be lost.
    fn patience(self) -> Duration {
        match self {
            Scope::Command => Duration::ZERO,
            Scope::Results | Scope::Session => Duration::from_secs(1),
        }
    }
}

/// A watchdog, active until it is dropped.
#[derive(Debug)]
pub struct Sentry {
    /// Held while the watchdog acts, and to end the watch.
    watches: Arc<Mutex<bool>>,
    _alive: Sender<()>,
    /// Acts once, at the end, if the system refuses the thread.
    at_end: Option<AtEnd>,
}

/// The limits that a [`Sentry`] without a thread tests at its end.
struct AtEnd(Box<dyn FnMut() -> ControlFlow<()> + Send>);

impl fmt::Debug for AtEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AtEnd")
    }
}

impl Sentry {
    /// Sets the deadline flag when the time is up; the run polls it.
    ///
    /// # Errors
    /// L0108 if the thread cannot be started.
    pub fn clock(flags: &Flags, time: Duration) -> Result<Self, Diagnostic> {
        let deadline = Arc::clone(&flags.deadline);
        let look = Box::new(move || {
            deadline.store(true, Ordering::Relaxed);
            ControlFlow::Break(())
        });
        Self::start("clock", time, look).map_err(|(error, mut sentry)| {
            sentry.at_end = None;
            no_thread("--max-time", &error)
        })
    }

    /// Ends the process, with a message and the exit code of the limit, when a flag is set or a
    /// limit is exceeded; if the system refuses a thread, after the work.
    pub fn over_compiler(flags: &Flags, bounds: Bounds, reporter: &Reporter) -> Self {
        let (flags, reporter) = (flags.clone(), *reporter);
        let (start, before) = (Instant::now(), resident_memory().unwrap_or(0));
        let mut interrupted: Option<Instant> = None;
        let look = Box::new(move || {
            let now = Instant::now();
            if flags.stop() == Some(Code::Interrupted) {
                interrupted.get_or_insert(now);
            }
            let waited = interrupted.map(|since| now - since);
            let Some(fault) = fault(bounds, waited, now - start, before) else {
                return ControlFlow::Continue(());
            };
            let exit = Failure::from(fault).report(&reporter);
            process::exit(exit.number().into());
        });
        Self::start("sentry", MOMENT, look).unwrap_or_else(|(_, sentry)| sentry)
    }

    /// Calls `look` after each `moment` until it breaks. If the system refuses the thread, the
    /// watchdog with the error calls it once, at its end.
    fn start(
        name: &str,
        moment: Duration,
        look: Box<dyn FnMut() -> ControlFlow<()> + Send>,
    ) -> Result<Self, (io::Error, Self)> {
        let (alive, dropped) = mpsc::channel();
        let watches = Arc::new(Mutex::new(true));
        let mut sentry = Sentry { watches: Arc::clone(&watches), _alive: alive, at_end: None };
        // The closure of a refused thread is lost.
        let look = Arc::new(Mutex::new(Some(AtEnd(look))));
        let moved = Arc::clone(&look);
        let watch = move || {
            let taken = moved.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(AtEnd(mut look)) = taken else { return };
            while dropped.recv_timeout(moment) == Err(RecvTimeoutError::Timeout) {
                let watches = watches.lock().unwrap_or_else(PoisonError::into_inner);
                if !*watches || look().is_break() {
                    return;
                }
            }
        };
        match thread::Builder::new().name(name.to_owned()).spawn(watch) {
            Ok(_) => Ok(sentry),
            Err(error) => {
                sentry.at_end = look.lock().unwrap_or_else(PoisonError::into_inner).take();
                Err((error, sentry))
            }
        }
    }
}

impl Drop for Sentry {
    fn drop(&mut self) {
        *self.watches.lock().unwrap_or_else(PoisonError::into_inner) = false;
        if let Some(AtEnd(mut look)) = self.at_end.take() {
            // It ends the process or has nothing to do.
            let _ = look();
        }
    }
}

/// Returns the reason to end the process, if any. `waited` is the time since an interrupt.
fn fault(
    bounds: Bounds,
    waited: Option<Duration>,
    elapsed: Duration,
    before: u64,
) -> Option<Diagnostic> {
    let fault = if waited.is_some_and(|waited| waited >= bounds.scope.patience()) {
        Diagnostic::new(Code::Interrupted, "interrupted while compiling")
    } else if bounds.time.is_some_and(|time| elapsed >= time) {
        let fault = Diagnostic::new(Code::TimeLimit, "the time is up while compiling");
        fault.help("`--max-time` sets this limit")
    } else {
        let most = bounds.memory.max(LEAST_BYTES);
        let taken = resident_memory()?.saturating_sub(before);
        if taken <= most {
            return None;
        }
        let message = format!("compiling needs more than {} of memory", text::bytes(most));
        let fault = Diagnostic::new(Code::MemoryLimit, message);
        fault.help("`--max-memory` sets this limit")
    };
    Some(match bounds.scope {
        Scope::Command => fault,
        Scope::Results => {
            fault.note("the compiler cannot be interrupted, so the command ends here")
        }
        Scope::Session => {
            fault.note("the compiler cannot be interrupted, so the session ends here")
        }
    })
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    #[test]
    fn each_limit_has_its_message() {
        let second = Duration::from_secs(1);
        let now = resident_memory().unwrap_or(0);
        let code = |scope, waited, elapsed| {
            let bounds = Bounds { time: Some(second), memory: 1, scope };
            fault(bounds, waited, elapsed, now).map(|fault| fault.code)
        };
        let zero = Duration::ZERO;
        assert_eq!(code(Scope::Command, None, zero), None);
        assert_eq!(code(Scope::Command, None, second), Some(Code::TimeLimit));
        assert_eq!(code(Scope::Command, Some(zero), second), Some(Code::Interrupted));
        assert_eq!(code(Scope::Session, Some(zero), zero), None);
        assert_eq!(code(Scope::Session, Some(second), zero), Some(Code::Interrupted));
    }

    #[test]
    fn counts_only_memory_allocated_since_the_start() {
        let bounds = Bounds { time: None, memory: 0, scope: Scope::Command };
        let found = |before| fault(bounds, None, Duration::ZERO, before).map(|fault| fault.code);
        let Some(now) = resident_memory() else { return };
        assert_eq!(found(now), None);
        // Untouched pages do not count. Concurrent tests may free some memory in the meantime.
        let taken = vec![1_u8; LEAST_BYTES as usize + (64 << 20)];
        assert_eq!(found(now), Some(Code::MemoryLimit), "{:?}", slice::from_ref(&taken[0]));
    }

    #[test]
    fn the_clock_sets_the_flag_at_the_deadline() {
        let flags = Flags::default();
        let early = Sentry::clock(&flags, Duration::from_secs(3600)).unwrap();
        drop(early);
        assert_eq!(flags.stop(), None);
        let _clock = Sentry::clock(&flags, Duration::from_millis(1)).unwrap();
        while flags.stop().is_none() {
            thread::yield_now();
        }
        assert_eq!(flags.stop(), Some(Code::TimeLimit));
    }
}
