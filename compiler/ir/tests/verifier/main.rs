//! For each rule of the verifier, a program that violates only this rule and a similar one that
//! passes: numbers, types, structure and parallel statements here, guards in `guards`, `iterations`
//! and
//! `forgotten`, kernels in `kernels`.

mod forgotten;
mod guards;
mod iterations;
mod kernels;

use star_ir::{parse, verify};

const HEAD: &str = r#"routine 0 "F" (value %n: int, value %i: int, value %b: bool, value %s: string,
    value %X: slice[%n], value %Z: slice[%n], value %Y: slice[?], value %v: word[?], value %w: word[?],
    value %T: table[?, ?], value %U: table[?, ?], ref %R: slice[?], ref %Q: table[?, ?], ref %k: int)
  var %x: slice[?]
  var %y: slice[?]
  var %u: word[?]
  var %t: table[?, ?]
  var %j: int
  var %m: int
  var %c: bool
  var %h: handle
  var %e: int
  var %E: slice[%e]
  var %K: slice[6]
  var %L: word[6]
"#;

const TAIL: &str = r#"routine 1 "G" (value %a: slice[?], ref %b: slice[?]) -> %r !0 {
  var %r: int
  %r = count %a !0
}
routine 2 "P" (value %a: int) !0 {
}
routine 3 "V" (value %a: slice[?]) !0 {
}
routine 4 "VV" (value %a: slice[?], value %b: slice[?]) !0 {
}
routine 5 "VT" (value %a: table[?, ?]) !0 {
}
routine 6 "R" (ref %a: slice[?]) !0 {
}
routine 7 "RR" (ref %a: slice[?], ref %b: slice[?]) !0 {
}
routine 8 "RT" (ref %a: table[?, ?]) !0 {
}
locations {
  !0 = 0:0..0
}
"#;

/// Returns a program whose first routine has these statements, without locations.
pub(crate) fn program(body: &str) -> String {
    let (header, vars) = HEAD.split_once(")\n").expect("the head has variables");
    let mut text = format!("{header}) !0 {{\n{vars}");
    for line in body.lines().map(str::trim) {
        let placed = if line.is_empty() || line.starts_with('}') {
            line.to_owned()
        } else if let Some(head) = line.strip_suffix('{') {
            format!("{head} !0 {{")
        } else {
            format!("{line} !0")
        };
        text += &placed;
        text += "\n";
    }
    text + "}\n" + TAIL
}

pub(crate) fn messages(text: &str) -> Vec<String> {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    match verify(&program) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.into_iter().map(|error| error.message).collect(),
    }
}

#[track_caller]
pub(crate) fn passes(body: &str) {
    let none: Vec<String> = Vec::new();
    assert_eq!(messages(&program(body)), none, "{body}");
}

/// Checks that the first body violates one rule and the second one none.
#[track_caller]
pub(crate) fn rule(bad: &str, message: &str, good: &str) {
    assert_eq!(messages(&program(bad)), [message], "{bad}");
    passes(good);
}

#[track_caller]
pub(crate) fn whole(bad: &str, message: &str, good: &str) {
    assert_eq!(messages(bad), [message], "{bad}");
    assert!(messages(good).is_empty(), "{good}");
}

#[test]
fn locations_name_variables_of_one_routine_and_source_calls() {
    let text = |locations: &str| {
        format!(
            "routine 0 \"F\" (value %x: int) !0 {{ print %x !1 }}
             routine 1 \"G\" (value %x: int) !0 {{ print %x !2 }}
             locations {{ !0 = 0:0..0 {locations} }}"
        )
    };
    let good = text("!1 = 0:0..1 inlined [1 at !0] names [#0 \"x\"] !2 = 0:0..1 names [#0 \"x\"]");
    for (locations, message) in [
        ("!1 = 0:0..1 names [#1 \"y\"] !2 = 0:0..1", "unknown variable 1"),
        ("!1 = 0:0..1 names [#0 \"x\", #0 \"y\"] !2 = 0:0..1", "`!1` names `%x` twice"),
        ("!1 = 0:0..1 inlined [2 at !0] !2 = 0:0..1", "unknown routine 2"),
        ("!1 = 0:0..1 inlined [0 at !3] !2 = 0:0..1", "unknown location `!3`"),
        (
            "!1 = 0:0..1 inlined [0 at !2] !2 = 0:0..1 inlined [0 at !0]",
            "the call at `!2` was itself inlined",
        ),
    ] {
        whole(&text(locations), message, &good);
    }
    let shared = text("!1 = 0:0..1 names [#0 \"x\"] !2 = 0:0..1");
    let bad = shared.replace("print %x !2", "print %x !1");
    whole(&bad, "`!1` names variables of another routine", &shared);
}

#[test]
fn names_exist_and_are_unique() {
    rule("%j = copy #99", "unknown variable 99", "%j = copy #1");
    rule("call 9 ()", "unknown routine 9", "call 2 \"P\" (value %n)");
    rule(
        "block @1 {\n}\nblock @1 {\n}",
        "the label `@1` is used twice",
        "block @1 {\n}\nblock @2 {\n}",
    );
    whole(
        "routine 0 \"F\" () !0 {\n exit !7 }\nlocations { !0 = 0:0..0 }",
        "unknown location `!7`",
        "routine 0 \"F\" () !0 {\n exit !0 }\nlocations { !0 = 0:0..0 }",
    );
    whole(
        "routine 0 \"F\" () !0 { var %x: int var %x: int }\nlocations { !0 = 0:0..0 }",
        "several variables are named `%x`",
        "routine 0 \"F\" () !0 { var %x: int var %y: int }\nlocations { !0 = 0:0..0 }",
    );
    whole(
        "routine 0 \"F\" (value %x: int) -> %x !0 { }\nlocations { !0 = 0:0..0 }",
        "`%x` appears twice in the header",
        "routine 0 \"F\" (value %x: int) -> %y !0 { var %y: int %y = copy 0 !0 }
         locations { !0 = 0:0..0 }",
    );
    whole(
        "routine 0 \"F\" () !0 { var %x: slice[#5] }\nlocations { !0 = 0:0..0 }",
        "unknown variable 5",
        "routine 0 \"F\" () !0 { var %x: slice[#1] var %y: int }\nlocations { !0 = 0:0..0 }",
    );
}

#[test]
fn operands_and_destinations_have_the_required_kinds() {
    let not = |name: &str, is: &str, kind: &str| format!("`%{name}` is {is}, not {kind}");
    let (int, bool, slice, word, table) =
        ("an integer", "a truth value", "a slice", "a word", "a table");
    for (bad, message, good) in [
        ("%x = copy %n", "`%x` is a slice, the copied value is an integer".into(), "%x = copy %Y"),
        ("%j = eq %n, 0", not("j", int, bool), "%c = eq %n, 0"),
        ("%c = not %n", not("n", int, bool), "%c = not %b"),
        ("%c = and %b, %n", not("n", int, bool), "%c = and %b, true"),
        ("%t = fill 3, true", not("t", table, "a slice or word"), "%u = fill 3, true"),
        ("%j = literal '01'", not("j", int, "a slice or word"), "%x = literal '01'"),
        ("%u = bits_not %Y", "`%u` and `%Y` are of different kinds".into(), "%x = bits_not %Y"),
        ("%c = count %Y", not("c", bool, int), "%j = count %Y"),
        ("%j = any %Y", not("j", int, bool), "%c = any %Y"),
        ("%x = convert %Y", not("x", slice, word), "%u = convert %Y"),
        ("%j = length %T", not("T", table, "a slice or word"), "%j = length %v"),
        ("%j = rows %v", not("v", word, table), "%j = rows %T"),
        (
            "check index %n, columns %T\n%u = column %T, %n",
            not("u", word, slice),
            "check index %n, columns %T\n%x = column %T, %n",
        ),
        (
            "check fits %n, 4\n%x = int_to_word %n, 4",
            not("x", slice, word),
            "check fits %n, 4\n%u = int_to_word %n, 4",
        ),
        ("write %s, \"f\"", not("s", "a text", "a table, slice or word"), "write %v, %s"),
        ("%x = read 5", "a constant is an integer, not a text".into(), "%x = read \"a\" layout %s"),
        ("print %h", not("h", "a handle", "a printable value"), "print %s, %T"),
        ("if %n {\n}", not("n", int, bool), "if %b {\n}"),
        ("for @1 %c = 1 to 2 {\n}", not("c", bool, int), "for @1 %j = 1 to 2 {\n}"),
        (
            "forall @1 %j = 1 to 2 writes [column %v] {\n}",
            not("v", word, table),
            "forall @1 %j = 1 to 2 writes [component %v] {\n}",
        ),
        (
            "forall @1 %j = 1 to 2 reductions [or %i] {\n}",
            not("i", int, "a truth value, slice or word"),
            "forall @1 %j = 1 to 2 reductions [add %i] {\n}",
        ),
        ("check result %n", "`%n` is not the result".into(), "check set %n"),
        (
            "check size length %v, length %w\ncheck no_carry mul %v, %w",
            "words are only added and subtracted".into(),
            "check size length %v, length %w\ncheck no_carry sub %v, %w",
        ),
        ("check assert %n, \"m\"", not("n", int, bool), "check assert %b, \"m\""),
        ("latch %c, length %Y", not("c", bool, int), "latch %j, length %Y"),
    ] {
        rule(bad, &message, good);
    }
}

#[test]
fn calls_match_their_parameters() {
    let good = "%j = call 1 \"G\" (value %Y, ref %R)";
    rule("call 2 \"P\" ()", "0 arguments for 1 parameters", "call 2 \"P\" (value 3)");
    rule("%j = call 1 \"G\" (ref %Y, ref %R)", "argument 1 must be passed by value", good);
    rule("%j = call 1 \"G\" (value %Y, value %X)", "argument 2 must be passed by reference", good);
    rule("%j = call 1 \"G\" (value %v, ref %R)", "argument 1 is a word, not a slice", good);
    rule(
        "%c = call 1 \"G\" (value %Y, ref %R)",
        "`%c` is a truth value, the result is an integer",
        "call 1 \"G\" (value %Y, ref %R)",
    );
    rule(
        "%j = call 2 \"P\" (value 1)",
        "the called routine has no result",
        "call 2 \"P\" (value 1)",
    );
}

#[test]
fn a_table_with_a_column_extent_gets_no_other_columns() {
    let program = |columns: &str| {
        format!(
            "routine 0 \"P\" (value %k: int, ref %T: table[4, %k], ref %U: table[4, 3]) !0 {{\n  \
             check not_negative %k !0\n  set_rows %T, 4 !0\n  set_rows %U, 4 !0\n  {columns} !0\n}}\n\
             locations {{\n  !0 = 0:0..0\n}}\n"
        )
    };
    for (bad, message, good) in [
        ("ensure_columns %T, 3", "`%T` has other columns", "ensure_columns %T, %k"),
        ("ensure_columns %U, %k", "`%U` has other columns", "ensure_columns %U, 3"),
    ] {
        whole(&program(bad), message, &program(good));
    }
}

#[test]
fn intrinsic_parameters_match_the_catalogue() {
    let routine = |params: &str| {
        format!(
            "routine 0 \"F\" intrinsic closure ({params}) !0 {{\n}}\nlocations {{\n  !0 = 0:0..0\n}}\n"
        )
    };
    let good = routine("value %n: int, ref %P: table[?, ?]");
    let others = [
        "value %n: int",
        "value %n: int, value %P: table[?, ?]",
        "ref %n: int, ref %P: table[?, ?]",
        "value %n: int, ref %P: slice[?]",
        "value %n: int, ref %P: table[?, ?], value %i: int",
    ];
    for other in others {
        whole(&routine(other), "the parameters do not match the intrinsic `closure`", &good);
    }
    let error = parse(&good.replace("intrinsic closure", "intrinsic closer")).unwrap_err();
    assert_eq!(error.to_string(), "1:25: unknown intrinsic `closer`");
}

#[test]
fn reference_arguments_are_different_variables() {
    rule(
        "%j = call 1 \"G\" (value %Y, ref %Y)",
        "`%Y` is passed twice",
        "%x = copy %Y\n%j = call 1 \"G\" (move %x, ref %Y)",
    );
    rule("call 7 (ref %R, ref %R)", "`%R` is passed twice", "call 7 (ref %R, ref %x)");
    rule("call 4 (move %Y, move %Y)", "`%Y` is passed twice", "call 4 (move %Y, move %X)");
    rule(
        "check set %R\ncall 3 (move %R)",
        "`%R` is lent and cannot be moved",
        "check set %R\ncall 3 (value %R)",
    );
}

#[test]
fn jumps_stay_inside() {
    rule("break @1", "no enclosing block or loop `@1`", "block @1 {\nbreak @1\n}");
    rule(
        "block @1 {\ncontinue @1\n}",
        "no enclosing loop `@1`",
        "while @1 {\n} test %b {\ncontinue @1\n}",
    );
    let leaves = "leaves a `forall`";
    rule(
        "block @1 {\nforall @2 %j = 1 to 3 {\nbreak @1\n}\n}",
        leaves,
        "block @1 {\nforall @2 %j = 1 to 3 {\nblock @3 {\nbreak @3\n}\n}\n}",
    );
    rule("forall @2 %j = 1 to 3 {\nbreak @2\n}", leaves, "forall @2 %j = 1 to 3 {\ncontinue @2\n}");
}

#[test]
fn loop_variables_are_not_written() {
    rule(
        "for @1 %j = 1 to %n {\n%j = copy 1\n}",
        "the body writes `%j`",
        "for @1 %j = 1 to %n {\n%m = copy 1\n}",
    );
    rule(
        "for @1 %j = 1 to %n {\nfor @2 %j = 1 to %n {\n}\n}",
        "the body writes `%j`",
        "for @1 %j = 1 to %n {\nfor @2 %m = 1 to %n {\n}\n}",
    );
    rule(
        "foreach @1 %j in %Y {\n%m = step %Y\n}",
        "the body writes `%Y`",
        "%x = copy %Y\nforeach @1 %j in %Y {\n%m = step %x\n}",
    );
}

#[test]
fn extents_are_assigned_once() {
    rule("%n = copy 3", "the extent `%n` is assigned twice", "%i = copy 3");
    rule(
        "%e = copy 3\nlatch %e, length %Y",
        "the extent `%e` is assigned twice",
        "latch %e, length %Y\nlatch %e, length %X",
    );
    rule(
        "for @1 %e = 1 to 3 {\n}",
        "the extent `%e` changes other than by one assignment",
        "%e = copy 3",
    );
    whole(
        "routine 0 \"F\" (value %x: slice[%y], value %y: bool) !0 { }\nlocations { !0 = 0:0..0 }",
        "the extent `%y` is not an integer",
        "routine 0 \"F\" (value %x: slice[%y], value %y: int) !0 { }\nlocations { !0 = 0:0..0 }",
    );
}

#[test]
fn iterations_write_only_their_parts() {
    let forall = |head: &str, body: &str| {
        format!(
            "check index %i, columns %T\ncheck size rows %T, length %Y
            forall @1 %j = 1 to %n {head} {{\ncheck index %j, columns %T\n{body}\n}}"
        )
    };
    rule(
        &forall("", "%m = copy 1"),
        "writes `%m`, which all iterations share",
        &forall("privates [%m]", "%m = copy 1"),
    );
    rule(
        &forall("writes [column %T]", "put_column %T, %i, %Y"),
        "writes a part of `%T` that belongs to another iteration",
        &forall("writes [column %T]", "put_column %T, %j, %Y"),
    );
    rule(
        &forall("writes [field %T 3]", "ensure_columns %T, %j"),
        "writes a part of `%T` that belongs to another iteration",
        &forall(
            "writes [field %T 3]",
            "check range %i, 3, columns %T\ncheck size columns %U, 3
             check size rows %T, rows %U\nput_field %T, %i, %U",
        ),
    );
    rule(&forall("", "print %n"), "input or output in a `forall`", &forall("", ""));
    rule(
        &forall("", "call 1 \"G\" (value %Y, ref %R)"),
        "writes `%R`, which all iterations share",
        &forall("privates [%x]", "call 1 \"G\" (value %Y, ref %x)"),
    );
    let used = "`%i` is a reduction and used otherwise";
    rule(
        &forall("reductions [add %i]", "%i = sub %i, 1"),
        used,
        &forall("reductions [add %i]", "%i = add %i, 1"),
    );
    rule(
        &forall("privates [%c] reductions [add %i]", "%c = lt %i, 1"),
        used,
        &forall("privates [%c] reductions [min %i]", "%c = lt %j, %i\nif %c {\n%i = copy %j\n}"),
    );
    rule(
        &forall("privates [%T]", "").replace("privates [%T]", "writes [column %U] privates [%U]"),
        "`%U` has two roles",
        &forall("writes [column %U] privates [%x]", ""),
    );
}
