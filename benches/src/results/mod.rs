//! The current figures of all jobs as data, and the page that is generated from them.
//!
//! * `table`: the jobs with their goals and the sources' figures. `measure`: their measurements.
//! * `page`: the page "Performance" of the book, with its plots.
//!
//! A section of the table is a file `benches/results/SECTION.json`. A job that a run cannot measure
//! keeps the figures of an earlier run; each row states its machine, its commit and its date.

mod measure;
mod page;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use measure::Run;
use table::{SECTIONS, Section};

/// The folder of the crate; the book is next to it.
const CRATE: &str = env!("CARGO_MANIFEST_DIR");

const USAGE: &str = "\
usage: star-benches results [JOB …] [OPTIONS]

  JOB             a section, or a part of the name of a job; all jobs by default
  --page          generate the page only
  --full          the sizes of the goals; otherwise some minutes for everything
  --libcbt DIR    a checkout of libcbt

Other options are those of `star-benches peers`: --shared, --venv, --gapbs, --lemon, --data …";

/// A measurement of a job on an input. Times are medians in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// The kind of input.
    pub(crate) input: String,
    /// The parameter that is its size, such as `n`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) unit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<usize>,
    pub(crate) threads: usize,
    pub(crate) ours: f64,
    /// Ours in other ways: without passes, on other threads, parts of the work.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) variants: BTreeMap<String, f64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) peers: BTreeMap<String, f64>,
    /// The time of the fastest peer divided by ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ratio: Option<f64>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) note: String,
}

impl Figure {
    /// A figure on one thread.
    pub(crate) fn new(
        input: &str,
        (unit, size): (&str, usize),
        ours: f64,
        peers: &[(&str, f64)],
    ) -> Self {
        let fastest = peers.iter().map(|(_, seconds)| *seconds).reduce(f64::min);
        Figure {
            input: input.to_owned(),
            unit: unit.to_owned(),
            size: Some(size),
            threads: 1,
            ours,
            peers: peers.iter().map(|(name, seconds)| ((*name).to_owned(), *seconds)).collect(),
            ratio: fastest.map(|fastest| fastest / ours),
            ..Figure::default()
        }
    }

    /// Limits numbers to four digits.
    fn rounded(mut self) -> Self {
        let others = self.variants.values_mut().chain(self.peers.values_mut());
        for number in others.chain([&mut self.ours]).chain(&mut self.ratio) {
            *number = format!("{number:.3e}").parse().unwrap_or(*number);
        }
        self
    }

    /// The input with its size.
    fn input_text(&self) -> String {
        match self.size {
            Some(size) => format!("{}, {} = {size}", self.input, self.unit),
            None => self.input.clone(),
        }
    }
}

/// The conditions of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Conditions {
    machine: String,
    /// Mean number of processes that wanted to run in the minute before.
    load: f64,
    commit: String,
    date: String,
}

/// The figures of a job, or the reason for their absence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    job: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not_measured: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    figures: Vec<Figure>,
    #[serde(flatten)]
    conditions: Option<Conditions>,
}

/// Measures the jobs that `args` select, writes their rows, and generates the page.
///
/// # Errors
/// If an option is wrong, or a file cannot be read or written.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (mut wanted, mut options, mut libcbt) = (Vec::new(), Vec::new(), None);
    let (mut page_only, mut is_full) = (false, false);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().cloned().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--help" | "-h" => {
                println!("{USAGE}");
                return Ok(());
            }
            "--page" => page_only = true,
            "--full" => is_full = true,
            "--libcbt" => libcbt = Some(value()?),
            option if option.starts_with('-') => options.extend([arg.clone(), value()?]),
            job => wanted.push(job.to_owned()),
        }
    }
    if !page_only {
        Run::new(wanted, is_full, libcbt, &options)?.measure_all();
    }
    let page = page::page(&read_all()?);
    page.write()
}

/// Writes measured rows of a section.
///
/// # Errors
/// If the file cannot be read or written.
fn keep(section: &Section, rows: &[Row]) -> Result<(), String> {
    let merged = merge(section, &read(section)?, rows);
    write(&result_path(section), &json(&merged))
}

/// Returns the rows of a section in the order of the table: the measured one, or the old one.
fn merge(section: &Section, old: &[Row], new: &[Row]) -> Vec<Row> {
    let of = |rows: &[Row], name: &str| rows.iter().find(|row| row.job == name).cloned();
    let rows = section.jobs.iter().map(|job| match (of(old, job.name), of(new, job.name)) {
        (Some(old), Some(new)) if new.figures.is_empty() && !old.figures.is_empty() => Some(old),
        (old, new) => new.or(old),
    });
    rows.flatten().collect()
}

fn result_path(section: &Section) -> String {
    format!("{CRATE}/results/{}.json", section.name)
}

/// Reads the rows of a section; none if the file does not exist.
fn read(section: &Section) -> Result<Vec<Row>, String> {
    let path = result_path(section);
    if !Path::new(&path).exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))
}

/// Reads the rows of all sections.
fn read_all() -> Result<Vec<Vec<Row>>, String> {
    SECTIONS.iter().map(read).collect()
}

fn json(rows: &[Row]) -> String {
    let mut text = serde_json::to_string_pretty(rows).unwrap_or_default();
    text.push('\n');
    text
}

fn write(path: &str, text: &str) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{path}: {error}");
    fs::create_dir_all(Path::new(path).parent().unwrap_or(Path::new(CRATE))).map_err(wrong)?;
    fs::write(path, text).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_has_a_row_with_figures_or_a_reason() {
        for section in SECTIONS.iter() {
            let rows = read(section).unwrap();
            let jobs = section.jobs.iter().map(|job| job.name);
            assert!(rows.iter().map(|row| row.job.as_str()).eq(jobs), "{}", section.name);
            for Row { job, not_measured, figures, conditions } in &rows {
                assert_eq!(figures.is_empty(), not_measured.is_some(), "{job}");
                assert_eq!(figures.is_empty(), conditions.is_none(), "{job}");
                assert!(figures.iter().all(|figure| figure.ours > 0.0), "{job}");
            }
            assert_eq!(fs::read_to_string(result_path(section)).unwrap(), json(&rows));
        }
    }

    #[test]
    fn the_page_is_generated_from_the_files() {
        page::page(&read_all().unwrap()).compare();
    }

    #[test]
    fn absent_figures_do_not_replace_old_ones() {
        let section = &SECTIONS[0];
        let row = |figures: Vec<Figure>| Row {
            job: section.jobs[0].name.to_owned(),
            not_measured: figures.is_empty().then(|| "no data".to_owned()),
            figures,
            conditions: None,
        };
        let (old, new) = ([row(vec![Figure::default()])], [row(Vec::new())]);
        assert_eq!(merge(section, &old, &new), old);
        assert_eq!(merge(section, &new, &old), old);
    }
}
