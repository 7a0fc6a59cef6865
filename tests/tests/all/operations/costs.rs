//! The count of elementary operations beyond single ones, which the other files check.

use star_base::Builtin;
use star_value::Value;

use super::library::CALLS;
use super::{Machine, SEED, int, slice, table, word};

#[test]
fn the_catalogue_agrees_with_the_reference() {
    // The cost paragraph of §4; `and` to `not`, components and T(i,j) are not built-ins.
    let ones = "SET CLR FND STEP NUMB SOME ONE ZERO CONVERT FRST MASK SHIFT ROTATE MIRROR SHUFFLE \
                TRIM REP EQ NOTEQ LESS LESSEQ GREAT GREATEQ ADD SUBT COL ROW";
    let ones: Vec<&str> = ones.split(' ').collect();
    for builtin in Builtin::ALL {
        let expected = u64::from(ones.contains(&builtin.name()));
        assert_eq!(builtin.cost(), expected, "{}", builtin.name());
    }
}

#[test]
fn assignments_arguments_integers_booleans_and_control_are_free() {
    let machine = Machine::new(
        "procedure free(X: slice; w: word; T: table; var Z: slice);
         var i,n: integer; b: boolean; A: table; Y: slice; v: word; k: integer;
         begin
           Z:=X; Y:=Z; v:=w; A:=T; Y:='0110'; k:=size(T)+rows(T)*length(w) div 3;
           b:=(k>3) and (k<>4) or not (k=7);
           for i:=1 to 10 do n:=i;
           while n>0 do begin n:=n-1; if n=3 then continue; if n=2 then break; end;
           repeat n:=n+1 until n>5;
           pass(X,w,T,Z,n);
           v:=WORD(3,5); n:=INT(v);
           print(X,w,T,n,b);
           exit;
         end;
         procedure pass(X: slice; w: word; T: table; var Z: slice; var n: integer);
         begin n:=0; X:=Z; end;",
    );
    let bits = [true, false, true, false];
    let rows = vec![vec![true, false]; 4];
    let args = [slice(&bits), word(&bits), table(&rows, 2), Value::Unset];
    assert_eq!(machine.call("free", &args).1, 0);
}

#[test]
fn foreach_costs_the_same_as_its_step_loop() {
    let machine = Machine::new(
        "procedure each(X: slice; var n: integer);
         var i: integer;
         begin n:=0; foreach i in X do n:=n+i end;
         procedure steps(X: slice; var n: integer);
         var Y: slice; i: integer;
         begin n:=0; Y:=X; while SOME(Y) do begin i:=STEP(Y); n:=n+i end end;
         procedure each_breaks(X: slice; var n: integer);
         var i: integer;
         begin n:=0; foreach i in X do begin n:=n+i; if i>20 then break end end;
         procedure steps_breaks(X: slice; var n: integer);
         var Y: slice; i: integer;
         begin
           n:=0; Y:=X;
           while SOME(Y) do begin i:=STEP(Y); n:=n+i; if i>20 then break end
         end;
         procedure each_goes_on(X: slice; var n: integer);
         var i: integer;
         begin n:=0; foreach i in X do begin if i mod 2=0 then continue; n:=n+X(i) end end;
         procedure steps_goes_on(X: slice; var n: integer);
         var Y: slice; i: integer;
         begin
           n:=0; Y:=X;
           while SOME(Y) do begin i:=STEP(Y); if i mod 2=0 then continue; n:=n+X(i) end
         end;
         procedure each_exits(X: slice; var n: integer);
         var i: integer;
         begin n:=0; foreach i in not X do begin n:=n+i; if i>20 then exit end end;
         procedure steps_exits(X: slice; var n: integer);
         var Y: slice; i: integer;
         begin
           n:=0; Y:=not X;
           while SOME(Y) do begin i:=STEP(Y); n:=n+i; if i>20 then exit end
         end;",
    );
    let mut random = star_tests::case::Random::new(SEED);
    for size in [0, 1, 5, 64, 65, 129] {
        for percent in [0, 5, 50, 100] {
            let bits = random.bits(size, percent);
            let args = [slice(&bits), Value::Unset];
            for kind in ["", "_breaks", "_goes_on", "_exits"] {
                let each = machine.call(&format!("each{kind}"), &args);
                let steps = machine.call(&format!("steps{kind}"), &args);
                assert_eq!(each, steps, "{kind} {bits:?}");
            }
            let n_ones = super::count(&bits) as u64;
            assert_eq!(machine.call("each", &args).1, 2 * n_ones + 1);
        }
    }
}

#[test]
fn a_loop_that_queries_first_costs_one_more() {
    // `i:=STEP(x); while i>0 …` queries once more, and `while SOME(X)` queries before each STEP.
    let machine = Machine::new(
        "procedure second(x: word; var n: integer);
         var i: integer;
         begin n:=0; i:=STEP(x); while i>0 do begin n:=n+i; i:=STEP(x) end end;",
    );
    let (values, cost) = machine.call("second", &[word(&[true, false, true]), Value::Unset]);
    assert_eq!((&values[1], cost), (&int(4), 3));
}

#[test]
fn every_operation_of_an_expression_is_counted_once() {
    let machine = Machine::new(
        "procedure both(var X: slice; T: table);
         begin X:=Θ or COL(1,T); X:=not (X and COL(2,T)) xor MIRROR(X); end;
         procedure once(var Y: slice; T: table; var X: slice);
         begin X:=Θ or COL(STEP(Y),T) end;
         procedure shorted(X: slice; var b: boolean);
         begin b:=SOME(X) and ONE(X) and (FND(X)=1) end;",
    );
    let rows = vec![vec![true, false], vec![true, true]];
    let args = [slice(&[true, true]), table(&rows, 2)];
    assert_eq!(machine.call("both", &args).1, 7);
    // The right side is evaluated once: one STEP, and the first column.
    let args = [slice(&[true, true]), table(&rows, 2), Value::Unset];
    let (values, cost) = machine.call("once", &args);
    assert_eq!(values[0], slice(&[false, true]));
    assert_eq!((&values[2], cost), (&slice(&[true, true]), 3));
    // `and` stops at the first false operand.
    for (bits, cost) in [([false, false], 1), ([false, true], 2), ([true, true], 3)] {
        assert_eq!(machine.call("shorted", &[slice(&bits), Value::Unset]).1, cost);
    }
}

#[test]
fn the_published_closures_have_the_costs_in_their_headers() {
    let machine = Machine::new(include_str!("../../../programs/published/warshall.star"));
    let mut random = star_tests::case::Random::new(SEED);
    for n in [0, 1, 7, 20] {
        for percent in [5, 20, 60] {
            let mut p: super::Rows = (0..n).map(|_| random.bits(n, percent)).collect();
            let args = [int(n), table(&p, n)];
            let by_rows = machine.call("WARSHALL", &args);
            let by_columns = machine.call("WARSHALL-C", &args);
            // The numbers of rows and columns processed at each k.
            let (mut n_rows, mut n_columns) = (0, 0);
            for k in 0..n {
                n_rows += (0..n).filter(|&i| p[i][k]).count() as u64;
                n_columns += super::count(&p[k]) as u64;
                let row = p[k].clone();
                for line in p.iter_mut().filter(|line| line[k]) {
                    line.iter_mut().zip(&row).for_each(|(bit, &other)| *bit |= other);
                }
            }
            assert_eq!(by_rows.0[1], table(&p, n));
            assert_eq!(by_rows.1, 3 * n as u64 + 5 * n_rows);
            assert_eq!(by_columns.1, 3 * n as u64 + 4 * n_columns);
        }
    }
}

/// Returns the formula after `Cost:` in the comment of a basic procedure, up to the conditions and
/// names that are explained after it.
fn formula(procedure: &str) -> String {
    let header = ["procedure", "function"].map(|word| format!("\n{word} {procedure}("));
    let (text, at) = star_stdlib::BASIC
        .iter()
        .flat_map(|(_, text)| header.iter().filter_map(move |line| Some((text, text.find(line)?))))
        .next()
        .unwrap_or_else(|| panic!("no procedure {procedure}"));
    let comment = &text[text[..at].rfind("/*").expect("a comment")..at];
    let (_, cost) = comment.split_once("Cost:").expect("a cost");
    let cost = cost.split_whitespace().collect::<Vec<_>>().join(" ");
    let ends = [", where", ";", " if ", ".", " Pitfalls:", " Source:"].map(|end| cost.find(end));
    let end = ends.into_iter().flatten().min().expect("an end");
    // "that of NAME" is the cost of another procedure.
    let cost = cost[..end].replace(" and that of ", " + that of ");
    match cost.split_once("that of ") {
        Some((before, name)) => format!("{before}({})", formula(name)),
        None => cost,
    }
}

/// The formulas are Star expressions, and Star evaluates them here.
#[test]
fn basic_procedures_have_the_costs_in_their_comments() {
    let mut text = "function max(i,j: integer): integer;
                    begin if i>j then max:=i else max:=j end;"
        .to_owned();
    let formulas = CALLS
        .map(|call| formula(call.trim_start_matches("i:=").split('(').next().expect("a name")));
    for (idx, (call, formula)) in CALLS.iter().zip(&formulas).enumerate() {
        let formula = formula.trim_start_matches("at most ");
        // The rows with a least number; here X has some.
        let call = call.replace("(T,W)", "(T,X)");
        text.push_str(&format!(
            "procedure call{idx}(T,F: table(n,k); X: slice(n); v: word(k));
             var Q,R: table(n,k); P: table(n,2*k); Z,Y,W: slice; u: word(k); i: integer; b: boolean;
             begin {call} end;
             procedure cost{idx}(T,F: table; X: slice; v,w: word; d,h,k: integer; var c: integer);
             var p,q: integer;
             begin p:=size(T); q:=length(v); c:={formula} end;"
        ));
    }
    let machine = Machine::new(&text);
    // Some row is v, and all rows are below 3, as HIST requires; 01 is the first of two values.
    let of = |rows: [[bool; 2]; 3]| table(&rows.map(|row| row.to_vec()).to_vec(), 2);
    let t = of([[false, true], [true, false], [false, true]]);
    let f = of([[true, true], [false, false], [true, false]]);
    let x = slice(&[true; 3]);
    let (one, two) = (word(&[false, true]), word(&[true, false]));
    for v in [&one, &two] {
        let args = [t.clone(), f.clone(), x.clone(), v.clone()];
        for (idx, (call, formula)) in CALLS.iter().zip(&formulas).enumerate() {
            let operations = machine.call(&format!("call{idx}"), &args).1;
            let d_h_k = [one.clone(), int(2), int(2), int(2), Value::Unset];
            let names = [&args[..], &d_h_k].concat();
            let stated = machine.call(&format!("cost{idx}"), &names).0.pop();
            if formula.starts_with("at most ") {
                let Some(Value::Int(most)) = stated else { panic!("{call}: {stated:?}") };
                assert!(operations as i64 <= most, "{call}: {operations}, at most {most}");
            } else {
                assert_eq!(stated, Some(Value::Int(operations as i64)), "{call}");
            }
        }
    }
}
