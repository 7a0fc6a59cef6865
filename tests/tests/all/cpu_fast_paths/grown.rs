//! `for` over columns of a table that may have to grow.

use star_tests::run::{LIMITS, Program};
use star_value::Value;

use super::iterations::ran;
use super::{EDGES, each, table};

/// Like TCOPY2 and CLEAR, and twice like TCOPY2.
const TEXT: &str = "
procedure put(T: table(n,h); j,h: integer; var F: table(n));
var i: integer; begin for i:=1 to h do COL((j-1)*h+i,F):=COL(i,T) end;
procedure clear(k: integer; var F: table);
var X: slice(F); i: integer; begin CLR(X); for i:=1 to k do COL(i,F):=X end;
procedure grown(T: table(n,h); j,h: integer; var F: table(n));
begin put(T,j,h,F); put(T,j,h,F) end;";

const UNSET: Value = Value::Unset;

fn field(n_rows: usize, j: i64, h: usize, to: Value) -> Vec<Value> {
    vec![table(n_rows, h, 1), Value::Int(j), Value::Int(h as i64), to]
}

#[test]
fn existing_columns_are_written_by_a_kernel() {
    let program = Program::new(TEXT);
    for n_rows in EDGES.into_iter().filter(|n| *n > 0) {
        for (j, h) in [(1, 24), (3, 5), (24, 1), (2, 12)] {
            let args = field(n_rows, j, h, table(n_rows, 24, 2));
            ran(&program.agree("put", args, LIMITS), n_rows, h);
        }
        for k in [1, 7, 24] {
            let args = vec![Value::Int(k), table(n_rows, 24, 2)];
            let paths = program.agree("clear", args, LIMITS).optimised("cpu");
            assert_eq!((paths.loop_kernels, paths.iterations), (1, k as u64), "{paths:?}");
        }
    }
}

#[test]
fn new_columns_are_written_one_by_one() {
    let program = Program::new(TEXT);
    for n_rows in [1, 63, 64, 65] {
        for (j, h) in [(1, 3), (2, 5)] {
            let agreement = program.agree("put", field(n_rows, j, h, UNSET), LIMITS);
            each(&agreement, |paths| paths.loop_kernels == 0);
            // The second time they exist.
            ran(&program.agree("grown", field(n_rows, j, h, UNSET), LIMITS), n_rows, h);
        }
        // A trap in the middle: a column that a sized table does not have.
        for (j, h) in [(5, 6), (0, 3), (i64::MAX, 2), (i64::MIN, 2)] {
            let args = field(n_rows, j, h, table(n_rows, 24, 2));
            each(&program.agree("put", args, LIMITS), |paths| paths.loop_kernels == 0);
        }
        for k in [0, 25] {
            let args = vec![Value::Int(k), table(n_rows, 24, 2)];
            each(&program.agree("clear", args, LIMITS), |paths| paths.loop_kernels == 0);
        }
    }
}
