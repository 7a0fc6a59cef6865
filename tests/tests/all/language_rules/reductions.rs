//! §13: reductions. A comment with `rule` names the paragraph of the rules of stage 2.

use star_tests::case::traps;

use super::{codes, says};

const TYPES: &str = "type R(h) = record a: uint(h); b: bits(2); c: bit end; ";
const VARS: &str = "T: table(5) of R(4); X,Y: slice(5); w: word; i: integer;";
const FILL: &str = "T[1].a:=7; T[2].a:=3; T[3].a:=9; T[4].a:=3; T[5].a:=15; T.c:='11010'; \
    T[1].b:='10'; T[4].b:='11'; X:='10101'; CLR(Y);";

/// Asserts that the statements print this.
fn runs(body: &str, expected: &str) {
    says(&format!("{TYPES} program p; var {VARS} begin {FILL} {body} end."), expected);
}

#[test]
fn rule_18_numbers_are_reduced() {
    runs("print(count(T.c), count(X), count(X where T.c), count(Y))", "3310\n");
    runs("print(sum(T.a),\" \",sum(T.a where X),\" \",sum(T.a where Y))", "37 31 0\n");
    runs("print(min(T.a),max(T.a),min(T.a where X),max(T.a where not X))", "31573\n");
    runs(
        "print(min(T.a where Y else 6), max(T.a where Y else -2), min(T.a where X else 9))",
        "6-27\n",
    );
    runs("print(argmin(T.a),argmax(T.a),argmin(T.a where X),argmax(T.a where Y))", "2510\n");
}

#[test]
fn rule_18_rows_are_selected_and_joined() {
    runs("print(kmin(2,T.a)); print(kmin(3,T.a)); print(kmin(1,T.a))", "01010\n11010\n01000\n");
    runs(
        "print(kmax(2,T.a where X)); print(kmax(9,T.a where X)); print(kmax(4,T.a))",
        "00101\n10101\n11101\n",
    );
    runs("print(kmin(0,T.a),kmin(-1,T.a),kmax(2,T.a where Y))", "000000000000000\n");
    runs(
        "print(orrows(T.b),androws(T.b where X),xorrows(T.b),orrows(T.b where Y),androws(T.b where Y))",
        "1100010011\n",
    );
    runs(
        "w:=orrows(T where X); print(w); X:=kmin(2,T.a where T.c) or Y; print(X)",
        "1111101\n01010\n",
    );
}

#[test]
fn rule_18_joined_rows_of_a_var_parameter_have_its_columns() {
    // The size is known where the table does not grow, and found before the first call.
    let text = "procedure kept(var T: table; X: slice);
        begin if orrows(T where X)=androws(T where X) then ROW(1,T):=xorrows(T where X) end;
        procedure grown(var T: table; X: slice; var w: word);
        begin COL(4,T):=X; ROW(2,T):=orrows(T where X); w:=orrows(T) xor androws(T) end;
        program p; var T: table; w: word;
        begin
          COL(1,T):='011'; COL(2,T):='010'; COL(3,T):='111';
          kept(T,'001'); print(ROW(1,T)); grown(T,'001',w); print(ROW(1,T),ROW(2,T),w)
        end.";
    says(text, "101\n101010110001\n");
}

#[test]
fn rule_18_the_minimum_of_no_row_traps() {
    let text = format!("{TYPES} program p; var {VARS}\nbegin {FILL} print(min(T.a where Y)) end.");
    let trap = traps(&text);
    assert!(trap.starts_with("T0111 ") && trap.contains("no row is selected"), "{trap}");
    // A sum beyond 63 bits.
    let text = "program p; var T: table(2,63);\nbegin T(1,1):=1; T(2,1):=1; print(sum(T)) end.";
    assert!(traps(text).starts_with("T0104 "), "{}", traps(text));
}

#[test]
fn rule_18_plain_tables_are_numbers_too() {
    let text = "program p; var T: table(3,4); X: slice(3); i: integer;
        begin T(1,1):=1; T(2,3):=1; T(3,4):=1; X:='110';
        print(min(T),max(T),sum(T where X),argmin(T where X),kmax(1,T));
        for i:=1 to 2 do print(argmin(T where X)); while min(T where X) < 8 do X:='100' end.";
    says(text, "18102100\n2\n2\n");
}

#[test]
fn rule_18_reductions_work_where_expressions_do() {
    let text = format!(
        "{TYPES}
        function least(T: table(n) of R(h); X: slice(n)): integer;
        begin if count(X)=0 then least:=0 else least:=min(T.a where X) end;
        procedure note(k: integer; X: slice; var i: integer); begin i:=k+count(X) end;
        program p; var {VARS} begin {FILL}
        print(least(T,X), least(T,Y)); note(argmax(T.a),kmin(2,T.a where X),i); print(i);
        foreach i in kmin(2,T.a) do print(i, T[argmin(T.a where X)].a);
        repeat X(argmin(T.a where X)):=0 until ZERO(X); print(X) end."
    );
    says(&text, "70\n7\n27\n47\n00000\n");
}

#[test]
fn rule_18_filters_and_arguments_are_checked() {
    for (body, code) in [
        ("i:=argmin(T.a where X else 1)", "E0318"),
        ("i:=count(X where X else 1)", "E0318"),
        ("i:=NUMB(X where X)", "E0318"),
        ("i:=sum(T.b)", "E0301"),
        ("i:=min(T.c)", "E0301"),
        ("i:=sum(X)", "E0301"),
        ("i:=min(i)", "E0301"),
        ("i:=min(T.a where i)", "E0301"),
        ("i:=min(T.a where X else X)", "E0301"),
        ("X:=kmin(X,T.a)", "E0301"),
        ("i:=argmin(T.z)", "E0315"),
        ("count(X)", "E0310"),
        ("w:=kmin(1,T.a)", "E0301"),
    ] {
        let text = format!("{TYPES} program p; var {VARS} begin {body} end.");
        assert_eq!(codes(&text), [code], "{body}");
    }
    assert_eq!(codes("program p; var where: integer; begin end."), ["E0113"]);
}

#[test]
fn rule_19_routines_of_the_program_hide_reductions() {
    let text = "function Count(X: slice): integer; begin Count:=-1 end;
        program p; var X: slice(2); count: integer; begin CLR(X); print(COUNT(X)); count:=3;
        print(count) end.";
    says(text, "-1\n3\n");
    let text = "procedure MAX(a,b: integer); begin print(a+b) end;
        program p; var X: slice(2); begin MAX(1,2); print(max(X)) end.";
    assert_eq!(codes(text), ["E0302"]);
    says("program p; var T: table(1,2); s: integer; begin s:=SUM(T); print(s) end.", "0\n");
}
