//! Wording of comments, messages and pages: the rules that `tests/wording.txt` lists.
//!
//! * No comment line is longer than 100 columns.
//! * No phrase of the list occurs in comments, string literals or Markdown pages.
//! * No Markdown page contains a commit hash.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The widest comment line, in columns.
const WIDTH: usize = 100;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// The rules of `tests/wording.txt`.
#[derive(Debug, Default)]
struct Rules {
    words: Vec<String>,
    folders: Vec<String>,
    allowed: BTreeSet<(String, String)>,
}

impl Rules {
    fn read() -> Self {
        let text = std::fs::read_to_string(root().join("tests/wording.txt")).expect("the list");
        let mut rules = Rules::default();
        let mut section = "";
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match (line, section) {
                ("[words]" | "[folders]" | "[allowed]", _) => section = line,
                (word, "[words]") => rules.words.push(word.to_owned()),
                (folder, "[folders]") => rules.folders.push(folder.to_owned()),
                (entry, "[allowed]") => {
                    let (path, phrase) = entry.split_once(": ").expect("a path and a phrase");
                    rules.allowed.insert((path.to_owned(), phrase.to_owned()));
                }
                (line, _) => panic!("`{line}` is in no section of tests/wording.txt"),
            }
        }
        rules
    }

    fn covers(&self, path: &str) -> bool {
        !self.folders.iter().any(|folder| path.starts_with(folder.as_str()))
    }
}

/// Tests whether `text` contains `phrase` as whole words, ignoring letter case.
fn contains(text: &str, phrase: &str) -> bool {
    let text = text.to_lowercase();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// A piece of a source text with its first line, counted from 1.
type Piece = (usize, String);

/// Returns the comments of a text, and its string literals with white space folded.
fn pieces(text: &str) -> (Vec<Piece>, Vec<Piece>) {
    let (mut comments, mut strings) = (Vec::new(), Vec::new());
    let mut rest = text;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            'r' if rest.starts_with("r#\"") => {
                rest[3..].find("\"#").map_or(rest.len(), |at| at + 5)
            }
            '"' => string_length(rest),
            '\'' => character_length(rest),
            other => other.len_utf8(),
        };
        let (piece, after) = rest.split_at(len);
        if piece.starts_with("//") || piece.starts_with("/*") {
            comments.push((line, piece.to_owned()));
        } else if len > 1 && (first == '"' || first == 'r') {
            let folded = piece.replace('\\', " ");
            strings.push((line, folded.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        line += piece.matches('\n').count();
        rest = after;
    }
    (comments, strings)
}

/// Returns the length of the string literal that a text begins with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of the character literal that a text begins with, or 1 for a lifetime or the
/// quote of a bit constant.
fn character_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    let escaped = matches!(chars.next(), Some((_, '\\')));
    if escaped {
        chars.next();
    }
    match chars.next() {
        Some((at, '\'')) => at + 1,
        Some(_) | None => 1,
    }
}

/// The files that git tracks: paths from the root of the repository.
fn files() -> Vec<String> {
    fn collect(folder: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                collect(&path, root, found);
            } else if path.is_file() {
                let relative = path.strip_prefix(root).expect("inside").to_string_lossy();
                found.push(relative.replace('\\', "/"));
            }
        }
    }
    let mut found = Vec::new();
    collect(&root(), &root(), &mut found);
    found.sort();
    found
}

fn text_of(path: &str) -> Option<String> {
    std::fs::read_to_string(root().join(path)).ok()
}

fn has_extension(path: &str, extensions: &[&str]) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
}

/// Tests whether a file holds Markdown that people write: generated pages repeat other texts.
fn is_page(path: &str) -> bool {
    let generated = ["builtins.md", "commands.md", "library.md", "messages.md"];
    let in_reference = path.strip_prefix("docs/src/reference/");
    has_extension(path, &["md"]) && !in_reference.is_some_and(|name| generated.contains(&name))
}

#[test]
fn comments_fit_100_columns() {
    let rules = Rules::read();
    let mut long = Vec::new();
    for path in files().iter().filter(|path| has_extension(path, &["rs", "wgsl", "star"])) {
        let Some(text) = text_of(path).filter(|_| rules.covers(path)) else { continue };
        for (first, comment) in pieces(&text).0 {
            let rows = text.lines().skip(first - 1).take(comment.lines().count());
            for (idx, row) in rows.enumerate().filter(|(_, row)| row.chars().count() > WIDTH) {
                long.push(format!("{path}:{}: {} columns", first + idx, row.chars().count()));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn comments_messages_and_pages_avoid_the_listed_phrases() {
    let rules = Rules::read();
    let mut found = Vec::new();
    let mut used = BTreeSet::new();
    for path in files().iter().filter(|path| rules.covers(path)) {
        let is_source = has_extension(path, &["rs", "wgsl", "star", "lalrpop"]);
        if !is_source && !is_page(path) {
            continue;
        }
        let Some(text) = text_of(path) else { continue };
        let (mut checked, strings) = if is_source {
            pieces(&text)
        } else {
            let lines = text.lines().enumerate();
            (lines.map(|(idx, line)| (idx + 1, line.to_owned())).collect(), Vec::new())
        };
        // Code of tests and text of Star programs stand in literals, too.
        let messages = strings.into_iter().filter(|(_, text)| !text.contains([';', '%']));
        checked.extend(messages.filter(|_| !path.contains("tests")));
        for (line, piece) in &checked {
            for word in rules.words.iter().filter(|word| contains(piece, word)) {
                let exception = (path.clone(), word.clone());
                if rules.allowed.contains(&exception) {
                    used.insert(exception);
                } else {
                    found.push(format!("{path}:{line}: `{word}`"));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    let unused: Vec<_> = rules.allowed.difference(&used).collect();
    assert!(unused.is_empty(), "exceptions without a use: {unused:?}");
}

#[test]
fn pages_contain_no_commit_hashes() {
    let is_hash = |word: &str| {
        (7..=40).contains(&word.len())
            && word.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
            && word.contains(|c: char| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_lowercase())
    };
    let mut found = Vec::new();
    for path in files().iter().filter(|path| is_page(path)) {
        let Some(text) = text_of(path) else { continue };
        for (idx, line) in text.lines().enumerate() {
            // Hashes of results are shown as JSON strings.
            let words = line.split(|c: char| !c.is_alphanumeric());
            for word in words.filter(|word| is_hash(word) && !line.contains("\"hash\"")) {
                found.push(format!("{path}:{}: {word}", idx + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn phrases_are_found_as_whole_words_in_comments_and_strings() {
    assert!(contains("What lies Behind it", "behind") && !contains("behindhand", "behind"));
    let text =
        "let x = 'a'; // of 'its\nf(\"so \\\n  many\"); /* end */ let y: &'a str = \"\\\"\";";
    let (comments, strings) = pieces(text);
    assert_eq!(comments, [(1, "// of 'its".to_owned()), (3, "/* end */".to_owned())]);
    assert_eq!(strings[0], (2, "\"so many\"".to_owned()));
}
