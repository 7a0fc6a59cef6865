//! The editor grammars contain exactly the words of the language.

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
    all.filter(|word| word.is_ascii()).map(str::to_lowercase).collect()
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

#[test]
fn the_tree_sitter_grammar_contains_every_keyword() {
    let grammar = text("tree-sitter-star/grammar.js");
    let lists = grammar.lines().filter_map(|line| {
        let (_, list) = line.strip_prefix("const ")?.split_once(" = [")?;
        list.strip_suffix("];")
    });
    let words = lists.flat_map(|list| list.split(','));
    let words = words.map(|word| word.trim().trim_matches('"').to_lowercase());
    assert_eq!(words.collect::<BTreeSet<String>>(), catalogue());
    // Every node kind named by the queries is a rule.
    let queries = text("tree-sitter-star/queries/highlights.scm");
    for line in queries.lines() {
        let name = line.trim_start_matches('(').split([')', ' ']).next().unwrap();
        assert!(grammar.contains(&format!("\n    {name}: (")), "{name}");
    }
}
