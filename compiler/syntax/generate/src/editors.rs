//! The parser of editors, by tree-sitter.

use std::error::Error;
use std::path::Path;

use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

use crate::repository;

const FOLDER: &str = "editors/tree-sitter-star";

/// The version of the interface between a parser and an editor: Neovim 0.10 reads no later one.
const INTERFACE: usize = 14;

/// Generates the checked-in parser.
///
/// # Errors
/// If the grammar is wrong, Node is not installed, or a file cannot be accessed.
pub(crate) fn write() -> Result<(), Box<dyn Error>> {
    generate(&repository(FOLDER).join("src"))
}

/// Generates the parser of the current grammar in a folder.
fn generate(into: &Path) -> Result<(), Box<dyn Error>> {
    let mut conflicts = Vec::new();
    generate_parser_in_directory(
        repository(FOLDER),
        Some(into),
        None::<&Path>,
        INTERFACE,
        None,
        None,
        true,
        OptLevel::default(),
        &mut conflicts,
    )?;
    match conflicts.first() {
        Some(first) => Err(format!("{first:?}").into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::Range;
    use std::path::PathBuf;
    use std::process::Command;

    use star_base::{Builtin, FileId};
    use star_syntax::token::Token;
    use tree_sitter::{Language, Node, Parser, Query, QueryCursor, StreamingIterator, Tree};
    use tree_sitter_loader::{CompileConfig, Loader};
    use tree_sitter_tags::{TagsConfiguration, TagsContext};

    use super::*;

    /// Compiles and loads the checked-in parser.
    fn language() -> Language {
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("star.so");
        let sources = repository(FOLDER).join("src");
        let config = CompileConfig::new(&sources, None, Some(library));
        let loader = Loader::with_parser_lib_path(folder.path().to_owned());
        loader.load_language_at_path(config).expect("the parser is valid C")
    }

    fn parse(language: &Language, text: &str) -> Tree {
        let mut parser = Parser::new();
        parser.set_language(language).expect("a known interface");
        parser.parse(text, None).expect("no time limit")
    }

    fn query(language: &Language, name: &str) -> Query {
        let text = query_text(name);
        Query::new(language, &text).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn query_text(name: &str) -> String {
        let path = repository(FOLDER).join("queries").join(name);
        fs::read_to_string(path).expect("a query")
    }

    /// Returns the files below a folder with an extension.
    fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
        let entries = fs::read_dir(folder).expect("a folder");
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                if name != "target" && name != "node_modules" && !name.starts_with('.') {
                    files(&path, extension, found);
                }
            } else if path.extension().is_some_and(|one| one == extension) {
                found.push(path);
            }
        }
    }

    /// Returns the programs of the repository that the compiler can parse, with their paths.
    fn programs() -> Vec<(PathBuf, String)> {
        let mut paths = Vec::new();
        files(&repository(""), "star", &mut paths);
        paths.sort();
        let all = paths.into_iter().filter_map(|path| {
            // A test of the compiler is not text.
            let text = fs::read_to_string(&path).ok()?;
            let parsed = star_syntax::parse(FileId(0), &text);
            let is_correct = !parsed.diagnostics.iter().any(|one| one.is_error());
            is_correct.then_some((path, text))
        });
        let all: Vec<_> = all.collect();
        assert!(all.len() > 70, "{}", all.len());
        all
    }

    /// Returns the tokens and comments of a tree.
    fn leaves<'t>(node: Node<'t>, found: &mut Vec<Node<'t>>) {
        if node.child_count() == 0 || node.kind() == "header" {
            found.push(node);
            return;
        }
        let mut cursor = node.walk();
        node.children(&mut cursor).for_each(|child| leaves(child, found));
    }

    /// Returns the kinds of nodes that a token of the compiler may be.
    fn kinds(token: Token, text: &str) -> Vec<&str> {
        match token {
            Token::Name if Builtin::find(text).is_some() => vec!["identifier", "builtin"],
            Token::Name => vec!["identifier"],
            Token::Number => vec!["number"],
            Token::Bits => vec!["bits"],
            Token::Str => vec!["string"],
            Token::Comment => vec!["comment", "header"],
            Token::Word => vec!["word", "builtin"],
            Token::Assign => vec![":="],
            // Keywords and signs: the kind is the text.
            _ => vec![text],
        }
    }

    #[test]
    #[allow(clippy::print_stderr, reason = "says that the test was skipped")]
    fn checked_in_parser_matches_the_grammar() {
        if Command::new("node").arg("--version").output().is_err() {
            eprintln!("skipped: Node is not installed");
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        generate(folder.path()).expect("the grammar has no conflicts");
        let parts = ["parser.c", "grammar.json", "node-types.json", "tree_sitter/parser.h"];
        for part in parts {
            let current = fs::read(folder.path().join(part)).expect("generated");
            let parser = fs::read(repository(FOLDER).join("src").join(part)).expect("checked in");
            assert!(parser == current, "{part} is out of date: run `cargo run -p star-grammar`");
        }
    }

    #[test]
    fn tokens_are_those_of_the_compiler() {
        let language = language();
        let mut n_compared = 0;
        for (path, text) in programs() {
            let tree = parse(&language, &text);
            assert!(!tree.root_node().has_error(), "{}: {}", path.display(), tree.root_node());
            let mut found = Vec::new();
            leaves(tree.root_node(), &mut found);
            let tokens: Vec<(Token, Range<usize>)> = star_syntax::lexemes(&text).collect();
            for (node, (token, range)) in found.iter().zip(&tokens) {
                let shown = &text[range.clone()];
                let at = format!("{}: `{shown}` at byte {}", path.display(), range.start);
                assert_eq!(node.byte_range(), *range, "{at}");
                let spelling = shown.to_ascii_lowercase();
                assert!(kinds(*token, &spelling).contains(&node.kind()), "{at}: {}", node.kind());
            }
            assert_eq!(found.len(), tokens.len(), "{}", path.display());
            n_compared += tokens.len();
        }
        assert!(n_compared > 10_000, "{n_compared}");
    }

    #[test]
    fn every_token_is_coloured_once() {
        let language = language();
        let query = query(&language, "highlights.scm");
        for (path, text) in programs() {
            let tree = parse(&language, &text);
            let mut coloured = Vec::new();
            let mut cursor = QueryCursor::new();
            let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
            while let Some(found) = matches.next() {
                coloured.extend(found.captures().iter().map(|one| one.node.byte_range().start));
            }
            let mut all = Vec::new();
            leaves(tree.root_node(), &mut all);
            for node in all {
                let at = node.start_byte();
                let n_colours = coloured.iter().filter(|&&start| start == at).count();
                // The first word of a header has a second colour; variables have none.
                let expected = match node.kind() {
                    "header" => 2..=2,
                    "identifier" => 0..=1,
                    _ => 1..=1,
                };
                let place = node.start_position();
                assert!(expected.contains(&n_colours), "{}: {place}: {n_colours}", path.display());
            }
        }
    }

    #[test]
    fn routines_and_calls_have_tags() {
        let language = language();
        let locals = query_text("locals.scm");
        let config = TagsConfiguration::new(language, &query_text("tags.scm"), &locals).unwrap();
        let text = "const most = 3;\nprocedure A - B(X: slice); begin end;\n\
            procedure P(X: slice); begin A-B(X); Q(X,F(2)); R; SET(X) end;";
        let mut context = TagsContext::new();
        let (tags, _) = context.generate_tags(&config, text.as_bytes(), None).unwrap();
        let tags: Vec<_> = tags.map(Result::unwrap).collect();
        let shown: Vec<(&str, &str)> = tags
            .iter()
            .map(|tag| (&text[tag.name_range.clone()], config.syntax_type_name(tag.syntax_type_id)))
            .collect();
        let expected = [
            ("most", "constant"),
            ("A - B", "function"),
            ("P", "function"),
            ("A-B", "call"),
            ("Q", "call"),
            ("F", "call"),
            ("R", "call"),
        ];
        assert_eq!(shown, expected);
    }

    /// Returns the captures of a query with the texts of their first lines.
    fn captures(language: &Language, name: &str, text: &str) -> Vec<(String, String)> {
        let query = query(language, name);
        let tree = parse(language, text);
        let mut cursor = QueryCursor::new();
        let mut found = cursor.captures(&query, tree.root_node(), text.as_bytes());
        let mut all = Vec::new();
        while let Some((one, idx)) = found.next() {
            let capture = one.captures()[*idx];
            let line = text[capture.node.byte_range()].lines().next().unwrap_or_default();
            let name = query.capture_names()[capture.index as usize];
            all.push((name.to_owned(), line.to_owned()));
        }
        all
    }

    fn of<'a>(all: &'a [(String, String)], name: &str) -> Vec<&'a str> {
        all.iter().filter(|(one, _)| one == name).map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn blocks_fold_and_indent_and_names_have_scopes() {
        let language = language();
        let text = "procedure P(n: integer);\nvar X: slice(n);\nbegin\n  repeat\n    SET(X)\n  \
            until n=1;\n  if n=1 then\n    n:=2;\nend;\n";
        let folds = captures(&language, "folds.scm", text);
        let lines = ["procedure P(n: integer);", "var X: slice(n);", "begin", "repeat"];
        assert_eq!(of(&folds, "fold"), lines);
        let indents = captures(&language, "indents.scm", text);
        let expected = ["(n: integer)", "begin", "repeat", "(X)", "n:=2"];
        assert_eq!(of(&indents, "indent"), expected);
        assert_eq!(of(&indents, "outdent"), [")", ")", "until", "end"]);
        let names = captures(&language, "locals.scm", text);
        assert_eq!(of(&names, "local.definition"), ["P", "n", "X"]);
        assert_eq!(of(&names, "local.scope").len(), 1);
    }

    /// Returns the tree of a text without the blanks between its parts.
    fn one_line(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" )", ")")
    }

    /// The form of tree-sitter's tests: `===`, name, `===`, text, `---`, tree.
    #[test]
    fn corpus_has_the_expected_trees() {
        let language = language();
        let mut paths = Vec::new();
        files(&repository(FOLDER).join("test/corpus"), "txt", &mut paths);
        let mut n_tests = 0;
        for path in paths {
            let corpus = fs::read_to_string(&path).expect("text");
            let mut parts = corpus.split("==================\n").skip(1);
            while let (Some(name), Some(test)) = (parts.next(), parts.next()) {
                let (text, expected) = test.split_once("\n---\n").expect("a tree");
                let tree = parse(&language, text).root_node().to_sexp();
                assert_eq!(tree, one_line(expected), "{}", name.trim());
                n_tests += 1;
            }
        }
        assert!(n_tests >= 8, "{n_tests}");
    }
}
