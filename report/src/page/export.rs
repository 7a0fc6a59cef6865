//! Measurements for other programs: a picture of one benchmark, or the rows of several.

use serde_json::{Value, json};

use super::series::{self, Benchmark, Series};
use super::{Axes, NamedRecord, page, pgfplots, plot};
use crate::record::{Parameter, Record, Row, Source};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// A page of all benchmarks.
    Page,
    /// A line for each row.
    Csv,
    /// The lines of the plots with their points and fits.
    Json,
    /// A picture of one benchmark for the LaTeX package pgfplots.
    Tex,
    /// The same as SVG.
    Svg,
    /// The same as PDF.
    Pdf,
}

impl ExportKind {
    /// The extensions of files.
    pub const EXTENSIONS: [&str; 7] = ["html", "htm", "csv", "json", "tex", "svg", "pdf"];

    /// Returns the kind of a file with this extension.
    #[must_use]
    pub fn of(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "html" | "htm" => Some(ExportKind::Page),
            "csv" => Some(ExportKind::Csv),
            "json" => Some(ExportKind::Json),
            "tex" => Some(ExportKind::Tex),
            "svg" => Some(ExportKind::Svg),
            "pdf" => Some(ExportKind::Pdf),
            _ => None,
        }
    }
}

/// The selected benchmarks, and how they are drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The title of the page or picture.
    pub title: Option<String>,
    /// Only rows with this text in their file, title or routine; letter case is ignored.
    pub filter: Option<String>,
    /// The parameters on the axes.
    pub axes: Axes,
}

impl Selection {
    /// Tests whether a row is selected.
    #[must_use]
    pub fn has(&self, row: &Row) -> bool {
        let Some(filter) = &self.filter else { return true };
        let filter = filter.to_lowercase();
        let routine = row.routine.as_deref().unwrap_or_default();
        [&row.file, &row.title, routine].iter().any(|text| text.to_lowercase().contains(&filter))
    }
}

/// The reason why nothing can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl ExportError {
    fn new(message: impl Into<String>) -> Self {
        ExportError { message: message.into(), help: None }
    }

    fn help(self, help: impl Into<String>) -> Self {
        ExportError { help: Some(help.into()), ..self }
    }
}

/// Returns the contents of a file of these measurements.
///
/// # Errors
/// If nothing is selected, a picture would show several benchmarks or none, a benchmark lacks the
/// parameter of an axis, or a PDF file cannot have a character.
pub fn export(
    files: &[NamedRecord],
    kind: ExportKind,
    selection: &Selection,
) -> Result<Vec<u8>, ExportError> {
    let selected = |record: &Record| {
        let rows = record.rows.iter().filter(|row| selection.has(row)).cloned().collect();
        Record { rows, ..record.clone() }
    };
    let selected: Vec<NamedRecord> = files
        .iter()
        .map(|NamedRecord { name, record }| NamedRecord {
            name: name.clone(),
            record: selected(record),
        })
        .collect();
    if let Some(text) = &selection.filter
        && selected.iter().all(|file| file.record.rows.is_empty())
    {
        let what = format!("no row has `{text}` in its file, title or routine");
        return Err(ExportError::new(what));
    }
    let records: Vec<Record> = selected.iter().map(|file| file.record.clone()).collect();
    let names: Vec<String> = selected.iter().map(|file| file.name.clone()).collect();
    let benchmarks = series::benchmarks(&records, &names, &selection.axes);
    check_axes(&benchmarks, &selection.axes)?;
    let title = selection.title.as_deref();
    let text = match kind {
        ExportKind::Page => page(&selected, selection),
        ExportKind::Csv => csv(&selected, &benchmarks),
        ExportKind::Json => lines(&benchmarks, title),
        ExportKind::Tex => {
            let (benchmark, size) = only(&benchmarks)?;
            pgfplots::picture(benchmark, title, size)
        }
        ExportKind::Svg => {
            let (benchmark, _) = only(&benchmarks)?;
            plot::file(&plot::svg(benchmark, title).ok_or_else(nothing)?)
        }
        ExportKind::Pdf => {
            let (benchmark, _) = only(&benchmarks)?;
            let pdf = plot::pdf(benchmark, title).ok_or_else(nothing)?;
            return pdf.map_err(|error| {
                ExportError::new(error.to_string())
                    .help("write `.svg` or `.tex`, which use the fonts of the reader")
            });
        }
    };
    Ok(text.into_bytes())
}

fn nothing() -> ExportError {
    ExportError::new("the benchmark has no times over an integer parameter, so that it has no plot")
}

/// Tests whether the benchmarks have the parameters of the axes.
fn check_axes(benchmarks: &[Benchmark<'_>], axes: &Axes) -> Result<(), ExportError> {
    for benchmark in benchmarks {
        let rows = || benchmark.rows.iter().map(|(_, row)| row);
        let has = |name: &str| {
            rows().any(|row| matches!(row.parameters.get(name), Some(Parameter::Int(_))))
        };
        let known = || {
            let rows = rows().flat_map(|row| &row.parameters);
            let names = rows.filter(|(_, value)| matches!(value, Parameter::Int(_)));
            let mut names: Vec<String> = names.map(|(name, _)| format!("`{name}`")).collect();
            names.sort();
            names.dedup();
            format!("its integer parameters: {}", names.join(", "))
        };
        for name in [&axes.first, &axes.second].into_iter().flatten() {
            if !has(name) {
                let message = format!("`{}` has no integer parameter `{name}`", benchmark.title);
                return Err(ExportError::new(message).help(known()));
            }
        }
        if let (Some(second), None) = (&axes.second, &benchmark.second) {
            let size = benchmark.size.unwrap_or("the size");
            let message = format!("`{second}` has several values at one value of `{size}`");
            return Err(ExportError::new(message)
                .help("a second axis needs a parameter that depends on the first one"));
        }
    }
    Ok(())
}

/// Returns the only benchmark, and the parameter on its axis.
fn only<'b, 'a>(
    benchmarks: &'b [Benchmark<'a>],
) -> Result<(&'b Benchmark<'a>, &'a str), ExportError> {
    match benchmarks {
        [benchmark] if !benchmark.series.is_empty() => {
            benchmark.size.map(|size| (benchmark, size)).ok_or_else(nothing)
        }
        [_] | [] => Err(nothing()),
        [first, ..] => {
            let titles: Vec<String> =
                benchmarks.iter().take(9).map(|one| format!("`{}`", one.title)).collect();
            let message =
                format!("a picture shows one benchmark; the files have {}", benchmarks.len());
            let help = format!(
                "select one by part of its title, as in `--filter '{}'`; titles: {}",
                first.title,
                titles.join(", ")
            );
            Err(ExportError::new(message).help(help))
        }
    }
}

/// Returns a line for each row.
fn csv(files: &[NamedRecord], benchmarks: &[Benchmark<'_>]) -> String {
    let mut parameters: Vec<&str> = Vec::new();
    for (name, _) in files.iter().flat_map(|file| &file.record.rows).flat_map(|row| &row.parameters)
    {
        if !parameters.contains(&name.as_str()) {
            parameters.push(name);
        }
    }
    let heads = ["measurements", "file", "title", "routine", "source", "by"];
    let figures = [
        "median_s",
        "low_s",
        "high_s",
        "min_s",
        "samples",
        "input_s",
        "load_s",
        "device_s",
        "operations",
        "exponent",
        "exponent_low",
        "exponent_high",
        "law",
        "error",
    ];
    // A parameter with the name of another column has a prefix.
    let column = |name: &&str| match heads.contains(name) || figures.contains(name) {
        true => format!("parameter_{name}"),
        false => (*name).to_owned(),
    };
    let [heads, figures] =
        [&heads[..], &figures].map(|names| names.iter().map(ToString::to_string));
    let mut text = line(heads.chain(parameters.iter().map(column)).chain(figures));
    for benchmark in benchmarks {
        for (idx, (number, row)) in benchmark.rows.iter().enumerate() {
            let source = match row.source {
                Source::Star => "star",
                Source::Peer => "peer",
                Source::Published => "published",
            };
            let seconds =
                |value: Option<f64>| value.map(|it| format!("{it:e}")).unwrap_or_default();
            let count = |value: Option<u64>| value.map(|it| it.to_string()).unwrap_or_default();
            let name = files.get(*number).map_or("", |file| &file.name);
            let routine = row.routine.clone().unwrap_or_default();
            let mut cells = vec![name.to_owned(), row.file.clone(), row.title.clone(), routine];
            cells.extend([source.to_owned(), row.runner()]);
            let values = parameters.iter().map(|name| row.parameters.get(*name));
            cells.extend(values.map(|it| it.map(ToString::to_string).unwrap_or_default()));
            let time = row.time.as_ref();
            cells.extend([
                seconds(time.map(|time| time.median_s)),
                seconds(time.and_then(|time| time.low_s)),
                seconds(time.and_then(|time| time.high_s)),
                seconds(time.and_then(|time| time.min_s)),
                count(time.and_then(|time| time.runs)),
                seconds(row.input_s),
                seconds(row.load_s),
                seconds(row.device_s),
                count(row.operations),
            ]);
            let of_row = benchmark.series.iter().find(|line| line.rows.contains(&idx));
            let fit = of_row.and_then(|line| line.growth);
            let number =
                |value: Option<f64>| value.map(|it| format!("{it:.4}")).unwrap_or_default();
            cells.extend([
                number(fit.map(|fit| fit.exponent)),
                number(fit.map(|fit| fit.low)),
                number(fit.map(|fit| fit.high)),
                fit.and_then(|fit| fit.law).map(|law| law.to_string()).unwrap_or_default(),
                row.error.as_ref().map(ToString::to_string).unwrap_or_default(),
            ]);
            text += &line(cells.into_iter());
        }
    }
    text
}

/// Formats the cells of a line, quoted where necessary.
fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// Returns the lines of all plots as one object.
fn lines(benchmarks: &[Benchmark<'_>], title: Option<&str>) -> String {
    let of_line = |line: &Series| {
        let points = line.points.iter().map(|point| {
            let (low, high) = point.interval.unzip();
            json!({ "x": point.x, "seconds": point.y, "low": low, "high": high })
        });
        let fit = line.growth.map(|fit| {
            let law = fit.law.map(|law| law.to_string());
            json!({
                "exponent": fit.exponent, "low": fit.low, "high": fit.high,
                "sizes": fit.n_sizes, "law": law,
            })
        });
        json!({ "label": line.label, "points": points.collect::<Vec<Value>>(), "fit": fit })
    };
    let plots = benchmarks.iter().map(|benchmark| {
        json!({
            "title": benchmark.title, "files": benchmark.files, "x": benchmark.size,
            "lines": benchmark.series.iter().map(of_line).collect::<Vec<Value>>(),
        })
    });
    let object = json!({ "title": title, "plots": plots.collect::<Vec<Value>>() });
    format!("{object:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::testing::{record, row, well_formed};

    fn files() -> Vec<NamedRecord> {
        let rows = [500, 1000, 2000].map(|n| row("clo, \"sure\"", n, n as f64 * 1e-6)).to_vec();
        let other = row("other", 5, 1.0);
        let record = record(rows.into_iter().chain([other]).collect());
        vec![NamedRecord { name: "a.json".to_owned(), record }]
    }

    fn with(filter: &str) -> Selection {
        Selection { filter: Some(filter.to_owned()), ..Selection::default() }
    }

    fn text(kind: ExportKind, selection: &Selection) -> Result<String, ExportError> {
        export(&files(), kind, selection).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    #[test]
    fn every_extension_has_a_kind_that_writes() {
        for extension in ExportKind::EXTENSIONS {
            let kind = ExportKind::of(extension).unwrap();
            assert!(!export(&files(), kind, &with("SURE")).unwrap().is_empty(), "{extension}");
        }
        assert_eq!(ExportKind::of("png"), None);
    }

    #[test]
    fn pictures_need_one_benchmark() {
        for kind in [ExportKind::Svg, ExportKind::Pdf, ExportKind::Tex] {
            let error = text(kind, &Selection::default()).unwrap_err();
            assert!(error.message.ends_with("the files have 2"), "{error:?}");
            assert!(error.help.unwrap().contains("--filter 'clo, \"sure\"'"));
        }
        assert!(text(ExportKind::Csv, &with("none")).unwrap_err().message.contains("`none`"));
        well_formed(&text(ExportKind::Svg, &with("sure")).unwrap());
    }

    #[test]
    fn axes_are_integer_parameters() {
        let mut selection = with("sure");
        selection.axes.first = Some("m".to_owned());
        let error = text(ExportKind::Csv, &selection).unwrap_err();
        assert_eq!(error.message, "`clo, \"sure\"` has no integer parameter `m`");
        assert_eq!(error.help.as_deref(), Some("its integer parameters: `n`"));
    }

    #[test]
    fn rows_and_fits_are_written() {
        let csv = text(ExportKind::Csv, &with("sure")).unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert!(lines[0].starts_with("measurements,file,title,routine,source,by,n,median_s,"));
        assert!(lines[1].starts_with("a.json,a.star,\"clo, \"\"sure\"\"\",F,star,cpu,500,5e-4,"));
        assert!(lines[1].ends_with(",1.0000,1.0000,1.0000,n,") && lines.len() == 4, "{csv}");
        let object: Value =
            serde_json::from_str(&text(ExportKind::Json, &with("sure")).unwrap()).unwrap();
        let line = &object["plots"][0]["lines"][0];
        assert_eq!((&line["label"], &line["fit"]["law"]), (&json!("F, cpu"), &json!("n")));
        assert_eq!(line["points"][2]["x"], 2000.0);
    }

    #[test]
    fn columns_have_different_names() {
        let mut files = files();
        for row in &mut files[0].record.rows {
            row.parameters.insert("samples".to_owned(), Parameter::Int(3));
            row.parameters.insert("by".to_owned(), Parameter::Int(4));
        }
        let csv = export(&files, ExportKind::Csv, &Selection::default()).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        let mut names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        assert!(names.contains(&"parameter_by") && names.contains(&"samples"), "{names:?}");
        let n_names = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n_names);
    }
}
