//! Where a run spent its time and its elementary operations, ready to be shown: [`table()`] for people, [`page()`] as HTML,
//! [`data()`] as JSON.

mod data;
mod page;
mod table;

use star_base::{FileId, SourceMap, text};

pub use data::data;
pub use page::page;
pub use table::table;

/// What a run was charged with, ready to be shown.
pub struct Profile<'a> {
    /// The name of the program's file.
    pub title: &'a str,
    /// Its texts.
    pub sources: &'a SourceMap,
    /// The name of the backend.
    pub backend: &'static str,
    /// Nanoseconds of the run.
    pub time: u64,
    /// How often the time was read.
    pub samples: u64,
    /// Elementary operations of the run.
    pub operations: u64,
    /// The lines on which something was run, in the order of the source.
    pub lines: Vec<LineProfile>,
    /// The routines that were entered, those first that took most time.
    pub routines: Vec<Routine>,
}

/// A line on which something was run.
pub struct LineProfile {
    /// Its file.
    pub file: FileId,
    /// Counted from 0.
    pub line_idx: usize,
    /// What it was charged with.
    pub tally: Tally,
    /// Intrinsics that it called; what they took is a part of the tally.
    pub intrinsics: Vec<Intrinsic>,
    /// What became of the loops that begin on it, in words.
    pub plan: Vec<String>,
}

impl LineProfile {
    /// What stands behind the text of the line, if anything does.
    fn note(&self) -> Option<String> {
        let intrinsics = (!self.intrinsics.is_empty()).then(|| names_of(&self.intrinsics));
        let notes: Vec<String> = intrinsics.into_iter().chain(self.plan.iter().cloned()).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// An intrinsic that a line called.
#[derive(Clone, Debug)]
pub struct Intrinsic {
    /// Its name.
    pub name: String,
    /// How often it was taken.
    pub runs: u64,
    /// Nanoseconds spent in it.
    pub time: u64,
}

/// A routine that was entered.
pub struct Routine {
    /// Its name.
    pub name: String,
    /// The file of its header.
    pub file: FileId,
    /// The line of its header, counted from 0.
    pub line_idx: usize,
    /// What it was charged with.
    pub tally: Tally,
    /// The intrinsic that was run in its stead.
    pub intrinsic: Option<String>,
}

/// What a line or a routine was charged with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Nanoseconds spent there.
    pub time: u64,
    /// Nanoseconds spent there and in what it called.
    pub total_time: u64,
    /// Elementary operations counted there.
    pub operations: u64,
    /// Elementary operations counted there and in what it called.
    pub total_operations: u64,
    /// Of a line, how often it was run; of a routine, how often it was entered.
    pub runs: u64,
}

impl Profile<'_> {
    /// How much of the time it is, from 0 to 1.
    fn share(&self, time: u64) -> f64 {
        if self.time == 0 { 0.0 } else { time as f64 / self.time as f64 }
    }

    fn file_name(&self, file: FileId) -> &str {
        self.sources.get(file).map_or("?", |file| file.name())
    }

    /// The text of a line, without its end.
    fn source(&self, file: FileId, line_idx: usize) -> &str {
        let Some(file) = self.sources.get(file) else { return "" };
        let range = file.line_range(line_idx).unwrap_or(0..0);
        file.text().get(range).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// Were intrinsics taken?
    fn has_intrinsics(&self) -> bool {
        self.lines.iter().any(|line| !line.intrinsics.is_empty())
    }

    /// What was run, where, how long it took, and what is missing.
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
                "`--no-intrinsics` shows what is inside intrinsics, which count no operations";
            summary.push(note.to_owned());
        }
        summary
    }
}

/// The unit that the times of a report are shown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
}

impl Unit {
    /// The unit that suits a whole run of so many nanoseconds.
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

/// What the intrinsics of a line are called, with how often they were taken.
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
    fn times_have_the_unit_of_the_whole_run() {
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
