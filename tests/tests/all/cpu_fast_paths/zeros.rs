//! Tables that repeatedly get zeros outside of a sparse mask.

use star_tests::run::{LIMITS, Program};
use star_value::{BitVector, Value};
use star_vm::Counters;

use super::table;

/// Builds a sum into a local table, as in NEARER, and one into a table of the caller; `statement`
/// changes the latter.
fn sums(statement: &str) -> String {
    format!(
        "procedure nearer(T: table(n,h); Y: slice(n); d: word(h); var F: table(n,h));
         var B: table; Z: slice(n);
         begin
           ADDC(T,Y,d,B);
           SETMIN(B,F,Y,Z);
           TMERGE(B,Z,F);
         end;
         procedure walk(T: table(n,h); X: slice(n); iterations: integer; var F,R: table(n,h));
         var Y: slice(n); d: word(h); k: integer;
         begin
           for k:=1 to iterations do
           begin
             Y:=ROTATE(X,k*67);
             d:=ROW(k,T);
             nearer(T,Y,d,F);
             ADDC(T,Y,d,R);
             {statement}
           end;
         end;"
    )
}

/// Rows of more limbs than are sparse by default.
const N: usize = 5000;

/// Returns the fast paths that the program took in this number of iterations, with a sparse mask.
fn taken(statement: &str, h: usize, iterations: i64) -> Counters {
    let mut mask = BitVector::zeros(N);
    for at in [3, 64, 65, 1000, 2222, N - 1] {
        mask.put(at, true);
    }
    let args = vec![
        table(N, h, 5),
        Value::Slice(mask),
        Value::Int(iterations),
        table(N, h, 9),
        table(N, h, 11),
    ];
    Program::new(&sums(statement)).agree("walk", args, LIMITS).optimised("cpu")
}

#[test]
fn a_table_zero_outside_sparse_limbs_clears_only_these() {
    // The procedure's table is new in every iteration; the caller's had arbitrary contents before
    // the first one.
    for statement in ["", "ROW(9*k,R):=d;", "R(17*k,3):=1;", "MATCH(R,Y,d,Y);"] {
        assert_eq!(taken(statement, 24, 12).zeros_known, 12 + 11, "{statement}");
    }
    // The procedure's table is allocated in the memory of the previous iteration's.
    assert_eq!(taken("", 24, 12).tables_recycled, 11);
    for statement in ["COL(3,R):=Y;", "R:=T;"] {
        assert_eq!(taken(statement, 24, 12).zeros_known, 12, "{statement}");
    }
}
