//! §4: an index outside its range, 0 included, traps; so does a component value other than 0 and 1.

use star_tests::case::{call_traps, traps};
use star_tests::{bits, table};
use star_value::Value;

use super::{codes, runs};

/// Runs a statement with an index `i` on a slice X, a word w and a table T, and returns its trap.
fn with_index(statement: &str, i: i64) -> String {
    let text = format!(
        "procedure q(i: integer; var X: slice; var w: word; var T: table);\n\
         var c: integer;\nbegin\n  {statement}\nend;"
    );
    let args = vec![
        Value::Int(i),
        Value::Slice(bits("011")),
        Value::Word(bits("10")),
        Value::from(table(&["01", "11", "00"])),
    ];
    call_traps(&text, "q", args)
}

#[test]
fn zero_negative_and_too_large_indices_trap_everywhere() {
    for (statement, column, high, of) in [
        ("c:=X(i)", 6, 3, "`X`"),
        ("X(i):=1", 3, 3, "`X`"),
        ("c:=w(i)", 6, 2, "`w`"),
        ("w(i):='0'", 3, 2, "`w`"),
        ("X:=COL(i,T)", 3, 2, "the columns of `T`"),
        ("COL(i,T):=X", 3, 2, "the columns of `T`"),
        ("w:=ROW(i,T)", 3, 3, "the rows of `T`"),
        ("ROW(i,T):=w", 3, 3, "the rows of `T`"),
        ("c:=T(i,1)", 6, 3, "the rows of `T`"),
        ("c:=T(1,i)", 6, 2, "the columns of `T`"),
        ("T(i,2):=1", 3, 3, "the rows of `T`"),
        ("T(3,i):=1", 3, 2, "the columns of `T`"),
    ] {
        for i in [0, -1, high + 1, i64::MAX, i64::MIN] {
            let trap = with_index(statement, i);
            let expected = format!("T0101 4:{column} index {i} outside 1..{high} of {of}\n");
            assert!(trap.starts_with(&expected), "{statement}: {trap}");
            assert!(trap.contains(&format!("i = {i}")), "{statement}: {trap}");
        }
    }
}

#[test]
fn traps_show_the_values_at_the_operation() {
    assert_eq!(
        with_index("c:=T(i,1)", 4),
        "T0101 4:6 index 4 outside 1..3 of the rows of `T`\n  \
         note: T = 3 × 2, 3 ones\n        i = 4\n"
    );
    assert_eq!(
        with_index("X(i):=1", 0),
        "T0101 4:3 index 0 outside 1..3 of `X`\n  note: X = 011\n        i = 0\n"
    );
}

#[test]
fn the_zero_returned_by_fnd_is_not_a_valid_index() {
    let text = "program p; var X,Y: slice(3);\nbegin CLR(X); SET(Y);\n  Y(FND(X)):=0 end.";
    assert_eq!(
        traps(text),
        "T0101 3:3 index 0 outside 1..3 of `Y`\n  note: Y = 111\n        X = 000\n"
    );
    let text = "program p; var X: slice; T: table(3,3); i: integer;
begin X:='000'; i:=STEP(X);\n  X:=COL(i,T) end.";
    assert_eq!(
        traps(text),
        "T0101 3:3 index 0 outside 1..3 of the columns of `T`\n  \
         note: T = 3 × 3, 0 ones\n        i = 0\n"
    );
}

#[test]
fn components_accept_zeros_and_ones_in_four_spellings() {
    runs(
        "X: slice(4); w: word(2); i: integer; T: table(1,2);",
        "CLR(X); CLR(w); X(1):=1; X(2):='1'; X(3):=X(1); w(1):=X(4); w(2):='1'; X(2):='0';
         T(1,2):='1'; T(1,1):=T(1,2); i:=X(1)+X(3)*2; print(X,w,i,T);
         if (X(1)=1) and (X(2)='0') and (X(3)=X(1)) then print(\"yes\")",
        "1010013\n11\nyes\n",
    );
    assert!(with_index("X(1):=i", 2).starts_with("T0107 4:3 a component is 0 or 1, not 2\n"));
    assert!(with_index("T(1,1):=i-8", 2).starts_with("T0107 4:3 a component is 0 or 1, not -6\n"));
    assert_eq!(codes("program p; var X: slice(1); begin X(1):='10' end."), ["E0301"]);
}

#[test]
fn a_component_is_not_a_condition() {
    let text = "program p; var X: slice(2);\nbegin SET(X); if X(1) then print(1) end.";
    assert_eq!(
        super::rendered(&[("test.star", text)]),
        "E0307 2:18 a component is 0 or 1, not a condition\n  \
         fix 2:22-2:22 write `= 1` => \" = 1\"\n"
    );
    for test in ["not X(1)", "(X(2)=1) or X(1)"] {
        let text =
            format!("program p; var X: slice(2); begin SET(X); if {test} then print(1) end.");
        assert_eq!(codes(&text), ["E0307"], "{test}");
    }
}

#[test]
fn word_parts_must_be_within_the_word() {
    assert_eq!(
        with_index("w:=TRIM(1,i,w)", 3),
        "T0106 4:3 the part 1..3 is not inside 1..2 of `w`\n  note: i = 3\n        w = 10\n"
    );
    for (statement, i) in [
        ("w:=TRIM(i,1,w)", 2),
        ("w:=TRIM(i,2,w)", 0),
        ("w:=TRIM(2,i,w)", 1),
        ("w:=TRIM(2,i,w)", 0),
        ("REP(2,i,'',w)", 1),
        ("REP(i,i,'1',w)", 3),
        ("X:=MASK(X,i,4)", 4),
    ] {
        let trap = with_index(statement, i);
        assert!(trap.starts_with("T0106 4:"), "{statement}: {trap}");
    }
}

#[test]
fn only_convert_makes_slices_from_words() {
    assert_eq!(codes("procedure q(var X: slice; w: word); begin X:=w end;"), ["E0301"]);
    assert_eq!(codes("procedure q(var X: slice; w: word); begin X:=X and w end;"), ["E0301"]);
    assert_eq!(codes("procedure q(var X: slice; T: table); begin X:=ROW(1,T) end;"), ["E0301"]);
    assert_eq!(codes("procedure q(X: slice); begin print(EQ(X,X)) end;"), ["E0301", "E0301"]);
    assert_eq!(codes("procedure q(X: slice); begin STEP(X); print(STEP('01')) end;"), ["E0303"]);
}
