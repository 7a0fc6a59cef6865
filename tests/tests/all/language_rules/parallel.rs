//! §16: loops with independent iterations. A comment with `rule` names the paragraph of the rules
//! of stage 2.

use star_tests::case::traps;

use super::{codes, complains, rendered, runs, says};

const VARS: &str = "T,U: table(4,3); P: table(4,4); X,Y: slice(4); v,w: word(3); i,j,k,n: integer;";

/// Asserts that the statements print this after some variables were set.
fn gives(body: &str, expected: &str) {
    let fill = "ROW(1,T):='110'; ROW(2,T):='011'; ROW(4,T):='101'; X:='0111'; Y:='1010'; v:='001';
        P(1,2):=1; P(2,3):=1; P(3,4):=1; n:=3; k:=2;";
    runs(VARS, &format!("{fill}\n{body}"), expected);
}

/// Asserts that the statements have exactly these messages.
fn refuses(body: &str, expected: &[&str]) {
    let text = format!(
        "procedure Q(var T,U: table(4,3); var P: table(4,4); var X: slice(4); var s: integer; \
         Y: slice(4); n,k: integer);\nvar i,j: integer; w: word; Z: slice(4); begin\n{body} end;"
    );
    complains(&text, expected);
}

#[test]
fn rule_21_iterations_go_over_ones_or_over_a_range() {
    gives("forall i in X do ROW(i,T):=v; print(T)", "110\n001\n001\n001\n");
    gives("forall i in 2..n do ROW(i,T):=v; print(T)", "110\n001\n001\n101\n");
    gives("forall i in 3..2 do ROW(i,T):=v; print(T)", "110\n011\n000\n101\n");
    gives("forall i in ROW(1,T) do COL(i,U):=Y; print(U)", "110\n000\n110\n000\n");
    gives("forall i in X where Y(i)=1 do ROW(i,T):=v; print(T)", "110\n011\n001\n101\n");
    gives(
        "forall i in 1..4 where (i<>k) and (T(i,1)=1) do T(i,3):=0; print(T)",
        "110\n011\n000\n100\n",
    );
    gives("forall i in X do X(i):=0; print(X)", "0000\n");
}

#[test]
fn rule_21_an_iteration_sees_its_own_writes() {
    gives(
        "forall i in 1..4 do begin T(i,2):=X(i); ROW(i,U):=ROW(i,T) end; print(U)",
        "100\n011\n010\n111\n",
    );
    gives(
        "forall i in 1..4 do begin w:=ROW(i,T) and '011'; ROW(i,U):=w or v end; print(U)",
        "011\n011\n001\n001\n",
    );
    gives("forall i in 1..4 do P(i,i):=X(i); print(P)", "0100\n0110\n0011\n0001\n");
    gives(
        "forall i in 1..4 do begin w:=Θ; for j:=1 to 3 do if T(i,j)=0 then w(j):=1;
           ROW(i,T):=w end; print(T)",
        "001\n100\n111\n010\n",
    );
    gives(
        "forall i in 1..4 do begin if Y(i)=0 then continue; ROW(i,T):=v end; print(T)",
        "001\n011\n001\n101\n",
    );
}

#[test]
fn rule_21_rows_columns_elements_and_components() {
    let text = "type R(h) = record w: array[1..3] of uint(h); c: uint(h); s: int(h); b: bit end;
        program p; var E: table(3) of R(4); X: slice(E); i: integer;
        begin E[2].c:=5; X:='011';
        forall i in 1..3 do E.w[i]:=E.c + i;
        forall i in X do begin E[i].c:=E[2].c + i; E[i].s:=0 - i; E[i].b:=1 end;
        forall i in 1..3 where E.b(i)=1 do X(i):=0;
        for i:=1 to 3 do print(E[i].w[1],\" \",E[i].w[3],\" \",E[i].c,\" \",E[i].s,\" \",E.b(i),X(i))
        end.";
    says(text, "1 3 0 0 00\n6 8 7 -2 10\n1 3 8 -3 10\n");
}

#[test]
fn rule_21_two_foralls_nest() {
    gives(
        "forall i in 1..4 do forall j in 1..3 where i<>j do T(i,j):=1; print(T)",
        "111\n111\n110\n111\n",
    );
}

#[test]
fn rule_21_variables_belong_to_an_iteration() {
    refuses(
        "forall i in Y do begin j:=NUMB(ROW(i,T)); ROW(i,U):=WORD(j,3) end; s:=j",
        &["E0317 3:71 `j` has no value here"],
    );
    refuses("j:=0; forall i in Y do j:=j + 1", &["E0317 3:27 `j` has no value here"]);
    refuses("forall i in Y do ROW(i,T):='101'; s:=i", &["E0317 3:38 `i` has no value here"]);
    refuses(
        "forall i in Y do begin if T(i,1)=1 then w:=ROW(i,T); ROW(i,T):=w end",
        &["E0317 3:64 `w` has no value here"],
    );
    refuses(
        "forall i in Y do begin Z(1):=T(i,1); X(i):=Z(i) end",
        &["E0317 3:24 several iterations may write the same part of `Z`"],
    );
    refuses(
        "forall i in Y do begin if T(i,1)=1 then CLR(Z); Z(1):=1; X(i):=Z(i) end",
        &["E0317 3:49 `Z` has no value here"],
    );
    refuses("forall i in Y do s:=i", &["E0317 3:18 several iterations assign `s` as a whole"]);
}

#[test]
fn rule_21_a_result_of_a_routine_may_belong_to_an_iteration() {
    gives(
        "forall i in 1..4 do begin MATCH(T,X,ROW(2,T),Y); P(i,1):=Y(i) end; print(P)",
        "0100\n1010\n0001\n0000\n",
    );
}

#[test]
fn rule_21_iterations_neither_print_nor_leave_the_loop() {
    refuses(
        "forall i in Y do print(i)",
        &["E0317 3:18 an iteration of a `forall` prints, reads or writes"],
    );
    refuses("forall i in Y do exit", &["E0317 3:18 `exit` leaves a `forall` early"]);
    refuses(
        "forall i in Y do if X(i)=1 then break",
        &["E0317 3:33 `break` leaves a `forall` early"],
    );
    gives(
        "forall i in X do for j:=1 to 3 do begin if j=2 then break; T(i,j):=0 end; print(T)",
        "110\n011\n000\n001\n",
    );
    complains(
        "procedure A(i: integer); begin print(i) end;
procedure B(i: integer); begin A(i) end;
procedure C(X: slice); var i: integer; begin forall i in X do B(i) end;",
        &["E0317 3:63 an iteration of a `forall` calls `A`, which prints, reads or writes"],
    );
}

#[test]
fn rule_21_the_lowest_index_traps_first() {
    let text = "program p; var T: table(4,3); i,j: integer; begin j:=0;
        forall i in 1..4 where i>2 do T(i,i+j):=1 end.";
    assert!(traps(text).starts_with("T0101"), "{}", traps(text));
    assert!(traps(text).contains("4"), "{}", traps(text));
}

#[test]
fn rule_22_a_line_that_other_iterations_write_is_read_before() {
    gives("forall i in 1..4 do ROW(i,T):=ROW(i,T) or ROW(k,T); print(T)", "111\n011\n011\n111\n");
    gives("forall i in 1..4 do ROW(i,T):=ROW(2,T); print(T)", "011\n011\n011\n011\n");
    gives("forall i in 1..3 do COL(i,T):=COL(n,T); print(T)", "000\n111\n000\n111\n");
    gives("forall i in 1..4 do X(i):=X(1) + T(i,1); print(X)", "1001\n");
    gives("forall i in 1..4 where T(2,2)=1 do ROW(i,T):=v; print(T)", "001\n001\n001\n001\n");
}

#[test]
fn rule_22_what_would_need_a_copy_is_refused() {
    let at = |column: u32, name: &str| {
        format!("E0317 3:{column} `{name}` is accessed at another index than `i`")
    };
    refuses("forall i in 2..4 do ROW(i,T):=ROW(i-1,T)", &[&at(31, "T")]);
    refuses("forall i in Y do begin ROW(i,T):='000'; ROW(i,U):=ROW(k,T) end", &[&at(51, "T")]);
    refuses("forall i in Y do if i>k then ROW(i,T):=ROW(k,T)", &[&at(40, "T")]);
    refuses("forall i in Y do ROW(i,T):=CONVERT(COL(i,T))", &[&at(36, "T")]);
    refuses("forall i in Y do for j:=1 to 3 do T(i,j):=T(k,j)", &[&at(43, "T")]);
    refuses(
        "forall i in Y do begin U:=P; ROW(i,T):='000' end",
        &["E0317 3:24 several iterations assign `U` as a whole"],
    );
    refuses("forall i in Y do X(i):=NUMB(X)", &[&at(29, "X")]);
    refuses(
        "forall i in Y do begin ROW(i,T):='000'; COL(i,T):=X end",
        &["E0317 3:41 the body writes rows and columns of `T`"],
    );
    refuses(
        "forall i in Y do ROW(k,T):='000'",
        &["E0317 3:18 several iterations may write the same part of `T`"],
    );
    let shown = rendered(&[(
        "test.star",
        "procedure S(var T: table(n,n));\nvar i: integer;\nbegin forall i in 2..n do ROW(i,T):=ROW(i-1,T) end;",
    )]);
    assert_eq!(
        shown,
        "E0317 3:37 `T` is accessed at another index than `i`
  at 3:27: other iterations write this
  note: an iteration reads what there was before the loop: this would need a copy
  help: copy the table or the line to a variable before the loop
"
    );
}

#[test]
fn fields_that_no_iteration_writes_are_read_as_a_whole() {
    let text = "type R(h) = record a,b: uint(h) end;
        program p; var E: table(3) of R(4); i: integer;
        begin E[1].b:=3; E[2].b:=3; E[3].b:=1;
        forall i in 1..3 do E[i].a:=count(E.b = E[i].b);
        for i:=1 to 3 do print(E[i].a) end.";
    says(text, "2\n2\n1\n");
    let text = text.replace("count(E.b = E[i].b)", "count(E.a = E[i].b)");
    assert_eq!(codes(&text), ["E0317"]);
}

#[test]
fn near_misses_of_a_forall_are_refused_by_name() {
    let help = |body: &str| {
        let text = format!("procedure Q(X: slice; n: integer); var i: integer; begin {body} end;");
        rendered(&[("test.star", &text)])
    };
    for body in ["forall i:=1 to n do ;", "forall i in 1 to n do ;", "foreach i in 1..n do ;"] {
        let shown = help(body);
        assert!(shown.contains("`forall i in a..b do`"), "{shown}");
        assert_eq!(shown.matches("E0").count(), 1, "{shown}");
    }
    let text = "type R = record a: uint(3) end;
        procedure Q(var E: table(n) of R); var v: integer; begin forall v in values(E.a) do ; end;";
    assert!(codes(text).contains(&"E0317".to_owned()), "{:?}", codes(text));
    let text = "program p; var E: table(3,3); i: integer; begin forall i in STEP(E) do ; end.";
    assert_ne!(codes(text), [""; 0]);
}
