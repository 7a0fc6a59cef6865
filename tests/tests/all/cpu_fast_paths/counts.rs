//! Loops that count the ones of columns: the first count computes those of the other iterations, if
//! neither the table nor the mask changes.

use star_tests::run::{LIMITS, Program};
use star_value::{BitVector, Value};

use super::{EDGES, each, slice, table};

const TEXT: &str = "
procedure weighed(T: table(n); X: slice(n); var k: integer);
begin k:=SUMROWS(T,X) end;
procedure signed(T: table(n); X: slice(n); var k: integer);
begin k:=SSUMROWS(T,X) end;
procedure whole(T: table(n); X: slice(n); var k: integer);
var i: integer;
begin k:=0; for i:=1 to size(T) do k:=k+i*NUMB(COL(i,T)) end;
procedure down(T: table(n); X: slice(n); var k: integer);
var i: integer;
begin k:=0; for i:=size(T) downto 1 do k:=3*k mod 1000003+NUMB(X and not COL(i,T)) end;
procedure two(T: table(n); X: slice(n); var k: integer);
var i: integer; Y: slice(n);
begin
  k:=0; Y:=not X;
  for i:=2 to size(T) do k:=k+i*NUMB(COL(i,T) and X)-NUMB(Y and COL(i,T));
end;
procedure pending(T: table(n); X: slice(n); var k: integer);
var i: integer; Y: slice(n);
begin
  k:=0; Y:=X xor COL(1,T);
  for i:=1 to size(T) do k:=k+i*NUMB(COL(i,T) and Y);
end;
procedure mask(T: table(n); X: slice(n); var k: integer);
var i: integer;
begin
  k:=0;
  for i:=1 to size(T) do begin k:=k+i*NUMB(COL(i,T) and X); X:=X xor COL(i,T) end;
end;
procedure changed(T: table(n); X: slice(n); var k: integer);
var i: integer;
begin
  k:=0;
  for i:=1 to size(T) do begin k:=k+i*NUMB(COL(i,T) and X); COL(size(T)+1-i,T):=X end;
end;
procedure left(T: table(n); X: slice(n); var k: integer);
var i: integer;
begin
  k:=0;
  for i:=1 to size(T) do begin k:=k+NUMB(COL(i,T) and X); if k>3 then break end;
  for i:=1 to size(T) do k:=k+i*NUMB(COL(1,T) and X);
end;
procedure beyond(T: table(n); X: slice(n); m: integer; var k: integer);
var i: integer;
begin k:=0; for i:=1 to m do k:=k+i*NUMB(COL(i,T) and X) end;
procedure few(T: table(n); p: integer; var k: integer);
var X: slice(n); i: integer;
begin
  CLR(X); X(p):=1; X(p+70):=1; k:=0;
  for i:=1 to size(T) do k:=2*k+NUMB(COL(i,T) and X);
  SET(X);
  for i:=1 to size(T) do k:=2*k+NUMB(COL(i,T) and X);
end;";

/// The number of columns.
const K: usize = 7;

#[test]
fn columns_are_counted_together() {
    let program = Program::new(TEXT);
    for n in EDGES.into_iter().chain([1 << 15, 300_000]).filter(|n| *n > 0) {
        let counted = |routine: &str, n_counted: usize| {
            let args = vec![table(n, K, 1), slice(n, 2), Value::Unset];
            let agreement = program.agree(routine, args, LIMITS);
            each(&agreement, |paths| paths.columns_counted == n_counted as u64);
        };
        counted("weighed", K);
        counted("signed", K - 1);
        counted("whole", K);
        counted("down", K);
        counted("two", 2 * (K - 1));
        counted("pending", K);
        // The counts of other columns would be those of another mask or table, or useless.
        counted("mask", 0);
        counted("changed", 0);
        counted("left", 0);
    }
}

#[test]
fn columns_that_do_not_exist_trap_where_they_are_read() {
    let program = Program::new(TEXT);
    for m in [0, 1, K, K + 1] {
        let args = vec![table(100, K, 1), slice(100, 2), Value::Int(m as i64), Value::Unset];
        let agreement = program.agree("beyond", args, LIMITS);
        each(&agreement, |paths| paths.columns_counted == if m > 1 { m.min(K) as u64 } else { 0 });
    }
}

#[test]
fn sums_that_overflow_trap_after_columns_were_counted() {
    let program = Program::new(TEXT);
    let args = vec![table(200, 70, 1), slice(200, 2), Value::Unset];
    let agreement = program.agree("weighed", args, LIMITS);
    each(&agreement, |paths| paths.columns_counted == 70);
}

#[test]
fn a_mask_with_a_summary_is_read_where_it_has_ones() {
    let program = Program::new(TEXT);
    let n = 1 << 18;
    let ones: Vec<BitVector> = (0..K).map(|_| BitVector::from_bools(&vec![true; n])).collect();
    let ones = Value::from(star_value::BitTable::from_columns(n, &ones));
    for table in [table(n, K, 1), ones] {
        let agreement = program.agree("few", vec![table, Value::Int(9000), Value::Unset], LIMITS);
        // A mask of ones is no reason to load columns.
        let paths = agreement.optimised("cpu");
        assert_eq!(paths.columns_counted, K as u64, "{paths:?}");
    }
}
