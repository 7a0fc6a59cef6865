//! For each rule of the verifier a program that breaks just it, and a near one that passes.

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

/// A program whose first routine has these statements, places left out.
fn program(body: &str) -> String {
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

fn messages(text: &str) -> Vec<String> {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    match verify(&program) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.into_iter().map(|error| error.message).collect(),
    }
}

#[track_caller]
fn passes(body: &str) {
    let none: Vec<String> = Vec::new();
    assert_eq!(messages(&program(body)), none, "{body}");
}

/// The first body breaks one rule, the second one none.
#[track_caller]
fn rule(bad: &str, message: &str, good: &str) {
    assert_eq!(messages(&program(bad)), [message], "{bad}");
    passes(good);
}

#[track_caller]
fn whole(bad: &str, message: &str, good: &str) {
    assert_eq!(messages(bad), [message], "{bad}");
    assert!(messages(good).is_empty(), "{good}");
}

#[test]
fn what_is_named_exists_and_is_unique() {
    rule("%j = copy #99", "there is no variable 99", "%j = copy #1");
    rule("call 9 ()", "there is no routine 9", "call 2 \"P\" (value %n)");
    rule(
        "block @1 {\n}\nblock @1 {\n}",
        "the label `@1` is used twice",
        "block @1 {\n}\nblock @2 {\n}",
    );
    whole(
        "routine 0 \"F\" () !0 {\n exit !7 }\nlocations { !0 = 0:0..0 }",
        "there is no place `!7`",
        "routine 0 \"F\" () !0 {\n exit !0 }\nlocations { !0 = 0:0..0 }",
    );
    whole(
        "routine 0 \"F\" () !0 { var %x: int var %x: int }\nlocations { !0 = 0:0..0 }",
        "several variables are named `%x`",
        "routine 0 \"F\" () !0 { var %x: int var %y: int }\nlocations { !0 = 0:0..0 }",
    );
    whole(
        "routine 0 \"F\" (value %x: int) -> %x !0 { }\nlocations { !0 = 0:0..0 }",
        "`%x` stands in the header twice",
        "routine 0 \"F\" (value %x: int) -> %y !0 { var %y: int %y = copy 0 !0 }
         locations { !0 = 0:0..0 }",
    );
    whole(
        "routine 0 \"F\" () !0 { var %x: slice[#5] }\nlocations { !0 = 0:0..0 }",
        "there is no variable 5",
        "routine 0 \"F\" () !0 { var %x: slice[#1] var %y: int }\nlocations { !0 = 0:0..0 }",
    );
}

#[test]
fn operands_and_destinations_have_their_kinds() {
    let not = |name: &str, is: &str, kind: &str| format!("`%{name}` is {is}, not {kind}");
    let (int, bool, slice, word, table) =
        ("an integer", "a truth value", "a slice", "a word", "a table");
    for (bad, message, good) in [
        ("%x = copy %n", "`%x` is a slice, what is copied is an integer".into(), "%x = copy %Y"),
        ("%j = eq %n, 0", not("j", int, bool), "%c = eq %n, 0"),
        ("%c = not %n", not("n", int, bool), "%c = not %b"),
        ("%c = and %b, %n", not("n", int, bool), "%c = and %b, true"),
        ("%t = fill 3, true", not("t", table, "a slice or word"), "%u = fill 3, true"),
        ("%j = literal '01'", not("j", int, "a slice or word"), "%x = literal '01'"),
        ("%u = bits_not %Y", "`%u` and `%Y` are of different kinds".into(), "%x = bits_not %Y"),
        ("%c = count %Y", not("c", bool, int), "%j = count %Y"),
        ("%j = some %Y", not("j", int, bool), "%c = some %Y"),
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
        ("print %h", not("h", "a handle", "a value that can be shown"), "print %s, %T"),
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
    rule("%j = call 1 \"G\" (ref %Y, ref %R)", "argument 1 is to be passed by value", good);
    rule("%j = call 1 \"G\" (value %Y, value %X)", "argument 2 is to be passed by reference", good);
    rule("%j = call 1 \"G\" (value %v, ref %R)", "argument 1 is a word, not a slice", good);
    rule(
        "%c = call 1 \"G\" (value %Y, ref %R)",
        "`%c` is a truth value, the result is an integer",
        "call 1 \"G\" (value %Y, ref %R)",
    );
    rule(
        "%j = call 2 \"P\" (value 1)",
        "the routine called has no result",
        "call 2 \"P\" (value 1)",
    );
}

#[test]
fn references_are_of_different_variables() {
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
    rule("break @1", "no block or loop `@1` is around it", "block @1 {\nbreak @1\n}");
    rule(
        "block @1 {\ncontinue @1\n}",
        "no loop `@1` is around it",
        "while @1 {\n} test %b {\ncontinue @1\n}",
    );
    let leaves = "leaves a `forall` or `tile`";
    rule(
        "block @1 {\nforall @2 %j = 1 to 3 {\nbreak @1\n}\n}",
        leaves,
        "block @1 {\nforall @2 %j = 1 to 3 {\nblock @3 {\nbreak @3\n}\n}\n}",
    );
    rule("forall @2 %j = 1 to 3 {\nbreak @2\n}", leaves, "forall @2 %j = 1 to 3 {\ncontinue @2\n}");
    rule("tile %n {\nexit\n}", leaves, "tile %n {\n}\nexit");
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
fn iterations_write_only_what_is_theirs() {
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
        "writes another part of `%T` than its own",
        &forall("writes [column %T]", "put_column %T, %j, %Y"),
    );
    rule(
        &forall("writes [field %T 3]", "put_column %T, %j, %Y"),
        "writes another part of `%T` than its own",
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

#[test]
fn tiles_work_row_by_row() {
    let tile = |body: &str| {
        format!(
            "check size length %Y, %n\ncheck size rows %T, %n\ncheck index %i, columns %T
            check index %i, rows %T\ncheck index %i, length %v
            tile %n privates [%x] reductions [%c = some %x, %j = count %x] {{
            %x = copy %Y\n{body}\n}}"
        )
    };
    let by_row = "an operation that does not work row by row in a `tile`";
    rule(&tile("%u = row %T, %i"), by_row, &tile("%x = column %T, %i"));
    rule(&tile("%c = some %x"), by_row, &tile("%m = component %v, %i"));
    rule(&tile("%x = mirror %x"), by_row, &tile("%u = mirror %v"));
    rule(&tile("%u = convert %x"), by_row, &tile("%u = word_add %v, %v\n%m = step %u"));
    rule(
        &tile("put %x, %i, 1").replace("put", "check index %i, length %x\nput"),
        "a single row or component is changed in a `tile`",
        &tile("put_column %T, %i, %x"),
    );
    rule(&tile("ensure_columns %T, 3"), "a size changes in a `tile`", &tile("cost 3"));
    rule(&tile("call 2 \"P\" (value 1)"), "a call in a `tile`", &tile("check add %n, %i"));
    rule(&tile("print"), "input or output in a `tile`", &tile("if %b {\n}"));
    rule(
        &tile("foreach @1 %m in %x {\n}"),
        "a loop over the ones of a slice in a `tile`",
        &tile("foreach @1 %m in %v {\n}"),
    );
    rule(&tile("tile %n {\n}"), "a parallel statement in a `tile`", &tile("block @1 {\n}"));
    rule(
        &tile("%x = literal '01'").replace("count %x", "count %Y").replace("some %x", "some %Y"),
        "`%x` is not known to have the rows of the tile",
        &tile("%x = fill %n, true").replace("tile", "check not_negative %n\ntile"),
    );
    rule(
        &tile("%U = bits_not %U").replace("%U = bits_not %U", "%t = copy %U"),
        "`%U` is not known to have the rows of the tile",
        &tile("%t = copy %T"),
    );
}

#[test]
fn what_is_read_is_set() {
    rule("%j = copy %m", "`%m` may be unset here", "check set %m\n%j = copy %m");
    rule("%j = count %R", "`%R` may be unset here", "%R = copy %Y\n%j = count %R");
    rule("print %k", "`%k` may be unset here", "%x = read \"f\"\nprint %x");
    rule("%j = columns %Q\n%j = rows %Q", "`%Q` may be unset here", "%j = columns %Q");
    rule(
        "if %b {\n%m = copy 1\n}\nprint %m",
        "`%m` may be unset here",
        "if %b {\n%m = copy 1\n} else {\n%m = copy 2\n}\nprint %m",
    );
    rule(
        "for @1 %j = 1 to %n {\n%m = copy %j\n}\nprint %m",
        "`%m` may be unset here",
        "%m = copy 0\nfor @1 %j = 1 to %n {\n%m = copy %j\n}\nprint %m",
    );
    rule(
        "for @1 %j = 1 to %n {\n}\nprint %j",
        "`%j` may be unset here",
        "for @1 %j = 1 to %n {\nprint %j\n}",
    );
    rule(
        "block @1 {\nif %b {\nbreak @1\n}\n%m = copy 1\n}\nprint %m",
        "`%m` may be unset here",
        "block @1 {\nif %b {\nexit\n}\n%m = copy 1\n}\nprint %m",
    );
    rule(
        "%x = copy %Y\ncall 3 (move %x)\nprint %x",
        "`%x` may be unset here",
        "%x = copy %Y\ncall 3 (value %x)\nprint %x",
    );
    rule(
        "%x = copy %Y\ncall 6 (ref %x)\nprint %x",
        "`%x` may be unset here",
        "%t = copy %T\ncall 8 (ref %t)\nprint %t",
    );
    rule(
        "adapt %Y, %n\nprint %Y",
        "`%Y` may be unset here",
        "adapt %Y, %n\ncheck set %Y\nprint %Y",
    );
    rule(
        "%x = copy %Y\nwhile @1 {\n} test %b {\nprint %x\ncall 3 (move %x)\n}",
        "`%x` may be unset here",
        "%x = copy %Y\nwhile @1 {\n} test %b {\nprint %x\n%x = copy %Y\n}",
    );
    rule(
        "forall @1 %j = 1 to %n privates [%m] {\n%i = copy %m\n}"
            .replace("%i = copy", "check bit")
            .as_str(),
        "`%m` may be unset here",
        "forall @1 %j = 1 to %n privates [%m] {\n%m = copy 1\ncheck bit %m\n}",
    );
    rule(
        "while @1 {\n} test %c {\n%c = copy true\n}",
        "`%c` may be unset here",
        "while @1 {\n%c = copy true\n} test %c {\n}",
    );
    passes("while @1 {\n} test true {\n%m = copy 1\nbreak @1\n}\nprint %m");
}

#[test]
fn what_is_measured_has_a_size() {
    let sized = |name: &str| format!("`check sized %{name}` is not established");
    let length = "%j = length %R";
    rule(length, &sized("R"), "check sized %R\n%j = length %R");
    rule(
        "set_rows %Q, length %R",
        &sized("R"),
        "fix %R, %n\nset_rows %Q, length %R".replace("fix", "check not_negative %n\nfix").as_str(),
    );
    rule(
        "fix %R, %i\n%j = length %R",
        "`check not_negative %i` is not established",
        "fix %R, 3\n%j = length %R",
    );
    rule("fix %R, 3\nprint %R", "`%R` may be unset here", "fix %R, 3\ncheck set %R\nprint %R");
    passes("check sized %Q\n%j = rows %Q");
    passes("check set %R\nfix %R, 3\nprint %R\n%j = length %R");
    passes("latch %e, length %Y\nfix %R, 3\nlatch %m, length %R\nprint %m");
    // It dies with the value, and what two branches know in different ways both know.
    for lost in ["adapt %R, 3", "call 6 (ref %R)"] {
        rule(
            &format!("fix %R, 3\n{lost}\n{length}"),
            &sized("R"),
            &format!("{lost}\nfix %R, 3\n{length}"),
        );
    }
    rule(
        "fix %x, 3\nforall @1 %j = 1 to 2 privates [%x, %m] {\n%m = length %x\n}",
        &sized("x"),
        "fix %x, 3\nforall @1 %j = 1 to 2 privates [%m] {\n%m = length %x\n}",
    );
    passes("if %b {\ncheck sized %R\n} else {\n%R = copy %Y\n}\n%j = length %R");
    passes("if %b {\n%R = copy %Y\n} else {\ncheck sized %R\n}\n%j = length %R");
    rule(
        "if %b {\ncheck sized %R\n}\n%j = length %R",
        &sized("R"),
        "check sized %R\nif %b {\n}\n%j = length %R",
    );
    // A size that agreed because none was known says nothing afterwards.
    let size = "`check size length %X, length %Y` is not established";
    let two = "check size length %R, length %Y\ncheck size length %R, length %X";
    rule(
        &format!("{two}\nfix %R, 3\n%x = bits_or %X, %Y"),
        size,
        &format!("fix %R, 3\n{two}\n%x = bits_or %X, %Y"),
    );
}

#[test]
fn sizes_that_are_given_are_those_of_the_type() {
    let with = |declared: &str, body: &str| {
        let text = program(body);
        let (head, tail) = text.split_once("  var %x:").expect("the head has a variable x");
        format!("{head}  var %D: {declared}\n  var %x:{tail}")
    };
    let size = |size: &str| format!("`check size {size}` is not established");
    let rows = "table[6, ?]";
    let (bad, good) = ("set_rows %D, 5", "set_rows %D, 6");
    whole(&with(rows, bad), &size("5, 6"), &with(rows, good));
    let (bad, good) = ("set_rows %D, rows %T", "check size rows %T, 6\nset_rows %D, rows %T");
    whole(&with(rows, bad), &size("rows %T, 6"), &with(rows, good));
    whole(
        &with("table[6, 2]", "set_rows %D, 6"),
        &size("0, 2"),
        &with("table[6, 2]", "init %D, 6, 2"),
    );
    whole(&with(rows, "init %D, 5, 1"), &size("5, 6"), &with(rows, "init %D, 6, 1"));
    whole(&with("word[6]", "fix %D, 5"), &size("5, 6"), &with("word[6]", "fix %D, 6"));
    // An extent that takes the size of this table only is unset before it.
    let follows = |before: &str| {
        let body = format!("{before}\nset_rows %D, 5\nlatch %e, rows %D");
        with("table[%e, ?]", &body)
    };
    assert!(messages(&follows("latch %e, rows %D")).is_empty());
    for before in ["latch %e, rows %T", "check set %D\ncall 5 (move %D)"] {
        assert_eq!(messages(&follows(before)), [size("5, %e")], "{before}");
    }
    // The extents of parameters are believed; what is set keeps its sizes.
    passes("set_rows %Q, 4");
    passes("check not_negative %i\nset_rows %T, %i");
    let (bad, good) = ("call 1 \"G\" (value %Y, ref %K)", "call 1 \"G\" (value %Y, ref %x)");
    rule(bad, "`%K` may be unset and come back with another size", good);
    passes("%K = literal '010101'\ncall 1 \"G\" (value %Y, ref %K)");
    assert!(messages(&with("slice[6] sized", "call 1 \"G\" (value %Y, ref %D)")).is_empty());
}

#[test]
fn functions_end_with_a_result() {
    let function = |body: &str| {
        format!(
            "routine 0 \"F\" (value %b: bool) -> %r !0 {{ var %r: int {body} }}
             locations {{ !0 = 0:0..0 }}"
        )
    };
    let message = "the result `%r` may be unset here";
    whole(&function(""), message, &function("check result %r !0"));
    whole(
        &function("if %b !0 { exit !0 } %r = copy 1 !0"),
        message,
        &function("if %b !0 { %r = copy 0 !0 exit !0 } %r = copy 1 !0"),
    );
}

#[test]
fn guards_hold_before_operations() {
    for (good, needed) in [
        ("check add %n, %i\n%j = add %n, %i", "add %n, %i"),
        ("check div 5, %i\n%j = div 5, %i", "div 5, %i"),
        ("check not_negative %i\n%x = fill %i, false", "not_negative %i"),
        ("check size length %v, length %w\n%u = bits_and %v, %w", "size length %v, length %w"),
        ("check size length %w, length %v\n%c = word_lt %v, %w", "size length %v, length %w"),
        ("check index %i, length %Y\n%j = component %Y, %i", "index %i, length %Y"),
        ("check not_negative %i\n%x = shift_up %Y, %i", "not_negative %i"),
        ("check even %Y\n%x = shuffle %Y", "even %Y"),
        ("check range %i, 2, length %v\n%u = trim %v, %i, 2", "range %i, 2, length %v"),
        ("check fits_int %v\n%j = word_to_int %v", "fits_int %v"),
        ("check fits %i, 3\n%u = int_to_word %i, 3", "fits %i, 3"),
        ("check index %i, columns %T\n%x = column %T, %i", "index %i, columns %T"),
        ("check index %i, rows %T\n%u = row %T, %i", "index %i, rows %T"),
        ("check range %i, 3, columns %T\n%t = field %T, %i, 3", "range %i, 3, columns %T"),
        ("check not_negative %i\n%t = new_table 4, %i", "not_negative %i"),
        ("check size rows %T, length %Y\n%x = extreme_min %T, %Y", "size rows %T, length %Y"),
        ("check bit %i\ncheck index %n, length %Y\nput %Y, %n, %i", "bit %i"),
        ("check not_negative %i\nset_rows %Q, %i", "not_negative %i"),
        ("check not_negative %i\ninit %Q, %i, 2", "not_negative %i"),
        ("check size length %v, length %w\ncheck no_carry add %v, %w", "size length %v, length %w"),
    ] {
        let (_, bad) = good.split_once('\n').unwrap();
        rule(bad, &format!("`check {needed}` is not established"), good);
    }
    let column = "check index %i, columns %T\ncheck size rows %T, length %Y\nput_column %T, %i, %Y";
    rule(
        "check index %i, columns %T\nput_column %T, %i, %Y",
        "`check size rows %T, length %Y` is not established",
        column,
    );
    rule("ensure_columns %Q, 3", "`%Q` may be unset here", "set_rows %Q, 4\nensure_columns %Q, 3");
    rule(
        "latch %e, length %R\nprint %e",
        "`%e` may be unset here",
        "latch %e, length %Y\nprint %e",
    );
}

#[test]
fn parts_lie_inside() {
    rule(
        "check range %i, 3, length %v\nreplace %v, %i, %w",
        "that the part lies inside is not established",
        "check range %i, 3, length %v\ncheck size length %w, 3\nreplace %v, %i, %w",
    );
    passes("%j = length %w\ncheck range %i, %j, length %v\nreplace %v, %i, %w");
    rule(
        "%x = mask 6, %i, %n",
        "that the ones lie inside is not established",
        "check sub %i, 1\n%j = sub %i, 1\ncheck sub %n, %j\n%m = sub %n, %j
         check range %j, %m, 6\n%x = mask 6, %i, %n",
    );
    rule("%x = mask 6, 2, 7", "that the ones lie inside is not established", "%x = mask 6, 2, 6");
}

#[test]
fn facts_follow_from_sizes_and_constants() {
    let size = "`check size length %X, length %Y` is not established";
    rule("%x = bits_or %X, %Y", size, "%x = bits_or %X, %Z");
    passes("%j = add 2, 3\n%j = div %n, 2\n%x = fill 3, true\n%u = int_to_word 7, 3");
    passes("%K = literal '010101'\n%j = component %K, 6\n%K = shuffle %K");
    passes("%L = literal '010101'\n%j = word_to_int %L\n%u = trim %L, 2, 4");
    passes("%j = count %Y\n%x = fill %j, true\n%j = columns %T\n%t = field %T, 0, %j");
    passes("check size length %Y, rows %T\ncheck size rows %T, rows %U\n%x = extreme_max %U, %Y");
    passes("for @1 %j = 1 to %n {\n%m = component %X, %j\nput %Z, %j, %m\n}");
    passes("%m = columns %T\nfor @1 %j = 1 to %m {\n%x = column %T, %j\n}");
    passes("%m = columns %T\nfor @1 %j = %m downto 1 {\n%x = column %T, %j\n}");
    passes("check size length %Y, rows %T\nforeach @1 %j in %Y {\n%u = row %T, %j\n}");
    // An unset slice agrees with every size, so that two sizes equal to its own may differ.
    rule(
        "check size length %R, length %Y\ncheck size length %R, length %X\n%x = bits_or %X, %Y",
        size,
        "check set %R\ncheck size length %R, length %Y\ncheck size length %R, length %X
         %x = bits_or %X, %Y",
    );
    rule(
        "check index %i, columns %T\n%x = column %T, %i\n%E = copy %x\n%x = bits_or %E, %E
         %e = copy 3\n%E = copy %Y\n%x = bits_or %E, %X",
        "`check size length %E, length %X` is not established",
        "%e = copy 3\n%E = copy %Y\ncheck size length %X, %e\n%x = bits_or %E, %X",
    );
}

#[test]
fn new_columns_are_made_before_they_are_written() {
    let new = "check set %Q\ncheck new_column %Q, %i\ncheck size rows %Q, length %Y\n";
    rule(
        &format!("{new}put_column %Q, %i, %Y"),
        "`check index %i, columns %Q` is not established",
        &format!("{new}ensure_columns %Q, %i\nput_column %Q, %i, %Y"),
    );
    passes("check set %Q\nensure_columns %Q, %i\ncheck new_column %Q, %i\n%x = column %Q, %i");
    // A growing table keeps its columns, but not their number.
    rule(
        "%t = copy %T\ncheck index %i, columns %t\ncheck size columns %t, length %v
         check index %n, rows %t\nensure_columns %t, 9\n%x = column %t, %i\nput_row %t, %n, %v",
        "`check size columns %t, length %v` is not established",
        "%t = copy %T\nensure_columns %t, 9\ncheck index %n, rows %t
         check size columns %t, length %v\nput_row %t, %n, %v",
    );
}

#[test]
fn facts_die_with_what_they_mention() {
    let index = "`check index %i, columns %T` is not established";
    rule(
        "check index %i, columns %T\n%i = copy %n\n%x = column %T, %i",
        index,
        "check index %i, columns %T\n%m = copy %n\n%x = column %T, %i",
    );
    rule(
        "check index %i, columns %T\ncall 8 (ref %T)\n%x = column %T, %i",
        index,
        "check index %i, columns %T\ncall 5 (value %T)\n%x = column %T, %i",
    );
    rule(
        "check index %i, columns %T\n%T = read \"f\"\n%x = column %T, %i",
        index,
        "%T = read \"f\"\ncheck index %i, columns %T\n%x = column %T, %i",
    );
    passes(
        "check index %i, columns %T\ncheck size rows %T, length %Y\nput_column %T, %i, %Y
         %x = column %T, %i\n%Y = bits_not %Y\nput_column %T, %i, %Y",
    );
    rule(
        "check fits_int %v\ncheck index %i, length %v\nput %v, %i, 1\n%j = word_to_int %v",
        "`check fits_int %v` is not established",
        "check index %i, length %v\nput %v, %i, 1\ncheck fits_int %v\n%j = word_to_int %v",
    );
    // In a loop, what is written later in the body counts too.
    rule(
        "check index %i, columns %T\nwhile @1 {\n} test %b {\n%x = column %T, %i\n%i = copy 1\n}",
        index,
        "while @1 {\n} test %b {\ncheck index %i, columns %T\n%x = column %T, %i\n%i = copy 1\n}",
    );
    rule(
        "if %b {\ncheck index %i, columns %T\n}\n%x = column %T, %i",
        index,
        "if %b {\ncheck index %i, columns %T\n} else {\nexit\n}\n%x = column %T, %i",
    );
    rule(
        "%m = copy %n\nfor @1 %j = 1 to %m {\n%m = copy 0\ncheck size %m, rows %T\n%u = row %T, %j\n}",
        "`check index %j, rows %T` is not established",
        "%m = copy %n\ncheck size %m, rows %T\nfor @1 %j = 1 to %m {\n%u = row %T, %j\n}",
    );
}

/// A body of a loop, put into each kind of loop, that reads `%x` first; `%x` is set before the loop.
fn turns(body: &str) -> Vec<String> {
    let inside = format!("print %x\n{body}\n");
    vec![
        format!("%x = copy %Y\nwhile @1 {{\n}} test %b {{\n{inside}}}"),
        format!("%x = copy %Y\nwhile @1 {{\n{inside}}} test %b {{\n}}"),
        format!("%x = copy %Y\nfor @1 %m = 1 to %n {{\n{inside}}}"),
        format!("%x = copy %Y\nforeach @1 %m in %X {{\n{inside}}}"),
    ]
}

/// The first body leaves `%x` unset for the next turn, the second one does not.
#[track_caller]
fn turn_rule(bad: &str, good: &str) {
    for (bad, good) in turns(bad).iter().zip(turns(good)) {
        rule(bad, "`%x` may be unset here", &good);
    }
}

#[test]
fn what_every_turn_sets_again_is_set_at_the_head() {
    turn_rule("adapt %x, 3", "adapt %x, 3\n%x = copy %Y");
    turn_rule("call 3 \"V\" (move %x)", "call 3 \"V\" (move %x)\n%x = copy %Y");
    turn_rule("%x = copy %Y\nadapt %x, 3", "adapt %x, 3\ncheck set %x");
    turn_rule("call 6 \"R\" (ref %x)", "call 6 \"R\" (ref %x)\n%x = copy %Y");
    turn_rule("tile %n privates [%x] {\n}", "tile %n privates [%x] {\n}\n%x = copy %Y");
    turn_rule(
        "forall @2 %j = 1 to 3 privates [%x] {\n}",
        "forall @2 %j = 1 to 3 privates [%x] {\n}\n%x = copy %Y",
    );
}

#[test]
fn a_turn_sets_again_on_every_way_to_its_end() {
    let both = "adapt %x, 3\nif %b {\n%x = copy %Y\n} else {\n%x = copy %X\n}";
    turn_rule(&both.replace("%x = copy %X", ""), both);
    // Behind a `break` or an `exit` there is no other turn.
    let early = |leave: &str| format!("adapt %x, 3\nif %b {{\n{leave}\n}}\n%x = copy %Y");
    for leave in ["break @1", "exit"] {
        for (bad, good) in turns(&early("continue @1")).iter().zip(turns(&early(leave))) {
            // In its head, a `while` has no turn to continue.
            if !bad.contains("} test %b {\n}") {
                rule(bad, "`%x` may be unset here", &good);
            }
        }
    }
    turn_rule(
        "adapt %x, 3\nblock @2 {\nif %b {\nbreak @2\n}\n%x = copy %Y\n}",
        "adapt %x, 3\nblock @2 {\n%x = copy %Y\nif %b {\nbreak @2\n}\n}",
    );
    // Nothing comes to what stands behind these.
    turn_rule(
        "block @2 {\nadapt %x, 3\nbreak @2\n%x = copy %Y\n}",
        "block @2 {\nbreak @2\nadapt %x, 3\n}",
    );
}

#[test]
fn an_inner_loop_may_have_no_turn() {
    let inner = |body: &str| format!("while @2 {{\n}} test %b {{\n{body}\n}}");
    turn_rule(
        &format!("adapt %x, 3\n{}", inner("%x = copy %Y")),
        &format!("adapt %x, 3\n{}\n%x = copy %Y", inner("")),
    );
    turn_rule(&inner("adapt %x, 3"), &inner("adapt %x, 3\n%x = copy %Y"));
    // A `break` leaves what it finds.
    turn_rule(
        &inner("adapt %x, 3\nif %b {\nbreak @2\n}\n%x = copy %Y"),
        &inner("adapt %x, 3\n%x = copy %Y\nif %b {\nbreak @2\n}"),
    );
    // From an inner loop to the next turn of the outer one.
    turn_rule(
        &inner("adapt %x, 3\nif %b {\ncontinue @1\n}\n%x = copy %Y").replace("%x = copy %Y", ""),
        &inner("adapt %x, 3\n%x = copy %Y"),
    );
}

#[test]
fn a_call_sets_again_what_it_promises_to_set() {
    let call = "%j = call 1 \"G\" (value %Y, ref %x)";
    let promise = |text: &str| {
        text.replace("ref %b: slice[?]) ->", "ref set %b: slice[?]) ->")
            .replace("%r = count %a !0", "%b = copy %a !0\n  %r = count %a !0")
    };
    for body in turns(call) {
        let text = program(&body);
        assert_eq!(messages(&text), ["`%x` may be unset here"], "{text}");
        assert!(messages(&promise(&text)).is_empty(), "{text}");
    }
}

#[test]
fn deep_nests_of_loops_take_little_time() {
    let mut body = String::new();
    let depth = 250;
    for label in 0..depth {
        body += &format!("while @{label} {{\n}} test %b {{\n");
    }
    body += "%i = copy %n\n";
    body += &"}\n".repeat(depth);
    passes(&body);
}

#[test]
fn a_native_has_the_parameters_of_the_catalogue() {
    let routine = |params: &str| {
        format!(
            "routine 0 \"F\" native closure ({params}) !0 {{\n}}\nlocations {{\n  !0 = 0:0..0\n}}\n"
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
        whole(&routine(other), "the native `closure` has other parameters", &good);
    }
    let error = parse(&good.replace("native closure", "native closer")).unwrap_err();
    assert_eq!(error.to_string(), "1:22: no native is named `closer`");
}
