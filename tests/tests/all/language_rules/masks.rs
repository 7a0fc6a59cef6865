//! §15: assignments in selected rows; §13.5: loops over the distinct numbers of a field. A comment
//! with `rule` names the paragraph of the rules of stage 2.

use star_tests::case::traps;

use super::{codes, rendered, says};

const TYPES: &str =
    "type R(h) = record a,b: uint(h); s: int(h); n: uint(2); tag: bits(2); c: bit end; ";
const VARS: &str = "E: table(5) of R(3); X: slice(E); i: integer; w: word;";
const FILL: &str = "E[1].a:=3; E[2].a:=7; E[4].a:=7; E[5].a:=1; E[1].b:=3; E[2].b:=3; E[3].b:=3;
    E[4].b:=7; E[5].b:=5; E.c:='10010'; X:='01100'; i:=2;";

fn program(body: &str) -> String {
    format!("{TYPES} program p; var {VARS} begin {FILL}\n{body} end.")
}

/// Asserts that the statements give these numbers of a field to the rows.
fn gives(body: &str, field: &str, expected: &str) {
    let shown = format!("foreach i in not (X and not X) do print(E[i].{field}); ");
    let text = program(&format!("{body}; {shown}"));
    says(&text, &expected.split(' ').map(|number| format!("{number}\n")).collect::<String>());
}

fn trap(body: &str) -> String {
    traps(&program(body)).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn rule_14_assignments_apply_to_the_selected_rows() {
    gives("where E.a = 7 do E.a:=E.b end", "a", "3 3 0 7 1");
    gives("where E.a = 7 do E.a:=E.b - i; E.b:=0 end", "b", "3 0 3 0 5");
    gives("where E.c do E.a:=high(E.a) end", "a", "7 7 0 7 1");
    gives("where not E.c do E.s:=low(E.s) end", "s", "0 -4 -4 0 -4");
    gives("where X do E.c:=1; E.tag:='10' end", "c", "1 1 1 1 0");
    gives("where X do E.c:=1; E.tag:='10' end", "tag", "00 10 10 00 00");
    gives("where E.b > 3 do E.c:=X end", "c", "1 0 0 0 0");
    gives("where E.b > 3 do E.c:=not Θ end", "c", "1 0 0 1 1");
    says(&program("where E.b > 3 do X:=E.c end; print(X)"), "01110\n");
    says(&program("where E.b > 3 do X:=Θ; X:=not X end; print(X)"), "01111\n");
}

#[test]
fn rule_14_masks_nest_and_an_if_decides_for_all_rows() {
    let body = "where E.b = 3 do where E.a > 2 do E.n:=1 elsewhere E.n:=2 end; \
                if i > 1 then begin where E.c do E.a:=6 end end else E.a:=5 end";
    gives(body, "n", "1 1 2 0 0");
    gives(body, "a", "6 7 0 7 1");
}

#[test]
fn rule_15_conditions_are_evaluated_in_order_and_kept() {
    let body = "where E.a > 2 do E.a:=0; E.n:=1 elsewhere E.a = 0 do E.n:=2 elsewhere E.n:=3 end";
    gives(body, "n", "1 1 2 1 3");
    gives("where E.c do E.b:=1 elsewhere E.b = 1 do E.n:=1 elsewhere E.n:=2 end", "n", "0 2 2 0 2");
    // Only rows of the mask trap.
    gives("where E.a < 7 do E.a:=E.a + 1 end", "a", "4 7 1 7 2");
    let trapped = trap("where E.a > 3 do E.a:=E.a + 1 end");
    assert!(trapped.starts_with("T0108 3:18"), "{trapped}");
    assert!(trapped.contains("row 2 does not fit in a field of 3 columns"), "{trapped}");
    gives("where E.a > E.b do E.a:=E.a - E.b elsewhere E.a:=0 end", "a", "0 4 0 0 0");
}

#[test]
fn rule_16_a_where_may_follow_every_keyword() {
    gives("if i = 2 then where E.c do E.n:=1 end else E.n:=2", "n", "1 0 0 1 0");
    gives("for i:=1 to 2 do where E.a = i do E.n:=i end", "n", "0 0 0 0 1");
    gives("repeat where E.c do E.n:=E.n + 1 end; i:=i - 1 until i = 0", "n", "2 0 0 2 0");
}

#[test]
fn rule_14_everything_else_is_refused() {
    for body in [
        "i:=1",
        "E[1].a:=1",
        "E[1]:=w",
        "X(1):=1",
        "E.c(1):=1",
        "COL(1,E):=X",
        "SET(X)",
        "CLR(E.c)",
        "i:=STEP(X)",
        "print(i)",
        "exit",
        "while false do E.a:=1",
        "for i:=1 to 2 do E.a:=1",
        "foreach i in X do E.a:=1",
        "repeat E.a:=1 until true",
        "MIN(E.a,X,X)",
    ] {
        let text = program(&format!("where X do {body} end"));
        assert_eq!(codes(&text), ["E0319"], "{body}");
        let shown = rendered(&[("test.star", &text)]);
        assert!(shown.contains("help: "), "{shown}");
    }
    let unsized_slice = "program p; var X: slice(2); Y: slice; begin where X do Y:=X end end.";
    assert_eq!(codes(unsized_slice), ["E0319"]);
}

#[test]
fn rule_17_rows_must_agree_where_the_declarations_show_it() {
    let text = |body: &str| {
        format!(
            "type R(h) = record a: uint(h) end; procedure P(var E: table(m) of R(h); \
             var F: table(n) of R(h); var G: table(m) of R(h); var X: slice(E); var Y: slice(n));\n\
             begin {body} end;"
        )
    };
    let none: [&str; 0] = [];
    assert_eq!(codes(&text("where E.a > 1 do G.a:=1; X:=E.a = 2 end")), none);
    assert_eq!(codes(&text("where E.a > 1 do F.a:=1 end")), ["E0401"]);
    assert_eq!(codes(&text("where E.a > 1 do Y:=Θ end")), ["E0401"]);
    assert_eq!(codes(&text("where (E.a > 1) and Y do E.a:=1 end")), ["E0401"]);
    let shown = rendered(&[("test.star", &text("where E.a > 1 do F.a:=1 end"))]);
    assert!(shown.contains("`E` and `F` may have different numbers of rows"), "{shown}");
}

#[test]
fn rule_17_reductions_ignore_the_mask() {
    gives("where E.c do E.n:=count(E.b = 3) end", "n", "3 0 0 3 0");
}

#[test]
fn rule_20_values_are_distinct_and_in_order() {
    says(
        &program("foreach i in values(E.a) do print(i,\" \",count(E.a = i))"),
        "0 1\n1 1\n3 1\n7 2\n",
    );
    says(&program("foreach i in values(E.a where E.a = 6) do print(i)"), "");
    says(&program("foreach i in values(E.a - E.b where E.c) do print(i)"), "0\n");
    says(&program("E.s:=min(E.a,5) - 3; foreach i in values(E.s) do print(i)"), "-3\n-2\n0\n2\n");
    says(&program("E[2].tag:='11'; foreach w in values(E.tag) do print(w)"), "00\n11\n");
    // The field and the rows are those on entry.
    let body = "foreach i in values(E.a where X) do begin E.a:=0; CLR(X); print(i) end";
    says(&program(body), "0\n7\n");
    let body = "foreach i in values(E.a) do begin if i = 1 then continue; if i = 7 then break; print(i) end";
    says(&program(body), "0\n3\n");
    assert_eq!(codes(&program("foreach w in values(E.a) do print(w)")), ["E0301"]);
    assert_eq!(codes(&program("foreach i in values(E.a) do i:=2")), ["E0305"]);
}
