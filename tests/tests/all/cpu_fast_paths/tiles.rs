//! Tile kernels.

use star_tests::sir::Sir;
use star_vm::{Declined, HostValue};

use super::{EDGES, declined, each, slice, table};

/// A kernel over `n` rows with tables T and F, slices X, Y, Z and private p, q and G; X is counted
/// behind it.
fn kernel(body: &str) -> Sir {
    kernel_behind("", body)
}

/// The same behind other statements.
fn kernel_behind(before: &str, body: &str) -> Sir {
    let header = "(value %n: int, value %i: int, value %j: int, ref %T: table[?, ?], \
                  value %F: table[?, ?], ref %X: slice[?], ref %Y: slice[?], ref %Z: slice[?], \
                  ref %k: int, value %w: word[?])";
    let body = format!(
        "var %p: slice[?]
         var %q: slice[?]
         var %G: table[?, ?]
         var %m: int
         var %c: int
         var %b: bool
         var %u: word[?]
         {before}
         tile %n privates [%p, %q, %G] reductions [%k = count %X] {{
         {body}
         }}"
    );
    Sir::guarded(header, &body)
}

fn arguments(n_rows: usize, i: i64, j: i64) -> Vec<HostValue> {
    vec![
        HostValue::Int(n_rows as i64),
        HostValue::Int(i),
        HostValue::Int(j),
        table(n_rows, 4, 1),
        table(n_rows, 3, 2),
        slice(n_rows, 3),
        slice(n_rows, 4),
        HostValue::Unset,
        HostValue::Unset,
        HostValue::Word(star_tests::bits("1011")),
    ]
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
    // X and Y change places.
    "%p = copy %X\n%X = copy %Y\n%Y = copy %p\ncost 1",
    // What is stored is what was loaded, and a slice is made that was never set.
    "%p = fill %n, true\n%Z = copy %p\nput_column %T, %i, %p\nput_column %T, %j, %X",
    "%X = column %T, %i\n%Z = column %T, %j\n%p = bits_xor %X, %Z\nput_column %T, %i, %p",
    "%X = bits_and %X, %X\n%X = bits_not %X",
    // Many operations on one value, and one value for many.
    "%p = bits_or %X, %Y\n%q = bits_not %p\n%p = bits_and %p, %X\n%p = bits_xor %p, %q
     %q = bits_or %q, %Y\n%X = bits_xor %p, %q\n%Z = bits_and %q, %X\n%Y = bits_not %Z\ncost 8",
];

#[test]
fn straight_kernels_run_strip_by_strip_at_every_size() {
    for body in STRAIGHT {
        let kernel = kernel(body);
        for n_rows in EDGES.into_iter().chain([4095, 4096, 4097, 33_000]) {
            for (i, j) in [(1, 2), (4, 1)] {
                let agreement = kernel.agree(&arguments(n_rows, i, j));
                each(&agreement, |paths| paths.tile_kernels == 1);
            }
        }
    }
}

#[test]
fn columns_that_turn_out_to_be_one_are_written_in_order() {
    let stored_then_loaded = "
        %p = bits_not %X
        put_column %T, %i, %p
        %q = column %T, %j
        %q = bits_xor %q, %Y
        put_column %T, %j, %q";
    let stored_twice = "put_column %T, %i, %X\nput_column %T, %j, %Y";
    for body in [stored_then_loaded, stored_twice] {
        let kernel = kernel(body);
        for n_rows in [1, 64, 130, 4097] {
            for j in [1, 2] {
                let agreement = kernel.agree(&arguments(n_rows, j, 2));
                each(&agreement, |paths| paths.tile_kernels == 1);
            }
        }
    }
    // LoadedRoutine only, both may be one.
    let agreement = kernel("%p = column %T, %i\n%q = column %T, %j\n%X = bits_xor %p, %q")
        .agree(&arguments(65, 3, 3));
    each(&agreement, |paths| paths.tile_kernels == 1);
}

#[test]
fn a_kernel_whose_guard_fails_leaves_slices_and_tables() {
    for body in STRAIGHT {
        let kernel = kernel(body);
        let mut others: Vec<Vec<HostValue>> = Vec::new();
        // Columns that are not there.
        others.extend([(0, 1), (5, 1), (1, 0), (1, 5), (-1, -1)].map(|(i, j)| arguments(65, i, j)));
        // Slices and tables that were never set.
        for idx in [3, 5, 6] {
            let mut values = arguments(65, 1, 2);
            values[idx] = HostValue::Unset;
            others.push(values);
        }
        let mut n_declined = 0;
        for values in others {
            let agreement = kernel.agree(&values);
            n_declined += agreement.optimised("cpu").declined(Declined::Guard);
        }
        assert!(n_declined > 0, "{body}");
    }
}

#[test]
fn a_later_guard_undoes_what_was_stored_before() {
    let kernel = kernel("%X = bits_not %X\nput_column %T, 1, %X\n%p = column %T, %i\n%Y = copy %p");
    for i in [0, 2, 9] {
        for n_rows in [1, 65, 4097] {
            let agreement = kernel.agree(&arguments(n_rows, i, 1));
            let taken = u64::from(i == 2);
            each(&agreement, |paths| paths.tile_kernels == taken);
        }
    }
}

#[test]
fn the_size_of_a_result_is_looked_at_too() {
    let kernel = kernel("%p = bits_not %X\ncheck size length %p, %i\n%Y = copy %p\ncost 2");
    for n_rows in [1, 64, 65, 4097] {
        let agreement = kernel.agree(&arguments(n_rows, n_rows as i64, 1));
        each(&agreement, |paths| paths.tile_kernels == 1);
        for i in [n_rows as i64 - 1, n_rows as i64 + 1, -1] {
            declined(&kernel.agree(&arguments(n_rows, i, 1)), Declined::Guard);
        }
    }
}

#[test]
fn loops_and_branches_inside_a_kernel_do_what_they_say() {
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
        // Written columns, read again by the next turn.
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
        let kernel = kernel(body);
        for n_rows in [0, 1, 63, 64, 65, 130, 513, 4097] {
            for i in [1, 3, 5] {
                let agreement = kernel.agree(&arguments(n_rows, i, 2));
                each(&agreement, |paths| paths.tile_kernels + paths.declined(Declined::Guard) == 1);
            }
        }
    }
}

#[test]
fn what_a_tape_does_not_take_is_executed_and_undone_where_a_guard_fails() {
    // A field is no column; the table is shared before, and what is private is as it was.
    let kernel = kernel(
        "%X = bits_not %X
         put_column %T, 2, %X
         %G = field %T, 0, 2
         %q = column %G, 2
         %Y = bits_xor %q, %Y
         %p = column %T, %i
         %Z = bits_and %p, %Y
         cost 7",
    );
    for n_rows in [0, 1, 64, 130, 4097] {
        for i in [1, 4, 5, 0] {
            declined(&kernel.agree(&arguments(n_rows, i, 2)), Declined::Body);
        }
    }
}

#[test]
fn a_table_by_rows_that_a_kernel_stores_to_is_as_before_where_a_guard_fails() {
    // Rows are changed until the table lies by rows; a column is then scattered, which no tape
    // does.
    let by_rows = "for @8 %m = 1 to 60 {\n%u = row %T, %m\nput_row %T, %m, %u\n}";
    let kernel = kernel_behind(by_rows, "put_column %T, 2, %X\n%p = column %T, %i\n%Y = copy %p");
    for n_rows in [65, 4097, 33_000] {
        for i in [1, 9] {
            let agreement = kernel.agree(&arguments(n_rows, i, 1));
            if n_rows > 65 {
                let paths = agreement.optimised("cpu");
                assert_eq!(paths.declined(Declined::Body), 1, "{n_rows} rows: {paths:?}");
            }
        }
    }
}
