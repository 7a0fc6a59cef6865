//! A thread that watches a command from outside: the clock of a run, which looks at flags; and the compiler, which looks at
//! none. Nothing was written while a program is compiled and nothing runs, so the process may end where it stands, with a
//! message.

use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use star_base::{Code, Diagnostic, text};

use crate::failure::{Failure, internal};
use crate::flags::Flags;
use crate::report::Reporter;
use crate::size_args::resident_memory;

/// How often it looks at a compiler.
const MOMENT: Duration = Duration::from_millis(10);

/// Compiling may take so many bytes whatever limit is set: the library takes some of them.
pub const LEAST_BYTES: u64 = 64 << 20;

/// What compiling may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Time from the start of the sentry on.
    pub time: Option<Duration>,
    /// Bytes of memory beside what the process had before; [`LEAST_BYTES`] if that is more.
    pub memory: u64,
    /// What ends with the process.
    pub scope: Scope,
}

/// What ends with the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A command that has done nothing yet.
    Command,
    /// Tests or measurements; what was told of earlier ones stays told.
    Results,
    /// A session with its values.
    Session,
}

impl Scope {
    /// How long an interrupt waits for the compiler: a file that is compiled within a moment is not worth what would be lost.
    fn patience(self) -> Duration {
        match self {
            Scope::Command => Duration::ZERO,
            Scope::Results | Scope::Session => Duration::from_secs(1),
        }
    }
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Sentry {
    /// Held while it acts, and by who ends the watch.
    watches: Arc<Mutex<bool>>,
    _alive: Sender<()>,
}

impl Sentry {
    /// Sets the deadline flag when the time is up: what runs looks at it.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub fn clock(flags: &Flags, time: Duration) -> Result<Self, Diagnostic> {
        let deadline = Arc::clone(&flags.deadline);
        Self::start("clock", time, move || {
            deadline.store(true, Ordering::Relaxed);
            ControlFlow::Break(())
        })
    }

    /// From now on the process ends, with a message and the exit code of the limit, when a flag is set or a bound is met.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub fn over_compiler(
        flags: &Flags,
        bounds: Bounds,
        reporter: &Reporter,
    ) -> Result<Self, Diagnostic> {
        let (flags, reporter) = (flags.clone(), *reporter);
        let (start, before) = (Instant::now(), resident_memory().unwrap_or(0));
        let mut interrupted: Option<Instant> = None;
        Self::start("sentry", MOMENT, move || {
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
        })
    }

    /// Looks after each `moment` until `look` breaks off.
    fn start(
        name: &str,
        moment: Duration,
        mut look: impl FnMut() -> ControlFlow<()> + Send + 'static,
    ) -> Result<Self, Diagnostic> {
        let (alive, dropped) = mpsc::channel();
        let watches = Arc::new(Mutex::new(true));
        let sentry = Sentry { watches: Arc::clone(&watches), _alive: alive };
        let watch = move || {
            while dropped.recv_timeout(moment) == Err(RecvTimeoutError::Timeout) {
                let watches = watches.lock().unwrap_or_else(PoisonError::into_inner);
                if !*watches || look().is_break() {
                    return;
                }
            }
        };
        let started = thread::Builder::new().name(name.to_owned()).spawn(watch);
        started.map_err(|error| {
            internal(&format!("no thread for the {name}: {}", text::reason(&error)))
        })?;
        Ok(sentry)
    }
}

impl Drop for Sentry {
    fn drop(&mut self) {
        *self.watches.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }
}

/// Why to end, if at all. `waited` is the time since an interrupt.
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
        let message = format!("compiling takes more than {} of memory", text::bytes(most));
        let fault = Diagnostic::new(Code::MemoryLimit, message);
        fault.help("`--max-memory` sets this limit")
    };
    Some(match bounds.scope {
        Scope::Command => fault,
        Scope::Results => fault.note("the compiler cannot be stopped alone: the command ends here"),
        Scope::Session => fault.note("the compiler cannot be stopped alone: the session ends here"),
    })
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    #[test]
    fn each_bound_has_its_message() {
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
    fn memory_beside_that_of_before_counts() {
        let bounds = Bounds { time: None, memory: 0, scope: Scope::Command };
        let found = |before| fault(bounds, None, Duration::ZERO, before).map(|fault| fault.code);
        let Some(now) = resident_memory() else { return };
        assert_eq!(found(now), None);
        // What no page was touched of does not count. Tests beside this one may give some memory back meanwhile.
        let taken = vec![1_u8; LEAST_BYTES as usize + (64 << 20)];
        assert_eq!(found(now), Some(Code::MemoryLimit), "{:?}", slice::from_ref(&taken[0]));
    }

    #[test]
    fn the_clock_sets_the_flag_once_the_time_is_up() {
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
