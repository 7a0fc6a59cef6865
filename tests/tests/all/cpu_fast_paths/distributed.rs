//! Loops over lines with several effects, or with values used later, become one kernel per effect.

use star_harness::Mode;
use star_tests::differ::{Agreement, in_words};
use star_tests::sir::{self, Sir, guards};
use star_value::Value;
use star_vm::Declined;

use super::{each, slice, table, word};

/// A program before and after passes.
struct Both {
    before: Sir,
    after: Sir,
}

impl Both {
    fn new(header: &str, body: &str) -> Self {
        let mut program = sir::read(&format!("routine 0 \"F\" {header} {{\n{body}\n}}"));
        guards::guard(&mut program);
        let before = Sir::new(&program, &Sir::machines());
        star_opt::apply(&mut program, &["all"]).expect("it verifies");
        Both { before, after: Sir::new(&program, &Sir::machines()) }
    }

    /// Runs both and returns the fast paths taken after passes.
    #[track_caller]
    fn agree(&self, args: &[Value]) -> Agreement {
        let (before, after) = (self.before.agree(args), self.after.agree(args));
        let difference = in_words(&before.run, &after.run, Mode::Optimised, &|_| String::new());
        assert_eq!(difference, None);
        after
    }
}

/// Builds a loop over rows, or columns, of P and Q; the values left in `i`, `v` and `k` are
/// printed.
fn program(by_rows: bool, head: &str, body: &str) -> Both {
    let header = "(ref %P, ref %Q, value %X, ref %w, ref %z, ref %v: word[?], ref %i: int, ref %k: int, value %n: int)";
    let vars = "var %r: int\nvar %c: int\nvar %P: table[%r, %c]\nvar %Q: table[%r, %c]\n\
                var %X: slice[%r]\nvar %w: word[%c]\nvar %z: word[%c]\nvar %u: word[%c]";
    let before = "check set %P\n%r = rows %P\n%c = columns %P\ncheck set %Q\n\
                  check size rows %Q, %r\ncheck size columns %Q, %c\n\
                  check set %w\ncheck set %z\ncheck size length %w, %c\ncheck size length %z, %c\n\
                  check size length %X, %r";
    let text = format!("{vars}\n{before}\n{head} {{\n{body}\n}}");
    match by_rows {
        true => Both::new(header, &text),
        false => {
            let transposed = |text: &str| {
                text.replace("word[?]", "slice[?]")
                    .replace("word[%c]", "slice[%r]")
                    .replace("%X: slice[%r]", "%X: word[%c]")
                    .replace("length %X, %r", "length %X, %c")
                    .replace("length %w, %c", "length %w, %r")
                    .replace("length %z, %c", "length %z, %r")
                    .replace("row %", "column %")
                    .replace("put_row", "put_column")
                    .replace("fill %c", "fill %r")
            };
            Both::new(&transposed(header), &transposed(&text))
        }
    }
}

fn arguments(by_rows: bool, n_lines: usize, len: usize, n: i64) -> Vec<Value> {
    let (n_rows, n_cols) = if by_rows { (n_lines, len) } else { (len, n_lines) };
    let line = |seed| if by_rows { word(len, seed) } else { slice(len, seed) };
    let over = if by_rows { slice(n_lines, 5) } else { word(n_lines, 5) };
    let (i, k) = (Value::Int(-7), Value::Int(-8));
    let (p, q) = (table(n_rows, n_cols, 1), table(n_rows, n_cols, 2));
    vec![p, q, over, line(3), line(4), line(6), i, k, Value::Int(n)]
}

const HEADS: [&str; 3] = ["for @0 %i = 1 to %n", "for @0 %i = %n downto 1", "foreach @0 %i in %X"];

/// Bodies, and the number of kernels of each.
const BODIES: [(&str, u64); 5] = [
    // Q receives the old value of P.
    ("%v = row %P, %i\n%u = bits_xor %v, %w\nput_row %P, %i, %u\nput_row %Q, %i, %v\ncost 4", 2),
    // Q receives the new value of P.
    (
        "put_row %P, %i, %w\n%v = row %P, %i\n%u = row %Q, %i\n%v = bits_or %v, %u\nput_row %Q, %i, %v",
        2,
    ),
    // Stored together with two that are combined.
    (
        "%v = row %P, %i\n%w = bits_or %w, %v\n%u = bits_not %v\n%z = bits_and %u, %z\nput_row %Q, %i, %v",
        3,
    ),
    // Like the cleared row of SP_INIT.
    ("%v = row %Q, %i\n%k = length %v\n%v = fill %k, false\nput_row %P, %i, %v\ncost 3", 1),
    ("%u = row %P, %i\n%v = fill %c, true\n%v = bits_xor %v, %u\nput_row %P, %i, %v", 1),
];

#[test]
fn each_effect_of_a_body_is_a_kernel() {
    for by_rows in [true, false] {
        for head in HEADS {
            for (body, n_kernels) in BODIES {
                let program = program(by_rows, head, body);
                for (n_lines, len) in [(1, 65), (5, 1), (64, 64), (130, 129)] {
                    for n in [n_lines as i64, 1] {
                        let agreement = program.agree(&arguments(by_rows, n_lines, len, n));
                        let is_over_ones = head.starts_with("foreach");
                        each(&agreement, |paths| {
                            // Tables are stored by columns, and a few rows are not worth a
                            // transpose.
                            let declined = if by_rows { paths.declined(Declined::Form) } else { 0 };
                            paths.line_kernels + declined == n_kernels
                                || is_over_ones && paths.line_kernels == 0 && n_lines < 8
                        });
                    }
                }
            }
        }
    }
}

#[test]
fn without_iterations_nothing_changes_and_excess_lines_trap() {
    for by_rows in [true, false] {
        for head in &HEADS[..2] {
            for (body, _) in BODIES {
                let program = program(by_rows, head, body);
                for n in [0, -3, i64::MIN, 6, i64::MAX] {
                    let agreement = program.agree(&arguments(by_rows, 5, 65, n));
                    each(&agreement, |paths| paths.line_kernels == 0);
                }
            }
        }
        for (body, _) in BODIES {
            let program = program(by_rows, HEADS[2], body);
            let mut values = arguments(by_rows, 5, 65, 0);
            values[2] = match by_rows {
                true => Value::Slice(star_tests::bits("00000")),
                false => Value::Word(star_tests::bits("00000")),
            };
            each(&program.agree(&values), |paths| paths.line_kernels == 0);
        }
    }
}

#[test]
fn lines_are_exchanged_iteration_by_iteration() {
    let body = "%u = row %P, %i\n%v = row %Q, %i\nput_row %P, %i, %v\nput_row %Q, %i, %u";
    for by_rows in [true, false] {
        for head in HEADS {
            let agreement = program(by_rows, head, body).agree(&arguments(by_rows, 70, 65, 70));
            each(&agreement, |paths| paths.line_kernels == 0);
        }
    }
}
