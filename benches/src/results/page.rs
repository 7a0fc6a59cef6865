//! The page "Performance" of the book, and its plots.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use serde_json::json;
use star_report::page::{NamedRecord, Plot, figures, plots};
use star_report::record::{SCHEMA, from_json};

use super::table::{SECTIONS, Section};
use super::{CRATE, Figure, Row};

const PAGE: &str = "../docs/src/performance.md";
const PLOTS: &str = "../docs/src/images/performance";

/// The page and its plots.
pub(super) struct Page {
    text: String,
    plots: Vec<Plot>,
}

/// Generates the page from the rows of all sections.
pub(super) fn page(all: &[Vec<Row>]) -> Page {
    let (mut text, mut files) = (include_str!("introduction.txt").to_owned(), Vec::new());
    for (section, rows) in SECTIONS.iter().zip(all) {
        let drawn = plots_of(section.name, rows);
        // Writing to a string does not fail.
        let _ = write_section(&mut text, section, rows, &drawn);
        files.extend(drawn);
    }
    Page { text, plots: files }
}

fn write_section(
    text: &mut String,
    section: &Section,
    rows: &[Row],
    plots: &[Plot],
) -> std::fmt::Result {
    writeln!(text, "\n## {}\n", section.title)?;
    writeln!(text, "| job | input | ours | fastest peer | ratio | goal | source |")?;
    writeln!(text, "|---|---|---|---|---|---|---|")?;
    for row in rows {
        let Some(job) = section.jobs.iter().find(|job| job.name == row.job) else { continue };
        let cells = match (summary(&row.figures), &row.not_measured) {
            (Some(figure), _) => {
                let fastest = figure.peers.iter().min_by(|one, other| one.1.total_cmp(other.1));
                let peer = fastest.map_or("–".to_owned(), |(name, seconds)| {
                    format!("{}: {}", title(name), figures::time(*seconds))
                });
                let ours = figures::time(figure.ours);
                let missed = if is_missed(job.goal, figure) { ", missed" } else { "" };
                format!("{} | {ours} | {peer} | {}{missed}", figure.input_text(), ratio(figure))
            }
            (None, reason) => {
                let reason = reason.as_deref().unwrap_or("no figures");
                format!("not measured: {reason} | – | – | –")
            }
        };
        writeln!(text, "| {} | {cells} | {} | {} |", job.name, job.goal, job.source)?;
    }
    if !plots.is_empty() {
        writeln!(text, "\n<details><summary>Plots</summary>")?;
        for Plot { name, title, .. } in plots {
            writeln!(text, "\n![{title}](images/performance/{name})")?;
        }
        writeln!(text, "\n</details>")?;
    }
    let measured = || rows.iter().filter(|row| !row.figures.is_empty());
    if measured().next().is_none() {
        return Ok(());
    }
    writeln!(text, "\n<details><summary>All inputs</summary>\n")?;
    writeln!(text, "| job | input | threads | ours | ours otherwise | peers | ratio | note |")?;
    writeln!(text, "|---|---|---|---|---|---|---|---|")?;
    for (row, figure) in measured().flat_map(|row| row.figures.iter().map(move |its| (row, its))) {
        let Figure { threads, ours, variants, peers, note, .. } = figure;
        writeln!(
            text,
            "| {} | {} | {threads} | {} | {} | {} | {} | {note} |",
            row.job,
            figure.input_text(),
            figures::time(*ours),
            times(variants),
            times(peers),
            ratio(figure),
        )?;
    }
    let conditions: BTreeSet<String> = rows
        .iter()
        .filter_map(|row| row.conditions.as_ref())
        .map(|its| format!("{}; {}", its.machine, its.date.split('T').next().unwrap_or_default()))
        .collect();
    let loads = || rows.iter().filter_map(|row| Some(row.conditions.as_ref()?.load));
    let (least, most) = (loads().fold(f64::INFINITY, f64::min), loads().fold(0.0, f64::max));
    writeln!(text, "\n</details>\n")?;
    for conditions in conditions {
        writeln!(text, "* {conditions}")?;
    }
    writeln!(text, "* load of the machine: {least:.1} to {most:.1}")
}

/// Returns the worst figure of the largest size.
fn summary(figures: &[Figure]) -> Option<&Figure> {
    let largest = figures.iter().map(|figure| figure.size).max()?;
    let of_size = figures.iter().filter(|figure| figure.size == largest);
    of_size.min_by(|one, other| match (one.ratio, other.ratio) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        _ => other.ours.total_cmp(&one.ours),
    })
}

/// Checks whether the figure is below the goal. A goal is a list of parts `INPUT: ≥ RATIO (PEER)`,
/// where input and peer may be absent; parts of other forms, inputs or peers do not count.
fn is_missed(goal: &str, figure: &Figure) -> bool {
    let is_below = |part: &str| {
        let (input, bound) = part.trim().rsplit_once(": ").unwrap_or(("", part.trim()));
        let bound = bound.strip_prefix("≥ ")?;
        let (least, peer) = bound.split_once(" (").unwrap_or((bound, ")"));
        let (least, peer) = (least.parse::<f64>().ok()?, peer.strip_suffix(')')?);
        let peers = figure.peers.iter().filter(|(name, _)| name.starts_with(peer));
        let fastest = peers.map(|(_, seconds)| *seconds).reduce(f64::min)?;
        Some(figure.input_text().contains(input) && fastest / figure.ours < least)
    };
    goal.split([',', ';']).any(|part| is_below(part) == Some(true))
}

/// Returns the name of a peer without a version that is a commit, which the data hold.
fn title(name: &str) -> &str {
    let is_commit =
        |version: &str| version.len() >= 7 && version.chars().all(|c| c.is_ascii_hexdigit());
    match name.rsplit_once(' ') {
        Some((peer, version)) if is_commit(version) => peer,
        _ => name,
    }
}

fn ratio(figure: &Figure) -> String {
    figure.ratio.map_or("–".to_owned(), figures::digits)
}

fn times(times: &BTreeMap<String, f64>) -> String {
    let text =
        |(name, seconds): (&String, &f64)| format!("{}: {}", title(name), figures::time(*seconds));
    let texts = times.iter().map(text);
    texts.collect::<Vec<_>>().join("; ")
}

/// Draws the jobs that have several sizes.
fn plots_of(section: &str, rows: &[Row]) -> Vec<Plot> {
    let mut points = Vec::new();
    for row in rows {
        for figure in &row.figures {
            let sizes = row.figures.iter().filter(|other| other.input == figure.input);
            if sizes.map(|other| other.size).collect::<BTreeSet<_>>().len() < 2 {
                continue;
            }
            let point = |source: &str, name: &str, seconds: f64| {
                json!({
                    "source": source, "file": section, "title": format!("{}: {}", row.job, figure.input),
                    "size": figure.unit, "parameters": {figure.unit.as_str(): figure.size},
                    "backend": "ours", "variant": name, "name": name, "time": {"median_s": seconds},
                })
            };
            points.push(point("star", "default", figure.ours));
            points.extend(figure.variants.iter().map(|(name, time)| point("star", name, *time)));
            points.extend(figure.peers.iter().map(|(name, time)| point("peer", name, *time)));
        }
    }
    let record = json!({"schema": SCHEMA, "rows": points}).to_string();
    let named = |record| NamedRecord { name: "results".to_owned(), record };
    from_json(&record).map(|record| plots(&[named(record)])).unwrap_or_default()
}

impl Page {
    /// Writes the page and its plots, and removes plots of earlier pages.
    pub(super) fn write(&self) -> Result<(), String> {
        // An empty folder is no error.
        let _ = fs::remove_dir_all(format!("{CRATE}/{PLOTS}"));
        for Plot { name, svg, .. } in &self.plots {
            super::write(&format!("{CRATE}/{PLOTS}/{name}"), svg)?;
        }
        super::write(&format!("{CRATE}/{PAGE}"), &self.text)
    }

    /// Panics if the files of the book differ.
    #[cfg(test)]
    pub(super) fn compare(&self) {
        let hint = "run `cargo run --release -p star-benches -- results --page`";
        let read = |path: String| fs::read_to_string(path).unwrap_or_default();
        assert!(read(format!("{CRATE}/{PAGE}")) == self.text, "{PAGE} is outdated: {hint}");
        for Plot { name, svg, .. } in &self.plots {
            assert!(&read(format!("{CRATE}/{PLOTS}/{name}")) == svg, "{name} is outdated: {hint}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_for_other_inputs_and_peers_do_not_count() {
        let figure = Figure::new("12 bits", ("n", 7), 1.0, &[("petgraph", 4.0), ("gapbs", 1.0)]);
        for missed in ["≥ 1.1", "≥ 5 (petgraph)", "≥ 3 (petgraph), ≥ 2 (gapbs)", "12 bits: ≥ 2"]
        {
            assert!(is_missed(missed, &figure), "{missed}");
        }
        for other in ["", "≥ 1", "≥ 4 (petgraph)", "32 bits: ≥ 2", "≥ 9 (rstar)", "2 ms", "≥ 80 %"]
        {
            assert!(!is_missed(other, &figure), "{other}");
        }
    }
}
