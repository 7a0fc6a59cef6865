//! `for` over columns that also reads columns next to that of its index.

use star_tests::sir::Sir;
use star_value::Value;
use star_vm::Declined;

use super::iterations::ran;
use super::{EDGES, each, slice, table};

/// Builds a loop over P and Q, with a slice X, numbers d and h from outside, and C as a
/// loop-carried slice.
fn program(range: &str, body: &str, behind: &str) -> Sir {
    let header = "(ref %P: table[?, ?], value %Q: table[?, ?], ref %X: slice[?], \
                  value %from: int, value %to: int, value %d: int, value %h: int)";
    let vars = "var %i: int\nvar %a: int\nvar %b: int\nvar %c: int\nvar %n: int\nvar %v: slice[?]\n\
                var %u: slice[?]\nvar %C: slice[?]";
    let before = "%n = rows %Q\n%C = fill %n, false";
    Sir::guarded(header, &format!("{vars}\n{before}\nfor @0 %i {range} {{\n{body}\n}}\n{behind}"))
}

const UP: &str = "= %from to %to";
const DOWN: &str = "= %to downto %from";

/// Like the first loop of DIVV, and the one that adds according to the columns of two tables.
const COPIED: &str = "%b = add %d, %i\n%v = column %Q, %i\nput_column %P, %b, %v\ncost 2";

/// Like the last loop of DIVV.
const TAKEN: &str =
    "%b = add %i, %d\n%v = column %Q, %b\n%v = bits_and %X, %v\nput_column %P, %i, %v\ncost 3";

/// Like the subtraction of DIVV: the index is computed twice.
const CHANGED: &str = "
    %b = add %i, %d
    %c = add %i, %d
    %v = column %P, %c
    %u = column %Q, %i
    %u = bits_and %X, %u
    %v = bits_xor %v, %u
    put_column %P, %b, %v
    cost 5";

/// Like the borrow of DIVV: a slice is loop-carried.
const BORROWED: &str = "
    %b = add %i, %d
    %v = column %Q, %b
    %u = bits_xor %v, %C
    put_column %P, %i, %u
    %C = bits_and %v, %C
    %u = bits_and %u, %X
    %C = bits_or %C, %u
    cost 6";

/// The column before, and one after.
const NEIGHBOURS: &str = "
    %b = sub %i, 1
    %v = column %Q, %b
    %c = add %i, %d
    %u = column %Q, %c
    %v = bits_xor %v, %u
    put_column %P, %i, %v
    cost 4";

/// Like TCOPY1: the column of a field.
const FIELD: &str = "
    %a = sub %d, 1
    %c = mul %a, %h
    %b = add %c, %i
    %v = column %Q, %b
    put_column %P, %i, %v
    cost 2";

/// A number with two values.
const TWICE: &str = "
    %b = add %i, %d
    %v = column %Q, %b
    %b = sub %b, %d
    %u = column %Q, %b
    %v = bits_and %v, %u
    put_column %P, %i, %v
    cost 2";

const BODIES: [&str; 7] = [COPIED, TAKEN, CHANGED, BORROWED, NEIGHBOURS, FIELD, TWICE];

fn arguments(n_rows: usize, range: (i64, i64), shift: (i64, i64)) -> Vec<Value> {
    vec![
        table(n_rows, 24, 1),
        table(n_rows, 24, 2),
        slice(n_rows, 3),
        Value::Int(range.0),
        Value::Int(range.1),
        Value::Int(shift.0),
        Value::Int(shift.1),
    ]
}

#[test]
fn neighbouring_columns_are_one_kernel_at_every_size() {
    for range in [UP, DOWN] {
        for body in BODIES {
            let program = program(range, body, "");
            for n_rows in EDGES.into_iter().filter(|n| *n > 0) {
                for (part, shift) in
                    [((2, 6), (4, 3)), ((2, 2), (1, 22)), ((3, 23), (1, 0)), ((7, 24), (0, 1))]
                {
                    ran(
                        &program.agree(&arguments(n_rows, part, shift)),
                        n_rows,
                        (part.1 - part.0 + 1) as usize,
                    );
                }
            }
        }
    }
}

#[test]
fn an_out_of_range_or_overflowing_shift_runs_as_written() {
    for range in [UP, DOWN] {
        for body in BODIES {
            let program = program(range, body, "");
            let shifts = [(30, 30), (-30, 2), (i64::MAX, 2), (i64::MIN, 2), (19, 24)];
            // Only a field has a width.
            let field = (body == FIELD).then_some((3, i64::MAX));
            for shift in shifts.into_iter().chain(field) {
                let agreement = program.agree(&arguments(65, (2, 6), shift));
                each(&agreement, |paths| paths.loop_kernels == 0);
            }
        }
        let program = program(range, TAKEN, "");
        for (shift, reason) in
            [(20, Declined::Range), (-2, Declined::Range), (i64::MAX, Declined::Guard)]
        {
            let paths = program.agree(&arguments(65, (2, 6), (shift, 0))).optimised("cpu");
            assert_eq!(paths.declined(reason), 1, "{shift}: {paths:?}");
        }
    }
}

#[test]
fn dependent_iterations_and_non_linear_numbers_run_as_written() {
    for body in [
        // A value written by another iteration.
        "%b = add %i, %d\n%v = column %P, %b\nput_column %P, %i, %v",
        "%b = sub %i, %d\n%v = column %P, %b\nput_column %P, %i, %v",
        "%b = add %i, %d\nput_column %P, %b, %X\nput_column %P, %i, %C",
        // The same column in all iterations, and columns in the opposite direction, or two at a
        // time.
        "%b = sub %d, 1\n%v = column %Q, %b\nput_column %P, %i, %v",
        "%b = sub %h, %i\n%v = column %Q, %b\nput_column %P, %i, %v",
        "%b = add %i, %i\n%v = column %Q, %b\nput_column %P, %i, %v",
        "%b = mul %i, %d\n%v = column %Q, %b\nput_column %P, %i, %v",
        // A number of the previous iteration.
        "%d = add %d, 1\n%b = add %i, %d\n%v = column %Q, %b\nput_column %P, %i, %v",
    ] {
        for range in [UP, DOWN] {
            let agreement = program(range, body, "").agree(&arguments(65, (2, 6), (2, 8)));
            each(&agreement, |paths| paths.loop_kernels == 0);
        }
    }
    // A number that is needed after the loop.
    let agreement = program(UP, TAKEN, "print %b").agree(&arguments(65, (2, 6), (2, 8)));
    each(&agreement, |paths| paths.loop_kernels == 0);
}
