//! `star run --profile`: where a run spent its time and its elementary operations.
//!
//! * [`session`] lends the machine a [`clock`] and tells it which line every place is on.
//! * [`table`] shows a report to people, [`page`] as HTML, [`data`] as JSON.

mod clock;
mod data;
mod page;
mod session;
mod table;

use std::path::Path;

use star_base::{Code, Diagnostic, FileId, Native, SourceMap};
use star_io::FileError;
use star_vm::profile::{NativeTally, Tally};

use crate::destination::Destination;
use crate::failure::Failure;
use crate::report::Reporter;
use crate::text;

pub(crate) use session::Session;

/// Where a profile goes.
#[derive(Debug)]
pub(crate) enum Target {
    /// Standard error.
    Messages,
    /// A page.
    Html(Destination),
    /// An object.
    Json(Destination),
}

impl Target {
    /// What stands behind `--profile=`; empty for standard error.
    ///
    /// # Errors
    /// E0608 if the name has no extension that says the form, E0509 if the file cannot be written.
    pub(crate) fn new(file: &str) -> Result<Self, Failure> {
        if file.is_empty() {
            return Ok(Target::Messages);
        }
        let path = Path::new(file);
        let extension = path.extension().and_then(|extension| extension.to_str());
        let form = match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("html" | "htm") => Target::Html,
            Some("json") => Target::Json,
            Some(_) | None => {
                let file = text::one_line(file);
                let message = format!("`{file}` does not say which form the profile is to have");
                let help = "write `--profile=FILE.html` or `--profile=FILE.json`";
                return Err(Diagnostic::new(Code::Usage, message).help(help).into());
            }
        };
        Ok(form(Destination::new(path, file)?))
    }

    /// Shows or writes a report.
    ///
    /// # Errors
    /// E0509 if the file cannot be written.
    pub(crate) fn put(&self, report: &Report<'_>, reporter: &Reporter) -> Result<(), FileError> {
        match self {
            Target::Messages => {
                reporter.profile(&table::table(report), &data::object(report));
                Ok(())
            }
            Target::Html(place) => place.write_text(&page::page(report)),
            Target::Json(place) => place.write_text(&crate::json::line(&data::object(report))),
        }
    }
}

/// What a run was charged with, ready to be shown.
pub(crate) struct Report<'a> {
    /// The name of the program's file.
    title: &'a str,
    sources: &'a SourceMap,
    backend: &'static str,
    /// Nanoseconds of the run.
    time: u64,
    samples: u64,
    /// Elementary operations of the run.
    operations: u64,
    /// The lines on which something was run, in the order of the source.
    lines: Vec<Line>,
    /// The routines that were entered, those first that took most time.
    routines: Vec<Routine>,
}

/// A line on which something was run.
struct Line {
    file: FileId,
    /// Counted from 0.
    line_idx: usize,
    tally: Tally,
    /// Natives that it called.
    natives: Vec<(Native, NativeTally)>,
}

/// A routine that was entered.
struct Routine {
    name: String,
    /// Where its header begins.
    file: FileId,
    line_idx: usize,
    tally: Tally,
    /// The native that was run in its place.
    native: Option<Native>,
}

impl Report<'_> {
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

    /// Were natives taken?
    fn has_natives(&self) -> bool {
        self.lines.iter().any(|line| !line.natives.is_empty())
    }

    /// What was run, where, how long it took, and what is missing.
    fn summary(&self) -> Vec<String> {
        let Report { title, backend, time, samples, operations, .. } = self;
        let unit = Unit::of(*time);
        let (time, unit) = (unit.show(*time), unit.name());
        let samples = text::count(usize::try_from(*samples).unwrap_or(usize::MAX), "sample");
        let mut summary = vec![format!(
            "{title} on the {backend} backend: {time} {unit} in {samples}, {operations} elementary operations"
        )];
        if self.has_natives() {
            let note = "`--no-natives` shows what is inside natives, which count no operations";
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

/// What the natives of a line are called, with how often they were taken.
fn names_of(natives: &[(Native, NativeTally)]) -> String {
    let names = natives.iter().map(|(native, tally)| {
        let name = native.signature().name;
        format!("native {name} {}×", tally.runs)
    });
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

    #[test]
    fn the_extension_of_the_file_says_the_form() {
        let folder = tempfile::tempdir().unwrap();
        let form = |name: &str| Target::new(folder.path().join(name).to_str().unwrap());
        assert!(matches!(form("a.HTML"), Ok(Target::Html(_))));
        assert!(matches!(form("a.json"), Ok(Target::Json(_))));
        assert!(matches!(Target::new(""), Ok(Target::Messages)));
        for (name, code) in
            [("a", Code::Usage), ("a.txt", Code::Usage), ("x/a.html", Code::CannotWrite)]
        {
            assert_eq!(form(name).unwrap_err().diagnostics[0].code, code, "{name}");
        }
    }
}
