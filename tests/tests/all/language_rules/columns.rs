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
        "print(T.a = 100*i); print(T.a < 100*i); print(T.a > 2-i); print(T.a = 2-i)",
        "00000\n11111\n11111\n00000\n",
    );
    runs("i:=9223372036854775807; print(T.a < i); print(-i > T.a)", "11111\n00000\n");
    runs(
        "print(T.a = '00000000011'); print(T.a < '10000'); print(T.n = '1')",
        "01010\n11111\n00000\n",
    );
    let text = "type Q = record a: uint(0); b: uint(65) end; program p; var T: table(2) of Q;
        i: integer; begin T.b(1,1):=1; i:=0;
        print(T.a = 0, T.a > i, T.a < i+1, T.b > 9223372036854775807,T.b < 1) end.";
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
    let trapped = trap("T.a:=16");
    assert!(trapped.starts_with("T0108 5:"), "{trapped}");
    assert!(trapped.contains("row 1 does not fit in a field of 4 columns"), "{trapped}");
    assert!(trap("T.a:=0-i").starts_with("T0108 5:"));
    assert!(trap("T.c:=i").starts_with("T0108 5:"));
}

#[test]
fn rule_9_a_number_that_is_stored_to_no_row_does_not_trap() {
    let text = "type Q = record a: uint(2); s: int(1); c: bit end;
        program p; var T: table(0) of Q; i: integer;
        begin i:=9; T.a:=i; T.s:=i; T.c:=i; T.a:=-1; print(rows(T)) end.";
    says(text, "0\n");
}

#[test]
fn rule_12_tables_with_other_declared_rows_are_refused() {
    let text = |body: &str| {
        format!(
            "type Q = record a: uint(3); b: uint(2); t: bits(2) end;
             program p; var T: table(2) of Q; U: table(3) of Q; X: slice(3);\nbegin {body} end."
        )
    };
    for body in [
        "T.a:=U.a",
        "T.a:=U.b",
        "T.a:=T.a + U.b",
        "T.t:=U.t",
        "X:=T.a < U.b",
        "T.a:=X",
        "print(sum(T.a - U.a))",
    ] {
        assert!(
            codes(&text(body)).contains(&"E0401".to_owned()),
            "{body}: {:?}",
            codes(&text(body))
        );
    }
    let shown = rendered(&[("test.star", &text("T.a:=U.a"))]);
    assert_eq!(
        shown,
        "E0401 3:12 sizes 3 and 2 cannot agree
  at 2:47: `U` has 3 rows
  at 2:29: `T` has 2 rows
"
    );
}

#[test]
fn rules_8_and_13_what_is_no_expression_over_columns_is_refused() {
    for (body, code) in [
        ("T.a:=T.a * 2", "E0301"),
        ("T.a:=T.a div 2", "E0301"),
        ("T.a:=-T.a", "E0301"),
        ("T.a:=T.a + T.b", "E0301"),
        ("T.a:=T.a + true", "E0301"),
        ("i:=T.a + 1", "E0301"),
        ("i:=i +| 1", "E0301"),
        ("T.a:=X +| 1", "E0301"),
        ("X:=orrows(T.a + 1)", "E0301"),
        ("X:=kmin(T.a,2)", "E0301"),
        ("X:=T.a = 3 and T.c", "E0301"),
        ("X:=T.b < 2", "E0313"),
        ("X:=T.a = true", "E0301"),
        ("X:=T.a = T", "E0301"),
        ("T.b:=1", "E0301"),
        ("i:=high(T.b)", "E0301"),
        ("i:=high(X)", "E0301"),
        ("X:=T.a = i and T.a > i", "E0105"),
    ] {
        let text = format!("{TYPES} program p; var {VARS} begin {body} end.");
        assert_eq!(codes(&text), [code], "{body}");
    }
    for (body, help) in [
        ("T.a:=T.a * 2", "`MULTC(F,X,w,T)`"),
        ("T.a:=T.a mod T.z", "`DIVC(F,X,w,Q,R)`"),
        ("T.a:=-T.a", "write `0 - T.a`"),
        ("T.b:=1", "`WORD(5,4)`"),
        ("i:=T.a + 1", "`E[i].w` is the number of row i"),
        ("X:=T.a = 3 and T.c", "`(T.a = 3) and T.c`"),
        ("X:=T.c or T.a < 3", "`T.c or (T.a < 3)`"),
        ("X:=kmin(T.a,2)", "`kmin(2,T.a)`"),
        ("print(T.a[1])", "`T[1].a`"),
        ("X:=T > 3", "compared row by row"),
        ("X:=T.c = 1", "write `T.c`"),
        ("X:=T.c = 0", "write `not T.c`"),
        ("X:=T.c <> 1", "write `not T.c`"),
    ] {
        let shown =
            rendered(&[("test.star", &format!("{TYPES} program p; var {VARS} begin {body} end."))]);
        assert!(shown.contains(help), "{shown}");
    }
    let text = format!("{TYPES} program p; var {VARS} begin X:=T.c < 1 end.");
    let shown = rendered(&[("test.star", &text)]);
    assert!(!shown.contains("write `"), "{shown}");
    let text = format!("{TYPES} program p; var {VARS}\nbegin X:=T.a = i and T.a > i end.");
    let shown = rendered(&[("test.star", &text)]);
    assert!(shown.contains("(a < b) and (c < d)"), "{shown}");
}

#[test]
fn rule_8_a_slice_in_arithmetic_is_zero_or_one() {
    runs(
        "X:=T.a = T.c; print(X); T.z:=T.c + X + T.c; print(sum(T.z)); T.a:=X; print(sum(T.a))",
        "00000\n6\n0\n",
    );
    runs(
        "print(T.c + (T.a > 3) = 2); T.c:=T.a - T.z = 0; print(T.c); T.c:=T.z - T.z; print(T.c)",
        "10000\n10000\n00000\n",
    );
}

#[test]
fn rule_9_sums_saturate_at_the_greatest_number_of_the_widest_field() {
    runs("T.a:=T.a +| 8; print(T[1].a,\" \",T[2].a,\" \",T[5].a)", "15 11 15\n");
    runs(
        "T.a:=T.n +| T.n; print(T[3].a,T[4].a); T.a:=T.n +| T.z; print(T[1].a,T[3].a)",
        "33\n72\n",
    );
    runs("T.a:=high(T.a); T.a:=T.a +| i; print(count(T.a = 15))", "5\n");
    let text =
        "type Q = record s: int(4); t: int(6) end; program p; var T: table(3) of Q; i: integer;
        begin T[1].s:=7; T[2].s:=-8; i:=-5; T.t:=T.s +| T.s; print(T[1].t,T[2].t,T[3].t);
        T.s:=T.s +| i; print(T[1].s,T[2].s,T[3].s); T.t:=T.s +| T.t +| 30;
        print(T[1].t,T[2].t,T[3].t) end.";
    says(text, "7-80\n2-8-5\n311425\n");
}

#[test]
fn rule_9_stores_between_fields_of_different_widths_trap_only_if_a_number_does_not_fit() {
    runs("T.z:=T.n; print(sum(T.z)); T.z:=min(T.a,3); T.n:=T.z; print(sum(T.n))", "5\n15\n");
    let trap = |body: &str| {
        let text = format!("{TYPES} program p; var {VARS} begin {FILL}\n{body} end.");
        traps(&text).lines().next().unwrap_or_default().to_owned()
    };
    assert!(trap("T.n:=T.a").starts_with("T0108 5:"), "{}", trap("T.n:=T.a"));
    assert!(trap("T.a:=T.z - 1").contains("row 3 does not fit in a field of 4 columns"));
}

#[test]
fn rule_5_signed_fields_hold_numbers_in_twos_complement() {
    let text = |body: &str| {
        format!(
            "type Q(k) = record s: int(k); z: int(0); w: int(70) end;
             program p; var T: table(2) of Q(4); i: integer;\nbegin {body} end."
        )
    };
    says(
        &text("T[1].s:=-8; T[2].s:=7; print(T[1].s,T[2].s,ROW(1,T.s)); print(T.s < 0,T.s = -8)"),
        "-871000\n1010\n",
    );
    says(
        &text(
            "T.w:=-3; T.z:=0; print(T[2].w,T[2].z,sum(T.w),min(T.w)); T[1].w:=5; print(argmax(T.w))",
        ),
        "-30-6-3\n1\n",
    );
    says(&text("T.s:=low(T.s); print(high(T.s),low(T.s),max(T.s where T.z > 0 else 1))"), "7-81\n");
    for body in
        ["T[1].s:=8", "T[1].s:=-9", "T.s:=8", "T.s:=-9", "T.z:=1", "T.z:=T.s - 1", "T[1].z:=1"]
    {
        assert!(traps(&text(body)).starts_with("T0108"), "{}", traps(&text(body)));
    }
}

#[test]
fn rule_5_signed_fields_of_one_column_and_of_64() {
    let text = |body: &str| {
        format!(
            "type Q = record s: int(1); w: int(64) end;
             program p; var T: table(2) of Q; i: integer;\nbegin {body} end."
        )
    };
    says(&text("T[1].s:=-1; T[2].s:=0; print(T[1].s,T[2].s,sum(T.s))"), "-10-1\n");
    for body in ["T[1].s:=1", "T[1].s:=-2", "T.s:=1", "i:=1; T[2].s:=i"] {
        assert!(traps(&text(body)).starts_with("T0108"), "{}", traps(&text(body)));
    }
    // A sum that just fits.
    let fill = "i:=-9223372036854775807; T[1].w:=i; T[2].w:=-1; ";
    says(&text(&format!("{fill}print(sum(T.w))")), "-9223372036854775808\n");
    let trap = traps(&text(&format!("{fill}T[2].w:=-2; print(sum(T.w))")));
    assert!(trap.starts_with("T0104"), "{trap}");
    says(&text("T[1].w:=9223372036854775807; print(sum(T.w))"), "9223372036854775807\n");
}

/// A random expression over columns, with its value in each row.
fn random(
    next: &mut impl FnMut(u64) -> u64,
    depth: u64,
    rows: &[[i128; 5]],
) -> (String, Vec<i128>) {
    let leaf = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<i128>>();
    let number = next(40) as i128 - 20;
    if depth == 0 || next(5) == 0 {
        return match next(6) {
            0 => ("E.a".to_owned(), leaf(0)),
            1 => ("E.b".to_owned(), leaf(1)),
            2 => ("E.s".to_owned(), leaf(2)),
            3 => ("X".to_owned(), leaf(3)),
            4 => ("d".to_owned(), leaf(4)),
            _ => (format!("({number})"), vec![number; rows.len()]),
        };
    }
    let op = next(5);
    let (left, x) = random(next, depth - 1, rows);
    let (right, y) = random(next, depth - 1, rows);
    let both = |f: fn(i128, i128) -> i128| x.iter().zip(&y).map(|(x, y)| f(*x, *y)).collect();
    match op {
        0 => (format!("({left} + {right})"), both(|x, y| x + y)),
        1 => (format!("({left} - {right})"), both(|x, y| x - y)),
        2 => (format!("min(E.a - E.a + {left},{right})"), both(|x, y| x.min(y))),
        3 => (format!("max({left},E.z + {right})"), both(|x, y| x.max(y))),
        _ => (format!("absdiff({left} + E.z,{right})"), both(|x, y| (x - y).abs())),
    }
}

#[test]
fn rule_9_random_expressions_are_exact() {
    let mut state = 7_u64;
    let mut next = move |limit: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % limit
    };
    // The code for a control unit is long.
    let n = if std::env::var_os("STAR_MACHINES").is_some() { 1 } else { 40 };
    for _ in 0..n {
        let [a, b, s] = [(); 3].map(|()| next(7) + 1);
        let d = next(2000) as i128 - 1000;
        let rows: Vec<[i128; 5]> = (0..5)
            .map(|_| {
                let signed = next(1 << s) as i128 - (1 << (s - 1));
                [next(1 << a) as i128, next(1 << b) as i128, signed, next(2) as i128, d]
            })
            .collect();
        let (text, numbers) = random(&mut next, 3, &rows);
        let (other, others) = random(&mut next, 2, &rows);
        let mut fill = format!("d:={d}; CLR(X); ");
        for (i, row) in (1..).zip(&rows) {
            let [a, b, s, x, _] = row;
            fill += &format!("E[{i}].a:={a}; E[{i}].b:={b}; E[{i}].s:={s}; X({i}):={x}; ");
        }
        let program = format!(
            "type R(h,k,l) = record a: uint(h); b: uint(k); s: int(l); t: int(40); z: uint(0) end;
             program p; var E: table(5) of R({a},{b},{s}); X: slice(E); i,d: integer;
             begin {fill} E.t:={text} + E.z; for i:=1 to 5 do print(E[i].t);
             print(E.z + {text} < {other}); print(E.z + {text} = {other} - E.z);
             print(sum(E.z + {text}),\" \",min({text} - E.z),\" \",argmax(E.z + {text})) end."
        );
        let mut expected: String = numbers.iter().map(|number| format!("{number}\n")).collect();
        let relation = |holds: fn(i128, i128) -> bool| -> String {
            let bits =
                numbers.iter().zip(&others).map(|(x, y)| if holds(*x, *y) { '1' } else { '0' });
            bits.chain(['\n']).collect()
        };
        expected += &relation(|x, y| x < y);
        expected += &relation(|x, y| x == y);
        let greatest = numbers.iter().max();
        let first = numbers.iter().position(|number| Some(number) == greatest).unwrap_or(0) + 1;
        let least = numbers.iter().min().copied().unwrap_or(0);
        expected += &format!("{} {least} {first}\n", numbers.iter().sum::<i128>());
        says(&program, &expected);
    }
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
