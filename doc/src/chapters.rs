//! The chapters of the toolchain's documentation, split into sections, so that a search also finds
//! topics other than routines: formats, layouts, tests, benchmarks, sessions.

/// A section of a chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The file of the chapter, a path in `docs/src`.
    pub path: &'static str,
    /// Its heading; that of the chapter for the text before the first one.
    pub heading: &'static str,
    /// Its text, without the heading, in Markdown.
    pub text: &'static str,
}

/// Lists chapters with their texts.
macro_rules! chapters {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("../../docs/src/", $path)))),*]
    };
}

/// The chapters that are searched: paths in `docs/src` and texts. The generated pages are not among
/// them, since their sources are found by name.
const CHAPTERS: &[(&str, &str)] = chapters! {
    "machine.md" "tour.md" "data.md" "graphs.md" "tables.md" "records.md" "others.md" "grids.md" "terrain.md" "images.md"
    "moving.md" "sessions.md" "testing.md" "editor.md" "modules.md" "fast.md" "embedding.md"
    "versions.md" "papers.md" "reference/language.md" "reference/formats.md"
};

/// Returns the name of a chapter: its path without folder and extension.
fn name(path: &'static str) -> &'static str {
    let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
    file.strip_suffix(".md").unwrap_or(file)
}

/// Returns the sections of all chapters, in order.
pub fn sections() -> impl Iterator<Item = Section> {
    CHAPTERS.iter().flat_map(|&(path, text)| Cut { path, rest: text })
}

/// Returns the sections of the chapter with this name, or those with this heading, ignoring letter
/// case.
pub fn find(query: &str) -> Vec<Section> {
    let same = |text: &str| text.eq_ignore_ascii_case(query.trim());
    sections().filter(|section| same(name(section.path)) || same(&title(section))).collect()
}

/// Returns the query for a section: `formats: CSV`.
pub fn title(section: &Section) -> String {
    format!("{}: {}", name(section.path), section.heading)
}

/// The rest of a chapter, starting at a heading.
struct Cut {
    path: &'static str,
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
        Some(Section { path: self.path, heading, text: behind[..end].trim() })
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
        for &(path, text) in CHAPTERS {
            assert!(text.starts_with("# "), "{path}");
            let sections: Vec<Section> = Cut { path, rest: text }.collect();
            let kept: usize = sections.iter().map(|one| one.text.split_whitespace().count()).sum();
            let headings = text.len() - text.replace("\n#", "\n").len() + 1;
            assert!(sections.len() <= headings && !sections.is_empty(), "{path}");
            assert!(kept > text.split_whitespace().count() * 9 / 10, "{path}");
            assert!(sections.iter().all(|one| !one.heading.is_empty()), "{path}");
        }
    }

    #[test]
    fn sections_are_found_by_chapter_and_heading() {
        let [csv] = find("formats: csv")[..] else { panic!("one section") };
        assert_eq!((csv.path, csv.heading), ("reference/formats.md", "CSV"));
        assert!(csv.text.contains("texts="), "{}", csv.text);
        assert!(find("Formats").len() > 5);
        // A line of an example is not a heading.
        assert_eq!(find("formats: the streets of town.gr"), []);
    }
}
