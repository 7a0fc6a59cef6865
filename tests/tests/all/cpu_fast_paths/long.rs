//! Slices of 128 KiB and more on the default backend: their operations are recorded by default.

use star_tests::run::{LIMITS, Program};
use star_value::{BitVector, Value};
use star_vm::Limits;

use super::{slice, table, word};

/// The first size at which operations are recorded, and one that ends inside a limb.
const LONG: [usize; 2] = [1 << 20, (1 << 20) + 33];

const TEXT: &str = "
procedure chain(X,Y: slice; var Z: slice; var k: integer);
var U,V: slice;
begin
  U:=X and Y; V:=not U; Z:=(V or X) xor Y; k:=NUMB(Z);
  U:=Z; Z:=not U; k:=k*2+FND(V and Z);
end;
procedure iterations(X: slice; n: integer; var Z: slice);
var i: integer; U: slice;
begin
  Z:=X; U:=not X;
  for i:=1 to n do begin Z:=Z xor U; U:=U or Z; if i mod 3 = 0 then U:=not U end;
end;
procedure search(T: table; X: slice; w: word; var Z: slice; var b: boolean);
begin MATCH(T,X,w,Z); b:=SOME(Z) end;
procedure compare(T: table; X: slice; w: word; var Z: slice; var k: integer);
begin LESS(T,X,w,Z); k:=NUMB(Z) end;
procedure equal(T: table; X: slice; F: table; var Z: slice; var k: integer);
begin HIT(T,F,X,Z); k:=NUMB(Z) end;
procedure lower(T: table; X: slice; F: table; var Z: slice; var k: integer);
begin SETMIN(T,F,X,Z); k:=NUMB(Z) end;
procedure three(T,F: table; X: slice; v,w: word; var k: integer);
var Y,Z: slice(X);
begin LESS(T,X,v,Y); GREAT(T,Y,w,Z); LESS(F,Z,v,Y); k:=NUMB(Y) end;
procedure between(T,F: table(n); v,w: word; var Z: slice(n));
var X,Y: slice(n);
begin SET(X); GREAT(T,X,v,Y); LESS(F,X,w,Z); Z:=Z and Y end;
procedure both(T,F: table(n); v,w: word; var Z: slice(n));
var X,Y: slice(n);
begin SET(X); MATCH(T,X,v,Y); MATCH(F,X,w,Z); Z:=Z and Y end;
procedure below(T: table; X: slice; w: word; var Z: slice);
begin LESS(T,X,w,Z) end;
procedure above(T: table; X: slice; w: word; var Z: slice);
begin GREAT(T,X,w,Z) end;
procedure lesser(T,F: table; X: slice; var Z: slice);
begin SETMIN(T,F,X,Z) end;
procedure greater(T,F: table; X: slice; var Z: slice);
begin SETMAX(T,F,X,Z) end;
procedure decided(T: table(n); X: slice(n); var D,Z: slice(n));
var Y: slice(n); i: integer;
begin
  /* Both slices as complements: D what is decided, Z what was not found. */
  D:=not X; SET(Z);
  for i:=1 to size(T) do
  begin Y:=COL(i,T); Z:=Z and (D or Y); D:=D or (not Y) end;
end;
procedure counted(T: table; X: slice; var D,Z: slice; var k: integer);
var i: integer;
begin
  /* The mask of every step is needed. */
  D:=X; CLR(Z); k:=0;
  for i:=1 to size(T) do
  begin Z:=Z or (D and COL(i,T)); D:=D and not COL(i,T); k:=k+NUMB(D) end;
end;
procedure sum(T,F: table; X: slice; var R: table);
begin ADDV(T,F,X,R) end;
procedure searches(T,F: table; X: slice; n: integer; var Z: slice);
var i: integer;
begin for i:=1 to n do begin SETMIN(T,F,X,Z); X(1):=Z(2) end end;
procedure again(X,Y: slice; n: integer; var k: integer);
var i: integer; Z: slice;
begin
  k:=0;
  for i:=1 to n do
  begin Z:=X and not Y; if i mod 2=0 then Z:=Z or ROTATE(Y,1); k:=k+NUMB(Z)*i end;
end;
procedure total(T: table; X: slice; var Y: slice; var k: integer);
var i: integer;
begin
  k:=0;
  for i:=1 to size(T) do begin Y:=COL(i,T); k:=2*k+NUMB(Y and X); k:=k+NUMB(Y) end;
end;
procedure mixed(T: table; X: slice; var Y: slice; var k: integer);
var Z: slice; i: integer;
begin
  k:=0; Z:=X;
  for i:=1 to size(T) do
  begin Y:=COL(i,T); Z:=Y xor Z; k:=2*k+NUMB(Y and X); Y:=X; X:=COL(1,T); k:=k+NUMB(Y and X) end;
end;
procedure stored(var T: table; X: slice; var Y: slice; var k: integer);
var i: integer;
begin
  Y:=COL(1,T); COL(1,T):=X; k:=NUMB(Y and X); COL(2,T):=COL(1,T); k:=2*k+NUMB(Y);
  Y:=COL(1,T); k:=k+NUMB(Y); X(3):=Y(5); k:=k+NUMB(Y and X);
end;
procedure overflow(T: table; X: slice; var Y: slice; var k: integer);
begin k:=9223372036854775807; Y:=COL(1,T); k:=k+NUMB(Y and X) end;
procedure swap(var X,Y: slice; var Z: slice);
var U: slice;
begin U:=X; X:=Y; Y:=U; Z:=X and not Y; CLR(U); X:=X or U end;
procedure traps(X,Y: slice; T: table; var Z: slice);
begin Z:=X and Y; Z:=not Z; Z:=Z xor COL(size(T)+1,T) end;";

/// Runs a routine and returns how many operations its backend recorded when optimised.
fn recorded(program: &Program, routine: &str, args: Vec<Value>) -> u64 {
    let agreement = program.agree(routine, args, LIMITS);
    let paths = agreement.optimised("cpu");
    assert!(paths.tapes_flushed > 0, "{routine}: {paths:?}");
    paths.ops_recorded
}

#[test]
fn long_slices_are_recorded_by_default() {
    let program = Program::new(TEXT);
    for n in LONG {
        let slices = || [slice(n, 1), slice(n, 2)];
        let [x, y] = slices();
        let args = vec![x, y, Value::Unset, Value::Unset];
        assert!(recorded(&program, "chain", args) >= 6);
        let args = vec![slice(n, 3), Value::Int(5), Value::Unset];
        assert!(recorded(&program, "iterations", args) >= 12);
        let args = vec![table(n, 3, 1), slice(n, 2), word(3, 5), Value::Unset, Value::Unset];
        assert!(recorded(&program, "search", args.clone()) >= 6);
        assert!(recorded(&program, "compare", args) >= 6);
        let [x, y] = slices();
        assert!(recorded(&program, "swap", vec![x, y, Value::Unset]) >= 3);
        let [x, y] = slices();
        assert!(recorded(&program, "traps", vec![x, y, table(n, 2, 1), Value::Unset]) >= 2);
    }
    let n = LONG[0];
    let args = vec![table(n, 3, 1), table(n, 3, 2), slice(n, 2), Value::Unset];
    assert!(recorded(&program, "sum", args) >= 6);
}

#[test]
fn three_searches_and_a_query_are_one_pass() {
    let program = Program::new(TEXT);
    for n in LONG {
        let tables = [table(n, 5, 1), table(n, 5, 2)].into_iter();
        let others = [slice(n, 3), word(5, 4), word(5, 5), Value::Unset].into_iter();
        let args: Vec<Value> = tables.chain(others).collect();
        let paths = program.agree("three", args, LIMITS).optimised("cpu");
        assert_eq!(paths.tapes_flushed, 1, "{paths:?}");
    }
}

#[test]
fn searches_by_value_process_several_columns_at_once() {
    let program = Program::new(TEXT);
    let n = LONG[1];
    let cascades = |routine: &str, args: Vec<Value>| {
        program.agree(routine, args, LIMITS).optimised("cpu").cascades
    };
    let unset = || Value::Unset;
    for (seed, k) in [(1, 3), (2, 6)] {
        let (t, f) = (|| table(n, k, seed), || table(n, k, seed + 7));
        let x = || slice(n, seed + 3);
        let ones = || Value::Word(BitVector::from_bools(&vec![true; k]));
        let zeros = || Value::Word(BitVector::zeros(k));
        for (routine, args) in [
            ("below", vec![t(), x(), ones(), unset()]),
            ("above", vec![t(), x(), zeros(), unset()]),
            ("lesser", vec![t(), f(), x(), unset()]),
            ("greater", vec![t(), f(), x(), unset()]),
            ("decided", vec![t(), x(), unset(), unset()]),
        ] {
            let taken = cascades(routine, args);
            assert!((1..k as u64).contains(&taken), "{routine}: {taken} of {k} columns");
        }
        cascades("below", vec![t(), x(), word(k, seed), unset()]);
        cascades("above", vec![t(), x(), word(k, seed), unset()]);
        let args = vec![t(), x(), unset(), unset(), unset()];
        assert_eq!(cascades("counted", args), 0);
    }
}

#[test]
fn sums_carry_from_column_to_column() {
    let program = Program::new(TEXT);
    let k = 11;
    // Of long slices, the first column has no carry and the last one leaves none.
    for (n, added) in [(LONG[0], k - 2), (64 * 100, k)] {
        let args = vec![table(n, k, 1), table(n, k, 2), slice(n, 3), Value::Unset];
        let paths = program.agree("sum", args, LIMITS).optimised("cpu");
        assert_eq!(paths.columns_added, added as u64, "{n}: {paths:?}");
    }
}

#[test]
fn searches_do_not_read_columns_where_no_row_is_left() {
    let program = Program::new(TEXT);
    let (n, k) = (LONG[1], 24);
    let unread = |routine: &str, table: Value, word: Value| {
        let args = vec![table, slice(n, 3), word, Value::Unset, Value::Unset];
        program.agree(routine, args, LIMITS).optimised("cpu").lines_unread
    };
    let groups = n as u64 / 512;
    // Of 512 random rows, about one is left after nine columns, and none after fifteen.
    let matched = unread("search", table(n, k, 1), word(k, 5));
    assert!((6 * groups..18 * groups).contains(&matched), "{matched} of {groups} groups");
    let compared = unread("compare", table(n, k, 1), word(k, 5));
    assert!((6 * groups..18 * groups).contains(&compared), "{compared} of {groups} groups");
    // The columns of both tables count.
    let lower = unread("lower", table(n, k, 1), table(n, k, 5000));
    assert!((12 * groups..36 * groups).contains(&lower), "{lower} of {groups} groups");
    // HIT reads all columns: its steps find no rows before the last one, so nothing stops it.
    assert_eq!(unread("equal", table(n, k, 1), table(n, k, 5000)), 0);
    // Every row remains to the end.
    let zeros = || Value::from(star_value::BitTable::zeros(n, k).expect("memory"));
    assert_eq!(unread("search", zeros(), Value::Word(BitVector::zeros(k))), 0);
}

#[test]
fn a_search_reads_only_where_the_other_one_of_a_conjunction_found_rows() {
    let program = Program::new(TEXT);
    let (n, k) = (LONG[1], 24);
    // The first component, the most significant one, is bit 0.
    let word = |bits: u64| Value::Word(BitVector::from_limbs(k, &[bits]).expect("a word"));
    let unread = |low: u64| {
        let high = word(0x0055_5555);
        let args = vec![table(n, k, 1), table(n, k, 2), word(low), high, Value::Unset];
        let paths = program.agree("between", args, LIMITS).optimised("cpu");
        assert_eq!(paths.searches_narrowed, 1, "{paths:?}");
        paths.lines_unread
    };
    // Above the middle are half of the rows; above the greatest number but one, none of 512.
    let groups = n as u64 / 512;
    let (some, none) = (unread(1), unread((1 << (k - 1)) - 1));
    assert!(none > some + 8 * groups, "{some} {none} of {groups} groups");
    // Alone, each of two searches for equal rows reads nine columns or more of 24.
    let args = vec![table(n, k, 1), table(n, k, 2), word(77), word(5), Value::Unset];
    let both = program.agree("both", args, LIMITS).optimised("cpu").lines_unread;
    assert!(both > 30 * groups, "{both} of {groups} groups");
}

#[test]
fn two_slices_combined_repeatedly_are_planned_soon() {
    let program = Program::new(TEXT);
    let args = vec![slice(LONG[0], 3), Value::Int(150), Value::Unset];
    let limits = Limits { steps: None, ..LIMITS };
    let started = std::time::Instant::now();
    let paths = program.agree("iterations", args, limits).optimised("cpu");
    assert!(paths.ops_recorded >= 300, "{paths:?}");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn a_repeated_tape_is_not_planned_again() {
    let program = Program::new(TEXT);
    for n in LONG {
        let args = vec![slice(n, 1), slice(n, 2), Value::Int(12), Value::Unset];
        let paths = program.agree("again", args, LIMITS).optimised("cpu");
        // One plan without the branch, and at most two with it.
        let n_planned = paths.tapes_flushed - paths.plans_known;
        assert!(paths.tapes_flushed >= 12 && (2..=3).contains(&n_planned), "{paths:?}");
    }
}

#[test]
fn the_memory_of_dropped_slices_is_reused() {
    let program = Program::new(TEXT);
    // Bits whose memory a register keeps, and bits whose memory it does not keep.
    for n in [LONG[0], (1 << 23) + 64] {
        let args = [table(n, 1, 1), table(n, 1, 2), slice(n, 3), Value::Int(3), Value::Unset];
        let paths = program.agree("searches", args.into(), LIMITS).optimised("cpu");
        assert!(paths.slices_recycled >= 4, "{paths:?}");
    }
}

#[test]
fn counts_of_copied_columns_leave_the_copies_pending() {
    let program = Program::new(TEXT);
    let k = 7;
    for n in LONG {
        let paths = |routine: &str| {
            let args = vec![table(n, k, 1), slice(n, 2), Value::Unset, Value::Unset];
            program.agree(routine, args, LIMITS).optimised("cpu")
        };
        let total = paths("total");
        assert_eq!((total.copies_counted, total.tapes_flushed), (2 * k as u64, 1), "{total:?}");
        // The operations before them are executed first.
        let mixed = paths("mixed");
        assert!(mixed.tapes_flushed >= k as u64, "{mixed:?}");
        paths("stored");
        // The message shows the slice.
        paths("overflow");
    }
}

#[test]
fn short_slices_are_not_recorded() {
    let program = Program::new(TEXT);
    let n = LONG[0] - 1;
    let args = vec![slice(n, 1), slice(n, 2), Value::Unset, Value::Unset];
    let paths = program.agree("chain", args, LIMITS).optimised("cpu");
    assert_eq!(paths.ops_recorded, 0, "{paths:?}");
}
