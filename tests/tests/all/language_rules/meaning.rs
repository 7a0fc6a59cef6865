//! §5, 3–7: order of evaluation, loops, comparisons, integers, constants.

use star_tests::case::{prints, traps};

use super::{codes, complains, runs, says};

#[test]
fn evaluation_is_from_left_to_right() {
    says(
        "program p; var X: slice; i: integer; begin
           X:='0110'; show(X,STEP(X)); show(X,STEP(X)); X:='0110'; pair(STEP(X),STEP(X));
           X:='11'; i:=10*STEP(X)+STEP(X); print(i);
           X:='111'; i:=STEP(X)-STEP(X)*STEP(X); print(i); X:='011'; print(X,STEP(X),X)
         end.
         procedure show(Y: slice; i: integer); begin print(Y,i) end;
         procedure pair(i,j: integer); begin print(i,j) end;",
        "01102\n00103\n23\n12\n-5\n0112001\n",
    );
}

#[test]
fn scalars_are_read_in_evaluation_order() {
    says(
        "program p; var i: integer; b: boolean; begin
           i:=1; print(i,up(i),i); i:=1; i:=i+up(i)*10; print(i); i:=5;
           b:=(i<up(i)) and (up(i)=i) and (i+up(i)>i+up(i)); print(b,i); q(i,up(i),i)
         end.
         function up(var i: integer): integer; begin i:=i+1; up:=i end;
         procedure q(i,j,k: integer); begin print(i,j,k) end;",
        "122\n21\nfalse9\n91010\n",
    );
}

#[test]
fn evaluation_order_is_left_indices_right_side_store() {
    says(
        "program p; var X,Y: slice; T: table(2,2); i: integer; begin
           X:='01'; Y:='00'; Y(STEP(X)):=NUMB(X); print(Y);
           X:='01'; Y(STEP(X)):=1-NUMB(X); print(Y);
           i:=1; T(i,up(i)):=i-1; print(T,i);
           i:=1; COL(i,T):=MASK('01',up(i),i); print(T,i);
           X:='10'; X(2):=STEP(X); print(X)
         end.
         function up(var i: integer): integer; begin i:=i+1; up:=i end;",
        "00\n01\n01\n00\n2\n01\n10\n2\n01\n",
    );
}

#[test]
fn the_right_side_is_evaluated_before_the_index_is_checked() {
    let text = "program p; var X: slice(2); i: integer;\nbegin CLR(X); i:=0;\n  X(i):=1 div i end.";
    assert!(traps(text).starts_with("T0105 3:9 1 div 0: division by zero\n"));
}

#[test]
fn and_or_stop_early_on_booleans() {
    says(
        "program p; var i: integer; b: boolean; begin
           i:=0; b:=(i<>0) and (1 div i=1); b:=(i=0) or (1 div i=1); print(b);
           b:=(i=0) xor yes(i); print(b,i); b:=false and yes(i) or yes(i); print(b,i);
           b:=not (true or yes(i)) and yes(i); print(b,i)
         end.
         function yes(var i: integer): boolean; begin i:=i+1; yes:=true end;",
        "true\nfalse1\ntrue2\nfalse2\n",
    );
}

#[test]
fn a_for_variable_keeps_its_last_value_or_is_unchanged() {
    runs(
        "i,n: integer;",
        "for i:=1 to 3 do n:=i; print(i); for i:=9 to 8 do n:=i; print(i);
         for i:=5 downto 2 do if i=3 then break; print(i); for i:=1 downto 2 do n:=0; print(i,n);
         for i:=7 to 7 do continue; print(i)",
        "3\n3\n3\n33\n7\n",
    );
    let text = "program p; var i: integer;\nbegin for i:=1 to 0 do print(0);\n  print(i) end.";
    assert_eq!(traps(text), "T0103 3:9 `i` was never set\n");
}

#[test]
fn the_bounds_of_a_for_loop_are_evaluated_once() {
    runs(
        "i,n: integer;",
        "n:=3; for i:=1 to n do n:=n+1; print(n,i); for i:=n downto n-1 do n:=0; print(i)",
        "63\n5\n",
    );
    runs(
        "i,n: integer;",
        "n:=0; for i:=9223372036854775806 to 9223372036854775807 do n:=n+1; print(n,\" \",i);
         for i:=-9223372036854775807 downto -9223372036854775808 do n:=n+1; print(n,\" \",i)",
        "2 9223372036854775807\n4 -9223372036854775808\n",
    );
}

#[test]
fn the_body_may_not_assign_the_loop_variable() {
    for body in [
        "for i:=1 to 3 do i:=2",
        "for i:=1 to 3 do for i:=1 to 2 do print(i)",
        "for i:=1 to 3 do q(i)",
        "foreach i in X do i:=1",
        "foreach i in X do begin if i=1 then i:=STEP(X) end",
    ] {
        let text = format!(
            "program p; var i: integer; X: slice; begin X:='01'; {body} end.
             procedure q(var i: integer); begin i:=0 end;"
        );
        assert_eq!(codes(&text), ["E0305"], "{body}");
    }
    runs("i: integer;", "for i:=1 to 2 do print(i); i:=5; print(i)", "1\n2\n5\n");
}

#[test]
fn foreach_visits_the_ones_of_a_copy_in_order() {
    runs(
        "X: slice; w: word; T: table(3,3); i,j: integer;",
        "X:='01101'; foreach i in X do begin X(4):=1; X(3):=0; print(i) end; print(X,i);
         w:='101'; foreach i in w do foreach j in w do print(i,j);
         i:=7; foreach i in w and '010' do print(0); print(i);
         ROW(2,T):='110'; foreach j in ROW(2,T) do T(2,3):=1; print(j,T(2,3))",
        "2\n3\n5\n010115\n11\n13\n31\n33\n7\n21\n",
    );
}

#[test]
fn break_and_continue_apply_to_the_innermost_loop() {
    runs(
        "i,j,n: integer; X: slice;",
        "n:=0; for i:=1 to 5 do begin if i=2 then continue; if i=4 then break; n:=n*10+i end; print(n);
         n:=0; i:=0; while i<5 do begin i:=i+1; if i=2 then continue; if i=4 then break; n:=n*10+i end;
         print(n);
         n:=0; i:=0; repeat i:=i+1; if i=2 then continue; if i=4 then break; n:=n*10+i until i>=5;
         print(n);
         n:=0; X:='11111'; foreach i in X do begin if i=2 then continue; if i=4 then break; n:=n*10+i end;
         print(n);
         n:=0; for i:=1 to 3 do begin j:=0; repeat j:=j+1; if j=2 then break; n:=n+1 until false; n:=n*10 end;
         print(n)",
        "13\n13\n13\n13\n1110\n",
    );
    assert_eq!(codes("program p; begin if true then break; continue end."), ["E0309", "E0309"]);
}

#[test]
fn continue_in_a_repeat_loop_jumps_to_its_test() {
    runs(
        "i: integer;",
        "i:=0; repeat i:=i+1; if i<3 then continue; print(i) until i>=3; print(i);
         i:=0; repeat i:=i+1; continue until i=4; print(i);
         repeat i:=i+1; break until false; print(i)",
        "3\n3\n4\n5\n",
    );
}

#[test]
fn exit_leaves_the_routine() {
    says(
        "program p; var n: integer; begin q(2); print(f(1),f(7)); n:=0; while true do begin n:=n+1;
           if n=3 then begin print(n); exit end end; print(0) end.
         procedure q(i: integer); begin repeat if i=2 then exit until false; print(i) end;
         function f(i: integer): integer; begin f:=1; if i>5 then exit; f:=2 end;",
        "21\n3\n",
    );
}

#[test]
fn a_function_returns_the_last_value_assigned_to_its_name() {
    says(
        "program p; begin print(f(3),g(true),h) end.
         function f(n: integer): integer;
         begin F:=100; if n>0 then f:=f(n-1)+1 else f:=0 end;
         function g(b: boolean): boolean; begin g:=b; g:=not b end;
         function h: string; begin h:=\"text\" end;",
        "3falsetext\n",
    );
}

#[test]
fn a_function_without_a_value_traps() {
    let text = "program p; begin\n  print(f(1)); print(f(2)) end.
function f(i: integer): integer;\nbegin if i=1 then f:=i end;";
    assert_eq!(
        traps(text),
        "T0112 3:10 the function ends without a result\n  at 2:22: in `f`, called here\n"
    );
    let text = "program p; begin\n  print(f) end.\nfunction f: integer; begin exit; f:=1 end;";
    assert!(traps(text).starts_with("T0112 3:10 "), "{}", traps(text));
}

#[test]
fn equality_compares_integers_booleans_and_bits_of_equal_size() {
    runs(
        "X: slice; w: word; b: boolean; T: table(1,2);",
        "X:='01'; w:='10'; b:=X='01'; print(b,w<>'10',true=b,b<>(1=1),'01'=X,COL(1,T)='0');
         print(CONVERT(w)=X, 3<=3, 2>3, -1<0)",
        "truefalsetruefalsetruetrue\nfalsetruefalsetrue\n",
    );
    for test in ["w<w", "X>=X", "b<b", "T=T", "\"a\"=\"a\"", "T<>T"] {
        let text = format!(
            "procedure q(w: word; X: slice; b: boolean; T: table); begin if {test} then exit end;"
        );
        assert_eq!(codes(&text), ["E0313"], "{test}");
    }
    assert_eq!(codes("procedure q(w: word; X: slice); begin if w=X then exit end;"), ["E0301"]);
}

#[test]
fn div_and_mod_truncate() {
    runs(
        "i,j: integer;",
        "i:=7; j:=-2; print(i div j,\" \",i mod j,\" \",-i div j,\" \",(-i) mod j,\" \",(-i) mod 2);
         print(7 div 2,\" \",(-7) div 2,\" \",(-7) mod 2,\" \",-7 mod 2,\" \",7 mod (-2))",
        "-3 1 3 -1 -1\n3 -3 -1 -1 1\n",
    );
}

#[test]
fn integer_overflow_and_division_trap() {
    let max = "9223372036854775807";
    let min = "-9223372036854775808";
    for (expression, message) in [
        ("i+1", format!("T0104 3:9 {max} + 1 overflows 64 bits")),
        ("1+i", format!("T0104 3:9 1 + {max} overflows 64 bits")),
        ("i*2", format!("T0104 3:9 {max} * 2 overflows 64 bits")),
        ("-2-i", format!("T0104 3:9 -2 - {max} overflows 64 bits")),
        ("-j", format!("T0104 3:9 0 - {min} overflows 64 bits")),
        ("j div k", format!("T0104 3:9 {min} div -1 overflows 64 bits")),
        (&format!("({min}) div (-1)"), format!("T0104 3:9 {min} div -1 overflows 64 bits")),
        ("i div (k+1)", format!("T0105 3:9 {max} div 0: division by zero")),
        ("i mod (k+1)", format!("T0105 3:9 {max} mod 0: division by zero")),
        ("5 mod 0", "T0105 3:9 5 mod 0: division by zero".to_owned()),
    ] {
        let text = format!(
            "program p; var i,j,k: integer;\nbegin i:={max}; j:={min}; k:=-1;\n  print({expression}) end."
        );
        let trap = traps(&text);
        assert_eq!(trap.lines().next(), Some(message.as_str()), "{expression}");
    }
    let text = format!(
        "program p; var j,k: integer; begin j:={min}; k:=-1; print(j mod k,\" \",j*1) end."
    );
    assert_eq!(prints(&text), format!("0 {min}\n"));
    assert_eq!(codes("program p; begin print(9223372036854775808) end."), ["E0104"]);
    assert_eq!(codes("program p; begin print(-9223372036854775809) end."), ["E0104"]);
}

#[test]
fn the_trap_shows_the_values_and_the_calls() {
    let text = "program p;\nbegin\n  outer(3)\nend.
procedure outer(n: integer);\nvar i: integer;\nbegin\n  for i:=n downto 0 do\n    inner(i,n)\nend;
procedure inner(d,n: integer);\nbegin\n  print(n div d)\nend;";
    assert_eq!(
        traps(text),
        "T0105 13:9 3 div 0: division by zero\n  \
         at 9:5: in `inner`, called here\n  at 3:3: in `outer`, called here\n  \
         note: n = 3\n        d = 0\n"
    );
}

#[test]
fn bit_constants_are_words_or_slices_by_context() {
    says(
        "const m='0110'; const one='1';
         program p; var X: slice; w: word; T: table(4,1); begin
           X:='1100'; w:='1010'; COL(1,T):=m; print(X and m,m and w,X or '0001',w xor '1111');
           print(X=m,m=w,NUMB(m),SOME(X and m),COL(1,T)=m,INT(m)); X(1):='0'; X(4):=one;
           print(X,X(4)=one); q(m,m); print('01',m,not m,CONVERT(m)=X)
         end.
         procedure q(Y: slice; v: word); begin print(Y,v) end;",
        "0100001011010101\nfalsefalse2truetrue6\n0101true\n01100110\n0101101001false\n",
    );
    complains(
        "program p; begin print('012') end.",
        &["E0103 1:24 a bit constant holds only `0` and `1`"],
    );
}

#[test]
fn the_nearest_declaration_hides_others() {
    // A local hides a built-in of exactly that spelling.
    runs("size: integer; T: table(1,2);", "size:=5; print(size,Size(T),SIZE(T))", "522\n");
    // A routine hides a library routine with the same number of parameters, with a lint.
    let text = "procedure MIN(T: table; X: slice; var Z: slice); begin Z:=not X end;
        program p; var T: table(2,1); Z: slice; begin MIN(T,'10',Z); print(Z) end.";
    assert_eq!(codes(text), ["W0105"]);
    assert_eq!(prints(text), "01\n");
    says(
        "procedure MIN(i,j: integer); begin if i<j then print(i) else print(j) end;
         program p; var T: table(2,1); Z: slice; begin MIN(3,2); MIN(T,'10',Z); print(Z) end.",
        "2\n10\n",
    );
    // LESS has two meanings, depending on the number of arguments, in any letter case.
    says(
        "program p; var T: table(2,2); Z: slice; begin T(1,2):=1; print(LESS('01','10'));
           LESS(T,'11','01',Z); print(Z); less(T,'11','11',Z); print(Z,great('1','0')) end.",
        "true\n01\n11true\n",
    );
}

#[test]
fn names_of_one_type_that_differ_only_in_case_are_reported() {
    assert_eq!(codes("program p; var K: slice; k: integer; begin k:=1; K:='0' end."), [""; 0]);
    assert_eq!(codes("program p; var K,k: integer; begin k:=1; K:=2 end."), ["W0102"]);
    assert_eq!(codes("procedure q(X: slice; var x: slice); begin x:=X end;"), ["W0102"]);
    // An undeclared name is an error with the other as a suggestion.
    let text = "program p; var K: integer; begin K:=1; print(k) end.";
    assert_eq!(
        super::rendered(&[("test.star", text)]),
        "E0201 1:46 `k` is not declared\n  at 1:16: a similar name\n  \
         note: names are case-sensitive\n  \
         fix 1:46-1:47 did you mean `K`? => \"K\"\n"
    );
}
