//! Time and elementary operations of each part of a run: [`table()`] for people, [`page()`] as
//! HTML, [`data()`] as JSON.

mod data;
mod page;
mod table;

use star_base::{FileId, SourceMap, text};

pub use data::data;
pub use page::page;
pub use table::table;

/// The costs of a run.
pub struct Profile<'a> {
    /// The name of the program's file.
    pub title: &'a str,
    /// Its texts.
    pub sources: &'a SourceMap,
    /// The name of the backend.
    pub backend: &'static str,
    /// Nanoseconds of the run.
    pub time: u64,
    /// Number of samples of the time.
    pub samples: u64,
    /// Elementary operations of the run.
    pub operations: u64,
    /// The executed lines, in the order of the source.
    pub lines: Vec<LineProfile>,
    /// The executed routines, sorted by descending time.
    pub routines: Vec<Routine>,
}

/// An executed line.
pub struct LineProfile {
    /// Its file.
    pub file: FileId,
    /// Its zero-based index.
    pub line_idx: usize,
    /// Its costs.
    pub tally: Tally,
    /// Intrinsics that it called; their costs are part of the tally.
    pub intrinsics: Vec<Intrinsic>,
    /// The transformations of the loops that begin on it, as text.
    pub plan: Vec<String>,
}

impl LineProfile {
    /// Returns the text after the line, if any.
    fn note(&self) -> Option<String> {
        let intrinsics = (!self.intrinsics.is_empty()).then(|| names_of(&self.intrinsics));
        let notes: Vec<String> = intrinsics.into_iter().chain(self.plan.iter().cloned()).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// An intrinsic called by a line.
#[derive(Clone, Debug)]
pub struct Intrinsic {
    /// Its name.
    pub name: String,
    /// Number of calls.
    pub runs: u64,
    /// Nanoseconds spent in it.
    pub time: u64,
}

/// An executed routine.
pub struct Routine {
    /// Its name.
    pub name: String,
    /// The file of its header.
    pub file: FileId,
    /// The line of its header, zero-based.
    pub line_idx: usize,
    /// Its costs.
    pub tally: Tally,
    /// The intrinsic that replaced it.
    pub intrinsic: Option<String>,
}

/// Costs of a line or a routine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Nanoseconds spent there.
    pub time: u64,
    /// Nanoseconds spent there and in its callees.
    pub total_time: u64,
    /// Elementary operations counted there.
    pub operations: u64,
    /// Elementary operations counted there and in its callees.
    pub total_operations: u64,
    /// Number of executions of a line, or of calls of a routine.
    pub runs: u64,
}

impl Profile<'_> {
    /// Returns its share of the time, from 0 to 1.
    fn share(&self, time: u64) -> f64 {
        if self.time == 0 { 0.0 } else { time as f64 / self.time as f64 }
    }

    fn file_name(&self, file: FileId) -> &str {
        self.sources.get(file).map_or("?", |file| file.name())
    }

    /// Returns the text of a line, without its end.
    fn source(&self, file: FileId, line_idx: usize) -> &str {
        let Some(file) = self.sources.get(file) else { return "" };
        let range = file.line_range(line_idx).unwrap_or(0..0);
        file.text().get(range).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// Were intrinsics used?
    fn has_intrinsics(&self) -> bool {
        self.lines.iter().any(|line| !line.intrinsics.is_empty())
    }

    /// Returns the program, the backend, the time, and hints about missing data.
    fn summary(&self) -> Vec<String> {
        let Profile { title, backend, time, samples, operations, .. } = self;
        let unit = Unit::of(*time);
        let (time, unit) = (unit.show(*time), unit.name());
        let samples = text::count(usize::try_from(*samples).unwrap_or(usize::MAX), "sample");
        let mut summary = vec![format!(
            "{title} on the {backend} backend: {time} {unit} in {samples}, {operations} elementary operations"
        )];
        if self.has_intrinsics() {
            let note =
                "`--no-intrinsics` shows the contents of intrinsics, which count no operations";
            summary.push(note.to_owned());
        }
        summary
    }
}

/// The unit of the times in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
}

impl Unit {
    /// Returns the best unit for a run of `time` nanoseconds.
    fn of(time: u64) -> Self {
        match time {
            0..10_000_000 => Unit::Microseconds,
            10_000_000..10_000_000_000 => Unit::Milliseconds,
            10_000_000_000.. => Unit::Seconds,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Unit::Seconds => "s",
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "µs",
        }
    }

    fn show(self, time: u64) -> String {
        match self {
            Unit::Seconds => format!("{:.2}", time as f64 / 1e9),
            Unit::Milliseconds => format!("{:.1}", time as f64 / 1e6),
            Unit::Microseconds => format!("{:.0}", time as f64 / 1e3),
        }
    }
}

/// Returns the names of a line's intrinsics, with the number of calls.
fn names_of(intrinsics: &[Intrinsic]) -> String {
    let names = intrinsics
        .iter()
        .map(|intrinsic| format!("intrinsic {} {}×", intrinsic.name, intrinsic.runs));
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_use_the_unit_of_the_whole_run() {
        let shown = |whole: u64, part: u64| {
            let unit = Unit::of(whole);
            format!("{} {}", unit.show(part), unit.name())
        };
        assert_eq!(shown(0, 0), "0 µs");
        assert_eq!(shown(9_999_999, 1_500), "2 µs");
        assert_eq!(shown(1_000_000_000, 2_340_000), "2.3 ms");
        assert_eq!(shown(20_000_000_000, 2_345_000_000), "2.35 s");
    }
}
