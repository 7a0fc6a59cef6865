//! Loops over lines as one instruction of the control unit, compared with the reference, on tables
//! below and above the size processed at once; and which loops are one instruction.

use star_tests::backends::Machine;
use star_tests::differ::{Agreement, Same};
use star_tests::sir::{self, Sir, guards};
use star_value::Value;
use star_vm::Counters;

use crate::cpu_fast_paths::{slice, table, word};

/// The emulator, which checks what threads share; and an adapter where there is one.
pub(super) const EMULATORS: [&str; 2] = ["gpu-emulator", "gpu-emulator-tiny"];

pub(super) fn emulators() -> Vec<Machine> {
    super::machines(&EMULATORS).expect("they are there")
}

/// The new values of the lines of P, written for rows; `w` and `u` come from outside.
const STORES: [&str; 9] = [
    "%v = row %P, %i\n%v = bits_or %v, %w\ncost 3\nput_row %P, %i, %v",
    "%v = row %P, %i\n%t = bits_not %w\n%t = bits_and %v, %t\nput_row %P, %i, %t",
    "%v = row %P, %i\n%v = bits_xor %w, %v\n%v = bits_not %v\ncost 1\nput_row %P, %i, %v",
    "%v = row %Q, %i\n%t = row %P, %i\n%t = bits_xor %t, %v\n%t = bits_and %t, %w\nput_row %P, %i, %t",
    "%v = copy %w\ncost 2\nput_row %P, %i, %v",
    "%v = bits_xor %w, %u\n%v = bits_not %v\n%t = row %P, %i\n%t = bits_or %v, %t\nput_row %P, %i, %t",
    // Of two others, and of three with an outer operand.
    "%v = row %Q, %i\n%t = row %R, %i\n%t = bits_and %t, %v\ncost 1\nput_row %P, %i, %t",
    "%v = row %R, %i\n%t = row %Q, %i\n%v = bits_xor %v, %t\n%t = row %P, %i\n%v = bits_and %v, %t\n%v = bits_or %v, %w\nput_row %P, %i, %v",
    // A line that was stored.
    "%v = row %P, %i\nput_row %P, %i, %v\n%v = row %P, %i\n%v = bits_not %v\nput_row %P, %i, %v",
];

/// The values combined into `z`.
const JOINS: [(&str, &str); 6] = [
    ("or", "%v = row %P, %i\n%z = bits_or %z, %v\ncost 2"),
    ("and", "%v = row %P, %i\n%v = bits_or %v, %w\n%z = bits_and %v, %z"),
    ("xor", "%v = row %P, %i\n%v = bits_and %w, %v\n%z = bits_xor %z, %v\ncost 1"),
    ("or", "%v = row %P, %i\n%t = bits_and %w, %u\n%v = bits_xor %v, %t\n%z = bits_or %z, %v"),
    // Of two tables.
    ("or", "%v = row %P, %i\n%t = row %Q, %i\n%v = bits_xor %v, %t\n%z = bits_or %z, %v\ncost 1"),
    (
        "and",
        "%v = row %Q, %i\n%t = row %P, %i\n%v = bits_and %v, %t\n%v = bits_or %v, %w\n%z = bits_and %z, %v",
    ),
];

const RANGES: [&str; 2] = ["in %X", "= 2 to %n"];

pub(super) const BY_ROWS: [bool; 2] = [true, false];

/// Builds a loop over rows, or the same over columns; the combination is as long as the lines, and
/// the first of them follows it.
fn program(is_row: bool, range: &str, effect: &str, body: &str, machines: &[Machine]) -> Sir {
    let text = format!(
        "routine 0 \"F\" (ref %P: table[?, ?], value %Q: table[?, ?], value %R: table[?, ?], value %X: slice[?], value %w: word[?], value %u: word[?], value %z, value %n: int) {{
         var %m: int
         var %z: word[%m]
         var %i: int
         var %v: word[?]
         var %t: word[?]
         %m = length %z
         check size columns %P, %m
         forall @0 %i {range} {effect} {{
         {body}
         }}
         put_row %P, 1, %z
         }}"
    );
    let text = match is_row {
        true => text,
        false => {
            let text = text.replace("columns %P", "rows %P").replace("row %P, ", "column %P, ");
            let text = text.replace("row %P]", "column %P]").replace("row %Q", "column %Q");
            let text = text.replace("row %R", "column %R");
            text.replace("word[", "slice[")
        }
    };
    let mut program = sir::read(&text);
    guards::guard(&mut program);
    Sir::new(&program, machines)
}

fn store(is_row: bool, range: &str, body: &str, machines: &[Machine]) -> Sir {
    program(is_row, range, "writes [row %P] privates [%v, %t]", body, machines)
}

fn join(is_row: bool, range: &str, (op, body): (&str, &str), machines: &[Machine]) -> Sir {
    let effect = format!("privates [%v, %t] reductions [{op} %z]");
    program(is_row, range, &effect, body, machines)
}

/// Builds tables with this number of lines of this length, and matching operands.
fn arguments(is_row: bool, n_lines: usize, len: usize, seed: u64) -> Vec<Value> {
    let (rows, columns) = if is_row { (n_lines, len) } else { (len, n_lines) };
    let outer = |seed| if is_row { word(len, seed) } else { slice(len, seed) };
    vec![
        table(rows, columns, seed),
        table(rows, columns, seed + 1),
        table(rows, columns, seed + 6),
        slice(n_lines, seed + 2),
        outer(seed + 3),
        outer(seed + 4),
        outer(seed + 5),
        Value::Int(n_lines as i64),
    ]
}

pub(super) fn agree(sir: &Sir, args: &[Value]) -> Agreement {
    match sir.run(args) {
        Same::Yes(agreement) => *agreement,
        Same::No(difference) => panic!("{difference}"),
    }
}

#[track_caller]
fn each(agreement: &Agreement, names: &[&str], is: impl Fn(Counters) -> bool) {
    for name in names {
        let paths = agreement.optimised(name);
        assert!(is(paths), "{name}: {paths:?}");
    }
}

/// Asserts that every loop on tables of these sizes is one instruction.
fn are_one((names, machines): (&[&str], &[Machine]), sizes: &[(usize, usize)]) {
    for (is_row, range) in
        BY_ROWS.into_iter().flat_map(|is_row| RANGES.map(|range| (is_row, range)))
    {
        let stores = STORES.map(|body| store(is_row, range, body, machines));
        let joins = JOINS.map(|body| join(is_row, range, body, machines));
        for (number, sir) in stores.iter().chain(&joins).enumerate() {
            for &(n_lines, len) in sizes {
                let args = arguments(is_row, n_lines, len, number as u64);
                let agreement = agree(sir, &args);
                each(&agreement, names, |paths| paths.unit_lines == 1);
                // Where sizes are small, a grid executes it.
                let tiny = names.iter().filter(|name| name.ends_with("tiny"));
                let tiny: Vec<&str> = tiny.copied().filter(|_| n_lines.max(len) > 64).collect();
                each(&agreement, &tiny, |paths| paths.wide_lines > 0);
            }
        }
    }
}

#[test]
fn line_loops_are_one_instruction_of_the_emulator() {
    are_one((&EMULATORS, &emulators()), &[(1, 1), (5, 70), (33, 31), (64, 65), (130, 129)]);
}

/// One workgroup of the emulator processes 32 columns and 1024 rows, 384 in the tiny spec;
/// its grid joins results of 640 components.
#[test]
fn tables_larger_than_a_workgroup_are_one_instruction_too() {
    are_one((&EMULATORS, &emulators()), &[(1100, 70), (70, 1100)]);
}

#[test]
fn line_loops_are_one_instruction_of_an_adapter() {
    if let Some(machines) = super::control_units() {
        are_one((&super::CONTROL_UNITS, &machines), &[(65, 70), (33, 1100)]);
    }
}

#[test]
fn loops_rejected_by_a_check_run_as_written() {
    let machines = emulators();
    for is_row in BY_ROWS {
        let sir = store(is_row, "= 1 to %n", STORES[3], &machines);
        let refused = |change: &dyn Fn(&mut Vec<Value>)| {
            let mut args = arguments(is_row, 40, 70, 3);
            change(&mut args);
            each(&agree(&sir, &args), &EMULATORS, |paths| paths.unit_lines == 0);
        };
        refused(&|args| args[7] = Value::Int(41));
        // Another table with fewer lines, one with shorter lines, and a word of another length.
        refused(&|args| args[1] = arguments(is_row, 39, 70, 3).remove(1));
        refused(&|args| args[1] = arguments(is_row, 40, 69, 3).remove(1));
        refused(&|args| args[4] = arguments(is_row, 40, 71, 3).remove(4));
        // The third table.
        let sir = store(is_row, RANGES[1], STORES[7], &machines);
        let mut args = arguments(is_row, 40, 70, 3);
        args[2] = arguments(is_row, 40, 69, 3).remove(2);
        each(&agree(&sir, &args), &EMULATORS, |paths| paths.unit_lines == 0);
        let sir = store(is_row, RANGES[0], STORES[0], &machines);
        let mut args = arguments(is_row, 40, 70, 3);
        args[3] = slice(41, 9);
        each(&agree(&sir, &args), &EMULATORS, |paths| paths.unit_lines == 0);
    }
}

#[test]
fn functions_of_several_words_run_as_written() {
    let machines = emulators();
    // A line between two outer operands.
    let stores = ["%v = row %P, %i\n%v = bits_or %v, %w\n%v = bits_and %v, %u\nput_row %P, %i, %v"];
    let joins = [(
        "xor",
        "%v = row %P, %i\n%z = bits_xor %z, %v\n%v = bits_and %v, %w\n%z = bits_xor %z, %v",
    )];
    for is_row in BY_ROWS {
        for range in RANGES {
            let all = stores.map(|body| store(is_row, range, body, &machines)).into_iter();
            let all = all.chain(joins.map(|body| join(is_row, range, body, &machines)));
            for sir in all {
                let agreement = agree(&sir, &arguments(is_row, 40, 70, 3));
                each(&agreement, &EMULATORS, |paths| paths.unit_lines == 0);
            }
        }
    }
}

#[test]
fn an_empty_range_changes_nothing_and_costs_nothing() {
    let machines = emulators();
    for is_row in BY_ROWS {
        let sir = store(is_row, "= 1 to %n", STORES[0], &machines);
        for n in [0, -3, i64::MIN] {
            let mut args = arguments(is_row, 40, 70, 3);
            args[7] = Value::Int(n);
            assert_eq!(agree(&sir, &args).run.stats.operations, 0);
        }
    }
}
