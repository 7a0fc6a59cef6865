//! Suggestions of messages, and one message for each fault.

use star_tests::{check, check_files, messages};

use super::{codes, complains, rendered, says};

#[test]
fn rejects_sizes_that_depend_on_themselves() {
    for (vars, circular) in [
        ("T: table(T);", "T"),
        ("X: slice(Y); Y: slice(X);", "X"),
        ("X: slice(length(Y)+1); Y: word(2*NUMB(X));", "X"),
        ("T: table(rows(F),2); F: table(3,size(T)); X: slice(length(X));", "X"),
    ] {
        let text = format!("program p; var {vars} begin end.");
        let found = messages(&check(&text));
        assert_eq!(found.len(), 1, "{text} {found:?}");
        let expected = format!("the size of `{circular}` depends on itself");
        assert!(found[0].starts_with("E0402 ") && found[0].ends_with(&expected), "{found:?}");
    }
    assert_eq!(codes("procedure p(X: slice(Y); Y: slice(X)); begin end;"), ["E0402"]);
    // Rows by columns and columns by rows are not circular.
    says(
        "program p; var T: table(2,size(F)); F: table(rows(T),3); begin print(rows(F),size(T)) end.",
        "23\n",
    );
}

#[test]
fn long_chains_of_sizes_give_one_message() {
    let chain = |n: usize, last: &str| {
        let links: String = (0..n).map(|i| format!("X{i}: slice(X{});\n", i + 1)).collect();
        format!("program p; var {links} X{n}: slice({last}); begin CLR(X{n}); print(X{n}) end.")
    };
    assert_eq!(codes(&chain(64, "3")), [""; 0]);
    let found = messages(&check(&chain(65, "3")));
    assert_eq!(found, ["E0402 1:26 the size of `X0` is declared through too many others"]);
    for last in ["3", "X0"] {
        assert_eq!(codes(&chain(100_000, last)), ["E0402"], "{last}");
    }
}

#[test]
fn a_flood_of_unknown_names_is_cut_short() {
    let known: String = (0..2000).map(|i| format!("variable{i}: integer;\n")).collect();
    let unknown: String = (0..5000).map(|i| format!("variabel{i} := 1;\n")).collect();
    let compilation = check(&format!("program p; var {known} begin {unknown} end."));
    let found = &compilation.diagnostics;
    assert_eq!(found.len(), 1000);
    assert_eq!(found.iter().filter(|diagnostic| !diagnostic.fixes.is_empty()).count(), 100);
}

#[test]
fn case_suggestions_need_the_same_number_of_parameters() {
    let two = "procedure Foo(a: integer); begin print(a) end;
         procedure FOO(a,b: integer); begin print(a+b) end;";
    says(&format!("program p; begin foo(1); foo(2,3) end. {two}"), "1\n5\n");
    complains(
        &format!("program p; begin foo(1,2,3) end. {two}"),
        &["E0302 1:18 `Foo` takes 1 argument, but 3 are given"],
    );
    let built_in = "procedure Numb(X,Y: slice); begin print(1) end;
         procedure NUMB(X,Y: slice); begin print(2) end;";
    complains(
        &format!("procedure p(X: slice); begin numb(X,X) end; {built_in}"),
        &["E0206 1:30 `numb` is ambiguous"],
    );
    // A routine that hides a library procedure of the same spelling is the nearest.
    let found = codes(
        "procedure p(T: table; var X: slice); begin match(T,X,ROW(1,T),X) end;
         procedure MATCH(T: table; X: slice; v: word; var Z: slice); begin Z:=X end;",
    );
    assert!(!found.contains(&"E0206".to_owned()), "{found:?}");
}

#[test]
fn comparing_component_and_condition_fails_in_either_order() {
    for test in ["X(1) and (X(2)=1)", "(X(2)=1) and X(1)", "(X(2)=1) = X(1)", "X(1) <> (X(2)=1)"] {
        let text = format!("program p; var X: slice(2); begin SET(X); if {test} then exit end.");
        assert_eq!(codes(&text), ["E0307"], "{test}");
    }
    let text = "program p; var X: slice(2); i: integer; begin SET(X); i:=X(1)+(X(2)=1) end.";
    complains(text, &["E0301 1:63 expected an integer, found a boolean"]);
}

#[test]
fn a_similar_name_gets_one_fix() {
    assert_eq!(
        rendered(&[(
            "test.star",
            "procedure p(weight: slice; var i: integer);\nbegin i:=Weight(1) end;"
        )]),
        "E0202 2:10 routine `Weight` is not declared\n  at 1:13: a similar name\n  \
         note: names are case-sensitive\n  \
         fix 2:10-2:16 did you mean `weight`? => \"weight\"\n"
    );
    // A statement cannot mean a variable.
    assert_eq!(
        rendered(&[("test.star", "procedure p(weight: slice);\nbegin Weight(1) end;")]),
        "E0202 2:7 routine `Weight` is not declared\n"
    );
}

#[test]
fn invalid_tokens_give_one_message_per_line() {
    for (line, code) in [
        ("i := 1 & 2;", "E0101"),
        ("i := 1 /\n  2;", "E0101"),
        ("i := NUMB(X & Y);", "E0101"),
        ("if i != 2 then i := 1;", "E0101"),
        ("print(\"abc);", "E0102"),
        ("X := '0110;", "E0102"),
        ("if EQ(w,'0110) then\n  i := 1;", "E0102"),
    ] {
        let text = format!(
            "procedure p(w: word; var X,Y: slice; var i: integer);\nbegin\n{line}\ni := 3\nend;"
        );
        assert_eq!(codes(&text), [code], "{line}");
    }
    // Errors elsewhere are still reported.
    assert_eq!(
        codes("program p;\nvar i: integer;\nbegin i := 1 & 2;\ni := := 1 end."),
        ["E0101", "E0105"]
    );
    assert_eq!(
        codes("program p;\nvar i: integer;\nbegin i := := 1;\ni := 1 & 2; end."),
        ["E0105", "E0101"]
    );
    assert_eq!(codes("program p; begin i := & 2"), ["E0101", "E0105"]);
}

#[test]
fn an_end_in_a_comment_or_string_is_not_reported_missing() {
    assert_eq!(codes("program p;\nbegin /* one\nend."), ["E0102"]);
    assert_eq!(codes("program p;\nbegin print(1) { one\nend.\nprocedure q; begin end;"), ["E0102"]);
    assert_eq!(codes("program p; begin print(\"one) end."), ["E0102"]);
    assert_eq!(codes("program p; begin print(\"one)"), ["E0102", "E0105"]);
    // The preceding items are not affected.
    assert_eq!(
        codes("program p; begin print(1)\nprocedure q; begin /* one end;"),
        ["E0105", "E0102"]
    );
}

#[test]
fn names_are_not_reported_missing_if_an_import_fails() {
    let text = "import \"lib.star\";
        const a = LIMIT;
        procedure p(X: slice(SIZE); var i: integer); begin i := f(X) + LIMIT; CLOSE(X) end;";
    let of = |files: &[(&str, &str)]| -> Vec<String> {
        let compilation = check_files(files);
        compilation.diagnostics.iter().map(|diagnostic| diagnostic.code.to_string()).collect()
    };
    assert_eq!(of(&[("test.star", text)]), ["E0204"]);
    // Another file's import is independent, and so is another fault.
    let main = "import \"a.star\"; program p; var i: integer; begin i := true; CLOSE(i) end.";
    assert_eq!(
        of(&[("test.star", main), ("a.star", "import \"b.star\"; procedure q; begin f end;")]),
        ["E0301", "E0202", "E0204"]
    );
}

#[test]
fn a_reserved_word_is_not_reported_as_an_unknown_name() {
    assert_eq!(
        codes("program p; var i: integer; begin i := where; array(1); of := 2 end."),
        ["E0113"; 3]
    );
}

#[test]
fn hir_shows_sizes_and_callees() {
    let text = "function f(T: table): integer; begin f := rows(T) end;
        procedure q(T: table(n,n); X: slice(T); var Y: slice(n+1));
        begin if SOME(X) then Y(f(T)) := 1; q(T,X,Y) end;";
    let dump = star_compiler::dump_hir(&check(text));
    for part in
        ["`T`: Value table(n@", "`X`: Value slice(rows(T@", "slice((n@", "(f(T@", "call q(T@"]
    {
        assert!(dump.contains(part), "{part}\n{dump}");
    }
}
