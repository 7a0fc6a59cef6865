//! The formatter on all available texts: nothing is lost, no meaning changes, and formatting twice
//! changes nothing more.
//!
//! `corpus` has the texts, `mangle` formats them badly, `same_tree` compares trees.

mod corpus;
mod mangle;
mod same_tree;

use star_base::{Code, FileId, SourceFile};
use star_compiler::Formatter;
use star_syntax::Parsed;
use star_tests::case::Random;
use star_tests::generator::generate;
use star_tests::{LIBRARY, Texts, check};

use same_tree::same_file;

/// Returns a formatted text, or the codes of its errors.
fn formatted(text: &str) -> Result<String, Vec<Code>> {
    formatted_by(&Formatter::new(LIBRARY), text)
}

fn formatted_by(formatter: &Formatter, text: &str) -> Result<String, Vec<Code>> {
    let source = SourceFile::new("test.star", text.to_owned());
    let done = formatter.format(&source, &mut Texts::default());
    done.map_err(|found| found.iter().map(|diagnostic| diagnostic.code).collect())
}

fn parse(text: &str) -> Parsed {
    star_syntax::parse(FileId(0), text)
}

/// Returns the texts of the comments, their lines without indentation.
fn comments(text: &str, parsed: &Parsed) -> Vec<String> {
    let trimmed = |comment: &str| {
        let lines: Vec<&str> = comment.trim_end().split('\n').map(str::trim_start).collect();
        lines.join("\n").replace('\r', "")
    };
    parsed.comments.iter().map(|comment| trimmed(&text[comment.range()])).collect()
}

/// Returns the compiler's messages for a text, except those about assignment symbols.
fn codes(text: &str) -> Vec<Code> {
    let all = check(text).diagnostics.into_iter().map(|diagnostic| diagnostic.code);
    all.filter(|code| *code != Code::EqualsAssigns).collect()
}

/// Formats a text, asserts the general properties, and returns the formatted text.
#[track_caller]
fn holds(formatter: &Formatter, name: &str, text: &str) -> Option<String> {
    let parsed = parse(text);
    let n_errors = parsed.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    let once = match formatted_by(formatter, text) {
        Ok(once) => once,
        Err(codes) => {
            assert!(n_errors > 0, "{name}: {codes:?}\n{text}");
            return None;
        }
    };
    assert_eq!(n_errors, 0, "{name} has errors");
    let again = formatted_by(formatter, &once);
    assert_eq!(again.as_ref(), Ok(&once), "{name} changes again:\n{text}\n----\n{once}");
    let parsed_again = parse(&once);
    assert!(same_file(&parsed.file, &parsed_again.file), "{name} is another program:\n{once}");
    assert_eq!(comments(text, &parsed), comments(&once, &parsed_again), "{name}");
    assert!(once.is_empty() || once.ends_with('\n') && !once.ends_with("\n\n"), "{name}");
    blanks(name, &once, &parsed_again);
    Some(once)
}

/// Asserts that there are no blanks at the ends of lines, no tabs and no carriage returns, outside
/// of comments and strings.
fn blanks(name: &str, text: &str, parsed: &Parsed) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.trim_end_matches(['\r', '\n']).len();
        let inside = parsed
            .comments
            .iter()
            .any(|comment| comment.range().start < end && end <= comment.range().end);
        let code = &text[at..end];
        assert!(inside || !code.ends_with([' ', '\t']), "{name}: a blank after `{code}`");
        at += line.len();
    }
}

#[test]
fn the_corpus_keeps_its_meaning() {
    let formatter = Formatter::new(LIBRARY);
    let mut n_formatted = 0;
    for (name, text) in corpus::texts() {
        if let Some(once) = holds(&formatter, &name, &text) {
            n_formatted += 1;
            assert_eq!(codes(&text), codes(&once), "{name}:\n{once}");
        }
    }
    assert!(n_formatted > 150, "{n_formatted} texts");
}

#[test]
fn the_badly_formatted_corpus_is_formatted_correctly() {
    let formatter = Formatter::new(LIBRARY);
    let mut n_formatted = 0;
    for (idx, (name, text)) in corpus::texts().into_iter().enumerate() {
        for seed in 0..3 {
            let mut random = Random::new(1000 * seed + idx as u64);
            let mangled = mangle::mangle(&text, &mut random);
            n_formatted += usize::from(holds(&formatter, &name, &mangled).is_some());
        }
    }
    assert!(n_formatted > 400, "{n_formatted} texts");
}

#[test]
fn badly_formatted_generated_programs_keep_their_meaning() {
    let formatter = Formatter::new(LIBRARY);
    for seed in 1..=150 {
        let text = generate(seed).source.to_string();
        let mut random = Random::new(seed);
        for mangled in [text.clone(), mangle::mangle(&text, &mut random)] {
            let name = format!("seed {seed}");
            let once = holds(&formatter, &name, &mangled);
            let once = once.unwrap_or_else(|| panic!("{name} does not parse:\n{mangled}"));
            if seed % 5 == 0 {
                assert_eq!(codes(&text), codes(&once), "{name}:\n{once}");
            }
        }
    }
}

#[test]
fn formats_a_million_tokens() {
    let n = 500_000;
    let routine = |body: &str| format!("procedure P(var x: integer);\nbegin\n{body}\nend;\n");
    let texts = [
        routine(&"x:=x+1;".repeat(n / 2)),
        routine(&"x:=1 /* c */; // d\n".repeat(n / 2)),
        routine(&format!("x:=x{}", " + x".repeat(n))),
        routine(&format!("print(x{})", ",x".repeat(n))),
        routine(&format!("{}x:=0", "if x=1 then x:=2 else ".repeat(n / 8))),
        (0..n / 8).map(|idx| format!("const A{idx} = {idx};\n")).collect(),
    ];
    let formatter = Formatter::new(LIBRARY);
    for text in texts {
        let once = formatted_by(&formatter, &text);
        let once = once.unwrap_or_else(|codes| panic!("{codes:?}"));
        assert!(once.len() > n, "{}", once.len());
    }
}

#[test]
fn formats_deep_nesting() {
    let nested = |open: &str, middle: &str, close: &str, n: usize| {
        format!("proc P; begin {}{middle}{} end;", open.repeat(n), close.repeat(n))
    };
    for text in [
        nested("begin ", "x:=1", " end", 250),
        nested("if a then ", "x:=1", "", 250),
        nested("while a do begin y:=2; ", "x:=1", " end", 120),
        nested("repeat ", "x:=1", " until a", 250),
        format!("proc P; begin x:={}1{} end;", "(".repeat(250), ")".repeat(250)),
        format!("proc P; begin x:={}1{} end;", "F(a,".repeat(250), ")".repeat(250)),
        format!("proc P; begin x:={}a end;", "not ".repeat(250)),
    ] {
        assert!(holds(&Formatter::new(LIBRARY), "deep", &text).is_some(), "{text}");
    }
}

#[test]
fn formats_the_published_listing_in_its_expected_style() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let published = std::fs::read_to_string(folder.join("programs/published/warshall.star"));
    let found = formatted(&published.expect("the listing")).expect("no errors");
    let file = folder.join("golden/format/warshall.star");
    if std::env::var_os("STAR_BLESS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(folder.join("golden/format")).expect("a folder");
        std::fs::write(&file, &found).expect("the golden file can be written");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("the golden file"), found);
}

#[test]
fn library_and_examples_are_formatted() {
    let formatter = Formatter::new(LIBRARY);
    let all = corpus::library().into_iter().chain(corpus::examples());
    let others: Vec<String> = all
        .filter(|(_, text)| formatted_by(&formatter, text).as_ref() != Ok(text))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(others, Vec::<String>::new(), "to format: star fmt stdlib examples");
}
