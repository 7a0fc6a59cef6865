//! `forall` over the rows or columns of a table.

use star_tests::sir::{self, Sir};
use star_value::Value;
use star_vm::Declined;

use super::{EDGES, declined, each, slice, table, word};

/// The lines of a table over which a `forall` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Row,
    Column,
}

/// Builds a routine over P and Q with private lines `v` and `u`, a line `w` from outside and
/// indices from `from` to `to`, or where X has ones. The body is written for rows.
fn program(line: Line, range: &str, body: &str) -> Sir {
    routine(line, "", &forall(range, body))
}

fn forall(range: &str, body: &str) -> String {
    format!("forall @0 %i {range} writes [row %P] privates [%v, %u] {{\n{body}\n}}")
}

/// Builds a routine with further variables, written for rows.
fn routine(line: Line, vars: &str, body: &str) -> Sir {
    let header = "(ref %P: table[?, ?], value %Q: table[?, ?], value %X: slice[?], \
                  value %w: word[?], value %from: int, value %to: int)";
    let vars = format!("var %i: int\nvar %n: int\nvar %v: word[?]\nvar %u: word[?]\n{vars}");
    match line {
        Line::Row => {
            // Tables are given by columns: they are transposed when their rows have been read.
            let row_loop = |table: &str| {
                format!("%n = rows {table}\nfor @9 %i = 1 to %n {{\n%v = row {table}, %i\n}}")
                    .replace("@9", if table == "%P" { "@8" } else { "@9" })
            };
            Sir::guarded(header, &format!("{vars}\n{}\n{}\n{body}", row_loop("%P"), row_loop("%Q")))
        }
        Line::Column => {
            let body = format!("{vars}\n{body}");
            let by_columns =
                |text: &str| text.replace("row %", "column %").replace("word[", "slice[");
            Sir::guarded(&by_columns(header), &by_columns(&body).replace("put_row", "put_column"))
        }
    }
}

const BETWEEN: &str = "= %from to %to";
const ONES: &str = "in %X";

/// The line is changed in place.
const UPDATE: &str = "
    %v = row %P, %i
    %u = bits_or %v, %w
    cost 3
    put_row %P, %i, %u";

/// Lines of two tables pass through every operation, and a stored line is read again.
const MIXTURE: &str = "
    %v = row %Q, %i
    %u = row %P, %i
    %u = bits_xor %u, %v
    %v = bits_not %u
    %v = bits_and %v, %w
    put_row %P, %i, %v
    %u = row %P, %i
    %u = copy %u
    %v = bits_or %w, %u
    cost 7
    put_row %P, %i, %v";

const BODIES: [&str; 4] = [
    UPDATE,
    MIXTURE,
    "%v = row %P, %i\n%u = bits_xor %w, %v\nput_row %P, %i, %u",
    "%v = copy %w\ncost 2\nput_row %P, %i, %v",
];

/// Builds arguments for `n_lines` lines of `len` components.
fn arguments(line: Line, n_lines: usize, len: usize, range: (i64, i64)) -> Vec<Value> {
    let (n_rows, n_cols) = match line {
        Line::Row => (n_lines, len),
        Line::Column => (len, n_lines),
    };
    let with = match line {
        Line::Row => word(len, 3),
        Line::Column => slice(len, 3),
    };
    let (from, to) = (Value::Int(range.0), Value::Int(range.1));
    vec![table(n_rows, n_cols, 1), table(n_rows, n_cols, 2), slice(n_lines, 4), with, from, to]
}

const LINES: [Line; 2] = [Line::Row, Line::Column];

#[test]
fn lines_run_as_one_kernel_at_every_size() {
    for line in LINES {
        for body in BODIES {
            let program = program(line, BETWEEN, body);
            for n_lines in EDGES.into_iter().filter(|&n| n > 0) {
                for len in [1, 64, 65, 129] {
                    let range = (1, n_lines as i64);
                    let agreement = program.agree(&arguments(line, n_lines, len, range));
                    each(&agreement, |paths| {
                        (paths.line_kernels, paths.lines) == (1, n_lines as u64)
                    });
                }
            }
        }
    }
}

#[test]
fn iterations_beyond_a_size_that_a_guard_names_trap() {
    for line in LINES {
        let across = if line == Line::Row { "columns %P" } else { "rows %P" };
        for limit in ["3", "%n", across] {
            let body = format!("check index %i, {limit}\n{UPDATE}");
            let program = routine(line, "", &format!("%n = add 1, 2\n{}", forall(BETWEEN, &body)));
            for to in 1..=5 {
                let agreement = program.agree(&arguments(line, 5, 3, (1, to)));
                match to <= 3 {
                    true => each(&agreement, |paths| paths.lines == to as u64),
                    false => declined(&agreement, Declined::Range),
                }
            }
        }
    }
}

#[test]
fn constants_of_line_length_are_part_of_the_kernel() {
    for line in LINES {
        for len in [1, 64, 65, 129] {
            let bodies = [
                format!("%v = fill {len}, true\ncost 1\nput_row %P, %i, %v"),
                format!("%v = fill {len}, false\nput_row %P, %i, %v"),
                format!(
                    "%v = row %P, %i\n%u = fill {len}, true\n%u = bits_xor %u, %v\nput_row %P, %i, %u"
                ),
            ];
            for body in bodies {
                let program = program(line, BETWEEN, &body);
                for n_lines in [1, 5, 300] {
                    let arguments = arguments(line, n_lines, len, (1, n_lines as i64));
                    each(&program.agree(&arguments), |paths| {
                        (paths.line_kernels, paths.lines) == (1, n_lines as u64)
                    });
                }
            }
        }
        // A constant that is longer, or shorter, traps where it is stored.
        let program = program(line, BETWEEN, "%v = fill 65, true\nput_row %P, %i, %v");
        for len in [1, 64, 66] {
            declined(&program.agree(&arguments(line, 5, len, (1, 5))), Declined::Guard);
        }
    }
}

#[test]
fn a_range_of_lines_leaves_the_others_unchanged() {
    for line in LINES {
        for body in BODIES {
            // Blocks of several lines have their boundaries at 64, 128, 256 …
            let between = program(line, BETWEEN, body);
            for range in [(1, 1), (300, 300), (2, 299), (64, 65), (129, 257)] {
                let agreement = between.agree(&arguments(line, 300, 65, range));
                each(&agreement, |paths| paths.lines == (range.1 - range.0 + 1) as u64);
            }
            let ones = program(line, ONES, body);
            for n_lines in [1, 63, 64, 65, 129, 300] {
                let agreement = ones.agree(&arguments(line, n_lines, 65, (0, 0)));
                each(&agreement, |paths| paths.line_kernels + paths.declined(Declined::Empty) == 1);
            }
        }
    }
}

#[test]
fn a_range_beyond_the_table_stops_at_its_edge() {
    for line in LINES {
        for body in BODIES {
            let between = program(line, BETWEEN, body);
            for range in [(1, 6), (0, 5), (-3, 2), (3, i64::MAX), (6, 9)] {
                declined(&between.agree(&arguments(line, 5, 65, range)), Declined::Range);
            }
            let ones = program(line, ONES, body);
            let mut values = arguments(line, 5, 65, (0, 0));
            values[2] = Value::Slice(star_tests::bits("010001"));
            declined(&ones.agree(&values), Declined::Range);
        }
    }
}

#[test]
fn an_empty_range_does_nothing() {
    for line in LINES {
        let between = program(line, BETWEEN, UPDATE);
        for range in [(1, 0), (4, 3), (5, 4), (1, i64::MIN)] {
            declined(&between.agree(&arguments(line, 5, 65, range)), Declined::Empty);
        }
        let ones = program(line, ONES, UPDATE);
        let mut values = arguments(line, 5, 65, (0, 0));
        values[2] = Value::Slice(star_tests::bits("00000"));
        declined(&ones.agree(&values), Declined::Empty);
        for (n_lines, len) in [(0, 0), (0, 65), (5, 0)] {
            let _ = between.agree(&arguments(line, n_lines, len, (1, n_lines as i64)));
        }
    }
}

#[test]
fn a_mismatched_operand_traps_in_the_first_iteration() {
    for line in LINES {
        for body in BODIES {
            let program = program(line, BETWEEN, body);
            for len in [0, 64, 66] {
                let mut values = arguments(line, 5, 65, (1, 5));
                values[3] = arguments(line, 5, len, (1, 5)).remove(3);
                declined(&program.agree(&values), Declined::Guard);
            }
        }
    }
}

#[test]
fn a_size_that_is_not_an_operand_is_checked_too() {
    for line in LINES {
        let guards = ["check size length %X, %from", "check size rows %Q, %to"];
        for body in guards.map(|guard| format!("{guard}\n{UPDATE}")) {
            let sir = program(line, "= 1 to 3", &body);
            let mut values = arguments(line, 5, 65, (5, 5));
            if line == Line::Column {
                values[5] = Value::Int(65);
            }
            each(&sir.agree(&values), |paths| paths.line_kernels == 1);
            values[4] = Value::Int(4);
            values[5] = Value::Int(4);
            declined(&sir.agree(&values), Declined::Guard);
        }
    }
}

#[test]
fn a_slice_that_is_not_an_operand_is_checked_too() {
    let text = "routine 0 \"F\" (ref %P: table[?, ?], ref %Z: slice[?], value %n: int) {
         var %i: int
         var %v: slice[?]
         check set %P
         forall @0 %i = 1 to %n writes [column %P] privates [%v] {
         check index %i, columns %P
         check set %Z
         %v = column %P, %i
         check size length %v, length %Z
         %v = bits_not %v
         put_column %P, %i, %v
         }
         }";
    let sir = Sir::new(&sir::read(text), &Sir::machines());
    let values = |of_z| vec![table(65, 5, 1), of_z, Value::Int(5)];
    each(&sir.agree(&values(slice(65, 2))), |paths| paths.line_kernels == 1);
    for of_z in [slice(64, 2), Value::Unset] {
        declined(&sir.agree(&values(of_z)), Declined::Guard);
    }
}

#[test]
fn a_table_of_another_shape_traps_where_it_ends() {
    for line in LINES {
        let program = program(line, BETWEEN, MIXTURE);
        // Fewer lines, more lines, and lines of another length.
        for (n_lines, len) in [(3, 65), (0, 65), (9, 65), (5, 64), (5, 66), (65, 5)] {
            let mut values = arguments(line, 5, 65, (1, 5));
            values[1] = arguments(line, n_lines, len, (1, 5)).remove(1);
            let reason = if n_lines < 5 { Declined::Range } else { Declined::Guard };
            declined(&program.agree(&values), reason);
        }
    }
}

#[test]
fn a_shared_table_is_copied_before_its_lines_change() {
    for line in LINES {
        let forall = forall(BETWEEN, &MIXTURE.replace("%Q", "%R"));
        let sir = routine(line, "var %R: table[?, ?]", &format!("%R = copy %P\n{forall}"));
        let agreement = sir.agree(&arguments(line, 9, 65, (1, 9)));
        each(&agreement, |paths| paths.table_copies == 1);
    }
}

#[test]
fn a_body_with_other_operations_runs_as_written() {
    for line in LINES {
        // A line written by another iteration is read, but the write does not change it.
        let body = "%v = row %P, 1\n%u = row %P, %i\nput_row %P, %i, %u";
        let sir = program(line, "= 1 to 1", body);
        declined(&sir.agree(&arguments(line, 5, 65, (1, 1))), Declined::Body);
    }
}

/// Builds a routine over P and Q with explicit guards: `rows` checks are proven before the loop.
fn hoisted(checks: &str, body: &str) -> Sir {
    let text = format!(
        "routine 0 \"F\" (ref %P: table[?, ?], value %Q: table[?, ?], value %n: int) {{
         var %i: int
         var %k: int
         var %v: slice[?]
         check set %P
         check index 1, columns %Q
         {checks}
         forall @0 %i = 1 to %n writes [column %P] privates [%v] {{
         check index %i, columns %P
         {body}
         }}
         }}"
    );
    Sir::new(&sir::read(&text), &Sir::machines())
}

fn two_tables(n_cols: usize, of_q: usize) -> Vec<Value> {
    vec![table(65, n_cols, 1), table(65, of_q, 2), Value::Int(n_cols as i64)]
}

#[test]
fn a_line_of_another_index_is_not_that_of_the_iteration() {
    let equal = "check size rows %P, rows %Q";
    let sir = hoisted(equal, "%v = column %Q, 1\nput_column %P, %i, %v");
    declined(&sir.agree(&two_tables(5, 5)), Declined::Body);
}

#[test]
fn a_table_queried_only_for_its_size_ends_the_loop_too() {
    let body =
        "%v = column %P, %i\n%v = bits_not %v\ncheck index %i, columns %Q\nput_column %P, %i, %v";
    let sir = hoisted("", body);
    for of_q in [5, 6] {
        each(&sir.agree(&two_tables(5, of_q)), |paths| paths.line_kernels == 1);
    }
    for of_q in [1, 4] {
        declined(&sir.agree(&two_tables(5, of_q)), Declined::Range);
    }
}

#[test]
fn a_limit_on_steps_counts_each_iteration() {
    let program = program(Line::Column, BETWEEN, UPDATE);
    let arguments = arguments(Line::Column, 5, 65, (1, 5));
    program.agree(&arguments);
    for machine in super::CPUS {
        let paths = program.run_in_steps(machine, &arguments).stats.counters;
        assert_eq!(paths.declined(Declined::StepLimit), 1, "{machine}: {paths:?}");
    }
}

/// Builds a loop whose iterations combine lines of P into `w`, which is then stored where it is
/// visible. The body is written for rows.
fn combining(line: Line, op: &str, body: &str) -> Sir {
    let header = "(ref %P: table[?, ?], value %X: slice[?], value %w)";
    let vars = "var %m: int\nvar %w: word[%m]\nvar %v: word[?]\nvar %z: word[?]\nvar %u: word[?]\nvar %n: int\nvar %i: int";
    let forall = format!(
        "%m = length %w\ncheck size columns %P, %m\n%u = copy %w\n\
         forall @0 %i {ONES} privates [%v, %z] reductions [{op} %w] {{\n{body}\n}}\nput_row %P, 1, %w"
    );
    match line {
        // Tables are given by columns: they are transposed when their rows have been read.
        Line::Row => {
            let row_loop = "%n = rows %P\nfor @9 %i = 1 to %n {\n%v = row %P, %i\n}";
            Sir::guarded(header, &format!("{vars}\n{row_loop}\n{forall}"))
        }
        Line::Column => {
            let by_columns = |text: &str| {
                let text = text.replace("columns %P", "rows %P").replace("row %P, ", "column %P, ");
                text.replace("word[", "slice[").replace("put_row", "put_column")
            };
            let body = format!("{vars}\n{forall}").replace("put_row %P, ", "put_column %P, ");
            Sir::guarded(header, &by_columns(&body))
        }
    }
}

/// Builds P, the lines to combine, and the initial value.
fn combined(line: Line, n_lines: usize, len: usize) -> Vec<Value> {
    let mut values = arguments(line, n_lines, len, (0, 0));
    values.truncate(4);
    values.remove(1);
    values
}

#[test]
fn combined_lines_run_as_one_kernel() {
    let bodies = [
        ("or", "%v = row %P, %i\n%w = bits_or %w, %v\ncost 2"),
        ("xor", "%v = row %P, %i\n%w = bits_xor %v, %w"),
        ("and", "%v = row %P, %i\n%v = bits_not %v\n%w = bits_and %w, %v\ncost 3"),
        ("or", "check set %w\n%v = row %P, %i\n%w = bits_or %w, %v"),
    ];
    for line in LINES {
        for (op, body) in bodies {
            let program = combining(line, op, body);
            for n_lines in [1, 63, 64, 65, 129, 300] {
                for len in [1, 64, 65, 129] {
                    let agreement = program.agree(&combined(line, n_lines, len));
                    each(&agreement, |paths| {
                        paths.line_kernels + paths.declined(Declined::Empty) == 1
                    });
                }
            }
        }
    }
}

#[test]
fn values_other_than_lines_are_combined_as_written() {
    let body = "%v = row %P, %i\n%v = bits_and %v, %u\n%w = bits_or %w, %v";
    for line in LINES {
        let program = combining(line, "or", body);
        declined(&program.agree(&combined(line, 65, 65)), Declined::Body);
    }
}

#[test]
fn constants_are_combined_with_lines() {
    for len in [1, 64, 65, 129] {
        let bodies = [
            (
                "or",
                format!(
                    "%v = row %P, %i\n%z = fill {len}, true\n%z = bits_xor %z, %v\n%w = bits_or %z, %w"
                ),
            ),
            (
                "xor",
                format!(
                    "%z = fill {len}, false\n%v = row %P, %i\n%v = bits_or %v, %z\n%w = bits_xor %v, %w"
                ),
            ),
        ];
        for line in LINES {
            for (op, body) in &bodies {
                let agreement = combining(line, op, body).agree(&combined(line, 70, len));
                each(&agreement, |paths| paths.line_kernels == 1);
            }
        }
    }
}

#[test]
fn a_constant_of_another_size_is_combined_as_written() {
    let body = "%v = row %P, %i\n%z = fill 64, true\n%w = bits_or %w, %v";
    for line in LINES {
        let program = combining(line, "or", body);
        each(&program.agree(&combined(line, 65, 64)), |paths| paths.line_kernels == 1);
        declined(&program.agree(&combined(line, 65, 65)), Declined::Guard);
    }
}
