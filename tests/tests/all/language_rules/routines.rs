//! §5, 1, 2 and 8: arguments by value and by `var`, and what library routines store in the other
//! rows.

use star_tests::case::ends;
use star_tests::{bits, table};
use star_value::Value;

use super::{codes, rendered, says};

#[test]
fn value_parameters_are_assignable_copies() {
    says(
        "program p; var i: integer; X: slice; T: table(1,2); w: word;
         begin i:=1; X:='01'; w:='1'; q(i,X,T,w); print(i,X,T,w); q(i,X,T,w) end.
         procedure q(i: integer; X: slice; T: table; w: word);
         begin
           i:=i+1; STEP(X); T(1,2):=1; COL(1,T):='1'; if SOME(w) then w:='000'; print(i,X,T,w);
           X:='1'; T:=T; SET(w)
         end;",
        "200\n11\n000\n101\n00\n1\n200\n11\n000\n",
    );
}

#[test]
fn a_value_argument_is_copied_if_also_passed_by_var() {
    let text = "program p; var i: integer; X: slice; T: table(2,2); w: word; b: boolean;
        begin
          i:=5; ints(i,i); print(i); X:='0110'; slices(X,X); print(X); w:='10'; words(w,w); print(w);
          ROW(1,T):='01'; ROW(2,T):='11'; tables(T,T); print(T); b:=true; bools(b,b,b=false); print(b)
        end.
        procedure ints(i: integer; var j: integer); begin j:=1; j:=j+i end;
        procedure slices(X: slice; var Y: slice); begin CLR(Y); Y:=Y or MIRROR(X); Y(1):=X(2) end;
        procedure words(var v: word; w: word); begin v:='111'; v(1):=w(2); print(length(w)) end;
        procedure tables(T: table; var F: table); var j: integer;
        begin for j:=1 to 2 do COL(j,F):=COL(3-j,T) end;
        procedure bools(b: boolean; var c: boolean; d: boolean); begin c:=false; c:=b or d end;";
    says(text, "6\n1110\n2\n011\n10\n11\ntrue\n");
}

#[test]
fn subtc_reads_the_old_table() {
    let text = "procedure q(var F: table; Y: slice; v: word); begin SUBTC(F,Y,v,F) end;";
    let args = vec![
        Value::from(table(&["0110", "0101", "0000", "1111"])),
        Value::Slice(bits("1110")),
        Value::Word(bits("0101")),
    ];
    let expected = Value::from(table(&["0001", "0000", "1011", "0000"]));
    assert_eq!(ends(text, "q", args)[0], expected);
}

#[test]
fn two_var_arguments_must_not_be_the_same_object() {
    let text = "program p; var X: slice; begin X:='0'; q(X,X) end.
        procedure q(var Y,Z: slice); begin Y:=Z end;";
    assert_eq!(
        rendered(&[("test.star", text)]),
        "E0304 1:44 `X` is passed to two `var` parameters\n  at 1:42: here too\n  \
         help: pass a copy, then decide which result to keep\n"
    );
    assert_eq!(codes("procedure q(var i,j: integer); begin q(i,i) end;"), ["E0304"]);
    assert_eq!(codes("procedure q(var i,j: integer); begin q(j,i) end;"), [""; 0]);
}

#[test]
fn var_arguments_are_variables_of_the_same_type() {
    let q = "procedure q(var i: integer); begin i:=0 end;";
    for (call, code) in [
        ("q(1)", "E0303"),
        ("q(X(1))", "E0303"),
        ("q(j+1)", "E0303"),
        ("q(X)", "E0301"),
        ("q(c)", "E0201"),
        ("q(j,j)", "E0302"),
    ] {
        let text = format!(
            "const c=1; program p; var X: slice(1); j: integer; begin SET(X); j:=1; {call} end. {q}"
        );
        assert_eq!(codes(&text).first().map(String::as_str), Some(code), "{call}");
    }
}

#[test]
fn results_through_var_parameters_survive_recursion() {
    says(
        "program p; var X: slice; n: integer; begin X:='11111'; n:=0; down(X,n,3); print(X,n) end.
         procedure down(var X: slice; var n: integer; depth: integer);
         var own: slice; i: integer;
         begin
           own:=X; i:=STEP(X); n:=10*n+i;
           if depth>1 then down(X,n,depth-1);
           if NUMB(own)<>6-i then print(\"own was changed\")
         end;",
        "00011123\n",
    );
}

#[test]
fn rows_outside_the_control_slice_become_zero_or_stay() {
    let run = |call: &str, f: &[&str]| -> Value {
        let text =
            format!("procedure q(T: table; X: slice; v: word; var F: table); begin {call} end;");
        let args = vec![
            Value::from(table(&["01", "10", "11"])),
            Value::Slice(bits("010")),
            Value::Word(bits("01")),
            Value::from(table(f)),
        ];
        ends(&text, "q", args).pop().expect("F")
    };
    let f = ["11", "01", "10"];
    for (call, expected) in [
        ("ADDV(T,F,X,F)", ["00", "11", "00"]),
        ("SUBTV(T,F,X,F)", ["00", "01", "00"]),
        ("ADDC(T,X,v,F)", ["00", "11", "00"]),
        ("SUBTC(T,X,v,F)", ["00", "01", "00"]),
        ("WCOPY(v,X,F)", ["00", "01", "00"]),
        ("WMERGE(v,X,F)", ["11", "01", "10"]),
        ("TMERGE(T,X,F)", ["11", "10", "10"]),
    ] {
        assert_eq!(run(call, &f), Value::from(table(&expected)), "{call}");
    }
}

#[test]
fn extremes_of_an_empty_control_slice_are_empty() {
    says(
        "program p; var T: table(3,2); X,Z: slice(3); begin
           CLR(X); MIN(T,X,Z); print(Z); MAX(T,X,Z); print(Z); X(2):=1; MAX(T,X,Z); print(Z) end.",
        "000\n000\n010\n",
    );
}
