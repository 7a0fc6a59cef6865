//! Operations on long slices are recorded and executed together later. Here operations are pending
//! when an instruction of each kind reads or writes a pending value, or an operand of one.

use star_tests::sir::Sir;
use star_value::Value;

use super::{slice, table, word};

const HEADER: &str = "(value %n: int, value %m: int, ref %T: table[?, ?], ref %F: table[?, ?], \
    ref %X: slice[?], ref %Y: slice[?], ref %A: slice[?], ref %B: slice[?], ref %C: slice[?], \
    ref %v: word[?], ref %w: word[?], ref %a: word[?], ref %k: int, ref %b: bool)";

fn arguments(n: usize) -> Vec<Value> {
    vec![
        Value::Int(n as i64),
        Value::Int(5),
        table(n, 5, 1),
        table(n, 5, 2),
        slice(n, 3),
        slice(n, 4),
        Value::Unset,
        Value::Unset,
        slice(n, 5),
        word(n, 6),
        word(n, 7),
        Value::Unset,
        Value::Unset,
        Value::Unset,
    ]
}

/// A is pending and reads X and Y; D is pending and reads a column of T; E combines both and is
/// pending.
const BEFORE: &str = "
    %A = bits_xor %X, %Y
    %D = column %T, 2
    %E = bits_or %A, %D
    %E = bits_not %E
    cost 3";

/// Uses of all the values.
const AFTER: &str = "
    %B = bits_and %E, %D
    %B = bits_xor %B, %A
    cost 2";

/// Instructions that touch A, D, E, X, Y or T.
const TOUCHES: &[&str] = &[
    // An operand changes.
    "%X = literal '0110'",
    "%X = fill %n, true",
    "%X = fill %m, false",
    "%X = mask %n, 1, 1",
    "%X = copy %C",
    "%X = bits_not %X",
    "%X = bits_not %C",
    "%X = bits_or %X, %C",
    "%X = column %T, 1",
    "%X = column %F, 1",
    "%X = keep_first %X",
    "%X = shift_down %X, 3",
    "%X = shift_up %C, 1",
    "%X = rotate %X, 5",
    "%X = mirror %X",
    "%X = mirror %C",
    "%X = shuffle %X",
    "%X = convert %v",
    "%X = extreme_min %F, %X",
    "%k = step %X",
    "put %X, 1, 1\nput %Y, 1, 0",
    "adapt %X, 3",
    "%k = step %X\n%k = step %X\n%X = bits_not %X",
    "%S = fill %m, true\n%X = bits_not %S",
    // A pending value is read.
    "%k = count %A",
    "%k = first %E",
    "%b = any %A",
    "%b = all %E",
    "%b = none %D",
    "%b = bits_equal %A, %X",
    "%b = bits_equal %E, %D",
    "%k = component %A, 1",
    "%k = length %A",
    "%v = convert %A",
    "%C = keep_first %E",
    "%C = shift_down %A, 2",
    "%C = rotate %E, 3",
    "%C = mirror %D",
    "%C = shuffle %A",
    "%C = extreme_max %T, %A",
    "print %A, %E",
    "write %D, \"memory:d\"",
    "put_column %T, 3, %A",
    "put_column %T, 2, %E",
    "%k = count %A\n%A = bits_not %A",
    "%C = bits_and %A, %X\n%k = count %C",
    "%C = bits_or %X, %Y\n%b = any %C",
    // A pending value changes.
    "%A = literal '01'",
    "%A = fill %m, true",
    "%A = mask %n, 1, 1",
    "%A = copy %X",
    "%A = copy %A",
    "%E = copy %D",
    "%A = column %T, 2",
    "%A = keep_first %A",
    "%E = keep_first %X",
    "%A = shift_up %A, 1",
    "%E = mirror %C",
    "%E = rotate %E, 1",
    "%E = shuffle %E",
    "%E = convert %w",
    "%E = extreme_min %T, %A",
    "%k = step %A",
    "put %A, 1, 1",
    "adapt %A, 3",
    "fix %A, 3",
    "%S = fill %m, true\n%A = bits_not %S",
    "%S = fill %m, true\n%E = copy %S",
    "%C = copy %X\n%X = copy %Y\n%Y = copy %C",
    "%C = copy %X\n%X = copy %A\n%A = copy %C",
    // The table that is read changes, or its layout.
    "put_column %T, 2, %X",
    "put_column %T, 1, %C",
    "put_bit %T, 1, 2, 1",
    "put_bit %T, 1, 2, 0",
    "%a = row %F, 1\nput_row %T, 1, %a",
    "%a = row %T, 1",
    "%k = bit %T, 1, 2",
    "%k = columns %F\ncheck range 0, %k, columns %T\ncheck size rows %T, rows %F\n\
     put_field %T, 0, %F",
    "%T = copy %F",
    "%F = copy %T\nput_column %F, 2, %X",
    "%T = new_table %n, 5",
    "%T = field %F, 1, 3",
    "%F = field %T, 1, 3",
    "ensure_columns %T, 9",
    "%k = columns %T",
    "%k = rows %T",
    "print %T",
    "init %T, %n, 3",
    "set_rows %T, %n",
    // Control, calls and kernels.
    "%b = any %A\nif %b {\n%A = bits_not %A\n} else {\n%E = copy %X\n}",
    "foreach @0 %k in %A {\n%b = any %E\n}",
    "foreach @0 %k in %C {\n%X = bits_not %X\n%E = bits_xor %E, %X\n}",
    "for @0 %k = 1 to 4 {\n%X = bits_not %X\n%E = bits_xor %E, %X\n%A = bits_and %A, %Y\n}",
    "while @0 {\n%b = any %A\n} test %b {\n%k = step %A\n%A = bits_and %A, %Y\n%E = bits_or %E, %A\n}",
    "call 1 \"G\" (value %A, ref %X)",
    "call 1 \"G\" (value %E, ref %A)",
    "call 1 \"G\" (value %X, ref %C)",
    "%C = call 2 \"H\" (value %A, value %X)",
    "%C = call 2 \"H\" (move %E, value %Y)\n%E = copy %C",
    "call 3 \"L\" (value %T, value %X, ref %C)",
    "call 3 \"L\" (value %T, value %A, ref %E)\ncall 3 \"L\" (value %F, value %E, ref %A)",
    "call 3 \"L\" (value %T, value %A, ref %E)\nput_column %T, 2, %X",
    "call 3 \"L\" (value %T, value %A, ref %E)\n%T = copy %F",
    "put_column %T, 2, %A\ncall 3 \"L\" (value %T, value %X, ref %E)",
    "call 4 \"S\" (ref %T, value %A, ref %E)\ncall 3 \"L\" (value %T, value %E, ref %A)",
    "call 4 \"S\" (ref %T, value %A, ref %E)\n%k = bit %T, 1, 2",
    "call 5 \"W\" (value %T, value %A, ref %E)\n%C = column %T, 2",
    "call 6 \"N\" (value %T, value %A, ref %E)\nput_column %T, 1, %E",
    "call 6 \"N\" (value %F, value %A, ref %E)\ncall 6 \"N\" (value %T, value %E, ref %A)\n%k = count %A",
    "call 7 \"K\" (value %X, value %n, ref %A)\n%k = first %A",
    "%k = call 8 \"C\" (value %A)",
    "for @0 %k = 1 to 3 {\ncall 3 \"L\" (value %T, value %A, ref %E)\ncall 3 \"L\" (value %F, value %E, ref %A)\n}",
    "%A = call 2 \"H\" (value %A, value %A)",
    "%X = call 2 \"H\" (move %E, value %X)\n%E = copy %C",
    "%C = bits_and %A, %X\n%X = bits_not %E",
    "%p = column %T, 2\n%p = bits_xor %p, %A\nput_column %T, 2, %p",
    "forall @0 %k = 1 to 5 writes [column %T] privates [%p] {\n%p = column %T, %k\n\
     %p = bits_and %p, %A\nput_column %T, %k, %p\n}",
    "exit",
];

/// Instructions on words with as many components as there are rows. A word is pending too.
const WORD_TOUCHES: &[&str] = &[
    "%v = literal '10'",
    "%v = row %T, 1",
    "%a = row %T, 1",
    "%v = fill %n, true",
    "%v = word_add %v, %w",
    "%a = word_sub %a, %v",
    "%v = word_sub %w, %a",
    "%b = word_lt %a, %v",
    "%b = word_ge %v, %a",
    "%v = trim %v, 1, 1",
    "%w = trim %a, 0, 1",
    "%a = trim %w, 0, 1",
    "%x = trim %v, 0, 1\n%k = length %x\ncheck range 0, %k, length %v\nreplace %v, 0, %x",
    "%x = trim %a, 0, 1\n%k = length %x\ncheck range 0, %k, length %v\nreplace %v, 0, %x",
    "%x = trim %v, 0, 1\n%k = length %x\ncheck range 0, %k, length %a\nreplace %a, 0, %x",
    "%v = int_to_word 1, 3",
    "%k = word_to_int %a",
    "%x = trim %a, 0, 3\n%k = word_to_int %x",
    "%X = convert %a",
    "%v = convert %X",
    "%k = count %a",
    "put %v, 1, 1",
    "put %a, 1, 1",
    "%k = step %v",
    "%k = step %a",
    "%v = shift_up %v, 1",
    "%a = rotate %a, 2",
    "foreach @0 %k in %a {\n%v = bits_not %v\n}",
    "print %a",
];

const VARS: &str =
    "var %D: slice[?]\nvar %E: slice[?]\nvar %p: slice[?]\nvar %S: slice[?]\nvar %x: word[?]";

/// Builds the program, with routines that it may call.
fn program(before: &str, touch: &str, after: &str) -> Sir {
    let main = format!("routine 0 \"F\" {HEADER} {{\n{VARS}\n{before}\n{touch}\n{after}\n}}\n");
    let others = "
        routine 1 \"G\" (value %p: slice[?], ref %q: slice[?]) !0 {
        %q = bits_xor %p, %q
        cost 1
        }
        routine 2 \"H\" (value %p: slice[?], value %q: slice[?]) -> %r !0 {
        var %r: slice[?]
        %r = bits_or %p, %q
        %r = bits_not %r
        cost 1
        }
        routine 3 \"L\" (value %T: table[?, ?], value %X: slice[?], ref %Z: slice[?]) !0 {
        var %Y: slice[?]
        var %D: slice[?]
        %Y = column %T, 2
        %D = bits_xor %Y, %X
        %Y = column %T, 1
        %Z = bits_and %D, %Y
        cost 2
        }
        routine 4 \"S\" (ref %T: table[?, ?], value %X: slice[?], ref %Z: slice[?]) !0 {
        %Z = column %T, 2
        %Z = bits_xor %Z, %X
        put_column %T, 1, %Z
        cost 1
        }
        routine 5 \"W\" (value %T: table[?, ?], value %X: slice[?], ref %Z: slice[?]) !0 {
        put_column %T, 2, %X
        %Z = column %T, 2
        put_bit %T, 1, 1, 1
        %X = column %T, 1
        %Z = bits_xor %Z, %X
        }
        routine 6 \"N\" (value %T: table[?, ?], value %X: slice[?], ref %Z: slice[?]) !0 {
        call 3 \"L\" (value %T, value %X, ref %Z)
        %X = bits_not %Z
        call 3 \"L\" (value %T, value %X, ref %Z)
        }
        routine 7 \"K\" (value %X: slice[?], value %n: int, ref %Z: slice[?]) !0 {
        var %Y: slice[?]
        %Y = shift_down %X, 1
        %Z = bits_xor %Z, %Y
        %Y = bits_not %Z
        %Z = bits_xor %X, %Z
        }
        routine 8 \"C\" (value %X: slice[?]) -> %k !0 {
        var %k: int
        %X = bits_not %X
        %k = count %X
        }";
    Sir::guarded_text(&format!("{main}{others}"))
}

/// A size below a limb, at its limit, and above the least size of a batch on the smallest machine.
const SIZES: [usize; 7] = [0, 1, 5, 64, 65, 257, 300];

#[test]
fn pending_operations_are_done_before_any_access() {
    let mut n_recorded = 0;
    for touch in TOUCHES {
        let program = program(BEFORE, touch, AFTER);
        for n in SIZES {
            let agreement = program.agree(&arguments(n));
            if n == 300 {
                for machine in ["cpu-tiny", "cpu-baseline"] {
                    let paths = agreement.optimised(machine);
                    assert!(paths.ops_recorded >= 3, "{touch}: {machine}: {paths:?}");
                    n_recorded += paths.ops_recorded;
                }
            }
        }
    }
    assert!(n_recorded > 1000, "{n_recorded}");
}

#[test]
fn each_tape_counts_its_own_operations() {
    // The query flushes the first tape, the end of the routine the second one.
    let touch = "%k = count %E\n%S = shift_down %E, 1\n%C = bits_or %C, %S";
    let program = program(BEFORE, touch, AFTER);
    let agreement = program.agree(&arguments(300));
    for machine in ["cpu-tiny", "cpu-baseline"] {
        let paths = agreement.optimised(machine);
        assert_eq!((paths.tapes_flushed, paths.ops_recorded), (2, 4 + 3), "{machine}: {paths:?}");
    }
}

#[test]
fn recording_continues_through_calls_and_returns() {
    let three = "call 3 \"L\" (value %T, value %A, ref %E)\ncall 6 \"N\" (value %T, value %E, ref %A)\n\
                 call 3 \"L\" (value %F, value %A, ref %C)\n%k = count %C";
    let program = program(BEFORE, three, "");
    let agreement = program.agree(&arguments(300));
    let paths = agreement.optimised("cpu-baseline");
    assert_eq!(paths.tapes_flushed, 1, "{paths:?}");
}

#[test]
fn pending_words_are_computed_before_they_are_accessed() {
    let before = "%a = bits_xor %v, %w\n%x = bits_not %a\n%a = bits_and %x, %v\ncost 3";
    let after = "%w = bits_or %a, %v\ncost 1";
    for touch in WORD_TOUCHES {
        let program = program(before, touch, after);
        for n in SIZES {
            let _ = program.agree(&arguments(n));
        }
    }
}

#[test]
fn pending_operations_are_done_when_a_guard_fails() {
    let after = format!("check index 6, columns %T\n{AFTER}");
    for touch in ["", "%A = bits_not %A", "%X = bits_not %X\n%A = bits_or %A, %X"] {
        let program = program(BEFORE, touch, &after);
        for n in SIZES {
            let _ = program.agree(&arguments(n));
        }
    }
}
