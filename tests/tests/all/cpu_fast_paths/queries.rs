//! Loops that query lines, and combine the results or write components, are one kernel.

use star_tests::differ::Agreement;
use star_tests::run::Program;
use star_tests::sir::{self, Sir, guards};
use star_value::Value;
use star_vm::{Declined, Outcome};

use super::{each, slice, table, word};

/// Builds a `forall` over rows or columns of P; `%w` is combined with the lines, `%Z` has a
/// component for each of them.
fn program(by_rows: bool, head: &str, tail: &str, body: &str) -> Sir {
    let (line, across) = if by_rows { ("word", "slice") } else { ("slice", "word") };
    let (len, n_lines) = if by_rows { ("%c", "%r") } else { ("%r", "%c") };
    let load = if by_rows { "row" } else { "column" };
    let mut program = sir::read(&format!(
        "routine 0 \"F\" (value %P, value %w, value %X, ref %Z, ref %s: int, ref %m: int, ref %t: bool, value %n: int) {{
        var %r: int
        var %c: int
        var %P: table[%r, %c]
        var %w: {line}[{len}]
        var %X: {across}[{n_lines}]
        var %Z: {across}[{n_lines}]
        var %v: {line}[{len}]
        var %d: int
        var %e: int
        var %b: bool
        var %g: bool
        var %i: int
        %r = rows %P
        %c = columns %P
        check size length %w, {len}
        check size length %X, {n_lines}
        check set %Z
        check size length %Z, {n_lines}
        check set %s
        check set %m
        check set %t
        forall @0 {head} {tail} {{
        %v = {load} %P, %i
        {body}
        }}
        }}"
    ));
    guards::guard(&mut program);
    Sir::new(&program, &Sir::machines())
}

fn arguments(by_rows: bool, n_lines: usize, len: usize, n: i64) -> Vec<Value> {
    let (n_rows, n_cols) = if by_rows { (n_lines, len) } else { (len, n_lines) };
    let line = |len, seed| if by_rows { word(len, seed) } else { slice(len, seed) };
    let across = |len, seed| if by_rows { slice(len, seed) } else { word(len, seed) };
    let numbers = [Value::Int(-7), Value::Int(3), Value::Bool(false)];
    let mut values =
        vec![table(n_rows, n_cols, 1), line(len, 3), across(n_lines, 5), across(n_lines, 6)];
    values.extend(numbers);
    values.push(Value::Int(n));
    values
}

/// The text after the head, and a body.
const BODIES: [(&str, &str); 6] = [
    ("privates [%v, %d] reductions [add %s]", "%d = count %v\n%s = add %s, %d\ncost 3"),
    (
        "privates [%v, %d, %e] reductions [max %m, min %s]",
        "%v = bits_and %v, %w\n%d = count %v\n%m = copy %d\n%e = first %v\n%s = copy %e\ncost 5",
    ),
    ("privates [%v, %b] reductions [or %t]", "%b = none %v\n%t = or %t, %b\ncost 2"),
    ("privates [%v, %b] reductions [and %t]", "%v = bits_or %v, %w\n%b = all %v\n%t = and %t, %b"),
    // Branches with their costs, one inside the other.
    (
        "writes [component %Z] privates [%v, %b, %g, %d] reductions [add %s, xor %t]",
        "%b = any %v
        %d = count %v
        cost 1
        if %b {
            %s = add %s, 2
            put %Z, %i, 1
            cost 1
            %t = xor %t, true
        } else {
            put %Z, %i, 0
            cost 4
        }
        %b = gt %d, 2
        %g = le %i, %d
        if %b {
            if %g {
                put %Z, %i, 0
                cost 8
            }
        }",
    ),
    // A component of an outer slice decides, and the index is one of the numbers.
    (
        "privates [%v, %b, %d, %e] reductions [add %s, max %m]",
        "%e = component %X, %i\n%d = count %v\n%b = eq %e, 1\nif %b {\n%s = add %s, %d\n}\n%m = copy %i",
    ),
];

const HEADS: [&str; 2] = ["%i = 1 to %n", "%i in %X"];

fn agree(program: &Sir, by_rows: bool, n_lines: usize, len: usize, n: i64) -> Agreement {
    program.agree(&arguments(by_rows, n_lines, len, n))
}

#[test]
fn query_bodies_are_kernels_at_every_line_and_range_limit() {
    for by_rows in [true, false] {
        for (tail, body) in BODIES {
            for head in HEADS {
                let program = program(by_rows, head, tail, body);
                for (n_lines, len) in
                    [(1, 1), (5, 65), (32, 64), (33, 63), (64, 65), (65, 512), (130, 1), (200, 513)]
                {
                    let agreement = agree(&program, by_rows, n_lines, len, n_lines as i64);
                    each(&agreement, |paths| {
                        // Tables are stored by columns, and a few rows are not worth a transpose;
                        // no line may be marked.
                        let declined = paths.declined(Declined::Form) * u64::from(by_rows)
                            + paths.declined(Declined::Empty) * u64::from(head == HEADS[1]);
                        paths.line_kernels + declined == 1
                    });
                    if !by_rows && head == HEADS[0] {
                        each(&agreement, |paths| paths.lines == n_lines as u64);
                    }
                }
            }
        }
    }
}

#[test]
fn empty_ranges_change_nothing_and_excess_ones_run_as_written() {
    for (tail, body) in BODIES {
        let program = program(false, HEADS[0], tail, body);
        for n in [0, -3, 6] {
            let agreement = agree(&program, false, 5, 65, n);
            each(&agreement, |paths| paths.line_kernels == 0);
        }
    }
}

#[test]
fn a_body_that_reads_a_partial_combination_is_not_a_kernel() {
    let tail = "writes [component %Z] privates [%v, %d, %b] reductions [max %m]";
    let body = "%d = count %v\n%b = gt %d, %m\nif %b {\n%m = copy %d\nput %Z, %i, 1\n}";
    let program = program(false, HEADS[0], tail, body);
    each(&agree(&program, false, 70, 65, 70), |paths| paths.line_kernels == 0);
}

/// In the usual style: a sum that may overflow, a value used after the loop, and a slice of marks.
const TEXT: &str = "
procedure DEGREES(n,start: integer; P: table; var s,m,last: integer; var Z: slice(P));
var v: slice(P); d,i: integer;
begin
  s:=start; m:=-1; CLR(Z);
  for i:=1 to n do
  begin
    v:=COL(i,P); d:=NUMB(v); s:=s+d;
    if d>m then m:=d;
    if SOME(v) then Z(i):=0 else Z(i):=1;
  end;
  last:=d;
end;";

#[test]
fn an_overflowing_sum_traps_in_its_iteration() {
    let program = Program::new(TEXT);
    let mut optimised = program.lowered.program.clone();
    star_opt::apply(&mut optimised, &["all"]).expect("it verifies");
    let optimised = Sir::new(&optimised, &Sir::machines());
    for n in [1, 33, 70] {
        let table = table(n, n, 7);
        for (start, is_kernel, may_trap) in [
            (-5, true, false),
            (1 << 62, true, false),
            ((1 << 62) + 1, false, false),
            (i64::MAX - 400, false, true),
        ] {
            let mut args = vec![Value::Int(n as i64), Value::Int(start), table.clone()];
            args.extend(std::iter::repeat_n(Value::Unset, 4));
            let run = program.run("DEGREES", args.clone());
            let agreement = optimised.agree(&args);
            each(&agreement, |paths| paths.line_kernels == u64::from(is_kernel));
            let left = (run.outcome, run.values);
            assert_eq!(left, (agreement.run.outcome.clone(), agreement.run.values.clone()));
            let traps = matches!(left.0, Outcome::Trap(_));
            assert_eq!(traps, may_trap && n > 1, "{n} from {start}");
        }
    }
}
