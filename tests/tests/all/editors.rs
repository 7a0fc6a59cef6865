//! The editor grammars contain exactly the words of the language: their lists are generated, and
//! `STAR_BLESS=1 cargo test -p star-tests --test all editors::` rewrites them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use star_base::{Builtin, language};

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns all words of the language and all built-ins, in lower case.
fn catalogue() -> BTreeSet<String> {
    let topics = language::TOPICS.iter().flat_map(|topic| topic.name.split('/'));
    let builtins = Builtin::ALL.iter().map(|builtin| builtin.name());
    // Labels are parsed, to be rejected with advice.
    let all = topics.chain(builtins).chain(["goto"]);
    all.filter(|word| word.bytes().all(|one| one.is_ascii_alphabetic()))
        .map(str::to_lowercase)
        .collect()
}

/// The groups of words in the TextMate grammar: name, scope.
const GROUPS: &[(&str, &str)] = &[
    ("DECLARATIONS", "storage.type"),
    ("CONTROL", "keyword.control"),
    ("TYPES", "support.type"),
    ("CONSTANTS", "constant.language"),
    ("OPERATORS", "keyword.operator.word"),
    ("BUILTINS", "support.function"),
];

/// Returns the group of a word of the language.
fn group(word: &str) -> &'static str {
    match word {
        "program" | "import" | "const" | "type" | "record" | "array" | "of" | "var"
        | "procedure" | "proc" | "function" => "DECLARATIONS",
        "begin" | "end" | "if" | "then" | "else" | "while" | "do" | "repeat" | "until" | "for"
        | "to" | "downto" | "foreach" | "forall" | "in" | "goto" | "where" | "elsewhere" => {
            "CONTROL"
        }
        "integer" | "boolean" | "string" | "slice" | "word" | "table" | "handle" => "TYPES",
        "true" | "false" => "CONSTANTS",
        "and" | "or" | "xor" | "not" | "div" | "mod" => "OPERATORS",
        other => panic!("`{other}` is in no group of the editors' grammars"),
    }
}

/// Returns the words of a group, in the order of the catalogue.
fn words(of: &str) -> Vec<&'static str> {
    if of == "BUILTINS" {
        return Builtin::ALL.iter().map(|builtin| builtin.name()).collect();
    }
    // Labels are parsed, to be rejected with advice.
    language::keywords().chain(["goto"]).filter(|word| group(word) == of).collect()
}

/// Returns the words at the beginning of the lines of a header, as the message about an unknown one
/// lists them.
fn header_words() -> Vec<String> {
    let text = "/* @test\n   unknown 1 */\nprocedure P; begin end;";
    let (_, faults) = star_harness::header::checked(star_base::FileId(0), text);
    let note = &faults[0].notes[0];
    let quoted = note.split('`').skip(1).step_by(2).map(str::to_owned);
    quoted.filter(|word| !word.contains('=')).collect()
}

/// Returns the TextMate grammar with the words of the language.
fn textmate(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for idx in 1..lines.len() {
        let found = GROUPS
            .iter()
            .find(|(_, scope)| lines[idx].contains(&format!("\"name\": \"{scope}.star-machine\"")));
        let Some((of, _)) = found.filter(|_| lines[idx - 1].contains("\"match\": \"(?i)")) else {
            continue;
        };
        let indent = lines[idx - 1].len() - lines[idx - 1].trim_start().len();
        let more = if *of == "CONSTANTS" { "|Θ|∅" } else { "" };
        let list = words(of).join("|");
        lines[idx - 1] = format!("{:indent$}\"match\": \"(?i)\\\\b({list})\\\\b{more}\",", "");
    }
    for line in &mut lines {
        if line.contains("\"match\": \"^\\\\s*(") {
            let indent = line.len() - line.trim_start().len();
            let list = header_words().join("|");
            *line = format!("{:indent$}\"match\": \"^\\\\s*({list})\\\\b\",", "");
        }
    }
    lines.join("\n") + "\n"
}

/// Returns the tree-sitter grammar with the words of the language.
fn tree_sitter(text: &str) -> String {
    // Labels are parsed, to be rejected with advice.
    let keywords = language::keywords().chain(["goto"]).map(str::to_owned).collect();
    let builtins = Builtin::ALL.iter().map(|builtin| builtin.name().to_owned()).collect();
    let lists: [(&str, Vec<String>); 3] =
        [("KEYWORDS", keywords), ("BUILTINS", builtins), ("HEADER_WORDS", header_words())];
    let line = |line: &str| {
        let of = lists.iter().find(|(of, _)| line.starts_with(&format!("const {of} = [")));
        of.map_or_else(|| line.to_owned(), |(of, words)| format!("const {of} = {words:?};"))
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn the_lists_of_words_are_generated() {
    for (name, generate) in [
        ("vscode/syntaxes/star.tmLanguage.json", textmate as fn(&str) -> String),
        ("tree-sitter-star/grammar.js", tree_sitter),
    ] {
        let (current, expected) = (text(name), generate(&text(name)));
        if std::env::var_os("STAR_BLESS").is_some_and(|value| value == "1") {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors").join(name);
            std::fs::write(path, expected).unwrap();
        } else {
            assert!(current == expected, "{name} is out of date: bless it");
        }
    }
}

#[test]
fn the_grammar_lists_the_keywords_of_headers() {
    let grammar = text("vscode/syntaxes/star.tmLanguage.json");
    for word in header_words() {
        assert!(grammar.contains(&word), "{word}");
    }
    assert!(!grammar.contains("property"));
}

/// Returns the alternatives of a pattern such as `(?i)\b(begin|end)\b`.
fn choices(pattern: &str) -> Vec<String> {
    let inside = pattern.strip_prefix("(?i)\\b(").and_then(|rest| rest.split_once(")\\b"));
    let words = inside.map(|(words, _)| words.split('|').map(str::to_lowercase).collect());
    words.unwrap_or_default()
}

fn matches<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(pattern) if name == "match" => found.push(pattern),
                    other => matches(other, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| matches(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_textmate_grammar_contains_every_keyword() {
    let grammar: Value =
        serde_json::from_str(&text("vscode/syntaxes/star.tmLanguage.json")).unwrap();
    let mut patterns = Vec::new();
    matches(&grammar["repository"], &mut patterns);
    let known: BTreeSet<String> = patterns.iter().flat_map(|pattern| choices(pattern)).collect();
    // The pattern of a header names the kinds of routines and is not a separate list.
    assert_eq!(known, catalogue());
    // Every defined part is used.
    let used: BTreeSet<&str> = grammar["patterns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["include"].as_str().unwrap().trim_start_matches('#'))
        .collect();
    let there: BTreeSet<&str> =
        grammar["repository"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(used, there);
}

#[test]
fn the_extension_refers_to_existing_files() {
    let package: Value = serde_json::from_str(&text("vscode/package.json")).unwrap();
    let contributes = &package["contributes"];
    let language = &contributes["languages"][0];
    assert_eq!(language["extensions"][0], ".star");
    let of_grammar = &contributes["grammars"][0];
    assert_eq!(language["id"], of_grammar["language"]);
    for file in [&language["configuration"], &of_grammar["path"]] {
        let file = file.as_str().unwrap().trim_start_matches("./");
        let parsed: Result<Value, _> = serde_json::from_str(&text(&format!("vscode/{file}")));
        assert!(parsed.is_ok(), "{file}");
    }
}
