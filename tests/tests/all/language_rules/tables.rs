//! §3: tables that grow, and tables that do not.

use star_tests::case::{call_traps, ends, traps};
use star_tests::table;
use star_value::Value;

use super::{codes, complains, runs, says};

#[test]
fn a_table_without_sizes_gets_its_rows_from_the_first_column() {
    runs(
        "T: table; i: integer;",
        "print(size(T)); COL(1,T):='011'; print(T,rows(T),size(T))",
        "0\n0\n1\n1\n31\n",
    );
}

#[test]
fn a_table_grows_by_zero_columns() {
    runs("T: table;", "COL(3,T):='01'; print(T); COL(1,T):='11'; print(T)", "000\n001\n100\n101\n");
}

#[test]
fn assigning_rows_and_bits_requires_a_table_with_rows() {
    complains(
        "program p; var T: table;\nbegin ROW(1,T):='01' end.",
        &["E0403 2:13 the table `T` has no rows yet"],
    );
    complains(
        "program p; var T: table;\nbegin T(1,1):=1 end.",
        &["E0403 2:7 the table `T` has no rows yet"],
    );
    let text = "procedure q(var T: table);\nbegin\n  ROW(1,T):='01'\nend;";
    assert_eq!(
        call_traps(text, "q", vec![Value::Unset]),
        "T0114 3:3 the size of `T` is not known yet\n\
         \x20 help: write a column first, or declare its sizes: `table(n,k)`\n"
    );
}

#[test]
fn assigning_a_row_does_not_grow_a_table() {
    let text = "program p; var T: table;\nbegin COL(2,T):='01';\n  ROW(1,T):='011' end.";
    assert_eq!(
        traps(text),
        "T0102 3:3 sizes differ: `T` has 2 columns, 3 components\n  note: T = 2 × 2, 1 one\n"
    );
}

#[test]
fn tables_grow_through_var_parameters_too() {
    says(
        "program p; var T: table; begin q(T,1); q(T,3); print(T); r(T); s(T); print(size(T)) end.
         procedure q(var F: table; j: integer); begin COL(j,F):='10' end;
         procedure r(var F: table(n,k)); begin print(size(F),k,n) end;
         procedure s(var G: table(n)); begin q(G,4); q(G,5); print(n) end;",
        "101\n000\n332\n2\n5\n",
    );
}

#[test]
fn sized_tables_never_grow_through_any_reference() {
    let text = "program p; var T: table(2,3);\nbegin q(T) end.
        procedure q(var F: table);\nbegin\n  COL(4,F):='10'\nend;";
    assert_eq!(
        traps(text),
        "T0101 5:3 index 4 outside 1..3 of the columns of `F`\n  \
         at 2:7: in `q`, called here\n  note: F = 2 × 3, 0 ones\n"
    );
    // The same holds for sized tables passed from outside.
    let text = "procedure q(var F: table);\nbegin\n  COL(3,F):='10'\nend;";
    let given = Value::from(table(&["01", "10"]));
    assert_eq!(
        call_traps(text, "q", vec![given]),
        "T0101 3:3 index 3 outside 1..2 of the columns of `F`\n  note: F = 2 × 2, 2 ones\n"
    );
    let grown = ends(text, "q", vec![Value::Unset]);
    assert_eq!(grown[0], Value::from(table(&["001", "000"])));
}

#[test]
fn a_parameter_with_columns_does_not_grow_an_unsized_table() {
    let text = "procedure p(k: integer; var T: table(4,k));\nvar U: table(4,k);
begin\n  COL(k+1,T):='1111'; U:=T\nend;";
    assert_eq!(
        call_traps(text, "p", vec![Value::Int(3), Value::Unset]),
        "T0101 4:3 index 4 outside 1..3 of the columns of `T`\n  note: T = 4 × 3, 0 ones\n        k = 3\n"
    );
    let text = "program p; var T: table;\nbegin COL(2,T):='11'; q(T); COL(3,T):='11'; q(T) end.
procedure q(var F: table(2,k));\nbegin\n  COL(k+1,F):='11'\nend;";
    assert_eq!(
        traps(text),
        "T0101 5:3 index 3 outside 1..2 of the columns of `F`\n  \
         at 2:23: in `q`, called here\n  note: F = 2 × 2, 2 ones\n        k = 2\n"
    );
    let text = "procedure p(F: table(n,k); var T: table(n,k));\nbegin\n  TCOPY2(F,2,k,T)\nend;";
    let given = Value::from(table(&["01", "10"]));
    assert_eq!(
        call_traps(text, "p", vec![given, Value::Unset]),
        "T0106 3:3 the part 3..4 is not inside 1..2 of the columns of `T`\n  \
         note: T = 2 × 2, 0 ones\n        F = 2 × 2, 2 ones\n        k = 2\n"
    );
}

#[test]
fn sized_tables_are_initially_zero() {
    runs(
        "T: table(2,3);",
        "print(T); T(1,2):=1; ROW(2,T):='101'; print(T)",
        "000\n000\n010\n101\n",
    );
    runs(
        "T: table(2,3); F: table(T);",
        "print(rows(F),size(F)); COL(3,F):='11'; print(F)",
        "23\n001\n001\n",
    );
}

#[test]
fn whole_tables_are_assigned_with_their_sizes() {
    runs(
        "T,F: table; A: table(2,1);",
        "COL(1,T):='01'; F:=T; COL(2,T):='11'; print(F); A:=F; T:=A; print(T,size(T))",
        "0\n1\n0\n1\n1\n",
    );
    let text = "procedure q(T: table);\nvar A: table(2,1);\nbegin\n  A:=T\nend;";
    assert_eq!(
        call_traps(text, "q", vec![Value::from(table(&["01", "10"]))]),
        "T0102 4:3 sizes differ: `T` has 2 columns, expected 1\n  \
         note: T = 2 × 2, 2 ones\n"
    );
}

#[test]
fn a_column_with_a_different_number_of_rows_traps() {
    let text =
        "procedure q(X: slice; var T: table);\nbegin\n  COL(1,T):=X;\n  COL(2,T):='01'\nend;";
    let args = vec![Value::Slice(star_tests::bits("011")), Value::Unset];
    assert_eq!(
        call_traps(text, "q", args),
        "T0102 4:3 sizes differ: `T` has 3 rows, 2 components\n  note: T = 3 × 1, 2 ones\n"
    );
}

#[test]
fn a_header_with_sizes_gives_an_unsized_table_those_sizes() {
    says(
        "program p; var R: table; begin q('011',2,R); print(R) end.
         procedure q(X: slice(n); k: integer; var R: table(n,k)); begin COL(2,R):=X end;",
        "00\n01\n01\n",
    );
    assert_eq!(codes("procedure q(var T: table(2,3)); begin T(1,4):=1 end;"), Vec::<String>::new());
}

#[test]
fn a_loop_may_copy_a_table_before_it_changes_it() {
    says(
        "program p; var T,U: table(2,2); begin q('11',T,U); print(U,T) end.
         procedure q(P: slice(n); var T: table(n,n); var U: table);
         var V: table; i: integer; X: slice;
         begin
           X:=P; V:=T;
           while X<>Θ do begin i:=STEP(X); V:=T; COL(i,T):=P end;
           U:=V
         end;",
        "10\n10\n11\n11\n",
    );
}
