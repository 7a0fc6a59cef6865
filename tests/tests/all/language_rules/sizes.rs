//! §3: sizes of slices and words, and sizes in headers.

use star_tests::case::{call_traps, ends, traps};
use star_tests::{bits, table};
use star_value::Value;

use super::{codes, complains, rendered, runs, says};

#[test]
fn unsized_variables_get_a_new_size_at_every_assignment() {
    runs(
        "X: slice; w: word; i: integer;",
        "X:='01'; print(X); X:='10101'; print(X,NUMB(X));
         for i:=1 to 3 do begin w:=WORD(i,i+1); print(w) end;
         if NUMB(X)=3 then w:='1' else w:='11'; print(w); SET(w); print(w)",
        "01\n101013\n01\n010\n0011\n1\n1\n",
    );
}

#[test]
fn tables_with_declared_rows_begin_without_columns() {
    runs("T: table(3);", "print(rows(T),size(T))", "30\n");
    runs("T: table(3); X: slice(T); U: table(T);", "SET(X); print(X,rows(U),size(U))", "11130\n");
}

#[test]
fn sized_variables_keep_their_size() {
    let text = "program p; var X: slice(3); i: integer;\nbegin i:=2; CLR(X); q(X,i) end.
        procedure q(var Y: slice; i: integer);\nbegin\n  Y:=CONVERT(WORD(1,i))\nend;";
    assert_eq!(
        traps(text),
        "T0102 2:21 sizes differ: `X` has 2 components, expected 3\n  \
         note: X = 01\n        i = 2\n"
    );
    let text = "program p; var w: word(2); n: integer;\nbegin n:=3;\n  w:=WORD(0,n)\nend.";
    assert_eq!(traps(text), "T0102 3:3 expected the size 2, found 3\n  note: n = 3\n");
}

#[test]
fn declared_sizes_are_evaluated_when_first_set_or_passed() {
    // X(T) has the row count of T at that time, whatever T has later.
    runs(
        "T: table; X,Y: slice(T); v: word(T); i: integer;",
        "COL(1,T):='010'; SET(X); CLR(v); print(X,v);
         COL(2,T):='111'; CLR(Y); print(Y,length(v),length(X))",
        "1110\n00013\n",
    );
    runs(
        "n: integer; X: slice(n); Y: slice(n+1);",
        "n:=2; SET(X); n:=3; SET(Y); n:=9; CLR(X); print(X,Y)",
        "001111\n",
    );
}

#[test]
fn a_declared_size_is_known_through_a_var_parameter() {
    says(
        "program p; var T: table; X: slice(T); begin COL(1,T):='0101'; q(T,X); print(X) end.
         procedure q(T: table; var X: slice); begin CLR(X); X(2):=1 end;",
        "0100\n",
    );
}

#[test]
fn declared_sizes_of_unset_variables_bind_names() {
    let routines = "procedure B(var X,Y: slice(n)); begin print(n); SET(X); CLR(Y) end;
        procedure C(var T: table(n,k); var w: word(k)); begin print(n,k); SET(w) end;";
    let run = |declared: &str, body: &str| {
        format!("program p; var {declared} begin {body} end. {routines}")
    };
    says(&run("X,Y: slice(3);", "B(X,Y); print(X,Y)"), "3\n111000\n");
    says(&run("X: slice(2); Y: slice;", "B(X,Y); print(X,Y)"), "2\n1100\n");
    says(&run("Y: slice(2); X: slice;", "B(X,Y); print(X,Y)"), "2\n1100\n");
    says(&run("T: table(2,3); w: word;", "C(T,w); print(w)"), "23\n111\n");
    let unknown = traps(&run("X,Y: slice;", "B(X,Y)"));
    assert!(unknown.starts_with("T0103 "), "{unknown}");
    assert!(unknown.contains("no argument determines the size `n`"), "{unknown}");
}

#[test]
fn an_unknown_size_traps() {
    let text = "program p; var T: table; X: slice(T);\nbegin\n  SET(X); COL(1,T):=X\nend.";
    assert_eq!(
        traps(text),
        "T0114 3:3 the size of `T` is not known yet\n\
         \x20 help: write a column first, or declare its sizes: `table(n,k)`\n"
    );
    assert_eq!(
        traps("program p; var n: integer; X: slice(n);\nbegin n:=-1;\n  CLR(X); print(X)\nend."),
        "T0113 1:37 `n` is -1, but a size or count must not be negative\n  note: n = -1\n"
    );
    let unsized_one = "program p; var X: slice;\nbegin SET(X); print(X) end.";
    assert_eq!(codes(unsized_one), ["W0103"]);
    assert_eq!(
        traps(unsized_one),
        "T0114 2:7 the size of `X` is not known yet\n\
         \x20 help: assign a value first, or declare its size: `slice(n)`, `word(n)`\n"
    );
}

#[test]
fn header_sizes_may_name_later_parameters_and_constants() {
    let text = "const h=2;
        program p; begin q('101',3,'10'); r('1011','11') end.
        procedure q(X: slice(n); n: integer; w: word(h)); begin print(X,n,w) end;
        procedure r(X: slice(h*n); w: word(n)); begin print(n,X,w) end;";
    says(text, "101310\n2101111\n");
    let text = "procedure q(X: slice(n);\n  n: integer);\nbegin end;
        program p; begin\n  q('101',4) end.";
    assert_eq!(codes(text), Vec::<String>::new());
    assert_eq!(
        traps(text),
        "T0102 5:3 sizes differ: `X` has 3 components, expected 4\n  \
         at 1:13: required here\n  note: X = 101\n"
    );
}

#[test]
fn other_names_in_sizes_are_bound_if_all_arguments_agree() {
    let text = "program p; var T,F: table; Z: slice;
        begin COL(1,T):='01'; COL(2,T):='11'; F:=T; q(T,F,'10',Z); print(Z) end.
        procedure q(T,F: table(n,h); X: slice(n); var Z: slice(n));
        begin print(n,h); CLR(Z); Z(n):=1 end;";
    says(text, "22\n01\n");
    let header = "procedure q(T: table(n,h);\n  X: slice(n));\nbegin print(h) end;";
    let args = vec![Value::from(table(&["01", "11"])), Value::Slice(bits("011"))];
    assert_eq!(
        call_traps(header, "q", args),
        "T0102 2:3 sizes differ: `X` has 3 components, expected 2\n  \
         note: the sizes of the arguments must agree with the header\n  note: X = 011\n"
    );
}

#[test]
fn bound_sizes_are_read_only_and_occur_alone() {
    complains(
        "procedure q(X: slice(n));\nbegin n:=1 end;",
        &["E0305 2:7 `n` is a size bound by the header"],
    );
    assert_eq!(codes("procedure q(X: slice(n+1); Y: slice(2*n)); begin end;"), ["E0402"]);
}

#[test]
fn a_visible_mismatch_is_an_error_with_both_declarations() {
    let text = "program p; var X: slice(3); Y: slice(4);\nbegin SET(X); SET(Y);\n  X:=X and Y end.";
    assert_eq!(
        rendered(&[("test.star", text)]),
        "E0401 3:6 sizes 3 and 4 cannot agree\n  \
         at 1:16: `X` has 3 components\n  at 1:29: `Y` has 4 components\n"
    );
    for text in [
        "program p; var X: slice(3); begin X:='01' end.",
        "program p; var T: table(2,3); begin COL(1,T):='011' end.",
        "program p; var T: table(2,3); begin ROW(1,T):='01' end.",
        "program p; begin q('01','011') end. procedure q(X,Y: slice(n)); begin end;",
        "program p; begin q('01') end. procedure q(X: slice(3)); begin end;",
        "program p; begin print('01' = '011') end.",
    ] {
        assert_eq!(codes(text), ["E0401"], "{text}");
    }
}

#[test]
fn other_mismatches_trap_with_both_sizes() {
    let text = "procedure q(X,Y: slice; var Z: slice);\nbegin\n  Z:=X xor Y\nend;";
    let args = ["01", "011"].map(|text| Value::Slice(bits(text)));
    let args = [&args[..], &[Value::Unset]].concat();
    assert_eq!(
        call_traps(text, "q", args),
        "T0102 3:3 sizes differ: `X` has 2 components, `Y` has 3 components\n  \
         note: X = 01\n        Y = 011\n"
    );
}

#[test]
fn single_operation_library_procedures_trap_at_their_call() {
    for call in ["MIN(T,X,Z)", "MAX(T,X,Z)", "HIT(T,T,X,Z)"] {
        let text = format!(
            "procedure q(T: table; X: slice; var Z: slice);\nbegin\n  {call};\n  print(1)\nend;\n\
             program p; var T: table(3,2); X: slice(3); Z: slice(4);\n\
             begin SET(X); CLR(Z); q(T,X,Z) end."
        );
        let trap = traps(&text);
        assert!(
            trap.starts_with("T0102 3:3 sizes differ: `Z` has 4 components, expected 3\n"),
            "{trap}"
        );
    }
}

#[test]
fn unset_variables_trap_when_read_and_warn_if_visible() {
    for (vars, body) in [
        ("i: integer;", "print(i)"),
        ("b: boolean;", "print(b)"),
        ("X: slice;", "print(X)"),
        ("X: slice(3);", "print(SOME(X))"),
        ("X: slice(3);", "X(1):=1"),
        ("T: table;", "print(COL(1,T))"),
    ] {
        let text = format!("program p; var {vars} begin {body} end.");
        assert_eq!(codes(&text), ["W0103"], "{text}");
        let trap = traps(&text);
        assert!(trap.starts_with("T0103") || trap.starts_with("T0114"), "{text}: {trap}");
    }
    let text = "procedure q(b: boolean; var i: integer); var j: integer;
        begin if b then j:=1;\n  i:=j end;";
    assert_eq!(codes(text), Vec::<String>::new());
    let values = ends(text, "q", vec![Value::Bool(true), Value::Unset]);
    assert_eq!(values[1], Value::Int(1));
    let trap = call_traps(text, "q", vec![Value::Bool(false), Value::Unset]);
    assert_eq!(trap, "T0103 3:6 `j` was never set\n");
}

#[test]
fn variables_are_unset_at_the_start_of_every_call() {
    let text = "program p; var n: integer; begin n:=1; q(n); q(n) end.
        procedure q(var n: integer); var i: integer;
        begin if n=1 then i:=5; n:=n+1;\n  print(i) end;";
    let trap = traps(text);
    assert!(trap.starts_with("T0103 4:9 `i` was never set"), "{trap}");
}

#[test]
fn a_call_that_sets_nothing_leaves_the_variable_unchanged() {
    runs_with_q("X:='0110'; q(X); print(X); q(X)", "procedure q(var Y: slice); begin end;");
    runs_with_q(
        "X:='0110'; q(X); print(X); q(X)",
        "procedure q(var Y: slice(n)); begin if n=0 then CLR(Y) end;",
    );
    runs_with_q(
        "X:='0110'; q(X); print(X)",
        "procedure q(var Y: slice); begin r(Y) end; procedure r(var Y: slice); begin end;",
    );
}

fn runs_with_q(body: &str, q: &str) {
    says(&format!("program p; var X: slice; begin {body} end. {q}"), "0110\n");
}

#[test]
fn zero_rows_and_zero_columns_are_legal() {
    runs(
        "X: slice(0); w: word(0); T: table(0,3); F: table(2,0);",
        "SET(X); CLR(w); print(SOME(X),ONE(X),ZERO(X),FND(X),NUMB(X),length(w));
         print(STEP(w),X=Θ,EQ(w,''),INT(w));
         print(size(T),rows(T),size(F),rows(F)); X:=COL(3,T); print(length(X));
         w:=ROW(2,F); print(length(w))",
        "falsetruetrue000\n0truetrue0\n3002\n0\n0\n",
    );
}
