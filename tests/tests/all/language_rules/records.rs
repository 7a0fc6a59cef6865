//! §12: tables of records, their fields and rows. A comment with `rule` names the paragraph.

use star_tests::case::{call_traps, ends, traps};
use star_tests::table;
use star_value::Value;

use super::{codes, complains, rendered, says};

/// The types of the programs here.
const TYPES: &str = "type Arc(b,h) = record tail,head: uint(b); w: uint(h); alive: bit end;
type Row(n,h) = record w: array[1..n] of uint(h) end; ";

/// Asserts that the program with these variables and statements prints this.
fn runs(vars: &str, body: &str, expected: &str) {
    says(&format!("{TYPES} program p; var {vars} begin {body} end."), expected);
}

/// Returns the trap of such a program, without notes.
fn trap_of(vars: &str, body: &str) -> String {
    let trap = traps(&format!("{TYPES} program p; var {vars}\nbegin {body} end."));
    trap.lines().next().unwrap_or_default().to_owned()
}

/// Returns the messages about such a program.
fn refused(vars: &str, body: &str) -> Vec<String> {
    codes(&format!("{TYPES} program p; var {vars} begin {body} end."))
}

#[test]
fn rule_1_fields_are_columns_in_the_order_of_the_type() {
    runs(
        "E: table(2) of Arc(2,3);",
        "E[1].tail:=1; E[1].head:=2; E[1].w:=5; E[2].alive:=1; print(E); print(size(E),rows(E))",
        "01101010\n00000001\n82\n",
    );
    runs("C: table(1) of Row(3,2);", "C[1].w[1]:=1; C[1].w[3]:=3; print(C)", "010011\n");
    // A width of zero is legal.
    runs(
        "E: table(2) of Arc(0,2);",
        "E[2].tail:=0; print(E[2].tail, size(E.tail), size(E)); E[2].w:=3; print(E)",
        "003\n000\n110\n",
    );
    let text = "const k = 2; type R(b) = record a: bits(2*b+k); b: array[1..b] of bit end;
        program p; var T: table(1) of R(3); begin print(size(T), size(T.a)); T.b[2]:='1';
        print(T) end.";
    says(text, "118\n00000000010\n");
}

#[test]
fn rule_1_wrong_types_are_refused() {
    for (fields, code) in [
        ("a: uint", "E0210"),
        ("a: bit(2)", "E0210"),
        ("a: unt(2)", "E0210"),
        ("a: uint(k-1)", "E0210"),
        ("a: uint(k div 2)", "E0210"),
        ("a: uint('01')", "E0210"),
        ("a: uint(z)", "E0201"),
        ("a: array[0..2] of bit", "E0210"),
        ("a: array[1..2] of array[1..2] of bit", "E0105"),
        ("a: word(2)", "E0105"),
        ("a: int", "E0210"),
        ("a,b: bit; a: bit", "E0203"),
    ] {
        let text = format!("type R(k) = record {fields} end; program p; begin end.");
        assert_eq!(codes(&text), [code], "{text}");
    }
    assert_eq!(codes("type R(k,k) = record a: bit end;"), ["E0203"]);
    assert_eq!(codes("type R = record a: bit end; procedure R; begin end;"), ["E0203"]);
    assert_eq!(codes("procedure P; begin end; type R = record a: bit end"), ["E0105"]);
}

#[test]
fn rule_2_any_word_names_a_field_and_kinds_are_not_reserved() {
    let text = "type R(k) = record end,to,type: uint(k); of \"out of\": bit end;
        program p; var T: table(1) of R(4); uint,bits,bit,int: integer;
        begin
          T[1].end:=3; T[1].to:=T[1].end+1; T[1].type:=T[1].to+1; T.of:='1'; uint:=1;
          bits:=uint; bit:=bits; int:=bit;
          print(T[1].end,T[1].to,T[1].type,T.of,int)
        end.";
    says(text, "34511\n");
}

#[test]
fn rule_2_words_of_types_are_reserved_elsewhere() {
    complains(
        "program p; var record: integer;\nbegin end.",
        &["E0113 1:16 `record` is a reserved word"],
    );
}

#[test]
fn rule_3_headers_bind_rows_and_parameters_of_types() {
    let text = format!(
        "{TYPES}
        procedure q(E: table(m) of Arc(b,h)); begin print(m,b,h) end;
        procedure r(E: table(m) of Arc(b,h); X: slice(m); h: integer); begin q(E) end;
        program p; var A: table(2) of Arc(2,3); X: slice(2);
        begin q(A); CLR(X); r(A,X,3) end."
    );
    says(&text, "223\n223\n");
    // On the command line such a parameter is an integer.
    let text = "type R(k) = record a: uint(k); b: bit end;
        procedure q(var T: table(m) of R(k)); begin T[m].a:=k; T.b:='10' end;";
    let given = Value::from(table(&["0000", "0000"]));
    assert_eq!(
        ends(text, "q", vec![given.clone(), Value::Int(3)])[0],
        Value::from(table(&["0001", "0110"]))
    );
    let trap = call_traps(text, "q", vec![given.clone(), Value::Int(2)]);
    assert!(trap.starts_with("T0102 2:25 sizes differ: `T` has 4 columns, expected 3"), "{trap}");
    let trap = call_traps(text, "q", vec![given, Value::Int(-1)]);
    assert!(trap.starts_with("T0113 "), "{trap}");
}

#[test]
fn rule_3_tables_of_records_are_tables() {
    let text = format!(
        "{TYPES}
        procedure q(T: table(n,k)); begin print(n,k,size(T)) end;
        procedure r(var T: table); begin COL(1,T):='11' end;
        program p; var A: table(2) of Arc(1,2); F: table;
        begin q(A); r(A); print(A); F:=A; COL(6,F):='01'; print(F); A(1,2):=1; print(ROW(1,A)) end."
    );
    says(&text, "255\n10000\n10000\n100000\n100001\n11000\n");
    // They do not grow.
    assert!(
        trap_of("A: table(2) of Arc(1,2);", "COL(6,A):='01'").starts_with("T0101 "),
        "{}",
        trap_of("A: table(2) of Arc(1,2);", "COL(6,A):='01'")
    );
}

#[test]
fn rule_3_types_match_by_name() {
    let text = format!(
        "{TYPES} type Twin(b,h) = record tail,head: uint(b); w: uint(h); alive: bit end;
        procedure q(E: table(m) of Arc(b,h)); begin print(E[1].w) end;
        procedure r(E: table(m) of Arc(b,h); b,h: integer); begin print(E[1].w,b,h) end;
        "
    );
    let twin = format!("{text} program p; var E: table(2) of Twin(1,2); begin q(E) end.");
    assert_eq!(codes(&twin), ["E0301"]);
    // A plain table, if the other arguments determine the parameters.
    let plain = format!("{text} program p; var E: table(2,5); begin q(E) end.");
    assert_eq!(codes(&plain), ["E0316"]);
    let plain = format!("{text} program p; var E: table(2,5); begin E(1,4):=1; r(E,1,2) end.");
    says(&plain, "112\n");
    let wrong = format!("{text} program p; var E: table(2,5);\nbegin r(E,1,3) end.");
    assert!(traps(&wrong).starts_with("T0102 "), "{}", traps(&wrong));
    // Equal widths are not enough.
    let text = "type R(a,b) = record x: uint(a); y: uint(b) end;
        procedure q(S,T: table(n) of R(a,b)); begin print(a,b) end;
        program p(k: integer); var S: table(1) of R(2,3); T: table(1) of R(k,3);
        begin q(S,T) end.";
    let text = text.replace("p(k: integer)", "p").replace("R(k,3)", "R(3,2)");
    assert!(traps(&text).starts_with("T0102 "), "{}", traps(&text));
}

#[test]
fn rule_3_whole_tables_are_assigned_if_their_types_agree() {
    let codes = |body: &str| {
        let text = format!(
            "{TYPES} type Twin(b,h) = record x: bits(2*b+h+1) end;
            procedure q(b,h: integer; A: table(n) of Arc(b,h); U: table(n,8));
            var B: table(n) of Arc(b,h); C: table(n) of Arc(h,b); D: table(n) of Twin(b,h);
              T: table;
            begin {body} end;"
        );
        codes(&text)
    };
    for body in ["B:=A", "B:=U", "T:=A; A:=T"] {
        assert_eq!(codes(body), Vec::<String>::new(), "{body}");
    }
    assert_eq!(codes("C:=A"), ["E0316"]);
    assert_eq!(codes("D:=A"), ["E0301"]);
}

#[test]
fn rule_3_arguments_of_types_are_fixed() {
    let header = |args: &str, body: &str| {
        let text = format!(
            "{TYPES} program p(k: integer); var i: integer; E: table(2) of Arc({args});
            begin {body} end."
        );
        codes(&text)
    };
    assert_eq!(header("k,3", ""), Vec::<String>::new());
    assert_eq!(header("i,3", ""), ["E0316"]);
    assert_eq!(header("k+1,3", ""), ["E0316"]);
    assert_eq!(header("3", ""), ["E0316"]);
    assert_eq!(header("z,3", ""), ["E0201"]);
    assert_eq!(header("k,3", "k:=2"), ["E0305"]);
    assert_eq!(header("k,3", "i:=2; for k:=1 to i do i:=1"), ["E0305"]);
    let rows = |ty: &str| codes(&format!("{TYPES} program p; var E: {ty}; begin end."));
    assert_eq!(rows("table of Arc(1,2)"), ["E0316"]);
    assert_eq!(rows("table(2,5) of Arc(1,2)"), ["E0316"]);
    assert_eq!(rows("table(2) of Ark(1,2)"), ["E0201"]);
}

#[test]
fn rule_4_fields_are_tables_and_slices() {
    let fill = "E[1].tail:=1; E[2].tail:=2; E[3].tail:=3; E[1].w:=6; E[2].w:=2; E[3].w:=2;";
    let vars = "E: table(3) of Arc(2,3); X,Z: slice(3); T: table; i: integer;";
    runs(
        vars,
        &format!(
            "{fill} SET(X); MIN(E.w,X,Z); print(Z); print(E.tail); print(E.w(1,2),E.w(2,3));
             print(COL(1,E.w)); print(ROW(3,E.tail)); print(size(E.w),rows(E.w)); T:=E.w;
             COL(1,T):='000'; print(T)"
        ),
        "011\n01\n10\n11\n10\n100\n11\n33\n010\n010\n010\n",
    );
    runs(
        vars,
        "SET(E.alive); E.alive(2):=0; print(E.alive,E.alive(1)); E.alive:=not E.alive;
         foreach i in E.alive do print(i); CLR(E.alive); print(SOME(E.alive)); SET(E.alive);
         FRST(E.alive); print(E.alive); E.w(3,1):=1; COL(3,E.w):='110'; ROW(2,E.w):='101'; 
         E.tail:=E.head; E.alive:=E.alive or COL(1,E.w); print(E)",
        "1011\n2\nfalse\n100\n00000011\n00001011\n00001001\n",
    );
    runs(
        "C: table(2) of Row(3,2); k: integer; X,Z: slice(2);",
        "for k:=1 to 3 do C[1].w[k]:=k; k:=2; C.w[3]:=C.w[k]; print(C); print(C.w[k](1,1));
         C.w[k](2,2):=1; SET(X); MAX(C.w[k],X,Z); print(Z, C[2].w[2])",
        "011010\n000000\n1\n101\n",
    );
}

#[test]
fn rule_4_indices_are_checked_against_the_field() {
    let vars = "E: table(3) of Arc(2,3); C: table(2) of Row(3,2); i: integer;";
    let outside = |body: &str| {
        let trap = trap_of(vars, body);
        assert!(trap.starts_with("T0106 ") || trap.starts_with("T0101 "), "{body}: {trap}");
    };
    outside("i:=4; print(E.w(1,i))");
    outside("i:=0; E.w(1,i):=1");
    outside("i:=4; print(COL(i,E.w))");
    outside("i:=4; print(C[1].w[i])");
    outside("i:=4; C.w[i]:=C.w[1]");
    outside("i:=4; print(ROW(i,E.w))");
    outside("i:=4; E[i].w:=1");
    outside("print(C.w[4])");
}

#[test]
fn rule_4_names_and_forms_are_checked() {
    let vars = "E: table(3) of Arc(2,3); C: table(2) of Row(3,2); T: table(2,2); X: slice(2);
        i: integer;";
    for (body, code) in [
        ("print(E.weight)", "E0315"),
        ("print(T.w)", "E0315"),
        ("print(i.w)", "E0315"),
        ("print(C.w)", "E0315"),
        ("print(E.w[1])", "E0315"),
        ("print(E[1][2])", "E0315"),
        ("print(E[1](2))", "E0315"),
        ("print(E[1].w(2))", "E0315"),
        ("print(E(1,2).w)", "E0315"),
        ("print(E.w(1))", "E0302"),
        ("print(E.alive(1,1))", "E0302"),
        ("print(Z.w)", "E0201"),
        ("print(C.w[STEP(X)])", "E0315"),
        ("i:=STEP(E.alive)", "E0303"),
        ("E.w", "E0105"),
        ("E[1].w:='01'", "E0301"),
        ("E.w:=true", "E0301"),
        ("if E.alive(1) then i:=1", "E0307"),
    ] {
        assert_eq!(refused(vars, body), [code], "{body}");
    }
    let text = "program p; var T: table(2,2); X: slice(2);\nbegin\n  print(T[1], X[2])\nend.";
    let shown = rendered(&[("test.star", text)]);
    assert!(shown.contains("write `ROW(1,T)`") && shown.contains("write `X(2)`"), "{shown}");
}

#[test]
fn rule_5_rows_are_words_and_their_fields_numbers() {
    let text = "type R = record a: uint(3); b: bits(2); c: bit end;
        program p; var T: table(2) of R; w: word; i: integer;
        begin
          T[1].a:=7; T[1].b:='10'; T[1].c:=1; w:=T[1]; T[2]:=w; T[2].a:=T[2].a-2;
          i:=T[1].c + T[2].a; print(T[1].a,T[1].b,T[1].c); print(T[2]); print(i)
        end.";
    says(text, "7101\n101101\n6\n");
}

#[test]
fn rule_5_numbers_must_fit() {
    let vars = "E: table(3) of Arc(2,3); v: integer;";
    let fit = |body: &str| assert!(trap_of(vars, body).starts_with("T0108 "), "{body}");
    fit("v:=8; E[1].w:=v");
    fit("v:=-1; E[1].w:=v");
    assert!(trap_of(vars, "v:=2; E[1].alive:=v").starts_with("T0108 "));
    // Fields of 63, 64 and 65 columns.
    let wide = |n: u32, body: &str| {
        let vars = format!("E: table(1) of Arc({n},1); v: integer;");
        format!("{TYPES} program p; var {vars}\nbegin v:=9223372036854775807; {body} end.")
    };
    for n in [63, 64, 65] {
        says(&wide(n, "E[1].tail:=v; print(E[1].tail = v)"), "true\n");
    }
    says(&wide(62, "E[1].tail:=v div 2; print(E[1].tail = v div 2)"), "true\n");
    assert!(traps(&wide(62, "E[1].tail:=v")).starts_with("T0108 "));
    for n in [64, 65] {
        let body = "E.tail(1,1):=1; print(E[1].tail)";
        assert!(traps(&wide(n, body)).starts_with("T0108 "), "{n}");
    }
}

#[test]
fn rule_6_fields_are_passed_by_reference() {
    let text = format!(
        "{TYPES}
        procedure swap(var F,G: table(n,k)); var T: table; begin T:=F; F:=G; G:=T end;
        procedure set(var X: slice); begin SET(X) end;
        procedure mark(var X: slice; T: table); begin X:=COL(1,T) end;
        function first(var X: slice): integer; begin first:=STEP(X) end;
        program p; var E: table(2) of Arc(2,1); C: table(2) of Row(2,2);
        begin
          E[1].tail:=1; E[2].head:=2; swap(E.tail,E.head); print(E);
          set(E.alive); print(E.alive); print(first(E.alive),E.alive);
          mark(E.alive,E.head); print(E.alive); C[1].w[1]:=3; swap(C.w[1],C.w[2]); print(C);
          MIN(E.tail,not Θ or E.alive,E.alive); print(E.alive)
        end."
    );
    says(
        &text.replace("MIN(E.tail,not Θ or E.alive,E.alive); print(E.alive)", ""),
        "000100\n100000\n11\n101\n00\n0011\n0000\n",
    );
    // A library procedure that is one operation elsewhere.
    let text = format!(
        "{TYPES} program p; var E: table(3) of Arc(2,2); X: slice(3);
        begin SET(X); E[2].w:=1; E[3].w:=1; MAX(E.w,X,E.alive); print(E.alive) end."
    );
    says(&text, "011\n");
}

#[test]
fn rule_6_fields_that_overlap_are_refused() {
    let text = |args: &str| {
        format!(
            "{TYPES} procedure q(var F,G: table(n)); begin F:=G end;
            procedure r(var F: table(n); G: table(n)); begin COL(1,F):=COL(1,G); COL(2,F):=COL(2,G) end;
            program p; var E: table(1) of Arc(2,2); C: table(1) of Row(3,2); i: integer;
            begin i:=1; {args} end."
        )
    };
    for args in
        ["q(E,E.w)", "q(E.w,E)", "q(E.w,E.w)", "q(C.w[1],C.w[1])", "q(C.w[i],C.w[2])", "q(E,E)"]
    {
        assert_eq!(codes(&text(args)), ["E0304"], "{args}");
    }
    for args in ["q(E.tail,E.w)", "q(C.w[1],C.w[2])"] {
        assert_eq!(codes(&text(args)), Vec::<String>::new(), "{args}");
    }
    assert_eq!(codes(&text("q(E[1],E.w)")), ["E0303"]);
    // A value argument that overlaps is the value before the call.
    says(
        &text("E[1].tail:=2; E[1].w:=1; r(E.w,E); print(E); r(E,E.w); print(E)"),
        "1000100\n1000100\n",
    );
}

#[test]
fn rule_6_a_field_keeps_its_size() {
    let text = format!(
        "{TYPES} procedure q(var F: table); begin COL(3,F):='11' end;
        procedure r(var F: table); var T: table(2,3); begin F:=T end;
        program p; var E: table(2) of Arc(2,2);\nbegin CALL(E.w) end."
    );
    let trap = traps(&text.replace("CALL", "q"));
    assert!(trap.starts_with("T0101 "), "{trap}");
    let trap = traps(&text.replace("CALL", "r"));
    assert!(trap.starts_with("T0102 5:7 "), "{trap}");
}

#[test]
fn costs_are_those_of_the_core_text() {
    let cost = |body: &str| {
        let text =
            format!("{TYPES} program p; var E: table(2) of Arc(2,3); w: word; begin {body} end.");
        let program = star_tests::run::Program::new(&text);
        program.run("p", Vec::new()).stats.operations
    };
    let nothing = cost("");
    for (body, units) in [
        ("E.alive:='10'", 1),
        ("E.alive(1):=1", 1),
        ("E[1].alive:=1", 1),
        ("E.w(1,2):=1", 1),
        ("w:=E[1]", 1),
        ("w:=ROW(1,E.w)", 2),
        ("E[1].w:=3", 3),
        ("E.tail:=E.head", 4),
    ] {
        assert_eq!(cost(body) - nothing, units, "{body}");
    }
}
