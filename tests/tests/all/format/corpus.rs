//! All Star texts of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use star_base::{Builtin, Code, FileId, SourceFile};
use star_syntax::doc::{About, Label, documentation, example, parse};

/// A name, and a text.
pub(super) type Text = (String, String);

/// Returns the library, the examples, the programs of the tests, and the examples in documentation.
pub(super) fn texts() -> Vec<Text> {
    let mut texts = library();
    texts.extend(examples());
    for folder in ["tests/programs", "tests/golden"] {
        texts.extend(files(&root().join(folder), "star"));
    }
    // The listings from which the library was derived, if they are available.
    texts.extend(files(Path::new("../../shared/language/listings"), "star"));
    texts.extend(in_comments());
    for folder in ["docs", "compiler/base/src/explain"] {
        texts.extend(files(&root().join(folder), "md").into_iter().flat_map(in_page));
    }
    texts.extend(file(root().join("README.md")).into_iter().flat_map(in_page));
    assert!(Code::ALL.len() < texts.len(), "the texts are found");
    texts
}

pub(super) fn library() -> Vec<Text> {
    let all = star_stdlib::BASIC.iter().chain(star_stdlib::MODULES);
    all.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

pub(super) fn examples() -> Vec<Text> {
    files(&root().join("examples"), "star")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn file(path: PathBuf) -> Option<Text> {
    let text = fs::read_to_string(&path).ok()?;
    Some((path.display().to_string(), text))
}

/// Returns the files below a folder with this extension, sorted; none if there is no such folder.
fn files(folder: &Path, extension: &str) -> Vec<Text> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path, extension),
        false if path.extension() == Some(extension.as_ref()) => file(path).into_iter().collect(),
        false => Vec::new(),
    };
    paths.into_iter().flat_map(below).collect()
}

/// Returns the examples of documentation comments.
fn in_comments() -> Vec<Text> {
    let mut texts = Vec::new();
    for (name, text) in library() {
        let parsed = star_syntax::parse(FileId(0), &text);
        let (doc, _) = documentation(FileId(0), &text, &parsed);
        let source = SourceFile::new(&name, text);
        for routine in doc.routines {
            let doc = routine.doc.unwrap_or_default();
            let section = doc.section(Label::Example);
            texts.extend(section.map(|section| {
                let module = format!("star:{name}");
                (
                    format!("{name}: {}", routine.name),
                    example::program(section, &source, Some(&module)),
                )
            }));
        }
    }
    for builtin in Builtin::ALL {
        let source = SourceFile::new(builtin.name(), builtin.documentation());
        let (doc, _) = parse(FileId(0), source.text(), About::Routine(&[]));
        let section = doc.section(Label::Example);
        texts.extend(
            section.map(|section| {
                (builtin.name().to_owned(), example::program(section, &source, None))
            }),
        );
    }
    texts
}

/// Returns the listings of a page.
fn in_page((page, text): Text) -> Vec<Text> {
    let blocks = text.split("```").skip(1).step_by(2);
    let listings = blocks.filter_map(|block| {
        let (kind, text) = block.split_once('\n')?;
        (kind.starts_with("star") || kind == "pascal").then_some(text)
    });
    let named = listings.enumerate().map(|(idx, text)| (format!("{page}, {idx}"), text.to_owned()));
    named.collect()
}
