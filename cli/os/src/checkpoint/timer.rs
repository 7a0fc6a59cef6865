//! The clock of checkpoints.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// A thread that sets a flag after a time, until it is dropped.
#[derive(Debug)]
pub(super) struct Timer {
    restarts: Sender<()>,
}

impl Timer {
    /// Starts the thread and the first interval.
    pub(super) fn start(flag: Arc<AtomicBool>, every: Duration) -> io::Result<Self> {
        let (restarts, received) = mpsc::channel();
        let watch = move || {
            loop {
                match received.recv_timeout(every) {
                    Ok(()) => continue,
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => flag.store(true, Ordering::Relaxed),
                }
                if received.recv().is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("checkpoints".to_owned()).spawn(watch)?;
        Ok(Timer { restarts })
    }

    /// Starts the next interval.
    pub(super) fn restart(&self) {
        // The thread lives as long as this.
        let _ = self.restarts.send(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_set_once_in_each_interval() {
        let flag = Arc::new(AtomicBool::new(false));
        let timer = Timer::start(Arc::clone(&flag), Duration::from_millis(1)).unwrap();
        for _ in 0..3 {
            while !flag.swap(false, Ordering::Relaxed) {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(5));
            assert!(!flag.load(Ordering::Relaxed));
            timer.restart();
        }
    }
}
