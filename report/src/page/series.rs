//! Grouping of the rows of several files: benchmarks, and lines in their plots.

use std::collections::BTreeMap;

use super::{Axes, palette};
use crate::measure::Growth;
use crate::record::{Parameter, Parameters, Record, Row, Source};

/// All rows of one benchmark, which may be in several files.
pub(crate) struct Benchmark<'a> {
    /// Its files.
    pub(crate) files: Vec<&'a str>,
    /// Its title.
    pub(crate) title: &'a str,
    /// Its rows, each with the zero-based number of its file: sorted by parameters, then in the
    /// order of the files.
    pub(crate) rows: Vec<(usize, &'a Row)>,
    /// The parameter on the horizontal axis.
    pub(crate) size: Option<&'a str>,
    /// The parameter on the second axis, with its value at each size.
    pub(crate) second: Option<(&'a str, Vec<(f64, i64)>)>,
    /// The names of the sizes 1, 2, …, which are no numbers.
    pub(crate) names: Option<&'a [String]>,
    /// The lines of the plot.
    pub(crate) series: Vec<Series>,
}

/// A line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    /// Its name in the legend.
    pub(crate) label: String,
    /// Its origin.
    pub(crate) source: Source,
    /// The number of the runner, the same on the whole page.
    pub(crate) runner: usize,
    /// The number of its colour and mark: that of the runner, or the next unused one in the plot.
    pub(crate) look: usize,
    /// Sorted by size.
    pub(crate) points: Vec<Point>,
    /// The indices of its rows in the benchmark.
    pub(crate) rows: Vec<usize>,
    /// The fit of its growth.
    pub(crate) growth: Option<Growth>,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// The size.
    pub(crate) x: f64,
    /// The median in seconds.
    pub(crate) y: f64,
    /// Its interval, if known.
    pub(crate) interval: Option<(f64, f64)>,
}

/// The key of a line in one file: its name, and every parameter except the size.
type Line<'a> = (String, Vec<(&'a str, String)>);

/// Returns all benchmarks, in the order of their first rows. `names` are those of the files.
pub(crate) fn benchmarks<'a>(
    records: &'a [Record],
    names: &[String],
    axes: &'a Axes,
) -> Vec<Benchmark<'a>> {
    let runners = runners(records);
    let mut order: Vec<&str> = Vec::new();
    let mut rows: BTreeMap<&str, Vec<(usize, &Row)>> = BTreeMap::new();
    for (number, record) in records.iter().enumerate() {
        for row in &record.rows {
            let of_benchmark = rows.entry(&row.title).or_default();
            if of_benchmark.is_empty() {
                order.push(&row.title);
            }
            of_benchmark.push((number, row));
        }
    }
    let with_rows = |title| (title, rows.remove(title).unwrap_or_default());
    let mut with_rows = order.into_iter().map(with_rows).collect::<Vec<_>>();
    for (_, rows) in &mut with_rows {
        rows.sort_by_key(|(_, row)| (row.x(), row.parameters.clone(), row.source));
    }
    with_rows
        .into_iter()
        .map(|(title, rows)| {
            let mut files: Vec<&str> = Vec::new();
            for (_, row) in &rows {
                if !files.contains(&row.file.as_str()) {
                    files.push(&row.file);
                }
            }
            let of_rows = || rows.iter().find_map(|(_, row)| row.size.as_deref());
            let size = axes.first.as_deref().or_else(of_rows);
            let mut series =
                size.map_or_else(Vec::new, |size| series(&rows, size, &runners, names));
            if axes.names.is_some() {
                // Files are no sizes.
                series.iter_mut().for_each(|line| line.growth = None);
            }
            let second = size.zip(axes.second.as_deref());
            let second =
                second.and_then(|(size, name)| Some((name, dependent(&rows, size, name)?)));
            Benchmark { files, title, rows, size, second, names: axes.names.as_deref(), series }
        })
        .collect()
}

/// Returns the values of a parameter at each size; `None` if there are none, or two at one size.
fn dependent(rows: &[(usize, &Row)], size: &str, name: &str) -> Option<Vec<(f64, i64)>> {
    let mut values: Vec<(f64, i64)> = Vec::new();
    for (_, row) in rows.iter().filter(|(_, row)| row.source != Source::Published) {
        let Some(x) = x_of(&row.parameters, size) else { continue };
        let Some(Parameter::Int(value)) = row.parameters.get(name) else { continue };
        match values.iter().find(|(at, _)| *at == x) {
            Some((_, other)) if other != value => return None,
            Some(_) => {}
            None => values.push((x, *value)),
        }
    }
    (!values.is_empty()).then_some(values)
}

impl Benchmark<'_> {
    /// Returns the number of its rows with a time that the logarithmic axis of the sizes cannot
    /// show.
    pub(crate) fn n_undrawn(&self) -> usize {
        let Some(size) = self.size else { return 0 };
        let is_undrawn =
            |row: &Row| row.time.is_some() && x_of(&row.parameters, size).is_some_and(|x| x <= 0.0);
        self.rows.iter().filter(|(_, row)| is_undrawn(row)).count()
    }
}

/// Returns all runners: Star first, then peers, then papers.
fn runners(records: &[Record]) -> Vec<String> {
    let mut runners: Vec<(Source, String)> = Vec::new();
    for row in records.iter().flat_map(|record| &record.rows) {
        let runner = (row.source, row.runner());
        if !runners.contains(&runner) {
            runners.push(runner);
        }
    }
    runners.sort_by_key(|(source, _)| *source);
    runners.into_iter().map(|(_, name)| name).collect()
}

/// Returns the lines of a plot. A line that occurs in several files has the name of its file.
fn series(rows: &[(usize, &Row)], size: &str, runners: &[String], names: &[String]) -> Vec<Series> {
    let mut lines: Vec<(Line<'_>, usize, Series)> = Vec::new();
    let varying = varying(rows, size);
    for (idx, (number, row)) in rows.iter().enumerate() {
        let (Some(time), Some(x)) = (&row.time, x_of(&row.parameters, size)) else { continue };
        if time.median_s <= 0.0 || x <= 0.0 {
            continue; // it cannot be shown on a logarithmic axis
        }
        let others = others(&row.parameters, size, &varying);
        let name = match is_in_files(rows, row) {
            true => format!("{}, {}", row.line(), row.file),
            false => row.line(),
        };
        let line: Line<'_> = (name, others);
        let point = Point { x, y: time.median_s, interval: time.low_s.zip(time.high_s) };
        let known =
            |(known, of, _): &&mut (Line<'_>, usize, Series)| of == number && *known == line;
        match lines.iter_mut().find(known) {
            Some((_, _, series)) => {
                series.points.push(point);
                series.rows.push(idx);
            }
            None => {
                let label = label(&line);
                let runner = row.runner();
                let runner = runners.iter().position(|name| *name == runner).unwrap_or(0);
                let (source, points, rows) = (row.source, vec![point], vec![idx]);
                let series = Series { label, source, runner, look: 0, points, rows, growth: None };
                lines.push((line, *number, series));
            }
        }
    }
    for idx in 0..lines.len() {
        let (line, number, _) = &lines[idx];
        if lines.iter().any(|(other, of, _)| other == line && of != number) {
            let label = format!("{} ({})", label(line), name_of_file(names, *number));
            lines[idx].2.label = label;
        }
    }
    let mut series: Vec<Series> = lines.into_iter().map(|(_, _, series)| series).collect();
    for line in &mut series {
        line.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        let points: Vec<(f64, f64)> = line.points.iter().map(|point| (point.x, point.y)).collect();
        line.growth = Growth::of(&points);
    }
    series.sort_by_key(|line| line.runner);
    let few = series.len() <= palette::MARKS;
    let mut taken: Vec<usize> = Vec::new();
    for line in &mut series {
        // No colour or mark is repeated while there are enough of both, and no pair of them ever
        // is.
        let alike = |one: usize, other: usize| {
            let same = |n: usize| one % n == other % n;
            let (colour, mark) = (same(palette::COLOURS), same(palette::MARKS));
            if few { colour || mark } else { colour && mark }
        };
        let mut looks = line.runner..line.runner + palette::COLOURS * palette::MARKS;
        let free = looks.find(|&look| taken.iter().all(|&other| !alike(look, other)));
        line.look = free.unwrap_or(line.runner);
        taken.push(line.look);
    }
    series
}

/// Returns the name of a file, with its number if another one has the same name.
fn name_of_file(names: &[String], number: usize) -> String {
    let name = names.get(number).map_or("", String::as_str);
    match names.iter().filter(|other| *other == name).count() {
        0 | 1 => name.to_owned(),
        _ => format!("{name}, file {}", number + 1),
    }
}

/// Tests whether the routine of a Star row occurs in several files of the benchmark.
fn is_in_files(rows: &[(usize, &Row)], row: &Row) -> bool {
    let is_same = |other: &Row| {
        other.source == Source::Star && other.routine == row.routine && other.file != row.file
    };
    row.source == Source::Star && rows.iter().any(|(_, other)| is_same(other))
}

fn x_of(parameters: &Parameters, size: &str) -> Option<f64> {
    match parameters.get(size)? {
        Parameter::Int(number) => Some(*number as f64),
        Parameter::Text(_) => None,
    }
}

/// Returns the parameters, except the size, that are not a function of it: some size occurs with
/// two values of the parameter.
fn varying<'a>(rows: &[(usize, &'a Row)], size: &str) -> Vec<&'a str> {
    let mut values: BTreeMap<(&str, Option<String>), String> = BTreeMap::new();
    let mut varying = Vec::new();
    for (_, row) in rows {
        if row.source == Source::Published {
            continue;
        }
        let at = row.parameters.get(size).map(ToString::to_string);
        for (name, value) in row.parameters.iter().filter(|(name, _)| *name != size) {
            let value = value.to_string();
            let first = values.entry((name, at.clone())).or_insert_with(|| value.clone());
            if *first != value && !varying.contains(&name.as_str()) {
                varying.push(name);
            }
        }
    }
    varying
}

fn others<'a>(parameters: &'a Parameters, size: &str, varying: &[&str]) -> Vec<(&'a str, String)> {
    let others = parameters.iter().filter(|(name, _)| *name != size);
    let others = others.filter(|(name, _)| varying.contains(&name.as_str()));
    others.map(|(name, value)| (name.as_str(), value.to_string())).collect()
}

fn label((name, others): &Line<'_>) -> String {
    others.iter().fold(name.clone(), |label, (name, value)| format!("{label}, {name}={value}"))
}

#[cfg(test)]
mod tests {
    use crate::record::{Parameter, Time};

    use super::*;
    use crate::page::testing::{benchmarks, record, row};

    fn with(n: i64, seed: i64, seconds: f64) -> Row {
        let mut row = row("closure", n, seconds);
        row.parameters.insert("seed".to_owned(), Parameter::Int(seed));
        row
    }

    #[test]
    fn a_line_is_one_runner_over_the_sizes() {
        let mut peer = row("closure", 200, 4.0);
        (peer.source, peer.name) = (Source::Peer, Some("other".to_owned()));
        let rows =
            vec![peer, row("closure", 400, 4.0), row("closure", 200, 1.0), row("other", 5, 1.0)];
        let rows: Vec<Row> = rows.into_iter().chain([row("closure", 100, 0.25)]).collect();
        let records = [record(rows)];
        let found = benchmarks(&records);
        assert_eq!(found.iter().map(|b| b.title).collect::<Vec<_>>(), ["closure", "other"]);
        let [ours, peer] = found[0].series.as_slice() else { panic!("two lines") };
        assert_eq!((ours.label.as_str(), ours.runner), ("F, cpu", 0));
        assert_eq!(ours.points.iter().map(|p| p.x).collect::<Vec<_>>(), [100.0, 200.0, 400.0]);
        let Growth { exponent, n_sizes, .. } = ours.growth.unwrap();
        assert!((exponent - 2.0).abs() < 1e-9 && n_sizes == 3);
        assert_eq!((peer.label.as_str(), peer.growth), ("other", None));
    }

    #[test]
    fn varying_parameters_have_separate_lines() {
        let records = [record(vec![with(200, 1, 1.0), with(200, 2, 2.0), with(400, 1, 3.0)])];
        let found = benchmarks(&records);
        let labels: Vec<&str> = found[0].series.iter().map(|s| s.label.as_str()).collect();
        assert_eq!(labels, ["F, cpu, seed=1", "F, cpu, seed=2"]);
        // A parameter that depends only on the size has no separate lines.
        let records = [record(vec![with(200, 20, 1.0), with(400, 40, 3.0)])];
        assert_eq!(benchmarks(&records)[0].series.len(), 1);
    }

    #[test]
    fn equal_lines_of_several_files_are_all_drawn() {
        let mut peer = row("a", 2, 4.0);
        (peer.source, peer.name) = (Source::Peer, Some("other".to_owned()));
        let records = [record(vec![row("a", 2, 1.0)]), record(vec![row("a", 2, 5.0), peer])];
        let drawn = |names: [&str; 2]| -> Vec<(String, f64)> {
            let axes = Axes::default();
            let found = super::benchmarks(&records, &names.map(str::to_owned), &axes);
            assert_eq!(found[0].rows.len(), 3);
            let series = found[0].series.iter();
            series.map(|line| (line.label.clone(), line.points[0].y)).collect()
        };
        let lines = |first: &str, second: &str| {
            [(first, 1.0), (second, 5.0), ("other", 4.0)].map(|(label, y)| (label.to_owned(), y))
        };
        assert_eq!(drawn(["v1", "v2"]), lines("F, cpu (v1)", "F, cpu (v2)"));
        assert_eq!(drawn(["v", "v"]), lines("F, cpu (v, file 1)", "F, cpu (v, file 2)"));
    }

    #[test]
    fn lines_of_a_plot_are_distinguishable() {
        let seeds: Vec<Row> = (1..=3).map(|seed| with(200, seed, 1.0)).collect();
        let mut peer = row("closure", 200, 4.0);
        (peer.source, peer.name) = (Source::Peer, Some("other".to_owned()));
        let records = [record(seeds.into_iter().chain([peer]).collect())];
        let looks: Vec<usize> =
            benchmarks(&records)[0].series.iter().map(|line| line.look).collect();
        assert_eq!(looks, [0, 1, 2, 3]);
    }

    #[test]
    fn growth_is_shown_for_three_sizes_or_more() {
        let rows =
            |sizes: &[i64]| -> Vec<Row> { sizes.iter().map(|&n| row("a", n, n as f64)).collect() };
        let growth = |sizes: &[i64]| benchmarks(&[record(rows(sizes))])[0].series[0].growth;
        assert_eq!(growth(&[2, 4]), None);
        assert!(growth(&[2, 4, 8]).is_some_and(|fit| fit.n_sizes == 3 && fit.exponent > 0.99));
    }

    #[test]
    fn one_title_is_one_plot_with_a_line_for_each_routine() {
        let labels = |second: Row| -> Vec<String> {
            let records = [record(vec![row("a", 5, 1.0), second])];
            let found = benchmarks(&records);
            assert_eq!(found.len(), 1);
            found[0].series.iter().map(|line| line.label.clone()).collect()
        };
        let other = Row { routine: Some("G".to_owned()), ..row("a", 5, 2.0) };
        assert_eq!(labels(other.clone()), ["F, cpu", "G, cpu"]);
        let elsewhere = Row { file: "b.star".to_owned(), ..other };
        assert_eq!(labels(elsewhere.clone()), ["F, cpu", "G, cpu"]);
        let same = Row { routine: Some("F".to_owned()), ..elsewhere };
        assert_eq!(labels(same), ["F, cpu, a.star", "F, cpu, b.star"]);
    }

    #[test]
    fn a_second_axis_needs_one_value_for_each_size() {
        let of = |rows: Vec<Row>| {
            let axes = Axes { second: Some("seed".to_owned()), ..Axes::default() };
            let records = [record(rows)];
            let found = super::benchmarks(&records, &[], &axes);
            found[0].second.as_ref().map(|(_, values)| values.clone())
        };
        let found = of(vec![with(200, 20, 1.0), with(400, 40, 3.0)]);
        assert_eq!(found, Some(vec![(200.0, 20), (400.0, 40)]));
        assert_eq!(of(vec![with(200, 20, 1.0), with(200, 40, 3.0)]), None);
        assert_eq!(of(vec![row("a", 5, 1.0)]), None);
    }

    #[test]
    fn nonpositive_numbers_are_omitted_from_the_plot() {
        let mut zero = row("a", 2, 1.0);
        zero.time = Some(Time { median_s: 0.0, ..Time::default() });
        let records = [record(vec![zero, row("a", 0, 1.0)])];
        let found = benchmarks(&records);
        assert!(found[0].series.is_empty() && found[0].rows.len() == 2);
    }
}
