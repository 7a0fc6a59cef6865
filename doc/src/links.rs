//! Links from names of routines in text to their documentation.

use std::collections::BTreeMap;

/// The context of a name in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum In {
    /// Star code.
    Code,
    /// A sentence, where `size` and `read` are ordinary words: a name must have a capital letter.
    Prose,
}

/// The pages that document each name.
#[derive(Debug, Default)]
pub(crate) struct Links {
    pages: BTreeMap<String, Vec<String>>,
}

impl Links {
    /// Records that `name` is documented on `page`, at the anchor with the same name.
    pub(crate) fn add(&mut self, name: &str, page: &str) {
        self.pages.entry(name.to_owned()).or_default().push(page.to_owned());
    }

    /// Returns the pieces of a text on `page`, each with the page that documents it if it is a
    /// name. The page itself has priority.
    pub(crate) fn pieces<'t>(
        &self,
        text: &'t str,
        page: &str,
        place: In,
    ) -> Vec<(&'t str, Option<&str>)> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if !is_inner(first) {
                let end = rest.find(is_inner).unwrap_or(rest.len());
                pieces.push((&rest[..end], None));
                rest = &rest[end..];
                continue;
            }
            let name = self.longest_name(rest);
            pieces.push((name, self.target(name, page, place)));
            rest = &rest[name.len()..];
        }
        pieces
    }

    /// Returns the word at the start, or several with hyphens that form one name.
    fn longest_name<'t>(&self, text: &'t str) -> &'t str {
        let word_end = |from: usize| {
            let end = text[from..].find(|c| !is_inner(c));
            end.map_or(text.len(), |end| from + end)
        };
        let first = word_end(0);
        let mut longest = first;
        let mut end = first;
        while text[end..].starts_with('-') && text[end + 1..].starts_with(is_inner) {
            end = word_end(end + 1);
            if self.pages.contains_key(&text[..end]) {
                longest = end;
            }
        }
        &text[..longest]
    }

    fn target(&self, name: &str, page: &str, place: In) -> Option<&str> {
        if place == In::Prose && !name.chars().any(char::is_uppercase) {
            return None;
        }
        // A single letter is a variable.
        let pages = self.pages.get(name).filter(|_| name.chars().count() > 1)?;
        let own = pages.iter().find(|known| *known == page);
        own.or_else(|| pages.first()).map(String::as_str)
    }
}

fn is_inner(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_names_are_linked() {
        let mut links = Links::default();
        links.add("LESS", "a");
        links.add("LESS", "b");
        links.add("WARSHALL-C", "c");
        links.add("size", "a");
        links.add("X", "a");
        let found = |text: &str, place| {
            let pieces = links.pieces(text, "b", place);
            assert_eq!(pieces.iter().map(|(piece, _)| *piece).collect::<String>(), text);
            let linked = pieces
                .into_iter()
                .filter_map(|(piece, page)| Some((piece.to_owned(), page?.to_owned())));
            linked.collect::<Vec<_>>()
        };
        let pair = |name: &str, page: &str| (name.to_owned(), page.to_owned());
        assert_eq!(found("as LESS, not LESSEQ", In::Prose), [pair("LESS", "b")]);
        assert_eq!(
            found("WARSHALL-C(n)-LESS", In::Code),
            [pair("WARSHALL-C", "c"), pair("LESS", "b")]
        );
        assert_eq!(found("the size of X", In::Prose), []);
        assert_eq!(found("size(X)", In::Code), [pair("size", "a")]);
    }
}
