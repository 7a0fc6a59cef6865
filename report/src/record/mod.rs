//! The result of a benchmark run: the file described in `docs/src/testing.md`, as data.
//!
//! Scripts of peers write the same file, so everything that they may not know is optional.

mod date;
mod read;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::measure::Median;

pub use date::utc;
pub use read::{ReadError, from_json, is_time, to_json};

/// The schema of the files that this version reads and writes.
pub const SCHEMA: u64 = 1;

/// A run of benchmarks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object (benchmark file)")]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: u64,
    /// The program that measured.
    #[serde(default)]
    pub tool: Tool,
    /// The machine.
    #[serde(default)]
    pub machine: MachineInfo,
    /// The graphics card, if one was used.
    #[serde(default)]
    pub adapter: Option<String>,
    /// Its start: `2026-11-21T22:40:00Z`.
    #[serde(default)]
    pub date: Option<String>,
    /// The seed of the random numbers used by the measurement.
    #[serde(default)]
    pub seed: Option<u64>,
    /// The settings of the stopping rule.
    #[serde(default)]
    pub settings: Option<Settings>,
    /// Read bandwidths.
    #[serde(default)]
    pub bandwidth: Vec<Speed>,
    /// Was it interrupted by Ctrl-C?
    #[serde(default)]
    pub interrupted: bool,
    /// The measurements.
    pub rows: Vec<Row>,
}

/// A measuring program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, expecting = "an object (tool)")]
pub struct Tool {
    /// `star`, or the name of a script.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// The commit that it was built from, followed by `+` if there were changes.
    pub commit: Option<String>,
    /// The compiler that built it.
    pub rustc: Option<String>,
    /// `release` or `debug`.
    pub profile: Option<String>,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, expecting = "an object (machine)")]
pub struct MachineInfo {
    /// The processor.
    pub cpu: Option<String>,
    /// `x86_64`.
    pub architecture: Option<String>,
    /// Available instruction sets that kernels use.
    pub features: Vec<String>,
    /// The selected kernels.
    pub kernels: Option<String>,
    /// Maximum number of concurrent threads.
    pub threads: Option<u64>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// The operating system and its version.
    pub os: Option<String>,
}

/// Settings of the stopping rule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object (settings)")]
pub struct Settings {
    /// Seconds for each row.
    pub time_s: f64,
    /// Maximum distance of the interval from the median, relative to the median.
    pub width: f64,
    /// Maximum number of samples.
    pub max_runs: u64,
    /// Confidence of the interval.
    pub confidence: f64,
}

/// A read bandwidth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object (read bandwidth)")]
pub struct Speed {
    /// Number of reading threads.
    pub threads: u64,
    /// Bytes read in a pass.
    pub bytes: u64,
    /// Bytes per nanosecond.
    pub read_gb_per_s: f64,
    /// `before` or `after` all other measurements.
    #[serde(default)]
    pub when: Option<String>,
}

/// Origin of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A Star program.
    Star,
    /// Another program.
    Peer,
    /// A paper.
    Published,
}

/// Use of intrinsics in place of library routines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IntrinsicUse {
    /// Used.
    On,
    /// Available, but not used.
    Off,
    /// Not available for this program and backend.
    None,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected an integer or a text as the value of a parameter")]
pub enum Parameter {
    /// An integer.
    Int(i64),
    /// Anything else, verbatim.
    Text(String),
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Int(number) => number.fmt(f),
            Parameter::Text(text) => f.write_str(text),
        }
    }
}

/// Parameters by name.
pub type Parameters = BTreeMap<String, Parameter>;

/// A measurement, or a failed one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object (row)")]
pub struct Row {
    /// Its origin.
    pub source: Source,
    /// The file of the benchmark.
    pub file: String,
    /// Its title.
    pub title: String,
    /// The routine that ran.
    #[serde(default)]
    pub routine: Option<String>,
    /// Its parameters.
    #[serde(default)]
    pub parameters: Parameters,
    /// The parameter on the horizontal axis of plots.
    #[serde(default)]
    pub size: Option<String>,
    /// The backend that ran the Star program.
    #[serde(default)]
    pub backend: Option<String>,
    /// The use of intrinsics.
    #[serde(default, alias = "natives")]
    pub intrinsics: Option<IntrinsicUse>,
    /// The passes.
    #[serde(default)]
    pub variant: Option<String>,
    /// The peer's name.
    #[serde(default)]
    pub name: Option<String>,
    /// Its version.
    #[serde(default)]
    pub version: Option<String>,
    /// The conditions of the measurement.
    #[serde(default)]
    pub conditions: Option<String>,
    /// The time.
    #[serde(default)]
    pub time: Option<Time>,
    /// Seconds for reading or generating the data and converting them to slices of bits, once.
    #[serde(default)]
    pub input_s: Option<f64>,
    /// Seconds for converting these to the form that the run needs.
    #[serde(default)]
    pub load_s: Option<f64>,
    /// Seconds that the graphics card computed in a run, by its clock.
    #[serde(default)]
    pub device_s: Option<f64>,
    /// Elementary operations.
    #[serde(default)]
    pub operations: Option<u64>,
    /// Number of calls of intrinsics.
    #[serde(default, alias = "native_calls")]
    pub intrinsic_calls: Option<u64>,
    /// Peak bytes of live values.
    #[serde(default)]
    pub peak_bytes: Option<u64>,
    /// Hash of the results.
    #[serde(default)]
    pub hash: Option<String>,
    /// The reason for a missing time.
    #[serde(default)]
    pub error: Option<RowError>,
}

/// A time, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object (time)")]
pub struct Time {
    /// The median.
    pub median_s: f64,
    /// Lower bound of its interval.
    #[serde(default)]
    pub low_s: Option<f64>,
    /// Upper bound of its interval.
    #[serde(default)]
    pub high_s: Option<f64>,
    /// The minimum sample.
    #[serde(default)]
    pub min_s: Option<f64>,
    /// Confidence of the interval.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// Number of samples.
    #[serde(default)]
    pub runs: Option<u64>,
    /// Runs within a sample.
    #[serde(default)]
    pub repetitions: Option<u64>,
    /// Is the interval narrow enough?
    #[serde(default)]
    pub reached: Option<bool>,
    /// The samples in the order of measurement.
    #[serde(default)]
    pub samples_s: Vec<f64>,
}

impl Time {
    /// Summarises samples of `repetitions` runs each; `reached`: is the interval narrow enough?
    #[must_use]
    pub fn of(median: Median, repetitions: u64, reached: bool, samples: &[f64]) -> Self {
        let Median { median, low, high, min, confidence, n_samples } = median;
        Time {
            median_s: median,
            low_s: Some(low),
            high_s: Some(high),
            min_s: Some(min),
            confidence: Some(confidence),
            runs: Some(n_samples as u64),
            repetitions: Some(repetitions),
            reached: Some(reached),
            samples_s: samples.to_vec(),
        }
    }
}

/// The reason for a missing time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object (error)")]
pub struct RowError {
    /// A code of `star explain`, or `differs`, `interrupted`.
    pub code: String,
    /// The message.
    pub message: String,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl Row {
    /// Returns the identity of the row, without its measurements: equal for the same case measured
    /// at two times.
    #[must_use]
    pub fn key(&self) -> Key<'_> {
        Key {
            benchmark: self.benchmark(),
            routine: self.routine.as_deref(),
            parameters: &self.parameters,
            runner: self.runner(),
        }
    }

    /// Returns its benchmark: file and title.
    #[must_use]
    pub fn benchmark(&self) -> (&str, &str) {
        (&self.file, &self.title)
    }

    /// Returns the runner: `cpu`, `cpu without intrinsics`, `petgraph 0.8`, or the conditions of a
    /// published time.
    #[must_use]
    pub fn runner(&self) -> String {
        match self.source {
            Source::Star => {
                let mut name = self.backend.clone().unwrap_or_else(|| "star".to_owned());
                match self.intrinsics {
                    Some(IntrinsicUse::On) => name += ", intrinsic",
                    Some(IntrinsicUse::Off) => name += ", as written",
                    Some(IntrinsicUse::None) | None => {}
                }
                match self.variant.as_deref() {
                    None | Some("default") => name,
                    Some(variant) => format!("{name}, {variant}"),
                }
            }
            Source::Peer => match (&self.name, &self.version) {
                (Some(name), Some(version)) => format!("{name} {version}"),
                (Some(name), None) => name.clone(),
                (None, _) => "peer".to_owned(),
            },
            Source::Published => self.conditions.clone().unwrap_or_else(|| "published".to_owned()),
        }
    }

    /// Returns the heading of its benchmark: `a.star: closure (WARSHALL)`.
    #[must_use]
    pub fn heading(&self) -> String {
        let routine = self.routine.as_ref().filter(|_| self.source == Source::Star);
        let routine = routine.map_or_else(String::new, |name| format!(" ({name})"));
        format!("{}: {}{routine}", self.file, self.title)
    }

    /// Returns the name of its line in a plot: `WARSHALL, cpu` for a Star program, otherwise its
    /// runner.
    #[must_use]
    pub fn line(&self) -> String {
        match &self.routine {
            Some(routine) if self.source == Source::Star => format!("{routine}, {}", self.runner()),
            Some(_) | None => self.runner(),
        }
    }

    /// Returns its size in the plot.
    #[must_use]
    pub fn x(&self) -> Option<i64> {
        match self.parameters.get(self.size.as_ref()?)? {
            Parameter::Int(number) => Some(*number),
            Parameter::Text(_) => None,
        }
    }

    /// Formats the parameters, the size first: `n=500 m=750 seed=1`.
    #[must_use]
    pub fn parameters_text(&self) -> String {
        let is_size = |name: &String| self.size.as_ref() == Some(name);
        let size = self.parameters.iter().filter(|(name, _)| is_size(name));
        let others = self.parameters.iter().filter(|(name, _)| !is_size(name));
        let texts = size.chain(others).map(|(name, value)| format!("{name}={value}"));
        texts.collect::<Vec<String>>().join(" ")
    }
}

/// Identity of a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key<'a> {
    /// File and title.
    pub benchmark: (&'a str, &'a str),
    /// The routine that ran.
    pub routine: Option<&'a str>,
    /// The case.
    pub parameters: &'a Parameters,
    /// The runner.
    pub runner: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_have_readable_names() {
        let mut row = read::tests::row("a.star");
        assert_eq!(row.runner(), "cpu, intrinsic");
        row.intrinsics = Some(IntrinsicUse::Off);
        row.variant = Some("no passes".to_owned());
        assert_eq!(row.runner(), "cpu, as written, no passes");
        row.source = Source::Peer;
        row.name = Some("petgraph".to_owned());
        assert_eq!(row.runner(), "petgraph");
        assert_eq!((row.x(), row.parameters_text().as_str()), (Some(500), "n=500 p=0.1"));
    }
}
