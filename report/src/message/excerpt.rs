//! The source lines shown in a message, made safe for a terminal: a long line is cut to a window
//! around the label, and control characters become visible.

use std::collections::BTreeMap;
use std::ops::Range;

use star_base::{LineColumn, SourceFile};

use star_base::text;

/// Maximum length of a line in bytes; longer ones are cut.
const MAX_LINE: usize = 200;
/// Bytes of a cut line before the label.
const BEFORE: usize = 60;

/// Lines of one file; `text` contains them one after another, each with a line break.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    /// The lines shown.
    pub(super) text: String,
    /// Range in `text` of a line of the file, by its zero-based index.
    pub(super) lines: BTreeMap<usize, Range<usize>>,
    /// The labels, in the given order.
    pub(super) labels: Vec<Label>,
}

/// A label in an excerpt. A label of several lines ends with its first line.
#[derive(Debug, Default, Clone)]
pub(super) struct Label {
    /// Its range in the text of the excerpt.
    pub(super) range: Range<usize>,
    /// Its start in the file.
    pub(super) at: Option<LineColumn>,
}

/// Returns the lines that contain these ranges of `file`, and a single line between two of them.
pub(super) fn excerpt(file: &SourceFile, places: &[Range<usize>]) -> Excerpt {
    let mut by_line: BTreeMap<usize, Vec<(usize, Range<usize>)>> = BTreeMap::new();
    for (idx, place) in places.iter().enumerate() {
        let start = floor(file.text(), place.start);
        let end = floor(file.text(), place.end).max(start);
        let line_idx = file.line_index(start);
        by_line.entry(line_idx).or_default().push((idx, start..end));
    }
    let shown: Vec<usize> = by_line.keys().copied().collect();
    for pair in shown.windows(2) {
        if pair[1] - pair[0] == 2 {
            by_line.entry(pair[0] + 1).or_default();
        }
    }
    let mut excerpt =
        Excerpt { labels: vec![Label::default(); places.len()], ..Excerpt::default() };
    for (line_idx, labels) in by_line {
        excerpt.add_line(file, line_idx, &labels);
    }
    excerpt
}

impl Excerpt {
    fn add_line(&mut self, file: &SourceFile, line_idx: usize, labels: &[(usize, Range<usize>)]) {
        let source = file.text();
        let line = file.line_range(line_idx).unwrap_or(0..0);
        let n_breaks =
            source[line.clone()].len() - source[line.clone()].trim_end_matches(['\n', '\r']).len();
        let line = line.start..line.end - n_breaks;
        let window = match labels.first() {
            _ if line.len() <= MAX_LINE => line.clone(),
            Some((_, label)) => {
                let from = floor(source, label.start.saturating_sub(BEFORE)).max(line.start);
                from..floor(source, from + MAX_LINE).min(line.end)
            }
            None => line.start..floor(source, line.start + MAX_LINE),
        };
        let first = self.text.len();
        if window.start > line.start {
            self.text.push('…');
        }
        // The new offset of each character of the window; the last entry is the end.
        let mut moved: Vec<(usize, usize)> = Vec::new();
        for (offset, character) in source[window.clone()].char_indices() {
            moved.push((window.start + offset, self.text.len()));
            self.text.push(match character {
                '\t' => '\t',
                other => text::visible(other),
            });
        }
        moved.push((window.end, self.text.len()));
        if window.end < line.end {
            self.text.push('…');
        }
        self.text.push('\n');
        self.lines.insert(line_idx, first..self.text.len());
        let find = |offset: usize| {
            let place = moved.partition_point(|&(from, _)| from < offset);
            moved.get(place).or(moved.last()).map_or(first, |&(_, to)| to)
        };
        for (idx, label) in labels {
            if let Some(slot) = self.labels.get_mut(*idx) {
                *slot = Label {
                    range: find(label.start)..find(label.end.min(line.end.max(label.start))),
                    at: Some(file.line_column(label.start)),
                };
            }
        }
    }
}

/// Returns the last character boundary of `text` up to `offset`.
fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, place: Range<usize>) -> (String, String) {
        let file = SourceFile::new("a.star", text.to_owned());
        let excerpt = excerpt(&file, &[place]);
        let label = excerpt.text[excerpt.labels[0].range.clone()].to_owned();
        (excerpt.text, label)
    }

    #[test]
    fn short_lines_are_complete_and_control_characters_visible() {
        let (text, label) = shown("a\u{1b}[1mЯ;\r\nb", 5..7);
        assert_eq!((text.as_str(), label.as_str()), ("a␛[1mЯ;\n", "Я"));
    }

    #[test]
    fn long_lines_are_cut_around_the_label() {
        let line = format!("{}HERE{}", "x".repeat(1 << 20), "y".repeat(1 << 20));
        let (text, label) = shown(&line, (1 << 20)..(1 << 20) + 4);
        assert!(text.len() < 220 && text.starts_with("…x") && text.ends_with("y…\n"));
        assert_eq!(label, "HERE");
    }

    #[test]
    fn multiline_labels_end_with_their_first_line() {
        let (text, label) = shown("begin\n  x\nend", 0..13);
        assert_eq!((text.as_str(), label.as_str()), ("begin\n", "begin"));
    }

    #[test]
    fn invalid_ranges_do_not_panic() {
        assert_eq!(shown("", 0..0).0, "\n");
        assert_eq!(shown("ab", 90..100).0, "ab\n");
        assert_eq!(shown("Я", 1..1).0, "Я\n");
        assert_eq!(shown("ab\n", 3..3).0, "\n");
    }

    #[test]
    fn the_line_between_two_labels_is_shown() {
        let file = SourceFile::new("a.star", "a\nb\nc\nd\ne\nf".to_owned());
        let near = excerpt(&file, &[0..1, 4..5]);
        assert_eq!(near.text, "a\nb\nc\n");
        let far = excerpt(&file, &[0..1, 10..11]);
        assert_eq!(far.text, "a\nf\n");
    }
}
