//! The documentation comments of the library and the texts about the elementary operations: their form,
//! and their examples on every backend.
//!
//! An example whose label has arguments needs files and the command line: star-cli's tests run it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use star_base::{Builtin, FileId, SourceFile};
use star_syntax::doc::{About, Doc, Label, example, parse};
use star_tests::case::prints;

/// Does the example of a comment fail? `false` if there is none to run here.
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
fn the_examples_of_the_elementary_operations_run_on_every_backend() {
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
    // `write` alone has none: it would leave a file behind.
    assert_eq!(n_run, Builtin::ALL.len() - 1);
}

#[test]
fn an_example_that_does_something_else_fails() {
    let fails = |text: &str| {
        let (doc, _) = parse(FileId(0), text, About::Routine(&[]));
        fails(&SourceFile::new("it", text.to_owned()), &doc, None)
    };
    assert!(!fails("A.\nExample:\n  print(1); \nPrints:\n  1"));
    assert!(fails("A.\nExample:\n  print(1);\nPrints:\n  2"));
    assert!(fails("A.\nExample:\n  assert(false,\"no\");"));
    assert!(fails("A.\nExample:\n  print(;"));
}
