//! Rules 11 to 13: facts known at a statement.

use super::{messages, passes, program, rule, whole};

#[test]
fn variables_read_must_be_set() {
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
fn measured_variables_must_have_a_size() {
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
    // It is invalidated with the value, and facts that two branches know in different ways hold
    // after both.
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
    rule(
        "%m = copy %i\ncheck fits %i, 3\n%m = copy 9\n%u = int_to_word %m, 3",
        "`check fits %m, 3` is not established",
        "%m = copy %i\ncheck fits %i, 3\n%u = int_to_word %m, 3",
    );
    // A size that agreed because none was known implies nothing afterwards.
    let size = "`check size length %X, length %Y` is not established";
    let two = "check size length %R, length %Y\ncheck size length %R, length %X";
    rule(
        &format!("{two}\nfix %R, 3\n%x = bits_or %X, %Y"),
        size,
        &format!("fix %R, 3\n{two}\n%x = bits_or %X, %Y"),
    );
}

#[test]
fn given_sizes_must_match_the_type() {
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
    // An extent that only receives the size of this table is unset before it.
    let follows = |before: &str| {
        let body = format!("{before}\nset_rows %D, 5\nlatch %e, rows %D");
        with("table[%e, ?]", &body)
    };
    assert!(messages(&follows("latch %e, rows %D")).is_empty());
    for before in ["latch %e, rows %T", "check set %D\ncall 5 (move %D)"] {
        assert_eq!(messages(&follows(before)), [size("5, %e")], "{before}");
    }
    // The extents of parameters are trusted; set variables keep their sizes.
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
fn parts_must_be_inside() {
    rule(
        "check range %i, 3, length %v\nreplace %v, %i, %w",
        "it is not established that the part is inside",
        "check range %i, 3, length %v\ncheck size length %w, 3\nreplace %v, %i, %w",
    );
    passes("%j = length %w\ncheck range %i, %j, length %v\nreplace %v, %i, %w");
    rule(
        "%x = mask 6, %i, %n",
        "it is not established that the ones are inside",
        "check sub %i, 1\n%j = sub %i, 1\ncheck sub %n, %j\n%m = sub %n, %j
         check range %j, %m, 6\n%x = mask 6, %i, %n",
    );
    rule(
        "%x = mask 6, 2, 7",
        "it is not established that the ones are inside",
        "%x = mask 6, 2, 6",
    );
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
fn new_columns_are_created_before_writes() {
    let new = "check set %Q\ncheck new_column %Q, %i\ncheck size rows %Q, length %Y\n";
    rule(
        &format!("{new}put_column %Q, %i, %Y"),
        "`check index %i, columns %Q` is not established",
        &format!("{new}ensure_columns %Q, %i\nput_column %Q, %i, %Y"),
    );
    passes("check set %Q\nensure_columns %Q, %i\ncheck new_column %Q, %i\n%x = column %Q, %i");
    // A copy of the index is sufficient as long as it is unchanged.
    let copied = "%m = copy %i\ncheck set %Q\ncheck new_column %Q, %i\nensure_columns %Q, %i\n";
    rule(
        &format!("{copied}%m = copy 2\n%x = column %Q, %m"),
        "`check index %m, columns %Q` is not established",
        &format!("{copied}%x = column %Q, %m"),
    );
    // This also holds if the number is checked under one name and the column created under the
    // other, with a loop in between.
    let checked = "%m = copy %i\nwhile @1 {\n} test true {\nprint %m\nbreak @1\n}\ncheck set %Q\n\
                   check new_column %Q, %i\ncheck size rows %Q, length %Y\n";
    rule(
        &format!("{checked}%m = copy 2\nensure_columns %Q, %m\nput_column %Q, %i, %Y"),
        "`check index %i, columns %Q` is not established",
        &format!("{checked}ensure_columns %Q, %m\nput_column %Q, %i, %Y"),
    );
    // A growing table keeps its columns but not their number.
    rule(
        "%t = copy %T\ncheck index %i, columns %t\ncheck size columns %t, length %v
         check index %n, rows %t\nensure_columns %t, 9\n%x = column %t, %i\nput_row %t, %n, %v",
        "`check size columns %t, length %v` is not established",
        "%t = copy %T\nensure_columns %t, 9\ncheck index %n, rows %t
         check size columns %t, length %v\nput_row %t, %n, %v",
    );
}

#[test]
fn facts_are_invalidated_by_writes() {
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
    // In a loop, later writes in the body count, too.
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
