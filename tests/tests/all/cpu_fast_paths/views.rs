//! Fields of a table that are views, and similar fields that are not.

use star_tests::run::{LIMITS, Program};
use star_value::Value;

use super::{CPUS, slice, table};

/// Builds a loop that takes the fields of T one by one and reads columns of them; `statement` does
/// something else with the field.
fn fields(statement: &str) -> String {
    format!(
        "procedure inner(P: table(n,h); X: slice(n); var F: table(n,h));
         begin
           TMERGE(P,X,F);
         end;
         procedure walk(T: table(n); h,iterations: integer; X: slice(n); var F: table(n,h);
                        var Z: slice(n));
         var A,B: table(n,h); D: table; Y: slice(n); w: word; k,l: integer;
         begin
           CLR(Z);
           for l:=1 to iterations do
           begin
             k:=(l*5) mod (size(T) div h)+1;
             TCOPY1(T,k,h,A);
             assert(SOME(COL(1,A)) or (l<9),\"a field\");
             for k:=1 to size(A) do
             begin
               Y:=COL(k,A) xor Z; Z:=(Z and X) or Y;
             end;
             Y:=COL(h,A);
             {statement}
           end;
         end;"
    )
}

fn arguments(n: usize, h: usize, iterations: i64) -> Vec<Value> {
    vec![
        table(n, 7 * h + 1, 5),
        Value::Int(h as i64),
        Value::Int(iterations),
        slice(n, 3),
        table(n, h, 9),
        Value::Unset,
    ]
}

#[test]
fn fields_with_only_column_reads_are_views() {
    for statement in ["", "Z:=Z or Y;", "if l=4 then TCOPY1(T,2,h,A); Z:=Z xor COL(1,A);"] {
        let program = Program::new(&fields(statement));
        for (n, h) in [(70, 3), (3000, 24), (5000, 24)] {
            let agreement = program.agree("walk", arguments(n, h, 12), LIMITS);
            let n_views = agreement.optimised("cpu").field_views;
            if n < 3000 {
                assert_eq!(n_views, 0, "short ones are copied: {statement}");
            } else {
                assert!((12..=13).contains(&n_views), "{n_views}: {statement}");
                let forms = agreement.optimised("cpu-forms");
                assert!(forms.field_views > 0 && forms.forms_changed > 0, "{statement}");
            }
        }
    }
}

#[test]
fn a_trap_shows_a_view_as_a_table() {
    for statement in ["assert(ZERO(COL(2,A)),\"shown\");", "Y:=COL(l*3,A);", "w:=ROW(n+1,F);"] {
        let program = Program::new(&fields(statement));
        let agreement = program.agree("walk", arguments(3000, 24, 12), LIMITS);
        assert!(agreement.optimised("cpu").field_views > 0, "{statement}");
    }
}

#[test]
fn fields_with_other_uses_are_copied() {
    for statement in [
        // The field is read other than by columns, or it changes, or another operation uses it.
        "w:=ROW(3,A); Y(1):=w(1);",
        "MIN(A,X,Z);",
        "COL(1,A):=X;",
        "ROW(2,F):=ROW(1,A);",
        "B:=A; Z:=Z xor COL(2,B);",
        "print(A);",
        "F:=A;",
        "TCOPY1(A,1,1,B); TCOPY1(B,1,1,A);",
        // The table that contains the field changes, or its rows are read.
        "COL(l,T):=Y;",
        "TCOPY2(F,1,h,T);",
        "w:=ROW(1,T); Z(1):=w(1);",
        "D:=T; T:=D;",
        "D:=T; COL(1,D):=X;",
    ] {
        let program = Program::new(&fields(statement));
        let agreement = program.agree("walk", arguments(3000, 24, 12), LIMITS);
        for machine in CPUS {
            let paths = agreement.optimised(machine);
            assert_eq!(paths.field_views, 0, "{machine}, {statement}: {paths:?}");
        }
    }
}

#[test]
fn fields_are_passed_as_views_to_routines_that_read_columns() {
    let outer = |statement: &str| {
        format!(
            "procedure deep(T: table(n); i: integer; var Z: slice(n));
             begin Z:=COL(i,T); if i>1 then deep(T,i-1,Z) end;
             procedure all(T: table(n); var Z: slice(n));
             begin deep(T,size(T),Z); Z:=Z xor COL(1,T) end;
             procedure copies(T: table(n,k); var Z: slice(n));
             var F: table(n,k);
             begin F:=T; Z:=COL(1,F) end;
             procedure passes(T: table(n); var Z: slice(n));
             begin copies(T,Z) end;
             procedure writes(T: table(n); var Z: slice(n));
             begin COL(1,T):=Z; Z:=COL(2,T) end;
             procedure rows(T: table(n,k); var Z: slice(n));
             var w: word(k);
             begin CLR(Z); w:=ROW(2,T); Z(1):=w(1) end;
             procedure two(T,F: table(n); var Z: slice(n));
             begin Z:=COL(1,T) xor COL(2,F) end;
             procedure main(T: table(n); h: integer; var F: table(n,h); var Z: slice(n));
             var A,B: table(n,h); l: integer;
             begin
               CLR(Z);
               for l:=1 to 3 do begin TCOPY1(T,l,h,A); TCOPY1(T,l+1,h,B); {statement} end;
               COL(1,F):=Z
             end;"
        )
    };
    for (statement, n_views) in [
        ("all(A,Z);", 6),
        ("two(A,B,Z);", 6),
        ("two(A,A,Z);", 6),
        ("copies(A,Z);", 3),
        ("passes(A,Z);", 3),
        ("writes(A,Z);", 3),
        ("rows(A,Z);", 3),
    ] {
        let program = Program::new(&outer(statement));
        // Long columns are recorded.
        for n in [3000, 300_000] {
            let h = 12;
            let arguments =
                vec![table(n, 4 * h, 5), Value::Int(h as i64), table(n, h, 9), slice(n, 3)];
            let agreement = program.agree("main", arguments, LIMITS);
            let paths = agreement.optimised("cpu");
            assert_eq!(paths.field_views, n_views, "{statement} of {n} rows: {paths:?}");
        }
    }
}

#[test]
fn relations_of_fields_read_the_columns_of_the_table() {
    let text = "type Pair = record a,b: uint(24) end;
         procedure select(s,t: integer; var R: table(n) of Pair; var X: slice(n));
         begin X:=(R.a = s) and (R.b > t) end;";
    let program = Program::new(text);
    for n in [3000, 300_000] {
        let arguments = vec![Value::Int(5), Value::Int(100), table(n, 48, 5), slice(n, 3)];
        let agreement = program.agree("select", arguments, LIMITS);
        let paths = agreement.optimised("cpu");
        assert_eq!((paths.field_views, paths.table_copies), (2, 0), "{n} rows: {paths:?}");
    }
}
