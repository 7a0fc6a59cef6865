//! The rules of the language reference as programs: §2 text, §3 types and sizes, §4 indices, §5
//! meaning, §7 extensions, §12 records, §13 reductions, §14 columns, §15 selected rows, §16 loops
//! with independent iterations. A test states the output of a text, its messages, or its trap:
//! code, location, values and calls.

mod columns;
mod extensions;
mod indices;
mod masks;
mod meaning;
mod messages;
mod parallel;
mod records;
mod reductions;
mod routines;
mod sizes;
mod tables;
mod text;
mod yardstick;

use star_compiler::{Compilation, LowerOptions};
use star_tests::case::{ending, prints, render};
use star_tests::run::Program;
use star_tests::{check_files, messages};
use star_vm::Outcome;

/// Compiles a text; returns its messages except those about what it does not use: the programs here
/// declare what a rule needs, and golden messages show these lints.
fn check(text: &str) -> Compilation {
    let mut compilation = star_tests::check(text);
    compilation.diagnostics.retain(|one| !one.code.is_about_unused());
    compilation
}

/// Asserts that the text compiles without any message and prints this.
fn says(text: &str, expected: &str) {
    assert_eq!(messages(&check(text)), Vec::<String>::new(), "{text}");
    assert_eq!(prints(text), expected, "{text}");
}

/// Asserts that the statements, with these variables, print this.
fn runs(vars: &str, body: &str, expected: &str) {
    says(&format!("program p; var {vars} begin {body} end."), expected);
}

/// Asserts that the text has exactly these messages, `CODE line:column message`.
fn complains(text: &str, expected: &[&str]) {
    assert_eq!(messages(&check(text)), expected, "{text}");
}

/// Returns the codes of the text's messages.
fn codes(text: &str) -> Vec<String> {
    check(text).diagnostics.iter().map(|diagnostic| diagnostic.code.to_string()).collect()
}

/// Renders all messages of some files in full.
fn rendered(files: &[(&str, &str)]) -> String {
    let compilation = check_files(files);
    let all = compilation.diagnostics.iter().filter(|one| !one.code.is_about_unused());
    all.map(|diagnostic| render(&compilation.sources, diagnostic)).collect()
}

/// Returns the output of the program of some files.
fn prints_of(files: &[(&str, &str)]) -> String {
    let program = Program::of_files(files, &LowerOptions::default());
    let run = program.run("p", Vec::new());
    assert_eq!(run.outcome, Outcome::Done, "{}", ending(&program, &run));
    run.printed
}
