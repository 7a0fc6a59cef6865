//! A profile as a page: the routines, then the source with what every line took. It needs no script.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use star_base::FileId;
use star_vm::profile::Tally;

use super::{Line, Report, Unit, names_of};
use star_report::html::{self, Style, escaped};

const STYLE: &str = include_str!("page.css");

/// Lines around one that was run are shown even if nothing was run on them.
const AROUND: usize = 3;

/// The page.
pub(super) fn page(report: &Report<'_>) -> String {
    let title = format!("Profile of {}", report.title);
    let mut body = format!("<h1>{}</h1>\n", escaped(&title));
    for line in report.summary() {
        let _ = writeln!(body, "<p>{}.</p>", with_code(&line));
    }
    let _ = writeln!(
        body,
        "<p class=\"faint\">Times are in {}; waiting for files or for a busy machine does not count. <i>Time</i> and <i>operations</i> are those of the line \
         itself, <i>total</i> is the time with all that it called. A line was <i>run</i> as often as \
         anything on it was begun, where a loop begins whenever it looks for its next turn. The \
         stronger the colour, the more of the time a line took.</p>",
        Unit::of(report.time).name()
    );
    body += &routines(report);
    let most = report.lines.iter().map(|line| line.tally.time).max().unwrap_or(0);
    for (file, lines) in files(report) {
        body += &source(report, file, &lines, most);
    }
    html::page(&title, Style::Inside(STYLE), &body)
}

/// What stands between backticks is code.
fn with_code(text: &str) -> String {
    let pieces = text.split('`').enumerate().map(|(idx, piece)| match idx % 2 {
        0 => escaped(piece),
        _ => format!("<code>{}</code>", escaped(piece)),
    });
    pieces.collect()
}

/// The anchor of a line.
fn anchor(file: FileId, line_idx: usize) -> String {
    format!("f{}-{}", file.0, line_idx + 1)
}

/// The files in which something was run, those first that took most time.
fn files<'r>(report: &'r Report<'_>) -> Vec<(FileId, BTreeMap<usize, &'r Line>)> {
    let mut files: BTreeMap<FileId, BTreeMap<usize, &Line>> = BTreeMap::new();
    for line in &report.lines {
        files.entry(line.file).or_default().insert(line.line_idx, line);
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(_, lines)| {
        std::cmp::Reverse(lines.values().map(|line| line.tally.time).sum::<u64>())
    });
    files
}

fn routines(report: &Report<'_>) -> String {
    let most = report.routines.iter().map(|routine| routine.tally.time).max().unwrap_or(0);
    let mut rows = String::new();
    for routine in &report.routines {
        let (name, id) = (escaped(&routine.name), anchor(routine.file, routine.line_idx));
        let native = match routine.native {
            None => String::new(),
            Some(native) => note(&format!("native {}", native.signature().name)),
        };
        let _ = writeln!(
            rows,
            "<tr{}>{}<td class=\"code\"><a href=\"#{id}\">{name}</a>{native} <span class=\"faint\">{}:{}</span></td></tr>",
            heat(&routine.tally, most),
            numbers(report, &routine.tally),
            escaped(report.file_name(routine.file)),
            routine.line_idx + 1,
        );
    }
    format!(
        "<h2>Routines</h2>\n<div class=\"wide\"><table>\n{}{rows}</table></div>\n",
        heading("calls", "routine")
    )
}

fn source(report: &Report<'_>, file: FileId, lines: &BTreeMap<usize, &Line>, most: u64) -> String {
    // Behind the last line break there is no line.
    let has_lines = |file: &star_base::SourceFile| {
        file.n_lines() - usize::from(file.text().ends_with('\n') || file.text().is_empty())
    };
    let n_lines = report.sources.get(file).map_or(0, has_lines);
    let name = escaped(report.file_name(file));
    let mut rows = String::new();
    let mut line_idx = 0;
    while line_idx < n_lines {
        match lines.get(&line_idx) {
            Some(line) => {
                rows += &row(report, line, most);
                line_idx += 1;
            }
            None => {
                let next = lines.range(line_idx..).next().map_or(n_lines, |(next, _)| *next);
                rows += &quiet(report, file, line_idx, next, n_lines);
                line_idx = next;
            }
        }
    }
    format!(
        "<h2>{name}</h2>\n<div class=\"wide\"><table>\n{}{rows}</table></div>\n",
        heading("runs", "source")
    )
}

/// A line on which something was run.
fn row(report: &Report<'_>, line: &Line, most: u64) -> String {
    let Line { file, line_idx, tally, natives } = line;
    let natives = if natives.is_empty() { String::new() } else { note(&names_of(natives)) };
    format!(
        "<tr id=\"{}\"{}>{}<td class=\"code\"><span class=\"number\">{}</span>{}{natives}</td></tr>\n",
        anchor(*file, *line_idx),
        heat(tally, most),
        numbers(report, tally),
        line_idx + 1,
        escaped(report.source(*file, *line_idx)),
    )
}

/// Lines on which nothing was run: those near others, and how many there are between.
fn quiet(report: &Report<'_>, file: FileId, from: usize, to: usize, n_lines: usize) -> String {
    let plain = |line_idx: usize| {
        format!(
            "<tr class=\"quiet\"><td colspan=\"5\"></td><td class=\"code\"><span class=\"number\">{}</span>{}</td></tr>\n",
            line_idx + 1,
            escaped(report.source(file, line_idx))
        )
    };
    let behind = if from == 0 { from } else { from + AROUND };
    let before = if to == n_lines { to } else { to.saturating_sub(AROUND) };
    if before <= behind + 1 {
        return (from..to).map(plain).collect();
    }
    let between = crate::text::count(before - behind, "line");
    let gap = format!(
        "<tr class=\"quiet\"><td colspan=\"5\"></td><td class=\"code faint\">⋮ {between} that did not run</td></tr>\n"
    );
    let shown = (from..behind).map(plain).chain([gap]).chain((before..to).map(plain));
    shown.collect()
}

fn heading(runs: &str, what: &str) -> String {
    format!(
        "<tr><th>time</th><th>share</th><th>total</th><th>operations</th><th>{runs}</th><th class=\"code\">{what}</th></tr>\n"
    )
}

/// The cells of a tally.
fn numbers(report: &Report<'_>, tally: &Tally) -> String {
    let Tally { time, total_time, operations, total_operations, runs } = *tally;
    let unit = Unit::of(report.time);
    let shown = |time: u64| if time == 0 { String::new() } else { unit.show(time) };
    let share = match time {
        0 => String::new(),
        time => format!("{:.1} %", report.share(time) * 100.0),
    };
    let counted = if operations == 0 { String::new() } else { operations.to_string() };
    format!(
        "<td>{}</td><td>{share}</td><td>{}</td><td title=\"{total_operations} with all that it called\">{counted}</td><td>{runs}</td>",
        shown(time),
        shown(total_time),
    )
}

/// How strong the colour of a row is: relative to the hottest one, which took `most`.
fn heat(tally: &Tally, most: u64) -> String {
    if most == 0 || tally.time == 0 {
        return String::new();
    }
    let heat = (tally.time as f64 / most as f64).sqrt();
    format!(" class=\"hot\" style=\"--heat: {heat:.2}\"")
}

/// What stands behind a line.
fn note(text: &str) -> String {
    format!(" <span class=\"note\">{}</span>", escaped(text))
}
