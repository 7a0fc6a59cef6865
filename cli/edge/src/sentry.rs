//! What ends a command that looks at no flags: while a program is read and compiled. Nothing was written then and nothing
//! runs, so the process may end where it stands, with a message.

use std::process;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use star_base::{Code, Diagnostic, text};

use crate::failure::{Failure, internal};
use crate::flags::Flags;
use crate::report::Reporter;
use crate::sizes::resident_memory;

/// How often it looks.
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
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Sentry {
    /// Held while it ends the process, and by who ends the watch.
    watches: Arc<Mutex<bool>>,
    _alive: Sender<()>,
}

impl Sentry {
    /// From now on the process ends, with a message and the exit code of the limit, when a flag is set or a bound is met.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub fn start(flags: &Flags, bounds: Bounds, reporter: &Reporter) -> Result<Self, Diagnostic> {
        let (alive, dropped) = mpsc::channel();
        let watches = Arc::new(Mutex::new(true));
        let sentry = Sentry { watches: Arc::clone(&watches), _alive: alive };
        let (flags, reporter) = (flags.clone(), *reporter);
        let (start, before) = (Instant::now(), resident_memory().unwrap_or(0));
        let watch = move || {
            while dropped.recv_timeout(MOMENT) == Err(RecvTimeoutError::Timeout) {
                let Some(fault) = fault(&flags, bounds, start.elapsed(), before) else { continue };
                let watches = watches.lock().unwrap_or_else(PoisonError::into_inner);
                if *watches {
                    let exit = Failure::from(fault).report(&reporter);
                    process::exit(exit.number().into());
                }
            }
        };
        let thread = thread::Builder::new().name("sentry".to_owned());
        let started = thread.spawn(watch);
        started.map_err(|error| {
            internal(&format!("no thread to watch the compiler: {}", text::reason(&error)))
        })?;
        Ok(sentry)
    }
}

impl Drop for Sentry {
    fn drop(&mut self) {
        *self.watches.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }
}

/// Why to end, if at all.
fn fault(flags: &Flags, bounds: Bounds, elapsed: Duration, before: u64) -> Option<Diagnostic> {
    if flags.stop() == Some(Code::Interrupted) {
        return Some(Diagnostic::new(Code::Interrupted, "interrupted while compiling"));
    }
    if bounds.time.is_some_and(|time| elapsed >= time) {
        let fault = Diagnostic::new(Code::TimeLimit, "the time is up while compiling");
        return Some(fault.help("`--max-time` sets this limit"));
    }
    let most = bounds.memory.max(LEAST_BYTES);
    let taken = resident_memory()?.saturating_sub(before);
    (taken > most).then(|| {
        let most = text::bytes(most);
        let message = format!("compiling takes more than {most} of memory");
        Diagnostic::new(Code::MemoryLimit, message).help("`--max-memory` sets this limit")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bound_has_its_message() {
        let flags = Flags::default();
        let bounds = Bounds { time: Some(Duration::from_secs(1)), memory: 1 };
        let code = |flags: &Flags, seconds, before| {
            let found = fault(flags, bounds, Duration::from_secs(seconds), before);
            found.map(|fault| fault.code)
        };
        let now = resident_memory().unwrap_or(0);
        assert_eq!(code(&flags, 0, now), None);
        assert_eq!(code(&flags, 1, now), Some(Code::TimeLimit));
        flags.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(code(&flags, 1, now), Some(Code::Interrupted));
    }
}
