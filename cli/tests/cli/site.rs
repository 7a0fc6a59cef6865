//! `star doc --format html`: whole pages, links that lead somewhere, nothing from elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::support::Folder;

/// A page: what stands behind `id=` and `href=`.
#[derive(Debug, Default)]
struct Page {
    ids: BTreeSet<String>,
    links: Vec<String>,
}

/// Elements without an end.
const EMPTY: &[&str] = &["!DOCTYPE", "meta", "link", "br"];

/// Reads a page; every element has to be closed where it should be, every id to be there once.
fn read(name: &str, text: &str) -> Page {
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

/// All pages of a site; every link leads to one of its files, and to an id if it names one.
fn check(folder: &Folder, site: &str) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder.path(site)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let texts: BTreeMap<String, String> = names
        .map(|name| {
            let text = fs::read_to_string(folder.path(site).join(&name)).unwrap();
            (name, text)
        })
        .collect();
    let pages: BTreeMap<&str, Page> = texts
        .iter()
        .filter(|(name, _)| name.ends_with(".html"))
        .map(|(name, text)| (name.as_str(), read(name, text)))
        .collect();
    for (name, page) in &pages {
        assert!(!page.links.is_empty(), "{name}");
        for link in &page.links {
            let (file, id) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { name } else { file };
            assert!(texts.contains_key(file), "{name}: `{link}` leads nowhere");
            assert!(id.is_empty() || pages[file].ids.contains(id), "{name}: no place for `{link}`");
        }
        for word in ["<script", "http:", "https:", "src="] {
            assert!(!texts[*name].contains(word), "{name} has {word}");
        }
    }
    assert!(texts["style.css"].contains("prefers-color-scheme: dark"));
    assert!(!texts["style.css"].contains("url("));
    texts
}

#[test]
fn the_site_of_the_library_is_whole() {
    let folder = Folder::new(&[]);
    let ran = folder.star(&["doc", "--format", "html", "--out", "a/site"]);
    ran.prints("");
    let texts = check(&folder, "a/site");
    assert!(ran.stderr.contains(&format!("{} files written", texts.len())), "{ran:?}");
    assert!(texts["index.html"].contains("<a href=\"search.html#MATCH\">MATCH</a>"));
    assert!(texts["mst.html"].contains("<a href=\"search.html#MATCH\">MATCH</a>"));
    assert!(texts["closure.html"].contains("<section id=\"WARSHALL-C\">"));
    let (_, own) = texts["search.html"].split_once("<section id=\"MATCH\">").unwrap();
    let (own, _) = own.split_once("</section>").unwrap();
    assert!(own.contains("MATCH("), "{own}");
    assert!(!own.contains("search.html#MATCH"), "a routine does not link to itself: {own}");
}

#[test]
fn files_of_the_user_are_escaped_and_have_pages_of_their_own() {
    let text = "/* <b>&\"'\u{1b} */\n\n/* Of `not <X>`, a ` and INDEX. */\nprocedure INDEX(X: slice);\nbegin end;\n";
    let folder = Folder::new(&[("index.star", text), ("d/index.star", text), ("ж.star", "")]);
    let files = ["index.star", "d/index.star", "ж.star"];
    folder.star(&[&["doc", "--format", "html", "--out", "s"], &files[..]].concat()).prints("");
    let texts = check(&folder, "s");
    let names: Vec<&String> = texts.keys().collect();
    assert_eq!(names, ["_.html", "index-2.html", "index-3.html", "index.html", "style.css"]);
    assert!(texts["index-2.html"].contains("&lt;b&gt;&amp;&quot;&#39;␛"), "{texts:?}");
    assert!(texts["index-2.html"].contains("<p>Of <code>not &lt;X&gt;</code>, a ` and INDEX.</p>"));
}

#[test]
fn a_site_replaces_its_files_and_no_others() {
    let folder = Folder::new(&[("m.star", "proc P; begin end;"), ("s/index.html", "old")]);
    folder.write("s/other", b"mine");
    folder.write("f", b"no folder");
    let site = |out: &str| folder.star(&["doc", "m.star", "--format", "html", "--out", out]);
    site("s").prints("");
    site("s").prints("");
    assert!(fs::read_to_string(folder.path("s/index.html")).unwrap().starts_with("<!DOCTYPE"));
    assert_eq!(fs::read(folder.path("s/other")).unwrap(), b"mine");
    assert_eq!(fs::read_dir(folder.path("s")).unwrap().count(), 4);
    site("f").fails(5, &["error[E0509]: f: cannot make this folder"]);
    folder.star(&["doc", "--format", "html"]).fails(2, &["error[E0608]", "add `--out DIR`"]);
    let one = folder.star(&["doc", "MATCH", "--format", "html", "--out", "s"]);
    one.fails(2, &["error[E0608]", "`star doc library/search.star --format html --out DIR`"]);
}
