//! The generated reference pages of the book: they are those that this build generates.
//!
//! `STAR_BLESS=1 cargo test -p star-cli --test cli reference` rewrites them.

use std::fs;
use std::path::Path;

use crate::support::Folder;

/// The generated pages in `docs/src/reference`.
const PAGES: [&str; 5] = ["builtins.md", "commands.md", "formats.md", "library.md", "messages.md"];

#[test]
fn reference_pages_are_up_to_date() {
    let folder = Folder::new(&[]);
    let ran = folder.star(&["doc", "--format", "md", "--out", "reference"]);
    assert!(ran.code == 0 && ran.stderr.contains("5 files written"), "{ran:#?}");
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/reference");
    for page in PAGES {
        let generated = fs::read_to_string(folder.path("reference").join(page)).unwrap();
        if std::env::var_os("STAR_BLESS").is_some_and(|value| value == "1") {
            fs::write(book.join(page), &generated).unwrap();
        }
        let known = fs::read_to_string(book.join(page)).unwrap_or_default();
        assert!(
            known == generated,
            "{page} is out of date: STAR_BLESS=1 cargo test -p star-cli --test cli reference"
        );
    }
}

#[test]
fn help_fits_80_columns_in_the_reference() {
    let folder = Folder::new(&[]);
    folder.star(&["doc", "--format", "md", "--out", "reference"]);
    let commands = fs::read_to_string(folder.path("reference/commands.md")).unwrap();
    // clap does not wrap usage lines.
    let lines = commands.lines().filter(|line| !line.starts_with("Usage: "));
    let long: Vec<&str> = lines.filter(|line| line.chars().count() > 80).collect();
    assert!(long.is_empty(), "{long:#?}");
    for name in ["## star run\n", "## star gen gnm\n", "## star doc\n"] {
        assert!(commands.contains(name), "{name}");
    }
}

#[test]
fn single_topics_are_markdown_on_standard_output() {
    let folder = Folder::new(&[]);
    let ran = folder.star(&["doc", "--format", "md", "MATCH"]);
    assert!(ran.code == 0 && ran.stdout.starts_with("# MATCH\n\n```pascal\n"), "{ran:#?}");
}
