//! The flags of a run: Ctrl-C and the requests to terminate (SIGTERM, SIGHUP) set one, the clock of
//! [`crate::watchdog`] the other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{error, fmt, io};

use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use star_base::{Code, Diagnostic, text};

use crate::exit::Exit;
use crate::report::Reporter;

/// The flags that a run polls.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// The user or the system requests the end of the run.
    pub interrupt: Arc<AtomicBool>,
    /// The deadline has passed.
    pub deadline: Arc<AtomicBool>,
}

impl Flags {
    /// Installs the handlers: the first Ctrl-C or request to terminate sets the flag, the second
    /// one ends the process immediately, or after the removal of new files and folders.
    ///
    /// # Errors
    /// If the system refuses; the signals then end the process immediately, as without this call.
    fn catch_interrupts(&self) -> io::Result<()> {
        let number = i32::from(Exit::Interrupted.number());
        for signal in [SIGINT].into_iter().chain(TERMINATION).filter(is_heeded) {
            // The order matters: the shutdown handler must test the flag before this signal sets
            // it.
            let flag = || Arc::clone(&self.interrupt);
            let shutdown =
                signal_hook::flag::register_conditional_shutdown(signal, number, flag())?;
            signal_hook::flag::register(signal, flag())?;
            lock_ends().push((signal, shutdown, flag()));
        }
        Ok(())
    }

    /// Installs the handlers; if the system refuses, a warning states what Ctrl-C ends.
    pub fn catch_or_warn(&self, reporter: &Reporter, ended: &str) {
        if let Err(error) = self.catch_interrupts() {
            reporter.warning(&format!("Ctrl-C ends {ended}: {}", text::reason(&error)));
        }
    }

    /// Does what [`Flags::catch_or_warn`] does for a command that writes an object at its end, also
    /// when it is interrupted: the third signal ends the process, since one request often arrives
    /// as two signals, from the terminal and from a wrapper.
    pub fn catch_for_object(&self, reporter: &Reporter, ended: &str) {
        self.catch_or_warn(reporter, ended);
        LAST_SIGNAL.store(3, Ordering::Relaxed);
        count_signals();
    }

    /// Installs the handler of a session: every Ctrl-C sets the flag, and it ends the process only
    /// while `idle` is set. A session continues after an interrupted run. A request to terminate
    /// ends the process immediately.
    ///
    /// # Errors
    /// If the system refuses; the signals then end the process immediately, as without this call.
    pub fn catch_in_session(&self, idle: Arc<AtomicBool>) -> io::Result<()> {
        let number = i32::from(Exit::Interrupted.number());
        for signal in TERMINATION.into_iter().filter(is_heeded) {
            let always = Arc::new(AtomicBool::new(true));
            signal_hook::flag::register_conditional_shutdown(signal, number, always)?;
        }
        signal_hook::flag::register_conditional_shutdown(SIGINT, number, idle)?;
        signal_hook::flag::register(SIGINT, Arc::clone(&self.interrupt))?;
        Ok(())
    }

    /// Sets the flag of interrupts at each Ctrl-C and request to terminate, and ends nothing.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn observe_interrupts(&self) -> io::Result<()> {
        for signal in [SIGINT].into_iter().chain(TERMINATION).filter(is_heeded) {
            signal_hook::flag::register(signal, Arc::clone(&self.interrupt))?;
        }
        Ok(())
    }

    /// Clears both flags.
    pub fn clear(&self) {
        self.interrupt.store(false, Ordering::Relaxed);
        self.deadline.store(false, Ordering::Relaxed);
    }

    /// Returns the flags without the deadline.
    pub fn without_deadline(&self) -> Flags {
        Flags { interrupt: Arc::clone(&self.interrupt), deadline: Arc::default() }
    }

    /// Returns the reason to stop, if any.
    pub fn stop(&self) -> Option<Code> {
        if self.interrupt.load(Ordering::Relaxed) {
            Some(Code::Interrupted)
        } else if self.deadline.load(Ordering::Relaxed) {
            Some(Code::TimeLimit)
        } else {
            None
        }
    }

    /// Tests the flags between two files of a command.
    ///
    /// # Errors
    /// L0106 or L0103 if one is set.
    pub fn go_on(&self) -> Result<(), Diagnostic> {
        self.stop().map_or(Ok(()), |code| Err(Diagnostic::new(code, "interrupted")))
    }
}

/// The cause of an [`io::Error`] if a flag ended a write.
#[derive(Clone, Copy, Debug)]
pub struct Stopped(Code);

impl Stopped {
    /// Tests the flags before a write, and during its waits.
    ///
    /// # Errors
    /// If one is set.
    pub fn check(flags: &Flags) -> io::Result<()> {
        flags.stop().map_or(Ok(()), |code| Err(io::Error::other(Stopped(code))))
    }

    /// Returns the code of the flag that caused this error, if one did.
    pub fn code(error: &io::Error) -> Option<Code> {
        Some(error.get_ref()?.downcast_ref::<Stopped>()?.0)
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Code::TimeLimit => "time limit reached while writing",
            _ => "interrupted while writing",
        })
    }
}

impl error::Error for Stopped {}

/// The handlers that end the process at a second signal: signal, handler, and the flag that the
/// first signal sets.
static ENDS: Mutex<Ends> = Mutex::new(Vec::new());

type Ends = Vec<(i32, SigId, Arc<AtomicBool>)>;

fn lock_ends() -> MutexGuard<'static, Ends> {
    ENDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of the signal that ends the process, while a thread counts them.
static LAST_SIGNAL: AtomicUsize = AtomicUsize::new(2);

/// Lets the last signal remove new files and folders before it ends the process. If the system
/// refuses, the second one ends it immediately.
pub(crate) fn count_signals() {
    #[cfg(unix)]
    {
        let mut ends = lock_ends();
        let kept = cleaning::start(std::mem::take(&mut *ends));
        *ends = kept.err().unwrap_or_default();
    }
}

#[cfg(unix)]
mod cleaning {
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use std::thread;

    use signal_hook::low_level;

    use super::{Ends, Exit, LAST_SIGNAL, Ordering};
    use crate::cleanup;

    /// Replaces the handlers by a thread that counts the signals; returns them if it cannot.
    pub(super) fn start(ends: Ends) -> Result<(), Ends> {
        if ends.is_empty() {
            return Ok(());
        }
        let Ok((mut read, write)) = UnixStream::pair() else { return Err(ends) };
        let mut n_signals = usize::from(ends.iter().any(|(.., set)| set.load(Ordering::Relaxed)));
        let count = move || {
            while read.read_exact(&mut [0]).is_ok() {
                n_signals += 1;
                if n_signals >= LAST_SIGNAL.load(Ordering::Relaxed) {
                    cleanup::remove_created();
                    low_level::exit(i32::from(Exit::Interrupted.number()));
                }
            }
        };
        if thread::Builder::new().name("signals".to_owned()).spawn(count).is_err() {
            return Err(ends);
        }
        let mut kept = Vec::new();
        for (signal, shutdown, set) in ends {
            let told = write.try_clone().and_then(|write| low_level::pipe::register(signal, write));
            match told {
                Ok(_) => _ = low_level::unregister(shutdown),
                Err(_) => kept.push((signal, shutdown, set)),
            }
        }
        if kept.is_empty() { Ok(()) } else { Err(kept) }
    }
}

/// The requests to terminate.
const TERMINATION: [i32; 2] = [SIGTERM, SIGHUP];

/// Tests whether a signal ends the command: `nohup` lets it survive its terminal.
fn is_heeded(&signal: &i32) -> bool {
    signal != SIGHUP || !hangup_ignored()
}

/// Tests whether this process was started with SIGHUP ignored.
fn hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}

/// Turns writes beyond the file size limit (`ulimit -f`) into errors. By default they end the
/// process, which would leave a truncated file.
///
/// # Errors
/// If the system refuses; a write beyond the limit then ends the process.
#[cfg(unix)]
pub fn survive_large_files() -> io::Result<()> {
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    Ok(())
}
