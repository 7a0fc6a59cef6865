//! A profile as a page: the routines, followed by the source with the costs of every line. It needs
//! no script.

use std::collections::BTreeMap;

use maud::{Markup, html};
use star_base::FileId;
use star_base::text::{count, printable};

use super::{LineProfile, Profile, Tally, Unit};
use crate::html::{self, PageKind, Style};

/// Number of lines shown before and after an executed line.
const AROUND: usize = 3;

/// Returns the page.
#[must_use]
pub fn page(profile: &Profile<'_>) -> String {
    let title = format!("Profile of {}", profile.title);
    let most = profile.lines.iter().map(|line| line.tally.time).max().unwrap_or(0);
    let body = html! {
        h1 { (printable(&title)) } "\n"
        @for line in profile.summary() { p { (with_code(&line)) "." } "\n" }
        p.faint {
            "Times are in " (Unit::of(profile.time).name()) "; waiting for files or other \
                processes is not included. " i { "Time" } " and " i { "operations" } " are those of the line itself, " i { "total" }
            " is the time including its callees. A line was " i { "run" } " as often as any \
                part of it was started; a loop starts again for each iteration. The stronger the \
                colour, the more time the line needed."
        }
        "\n" h2 { "Routines" } "\n"
        (routines(profile))
        @for (file, lines) in files(profile) {
            h2 { (printable(profile.file_name(file))) } "\n"
            (source(profile, file, &lines, most))
        }
    };
    html::page(PageKind::Profile, &title, Style::Inside(""), &body)
}

/// Formats text in backticks as code.
fn with_code(text: &str) -> Markup {
    html! {
        @for (idx, piece) in text.split('`').enumerate() {
            @if idx % 2 == 0 { (printable(piece)) } @else { code { (printable(piece)) } }
        }
    }
}

/// Returns the anchor of a line.
fn anchor(file: FileId, line_idx: usize) -> String {
    format!("f{}-{}", file.0, line_idx + 1)
}

/// Returns the files with executed lines, sorted by descending time.
fn files<'r>(profile: &'r Profile<'_>) -> Vec<(FileId, BTreeMap<usize, &'r LineProfile>)> {
    let mut files: BTreeMap<FileId, BTreeMap<usize, &LineProfile>> = BTreeMap::new();
    for line in &profile.lines {
        files.entry(line.file).or_default().insert(line.line_idx, line);
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(_, lines)| {
        std::cmp::Reverse(lines.values().map(|line| line.tally.time).sum::<u64>())
    });
    files
}

fn routines(profile: &Profile<'_>) -> Markup {
    let most = profile.routines.iter().map(|routine| routine.tally.time).max().unwrap_or(0);
    let rows = profile.routines.iter().map(|routine| {
        let id = anchor(routine.file, routine.line_idx);
        let code = html! {
            a href={ "#" (id) } { (printable(&routine.name)) }
            @if let Some(intrinsic) = &routine.intrinsic { " " span.note { "intrinsic " (printable(intrinsic)) } }
            " " span.faint { (printable(profile.file_name(routine.file))) ":" (routine.line_idx + 1) }
        };
        row(profile, None, &routine.tally, most, &code)
    });
    table("calls", "routine", rows)
}

fn source(
    profile: &Profile<'_>,
    file: FileId,
    lines: &BTreeMap<usize, &LineProfile>,
    most: u64,
) -> Markup {
    // There is no line after the last line break.
    let has_lines = |file: &star_base::SourceFile| {
        file.n_lines() - usize::from(file.text().ends_with('\n') || file.text().is_empty())
    };
    let n_lines = profile.sources.get(file).map_or(0, has_lines);
    let mut rows = Vec::new();
    let mut line_idx = 0;
    while line_idx < n_lines {
        match lines.get(&line_idx) {
            Some(line) => {
                let code = html! {
                    (numbered(profile, file, line_idx))
                    @if let Some(note) = line.note() { " " span.note { (printable(&note)) } }
                };
                rows.push(row(profile, Some(&anchor(file, line_idx)), &line.tally, most, &code));
                line_idx += 1;
            }
            None => {
                let next = lines.range(line_idx..).next().map_or(n_lines, |(next, _)| *next);
                rows.extend(quiet(profile, file, line_idx, next, n_lines));
                line_idx = next;
            }
        }
    }
    table("runs", "source", rows)
}

/// Formats a line of the source with its number.
fn numbered(profile: &Profile<'_>, file: FileId, line_idx: usize) -> Markup {
    html! { span.number { (line_idx + 1) } (printable(profile.source(file, line_idx))) }
}

/// Formats lines that were not executed: those near executed lines, and the number of the others.
fn quiet(
    profile: &Profile<'_>,
    file: FileId,
    from: usize,
    to: usize,
    n_lines: usize,
) -> Vec<Markup> {
    let plain = |line_idx: usize| {
        html! { tr.quiet { td colspan="5" {} td.code { (numbered(profile, file, line_idx)) } } }
    };
    let behind = if from == 0 { from } else { from + AROUND };
    let before = if to == n_lines { to } else { to.saturating_sub(AROUND) };
    if before <= behind + 1 {
        return (from..to).map(plain).collect();
    }
    let between = count(before - behind, "line");
    let gap = html! {
        tr.quiet { td colspan="5" {} td class="code faint" { "⋮ " (between) " that did not run" } }
    };
    (from..behind).map(plain).chain([gap]).chain((before..to).map(plain)).collect()
}

fn table(runs: &str, what: &str, rows: impl IntoIterator<Item = Markup>) -> Markup {
    let columns = ["time", "share", "total", "operations", runs].map(|head| ("", head));
    html::table(None, &[&columns[..], &[("code", what)]].concat(), rows)
}

/// Formats a row with its tally. The strength of its colour is relative to the hottest row, which
/// took `most`.
fn row(profile: &Profile<'_>, id: Option<&str>, tally: &Tally, most: u64, code: &Markup) -> Markup {
    let Tally { time, total_time, operations, total_operations, runs } = *tally;
    let unit = Unit::of(profile.time);
    let shown = |time: u64| Some(unit.show(time)).filter(|_| time > 0).unwrap_or_default();
    let is_hot = most > 0 && time > 0;
    let heat = is_hot.then(|| format!("--heat: {:.2}", (time as f64 / most as f64).sqrt()));
    html! {
        tr id=[id] class=[is_hot.then_some("hot")] style=[heat] {
            td { (shown(time)) }
            td { @if time > 0 { (format!("{:.1} %", profile.share(time) * 100.0)) } }
            td { (shown(total_time)) }
            td title={ (total_operations) " including callees" } {
                @if operations > 0 { (operations) }
            }
            td { (runs) }
            td.code { (code) }
        }
    }
}
