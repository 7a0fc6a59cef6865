//! `for` over columns with loop-carried slices.

use star_tests::differ::Agreement;
use star_tests::sir::{self, Sir};
use star_value::{BitVector, Value};
use star_vm::Declined;

use super::{CPUS, EDGES, each, slice, table, word};

/// Slices with this number of components are recorded with the smallest settings, and by the
/// backend that records most.
const RECORDED_WHEN_TINY: usize = 256;
const RECORDED_BY_BASELINE: usize = 64;

/// Asserts that a kernel ran this number of iterations where slices are not recorded, and none
/// otherwise.
#[track_caller]
pub(super) fn ran(agreement: &Agreement, n_rows: usize, n_iterations: usize) {
    let n_iterations = n_iterations as u64;
    for machine in CPUS {
        let paths = agreement.optimised(machine);
        let is_recorded = match machine {
            "cpu-tiny" => n_rows >= RECORDED_WHEN_TINY,
            "cpu-baseline" => n_rows >= RECORDED_BY_BASELINE,
            _ => false,
        };
        // Recorded operations are executed before an index is used.
        let is_recorded = is_recorded && paths.searches_indexed == 0;
        let wanted = if is_recorded { (0, 0) } else { (1, n_iterations) };
        assert_eq!((paths.loop_kernels, paths.iterations), wanted, "{machine}: {paths:?}");
    }
}

/// Builds a loop over P and Q, with slices X and Y from outside, a word w, and locals v, u and C.
fn program(range: &str, body: &str, behind: &str) -> Sir {
    let header = "(ref %P: table[?, ?], value %Q: table[?, ?], ref %X: slice[?], ref %Y: slice[?], \
                  value %w: word[?], value %from: int, value %to: int)";
    let vars = "var %i: int\nvar %b: int\nvar %t: bool\nvar %n: int\nvar %v: slice[?]\n\
                var %u: slice[?]\nvar %C: slice[?]";
    let before = "%n = rows %Q\n%C = fill %n, false";
    Sir::guarded(header, &format!("{vars}\n{before}\nfor @0 %i {range} {{\n{body}\n}}\n{behind}"))
}

const UP: &str = "= %from to %to";
const DOWN: &str = "= %to downto %from";

/// Like MATCH.
const MATCH: &str = "
    %v = column %Q, %i
    %b = component %w, %i
    %t = eq %b, 1
    cost 2
    if %t {
      %X = bits_and %X, %v
      cost 1
    } else {
      %u = bits_not %v
      %X = bits_and %X, %u
      cost 2
    }";

/// Like ADDC.
const ADDC: &str = "
    %v = column %Q, %i
    %b = component %w, %i
    %t = ne %b, 1
    if %t {
      %u = bits_xor %v, %C
      %u = bits_and %u, %X
      put_column %P, %i, %u
      %C = bits_and %v, %C
      cost 4
    } else {
      %u = bits_xor %v, %C
      %u = bits_not %u
      %u = bits_and %X, %u
      put_column %P, %i, %u
      %C = bits_or %v, %C
      cost 5
    }";

/// Like SETMIN.
const SETMIN: &str = "
    %v = column %P, %i
    %u = column %Q, %i
    %u = bits_xor %v, %u
    %u = bits_and %u, %X
    %v = bits_and %u, %v
    %Y = bits_or %Y, %v
    %u = bits_not %u
    %X = bits_and %X, %u
    cost 8";

/// Like WCOPY: a slice of the iteration is filled on one path.
const WCOPY: &str = "
    %v = copy %X
    %b = component %w, %i
    %t = eq %b, 0
    cost 1
    if %t {
      %v = fill %n, false
      cost 1
    }
    put_column %P, %i, %v
    cost 1";

/// A column is stored and read again, one slice is set on only one path, another one by the last
/// iteration.
const MIXTURE: &str = "
    %v = column %P, %i
    %u = bits_or %v, %C
    put_column %P, %i, %u
    %b = component %w, %i
    %t = eq %b, 1
    if %t {
      %Y = column %P, %i
      cost 3
    }
    %X = column %Q, %i
    %C = bits_xor %v, %u
    cost 5";

/// A column is stored on only one path.
const ONE_WAY: &str = "
    %b = component %w, %i
    %t = eq %b, 1
    cost 1
    if %t {
      %v = column %Q, %i
      %v = bits_and %v, %X
      put_column %P, %i, %v
      cost 2
    }";

const BODIES: [&str; 6] = [MATCH, ADDC, SETMIN, WCOPY, MIXTURE, ONE_WAY];

fn arguments(n_rows: usize, n_cols: usize, range: (i64, i64)) -> Vec<Value> {
    vec![
        table(n_rows, n_cols, 1),
        table(n_rows, n_cols, 2),
        slice(n_rows, 3),
        slice(n_rows, 4),
        word(n_cols, 5),
        Value::Int(range.0),
        Value::Int(range.1),
    ]
}

#[test]
fn iterations_run_as_one_kernel_at_every_size() {
    for range in [UP, DOWN] {
        for body in BODIES {
            let program = program(range, body, "");
            for n_rows in EDGES.into_iter().filter(|n| *n > 0) {
                for n_cols in [1, 3, 24] {
                    let agreement = program.agree(&arguments(n_rows, n_cols, (1, n_cols as i64)));
                    ran(&agreement, n_rows, n_cols);
                }
            }
        }
    }
}

#[test]
fn a_range_of_columns_leaves_the_others_unchanged() {
    for range in [UP, DOWN] {
        for body in BODIES {
            let program = program(range, body, "");
            for part in [(1, 1), (24, 24), (2, 23), (7, 9)] {
                let agreement = program.agree(&arguments(65, 24, part));
                ran(&agreement, 65, (part.1 - part.0 + 1) as usize);
            }
        }
    }
}

#[test]
fn a_range_beyond_the_columns_runs_as_written() {
    for range in [UP, DOWN] {
        for body in BODIES {
            let program = program(range, body, "");
            for part in [(0, 3), (1, 6), (-2, 2), (6, 6), (3, i64::MAX), (i64::MIN, 1)] {
                // A range from the far end of the integers would take too long.
                if part.1 == i64::MAX && range == DOWN || part.0 == i64::MIN && range == UP {
                    continue;
                }
                let agreement = program.agree(&arguments(65, 5, part));
                each(&agreement, |paths| paths.loop_kernels == 0);
                assert_eq!(agreement.optimised("cpu").declined(Declined::Range), 1);
            }
            // No iteration at all.
            let agreement = program.agree(&arguments(65, 5, (3, 2)));
            each(&agreement, |paths| paths.loop_kernels == 0);
        }
    }
}

#[test]
fn mismatched_or_unset_operands_trap_at_the_operation() {
    for body in BODIES {
        let program = program(UP, body, "");
        for (at, value) in [
            (0, table(64, 5, 9)),
            (0, table(65, 4, 9)),
            (1, table(66, 5, 9)),
            (2, slice(64, 9)),
            (3, slice(66, 9)),
            (4, word(4, 9)),
            (2, Value::Unset),
            (3, Value::Unset),
            (0, Value::Unset),
        ] {
            let mut args = arguments(65, 5, (1, 5));
            args[at] = value;
            let _ = program.agree(&args);
        }
    }
}

#[test]
fn values_needed_after_the_loop_are_available() {
    // A slice of the last iteration, and one possibly set by the iteration before it.
    for behind in ["%Y = copy %v", "%Y = bits_or %C, %v", "%X = bits_xor %X, %C"] {
        for body in [ADDC, SETMIN] {
            ran(&program(UP, body, behind).agree(&arguments(129, 7, (1, 7))), 129, 7);
        }
    }
    // A number of the iteration, or the index: a kernel does not keep those.
    for behind in ["put_column %P, %b, %X", "put_column %P, %i, %X", "print %i"] {
        let agreement = program(UP, MATCH, behind).agree(&arguments(129, 7, (1, 7)));
        each(&agreement, |paths| paths.loop_kernels == 0);
    }
}

#[test]
fn bodies_with_other_operations_run_as_written() {
    for body in [
        // Another column.
        "%v = column %Q, %from\n%X = bits_and %X, %v",
        "%v = column %Q, %i\n%X = bits_and %X, %v\nput_column %P, %to, %v",
        // A query of a slice.
        "%v = column %Q, %i\n%t = any %v\nif %t {\n%X = bits_and %X, %v\n}",
        // A component of a value that the loop changes, or at another index.
        "%v = column %Q, %i\n%b = component %X, %i\n%t = eq %b, 1\nif %t {\n%X = copy %v\n}",
        "%v = column %Q, %i\n%b = component %w, %to\n%t = eq %b, 1\nif %t {\n%X = copy %v\n}",
        // Leaves the iteration, or the loop.
        "%v = column %Q, %i\n%b = component %w, %i\n%t = eq %b, 1\nif %t {\nbreak @0\n}\n%X = copy %v",
        "%v = column %Q, %i\n%b = component %w, %i\n%t = eq %b, 1\nif %t {\ncontinue @0\n}\n%X = copy %v",
        // Rows.
        "%v = column %Q, %i\n%X = bits_and %X, %v\n%r = row %Q, %i",
        // Numbers that are not components.
        "%v = column %Q, %i\n%b = mod %i, 3\n%X = bits_and %X, %v",
    ] {
        let body = match body.contains("%r") {
            true => body.replace("%r", "%w"),
            false => body.to_owned(),
        };
        let agreement = program(UP, &body, "").agree(&arguments(65, 5, (1, 5)));
        each(&agreement, |paths| paths.loop_kernels == 0);
    }
}

#[test]
fn ordered_iterations_over_several_tables_are_a_kernel() {
    // Like HIT: the sizes imply that nothing can fail.
    let text = "routine 0 \"F\" (value %P, value %Q, ref %X) {
        var %n: int
        var %k: int
        var %P: table[%n, %k]
        var %Q: table[%n, %k]
        var %X: slice[%n]
        var %i: int
        var %v: slice[%n]
        var %u: slice[%n]
        check set %P
        check set %Q
        check set %X
        %n = rows %P
        %k = columns %P
        check size rows %Q, %n
        check size columns %Q, %k
        check size length %X, %n
        forall @0 %i = 1 to %k privates [%v, %u] reductions [and %X] {
          %v = column %P, %i
          %u = column %Q, %i
          %v = bits_xor %v, %u
          %v = bits_not %v
          %X = bits_and %X, %v
          cost 5
        }
      }";
    let program = Sir::new(&sir::read(text), &Sir::machines());
    for n_rows in EDGES.into_iter().filter(|n| *n > 0) {
        for n_cols in [1, 24] {
            let (p, q) = (table(n_rows, n_cols, 1), table(n_rows, n_cols, 1));
            let other = table(n_rows, n_cols, 7);
            for q in [q, other] {
                let args = vec![p.clone(), q, slice(n_rows, 3)];
                ran(&program.agree(&args), n_rows, n_cols);
            }
        }
    }
}

#[test]
fn tables_stored_by_rows_are_left_in_that_layout() {
    let paths = |body: &str, n_cols: i64| {
        let iteration =
            "%n = rows %P\nfor @1 %b = 1 to %n {\n%r = row %P, %b\nput_row %P, %b, %r\n}\n";
        let header = "(ref %P: table[?, ?], ref %X: slice[?], value %to: int)";
        let vars = "var %i: int\nvar %b: int\nvar %n: int\nvar %v: slice[?]\nvar %r: word[?]";
        let program = Sir::guarded(
            header,
            &format!("{vars}\n{}\nfor @0 %i = 1 to %to {{\n{body}\n}}", iteration),
        );
        let args = vec![table(70, 65, 1), slice(70, 2), Value::Int(n_cols)];
        program.agree(&args).optimised("cpu-tiny")
    };
    // The smallest settings transpose a table as soon as a row of it is read.
    let stored = "%v = column %P, %i\n%v = bits_or %v, %X\nput_column %P, %i, %v";
    assert_eq!(paths(stored, 65).declined(Declined::Form), 1);
}

/// Like WMERGE.
const WMERGE: &str = "
    %v = column %P, %i
    %b = component %w, %i
    %t = eq %b, 1
    if %t {
      %v = bits_or %v, %X
      cost 4
    } else {
      %u = bits_not %X
      %v = bits_and %v, %u
      cost 5
    }
    put_column %P, %i, %v";

/// The rows of a slice whose limbs are too many to be sparse by default, and a sparse number of
/// limbs.
const LONG: usize = 5000;
const FEW: usize = 16;

/// Builds a slice with a one in each of the limbs 0, 4, 8 …, the given number of them, and in the
/// last row if `with_last`.
fn spread(n_limbs: usize, with_last: bool) -> Value {
    let mut bits = BitVector::zeros(LONG);
    for limb in 0..n_limbs {
        bits.put(256 * limb + 7 * limb % 64, true);
        bits.put(256 * limb + 63, true);
    }
    bits.put(LONG - 1, with_last);
    Value::Slice(bits)
}

#[test]
fn only_the_limbs_of_a_sparse_mask_are_processed() {
    for range in [UP, DOWN] {
        for body in [MATCH, ADDC, SETMIN, WCOPY, WMERGE, ONE_WAY] {
            let program = program(range, body, "");
            for (n_limbs, with_last) in [(0, false), (0, true), (1, false), (8, true), (15, true)] {
                let mut args = arguments(LONG, 24, (2, 23));
                args[2] = spread(n_limbs, with_last);
                let paths = program.agree(&args).optimised("cpu");
                assert_eq!(
                    (paths.iterations, paths.masked_iterations),
                    (22, 22),
                    "{n_limbs} {paths:?}"
                );
            }
            // One limb more, and a slice that has ones everywhere.
            for mask in [spread(FEW, true), slice(LONG, 3)] {
                let mut args = arguments(LONG, 24, (2, 23));
                args[2] = mask;
                let paths = program.agree(&args).optimised("cpu");
                let narrowing = if body == MATCH { 22 } else { 0 };
                assert_eq!((paths.iterations, paths.masked_iterations), (22, 0), "{paths:?}");
                assert_eq!(paths.narrowing_iterations, narrowing, "{paths:?}");
            }
        }
    }
}

#[test]
fn iterations_on_sparse_limbs_run_in_batches() {
    for range in [UP, DOWN] {
        for body in [MATCH, ADDC, SETMIN, WCOPY, WMERGE, ONE_WAY] {
            let program = program(range, body, "");
            for n_iterations in [31, 32, 33, 64, 65] {
                let range = (3, n_iterations as i64 + 2);
                let mut args = arguments(LONG, n_iterations + 4, range);
                args[2] = spread(11, true);
                for args in [args, arguments(1000, n_iterations + 4, range)] {
                    let paths = program.agree(&args).optimised("cpu");
                    assert_eq!(paths.masked_iterations, n_iterations as u64, "{paths:?}");
                }
            }
        }
    }
}

#[test]
fn without_a_mask_all_limbs_of_long_slices_are_processed() {
    for (body, behind) in [
        // The stored value may be one anywhere.
        (MIXTURE, ""),
        ("%v = column %Q, %i\n%v = bits_or %v, %X\nput_column %P, %i, %v", ""),
        // The carries are read after the loop.
        (ADDC, "%Y = copy %C"),
        // Another slice changes where the mask is zero.
        ("%v = column %Q, %i\n%X = bits_and %X, %v\n%Y = bits_xor %Y, %v", ""),
    ] {
        let mut args = arguments(LONG, 9, (1, 9));
        args[2] = spread(3, true);
        let paths = program(UP, body, behind).agree(&args).optimised("cpu");
        assert_eq!((paths.iterations, paths.masked_iterations), (9, 0), "{body} {paths:?}");
        // Short ones are processed whole.
        let paths = program(UP, body, behind).agree(&arguments(1000, 9, (1, 9))).optimised("cpu");
        assert_eq!((paths.iterations, paths.masked_iterations), (9, 9), "{body} {paths:?}");
    }
}
