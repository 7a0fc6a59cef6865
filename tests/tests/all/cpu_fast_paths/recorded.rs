//! Recorded sequences of row-by-row operations.

use star_tests::differ::Agreement;
use star_tests::sir::Sir;
use star_value::Value;

use super::{EDGES, slice, table};

/// Operations on tables T and F with `n` rows, slices X, Y, Z, p and q; then X is counted.
fn sequence(body: &str) -> Sir {
    let header = "(value %n: int, value %i: int, value %j: int, ref %T: table[?, ?], \
                  value %F: table[?, ?], ref %X: slice[?], ref %Y: slice[?], ref %Z: slice[?], \
                  ref %k: int, value %w: word[?])";
    let body = format!(
        "var %p: slice[?]
         var %q: slice[?]
         var %m: int
         var %c: int
         var %b: bool
         {body}
         %k = count %X"
    );
    Sir::guarded(header, &body)
}

fn arguments(n_rows: usize, i: i64, j: i64) -> Vec<Value> {
    vec![
        Value::Int(n_rows as i64),
        Value::Int(i),
        Value::Int(j),
        table(n_rows, 4, 1),
        table(n_rows, 3, 2),
        slice(n_rows, 3),
        slice(n_rows, 4),
        Value::Unset,
        Value::Unset,
        Value::Word(star_tests::bits("1011")),
    ]
}

/// Asserts that the backend that records every operation on whole limbs has done so.
#[track_caller]
fn is_recorded(agreement: &Agreement, n_rows: usize) {
    let paths = agreement.optimised("cpu-baseline");
    assert_eq!(paths.ops_recorded > 0, n_rows >= 64, "{n_rows}: {paths:?}");
}

/// One step of an addition: sum and carry; the new carry in Z.
const ADDER: &str = "
    %p = column %T, %i
    %Z = column %F, 1
    %Z = bits_xor %Z, %p
    %Z = bits_xor %Z, %X
    put_column %T, %i, %Z
    %Z = bits_or %p, %X
    %Y = bits_not %Y
    %Z = bits_and %Z, %Y
    cost 7";

const STRAIGHT: [&str; 6] = [
    ADDER,
    // X and Y are exchanged.
    "%p = copy %X\n%X = copy %Y\n%Y = copy %p\ncost 1",
    // A loaded value is stored, and a slice that was never set is created.
    "%p = fill %n, true\n%Z = copy %p\nput_column %T, %i, %p\nput_column %T, %j, %X",
    "%X = column %T, %i\n%Z = column %T, %j\n%p = bits_xor %X, %Z\nput_column %T, %i, %p",
    "%X = bits_and %X, %X\n%X = bits_not %X",
    // Many operations on one value, and one value for many.
    "%p = bits_or %X, %Y\n%q = bits_not %p\n%p = bits_and %p, %X\n%p = bits_xor %p, %q
     %q = bits_or %q, %Y\n%X = bits_xor %p, %q\n%Z = bits_and %q, %X\n%Y = bits_not %Z\ncost 8",
];

#[test]
fn sequences_are_recorded_at_every_size() {
    for body in STRAIGHT {
        let sequence = sequence(body);
        for n_rows in EDGES.into_iter().chain([4095, 4096, 4097, 33_000]) {
            for (i, j) in [(1, 2), (4, 1)] {
                let agreement = sequence.agree(&arguments(n_rows, i, j));
                is_recorded(&agreement, n_rows);
            }
        }
    }
}

#[test]
fn columns_that_iteration_out_to_be_one_are_written_in_order() {
    let stored_then_loaded = "
        %p = bits_not %X
        put_column %T, %i, %p
        %q = column %T, %j
        %q = bits_xor %q, %Y
        put_column %T, %j, %q";
    let stored_twice = "put_column %T, %i, %X\nput_column %T, %j, %Y";
    for body in [stored_then_loaded, stored_twice] {
        let sequence = sequence(body);
        for n_rows in [1, 64, 130, 4097] {
            for j in [1, 2] {
                let agreement = sequence.agree(&arguments(n_rows, j, 2));
                is_recorded(&agreement, n_rows);
            }
        }
    }
    // Columns that are only loaded may be the same one.
    let agreement = sequence("%p = column %T, %i\n%q = column %T, %j\n%X = bits_xor %p, %q")
        .agree(&arguments(65, 3, 3));
    is_recorded(&agreement, 65);
}

#[test]
fn loops_and_branches_are_recorded() {
    let bodies = [
        // MATCH: a column or its complement, as a word says.
        "%Z = copy %X
         for @0 %m = 1 to 4 {
         %p = column %T, %m
         %c = component %w, %m
         %b = eq %c, 1
         if %b {
         %Z = bits_and %Z, %p
         } else {
         %p = bits_not %p
         %Z = bits_and %Z, %p
         }
         cost 3
         }",
        // Written columns, read again by the next iteration.
        "for @0 %m = 2 downto 1 {
         %p = column %T, %m
         %q = column %T, 3
         %p = bits_xor %p, %q
         put_column %T, 3, %p
         %X = bits_or %X, %p
         cost 5
         }",
        "block @1 {
         %b = gt %i, 2
         if %b {
         break @1
         }
         %X = bits_not %X
         cost 1
         }
         put_column %T, %i, %X",
    ];
    for body in bodies {
        let sequence = sequence(body);
        for n_rows in [0, 1, 63, 64, 65, 130, 513, 4097] {
            for i in [1, 3] {
                let agreement = sequence.agree(&arguments(n_rows, i, 2));
                is_recorded(&agreement, n_rows);
            }
        }
    }
}
