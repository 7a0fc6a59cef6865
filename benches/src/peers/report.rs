//! Rows of the file of benchmarks, and lines of a table for people.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};
use star_report::measure::Median;
use star_report::record::{
    IntrinsicUse, Parameter, Parameters, Record, Row, RowError, Source as RowSource, Time, to_json,
};

use super::contest::{Finish, Measured};
use super::input::{Input, Source};
use super::job::Job;
use super::plan::{Contestant, Family};

/// Everything about a row that is not a figure.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub(super) job: Job,
    pub(super) source: Source,
    pub(super) seed: u64,
    pub(super) threads: usize,
    /// `None` if it could not be made.
    pub(super) input: Option<&'a Input>,
    /// Was every contestant a process of its own?
    pub(super) processes: bool,
}

/// What the columns of a line are.
pub(super) const HEADER: &str =
    "job | input | who | median ms | interval ms | runs | input ms | ours / peer";

impl About<'_> {
    /// The title of the plot that rows belong to.
    fn title(&self) -> String {
        format!("{}, {}", self.job.benchmark().1, self.source.family())
    }

    /// Those of the suite, where it has the benchmark.
    fn parameters(&self) -> Parameters {
        let mut parameters = self.source.parameters(self.seed);
        if self.job.has_source() && self.source.size().is_some() {
            parameters.insert("s".to_owned(), Parameter::Int(1));
        }
        parameters
    }

    /// A row of the file, with the fields that only peers' files have.
    pub(super) fn row(&self, who: Contestant, finish: &Finish) -> Value {
        let hello = finish.hello.as_ref();
        let measured = finish.result.as_ref().ok();
        let ours = matches!(who, Contestant::Ours { .. });
        let version = hello.map(|hello| hello.version.clone()).filter(|text| !text.is_empty());
        let row = Row {
            source: if ours { RowSource::Star } else { RowSource::Peer },
            file: self.job.benchmark().0.to_owned(),
            title: self.title(),
            routine: ours.then(|| self.job.routine().to_owned()),
            parameters: self.parameters(),
            size: self.source.size().map(|(name, _)| name.to_owned()),
            backend: ours.then(|| "cpu".to_owned()),
            intrinsics: ours.then(|| intrinsics(self.job, who)),
            variant: ours.then(|| "default".to_owned()),
            name: (!ours).then(|| name(who)),
            version: version.filter(|_| !ours),
            conditions: Some(self.conditions(who, finish)),
            time: measured.map(time),
            input_s: hello.map(|hello| hello.load_s),
            load_s: None,
            device_s: None,
            operations: None,
            intrinsic_calls: None,
            peak_bytes: None,
            hash: measured.map(|measured| measured.hash.clone()),
            error: finish.result.as_ref().err().map(|failure| RowError {
                code: failure.code.clone(),
                message: failure.message.clone(),
            }),
        };
        let mut value = serde_json::to_value(&row).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            self.add_own_fields(fields, who, finish);
        }
        value
    }

    /// What readers of the file that do not know it pass over.
    fn add_own_fields(&self, fields: &mut Map<String, Value>, who: Contestant, finish: &Finish) {
        let hello = finish.hello.as_ref();
        fields.insert("language".to_owned(), json!(hello.map(|hello| hello.language.clone())));
        fields.insert("threads".to_owned(), json!(hello.map(|hello| hello.threads)));
        let files = self.input.map_or(&[][..], |input| &input.files[..]).iter();
        let files =
            files.map(|file| json!({"name": file.name, "bytes": file.bytes, "hash": file.hash}));
        fields.insert("input".to_owned(), files.collect());
        let ratio = finish.result.as_ref().ok().and_then(|measured| measured.ratio);
        if let (Contestant::Peer(..), Some(ratio)) = (who, ratio) {
            let Median { median, low, high, confidence, n_samples, min: _ } = ratio;
            fields.insert(
                "ratio".to_owned(),
                json!({
                    "ours_to_peer": median, "low": low, "high": high,
                    "confidence": confidence, "pairs": n_samples,
                }),
            );
        }
    }

    fn conditions(&self, who: Contestant, finish: &Finish) -> String {
        let threads = finish.hello.as_ref().map_or(self.threads as u64, |hello| hello.threads);
        let threads = match threads {
            1 => "1 thread".to_owned(),
            n => format!("{n} threads"),
        };
        let place = match self.processes {
            true => "each contestant a process of its own, in turn",
            false => "all contestants in one process, in turn",
        };
        let inside = match who {
            Contestant::Ours { .. } => {
                "time of the run alone; input: reading the file, laying it out, compiling"
            }
            Contestant::Peer(Family::Python, _) => {
                "time of the call alone; input: importing, reading the file, building"
            }
            Contestant::Peer(Family::Rust | Family::C, _) => {
                "time of the call alone; input: reading the file, building"
            }
        };
        let hello = finish.hello.iter();
        let own = hello.flat_map(|hello| [&hello.language, &hello.conditions]);
        let own = own.filter(|text| !text.is_empty()).cloned();
        let parts = own.chain([threads, place.to_owned(), inside.to_owned()]);
        let mut text = parts.collect::<Vec<_>>().join("; ");
        text += "; results compared by digest";
        text
    }

    /// A line of the table.
    pub(super) fn line(&self, who: Contestant, finish: &Finish) -> String {
        let size = self.source.size();
        let size = size.map_or(String::new(), |(name, size)| format!(", {name} = {size}"));
        let input = format!("{}{size}", self.source.family());
        let start = format!("{} | {input} | {}", self.job.name(), shown(self.job, who));
        match &finish.result {
            Ok(Measured { median, samples, ratio, .. }) => {
                let Median { median, low, high, .. } = median;
                let load = finish.hello.as_ref().map_or(0.0, |hello| hello.load_s);
                let ratio = ratio.map_or("–".to_owned(), |ratio| {
                    let [middle, low, high] =
                        [ratio.median, ratio.low, ratio.high].map(three_digits);
                    format!("{middle} ({low} to {high})")
                });
                let [median, low, high, load] =
                    [*median, *low, *high, load].map(|seconds| three_digits(seconds * 1e3));
                format!(
                    "{start} | {median} | {low} to {high} | {} | {load} | {ratio}",
                    samples.len()
                )
            }
            Err(failure) => format!("{start} | {}: {}", failure.code, failure.message),
        }
    }
}

/// How a contestant is called in messages and tables.
pub(super) fn shown(job: Job, who: Contestant) -> String {
    match who {
        Contestant::Ours { intrinsics } => match (job.has_intrinsic(), intrinsics) {
            (true, true) => format!("star {}, intrinsic", job.routine()),
            (true, false) | (false, true | false) => format!("star {}", job.routine()),
        },
        Contestant::Peer(..) => name(who),
    }
}

/// The name of a peer; two of them have packages in two languages.
fn name(who: Contestant) -> String {
    match who {
        Contestant::Ours { .. } => "star".to_owned(),
        Contestant::Peer(Family::Python, "rustworkx") => "rustworkx (Python)".to_owned(),
        Contestant::Peer(_, name) => name.to_owned(),
    }
}

fn intrinsics(job: Job, who: Contestant) -> IntrinsicUse {
    match who {
        Contestant::Ours { intrinsics: true } if job.has_intrinsic() => IntrinsicUse::On,
        Contestant::Ours { intrinsics: false } if job.has_intrinsic() => IntrinsicUse::Off,
        Contestant::Ours { .. } | Contestant::Peer(..) => IntrinsicUse::None,
    }
}

fn time(measured: &Measured) -> Time {
    let Measured { median, repetitions, reached, samples, .. } = measured;
    Time::of(*median, u64::from(*repetitions), *reached, samples)
}

/// A positive number with three digits that count.
fn three_digits(number: f64) -> String {
    if number <= 0.0 || !number.is_finite() {
        return "0".to_owned();
    }
    let before = number.log10().floor() as i32;
    let behind = usize::try_from(2 - before).unwrap_or(0);
    format!("{number:.behind$}")
}

/// Writes the file; a run that is cut off leaves the last whole one.
///
/// # Errors
/// What went wrong, in words.
pub(super) fn write(path: &Path, record: &Record, rows: &[Value]) -> Result<(), String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut value: Value = serde_json::from_str(&to_json(record)).map_err(|error| wrong(&error))?;
    value["rows"] = Value::Array(rows.to_vec());
    let text = format!("{value:#}\n");
    let part = path.with_extension("part");
    fs::write(&part, text).map_err(|error| wrong(&error))?;
    fs::rename(&part, path).map_err(|error| wrong(&error))
}

#[cfg(test)]
mod tests {
    use star_report::record::{SCHEMA, from_json};

    use super::super::failure::Failure;
    use super::super::protocol::Hello;
    use super::*;

    fn finish(ratio: Option<f64>) -> Finish {
        let samples = vec![0.5, 0.25, 0.75];
        let median = Median::of(&samples).unwrap();
        let hello = Hello {
            peer: "scipy".to_owned(),
            version: "1.17.1".to_owned(),
            language: "Python 3".to_owned(),
            threads: 1,
            load_s: 0.125,
            conditions: "csr".to_owned(),
        };
        let ratio = ratio.and_then(|ratio| Median::of(&[ratio]));
        let hash = "0123456789abcdef".to_owned();
        let measured = Measured { samples, median, repetitions: 4, reached: false, hash, ratio };
        Finish { hello: Some(hello), result: Ok(measured) }
    }

    fn about() -> About<'static> {
        let source = Source::Arcs { n: 100, m: 500 };
        About { job: Job::Floyd, source, seed: 7, threads: 1, input: None, processes: true }
    }

    fn record() -> Record {
        let text = format!("{{\"schema\": {SCHEMA}, \"rows\": []}}");
        from_json(&text).unwrap()
    }

    #[test]
    fn the_file_is_one_that_the_page_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("peers.json");
        let failed = Finish { hello: None, result: Err(Failure::peer("no \"scipy\"")) };
        let scipy = Contestant::Peer(Family::Python, "scipy");
        let rows = [
            about().row(Contestant::Ours { intrinsics: true }, &finish(None)),
            about().row(scipy, &finish(Some(2.0))),
            about().row(scipy, &failed),
        ];
        write(&path, &record(), &rows).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let read = from_json(&text).unwrap();
        let [ours, peer, failed] = &read.rows[..] else { panic!("three rows") };
        assert_eq!((ours.source, peer.source), (RowSource::Star, RowSource::Peer));
        assert_eq!((ours.benchmark(), &ours.parameters), (peer.benchmark(), &peer.parameters));
        // FLOYD has an intrinsic.
        assert_eq!([ours.runner(), peer.runner()], ["cpu, intrinsic", "scipy 1.17.1"]);
        assert_eq!((ours.x(), peer.x()), (Some(100), Some(100)));
        assert_eq!(peer.time.as_ref().unwrap().median_s, 0.5);
        assert_eq!(failed.error.as_ref().unwrap().message, "no \"scipy\"");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["rows"][1]["ratio"]["ours_to_peer"], json!(2.0));
        assert_eq!(value["rows"][0]["ratio"], Value::Null);
    }

    #[test]
    fn a_line_says_times_or_why_there_is_none() {
        let scipy = Contestant::Peer(Family::Python, "scipy");
        assert_eq!(
            about().line(scipy, &finish(Some(2.0))),
            "floyd | 5n arcs, n = 100 | scipy | 500 | 250 to 750 | 3 | 125 | 2.00 (2.00 to 2.00)"
        );
        let failed = Finish { hello: None, result: Err(Failure::differs("a and b")) };
        assert!(about().line(scipy, &failed).ends_with("| scipy | differs: a and b"));
    }

    #[test]
    fn numbers_have_three_digits() {
        let numbers = [0.001234, 0.5, 1.0, 99.96, 1234.5, 0.0];
        let texts = ["0.00123", "0.500", "1.00", "100.0", "1234", "0"];
        assert_eq!(numbers.map(three_digits), texts);
    }
}
