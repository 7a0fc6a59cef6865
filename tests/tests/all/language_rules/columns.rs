//! §14: relations of fields, and numbers that all rows get. A comment with `rule` names the
//! paragraph of the rules of stage 2.

use star_tests::case::{call_traps, ending, traps};
use star_tests::run::Program;
use star_tests::table;
use star_value::Value;
use star_vm::Outcome;

use super::{codes, rendered, says};

const TYPES: &str = "type R(h) = record a,z: uint(h); n: uint(2); b: bits(2); c: bit end;
    type C(n,h) = record w: array[1..n] of uint(h) end; ";
const VARS: &str =
    "T: table(5) of R(4); M: table(5) of C(2,3); X,Y: slice(5); w: word; i: integer;";
const FILL: &str = "T[1].a:=7; T[2].a:=3; T[3].a:=9; T[4].a:=3; T[5].a:=15; T[1].z:=7; T[2].z:=4;
    T[3].n:=2; T[4].n:=3; T[1].b:='10'; T[4].b:='11'; T.c:='11010'; X:='10101'; i:=3;
    M[1].w[2]:=7; M[2].w[2]:=2;";

/// Asserts that the statements print this.
fn runs(body: &str, expected: &str) {
    says(&format!("{TYPES} program p; var {VARS} begin {FILL} {body} end."), expected);
}

#[test]
fn rule_8_fields_are_compared_with_numbers_words_and_fields() {
    runs("print(T.a = 3); print(T.a <> i); print(T.a < 7)", "01010\n10101\n01010\n");
    runs("print(T.a <= 7); print(T.a > 7); print(T.a >= i*3)", "11010\n00101\n00101\n");
    runs("print(3 < T.a); print(9 >= T.a); print(i = T.a)", "10101\n11110\n01010\n");
    runs(
        "print(T.a = '0011'); w:='1001'; print(T.a >= w); print(w > T.a)",
        "01010\n00101\n11010\n",
    );
    runs("print(T.a = T.z); print(T.a < T.z); print(T.a >= T.z)", "10000\n01000\n10111\n");
    // Fields of different widths.
    runs("print(T.a > T.n); print(T.n = T.a); print(M.w[2] < T.a)", "11101\n00010\n01111\n");
    runs("i:=2; print(M.w[i] > 2); print(T.b = '10'); print(T.b <> T.b)", "10000\n10000\n00000\n");
}

#[test]
fn rule_9_relations_are_exact() {
    runs(
        "print(T.a = 300); print(T.a < 300); print(T.a > -1); print(T.a = -1)",
        "00000\n11111\n11111\n00000\n",
    );
    runs("i:=9223372036854775807; print(T.a < i); print(-i > T.a)", "11111\n00000\n");
    runs(
        "print(T.a = '00000000011'); print(T.a < '10000'); print(T.n = '1')",
        "01010\n11111\n00000\n",
    );
    let text = "type Q = record a: uint(0); b: uint(65) end; program p; var T: table(2) of Q;
        begin T.b(1,1):=1; print(T.a = 0, T.a > 0, T.a < 1, T.b > 9223372036854775807,T.b < 1) end.";
    says(text, "1100111001\n");
}

#[test]
fn rule_10_relations_are_slices() {
    runs(
        "X:=(T.a = 3) and T.c; print(X); print(count((T.a > 3) and not T.c), SOME(T.a = 4));
         foreach i in T.a = 3 do print(i); if T.c = X then print(0) else print(T.c = T.c)",
        "01010\n2false\n2\n4\ntrue\n",
    );
    let text = format!("{TYPES} program p; var {VARS}\nbegin X:=T.c = 1 end.");
    let shown = rendered(&[("test.star", &text)]);
    assert!(shown.contains("E0301") && shown.contains("write `T.c`"), "{shown}");
}

#[test]
fn rule_11_high_and_low_are_the_extremes_of_a_field() {
    runs("print(high(T.a),low(T.a),high(T.c),high(M.w[1]))", "15017\n");
    runs(
        "T.z:=high(T.z); print(T.z); T[2].a:=high(T.a); T.a:=low(T.a); print(T.a = 0)",
        "1111\n1111\n1111\n1111\n1111\n11111\n",
    );
    // A field of more than 63 bits.
    let text = "type Q = record a: uint(65) end; program p; var T: table(2) of Q;
        begin T.a:=high(T.a); print(NUMB(ROW(2,T.a))) end.";
    says(text, "65\n");
    let text = "type Q = record a: uint(65) end; program p; var T: table(2) of Q; i: integer;\n\
        begin i:=high(T.a) end.";
    assert!(traps(text).starts_with("T0108 2:"), "{}", traps(text));
}

#[test]
fn rule_12_numbers_are_stored_to_all_rows() {
    runs(
        "T.a:=i+2; print(T.a); T.c:=1; print(T.c); T.c:=0; print(T.c); M.w[1]:=5; print(M.w[1] = 5)",
        "0101\n0101\n0101\n0101\n0101\n11111\n00000\n11111\n",
    );
    let trap = |body: &str| {
        let text = format!("{TYPES} program p; var {VARS} begin {FILL}\n{body} end.");
        traps(&text).lines().next().unwrap_or_default().to_owned()
    };
    assert!(trap("T.a:=16").starts_with("T0108 5:"), "{}", trap("T.a:=16"));
    assert!(trap("T.a:=0-i").starts_with("T0108 5:"));
    assert!(trap("T.c:=i").starts_with("T0108 5:"));
}

#[test]
fn rules_8_and_13_what_is_no_expression_over_columns_is_refused() {
    for (body, code) in [
        ("X:=T.a + 1 < 3", "E0317"),
        ("T.a:=T.a - T.z", "E0317"),
        ("T.a:=T.a * 2", "E0317"),
        ("X:=kmin(2,absdiff(T.a,3))", "E0317"),
        ("T.a:=min(T.a,T.z)", "E0317"),
        ("X:=T.a = T.c", "E0317"),
        ("X:=T.b < 2", "E0313"),
        ("X:=T.a = true", "E0301"),
        ("X:=T.a = T", "E0301"),
        ("T.b:=1", "E0301"),
        ("T.a:=X", "E0301"),
        ("i:=high(T.b)", "E0301"),
        ("i:=high(X)", "E0301"),
        ("X:=T.a = i and T.a > i", "E0105"),
    ] {
        let text = format!("{TYPES} program p; var {VARS} begin {body} end.");
        assert_eq!(codes(&text), [code], "{body}");
    }
    let text = format!("{TYPES} program p; var {VARS}\nbegin X:=T.a = i and T.a > i end.");
    let shown = rendered(&[("test.star", &text)]);
    assert!(shown.contains("(a < b) and (c < d)"), "{shown}");
}

/// Runs a program with arguments and returns what it prints.
fn printed(text: &str, routine: &str, args: Vec<Value>) -> String {
    let program = Program::new(text);
    let run = program.run(routine, args);
    assert_eq!(run.outcome, Outcome::Done, "{}", ending(&program, &run));
    run.printed
}

#[test]
fn yardstick_select_and_count() {
    let text = "type Rental(s,t) = record from,to: uint(s); minutes: uint(t) end;
        program RENTALS(R: table(m) of Rental(s,t); station,least: integer; var X: slice(R));
        begin
          X:=(R.from = station) and (R.minutes > least);
          print(count(X),\" rentals, \",count(X and (R.to = station)),\" round trips\");
        end.";
    let rentals = table(&["0101001110", "0101100011", "1001110000", "0111110011"]);
    let args = vec![
        Value::from(rentals),
        Value::Int(1),
        Value::Int(20),
        Value::Unset,
        Value::Int(2),
        Value::Int(6),
    ];
    assert_eq!(printed(text, "RENTALS", args), "2 rentals, 1 round trips\n");
}

#[test]
fn yardstick_event_queue() {
    let text = include_str!("../../../../examples/events.star");
    let args = vec![Value::Int(8), Value::Int(6), Value::Int(3)];
    assert_eq!(printed(text, "QUEUE", args), "1: 2\n3: 1\n5: 2\n9: 2\n");
    let text = text.replace("POST(1,2,Q)", "POST(1,8,Q)");
    let trap = call_traps(&text, "QUEUE", vec![Value::Int(8), Value::Int(6), Value::Int(3)]);
    assert!(trap.starts_with("T0108 "), "{trap}");
}
