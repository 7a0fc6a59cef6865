//! `star run --time`: wall-clock duration of each part of a run.

use std::time::{Duration, Instant};

use serde_json::json;
use star_os::report::Reporter;

/// The parts of a run, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Reading and compiling the program.
    Compiling,
    /// Reading files and converting their contents.
    Loading,
    /// The run, with its output and file access.
    Running,
    /// Collecting, writing and showing the results.
    Results,
}

impl Part {
    const ALL: [Part; 4] = [Part::Compiling, Part::Loading, Part::Running, Part::Results];

    fn name(self) -> &'static str {
        match self {
            Part::Compiling => "compiling",
            Part::Loading => "loading",
            Part::Running => "running",
            Part::Results => "results",
        }
    }
}

/// A clock that records the end of each part.
#[derive(Debug)]
pub(crate) struct Times {
    last: Instant,
    taken: Vec<(Part, Duration)>,
}

impl Times {
    /// Starts the first part.
    pub(crate) fn start() -> Self {
        Times { last: Instant::now(), taken: Vec::new() }
    }

    /// Ends this part and starts the next one.
    pub(crate) fn end(&mut self, part: Part) {
        let now = Instant::now();
        self.taken.push((part, now.duration_since(self.last)));
        self.last = now;
    }

    /// Reports the completed parts.
    pub(crate) fn tell(&self, reporter: &Reporter) {
        let parts = Part::ALL.iter().filter_map(|part| {
            let (_, taken) = self.taken.iter().find(|(known, _)| known == part)?;
            Some((part.name(), *taken))
        });
        let parts: Vec<(&str, Duration)> = parts.collect();
        let words = parts.iter().map(|(name, taken)| format!("{name} {taken:.1?}"));
        let line = format!("time: {}", words.collect::<Vec<_>>().join(", "));
        let seconds =
            parts.iter().map(|(name, taken)| ((*name).to_owned(), json!(taken.as_secs_f64())));
        let seconds: serde_json::Map<_, _> = seconds.collect();
        reporter.outcome(&line, &json!({ "time": seconds }));
    }
}
