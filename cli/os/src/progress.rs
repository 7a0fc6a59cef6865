//! Progress line on standard error for long files and runs; on a terminal only.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use star_base::text;

/// Operations shorter than this show nothing.
const PATIENCE: Duration = Duration::from_millis(500);
/// Minimum time between two updates.
const PAUSE: Duration = Duration::from_millis(200);

/// The progress of one file.
#[derive(Debug)]
pub struct Progress {
    /// The operation: `reading road.gr`.
    what: String,
    n_bytes: Option<u64>,
    begun: Instant,
    /// Time of the last update, measured from the start.
    drawn: Option<Duration>,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Starts the progress of reading a file of `n_bytes`, if known.
    pub fn reading(name: &str, n_bytes: Option<u64>) -> Self {
        Progress::new("reading", name, n_bytes)
    }

    /// Starts the progress of writing a file, whose size is unknown.
    pub fn writing(name: &str) -> Self {
        Progress::new("writing", name, None)
    }

    fn new(verb: &str, name: &str, n_bytes: Option<u64>) -> Self {
        let what = format!("{verb} {}", text::one_line(name));
        Progress { what, n_bytes, begun: Instant::now(), drawn: None, bar: None }
    }

    /// Shows that `n_done` bytes were read or written.
    pub fn show(&mut self, n_done: u64) {
        let elapsed = self.begun.elapsed();
        if !is_due(elapsed, self.drawn) {
            return;
        }
        self.drawn = Some(elapsed);
        let bar = self.bar.get_or_insert_with(new_bar);
        bar.set_message(line(&self.what, n_done, self.n_bytes, elapsed));
    }
}

/// Creates a line. Nothing is drawn if standard error is not a terminal.
fn new_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    // A template that does not parse would be an internal error that affects only the appearance.
    match ProgressStyle::with_template("{msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A run shorter than this shows nothing.
const RUN_PATIENCE: Duration = Duration::from_secs(2);

/// The progress of a run: its duration, until it prints a line or ends.
#[derive(Debug, Default)]
pub struct RunProgress {
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl RunProgress {
    /// Starts to show that this program runs.
    pub fn start(program: &str) -> Self {
        if !io::stderr().is_terminal() {
            return RunProgress::default();
        }
        let what = format!("running {}", text::one_line(program));
        let (sender, stopped) = mpsc::channel();
        let show = move || {
            let begun = Instant::now();
            let mut wait = RUN_PATIENCE;
            let mut bar = None;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let line = format!("{what}: {} s", begun.elapsed().as_secs());
                bar.get_or_insert_with(new_bar).set_message(line);
                wait = Duration::from_secs(1);
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        };
        // A run without this line is as good.
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(show).ok();
        RunProgress { thread: thread.map(|thread| (sender, thread)) }
    }

    /// Removes the line.
    pub fn end(&mut self) {
        if let Some((sender, thread)) = self.thread.take() {
            drop(sender);
            // It cannot panic.
            let _ = thread.join();
        }
    }
}

impl Drop for RunProgress {
    fn drop(&mut self) {
        self.end();
    }
}

/// Tests whether an update is due.
fn is_due(elapsed: Duration, drawn: Option<Duration>) -> bool {
    match drawn {
        None => elapsed >= PATIENCE,
        Some(drawn) => elapsed >= drawn + PAUSE,
    }
}

/// Formats the line. The rate is the average since the start.
fn line(what: &str, n_done: u64, n_bytes: Option<u64>, elapsed: Duration) -> String {
    let of_all = n_bytes.map_or_else(String::new, |all| format!(" of {}", text::bytes(all)));
    let rate = (n_done as f64 / elapsed.as_secs_f64().max(0.001)) as u64;
    format!("{what}: {}{of_all}, {}/s", text::bytes(n_done), text::bytes(rate))
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_the_average_since_the_start() {
        let shown = line("reading a.gr", 300 << 20, Some(2 << 30), Duration::from_millis(1500));
        assert_eq!(shown, "reading a.gr: 300.0 MiB of 2.0 GiB, 200.0 MiB/s");
        let shown = line("writing a.gr", 5 << 20, None, Duration::from_millis(500));
        assert_eq!(shown, "writing a.gr: 5.0 MiB, 10.0 MiB/s");
    }

    #[test]
    fn updates_start_late_and_come_five_times_a_second() {
        let millis = Duration::from_millis;
        let (mut drawn, mut n_drawings) = (None, 0);
        for now in 0..2000 {
            if is_due(millis(now), drawn) {
                drawn = Some(millis(now));
                n_drawings += 1;
            }
        }
        assert_eq!(n_drawings, 8);
        assert!(!is_due(millis(499), None) && is_due(millis(500), None));
    }
}
