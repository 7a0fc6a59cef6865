//! What a run of benchmarks leaves: the file that `docs/benchmarks.md` describes, as data.
//!
//! Peers' scripts write the same file; so everything that they may not know is optional.

mod date;
mod read;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::measure::Median;

pub use date::utc;
pub use read::{ReadError, from_json, is_time, to_json};

/// The form of the file that this version reads and writes.
pub const SCHEMA: u64 = 1;

/// A run of benchmarks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object, which a file of benchmarks is")]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: u64,
    /// What measured.
    #[serde(default)]
    pub tool: Tool,
    /// Where.
    #[serde(default)]
    pub machine: MachineInfo,
    /// The graphics card, if one had a part in it.
    #[serde(default)]
    pub adapter: Option<String>,
    /// When it began: `2026-11-21T22:40:00Z`.
    #[serde(default)]
    pub date: Option<String>,
    /// Where the random numbers of the measuring began.
    #[serde(default)]
    pub seed: Option<u64>,
    /// When there were enough samples.
    #[serde(default)]
    pub settings: Option<Settings>,
    /// Speeds of reading.
    #[serde(default)]
    pub bandwidth: Vec<Speed>,
    /// Did Ctrl-C end it?
    #[serde(default)]
    pub interrupted: bool,
    /// What was measured.
    pub rows: Vec<Row>,
}

/// A program that measures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, expecting = "an object, which a tool is")]
pub struct Tool {
    /// `star`, or the name of a script.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// The commit that it was built from, with `+` behind it if there were changes.
    pub commit: Option<String>,
    /// The compiler that built it.
    pub rustc: Option<String>,
    /// `release` or `debug`.
    pub profile: Option<String>,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, expecting = "an object, which a machine is")]
pub struct MachineInfo {
    /// The processor.
    pub cpu: Option<String>,
    /// `x86_64`.
    pub architecture: Option<String>,
    /// Instructions that kernels use and that are there.
    pub features: Vec<String>,
    /// The kernels that were chosen.
    pub kernels: Option<String>,
    /// Threads that may run at once.
    pub threads: Option<u64>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// The operating system and its version.
    pub os: Option<String>,
}

/// When there are enough samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object, which settings are")]
pub struct Settings {
    /// Seconds for each row.
    pub time_s: f64,
    /// How far the interval may reach from the median, as a share of it.
    pub width: f64,
    /// Samples at most.
    pub max_runs: u64,
    /// What the interval covers.
    pub confidence: f64,
}

/// A speed of reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object, which a speed of reading is")]
pub struct Speed {
    /// Threads that read.
    pub threads: u64,
    /// Bytes read in a pass.
    pub bytes: u64,
    /// Bytes per nanosecond.
    pub read_gb_per_s: f64,
    /// `before` or `after` everything else.
    #[serde(default)]
    pub when: Option<String>,
}

/// Where a row comes from.
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

/// Whether library routines were done in another way than they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IntrinsicUse {
    /// Yes.
    On,
    /// No, though some could have been.
    Off,
    /// There are none for this program and backend.
    None,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected an integer or a text, which a parameter is")]
pub enum Parameter {
    /// An integer.
    Int(i64),
    /// Anything else, as it was written.
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

/// Parameters by their names.
pub type Parameters = BTreeMap<String, Parameter>;

/// Something measured, or that could not be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object, which a row is")]
pub struct Row {
    /// Where it comes from.
    pub source: Source,
    /// The file of the benchmark.
    pub file: String,
    /// Its title.
    pub title: String,
    /// The routine that ran.
    #[serde(default)]
    pub routine: Option<String>,
    /// What it was given.
    #[serde(default)]
    pub parameters: Parameters,
    /// The parameter along which plots go.
    #[serde(default)]
    pub size: Option<String>,
    /// What ran the Star program.
    #[serde(default)]
    pub backend: Option<String>,
    /// With intrinsics?
    #[serde(default, alias = "natives")]
    pub intrinsics: Option<IntrinsicUse>,
    /// With which passes.
    #[serde(default)]
    pub variant: Option<String>,
    /// The peer's name.
    #[serde(default)]
    pub name: Option<String>,
    /// Its version.
    #[serde(default)]
    pub version: Option<String>,
    /// How it was measured.
    #[serde(default)]
    pub conditions: Option<String>,
    /// How long it took.
    #[serde(default)]
    pub time: Option<Time>,
    /// Seconds for reading or making the data and laying them out as slices of bits, once.
    #[serde(default)]
    pub input_s: Option<f64>,
    /// Seconds for bringing these into the form that the run needs.
    #[serde(default)]
    pub load_s: Option<f64>,
    /// Seconds that the graphics card computed in a run, by its clock.
    #[serde(default)]
    pub device_s: Option<f64>,
    /// Elementary operations.
    #[serde(default)]
    pub operations: Option<u64>,
    /// Calls that intrinsics did.
    #[serde(default, alias = "native_calls")]
    pub intrinsic_calls: Option<u64>,
    /// Most bytes of values alive at once.
    #[serde(default)]
    pub peak_bytes: Option<u64>,
    /// Of the results.
    #[serde(default)]
    pub hash: Option<String>,
    /// Why there is no time.
    #[serde(default)]
    pub error: Option<RowError>,
}

/// How long something took, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object, which a time is")]
pub struct Time {
    /// The median.
    pub median_s: f64,
    /// Where its interval begins.
    #[serde(default)]
    pub low_s: Option<f64>,
    /// Where it ends.
    #[serde(default)]
    pub high_s: Option<f64>,
    /// The least sample.
    #[serde(default)]
    pub min_s: Option<f64>,
    /// What the interval covers.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// Number of samples.
    #[serde(default)]
    pub runs: Option<u64>,
    /// Runs within a sample.
    #[serde(default)]
    pub repetitions: Option<u64>,
    /// Is the interval as narrow as wanted?
    #[serde(default)]
    pub reached: Option<bool>,
    /// The samples in their order.
    #[serde(default)]
    pub samples_s: Vec<f64>,
}

impl Time {
    /// What these samples, of so many runs each, came to; `reached`: is the interval as narrow as wanted?
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

/// Why there is no time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object, which an error is")]
pub struct RowError {
    /// A code of `star explain`, or `differs`, `peer`, `interrupted`.
    pub code: String,
    /// In words.
    pub message: String,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl Row {
    /// What the row is about, without its figures: equal for the same thing measured at two times.
    #[must_use]
    pub fn key(&self) -> Key<'_> {
        Key { benchmark: self.benchmark(), parameters: &self.parameters, runner: self.runner() }
    }

    /// The benchmark that it belongs to: file and title.
    #[must_use]
    pub fn benchmark(&self) -> (&str, &str) {
        (&self.file, &self.title)
    }

    /// Who ran: `cpu`, `cpu without intrinsics`, `petgraph 0.8`, or the conditions of a published figure.
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

    /// The size that the plot has it at.
    #[must_use]
    pub fn x(&self) -> Option<i64> {
        match self.parameters.get(self.size.as_ref()?)? {
            Parameter::Int(number) => Some(*number),
            Parameter::Text(_) => None,
        }
    }

    /// The parameters as a text, the size first: `n=500 m=750 seed=1`.
    #[must_use]
    pub fn parameters_text(&self) -> String {
        let is_size = |name: &String| self.size.as_ref() == Some(name);
        let size = self.parameters.iter().filter(|(name, _)| is_size(name));
        let others = self.parameters.iter().filter(|(name, _)| !is_size(name));
        let texts = size.chain(others).map(|(name, value)| format!("{name}={value}"));
        texts.collect::<Vec<String>>().join(" ")
    }
}

/// What a row is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key<'a> {
    /// File and title.
    pub benchmark: (&'a str, &'a str),
    /// The case.
    pub parameters: &'a Parameters,
    /// Who ran it.
    pub runner: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_have_names_for_people() {
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
