//! Removal of new files and folders when a repeated signal ends the process.
//!
//! A signal handler cannot remove them, so a thread does, and then ends the process.

#![cfg_attr(not(unix), allow(dead_code, reason = "only signals of Unix end the process"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crate::temporary;

/// The new files and folders, in the order of creation.
#[derive(Debug)]
pub(crate) struct Created(Vec<PathBuf>);

static CREATED: Mutex<Created> = Mutex::new(Created(Vec::new()));

/// How long the end of the process waits for a file operation.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the list of new files and folders. While it is held, the process does not end at a
/// repeated signal: a file operation and its entry in the list belong together.
pub(crate) fn created() -> MutexGuard<'static, Created> {
    CREATED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Created {
    /// Adds a file or folder.
    pub(crate) fn add(&mut self, path: &Path) {
        self.0.push(path.to_owned());
    }

    /// Forgets a file or folder, which then remains.
    pub(crate) fn keep(&mut self, path: &Path) {
        self.0.retain(|created| created != path);
    }

    /// Removes everything; folders with other files remain.
    fn remove(&mut self) {
        for path in self.0.drain(..).rev() {
            if !path.is_dir() {
                let _ = fs::remove_file(&path);
                continue;
            }
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| temporary::is_name(&entry.file_name())) {
                let _ = fs::remove_file(entry.path());
            }
            let _ = fs::remove_dir(&path);
        }
    }
}

/// Removes everything in the list; gives up after a moment if a file operation blocks.
pub(crate) fn remove_created() {
    let start = Instant::now();
    loop {
        match CREATED.try_lock() {
            Ok(mut created) => {
                created.remove();
                // Nothing is created until the process ends.
                return std::mem::forget(created);
            }
            Err(TryLockError::Poisoned(error)) => return error.into_inner().remove(),
            Err(TryLockError::WouldBlock) if start.elapsed() >= PATIENCE => return,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}
