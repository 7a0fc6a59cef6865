//! Rule 10: kernels.

use super::{messages, program};

/// A kernel without faults: values of every kind, effects of every kind, and a guard.
const KERNEL: &str = "kernel columns %T !0 {
    guard index %j, columns %T
    cost 2
    0 = line %T
    1 = whole %X
    2 = index
    3 = or 0 1
    4 = count 3
    5 = lt 4 2
    6 = component %X
    7 = not 5
    8 = scalar %n
    store %U 3
    reduce add %i 4 when 5
    put %Z 6 when 7
    cost 1 when 5
  } fallback {
    forall @1 %j = 1 to %n writes [column %U, component %Z] privates [%m] reductions [add %i] !0 {
    }
  }";

/// A kernel in order without faults.
const IN_ORDER: &str = "kernel columns %T !0 {
    guard index %j, columns %T
    cost 2
    0 = carried %Y
    1 = line %T
    2 = index
    3 = scalar %n
    4 = add 2 3
    5 = line %T at 4
    6 = component %w
    7 = scalar 1
    8 = eq 6 7
    9 = select 8 1 5
    10 = and 9 0
    store %U 10
    result %Y 10
    cost 1 when 8
  } fallback {
    for @1 %j = 1 to %n !0 {
      check index %j, columns %U !0
      %x = column %U, %j !0
      put_column %U, %j, %x !0
      %Y = copy %x !0
      %m = copy 1 !0
    }
  }";

/// Returns the messages about the kernel with another text for a part of it.
fn changed(part: &str, by: &str) -> Vec<String> {
    changed_in(KERNEL, part, by)
}

fn changed_in(kernel: &str, part: &str, by: &str) -> Vec<String> {
    assert_eq!(kernel.matches(part).count(), 1, "{part}");
    messages(&program("cost 99").replace("cost 99 !0", &kernel.replace(part, by)))
}

#[test]
fn a_kernel_without_faults_passes() {
    let none: Vec<String> = Vec::new();
    assert_eq!(changed("cost 2", "cost 3"), none);
    assert_eq!(changed("when 7", ""), none);
    assert_eq!(changed("8 = scalar %n", "8 = scalar %b"), none);
    assert_eq!(changed("guard index %j, columns %T", "guard bit %n"), none);
    for limit in ["%n", "7", "length %Z"] {
        assert_eq!(changed("index %j, columns %T", &format!("index %j, {limit}")), none);
    }
}

#[test]
fn kernel_values_are_computed_from_earlier_values_of_their_kinds() {
    for (part, by, message) in [
        ("columns %T !0 {", "columns %X !0 {", "`%X` is not a table"),
        ("line %T", "line %X", "`%X` is not a table"),
        ("whole %X", "whole %n", "`%n` is not a slice or word"),
        ("component %X", "component %n", "`%n` is not a slice or word"),
        ("scalar %n", "scalar %s", "`%s` is not an integer or boolean"),
        ("scalar %n", "scalar \"x\"", "a string in a kernel"),
        ("or 0 1", "or 0 9", "value 9 of a kernel is used before it is computed"),
        ("or 0 1", "or 0 3", "value 3 of a kernel is used before it is computed"),
        (
            "or 0 1",
            "or 0 2",
            "value 2 of a kernel: expected operands of one kind, bits or booleans",
        ),
        ("count 3", "count 2", "value 2 of a kernel: expected bits"),
        ("lt 4 2", "lt 4 1", "value 4 of a kernel: expected integers"),
        ("not 5", "not 4", "value 4 of a kernel: expected bits or a boolean"),
    ] {
        let found = changed(part, by);
        assert_eq!(found.first().map(String::as_str), Some(message), "{part}: {found:?}");
    }
}

#[test]
fn kernel_values_from_outside_are_the_same_in_all_iterations() {
    let different =
        |name: &str| vec![format!("`{name}` is not the same in all iterations of a kernel")];
    assert_eq!(changed("whole %X", "whole %Z"), different("%Z"));
    assert_eq!(changed("component %X", "component %Z"), different("%Z"));
    for name in ["%i", "%j", "%m"] {
        assert_eq!(changed("scalar %n", &format!("scalar {name}")), different(name));
    }
    for name in ["%i", "%j", "%m"] {
        for guard in [format!("bit {name}"), format!("index %j, {name}")] {
            assert_eq!(changed("index %j, columns %T", &guard), different(name), "{guard}");
        }
    }
    // Effects do not change sizes.
    for guard in ["set %i", "size columns %U, length %Z"] {
        assert_eq!(changed("index %j, columns %T", guard), Vec::<String>::new(), "{guard}");
    }
}

#[test]
fn kernel_effects_have_the_kinds_of_their_variables() {
    for (part, by, message) in [
        ("store %U 3", "store %U 4", "value 4 of a kernel: expected bits"),
        ("%i 4 when 5", "%i 3 when 5", "value 3 of a kernel: expected an integer"),
        ("%i 4 when 5", "%i 4 when 4", "value 4 of a kernel: expected a boolean"),
        ("put %Z 6", "put %Z 7", "value 7 of a kernel: expected an integer"),
        ("cost 1 when 5", "cost 1 when 3", "value 3 of a kernel: expected a boolean"),
        ("reduce add", "reduce xor", "`%i` has another kind than its reduction"),
    ] {
        let found = changed(part, by);
        assert_eq!(found.first().map(String::as_str), Some(message), "{part}: {found:?}");
    }
}

#[test]
fn kernel_guards_hold_in_all_iterations_or_in_none() {
    let message = "a guard that does not hold in all iterations at once";
    for guard in ["index %n, columns %T", "add %n, 1", "sized %R"] {
        assert_eq!(changed("index %j, columns %T", guard), [message], "{guard}");
    }
}

#[test]
fn the_fallback_of_a_kernel_is_a_forall_that_declares_its_effects() {
    let undeclared = |name: &str| {
        vec![format!("the fallback of the kernel does not declare its effect on `{name}`")]
    };
    assert_eq!(changed("column %U,", "row %U,"), undeclared("%U"));
    assert_eq!(changed("store %U", "store %Q"), undeclared("%Q"));
    assert_eq!(changed("put %Z", "put %R"), undeclared("%R"));
    assert_eq!(changed("reductions [add %i]", "reductions [max %i]"), undeclared("%i"));
    let message = "the fallback of a kernel is not one `forall` or `for`";
    assert_eq!(changed("fallback {", "fallback {\n cost 1 !0"), [message]);
    let inner = KERNEL.replace("@1", "@2").replace("%j", "%e").replace("%m", "%e");
    let inner = inner.replace("privates [%e]", "");
    let found = changed("reductions [add %i] !0 {", &format!("reductions [add %i] !0 {{\n{inner}"));
    assert!(found.contains(&"a kernel in the fallback of a kernel".to_owned()), "{found:?}");
}

#[test]
fn kernels_in_order_carry_slices_and_use_one_column_of_a_stored_table() {
    for (part, by) in [
        ("cost 2", "cost 3"),
        ("index %j, columns %T", "size rows %U, rows %T"),
        ("line %T at 4", "line %T at 2"),
        ("store %U 10", "store %U 10 at 4"),
        ("result %Y", "carry %Y"),
        ("= 1 to %n", "= %n downto 1"),
    ] {
        assert_eq!(changed_in(IN_ORDER, part, by), Vec::<String>::new(), "{by}");
    }
    let different = |name: &str| format!("`{name}` is not the same in all iterations of a kernel");
    let next = "expected the index plus a number";
    for (part, by, message) in [
        ("carried %Y", "carried %n", "`%n` is not a slice or word".to_owned()),
        ("carried %Y", "carried %X", "`%X` is carried and not set".to_owned()),
        ("line %T at 4", "line %n at 4", "`%n` is not a table".to_owned()),
        ("line %T at 4", "line %T at 3", format!("value 3 of a kernel: {next}")),
        ("store %U 10", "store %U 10 at 3", format!("value 3 of a kernel: {next}")),
        ("add 2 3", "mul 2 3", "value 4 of a kernel is not linear".to_owned()),
        ("add 2 3", "add 2 1", "value 2 of a kernel: expected integers".to_owned()),
        ("select 8 1 5", "select 6 1 5", "value 6 of a kernel: expected a boolean".to_owned()),
        ("select 8 1 5", "select 8 1 2", "value 2 of a kernel: expected bits".to_owned()),
        ("result %Y 10", "result %Y 8", "value 8 of a kernel: expected bits".to_owned()),
        ("component %w", "component %Y", different("%Y")),
        ("scalar %n", "scalar %m", different("%m")),
        ("index %j, columns %T", "index %j, %m", different("%m")),
        ("index %j, columns %T", "size length %x, rows %T", different("%x")),
        (
            "store %U 10",
            "store %T 10",
            "an iteration stores to `%T` and uses another column of it".to_owned(),
        ),
        (
            "store %U 10",
            "store %Q 10",
            "the fallback of the kernel does not change `%Q`".to_owned(),
        ),
        ("store %U 10", "", "the kernel does not change `%U` as its fallback does".to_owned()),
        (
            "cost 1 when 8",
            "reduce add %k 2",
            "a value or effect that is not in kernels in order".to_owned(),
        ),
        ("component %w", "count 1", "a value or effect that is not in kernels in order".to_owned()),
        ("kernel columns", "kernel rows", "a kernel in order over rows".to_owned()),
    ] {
        let found = changed_in(IN_ORDER, part, by);
        assert_eq!(found.first(), Some(&message), "{by}: {found:?}");
    }
    for value in ["carried %X", "line %T at 2", "select 5 0 1", "add 2 4"] {
        let found = changed("or 0 1", value);
        let message = "a value or effect that is only in kernels in order";
        assert!(found.contains(&message.to_owned()), "{value}: {found:?}");
    }
}
