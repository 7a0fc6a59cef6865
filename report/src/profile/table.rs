//! A profile as text: the hottest lines, followed by the routines.

use std::cmp::Reverse;

use star_base::text;

use super::{LineProfile, Profile, Tally, Unit};
use crate::columns::{self, Align};

/// Maximum number of lines, or routines.
const MAX_ROWS: usize = 30;

/// Maximum number of characters of a line.
const MAX_SOURCE: usize = 60;

/// Returns the profile as text.
#[must_use]
pub fn table(profile: &Profile<'_>) -> String {
    let mut text = String::new();
    for line in profile.summary() {
        text += &format!("profile: {}\n", text::one_line(&line));
    }
    let mut lines: Vec<&LineProfile> =
        profile.lines.iter().filter(|line| costs(&line.tally)).collect();
    lines.sort_by_key(|line| {
        (Reverse(line.tally.time), Reverse(line.tally.operations), line.file, line.line_idx)
    });
    let rows = lines.iter().map(|line| {
        let place = format!("{}:{}", profile.file_name(line.file), line.line_idx + 1);
        let source = shortened(profile.source(line.file, line.line_idx));
        let source = match line.note() {
            None => source,
            Some(note) => format!("{source}  [{}]", text::one_line(&note)),
        };
        (&line.tally, text::one_line(&place), source)
    });
    text += &rows_as_text(profile, "runs", ["line", "source"], rows.collect());
    let routines = profile.routines.iter().map(|routine| {
        let place = format!("{}:{}", profile.file_name(routine.file), routine.line_idx + 1);
        let name = match &routine.intrinsic {
            None => routine.name.clone(),
            Some(intrinsic) => format!("{}  [intrinsic {intrinsic}]", routine.name),
        };
        (&routine.tally, text::one_line(&place), name)
    });
    text += &rows_as_text(profile, "calls", ["routine", "name"], routines.collect());
    text
}

/// Does the tally have any costs to show?
fn costs(tally: &Tally) -> bool {
    tally.time > 0 || tally.operations > 0
}

/// Formats rows under a heading; `runs` and `what` are the names of columns.
fn rows_as_text(
    profile: &Profile<'_>,
    runs: &str,
    what: [&str; 2],
    rows: Vec<(&Tally, String, String)>,
) -> String {
    let unit = Unit::of(profile.time);
    let n_more = rows.len().saturating_sub(MAX_ROWS);
    let more: u64 = rows.iter().skip(MAX_ROWS).map(|(tally, _, _)| tally.time).sum();
    let heading = [
        format!("time/{}", unit.name()),
        "share".to_owned(),
        format!("total/{}", unit.name()),
        "operations".to_owned(),
        runs.to_owned(),
        what[0].to_owned(),
        what[1].to_owned(),
    ];
    let rows = rows.into_iter().take(MAX_ROWS).map(|(tally, place, last)| {
        let Tally { time, total_time, operations, total_operations: _, runs } = *tally;
        [
            unit.show(time),
            format!("{:.1} %", profile.share(time) * 100.0),
            unit.show(total_time),
            operations.to_string(),
            runs.to_string(),
            place,
            last,
        ]
    });
    let (left, right) = (Align::Left, Align::Right);
    let aligns = [right, right, right, right, right, left, left];
    let mut text = "\n".to_owned() + &columns::lines(aligns, std::iter::once(heading).chain(rows));
    if n_more > 0 {
        let (more, share) = (unit.show(more), profile.share(more) * 100.0);
        let unit = unit.name();
        text += &format!(
            "… and {n_more} more with {more} {unit} ({share:.1} %); `--profile=FILE.html` shows all\n"
        );
    }
    text
}

/// Shortens a line of the source to the width of its column.
fn shortened(source: &str) -> String {
    let source = text::one_line(&source.trim().replace('\t', " "));
    if source.chars().count() <= MAX_SOURCE {
        return source;
    }
    let mut short: String = source.chars().take(MAX_SOURCE - 1).collect();
    short.push('…');
    short
}
