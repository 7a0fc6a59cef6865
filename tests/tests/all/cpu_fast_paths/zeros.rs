//! Tables that get zeros outside of a mask of few ones, again and again.

use star_base::BitVector;
use star_tests::run::{LIMITS, Program};
use star_vm::{Counters, HostValue};

use super::table;

/// A sum in a table of its own, as NEARER has it, and one in a table of the caller; `statement` changes that one.
fn sums(statement: &str) -> String {
    format!(
        "procedure nearer(T: table(n,h); Y: slice(n); d: word(h); var F: table(n,h));
         var B: table; Z: slice(n);
         begin
           ADDC(T,Y,d,B);
           SETMIN(B,F,Y,Z);
           TMERGE(B,Z,F);
         end;
         procedure walk(T: table(n,h); X: slice(n); turns: integer; var F,R: table(n,h));
         var Y: slice(n); d: word(h); k: integer;
         begin
           for k:=1 to turns do
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

/// Rows of more limbs than are few by themselves.
const N: usize = 5000;

/// What the program took in so many turns, with a mask of few ones.
fn taken(statement: &str, h: usize, turns: i64) -> Counters {
    let mut mask = BitVector::zeros(N);
    for at in [3, 64, 65, 1000, 2222, N - 1] {
        mask.put(at, true);
    }
    let args = vec![
        table(N, h, 5),
        HostValue::Slice(mask),
        HostValue::Int(turns),
        table(N, h, 9),
        table(N, h, 11),
    ];
    Program::new(&sums(statement)).agree("walk", args, LIMITS).optimised("cpu")
}

#[test]
fn a_table_that_is_zero_outside_of_few_limbs_has_these_cleared_alone() {
    // The one of the procedure is new in every turn; that of the caller held anything before the first one.
    for statement in ["", "ROW(9*k,R):=d;", "R(17*k,3):=1;", "MATCH(R,Y,d,Y);"] {
        assert_eq!(taken(statement, 24, 12).zeros_known, 12 + 11, "{statement}");
    }
    // The one of the procedure is made anew in the memory of that of the turn before.
    assert_eq!(taken("", 24, 12).tables_recycled, 11);
    for statement in ["COL(3,R):=Y;", "R:=T;"] {
        assert_eq!(taken(statement, 24, 12).zeros_known, 12, "{statement}");
    }
}
