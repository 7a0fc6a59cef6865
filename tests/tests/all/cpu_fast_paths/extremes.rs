//! Repeated MIN and MAX with few changes in between.

use star_tests::run::{LIMITS, Program};
use star_value::Value;

use super::{slice, table, word};

/// Rows are removed in order of their numbers; meanwhile single rows, bits, a few rows at once, a
/// column, and the mask change.
const TEXT: &str =
    "procedure queue(X: slice(n); T: table(n,h); w: word(h); iterations: integer; greatest: boolean;
                var k: integer; var Last: slice(n));
var Z,Y: slice(n); U: table(n,h); l,i: integer;
begin
  k:=0; U:=T;
  for l:=1 to iterations do
  begin
    if greatest then MAX(U,X,Z) else MIN(U,X,Z);
    k:=(k*31+17*FND(Z)+NUMB(Z)) mod 1000000007;
    i:=FND(Z);
    if i>0 then
    begin
      if l mod 3=0 then X(i):=0;
      if l mod 5=1 then ROW(i,U):=w;
      if l mod 7=2 then begin CLR(Y); Y(i):=1; Y(1):=1; WMERGE(w,Y,U) end;
      if l mod 7=5 then begin Y:=Z; Y(n):=1; TMERGE(T,Y,U) end;
      if l mod 11=3 then U(n-i+1,1):=1
    end;
    if l mod 29=28 then COL(2,U):=X;
    if l mod 37=36 then X:=X and (not COL(1,U))
  end;
  Last:=Z
end;";

#[test]
fn extremes_of_a_table_changed_row_by_row_are_cached() {
    let program = Program::new(TEXT);
    for (n, iterations) in [(70, 40), (600, 60), (6000, 120)] {
        for greatest in [false, true] {
            let args = vec![
                slice(n, 3),
                table(n, 30, 8),
                word(30, 4),
                Value::Int(iterations),
                Value::Bool(greatest),
                Value::Unset,
                Value::Unset,
            ];
            let agreement = program.agree("queue", args, LIMITS);
            // Occasionally a column changes, or more blocks than are worth updating, and the first
            // two queries afterwards scan all rows.
            let least = if n >= 4096 { iterations as u64 / 4 } else { 0 };
            assert!(agreement.optimised("cpu-forms").forms_changed > iterations as u64 / 4, "{n}");
            let kept = agreement.optimised("cpu").extremes_kept;
            assert!(kept >= least && (n >= 4096 || kept == 0), "{n}: {kept} of {iterations}");
            let kept = agreement.optimised("cpu-tiny").extremes_kept;
            assert!(kept > 0, "cpu-tiny, {n}: {kept}");
            // They are also counted, so that all rows are required.
            assert_eq!(agreement.optimised("cpu").extremes_first, 0, "{n}");
        }
    }
}

/// Removes the first row with the least number, repeatedly; `then` follows and may use the other
/// rows.
fn first_ones(then: &str) -> String {
    format!(
        "procedure leave(X: slice(n); T: table(n); iterations: integer; var k,l: integer; var Last: slice(n));
         var Z: slice(n); i,t: integer;
         begin
           k:=0; l:=0; CLR(Last);
           for t:=1 to iterations do
           begin
             MIN(T,X,Z);
             i:=FND(Z);
             if i>0 then X(i):=0;
             k:=(k*31+i) mod 1000000007;
             {then}
           end
         end;"
    )
}

#[test]
fn only_the_first_row_is_searched_if_the_others_are_unused() {
    for (then, is_first) in [
        ("", true),
        ("CLR(Z); Z(1):=1; l:=l+NUMB(Z);", true),
        ("l:=l+NUMB(Z);", false),
        ("Last:=Last xor Z;", false),
        ("if t=iterations then Last:=Z;", false),
    ] {
        let program = Program::new(&first_ones(then));
        let args = vec![
            slice(6000, 3),
            table(6000, 5, 8),
            Value::Int(80),
            Value::Unset,
            Value::Unset,
            Value::Unset,
        ];
        let agreement = program.agree("leave", args, LIMITS);
        let stats = agreement.optimised("cpu");
        assert!(stats.extremes_kept > 60, "{then}: {stats:?}");
        let wanted = if is_first { stats.extremes_kept } else { 0 };
        assert_eq!(stats.extremes_first, wanted, "{then}");
    }
}
