//! §7: the extensions of stage 1.

use star_tests::case::{call_traps, traps};
use star_tests::run::{Program, done};
use star_tests::{bits, table};
use star_value::Value;

use super::{codes, complains, runs, says};

#[test]
fn print_shows_every_kind_of_value() {
    runs(
        "i: integer; b: boolean; s: string; X: slice; w: word; T: table(2,3);",
        "i:=-5; b:=true; s:=\"té\"; X:='01'; w:='110'; T(1,3):=1; print(i,b,s,X,w);
         print(); print; print(\"ones: \",NUMB(w)); print(T); print(\"T:\",T,i); print('',1)",
        "-5truet\u{e9}01110\n\n\nones: 2\n001\n000\nT:\n001\n000\n-5\n(0 bits, 0 ones)1\n",
    );
}

#[test]
fn print_elides_long_values() {
    let half = "0".repeat(31);
    runs(
        "X: slice(70); w: word(64); T: table(20,2);",
        "CLR(X); X(1):=1; X(70):=1; print(X); SET(w); print(w); T(20,2):=1; print(T)",
        &format!(
            "1{half}…{half}1 (70 bits, 2 ones)\n{}\n{}…\n{}01\n(20 × 2, 1 one)\n",
            "1".repeat(64),
            "00\n".repeat(8),
            "00\n".repeat(7)
        ),
    );
}

#[test]
fn constants_are_evaluated_at_compile_time() {
    says(
        "const n=2*(m-1); const m=4; const w='011'; const s=\"text\"; const b=(m=4) and not false;
         const low=-9223372036854775808; const z=low mod (-1);
         program p; var X: slice(n); begin SET(X); print(X,n,m,w,s,b); print(low,\" \",z) end.",
        "11111164011texttrue\n-9223372036854775808 0\n",
    );
    for text in [
        "const a=b; const b=a;",
        "const a=f(1); function f(i: integer): integer; begin f:=i end;",
        "const a=1 div 0;",
        "const a=9223372036854775807+1;",
        "const a=Θ;",
        "const a=1 and true;",
    ] {
        assert_eq!(codes(text).first().map(String::as_str), Some("E0209"), "{text}");
    }
    complains("const c=1;\nprogram p; begin c:=2 end.", &["E0305 2:18 `c` is a constant"]);
}

#[test]
fn library_modules_are_imported_by_name() {
    says(
        "import \"star:closure\";
         program p; var P: table(3,3); begin P(1,2):=1; P(2,3):=1; WARSHALL(3,P); print(P);
           WARSHALL-C(3,P); print(P) end.",
        "011\n001\n000\n011\n001\n000\n",
    );
    assert_eq!(codes("import \"star:closur\"; program p; begin end."), ["E0204"]);
}

#[test]
fn a_program_accepts_parameters() {
    let program = Program::new(
        "program p(n: integer; T: table(k,k); X: slice(k); name: string; var R: table);
         begin R:=T; COL(n,R):=X; print(name,\" \",k) end.",
    );
    let args = vec![
        Value::Int(2),
        Value::from(table(&["01", "10"])),
        Value::Slice(bits("01")),
        Value::Str("graph".to_owned()),
        Value::Unset,
    ];
    let run = program.run("p", args);
    assert_eq!(run.printed, "graph 2\n");
    assert_eq!(done(run).pop(), Some(Value::from(table(&["00", "11"]))));
}

#[test]
fn assert_ends_the_program_with_its_message() {
    runs("i: integer;", "i:=1; assert(i=1); assert(i<2,\"small\"); print(i)", "1\n");
    let text = "program p; var i: integer;\nbegin i:=3;\n  assert(i<3, \"i is too large\") end.";
    assert_eq!(traps(text), "T0111 3:3 i is too large\n  note: i = 3\n");
    let text = "program p; var i: integer;\nbegin i:=3;\n  assert(i<3) end.";
    assert_eq!(traps(text), "T0111 3:3 assertion failed\n  note: i = 3\n");
}

#[test]
fn int_and_word_convert_words_to_numbers_and_back() {
    runs(
        "w: word; h: integer;",
        "w:=WORD(5,4); print(w,INT(w)); h:=2; w:=WORD(3,h); print(w,INT('')); print(INT('10'))",
        "01015\n110\n2\n",
    );
    let text = "procedure q(i: integer; var w: word);\nbegin\n  w:=WORD(i,3)\nend;";
    for (i, message) in [
        (8, "T0108 3:3 8 does not fit in 3 components: it needs 4"),
        (-1, "T0108 3:3 -1 is negative and does not fit in a word of 3 components"),
    ] {
        let trap = call_traps(text, "q", vec![Value::Int(i), Value::Unset]);
        assert_eq!(trap, format!("{message}\n  note: i = {i}\n"));
    }
    let text = "procedure q(w: word; var i: integer);\nbegin\n  i:=INT(w)\nend;";
    let long = format!("1{}", "0".repeat(63));
    let trap = call_traps(text, "q", vec![Value::Word(bits(&long)), Value::Unset]);
    assert_eq!(trap, format!("T0108 3:6 `w` is too large for an integer\n  note: w = {long}\n"));
}

#[test]
fn the_host_reads_and_writes_files() {
    let text = "program p; var T: table;\nbegin\n  read(T, \"nowhere.mtx\", \"adjacency\") end.";
    assert_eq!(traps(text), "T0115 3:3 cannot open `nowhere.mtx` [E0501]\n");
    let text = "program p; var T: table(1,1);\nbegin\n  write(T, \"there.stb\") end.";
    let trap = traps(text);
    assert_eq!(trap, "T0115 3:3 cannot write `there.stb` [E0509]\n  note: T = 1 × 1, 0 ones\n");
}

#[test]
fn functions_return_only_scalars() {
    for text in [
        "function f: slice; begin end;",
        "function f; begin end;",
        "procedure q: integer; begin end;",
    ] {
        assert_eq!(codes(text), ["E0308"], "{text}");
    }
    assert_eq!(codes("procedure q; begin end; program p; begin print(q) end."), ["E0310"]);
    assert_eq!(codes("function f: integer; begin f:=1 end; program p; begin f end."), ["E0310"]);
}
