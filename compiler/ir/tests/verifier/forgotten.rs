//! Facts that the verifier must forget: a fact that outlives its foundation admits an operation
//! whose guard does not hold. Each of these programs was admitted by a mutation of the verifier
//! that no other test detected.

use super::{passes, rule};

fn not_established(check: &str) -> String {
    format!("`check {check}` is not established")
}

/// Of these two statements the first one must follow the second one, which ends its fact.
#[track_caller]
fn ends(before: &str, fact: &str, end: &str, user: &str, message: &str) {
    let bad = format!("{before}\n{fact}\n{end}\n{user}");
    let good = format!("{before}\n{end}\n{fact}\n{user}");
    rule(&bad, message, &good);
}

#[test]
fn a_value_of_the_same_size_is_another_number() {
    ends(
        "%u = copy %v\ncheck size length %u, length %w",
        "check fits_int %u",
        "%u = word_add %u, %w",
        "%j = word_to_int %u",
        &not_established("fits_int %u"),
    );
}

#[test]
fn variable_with_a_new_extent_is_unset() {
    let end = "%e = copy %i";
    ends("", "check set %E", end, "print %E", "`%E` may be unset here");
    ends(
        "",
        "check set %E\ncheck even %E",
        &format!("{end}\ncheck set %E"),
        "%x = shuffle %E",
        &not_established("even %E"),
    );
    // Also in a loop that gives it the extent.
    let iterations = |before: &str, inside: &str| {
        format!("{before}\nwhile @1 {{\n}} test %b {{\n{inside}\n%e = copy 3\n}}")
    };
    rule(
        &iterations("check set %E", "print %E"),
        "`%E` may be unset here",
        &iterations("", "check set %E\nprint %E"),
    );
    rule(
        &iterations("check set %E\ncheck even %E", "check set %E\n%x = shuffle %E"),
        &not_established("even %E"),
        &iterations("", "check set %E\ncheck even %E\n%x = shuffle %E"),
    );
}

#[test]
fn growth_of_a_table_changes_its_columns() {
    let known = "check size columns %Q, 3";
    let user = "put_row %Q, 1, %u";
    let message = not_established("size columns %Q, length %u");
    let before = "check set %Q\n%u = literal '101'\ncheck index 1, rows %Q";
    ends(before, known, "ensure_columns %Q, 5", user, &message);
    rule(
        &format!("{before}\n{known}\nfor @1 %j = 1 to 2 {{\n{user}\nensure_columns %Q, 5\n}}"),
        &message,
        &format!("{before}\nfor @1 %j = 1 to 2 {{\n{known}\n{user}\nensure_columns %Q, 5\n}}"),
    );
    // The columns of a missing table agree with every number.
    ends(
        "%u = literal '101'",
        known,
        "init %Q, 4, 2",
        &format!("check index 1, rows %Q\n{user}"),
        &message,
    );
    ends(
        "%u = literal '101'",
        known,
        "set_rows %Q, 4",
        &format!("check index 1, rows %Q\n{user}"),
        &message,
    );
    passes("init %Q, 4, 2\nprint %Q");
    rule(
        "check set %Q\nensure_columns %Q, length %R",
        &not_established("sized %R"),
        "check set %Q\ncheck sized %R\nensure_columns %Q, length %R",
    );
}

#[test]
fn adapt_invalidates_all_facts() {
    ends(
        "",
        "check set %R\ncheck even %R",
        "adapt %R, 3\ncheck set %R",
        "%x = shuffle %R",
        &not_established("even %R"),
    );
}

#[test]
fn recomputed_number_is_a_different_one() {
    let before = "%x = copy %Y\n%m = copy 1";
    let known = "check index %m, columns %T";
    let user = "%y = column %T, %m";
    let message = not_established("index %m, columns %T");
    for end in ["%m = step %x", "for @1 %m = 1 to 3 {\n}"] {
        // After a loop it may be unset if it was unset before; here it was not.
        ends(before, known, end, user, &message);
    }
    rule(
        &format!("{before}\n{known}\nfor @1 %m = 1 to %n {{\n{user}\n}}"),
        &message,
        &format!("{before}\nfor @1 %m = 1 to %n {{\n{known}\n{user}\n}}"),
    );
    // Each of them is set and not negative.
    passes("%x = copy %Y\n%m = step %x\nprint %m\n%y = fill %m, true");
    passes("for @1 %j = 0 to %n {\n%x = fill %j, true\n}");
    rule(
        "for @1 %j = -1 to %n {\n%x = fill %j, true\n}",
        &not_established("not_negative %j"),
        "for @1 %j = -1 to %n {\ncheck not_negative %j\n%x = fill %j, true\n}",
    );
    passes("forall @1 %j = 1 to %n privates [%m] {\n%m = component %X, %j\n}");
    passes("latch %e, length %Y\nfix %E, %e");
}

#[test]
fn private_variables_begin_and_end_unset() {
    rule(
        "%x = copy %Y\ncheck even %x\nforall @1 %j = 1 to 2 privates [%x, %y] {\n\
         check set %x\n%y = shuffle %x\n}",
        &not_established("even %x"),
        "%x = copy %Y\nforall @1 %j = 1 to 2 privates [%x, %y] {\n\
         check set %x\ncheck even %x\n%y = shuffle %x\n}",
    );
}

#[test]
fn sum_check_is_optional_only_inside_its_loop() {
    let forall = "%m = copy 0\nforall @1 %j = 1 to 2 reductions [add %m] {\n%m = add %m, %j\n}";
    rule(
        &format!("{forall}\n%m = add %m, 5"),
        &not_established("add %m, 5"),
        &format!("{forall}\ncheck add %m, 5\n%m = add %m, 5"),
    );
}

#[test]
fn break_leaves_the_named_block() {
    for inner in [
        "for @1 %j = 1 to 3 {\n}",
        "foreach @1 %j in %X {\n}",
        "while @1 {\n} test %b {\n}",
        "block @1 {\n}",
    ] {
        let text = |first: &str, second: &str| {
            let leave = "if %b {\nbreak @2\n}";
            format!("block @2 {{\n{inner}\n{first}\n{leave}\n{second}\n}}\nprint %m")
        };
        let set = "%m = copy 1";
        rule(&text("", set), "`%m` may be unset here", &text(set, ""));
    }
}

#[test]
fn facts_of_one_branch_are_forgotten() {
    let branch = |check: &str, user: &str| {
        [
            format!("if %b {{\n{check}\n}}\n{user}"),
            format!("if %b {{\n}} else {{\n{check}\n}}\n{user}"),
        ]
    };
    for (check, user, message) in [
        ("check even %Y", "%x = shuffle %Y", not_established("even %Y")),
        ("check sized %R", "%j = length %R", not_established("sized %R")),
    ] {
        for bad in branch(check, user) {
            rule(&bad, &message, &format!("{check}\n{user}"));
        }
    }
}

#[test]
fn facts_about_an_extent_outlive_its_variable() {
    passes("check index %i, length %X\n%j = component %Z, %i");
    passes(
        "%K = literal '010101'\ncheck size length %Y, length %K\n%K = literal '111111'\n\
         %x = shuffle %Y",
    );
    passes(
        "%L = literal '010101'\ncheck range %i, 2, length %L\n%L = literal '111111'\n%u = copy %L\n\
         %u = trim %u, %i, 2",
    );
}

#[test]
fn a_change_in_place_keeps_sizes() {
    passes("%x = fill 6, true\nput %x, 1, 1\n%y = shuffle %x");
    passes("check set %k\ncheck range %i, %k, length %v\ncheck size %k, 5\n%u = trim %v, %i, 5");
}

#[test]
fn difference_is_forgotten_with_its_variable() {
    let text = |between: &str| {
        format!(
            "check sub %i, 1\n%m = sub %i, 1\n{between}check sub %n, %m\n%j = sub %n, %m\n\
             check range %m, %j, %n\n%x = mask %n, %i, %n"
        )
    };
    rule(&text("%m = copy 0\n"), "it is not established that the ones are inside", &text(""));
}

#[test]
fn a_fault_is_reported_once() {
    let column = "%x = column %T, %i";
    rule(
        &format!("{column}\n{column}"),
        &not_established("index %i, columns %T"),
        &format!("check index %i, columns %T\n{column}\n{column}"),
    );
    for (by, check) in [("0", "div %i, 0"), ("-1", "div %i, -1")] {
        let divide = format!("%j = div %i, {by}");
        rule(&divide, &not_established(check), &format!("check {check}\n{divide}"));
    }
    passes("%j = div %i, 2");
}
