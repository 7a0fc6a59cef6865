//! Reading and writing of table fields as one instruction over lines, compared with the reference.

use star_tests::backends::Machine;
use star_tests::sir::{self, Sir, guards};
use star_value::Value;

use super::lines::{agree, emulators};
use crate::cpu_fast_paths::table;

/// Copies a field of T to V, and U to a field of T. The first time V may have another size.
const FIELDS: &str = "routine 0 \"F\" (ref %T: table[?, ?], value %U: table[?, ?], ref %V: table[?, ?], value %b: int, value %n: int, value %c: int) {
var %m: int
%V = field %T, %b, %n
check set %U
%m = columns %U
check set %c
check range %c, %m, columns %T
check size rows %T, rows %U
put_field %T, %c, %U
}";

fn sir(machines: &[Machine]) -> Sir {
    let mut program = sir::read(FIELDS);
    guards::guard(&mut program);
    Sir::new(&program, machines)
}

/// Builds T with these numbers of rows and columns; `n` columns after `b` are read, and `m` written
/// after `c`.
fn arguments(
    (rows, columns): (usize, usize),
    (b, n): (i64, i64),
    (c, m): (i64, usize),
) -> Vec<Value> {
    let numbers = [b, n, c].map(Value::Int);
    let tables = [table(rows, columns, 5), table(rows, m, 6), table(rows, 3, 7)];
    tables.into_iter().chain(numbers).collect()
}

/// Checks the whole table, its end, one column, none; of a table of few limbs, and of one that is
/// left to the grid where sizes are small.
fn are_the_same(machines: &[Machine]) {
    let sir = sir(machines);
    for (rows, columns) in [(1, 9), (70, 40), (33, 1100), (1300, 65)] {
        let all = columns as i64;
        for (taken, put) in [
            ((0, all), (0, columns)),
            ((all - 3, 3), (1, 5)),
            ((2, all - 2), (all - 1, 1)),
            ((4, 1), (all, 0)),
            ((1, 0), (2, columns - 2)),
        ] {
            agree(&sir, &arguments((rows, columns), taken, put));
        }
        // A field outside the table traps, and nothing is changed.
        agree(&sir, &arguments((rows, columns), (1, all), (0, 1)));
        agree(&sir, &arguments((rows, columns), (0, 1), (all - 1, 2)));
        agree(&sir, &arguments((rows, columns), (-1, 2), (0, 1)));
    }
}

#[test]
fn fields_agree_on_the_emulator() {
    are_the_same(&emulators());
}

#[test]
fn fields_agree_on_an_adapter() {
    if let Some(machines) = super::control_units() {
        are_the_same(&machines);
    }
}

/// Each field access is an instruction, not a loop over columns.
#[test]
fn each_field_access_is_one_instruction() {
    let mut program = sir::read(FIELDS);
    guards::guard(&mut program);
    let code = star_gpu::listing(program);
    let of = |what: &str| code.lines().filter(|line| line.contains(what)).collect::<Vec<_>>();
    let all = of(" lines ");
    assert_eq!(all.len(), 2, "{code}");
    assert_eq!(all.iter().filter(|line| line.contains("store field")).count(), 1, "{code}");
    assert_eq!(of(" line "), Vec::<&str>::new(), "{code}");
}
