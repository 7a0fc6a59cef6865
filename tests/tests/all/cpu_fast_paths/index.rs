//! Repeated MATCH on a table in which few rows change.

use star_tests::run::{LIMITS, Program};
use star_value::Value;

use super::{slice, table};

/// Rows with a given word get another one, as in KRUSKAL; meanwhile rows, bits, a column and the
/// slice change.
const TEXT: &str =
    "procedure rename(X: slice(n); T: table(n,h); iterations: integer; var k: integer;
                  var U: table(n,h); var Last: slice(n));
var Y,Z: slice(n); v,w: word(h); l,i: integer;
begin
  k:=0; U:=T; CLR(Last);
  for l:=1 to iterations do
  begin
    i:=(l*37) mod n+1;
    v:=ROW(i,U);
    i:=(l*101) mod n+1;
    w:=ROW(i,U);
    MATCH(U,X,v,Z);
    k:=(k*31+17*FND(Z)+NUMB(Z)) mod 1000000007;
    Last:=Last xor Z;
    if l mod 3=0 then WMERGE(w,Z,U);
    if l mod 5=1 then ROW(i,U):=v;
    if l mod 41=7 then U(i,1):=1;
    if l mod 83=9 then begin Y:=Z; Y(1):=1; Y(n):=1; TMERGE(T,Y,U) end;
    if l mod 397=11 then begin WMERGE(w,X,U); MATCH(U,X,w,Z); k:=k+NUMB(Z); U:=T end;
    if l mod 401=400 then COL(2,U):=X;
    if l mod 29=28 then X(i):=0;
    if l mod 53=50 then begin w:=v; w(1):=1; MATCH(U,X,w,Z); k:=k+NUMB(Z) end
  end
end;";

#[test]
fn searches_in_a_table_changed_row_by_row_use_an_index() {
    let program = Program::new(TEXT);
    for (n, iterations) in [(70, 60), (600, 90), (8300, 300)] {
        let args = vec![
            slice(n, 3),
            table(n, 14, 8),
            Value::Int(iterations),
            Value::Unset,
            Value::Unset,
            Value::Unset,
        ];
        let agreement = program.agree("rename", args, LIMITS);
        // The index is rebuilt after the whole table has changed, after some searches.
        let asked = agreement.optimised("cpu").searches_indexed;
        let least = if n > 8192 { iterations as u64 / 8 } else { 0 };
        assert!(asked >= least && (n > 8192 || asked == 0), "{n}: {asked} of {iterations}");
        let asked = agreement.optimised("cpu-tiny").searches_indexed;
        assert!(asked > 0, "cpu-tiny, {n}: {asked} of {iterations}");
    }
}
