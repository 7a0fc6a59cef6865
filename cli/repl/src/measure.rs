//! `:time N TEXT`: repeated runs of an entry, with their times and the memory of their values.

use std::time::Duration;

use star_base::{Code, Diagnostic, text};

use super::command::Command;
use super::commands::usage;
use super::event::{Event, Sink};
use super::execution::How;
use super::session::{Session, is_item};
use super::show::Screen;

/// Maximum number of runs.
const MAX_RUNS: usize = 100_000;

/// The resources that the lines of an entry used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measured {
    /// The time of all lines together.
    pub(super) time: Duration,
    /// The peak memory of values, in bytes.
    pub(super) peak_bytes: u64,
}

impl Session {
    /// Shows the time of each entry from now on, or that of one entry.
    pub(super) fn time(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let on = match rest {
            "" => !self.settings.time,
            "on" => true,
            "off" => false,
            _ => return self.time_entry(rest, sink),
        };
        self.settings.time = on;
        sink.show(Event::Answer(if on { "time on\n" } else { "time off\n" }));
        Ok(())
    }

    /// Runs an entry several times with the same values and shows its times.
    fn time_entry(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let (n_runs, entry) = match rest.split_once(char::is_whitespace) {
            Some((first, entry)) if is_number(first) => (first, entry.trim()),
            _ if is_number(rest) => return Err(usage(Command::Time)),
            _ => ("1", rest),
        };
        let n_runs =
            n_runs.parse().ok().filter(|n| (1..=MAX_RUNS).contains(n)).ok_or_else(|| {
                let message = format!("the number of runs must be from 1 to {MAX_RUNS}");
                Diagnostic::new(Code::Usage, message)
            })?;
        let typed = self.state.definitions.read(&self.state.environment, entry.to_owned());
        if self.report(&typed.diagnostics, sink) {
            return Ok(());
        }
        if typed.pieces.iter().any(is_item) {
            let message = "a definition does not run, so it has no time";
            return Err(Diagnostic::new(Code::Usage, message).help(Command::Time.usage().0));
        }
        self.begin_repeated_entry(&format!(":time {rest}"));
        let mark = self.log.mark();
        let mut runs: Vec<Measured> = Vec::new();
        let mut result = Ok(());
        for run in 0..n_runs {
            if run > 0 {
                self.log.shorten(mark);
                result = self.rewind_values();
            }
            if result.is_err() {
                break;
            }
            self.measured = Some(Measured::default());
            let pieces = typed.pieces.clone();
            let well = match run {
                0 => self.lines(pieces, How::Whole, sink),
                _ => self.lines(pieces, How::Whole, &mut ErrorsOnly(sink)),
            };
            let measured = self.measured.take();
            if !well {
                break;
            }
            runs.extend(measured);
        }
        self.end_entry();
        if runs.len() == n_runs || runs.len() > 1 {
            sink.show(Event::Answer(&summary(&mut runs)));
        }
        result
    }
}

/// Describes runs, of which there is at least one.
fn summary(runs: &mut [Measured]) -> String {
    let peak = runs.iter().map(|run| run.peak_bytes).max().unwrap_or(0);
    let peak = format!("peak of values {}", text::bytes(peak));
    runs.sort_by_key(|run| run.time);
    match runs {
        [] => String::new(),
        [run] => format!("time {:.1?}, {peak}\n", run.time),
        [first, .., last] => {
            let (first, last, n_runs) = (first.time, last.time, runs.len());
            let median = runs[n_runs / 2].time;
            format!(
                "{n_runs} runs: median {median:.1?}, minimum {first:.1?}, maximum {last:.1?}, \
                    {peak}\n"
            )
        }
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// A display that shows errors only: the first run has shown the output.
struct ErrorsOnly<'a>(&'a mut dyn Sink);

impl Sink for ErrorsOnly<'_> {
    fn show(&mut self, event: Event<'_>) -> bool {
        match event {
            Event::Message(_, diagnostic) if diagnostic.is_error() => self.0.show(event),
            Event::Printed(_)
            | Event::Value { .. }
            | Event::Message(..)
            | Event::Note(_)
            | Event::Answer(_)
            | Event::Picture(_) => true,
        }
    }

    fn width(&self) -> usize {
        self.0.width()
    }

    fn screen(&self) -> Screen {
        self.0.screen()
    }
}
