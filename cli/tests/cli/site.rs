//! `star doc --format html`: complete pages, valid links, no external resources.

use std::collections::BTreeMap;
use std::fs;

use crate::page::{Page, read};
use crate::support::Folder;

/// Checks all pages of a site; every link refers to one of its files, and to an existing id if it
/// names one.
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
        for word in ["http:", "https:"] {
            assert!(!texts[*name].contains(word), "{name} has {word}");
        }
        // The search is the only script; it is hidden without scripts.
        let scripts = "<script src=\"search.js\"></script>";
        let text = texts[*name].replace(scripts, "");
        assert!(text.len() + scripts.len() == texts[*name].len(), "{name}");
        assert!(!text.contains("<script") && !text.contains("src="), "{name}");
        assert!(text.contains("<form class=\"search\" role=\"search\" hidden>"), "{name}");
    }
    assert!(texts["style.css"].contains("prefers-color-scheme: dark"));
    assert!(!texts["style.css"].contains("url("));
    texts
}

#[test]
fn library_site_is_complete() {
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
fn user_files_are_escaped_and_have_separate_pages() {
    let text = "/* <b>&\"'\u{1b} */\n\n/* Of `not <X>`, a ` and INDEX. */\nprocedure INDEX(X: slice);\nbegin end;\n";
    let folder = Folder::new(&[("index.star", text), ("d/index.star", text), ("ж.star", "")]);
    let files = ["index.star", "d/index.star", "ж.star"];
    folder.star(&[&["doc", "--format", "html", "--out", "s"], &files[..]].concat()).prints("");
    let texts = check(&folder, "s");
    let names: Vec<&String> = texts.keys().collect();
    assert_eq!(
        names,
        ["_.html", "index-2.html", "index-3.html", "index.html", "search.js", "style.css"]
    );
    assert!(texts["index-2.html"].contains("&lt;b&gt;&amp;&quot;'␛"), "{texts:?}");
    assert!(texts["index-2.html"].contains("<p>Of <code>not &lt;X&gt;</code>, a ` and INDEX.</p>"));
}

#[test]
fn sites_replace_only_their_own_files() {
    let folder = Folder::new(&[("m.star", "proc P; begin end;")]);
    folder.write("s/other", b"mine");
    folder.write("f", b"no folder");
    let site = |out: &str| folder.star(&["doc", "m.star", "--format", "html", "--out", out]);
    site("s").prints("");
    site("s").prints("");
    assert!(fs::read_to_string(folder.path("s/index.html")).unwrap().starts_with("<!DOCTYPE"));
    assert_eq!(fs::read(folder.path("s/other")).unwrap(), b"mine");
    assert_eq!(fs::read_dir(folder.path("s")).unwrap().count(), 5);
    site("f").fails(5, &["error[E0509]: f: cannot create this folder"]);
    folder.write("b/search.js", b"mine");
    site("b").fails(5, &["error[E0509]", "b/search.js", "`star doc` did not write this file"]);
    folder.write("c/index.html", b"<p>mine</p>");
    site("c").fails(5, &["error[E0509]", "c/index.html", "`--out` with a new folder keeps it"]);
    assert_eq!(fs::read(folder.path("c/index.html")).unwrap(), b"<p>mine</p>");
    folder.star(&["doc", "--format", "html"]).fails(2, &["error[E0608]", "add `--out DIR`"]);
    let one = folder.star(&["doc", "MATCH", "--format", "html", "--out", "s"]);
    one.fails(2, &["error[E0608]", "`star doc library/search.star --format html --out DIR`"]);
}
