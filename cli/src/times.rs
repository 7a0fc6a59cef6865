//! `star run --time`: how long each part of a run took, by the clock on the wall.

use std::time::{Duration, Instant};

use serde_json::json;
use star_os::report::Reporter;

/// The parts of a run, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Reading the program and making code of it.
    Compiling,
    /// Reading files and laying out what they hold.
    Loading,
    /// The run itself, with what it prints, reads and writes.
    Running,
    /// Taking, writing and showing the results.
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

/// A clock that says when each part ended.
#[derive(Debug)]
pub(crate) struct Times {
    last: Instant,
    taken: Vec<(Part, Duration)>,
}

impl Times {
    /// The first part begins.
    pub(crate) fn start() -> Self {
        Times { last: Instant::now(), taken: Vec::new() }
    }

    /// This part ends, and the next one begins.
    pub(crate) fn end(&mut self, part: Part) {
        let now = Instant::now();
        self.taken.push((part, now.duration_since(self.last)));
        self.last = now;
    }

    /// Tells the parts that ended.
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
