//! §2: letters, names, comments, assignments, files.

use star_tests::case::prints;

use super::{codes, complains, prints_of, rendered, runs, says};

#[test]
fn keywords_and_built_ins_ignore_case() {
    says(
        "PROGRAM p; Var X: Slice; N: INTEGER; b: Boolean; BEGIN X:='0110'; n(X,N); b:=TRUE;
         IF Some(X) AND b Then Print(fnd(X),NuMb(X),N) Else PRINT(0); END.
         Procedure n(X: SLICE; VAR k: Integer); begin k:=LENGTH(X) end;",
        "224\n",
    );
}

#[test]
fn declared_names_are_case_sensitive() {
    says(
        "program p; var X: slice; x: integer; begin X:='01'; x:=FND(X); print(x,X); end.",
        "201\n",
    );
    complains(
        "program p; var Xx: slice; begin Xx:='01'; print(XX); end.",
        &["E0201 1:49 `XX` is not declared"],
    );
}

#[test]
fn routine_names_match_exactly_or_by_unique_case() {
    says(
        "program p; begin f; F; g end.
         procedure f; begin print(\"f\") end;
         procedure F; begin print(\"F\") end;
         procedure G; begin print(\"G\") end;",
        "f\nF\nG\n",
    );
    let text = "program p; begin go(1) end.
         procedure Go(i: integer); begin end;
         procedure GO(i: integer); begin end;";
    complains(text, &["E0206 1:18 `go` is ambiguous"]);
}

#[test]
fn hyphenated_names_are_called_as_statements_even_with_blanks() {
    says(
        "proc WARSHALL-C(n: integer); begin print(n) end;
         proc WARSHALL - adapt; begin print(\"adapt\") end;
         proc A-B-C; begin print(\"abc\") end;
         program p; begin WARSHALL-C(1); WARSHALL - C(2); WARSHALL-adapt; a-b -c end.",
        "1\n2\nadapt\nabc\n",
    );
    assert_eq!(codes("function f-g: integer; begin end;"), ["E0312"]);
    // In an expression the hyphen is a minus.
    runs("a,b: integer;", "a:=5; b:=2; print(a-b)", "3\n");
}

#[test]
fn there_are_four_kinds_of_comments() {
    runs(
        "i: integer; { x } (* y *)",
        "i:=1; /* i:=2; // */ // i:=3;
         { i:=4; (* } (* i:=5; { *) print(i) /* Здесь */",
        "1\n",
    );
    complains("program p; begin /* end.", &["E0102 1:18 this comment is not closed"]);
}

#[test]
fn assignments_have_three_spellings_two_with_lint_and_fix() {
    let text = "program p; var i,k: integer; X: slice;
begin i=1; k: =2; for i = 1 to 3 do k : = k+i; X='10'; X(2)=1; print(k,X) end.";
    assert_eq!(prints(text), "811\n");
    assert_eq!(codes(text), ["W0101"; 6]);
    let first = rendered(&[("test.star", "program p; var i: integer; begin i=1 end.")]);
    assert_eq!(first, "W0101 1:35 `=` as an assignment\n  fix 1:35-1:36 write `:=` => \":=\"\n");
    let spaced = rendered(&[("test.star", "program p; var i: integer; begin i : \t = 1 end.")]);
    assert_eq!(
        spaced,
        "W0101 1:36 `: =` with a space inside as an assignment\n  \
         fix 1:36-1:41 write `:=` => \":=\"\n"
    );
}

#[test]
fn theta_is_the_zero_slice_or_word_and_symbols_have_spellings() {
    runs(
        "X: slice(3); w: word(2); b: boolean;",
        "X:=Θ; w:=∅; print(X,w); X:='010';
         b:=X ≠ Θ; print(b,¬b,not b,X<>Θ,Θ=w); X:=¬X; print(X); X:=Θ xor X; print(X)",
        "00000\ntruefalsefalsetruetrue\n101\n101\n",
    );
}

#[test]
fn theta_requires_a_context_that_determines_its_size() {
    for text in [
        "program p; begin print(Θ) end.",
        "program p; begin print(SOME(Θ)) end.",
        "program p; begin if Θ=Θ then print(1) end.",
        "program p; begin q(Θ) end. procedure q(X: slice); begin end;",
        "program p; begin q(Θ) end. procedure q(X: slice(3)); begin end;",
    ] {
        assert_eq!(codes(text), ["E0311"], "{text}");
    }
    // An unsized variable keeps its size, as with CLR.
    runs("X: slice;", "X:='0110'; X:=Θ; print(X); X:=not Θ; print(X)", "0000\n1111\n");
    runs("X: slice;", "X:='01'; X:=not Θ and X; print(X); X:=Θ or Θ or X; print(X)", "01\n01\n");
}

#[test]
fn goto_is_parsed_and_reported_as_unsupported() {
    assert_eq!(codes("program p; begin L: print(1); goto L end."), ["E0109", "E0109"]);
}

#[test]
fn typos_of_pasted_listings_are_errors_with_a_fix() {
    let text = "program p; var i: integer;\nbegin i:=1; if i=1 then print(i); else print(2) end.";
    assert_eq!(codes(text), ["E0106"]);
    let text = "1 program p; var i: integer;\n2 begin i:=1;\n3 print(i) end.";
    assert_eq!(codes(text), ["E0107"]);
}

#[test]
fn keywords_of_later_stages_are_reserved() {
    for word in ["type", "record", "array", "of", "forall", "where", "elsewhere", "Array"] {
        let text = format!("program p; var {word}: integer; begin end.");
        assert_eq!(codes(&text), ["E0113"], "{text}");
    }
}

#[test]
fn predeclared_routines_can_be_redeclared() {
    says(
        "program p; begin print(7); assert(1); write(2,3) end.
         procedure assert(i: integer); begin print(i) end;
         procedure write(i,j: integer); begin print(i+j) end;",
        "7\n1\n5\n",
    );
    says(
        "program p; var n: integer; begin n:=0; print(n); print(n); q(n) end.
         procedure print(var i: integer); begin i:=i+1 end;
         procedure q(i: integer); begin assert(i=2, \"twice\") end;",
        "",
    );
}

#[test]
fn routines_may_be_used_before_declaration_and_recursively() {
    says(
        "program p; begin print(fib(10)); print(even(7)) end.
         function fib(n: integer): integer;
         begin if n<2 then fib:=n else fib:=fib(n-1)+fib(n-2) end;
         function even(n: integer): boolean;
         begin if n=0 then even:=true else even:=odd(n-1) end;
         function odd(n: integer): boolean;
         begin if n=0 then odd:=false else odd:=even(n-1) end;",
        "55\nfalse\n",
    );
}

#[test]
fn duplicate_declarations_are_reported() {
    for text in [
        "program p; var i: integer; i: slice; begin end.",
        "procedure q(i,i: integer); begin end;",
        "procedure q(i: integer); var i: integer; begin end;",
        "procedure q; begin end; procedure q; begin end;",
        "const c=1; procedure c; begin end;",
    ] {
        assert_eq!(codes(text), ["E0203"], "{text}");
    }
    assert_eq!(codes("program p; begin end. program q; begin end."), ["E0208"]);
}

const MAIN: &str = "import \"a.star\"; import \"b.star\"; program p; begin a; b end.";

#[test]
fn imports_provide_names_even_in_a_cycle() {
    let a = ("a.star", "import \"b.star\"; procedure a; begin print(\"a\",n); b end; const n=1;");
    let b = ("b.star", "import \"a.star\"; procedure b; begin print(\"b\",n) end;");
    assert_eq!(rendered(&[("test.star", MAIN), a, b]), "");
    assert_eq!(prints_of(&[("test.star", MAIN), a, b]), "a1\nb1\nb1\n");
    // A file may import itself, and one file twice.
    let itself = "import \"test.star\"; import \"test.star\"; program p; begin q end.
        procedure q; begin print(1) end;";
    assert_eq!(prints_of(&[("test.star", itself)]), "1\n");
}

#[test]
fn imports_are_not_transitive() {
    let a = ("a.star", "import \"b.star\"; procedure a; begin b end;");
    let b = ("b.star", "procedure b; begin print(1) end;");
    let text = "import \"a.star\"; program p; begin a; b end.";
    assert_eq!(
        rendered(&[("test.star", text), a, b]).lines().next(),
        Some("E0202 1:38 routine `b` is not declared")
    );
}

#[test]
fn a_name_declared_by_two_imports_is_an_error_at_the_import() {
    let a = ("a.star", "procedure a; begin end; procedure same; begin end;");
    let b = ("b.star", "procedure b; begin end; const same=1;");
    assert_eq!(
        rendered(&[("test.star", MAIN), a, b]),
        "E0205 1:25 `same` is declared here and by another import\n  \
         at 1:8: this file declares `same` too\n  \
         help: rename one of the two, or import only one of the files\n"
    );
}

#[test]
fn declarations_of_the_file_hide_imported_ones() {
    let a = ("a.star", "procedure q; begin print(\"imported\") end;");
    let text = "import \"a.star\"; program p; begin q end. procedure q; begin print(\"own\") end;";
    assert_eq!(prints_of(&[("test.star", text), a]), "own\n");
}

#[test]
fn an_unreadable_import_is_reported_at_the_import() {
    let text = "import \"nowhere.star\"; program p; begin end.";
    assert_eq!(
        rendered(&[("test.star", text)]).lines().next(),
        Some("E0204 1:8 cannot read `nowhere.star`: no such file")
    );
}
