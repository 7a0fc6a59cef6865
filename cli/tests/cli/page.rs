//! HTML pages, parsed as in a browser: nested elements, ids, links.

use std::collections::BTreeSet;

/// A page: its `id=` and `href=` attributes.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The ids.
    pub(crate) ids: BTreeSet<String>,
    /// The addresses.
    pub(crate) links: Vec<String>,
}

/// Void elements.
const EMPTY: &[&str] = &["!DOCTYPE", "meta", "link", "br", "input"];

/// Reads a page and checks that every element is closed and every id is unique.
pub(crate) fn read(name: &str, text: &str) -> Page {
    let mut page = Page::default();
    let mut open: Vec<&str> = Vec::new();
    let mut pieces = text.split('<');
    assert_eq!(pieces.next(), Some(""), "{name}");
    for piece in pieces {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("{name}: `<{piece}`"));
        assert!(!text.contains('>'), "{name}: {text}");
        for entity in text.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
            assert!(known.iter().any(|known| entity.starts_with(known)), "{name}: &{entity}");
        }
        if let Some(ended) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(ended), "{name}");
            continue;
        }
        let element = tag.split(' ').next().unwrap_or_default();
        if !EMPTY.contains(&element) {
            open.push(element);
        }
        for (key, values) in [("id", 0), ("href", 1)] {
            let Some((_, value)) = tag.split_once(&format!(" {key}=\"")) else { continue };
            let value = value.split('"').next().unwrap_or_default().to_owned();
            if values == 1 {
                page.links.push(value);
            } else {
                assert!(page.ids.insert(value.clone()), "{name}: `{value}` is there twice");
            }
        }
    }
    assert!(open.is_empty(), "{name}: {open:?} not closed");
    page
}
