//! Benchmark files as one self-contained page: HTML without scripts and external resources, light
//! or dark like the reader's system.
//!
//! * [`series`]: grouping of rows; [`plot`] (with [`axis`], [`palette`], [`pdf`]) draws them,
//!   [`table`] lists them, [`export`] writes them for other programs;
//! * [`overview`]: comparison with the fastest peers;
//! * [`conditions`]: machines, bandwidth, and warnings for the reader;
//! * [`figures`]: formatting of numbers; the frame is in [`crate::html`].
//!
//! This module neither measures nor accesses files.

mod axis;
mod conditions;
mod export;
pub mod figures;
mod overview;
mod palette;
mod pdf;
mod pgfplots;
mod plot;
mod series;
mod table;
#[cfg(test)]
pub(crate) mod testing;

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use star_base::text::one_line;

use self::series::Benchmark;
use crate::html::{self, PageKind, Style};
use crate::record::Record;

pub use self::conditions::differences;
pub use self::export::{ExportError, ExportKind, Selection, export};

/// The parameters on the axes of plots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axes {
    /// The horizontal one; that of the rows without it.
    pub first: Option<String>,
    /// The second one, at the top.
    pub second: Option<String>,
    /// Names in place of the numbers 1, 2, … on the horizontal one.
    pub names: Option<Vec<String>>,
}

impl Axes {
    /// The axes that the rows name.
    pub const NONE: Axes = Axes { first: None, second: None, names: None };
}

/// A benchmark file, with its name on the page.
pub struct NamedRecord {
    /// The name.
    pub name: String,
    /// Its contents.
    pub record: Record,
}

/// Returns the page of these files, with this title and axes.
#[must_use]
pub fn page(files: &[NamedRecord], selection: &Selection) -> String {
    let records: Vec<Record> = files.iter().map(|file| file.record.clone()).collect();
    let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
    let benchmarks = series::benchmarks(&records, &names, &selection.axes);
    let heading = selection.title.as_deref().unwrap_or("Star benchmarks");
    let dates = records.iter().filter_map(|record| record.date.as_deref());
    let days: BTreeSet<&str> = dates.filter_map(|date| date.split('T').next()).collect();
    let days = days.into_iter().collect::<Vec<_>>().join(", ");
    let body = html! {
        h1 { (one_line(heading)) } "\n"
        p.faint { (one_line(&days)) " · times of the runs alone, medians" } "\n"
        (overview::overview(&benchmarks))
        (conditions::warnings(files))
        (conditions::machines(files))
        (contents(&benchmarks))
        @for (number, benchmark) in benchmarks.iter().enumerate() {
            (section(number, benchmark, files.len()))
        }
        (conditions::reading())
    };
    let dark = palette::dark_rules("svg.plot");
    let style = format!("@media (prefers-color-scheme: dark) {{\n{dark}}}\n");
    let title = format!("{heading} {days}");
    html::page(PageKind::Benchmarks, &title, Style::Inside(&style), &body)
}

/// Returns a note for each selected benchmark with rows that its plot cannot show.
#[must_use]
pub fn undrawn(files: &[NamedRecord], selection: &Selection) -> Vec<String> {
    let selected = files.iter().map(|file| Record {
        rows: file.record.rows.iter().filter(|row| selection.has(row)).cloned().collect(),
        ..file.record.clone()
    });
    let records: Vec<Record> = selected.collect();
    let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
    let benchmarks = series::benchmarks(&records, &names, &selection.axes);
    let notes = benchmarks.iter().flat_map(|benchmark| {
        let title = one_line(benchmark.title);
        let size = one_line(benchmark.size.unwrap_or_default());
        let n_failed = benchmark.rows.iter().filter(|(_, row)| row.error.is_some()).count();
        let lacks = [
            (
                benchmark.n_undrawn(),
                format!("with {size} ≤ 0, which a logarithmic axis cannot show"),
            ),
            (n_failed, "that failed".to_owned()),
        ];
        lacks.into_iter().filter(|(n_rows, _)| *n_rows > 0).map(move |(n_rows, which)| {
            let rows = star_base::text::count(n_rows, "row");
            format!("the plot of `{title}` lacks {rows} {which}")
        })
    });
    notes.collect()
}

/// A plot of a benchmark.
pub struct Plot {
    /// A name for a separate file: `closure-1.svg`.
    pub name: String,
    /// The title of the benchmark.
    pub title: String,
    /// The picture as SVG.
    pub svg: String,
}

/// Returns the plots of these files; their names differ.
#[must_use]
pub fn plots(files: &[NamedRecord]) -> Vec<Plot> {
    let records: Vec<Record> = files.iter().map(|file| file.record.clone()).collect();
    let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
    let mut taken = BTreeSet::new();
    let mut plots = Vec::new();
    for benchmark in series::benchmarks(&records, &names, &Axes::NONE) {
        let Some(svg) = plot::svg(&benchmark, None) else { continue };
        let stem = file_name(&benchmark);
        let mut name = format!("{stem}.svg");
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{stem}-{number}.svg");
            number += 1;
        }
        plots.push(Plot { name, title: benchmark.title.to_owned(), svg: plot::file(&svg) });
    }
    plots
}

/// Returns a file name: letters, digits and hyphens of the benchmark's file and title.
fn file_name(benchmark: &Benchmark<'_>) -> String {
    let file = benchmark.files.first().copied().unwrap_or_default();
    let stem = file.strip_suffix(".star").unwrap_or(file);
    let text = format!("{stem} {}", benchmark.title).to_lowercase();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words.collect::<Vec<_>>().join("-").chars().take(80).collect();
    if name.is_empty() { "benchmark".to_owned() } else { name }
}

/// Returns links to all benchmarks, if there are several.
fn contents(benchmarks: &[Benchmark<'_>]) -> Markup {
    html! {
        @if benchmarks.len() > 1 {
            nav {
                ul {
                    @for (number, benchmark) in benchmarks.iter().enumerate() {
                        "\n" li { a href={ "#b" (number) } { (one_line(benchmark.title)) } }
                    }
                }
            }
            "\n"
        }
    }
}

fn section(number: usize, benchmark: &Benchmark<'_>, n_files: usize) -> Markup {
    let routines: BTreeSet<&str> =
        benchmark.rows.iter().filter_map(|(_, row)| row.routine.as_deref()).collect();
    let names: Vec<&str> = routines.into_iter().chain(benchmark.files.iter().copied()).collect();
    html! {
        section {
            "\n" h2 id={ "b" (number) } { (one_line(benchmark.title)) }
            "\n" p.faint { (one_line(&names.join(", "))) }
            "\n" @if let Some(svg) = plot::svg(benchmark, None) {
                figure { (PreEscaped(svg)) } "\n"
            }
            (table::table(benchmark, n_files))
        }
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use crate::record::{RowError, Source};

    use super::testing::{record, row, well_formed};
    use super::*;

    fn named(name: &str, record: Record) -> NamedRecord {
        NamedRecord { name: name.to_owned(), record }
    }

    const HOSTILE: &str =
        "</title></style><script>alert(1)</script><img src=x onerror='x'>&\"\u{0}";

    /// Returns a record with markup in every external text.
    fn hostile() -> Record {
        let mut failed = row(HOSTILE, 5, 1.0);
        failed.time = None;
        failed.error = Some(RowError { code: HOSTILE.to_owned(), message: HOSTILE.to_owned() });
        let mut peer = row(HOSTILE, 6, 2.0);
        peer.source = Source::Peer;
        peer.name = Some(HOSTILE.to_owned());
        peer.version = Some(HOSTILE.to_owned());
        peer.conditions = Some(HOSTILE.to_owned());
        let mut ours = row(HOSTILE, 6, 1.0);
        ours.file = HOSTILE.to_owned();
        ours.routine = Some(HOSTILE.to_owned());
        ours.backend = Some(HOSTILE.to_owned());
        ours.parameters
            .insert(HOSTILE.to_owned(), crate::record::Parameter::Text(HOSTILE.to_owned()));
        ours.size = Some("n".to_owned());
        let mut record = record(vec![failed, peer, ours.clone(), row("other", 5, 1.0)]);
        record.date = Some(HOSTILE.to_owned());
        record.adapter = Some(HOSTILE.to_owned());
        record.tool.name = HOSTILE.to_owned();
        record.tool.commit = Some(HOSTILE.to_owned());
        record.machine.cpu = Some(HOSTILE.to_owned());
        record.machine.features = vec![HOSTILE.to_owned()];
        record
    }

    #[test]
    fn external_text_is_escaped() {
        let title = Some(HOSTILE.to_owned());
        let hostile_title = Selection { title, ..Selection::default() };
        let page = page(&[named(HOSTILE, hostile()), named("b", hostile())], &hostile_title);
        well_formed(&page);
        for tag in ["<script", "<img"] {
            assert!(!page.contains(tag), "{tag}");
        }
        for Plot { name, svg, .. } in plots(&[named("a", hostile())]) {
            well_formed(&svg);
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c)), "{name}");
        }
    }

    #[test]
    fn pages_have_no_external_resources() {
        let page = page(&[named("a", record(vec![row("closure", 5, 1.0)]))], &Selection::default());
        assert!(!page.contains("<script"));
        let addresses: Vec<&str> =
            page.match_indices("http").map(|(at, _)| &page[at..at + 26]).collect();
        assert!(
            addresses.iter().all(|address| *address == "http://www.w3.org/2000/svg"),
            "{addresses:?}"
        );
    }

    #[test]
    fn every_benchmark_has_a_section_and_a_link() {
        let record = record(vec![row("closure", 5, 1.0), row("closure", 9, 2.0), row("b", 5, 1.0)]);
        let page = page(&[named("a", record)], &Selection::default());
        for number in 0..2 {
            assert!(page.contains(&format!("<h2 id=\"b{number}\">")));
            assert!(page.contains(&format!("<a href=\"#b{number}\">")));
        }
        assert_eq!(page.matches("<svg ").count(), 2);
    }

    #[test]
    fn rows_without_a_place_on_the_axis_are_counted() {
        let record = record(vec![row("closure", 0, 1.0), row("closure", 9, 2.0), row("b", 5, 1.0)]);
        let files = [named("x", record)];
        let note = "the plot of `closure` lacks 1 row with n ≤ 0, which a logarithmic axis cannot \
                    show";
        assert_eq!(undrawn(&files, &Selection::default()), [note]);
        let filter = Some("b".to_owned());
        let other = Selection { filter, ..Selection::default() };
        assert_eq!(undrawn(&files, &other), [""; 0]);
    }

    #[test]
    fn plots_have_distinct_names() {
        let mut other = row("clo-sure", 5, 1.0);
        other.file = "a.star".to_owned();
        let mut twin = other.clone();
        twin.title = "clo sure".to_owned();
        let names: Vec<String> = plots(&[named("a", record(vec![other, twin]))])
            .into_iter()
            .map(|plot| plot.name)
            .collect();
        assert_eq!(names, ["a-clo-sure.svg", "a-clo-sure-2.svg"]);
    }
}
