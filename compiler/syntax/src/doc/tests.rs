use super::*;
use crate::parser;
use star_base::{SourceFile, SourceMap};

fn of(text: &str) -> (FileDoc, Vec<(String, String)>) {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("t.star", text.to_owned()));
    let parsed = parser::parse(file, text);
    assert_eq!(parsed.diagnostics, []);
    let (doc, diagnostics) = documentation(file, text, &parsed);
    let found = diagnostics.iter().map(|diagnostic| {
        let place = sources.slice(diagnostic.span().expect("a place")).to_owned();
        (place, diagnostic.message.clone())
    });
    (doc, found.collect())
}

/// Returns the only routine of a text without errors.
fn routine(text: &str) -> RoutineDoc {
    let (doc, faults) = of(text);
    assert_eq!(faults, []);
    doc.routines.into_iter().next().expect("a routine")
}

fn plain(text: &str) -> (Doc, Vec<Diagnostic>) {
    parse(FileId(0), text, About::Routine(&[]))
}

fn faults(comment: &str) -> Vec<(String, String)> {
    of(&format!("/* Does it.\n\n{comment} */\nproc P(Price: integer); begin end;")).1
}

const FULL: &str = "\
/* P does
   it.  And more.

   T, F: n rows;  X: n bits,
      one for each row.
   v: k bits.
   Idea: first this,
      then that:

        a      table
   Cost: 3*n.
   Source: ours.
   Example:
     var i: integer;
     i:=1;

     if i=1 then
       print(i);
   Prints:
     1                                   */
procedure P(T,F: table(n);
            X: slice(n));
begin end;
";

#[test]
fn finds_the_parts_of_a_comment() {
    let routine = routine(FULL);
    assert_eq!(routine.signature, "procedure P(T,F: table(n);\n            X: slice(n))");
    let doc = routine.doc.expect("a comment");
    assert_eq!(doc.summary(), "P does it");
    let text = [
        Block::Prose("P does it. And more.".to_owned()),
        Block::List(vec![
            "T, F: n rows; X: n bits, one for each row.".to_owned(),
            "v: k bits.".to_owned(),
        ]),
    ];
    assert_eq!(blocks(&doc.text), text);
    let labels: Vec<Label> = doc.sections.iter().map(|section| section.label).collect();
    assert_eq!(labels, [Label::Idea, Label::Cost, Label::Source, Label::Example, Label::Prints]);
    let idea = blocks(&doc.sections[0].lines);
    assert_eq!(idea[0], Block::Prose("first this, then that:".to_owned()));
    assert_eq!(idea[1], Block::Verbatim(vec!["  a      table".to_owned()]));
    let example = doc.section(Label::Example).expect("an example");
    assert_eq!(example.text(), "var i: integer;\ni:=1;\n\nif i=1 then\n  print(i);\n");
    assert_eq!(doc.section(Label::Prints).map(Section::text).as_deref(), Some("1\n"));
}

#[test]
fn examples_become_programs_with_unchanged_positions() {
    let doc = routine(FULL).doc.expect("a comment");
    let program = example::program(
        doc.section(Label::Example).expect("one"),
        &SourceFile::new("p.star", FULL.to_owned()),
        Some("p.star"),
    );
    let lines: Vec<&str> = program.lines().collect();
    assert_eq!(lines[0], "import \"p.star\"; program EXAMPLE; ");
    for (idx, line) in FULL.lines().enumerate() {
        match idx {
            13 => assert_eq!(lines[idx], format!("{line} begin")),
            14 | 16 | 17 => assert_eq!(lines[idx], line),
            _ => {}
        }
    }
    assert_eq!(lines[18..], ["end."]);
}

#[test]
fn constants_precede_the_program_and_whole_programs_stay() {
    let program = |text: &str| {
        let comment = format!("A.\nExample:\n  {text}\n");
        let (doc, faults) = plain(&comment);
        assert_eq!(faults, []);
        example::program(&doc.sections[0], &SourceFile::new("p.star", comment), None)
    };
    assert_eq!(
        program("const n=3; var X: slice(n); i,k: integer; SET(X);"),
        "\n\n  const n=3; program EXAMPLE; var X: slice(n); i,k: integer; begin SET(X);\nend."
    );
    assert_eq!(program("print(1); // so"), "program EXAMPLE; begin \n\n  print(1); // so\nend.");
    let whole = "program P(n: integer); begin print(n) end.";
    assert_eq!(program(whole), format!("\n\n  {whole}"));
}

#[test]
fn trailing_spaces_do_not_count() {
    assert_eq!(example::lines("a  \n\n b\n \n"), ["a", "", " b"]);
    assert_eq!(example::lines(" \n"), [""; 0]);
}

#[test]
fn only_whole_programs_accept_arguments() {
    let (doc, faults) =
        plain("A.\nExample, --graph town.gr P=adjacency:town.gr s=1:\n  program P; begin end.\n");
    assert_eq!(faults, []);
    assert_eq!(doc.sections[0].arguments, "--graph town.gr P=adjacency:town.gr s=1");
    let (_, faults) = plain("A.\nExample, P: table(3,3):\n  print(1);\n");
    assert_eq!(faults.len(), 1);
}

#[test]
fn comments_document_what_directly_follows() {
    let text = "\
// About the
// file.

/* Old. */

/* Of A. */
proc A; begin end; // behind A
// Of B,
// two lines.
//
// Cost: 2.
proc B; begin end;
proc C; begin end; // not of D
proc D; begin end;
";
    let (doc, faults) = of(text);
    assert_eq!(faults, []);
    assert_eq!(doc.head.map(|head| head.summary()).as_deref(), Some("About the file"));
    let summaries: Vec<Option<String>> =
        doc.routines.iter().map(|routine| routine.doc.as_ref().map(Doc::summary)).collect();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(summaries, [some("Of A"), some("Of B, two lines"), None, None]);
    let cost = doc.routines[1].doc.as_ref().and_then(|doc| doc.section(Label::Cost));
    assert_eq!(cost.map(Section::text).as_deref(), Some("2.\n"));
    assert_eq!(of("{ Of A. }\nproc A; begin end;").0.head, None);
    assert!(of("(* Top. *)\n\nproc A; begin end;").0.head.is_some());
    assert!(of("/* Top. */\nimport \"star:mst\";\nproc A; begin end;").0.head.is_some());
    assert_eq!(of("").0, FileDoc::default());
}

#[test]
fn errors_of_form_have_positions() {
    let one = |comment: &str, place: &str, message: &str| {
        assert_eq!(faults(comment), [(place.to_owned(), message.to_owned())], "{comment}");
    };
    one("Cost: 1.\nCost: 2.", "Cost:", "`Cost` occurs twice in a comment");
    one("Cost: 1.\nIdea: none.", "Idea:", "`Idea` follows `Cost`");
    one("Prints:\n  1", "Prints:", "`Prints` without `Example`");
    one("Cost:\nSource: ours.", "Cost:", "the section `Cost` is empty");
    one("Pitfall: none.", "Pitfall", "unknown label `Pitfall` in a documentation comment");
    one("Cost: 1.\n\nMore.", "More.", "this text has no label");
    one("Example:\n  print(1);\nMore.", "More.", "this text has no label");
    assert_eq!(faults("Price: an integer.\nCost: 1,\nor 2."), []);
}

#[test]
fn the_comment_of_a_file_is_free_in_form() {
    let head = "/* About it.\n\n   Sources: [1].\n\n   Cost: low.\n\n   Layout: as ever.\n\n   More. */\n\n";
    let (doc, faults) = of(head);
    assert_eq!(faults, []);
    let head = doc.head.expect("one");
    assert_eq!(head.sections.len(), 2);
    let text = ["About it.", "Sources: [1].", "More."].map(str::to_owned);
    let [about, sources, more] = text;
    assert_eq!(
        blocks(&head.text),
        [Block::Prose(about), Block::List(vec![sources]), Block::Prose(more)]
    );
}

proptest::proptest! {
    #[test]
    fn parser_never_panics_on_comments(
        text in "(/\\*|\\*/|//|\\{|\\}|Example|Prints|Cost|:|, |\n|  |const |var |a|;|program |\\PC|\t){0,60}"
    ) {
        let parsed = parser::parse(FileId(0), &text);
        let (doc, _) = documentation(FileId(0), &text, &parsed);
        let (plain, _) = super::parse(FileId(0), &text, About::File);
        let source = SourceFile::new("m.star", text.clone());
        let docs = doc.routines.iter().filter_map(|routine| routine.doc.as_ref());
        for doc in docs.chain(doc.head.as_ref()).chain([&plain]) {
            doc.summary();
            for section in &doc.sections {
                blocks(&section.lines);
                example::program(section, &source, Some("m.star"));
            }
        }
    }
}

#[test]
fn headers_for_tools_document_nothing() {
    let text = "/* @test t */\n/* The file. */\n\n/* Does it.\n\n   Cost: 1. */\n/* @bench b */\nproc P; begin end;\n\
                /* @test u */\nproc Q; begin end;\n// @test v\n// More.\nproc R; begin end;";
    let (doc, faults) = of(text);
    assert_eq!(faults, []);
    let summaries: Vec<Option<String>> =
        doc.routines.iter().map(|it| it.doc.as_ref().map(Doc::summary)).collect();
    assert_eq!(summaries, [Some("Does it".to_owned()), None, Some("More".to_owned())]);
    assert_eq!(doc.head.map(|head| head.summary()), Some("The file".to_owned()));
    let (doc, _) = of("/* @test t */\nproc P; begin end;");
    assert_eq!(doc.head, None);
}
