//! Loops that query lines as a few instructions of the control unit, compared with the reference,
//! on tables below and above the size processed at once; and loops that are not.

use std::ops::RangeInclusive;

use star_tests::backends::Machine;
use star_tests::sir::{self, Sir, guards};
use star_value::Value;

use super::lines::{BY_ROWS, EMULATORS, agree, emulators};
use crate::cpu_fast_paths::{slice, table, word};

/// The text after the range, and a body, written for rows.
const BODIES: [(&str, &str); 10] = [
    ("reductions [add %s]", "%v = row %P, %i\n%k = count %v\n%s = add %s, %k\ncost 2"),
    (
        "reductions [add %s]",
        "%v = row %P, %i\n%u = row %Q, %i\n%v = bits_xor %v, %u\n%v = bits_and %w, %v\n%k = count %v\n%s = add %k, %s\ncost 4",
    ),
    ("reductions [or %b]", "%v = row %P, %i\n%v = bits_and %v, %w\n%c = all %v\n%b = or %c, %b"),
    ("reductions [and %b]", "%v = row %P, %i\n%c = none %v\ncost 1\n%c = not %c\n%b = and %b, %c"),
    (
        "writes [component %Z]",
        "%u = row %Q, %i\n%u = bits_and %u, %w\n%c = any %u\nif %c {\nput %Z, %i, 1\ncost 3\n}",
    ),
    // Branches inside each other, with their costs.
    (
        "writes [component %Z] reductions [add %s, xor %b]",
        "%v = row %P, %i\n%k = count %v\n%c = gt %k, 0\n%u = row %Q, %i\n%d = none %u\ncost 1
        if %c {\n%s = add %s, %n\ncost 2\nif %d {\nput %Z, %i, 0\n%b = xor %b, true\ncost 1\n}\n} else {
        %s = add %s, -3\nput %Z, %i, 1\nif %d {\n%b = xor %b, true\n}\ncost 5\n}",
    ),
    // The component of the iteration in another value.
    (
        "writes [component %Z] reductions [add %s, or %b]",
        "%l = component %Y, %i\n%c = eq %l, 1\n%v = row %P, %i\n%d = any %v\n%e = xor %c, %d\n%s = add %s, %l
        if %e {\nput %Z, %i, %l\n} else {\n%b = or %b, %c\ncost 1\n}",
    ),
    // A sum under a branch.
    (
        "reductions [add %s]",
        "%v = row %P, %i\n%u = row %Q, %i\n%c = any %u\n%k = count %v\nif %c {\n%s = add %s, %k\ncost 2\n}",
    ),
    // Conditions that are always true, and never.
    (
        "writes [component %Z] reductions [and %b]",
        "%v = row %P, %i\n%k = count %v\n%c = ge %k, 0\n%d = lt %k, 0\n%e = lt %k, 1\nif %c {\nput %Z, %i, 1\n}\nif %d {\nput %Z, %i, 0\ncost 7\n}
        if %e {\n%b = and %b, false\n}\n%b = and %b, %c",
    ),
    (
        "reductions [add %s, xor %b]",
        "%v = row %P, %i\n%u = bits_not %v\n%k = count %u\n%s = add %s, %k\n%k = count %v\n%s = add %s, %k\n%c = ne %k, 0\n%b = xor %b, %c",
    ),
];

const RANGES: [&str; 2] = ["in %X", "= 2 to %n"];

fn program(is_row: bool, range: &str, (effect, body): (&str, &str), machines: &[Machine]) -> Sir {
    // The variables that the loop assigns and does not combine.
    let own = ["%v", "%u", "%k", "%l", "%c", "%d", "%e"];
    let own = own.into_iter().filter(|var| body.contains(&format!("{var} =")));
    let (writes, reductions) = match effect.split_once("reductions") {
        Some((writes, reductions)) => (writes, format!("reductions{reductions}")),
        None => (effect, String::new()),
    };
    let effect = format!("{writes} privates [{}] {reductions}", own.collect::<Vec<_>>().join(", "));
    let (line, across) = if is_row { ("word", "slice") } else { ("slice", "word") };
    let body = if is_row { body.to_owned() } else { body.replace("row %", "column %") };
    let mut program = sir::read(&format!(
        "routine 0 \"F\" (value %P: table[?, ?], value %Q: table[?, ?], value %X: {across}[?], value %w: {line}[?], value %Y: {across}[?], ref %Z: {across}[?], ref %s: int, ref %b: bool, value %n: int) {{
         var %v: {line}[?]
         var %u: {line}[?]
         var %k: int
         var %l: int
         var %c: bool
         var %d: bool
         var %e: bool
         var %i: int
         check set %s
         check set %b
         check set %Z
         forall @0 %i {range} {effect} {{
         {body}
         }}
         }}"
    ));
    guards::guard(&mut program);
    Sir::new(&program, machines)
}

/// Builds tables with this number of lines of this length, and matching operands.
fn arguments(is_row: bool, n_lines: usize, len: usize, seed: u64) -> Vec<Value> {
    let sizes = |n_lines, len| if is_row { (n_lines, len) } else { (len, n_lines) };
    let (rows, columns) = sizes(n_lines, len);
    let across = |len, seed| if is_row { slice(len, seed) } else { word(len, seed) };
    let along = if is_row { word(len, seed + 3) } else { slice(len, seed + 3) };
    vec![
        table(rows, columns, seed),
        table(rows, columns, seed + 1),
        across(n_lines, seed + 2),
        along,
        across(n_lines, seed + 4),
        across(n_lines + 40, seed + 5),
        Value::Int(-7),
        Value::Bool(seed.is_multiple_of(2)),
        Value::Int(n_lines as i64),
    ]
}

/// Asserts the number of instructions over lines among those of a loop.
fn counted(sir: &Sir, args: &[Value], names: &[&str], n: RangeInclusive<u64>, about: &str) {
    let agreement = agree(sir, args);
    for name in names {
        let found = agreement.optimised(name).unit_lines;
        assert!(n.contains(&found), "{name}: {found} and not {n:?} in {about}");
    }
}

/// Asserts that every loop on tables of these sizes is a few instructions.
fn are_some((names, machines): (&[&str], &[Machine]), sizes: &[(usize, usize)]) {
    for is_row in BY_ROWS {
        for range in RANGES {
            for (number, body) in BODIES.into_iter().enumerate() {
                let sir = program(is_row, range, body, machines);
                for &(n_lines, len) in sizes {
                    let args = arguments(is_row, n_lines, len, number as u64);
                    // An empty range yields none.
                    let least = u64::from(range == RANGES[0] || n_lines > 1);
                    counted(&sir, &args, names, least..=3, body.1);
                }
            }
        }
    }
}

#[test]
fn query_loops_are_instructions_of_the_emulator() {
    are_some((&EMULATORS, &emulators()), &[(1, 1), (5, 70), (33, 31), (64, 65), (130, 129)]);
}

#[test]
fn tables_larger_than_a_workgroup_are_queried_too() {
    are_some((&EMULATORS, &emulators()), &[(1100, 70), (70, 1100)]);
}

#[test]
fn query_loops_are_instructions_of_an_adapter() {
    if let Some(machines) = super::control_units() {
        are_some((&super::CONTROL_UNITS, &machines), &[(65, 70), (33, 1100)]);
    }
}

#[test]
fn loops_rejected_by_a_check_run_as_written() {
    let machines = emulators();
    for is_row in BY_ROWS {
        let refused = |range: &str, body: usize, change: &dyn Fn(&mut Vec<Value>)| {
            let sir = program(is_row, range, BODIES[body], &machines);
            let mut args = arguments(is_row, 40, 70, 3);
            change(&mut args);
            counted(&sir, &args, &EMULATORS, 0..=0, BODIES[body].1);
        };
        refused(RANGES[1], 0, &|args| args[8] = Value::Int(41));
        refused(RANGES[0], 0, &|args| args[2] = arguments(is_row, 41, 70, 3).remove(2));
        // Lines of two tables, one with fewer or shorter ones; a word of another length.
        refused(RANGES[1], 1, &|args| args[1] = arguments(is_row, 39, 70, 3).remove(1));
        refused(RANGES[1], 1, &|args| args[1] = arguments(is_row, 40, 69, 3).remove(1));
        refused(RANGES[1], 2, &|args| args[3] = arguments(is_row, 40, 71, 3).remove(3));
        // The written value has fewer components.
        refused(RANGES[1], 4, &|args| args[5] = arguments(is_row, 30, 39, 3).remove(2));
    }
}

/// Tables whose lines differ in length or number are independent.
#[test]
fn each_query_iterates_over_the_lines_of_its_table() {
    let machines = emulators();
    for is_row in BY_ROWS {
        for (lines, len) in [(40, 7), (40, 170), (140, 70), (1140, 3)] {
            for body in [5, 7] {
                let sir = program(is_row, RANGES[1], BODIES[body], &machines);
                let mut args = arguments(is_row, 40, 70, 3);
                args[1] = arguments(is_row, lines, len, 3).remove(1);
                counted(&sir, &args, &EMULATORS, 2..=2, BODIES[body].1);
            }
        }
    }
}

#[test]
fn loops_using_numbers_of_each_iteration_run_as_written() {
    let machines = emulators();
    let bodies = [
        ("reductions [max %s]", "%v = row %P, %i\n%k = count %v\n%s = copy %k"),
        ("reductions [add %s]", "%v = row %P, %i\n%k = first %v\n%s = add %s, %k"),
        ("reductions [add %s]", "%v = row %P, %i\n%c = any %v\nif %c {\n%s = add %s, %i\n}"),
        ("reductions [or %b]", "%v = row %P, %i\n%k = count %v\n%c = eq %k, 30\n%b = or %b, %c"),
        ("reductions [or %b]", "%v = row %P, %i\n%k = count %v\n%c = gt %k, 1\n%b = or %b, %c"),
    ];
    for is_row in BY_ROWS {
        for body in bodies {
            let sir = program(is_row, RANGES[0], body, &machines);
            counted(&sir, &arguments(is_row, 40, 70, 3), &EMULATORS, 0..=0, body.1);
        }
    }
}

#[test]
fn an_empty_range_executes_no_queries() {
    let machines = emulators();
    for is_row in BY_ROWS {
        let sir = program(is_row, "= 1 to %n", BODIES[5], &machines);
        for n in [0, -3, i64::MIN] {
            let mut args = arguments(is_row, 40, 70, 3);
            args[8] = Value::Int(n);
            assert_eq!(agree(&sir, &args).run.stats.operations, 0);
        }
    }
}
