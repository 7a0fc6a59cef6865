//! The flags of a run: Ctrl-C and the request to end (SIGTERM) set one, the clock of [`crate::watchdog`] the other.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use star_base::{Code, text};

use crate::exit::Exit;
use crate::report::Reporter;

/// The flags that a run looks at.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// The user, or the system, wants the run to end.
    pub interrupt: Arc<AtomicBool>,
    /// The time is up.
    pub deadline: Arc<AtomicBool>,
}

impl Flags {
    /// From now on the first Ctrl-C, or the first request to end, sets the flag, and the second one ends the
    /// process at once.
    ///
    /// # Errors
    /// If the system refuses; the signals then end the process at once, as without this.
    fn catch_interrupts(&self) -> io::Result<()> {
        let number = i32::from(Exit::Interrupted.number());
        for signal in [SIGINT, SIGTERM] {
            // In this order: the flag that was set before this signal decides.
            let flag = || Arc::clone(&self.interrupt);
            signal_hook::flag::register_conditional_shutdown(signal, number, flag())?;
            signal_hook::flag::register(signal, flag())?;
        }
        Ok(())
    }

    /// The same; a warning says what Ctrl-C ends if the system refuses.
    pub fn catch_or_warn(&self, reporter: &Reporter, ended: &str) {
        if let Err(error) = self.catch_interrupts() {
            reporter.warning(&format!("Ctrl-C ends {ended}: {}", text::reason(&error)));
        }
    }

    /// From now on Ctrl-C sets the flag, as often as it is pressed, and ends the process only while `idle` is
    /// set: a session goes on after a run that was ended.
    ///
    /// # Errors
    /// If the system refuses; Ctrl-C then ends the process at once, as without this.
    pub fn catch_in_session(&self, idle: Arc<AtomicBool>) -> io::Result<()> {
        let number = i32::from(Exit::Interrupted.number());
        signal_hook::flag::register_conditional_shutdown(SIGINT, number, idle)?;
        signal_hook::flag::register(SIGINT, Arc::clone(&self.interrupt))?;
        Ok(())
    }

    /// Nothing has happened so far.
    pub fn clear(&self) {
        self.interrupt.store(false, Ordering::Relaxed);
        self.deadline.store(false, Ordering::Relaxed);
    }

    /// The same, but time does not matter any more.
    pub fn without_deadline(&self) -> Flags {
        Flags { interrupt: Arc::clone(&self.interrupt), deadline: Arc::default() }
    }

    /// Why to stop, if at all.
    pub fn stop(&self) -> Option<Code> {
        if self.interrupt.load(Ordering::Relaxed) {
            Some(Code::Interrupted)
        } else if self.deadline.load(Ordering::Relaxed) {
            Some(Code::TimeLimit)
        } else {
            None
        }
    }
}

/// From now on a file that grows beyond what the user's shell allows (`ulimit -f`) is an error of the
/// write, and no longer the end of the process, which would leave half a file behind.
///
/// # Errors
/// If the system refuses; such a write then ends the process, as without this.
#[cfg(unix)]
pub fn survive_large_files() -> io::Result<()> {
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    Ok(())
}
