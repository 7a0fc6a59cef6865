//! Full-text search of the documentation: `tree`, `shortest path`, `csv`.

use star_syntax::doc::{Doc, RoutineDoc};

use crate::catalogue::Catalogue;
use crate::chapters::{self, Section};

/// A search result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The name for `star doc`: `WARSHALL`, `star:mst`, `formats: CSV`.
    pub name: String,
    /// The module of a routine; empty for other results.
    pub place: String,
    /// A description in one sentence.
    pub about: String,
    /// The score; higher is better.
    score: u32,
}

/// The score of a word in the name.
const IN_NAME: u32 = 12;
/// The score of a word in the first sentence.
const IN_SUMMARY: u32 = 4;
/// The score of a word elsewhere.
const IN_TEXT: u32 = 1;

/// The factor for a section whose heading is the query.
const OF_HEADING: u32 = 8;

/// Returns everything in which each word of `query` is a prefix of a word, ignoring letter case;
/// the best first.
pub fn search(catalogue: &Catalogue, query: &str) -> Vec<Hit> {
    let wanted: Vec<String> = words(query).map(stem).collect();
    let mut hits = Vec::new();
    if wanted.is_empty() {
        return hits;
    }
    let named = |heading: &str| words(heading).map(stem).eq(wanted.iter().cloned());
    let mut add = |weight: u32, (name, place): (&str, &str), about: &str, text: &str| {
        // The description of a module or a chapter is its name.
        let title = match place {
            "" => format!("{name} {about}"),
            place => format!("{name} {place}"),
        };
        if let Some(score) = score(&wanted, &title, about, text) {
            let score = score * weight;
            let (name, place, about) = (name.to_owned(), place.to_owned(), about.to_owned());
            hits.push(Hit { name, place, about, score });
        }
    };
    for (_, module) in catalogue.modules() {
        let head = module.head.as_ref();
        let about = head.map(Doc::summary).unwrap_or_default();
        add(2, (&module.title, ""), &about, &head.map(text_of).unwrap_or_default());
        for RoutineDoc { name, doc, signature, .. } in &module.routines {
            let own = doc.as_ref().map(Doc::summary).unwrap_or_default();
            let text = doc.as_ref().map(text_of).unwrap_or_default();
            // The description of its module also applies to it.
            add(2, (name, &module.title), &own, &format!("{signature} {text} {about}"));
        }
    }
    for section in chapters::sections() {
        // Routines are preferred to sections, unless the heading is the query.
        let weight = if named(section.heading) { OF_HEADING } else { 1 };
        add(weight, (&chapters::title(&section), ""), &first_sentence(&section), section.text);
    }
    // The sort is stable for equal scores.
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    hits
}

/// Returns the words of a text, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    let pieces = text.split(|c: char| !c.is_alphanumeric());
    pieces.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Returns a word without its plural ending.
fn stem(word: String) -> String {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem.to_owned(),
        Some(_) | None => word,
    }
}

/// Returns the score of a text; `None` if a word is missing.
fn score(wanted: &[String], name: &str, about: &str, text: &str) -> Option<u32> {
    let places = [(name, IN_NAME), (about, IN_SUMMARY), (text, IN_TEXT)];
    let places = places.map(|(text, counts)| (words(text).collect::<Vec<_>>(), counts));
    let mut sum = 0;
    for word in wanted {
        let found = places.iter().filter_map(|(words, counts)| {
            let begins = words.iter().filter(|known| known.starts_with(word.as_str()));
            // A complete word scores higher than a prefix.
            begins.map(|known| counts * if known == word { 2 } else { 1 }).max()
        });
        let found: u32 = found.sum();
        if found == 0 {
            return None;
        }
        sum += found;
    }
    Some(sum)
}

/// Returns the complete text of a comment.
pub(crate) fn text_of(doc: &Doc) -> String {
    let sections = doc.sections.iter().flat_map(|section| &section.lines);
    let lines = doc.text.iter().chain(sections).map(|line| line.text.as_str());
    let lines: Vec<&str> = lines.collect();
    lines.join(" ")
}

/// Returns the first sentence of a section, without Markdown markup; examples and tables have none.
fn first_sentence(section: &Section) -> String {
    let paragraphs = section.text.split("\n\n");
    let is_prose = |text: &&str| !text.starts_with(['|', '`', '#']);
    let first = paragraphs.filter(is_prose).map(|text| text.replace(['\n', '`', '*'], " ")).next();
    let first = first.unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    let text = words.join(" ");
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use star_compiler::Library;

    use super::*;

    fn names(query: &str) -> Vec<String> {
        let library = Library { basic: star_stdlib::BASIC, modules: star_stdlib::MODULES };
        let hits = search(&Catalogue::library(&library), query);
        hits.into_iter().map(|hit| hit.name).collect()
    }

    #[test]
    fn topics_lead_to_routines_modules_and_chapters() {
        for (query, wanted) in [
            ("tree", "star:mst"),
            ("trees", "star:mst"),
            ("shortest path", "DIJKSTRA"),
            ("path shortest", "FLOYD"),
            ("csv", "formats: CSV"),
            ("minimum", "MIN"),
            ("field", "formats: CSV"),
            ("benchmark", "benchmarks: Benchmarks"),
        ] {
            let found = names(query);
            assert!(found.iter().take(20).any(|name| name == wanted), "{query}: {found:?}");
        }
    }

    #[test]
    fn a_section_whose_heading_is_the_query_comes_first() {
        for query in ["csv", "CSV"] {
            assert_eq!(names(query)[0], "formats: CSV", "{query}");
        }
    }

    #[test]
    fn all_words_must_occur() {
        assert_eq!(names("tree xyzzy"), [""; 0]);
        assert_eq!(names("  "), [""; 0]);
        assert!(names("tree minimum").len() < names("tree").len());
    }

    #[test]
    fn queries_match_only_prefixes_of_words() {
        assert!(!names("atch").contains(&"MATCH".to_owned()));
        assert_eq!(names("match")[0], "MATCH");
    }
}
