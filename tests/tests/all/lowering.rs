//! Correctness of lowering where control flow, sizes and effects meet.

use star_compiler::LowerOptions;
use star_tests::case::{call_traps, ends, prints, traps, traps_with};
use star_tests::{bits, table};
use star_value::Value;

/// Returns the trap's code and message.
fn trap(text: &str) -> String {
    traps(text).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_check_before_a_branch_does_not_hold_after_a_call_in_it() {
    // P may leave X unset, so the check before the loop does not cover its second iteration.
    let text = "procedure P(var Z: slice(n); n: integer); begin end;
        program M; var X: slice; c: boolean; i: integer;
        begin
          c := true; if c then X := '101';
          if SOME(X) then c := true;
          for i := 1 to 2 do begin if SOME(X) then c := false; P(X, 5) end;
        end.";
    assert!(
        trap(text).starts_with("error[T0103]") || trap(text).starts_with("T0103"),
        "{}",
        traps(text)
    );
}

#[test]
fn long_else_if_chains_are_flat_in_sir() {
    let n = 3000;
    let arms: String = (1..=n).map(|i| format!("if i = {i} then print({i}) else ")).collect();
    let text = format!("program M; var i: integer; begin i := {n}; {arms} print(0); print(i) end.");
    assert_eq!(prints(&text), format!("{n}\n{n}\n"));
}

#[test]
fn rows_from_a_callee_or_a_field_store_are_not_assumed() {
    let text = "procedure P(var T: table; A: slice); begin COL(1,T) := A end;
        procedure Q(A, B: slice; c: boolean); var T: table;
        begin P(T, A); if c then COL(1,T) := B; print(rows(T)) end;
        procedure R(V: table; B: slice; c: boolean); var T: table;
        begin TCOPY2(V, 1, 2, T); if c then COL(1,T) := B; print(COL(1,T)) end;
        program M; var V: table;
        begin
          Q('10101', '101', false);
          COL(1,V) := '10101'; COL(2,V) := '11111'; R(V, '101', false)
        end.";
    assert_eq!(prints(text), "5\n10101\n");
}

#[test]
fn a_field_of_a_parameter_determines_the_rows_of_a_table() {
    // The rows of a `var` parameter are read when it is used: it may be unset at first.
    let text = "procedure P(var V: table; var o: integer); var T: table;
        begin TCOPY2(V, 1, 2, T); o := rows(T) end;
        program M; var V: table; o: integer;
        begin COL(1,V) := '10101'; COL(2,V) := '11111'; P(V, o); print(o) end.";
    assert_eq!(prints(text), "5\n");
    let text = text.replace("COL(1,V) := '10101'; COL(2,V) := '11111'; ", "");
    assert!(trap(&text).contains("T0114"), "{}", traps(&text));
}

#[test]
fn code_after_a_repeat_that_always_exits_is_unreachable() {
    let text = "procedure P(n: integer; Y: slice; var Z: slice); var X: slice;
        begin repeat exit until n = 0; X := Y; Z := X end;
        program M; var Z: slice; begin Z := '1'; P(1, '10', Z); print(Z) end.";
    assert_eq!(prints(text), "1\n");
}

#[test]
fn machine_operations_evaluate_arguments_left_to_right() {
    let text = "function Bump(var T: table): integer; begin COL(1,T) := '111'; Bump := 1 end;
        program M; var T, G: table;
        begin COL(1,T) := '000'; TCOPY1(T, Bump(T), 1, G); print(COL(1,G)) end.";
    assert_eq!(prints(text), "000\n");
}

#[test]
fn rep_evaluates_its_value_before_it_reads_the_word() {
    let text = "function F(var w: word): integer; begin w := '1'; F := 1 end;
        program M; var w: word; begin w := '10110'; REP(3, 3, WORD(F(w), 1), w) end.";
    assert!(trap(text).contains("T0106"), "{}", traps(text));
}

#[test]
fn negative_sizes_and_ends_trap() {
    let sized = "procedure P(n: integer; Y: slice); var X: slice(n); begin X := Y end;
        program M; begin P(-1, '101') end.";
    assert!(trap(sized).contains("T0113"), "{}", traps(sized));
    let header =
        "procedure P(n: integer; X: slice(n)); begin end; program M; begin P(-1, '101') end.";
    assert!(trap(header).contains("T0113"), "{}", traps(header));
    let part = "program M; var w: word; k: integer;
        begin w := '10110'; k := -1; w := TRIM(1, k, w) end.";
    assert!(trap(part).contains("T0106"), "{}", traps(part));
}

#[test]
fn theta_has_the_size_of_a_parameter() {
    let text = "procedure P(n: integer); var X: slice(n); begin X := Θ; print(X) end;
        program M; begin P(3) end.";
    assert_eq!(prints(text), "000\n");
}

#[test]
fn a_callee_knows_the_declared_size_of_an_unset_variable() {
    let text = "procedure Q(var Y: slice); begin print(length(Y)); SET(Y) end;
        program M; var X: slice(3); begin Q(X); print(X) end.";
    assert_eq!(prints(text), "3\n111\n");
    let unsized_text = "program M; var X: slice; begin CLR(X) end.";
    assert!(trap(unsized_text).contains("T0114"), "{}", traps(unsized_text));
}

#[test]
fn star_bodies_trap_where_the_operations_do() {
    let text = "procedure Q(T: table; X: slice); var Z: slice; begin MIN(T, X, Z) end;
        program M; var T: table; begin COL(1,T) := '01'; Q(T, '111') end.";
    let options = LowerOptions { machine_ops: false, ..LowerOptions::default() };
    for trap in [traps(text), traps_with(text, &options)] {
        assert!(trap.starts_with("T0102 1:54"), "{trap}");
    }
}

#[test]
fn a_mismatched_argument_traps_at_the_call() {
    for text in [
        "procedure P(X: slice(3)); begin end; procedure Q(Y: slice); begin P(Y) end;
         program M; begin Q('01') end.",
        "procedure P(k: integer; X: slice(k)); begin end; program M; begin P(3, '01') end.",
        "procedure P(T: table(2,2)); begin end; procedure Q(T: table); begin P(T) end;
         program M; var T: table; begin COL(1,T) := '010'; Q(T) end.",
    ] {
        assert!(trap(text).contains("T0102"), "{}", traps(text));
    }
}

#[test]
fn a_mask_of_one_bit_or_of_constant_length_verifies() {
    assert_eq!(
        prints(
            "program p; var X: slice; i: integer;
             begin X:='00000'; i:=2; print(MASK(X,i,i),\" \",MASK(X,i,i+2),\" \",MASK(X,2,i)) end."
        ),
        "01000 01110 01000\n"
    );
}

#[test]
fn a_first_column_gets_its_size_from_the_operand_next_to_theta() {
    assert_eq!(
        prints(
            "program p; var X: slice; T: table;
             begin X:='010'; COL(1,T):=X or Θ; COL(2,T):=Θ xor X; COL(3,T):=not Θ; print(T) end."
        ),
        "001\n111\n001\n"
    );
}

#[test]
fn a_variable_passed_by_reference_in_every_iteration_stays_set() {
    let text = "
        procedure twice(T: table(n,k); n,k: integer; w: word(k); var Z: slice);
        var i: integer; G,L: slice;
        begin
          Z:=COL(1,T);
          for i:=1 to 2 do GEL(T,Z,w,G,Z,L);
          i:=2;
          while i>0 do begin i:=i-1; if i=1 then continue; repeat HIT(T,T,Z,Z) until true end
        end;";
    let args = vec![
        Value::from(table(&["10", "11", "10"])),
        Value::Int(3),
        Value::Int(2),
        Value::Word(bits("10")),
        Value::Unset,
    ];
    assert_eq!(ends(text, "twice", args)[4], Value::Slice(bits("101")));
}

#[test]
fn a_value_argument_is_read_before_the_call_sets_it() {
    let text = "
        procedure q(var T: table(n,k); F: table(n,k); X: slice(n); n,k: integer);
        begin CLEAR(k,T); ROW(1,T):=ROW(1,F) end;
        procedure p(m: integer; X: slice(n); var R: table; n: integer);
        var T: table; i: integer;
        begin
          for i:=1 to m do COL(i,T):=X;
          q(T,T,X,n,m); R:=T
        end;";
    let args = |m| {
        let (x, n) = (Value::Slice(bits("101")), Value::Int(3));
        vec![Value::Int(m), x, Value::Unset, n]
    };
    assert_eq!(ends(text, "p", args(2))[2], Value::from(table(&["11", "00", "00"])));
    let trap = call_traps(text, "p", args(0));
    assert!(trap.starts_with("T0114 8:15 the size of `T` is not known"), "{trap}");
}
