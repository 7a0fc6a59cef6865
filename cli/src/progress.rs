//! A line on standard error that shows how far the reading of a long file is; on a terminal only.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Files that are read in less time show nothing.
const PATIENCE: Duration = Duration::from_millis(500);
/// Drawings in a second.
const RATE: u8 = 5;

/// The progress of one file.
#[derive(Debug)]
pub(crate) struct Progress {
    name: String,
    n_bytes: Option<u64>,
    begun: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Nothing has been read; the file has `n_bytes` if that is known.
    pub(crate) fn new(name: &str, n_bytes: Option<u64>) -> Self {
        let name = crate::text::one_line(name);
        Progress { name, n_bytes, begun: Instant::now(), bar: None }
    }

    /// `n_read` bytes were read.
    pub(crate) fn show(&mut self, n_read: u64) {
        if self.bar.is_none() && self.begun.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            // Nothing is drawn where standard error is no terminal.
            let target = ProgressDrawTarget::stderr_with_hz(RATE);
            let bar = ProgressBar::with_draw_target(self.n_bytes, target);
            let template = match self.n_bytes {
                Some(_) => "reading {msg}: {bytes} of {total_bytes}, {binary_bytes_per_sec}",
                None => "reading {msg}: {bytes}, {binary_bytes_per_sec}",
            };
            let style = ProgressStyle::with_template(template);
            let bar = bar.with_message(self.name.clone()).with_elapsed(self.begun.elapsed());
            // A template that does not parse would be a fault of ours, and only of looks.
            match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        bar.set_position(n_read);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
