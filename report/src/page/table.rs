//! The table of a benchmark: measurements and ratios.

use maud::{Markup, html};
use star_base::text::one_line;

use crate::record::{IntrinsicUse, Row, Source, Time};

use super::figures;
use super::series::Benchmark;
use crate::html;

/// Returns the median, if a ratio can be computed with it.
fn seconds(row: &Row) -> Option<f64> {
    row.time.as_ref().map(|time| time.median_s).filter(|seconds| *seconds > 0.0)
}

/// Rows of one case, which have the same parameters.
struct Case<'a> {
    rows: Vec<(usize, &'a Row)>,
}

impl<'a> Case<'a> {
    /// Returns the row that the others are compared with: our first row in this file, or in any.
    fn first(&self, file: usize) -> Option<&'a Row> {
        let ours = || self.rows.iter().filter(|(_, row)| row.source == Source::Star);
        let ours_here = ours().find(|(number, _)| *number == file);
        ours_here.or_else(|| ours().next()).map(|(_, row)| *row)
    }

    /// Returns the fastest peer of this file, or of any, and whether it belongs to this file.
    fn peer(&self, file: usize) -> Option<(&'a Row, f64, bool)> {
        let fastest = |here: bool| {
            let peers = self
                .rows
                .iter()
                .filter(|(number, row)| row.source == Source::Peer && (!here || *number == file));
            let timed = peers.filter_map(|(_, row)| Some((*row, seconds(row)?)));
            timed.min_by(|(_, a), (_, b)| a.total_cmp(b))
        };
        let with = |is_here: bool| move |(row, seconds)| (row, seconds, is_here);
        fastest(true).map(with(true)).or_else(|| fastest(false).map(with(false)))
    }
}

/// Optional columns.
#[derive(Clone, Copy, Debug)]
struct Columns {
    /// The file of a row.
    files: bool,
    /// The time on a graphics card.
    device: bool,
    /// The ratio to our first row.
    first: bool,
    /// The ratio to a peer.
    peer: bool,
}

/// Returns the table; `n_files` is the number of files on the page.
pub(super) fn table(benchmark: &Benchmark<'_>, n_files: usize) -> Markup {
    let cases = benchmark.rows.chunk_by(|(_, a), (_, b)| a.parameters == b.parameters);
    let cases: Vec<Case<'_>> = cases.map(|rows| Case { rows: rows.to_vec() }).collect();
    let measured = |case: &Case<'_>| {
        case.rows.iter().filter(|(_, row)| row.source != Source::Published).count()
    };
    let columns = Columns {
        files: n_files > 1,
        device: benchmark.rows.iter().any(|(_, row)| row.device_s.is_some()),
        first: cases.iter().any(|case| measured(case) > 1),
        peer: benchmark.rows.iter().any(|(_, row)| row.source == Source::Peer),
    };
    let number = |heading| ("number", heading);
    let mut heads = vec![("", "parameters"), ("", "by")];
    heads.extend(columns.files.then_some(("", "file")));
    heads.extend(["median", "±", "samples", "inputs", "load"].map(number));
    heads.extend(columns.device.then_some(number("device")));
    heads.extend(["operations", "each"].map(number));
    heads.extend(columns.first.then_some(number("to the first")));
    heads.extend(columns.peer.then_some(("", "to the peer")));
    let rows = cases.iter().flat_map(|case| {
        case.rows.iter().enumerate().map(move |(place, (number, row))| {
            let class = match (place, row.source) {
                (0, _) => "case",
                (_, Source::Published) => "published",
                (_, Source::Star | Source::Peer) => "more",
            };
            let parameters = if place == 0 { row.parameters_text() } else { String::new() };
            html! {
                tr class=(class) { td { (one_line(&parameters)) } (cells(case, *number, row, columns)) }
            }
        })
    });
    html! {
        (html::table(None, &heads, rows))
        @for line in conditions(benchmark) { p.faint { (one_line(&line)) } "\n" }
    }
}

/// Returns the cells of a row after its parameters.
fn cells(case: &Case<'_>, file: usize, row: &Row, columns: Columns) -> Markup {
    let Columns { files, device, first, peer } = columns;
    html! {
        td { (one_line(&row.line())) }
        @if files { td { (file + 1) } }
        @match &row.error {
            Some(error) => td.error colspan=(7 + usize::from(device) + usize::from(first) + usize::from(peer)) {
                (one_line(&error.to_string()))
            },
            None => {
                @for number in numbers(row, device) { td.number { (number.unwrap_or_default()) } }
                @if first { td.number { (to_first(case, file, row).unwrap_or_default()) } }
                @if peer { (to_peer(case, file, row)) }
            }
        }
    }
}

/// Returns the measurements of a row.
fn numbers(row: &Row, device: bool) -> Vec<Option<String>> {
    let time = row.time.as_ref();
    // An intrinsic does not execute these operations.
    let counted = row.operations.filter(|n| *n > 0 && row.intrinsics != Some(IntrinsicUse::On));
    let each = counted.zip(seconds(row)).map(|(n, seconds)| figures::time(seconds / n as f64));
    let mut numbers = vec![
        time.map(|time| figures::time(time.median_s)),
        time.and_then(reach),
        time.and_then(samples),
        row.input_s.map(figures::time),
        row.load_s.map(figures::time),
    ];
    numbers.extend(device.then(|| row.device_s.map(figures::time)));
    numbers.extend([row.operations.map(figures::whole), each]);
    numbers
}

/// Returns the ratio to our first row, for measured rows.
fn to_first(case: &Case<'_>, file: usize, row: &Row) -> Option<String> {
    let is_measured = row.source != Source::Published;
    let first = case.first(file).filter(|_| is_measured).and_then(seconds)?;
    Some(figures::digits(seconds(row)? / first))
}

/// Returns the ratio to the fastest peer, for our rows.
fn to_peer(case: &Case<'_>, file: usize, row: &Row) -> Markup {
    let ours = seconds(row).filter(|_| row.source == Source::Star);
    let Some((seconds, (peer, theirs, is_here))) = ours.zip(case.peer(file)) else {
        return html! { td {} };
    };
    let ratio = seconds / theirs;
    let mark = if is_here { "" } else { "*" };
    let name = peer.name.as_deref().unwrap_or("the peer");
    html! {
        td class=[(ratio < 1.0).then_some("better")] {
            (figures::digits(ratio)) (mark) " of " (one_line(name))
        }
    }
}

/// Formats `± 1.2 %`, with a mark if it exceeds the requested width.
fn reach(time: &Time) -> Option<String> {
    let (low, high) = time.low_s.zip(time.high_s)?;
    if time.median_s <= 0.0 {
        return None;
    }
    let reach = (high - time.median_s).max(time.median_s - low) / time.median_s;
    let mark = if time.reached == Some(false) { "~ " } else { "" };
    match time.runs {
        Some(1) => Some("one sample".to_owned()),
        Some(_) | None => Some(format!("{mark}{}", figures::percent(reach))),
    }
}

/// Formats `31`, or `31 of 12` runs each.
fn samples(time: &Time) -> Option<String> {
    let runs = figures::whole(time.runs?);
    match time.repetitions {
        Some(n) if n > 1 => Some(format!("{runs} × {}", figures::whole(n))),
        Some(_) | None => Some(runs),
    }
}

/// Returns the conditions of the peers' measurements without duplicates.
fn conditions(benchmark: &Benchmark<'_>) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for (_, row) in &benchmark.rows {
        let (Source::Peer, Some(conditions)) = (row.source, &row.conditions) else { continue };
        let line = format!("{}: {conditions}", row.runner());
        if !said.contains(&line) {
            said.push(line);
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use crate::record::{Record, RowError};

    use super::*;
    use crate::page::testing::{benchmarks, record, row, well_formed};

    fn peer(n: i64, seconds: f64) -> Row {
        let mut peer = row("closure", n, seconds);
        peer.source = Source::Peer;
        peer.name = Some("other".to_owned());
        peer.conditions = Some("one thread".to_owned());
        peer
    }

    fn of(records: &[Record]) -> String {
        let text = table(&benchmarks(records)[0], records.len()).into_string();
        well_formed(&text);
        text
    }

    #[test]
    fn ratios_are_to_our_first_row_and_the_fastest_peer() {
        let mut slow = row("closure", 5, 3.0);
        slow.intrinsics = Some(IntrinsicUse::Off);
        let mut second = peer(5, 8.0);
        second.name = Some("second".to_owned());
        let text = of(&[record(vec![row("closure", 5, 1.0), slow, peer(5, 4.0), second])]);
        assert!(
            text.contains("<td class=\"number\">3.00</td><td class=\"better\">0.750 of other</td>"),
            "{text}"
        );
        assert!(text.contains("<td class=\"better\">0.250 of other</td>"));
        assert_eq!(text.matches("n=5").count(), 1);
        assert!(text.contains("other: one thread"));
    }

    #[test]
    fn ratios_across_files_are_marked() {
        let ours = record(vec![row("closure", 5, 2.0)]);
        let text = of(&[ours, record(vec![row("closure", 5, 8.0), peer(5, 4.0)])]);
        assert!(text.contains("0.500* of other"), "{text}");
        assert!(text.contains(">2.00 of other"), "{text}");
    }

    #[test]
    fn errors_replace_measurements() {
        let mut failed = row("closure", 5, 1.0);
        failed.time = None;
        failed.error = Some(RowError { code: "T0101".to_owned(), message: "index 7".to_owned() });
        let text = of(&[record(vec![failed])]);
        assert!(text.contains("<td class=\"error\" colspan=\"7\">T0101: index 7</td>"), "{text}");
    }

    #[test]
    fn published_times_have_no_ratio() {
        let mut published = row("closure", 5, 0.5);
        published.source = Source::Published;
        published.conditions = Some("K40".to_owned());
        let text = of(&[record(vec![row("closure", 5, 1.0), published])]);
        assert!(!text.contains("0.500"), "{text}");
        assert!(text.contains("<tr class=\"published\"><td></td><td>K40</td>"), "{text}");
    }

    #[test]
    fn wide_intervals_and_repetitions_are_shown() {
        let mut wide = row("closure", 5, 1.0);
        let time = wide.time.as_mut().unwrap();
        (time.reached, time.repetitions) = (Some(false), Some(12));
        let text = of(&[record(vec![wide])]);
        assert!(text.contains(">~ 10 %<") && text.contains(">12 × 12<"), "{text}");
    }
}
