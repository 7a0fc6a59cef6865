//! The chapters of the toolchain's documentation, split into sections, so that a search also finds
//! topics other than routines: formats, layouts, tests, benchmarks, sessions.

/// A section of a chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The name of the chapter, which is that of its file in `docs/` without `.md`.
    pub guide: &'static str,
    /// Its heading; that of the chapter for the text before the first one.
    pub heading: &'static str,
    /// Its text, without the heading, in Markdown.
    pub text: &'static str,
}

/// The chapters by their names.
const GUIDES: [(&str, &str); 13] = [
    ("formats", include_str!("../../docs/formats.md")),
    ("library", include_str!("../../docs/library.md")),
    ("repl", include_str!("../../docs/repl.md")),
    ("testing", include_str!("../../docs/testing.md")),
    ("benchmarks", include_str!("../../docs/benchmarks.md")),
    ("profile", include_str!("../../docs/profile.md")),
    ("formatter", include_str!("../../docs/formatter.md")),
    ("guide", include_str!("../../docs/guide.md")),
    ("intrinsics", include_str!("../../docs/intrinsics.md")),
    ("cbt", include_str!("../../docs/cbt.md")),
    ("wave", include_str!("../../docs/wave.md")),
    ("moving", include_str!("../../docs/moving.md")),
    ("polyline", include_str!("../../docs/polyline.md")),
];

/// Returns the sections of all chapters, in order.
pub fn sections() -> impl Iterator<Item = Section> {
    GUIDES.iter().flat_map(|&(guide, text)| Cut { guide, rest: text })
}

/// Returns the sections of the chapter with this name, or those with this heading, ignoring letter
/// case.
pub fn find(name: &str) -> Vec<Section> {
    let same = |text: &str| text.eq_ignore_ascii_case(name.trim());
    sections().filter(|section| same(section.guide) || same(&title(section))).collect()
}

/// Returns the query for a section: `formats: CSV`.
pub fn title(section: &Section) -> String {
    format!("{}: {}", section.guide, section.heading)
}

/// The rest of a chapter, starting at a heading.
struct Cut {
    guide: &'static str,
    rest: &'static str,
}

impl Iterator for Cut {
    type Item = Section;

    fn next(&mut self) -> Option<Section> {
        let (heading, behind) = match self.rest.split_once('\n') {
            Some(pair) => pair,
            None if self.rest.is_empty() => return None,
            None => (self.rest, ""),
        };
        let end = next_heading(behind);
        self.rest = &behind[end..];
        let heading = heading.trim_start_matches('#').trim();
        // A link to the source after the name of a theme.
        let heading = heading.split_once(" — ").map_or(heading, |(name, _)| name);
        Some(Section { guide: self.guide, heading, text: behind[..end].trim() })
    }
}

/// Returns the position of the next heading; a line of an example may also begin with `#`.
fn next_heading(text: &str) -> usize {
    let mut in_example = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("```") {
            in_example = !in_example;
        }
        if line.starts_with('#') && !in_example {
            return at;
        }
        at += line.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_split_at_headings_without_loss() {
        for (guide, text) in GUIDES {
            assert!(text.starts_with("# "), "{guide}");
            let sections: Vec<Section> = Cut { guide, rest: text }.collect();
            let kept: usize = sections.iter().map(|one| one.text.split_whitespace().count()).sum();
            let headings = text.len() - text.replace("\n#", "\n").len() + 1;
            assert!(sections.len() <= headings && !sections.is_empty(), "{guide}");
            assert!(kept > text.split_whitespace().count() * 9 / 10, "{guide}");
            assert!(sections.iter().all(|one| !one.heading.is_empty()), "{guide}");
        }
    }

    #[test]
    fn sections_are_found_by_chapter_and_heading() {
        let [csv] = find("formats: csv")[..] else { panic!("one section") };
        assert_eq!((csv.guide, csv.heading), ("formats", "CSV"));
        assert!(csv.text.contains("texts="), "{}", csv.text);
        assert!(find("Formats").len() > 5);
        // A line of an example is not a heading.
        assert_eq!(find("formats: the streets of town.gr"), []);
    }
}
