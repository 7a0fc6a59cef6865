//! Full-text search of the documentation: `tree`, `shortest path`, `csv`.

use std::collections::BTreeSet;

use star_base::Span;
use star_syntax::doc::{Doc, RoutineDoc};

use crate::catalogue::{Catalogue, Module};
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
    /// Which words of the query it contains.
    has: Vec<bool>,
}

/// The results of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Everything that contains the most words of the query, the best first.
    pub hits: Vec<Hit>,
    /// The words of the query that none of them contains.
    pub missing: Vec<String>,
}

/// The score of a word in the name.
const IN_NAME: u32 = 12;
/// The score of a word in the name of its module.
const IN_PLACE: u32 = 5;
/// The score of a query whose words are next to each other in the first sentence.
const AS_PHRASE: u32 = 12;
/// The score of a word in the first sentence.
const IN_SUMMARY: u32 = 4;
/// The score of a word elsewhere.
const IN_TEXT: u32 = 1;

/// The factor for a section whose heading is the query.
const OF_HEADING: u32 = 8;

/// Returns everything in which each word of `query` is a prefix of a word, ignoring letter case;
/// without such results, everything that contains the most of these words.
pub fn search(catalogue: &Catalogue, query: &str) -> Found {
    let wanted: Vec<String> = words(query).map(stem).collect();
    let mut hits: Vec<Hit> = Vec::new();
    let named = |heading: &str| words(heading).map(stem).eq(wanted.iter().cloned());
    let mut add = |weight: u32, (name, place): (&str, &str), about: &str, text: &str| {
        // The description of a module or a chapter is its name.
        let title = match place {
            "" => format!("{name} {about}"),
            _ => name.to_owned(),
        };
        let places = [(&*title, IN_NAME), (place, IN_PLACE), (about, IN_SUMMARY), (text, IN_TEXT)];
        let scores = scores(&wanted, places);
        let mut score = scores.iter().sum::<u32>();
        if score == 0 {
            return;
        }
        if wanted.len() > 1 && contains_phrase(about, &wanted) {
            score += AS_PHRASE;
        }
        let has = scores.iter().map(|score| *score > 0).collect();
        let (name, place, about) = (name.to_owned(), place.to_owned(), about.to_owned());
        hits.push(Hit { name, place, about, score: score * weight, has });
    };
    for (_, module) in catalogue.modules() {
        let head = module.head.as_ref();
        let about = head.map(Doc::summary).unwrap_or_default();
        add(2, (&module.title, ""), &about, &head.map(text_of).unwrap_or_default());
        let helpers = helpers(module);
        for (idx, RoutineDoc { name, doc, signature, .. }) in module.routines.iter().enumerate() {
            let own = doc.as_ref().map(Doc::summary).unwrap_or_default();
            let text = doc.as_ref().map(text_of).unwrap_or_default();
            // The description of its module also applies to it.
            let is_named = scores(&wanted, [(name.as_str(), 1)]).iter().any(|score| *score > 0);
            let weight = if helpers.contains(&idx) && !is_named { 1 } else { 2 };
            add(weight, (name, &module.title), &own, &format!("{signature} {text} {about}"));
        }
    }
    for section in chapters::sections() {
        // Routines are preferred to sections, unless the heading is the query.
        let weight = if named(section.heading) { OF_HEADING } else { 1 };
        add(weight, (&chapters::title(&section), ""), &first_sentence(&section), section.text);
    }
    let n_words = |hit: &Hit| hit.has.iter().filter(|has| **has).count();
    let most = hits.iter().map(n_words).max().unwrap_or(0);
    hits.retain(|hit| n_words(hit) == most);
    // The sort is stable for equal scores.
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    let is_missing = |idx: &usize| !hits.iter().any(|hit| hit.has[*idx]);
    let missing = (0..wanted.len()).filter(is_missing);
    let missing =
        words(query).enumerate().filter(|(idx, _)| missing.clone().any(|one| one == *idx));
    let missing = missing.map(|(_, word)| word).collect();
    Found { hits, missing }
}

/// Returns the indices of the routines that another routine of the module calls.
fn helpers(module: &Module) -> BTreeSet<usize> {
    let routines = &module.routines;
    let ends = routines.iter().skip(1).map(|next| next.header.start).chain([u32::MAX]);
    let mut found = BTreeSet::new();
    for (caller, (routine, end)) in routines.iter().zip(ends).enumerate() {
        let Some(source) = module.sources.get(routine.header.file) else { continue };
        let end = end.min(source.text().len() as u32);
        let body = Span::new(routine.header.file, routine.header.end, end);
        let mentions = star_syntax::mentions(&module.sources, body);
        let is_mentioned = |name: &str| name.split('-').all(|part| mentions.contains_key(part));
        let called = routines.iter().enumerate();
        let called = called.filter(|(idx, other)| *idx != caller && is_mentioned(&other.name));
        found.extend(called.map(|(idx, _)| idx));
    }
    found
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

/// Returns the score of each word in these texts; 0 if it is missing.
fn scores<const N: usize>(wanted: &[String], places: [(&str, u32); N]) -> Vec<u32> {
    let places = places.map(|(text, counts)| (words(text).collect::<Vec<_>>(), counts));
    let score = |word: &String| {
        let found = places.iter().filter_map(|(words, counts)| {
            let begins = words.iter().filter(|known| known.starts_with(word.as_str()));
            // A complete word scores higher than a prefix.
            begins.map(|known| counts * if stem(known.clone()) == *word { 2 } else { 1 }).max()
        });
        found.sum()
    };
    wanted.iter().map(score).collect()
}

/// Returns whether the words are next to each other in the text, in this order.
fn contains_phrase(text: &str, wanted: &[String]) -> bool {
    let words: Vec<String> = words(text).map(stem).collect();
    words.windows(wanted.len()).any(|window| window == wanted)
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
    use star_stdlib::LIBRARY;

    use super::*;

    fn names(query: &str) -> Vec<String> {
        let found = search(&Catalogue::library(&LIBRARY), query);
        found.hits.into_iter().map(|hit| hit.name).collect()
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
            ("benchmark", "testing: Benchmarks"),
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
    fn a_routine_comes_before_its_helpers() {
        for (query, wanted, helpers) in [
            ("shortest path", "DIJKSTRA", ["NEARER", "RELAX", "VERTEX"]),
            ("shortest path", "BELLMAN_FORD", ["NEARER", "RELAX_SIGNED", "VERTEX"]),
        ] {
            let found = names(query);
            let place = |wanted: &str| found.iter().position(|name| name == wanted).unwrap();
            for helper in helpers {
                assert!(place(wanted) < place(helper), "{query}: {found:?}");
            }
        }
        // A helper that the query names keeps its place.
        assert_eq!(names("relax")[0], "RELAX");
    }

    #[test]
    fn unknown_words_are_left_out() {
        let catalogue = Catalogue::library(&LIBRARY);
        assert_eq!(names("tree xyzzy"), names("tree"));
        assert_eq!(search(&catalogue, "Xyzzy trees").missing, ["xyzzy"]);
        assert_eq!(names("xyzzy"), [""; 0]);
        assert_eq!(names("  "), [""; 0]);
        assert!(names("tree minimum").len() < names("tree").len());
        assert_eq!(search(&catalogue, "tree minimum").missing, [""; 0]);
    }

    #[test]
    fn queries_match_only_prefixes_of_words() {
        assert!(!names("atch").contains(&"MATCH".to_owned()));
        assert_eq!(names("match")[0], "MATCH");
    }
}
