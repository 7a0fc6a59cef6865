//! The form of the library's documentation comments and of the texts about elementary operations,
//! and their examples on every backend.
//!
//! An example whose label has arguments needs files and the command line: the tests of star-cli run
//! it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use star_base::{Builtin, Diagnostic, FileId, SourceFile, language};
use star_syntax::doc::{About, Doc, FileDoc, Label, documentation, example, parse};
use star_tests::case::prints;

/// The source file with the keywords.
const TOKENS: &str = include_str!("../../../compiler/syntax/src/token.rs");

/// Returns whether the example of a comment fails; `false` if there is no runnable example.
fn fails(source: &SourceFile, doc: &Doc, module: Option<&str>) -> bool {
    let Some(section) = doc.section(Label::Example).filter(|one| one.arguments.is_empty()) else {
        return false;
    };
    let program = example::program(section, source, module);
    let run = catch_unwind(AssertUnwindSafe(|| {
        let printed = prints(&program);
        if let Some(expected) = doc.section(Label::Prints) {
            assert_eq!(example::lines(&printed), example::lines(&expected.text()), "of {program}");
        }
    }));
    run.is_err()
}

#[test]
fn examples_of_elementary_operations_run_on_every_backend() {
    let mut failed = Vec::new();
    let mut n_run = 0;
    for builtin in Builtin::ALL {
        let source = SourceFile::new(builtin.name(), builtin.documentation());
        let (doc, faults) = parse(FileId(0), source.text(), About::Routine(&[]));
        assert_eq!(faults, [], "{builtin:?}");
        n_run += usize::from(doc.section(Label::Example).is_some());
        if fails(&source, &doc, None) {
            failed.push(builtin.name());
        }
    }
    assert_eq!(failed, Vec::<&str>::new());
    // `write` alone has no example: it would leave a file.
    assert_eq!(n_run, Builtin::ALL.len() - 1);
}

#[test]
fn examples_of_keywords_run_on_every_backend() {
    let mut failed = Vec::new();
    for topic in language::TOPICS {
        let source = SourceFile::new(topic.name, topic.documentation());
        let (doc, faults) = parse(FileId(0), source.text(), About::Routine(&[]));
        assert_eq!(faults, [], "{}", topic.name);
        assert!(doc.section(Label::Example).is_some(), "{}", topic.name);
        assert!(doc.section(Label::Prints).is_some(), "{}", topic.name);
        if fails(&source, &doc, None) {
            failed.push(topic.name);
        }
    }
    assert_eq!(failed, Vec::<&str>::new());
}

#[test]
fn every_keyword_is_documented() {
    let documented: Vec<&str> = language::TOPICS.iter().flat_map(|topic| topic.words()).collect();
    let keyword = |line: &'static str| {
        let (word, _) = line.trim().strip_prefix("#[token(\"")?.split_once("\", ignore(case))]")?;
        Some(word)
    };
    let keywords: Vec<&str> = TOKENS.lines().filter_map(keyword).collect();
    assert!(keywords.len() > 30, "{keywords:?}");
    // There is no `goto`; its message suggests what to write.
    for word in keywords.into_iter().filter(|word| *word != "goto") {
        let n = documented.iter().filter(|known| **known == word).count();
        assert_eq!(n, 1, "{word}");
    }
}

#[test]
fn an_example_with_other_output_fails() {
    let fails = |text: &str| {
        let (doc, _) = parse(FileId(0), text, About::Routine(&[]));
        fails(&SourceFile::new("it", text.to_owned()), &doc, None)
    };
    assert!(!fails("A.\nExample:\n  print(1); \nPrints:\n  1"));
    assert!(fails("A.\nExample:\n  print(1);\nPrints:\n  2"));
    assert!(fails("A.\nExample:\n  assert(false,\"no\");"));
    assert!(fails("A.\nExample:\n  print(;"));
}

/// Returns the files of the library: name, text, and the import that an example needs.
fn library() -> impl Iterator<Item = (SourceFile, Option<String>)> {
    let file = |name: &str, text: &str| SourceFile::new(name, text.to_owned());
    let basic = star_stdlib::BASIC.iter().map(move |(name, text)| (file(name, text), None));
    let modules = star_stdlib::MODULES.iter().map(move |(name, text)| {
        let import = format!("star:{name}");
        (file(&import, text), Some(import))
    });
    basic.chain(modules)
}

/// Returns the documentation of a library file, and the errors in its form.
fn documented(source: &SourceFile) -> (FileDoc, Vec<Diagnostic>) {
    let parsed = star_syntax::parse(FileId(0), source.text());
    documentation(FileId(0), source.text(), &parsed)
}

#[test]
fn every_library_comment_has_the_required_form() {
    let mut missing = Vec::new();
    for (source, _) in library() {
        let name = source.name();
        let (doc, faults) = documented(&source);
        missing.extend(faults.iter().map(|fault| {
            let at = fault.span().map(|span| source.line_column(span.start as usize).line);
            format!("{name}:{}: {}", at.unwrap_or(0), fault.message)
        }));
        if doc.head.is_none_or(|head| head.text.is_empty()) {
            missing.push(format!("{name}: no comment at the top"));
        }
        for routine in &doc.routines {
            let title = format!("{name}: {}", routine.name);
            let Some(doc) = &routine.doc else {
                missing.push(format!("{title}: no comment"));
                continue;
            };
            if doc.text.is_empty() {
                missing.push(format!("{title}: no text before the labels"));
            }
            for label in [Label::Cost, Label::Source, Label::Example] {
                if doc.section(label).is_none() {
                    missing.push(format!("{title}: no `{label}`"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn library_examples_run_on_every_backend() {
    let mut failed = Vec::new();
    for (source, import) in library() {
        let FileDoc { head, routines } = documented(&source).0;
        let of_file = head.into_iter().map(|doc| ("the file".to_owned(), doc));
        let of_routines = routines.into_iter().filter_map(|one| Some((one.name, one.doc?)));
        for (name, doc) in of_file.chain(of_routines) {
            if fails(&source, &doc, import.as_deref()) {
                failed.push(format!("{}: {name}", source.name()));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
