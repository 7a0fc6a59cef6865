//! Rules 11 and 12 in loops: facts at the head of every iteration.

use super::{messages, passes, program, rule};

/// Puts a loop body that reads `%x` first into each kind of loop; `%x` is set before the loop.
fn iterations(body: &str) -> Vec<String> {
    let inside = format!("print %x\n{body}\n");
    vec![
        format!("%x = copy %Y\nwhile @1 {{\n}} test %b {{\n{inside}}}"),
        format!("%x = copy %Y\nwhile @1 {{\n{inside}}} test %b {{\n}}"),
        format!("%x = copy %Y\nfor @1 %m = 1 to %n {{\n{inside}}}"),
        format!("%x = copy %Y\nforeach @1 %m in %X {{\n{inside}}}"),
    ]
}

/// Checks that the first body leaves `%x` unset for the next iteration and the second one does not.
#[track_caller]
fn iteration_rule(bad: &str, good: &str) {
    for (bad, good) in iterations(bad).iter().zip(iterations(good)) {
        rule(bad, "`%x` may be unset here", &good);
    }
}

#[test]
fn variables_set_in_every_iteration_are_set_at_the_head() {
    iteration_rule("adapt %x, 3", "adapt %x, 3\n%x = copy %Y");
    iteration_rule("call 3 \"V\" (move %x)", "call 3 \"V\" (move %x)\n%x = copy %Y");
    iteration_rule("%x = copy %Y\nadapt %x, 3", "adapt %x, 3\ncheck set %x");
    iteration_rule("call 6 \"R\" (ref %x)", "call 6 \"R\" (ref %x)\n%x = copy %Y");
    iteration_rule(
        "forall @2 %j = 1 to 3 privates [%x] {\n}",
        "forall @2 %j = 1 to 3 privates [%x] {\n}\n%x = copy %Y",
    );
}

#[test]
fn variables_must_be_set_on_every_path_to_the_end() {
    let both = "adapt %x, 3\nif %b {\n%x = copy %Y\n} else {\n%x = copy %X\n}";
    iteration_rule(&both.replace("%x = copy %X", ""), both);
    // No iteration follows a `break` or an `exit`.
    let early = |leave: &str| format!("adapt %x, 3\nif %b {{\n{leave}\n}}\n%x = copy %Y");
    for leave in ["break @1", "exit"] {
        for (bad, good) in iterations(&early("continue @1")).iter().zip(iterations(&early(leave))) {
            // In the head of a `while` there is no iteration to continue.
            if !bad.contains("} test %b {\n}") {
                rule(bad, "`%x` may be unset here", &good);
            }
        }
    }
    iteration_rule(
        "adapt %x, 3\nblock @2 {\nif %b {\nbreak @2\n}\n%x = copy %Y\n}",
        "adapt %x, 3\nblock @2 {\n%x = copy %Y\nif %b {\nbreak @2\n}\n}",
    );
    // The code after these is unreachable.
    iteration_rule(
        "block @2 {\nadapt %x, 3\nbreak @2\n%x = copy %Y\n}",
        "block @2 {\nbreak @2\nadapt %x, 3\n}",
    );
}

#[test]
fn an_inner_loop_may_have_no_iterations() {
    let inner = |body: &str| format!("while @2 {{\n}} test %b {{\n{body}\n}}");
    iteration_rule(
        &format!("adapt %x, 3\n{}", inner("%x = copy %Y")),
        &format!("adapt %x, 3\n{}\n%x = copy %Y", inner("")),
    );
    iteration_rule(&inner("adapt %x, 3"), &inner("adapt %x, 3\n%x = copy %Y"));
    // A `break` keeps the current state.
    iteration_rule(
        &inner("adapt %x, 3\nif %b {\nbreak @2\n}\n%x = copy %Y"),
        &inner("adapt %x, 3\n%x = copy %Y\nif %b {\nbreak @2\n}"),
    );
    // From an inner loop to the next iteration of the outer one.
    iteration_rule(
        &inner("adapt %x, 3\nif %b {\ncontinue @1\n}\n%x = copy %Y").replace("%x = copy %Y", ""),
        &inner("adapt %x, 3\n%x = copy %Y"),
    );
}

#[test]
fn calls_set_the_variables_that_they_promise_to_set() {
    let call = "%j = call 1 \"G\" (value %Y, ref %x)";
    let promise = |text: &str| {
        text.replace("ref %b: slice[?]) ->", "ref set %b: slice[?]) ->")
            .replace("%r = count %a !0", "%b = copy %a !0\n  %r = count %a !0")
    };
    for body in iterations(call) {
        let text = program(&body);
        assert_eq!(messages(&text), ["`%x` may be unset here"], "{text}");
        assert!(messages(&promise(&text)).is_empty(), "{text}");
    }
}

#[test]
fn deeply_nested_loops_verify_fast() {
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
fn an_inner_loop_ends_after_its_head() {
    let inner = |head: &str, test: &str, body: &str| {
        format!("while @2 {{\n{head}\n}} test {test} {{\n{body}\n}}")
    };
    // Variables that the head unsets are unset after the loop, although the body sets them again.
    iteration_rule(
        &inner("adapt %x, 3", "%b", "%x = copy %Y"),
        &inner("adapt %x, 3\n%x = copy %Y", "%b", ""),
    );
    // With a test that is always true, a `break` is the only exit.
    let endless = |body: &str| format!("adapt %x, 3\n{}", inner("", "true", body));
    let leave = "if %b {\nbreak @2\n}";
    iteration_rule(
        &endless(&format!("{leave}\n%x = copy %Y")),
        &endless(&format!("%x = copy %Y\n{leave}")),
    );
    // Without an exit, the outer loop has no other iteration.
    iteration_rule(&endless(leave), &endless("adapt %x, 3"));
}
