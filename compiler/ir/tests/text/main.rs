//! Tests of the text form: it parses back exactly, and no text makes the parser panic.

mod maker;

use maker::{Maker, N_CHECKS, N_OPS, N_STMTS};
use proptest::prelude::*;
use star_ir::*;

fn assert_round_trip(program: &Program) {
    let text = print(program);
    match parse(&text) {
        Ok(read) => assert_eq!(&read, program, "{text}"),
        Err(error) => panic!("{error}\n{text}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_program_parses_back(bytes in proptest::collection::vec(any::<u8>(), 0..1500)) {
        assert_round_trip(&Maker { bytes: bytes.iter() }.program());
    }

    #[test]
    fn verification_of_any_program_never_panics(
        bytes in proptest::collection::vec(any::<u8>(), 0..1500),
    ) {
        let _ = verify(&Maker { bytes: bytes.iter() }.program());
    }

    #[test]
    fn edited_text_never_panics_the_parser(
        bytes in proptest::collection::vec(any::<u8>(), 0..800),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..3, "[ -~\nΘ]{0,3}"), 1..4),
    ) {
        let mut text: Vec<char> = print(&Maker { bytes: bytes.iter() }.program()).chars().collect();
        for (at, what, new) in edits {
            if text.is_empty() {
                break;
            }
            let at = at.index(text.len());
            if what != 0 {
                text.remove(at);
            }
            if what != 1 {
                text.splice(at..at, new.chars());
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(program) = parse(&text) {
            assert_round_trip(&program);
            let _ = verify(&program);
        }
    }

    #[test]
    fn any_text_never_panics_the_parser(text in "\\PC{0,60}") {
        let _ = parse(&text);
    }
}

#[test]
fn every_statement_operation_and_guard_parses_back() {
    // Repeated with other bytes, which vary the parts inside them.
    for seed in 0..=255_u8 {
        let bytes: Vec<u8> =
            (0..20_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 ^ seed).collect();
        let mut maker = Maker { bytes: bytes.iter() };
        let mut body: Block = (0..N_STMTS).map(|which| maker.stmt(which, 3)).collect();
        for which in 0..N_OPS {
            let kind = StmtKind::Simple(Simple::Assign(maker.var(), maker.op(which)));
            body.push(Stmt { kind, loc: maker.loc() });
        }
        for which in 0..N_CHECKS {
            let kind = StmtKind::Simple(Simple::Check(maker.check(which)));
            body.push(Stmt { kind, loc: maker.loc() });
        }
        let mut program = maker.program();
        let mut routine = maker.routine();
        routine.body = body;
        program.push(routine);
        assert_round_trip(&program);
    }
}

const SAMPLE: &str = r#"routine 0 "WARSHALL-C" (value %n: int as "n", ref %P: table[%n, ?] as "P") -> %r !0 {
  var %X: slice[%s1] sized as "X"
  var %s1: int
  var %"a b": word[16]
  var %r: int
  var %k: int as "k"
  check index %k, columns %P !1
  %X = column %P, %k !1
  %r = add %k, -5 !1
  %"a b" = literal '0110' !0
  %X = bits_and %X, %X !0
  %r = step %X !0
  %r = call 0 "WARSHALL-C" (value "s", move %X, ref %P) !0
  %P = read "a.mtx" layout "adjacency" !0
  latch %s1, length %X !0
  fix %X, %s1 !0
  check sized %X !0
  cost 2 times rows %P !0
  print !0
  for @1 %k = %n downto 1 !1 {
    break @1 !1
  }
  while @2 !1 {
    %r = count %X !1
  } test true {
  }
  forall @3 %k = 1 to %n writes [column %P, field %P 4] privates [%X] reductions [add %r] !0 {
  }
  block @4 !0 {
    if true !0 {
      continue @4 !0
    } else {
      exit !0
    }
  }
}
locations {
  !0 = 0:5..17
  !1 = 0:120..131 at_call inlined [0 at !0, 3 at !1] names [#3 "X", #4 "k"]
}
"#;

#[test]
fn the_text_form_is_as_documented() {
    let program = parse(SAMPLE).unwrap();
    assert_eq!(program.to_string(), SAMPLE);
}

#[test]
fn comments_and_line_breaks_are_blanks() {
    let text = "; head\nroutine 0 \"F\" ; \"G\"\n(ref\n%x : int) !0{ exit !0 exit\n!1}; end";
    let program = parse(text).unwrap();
    assert_eq!(program.routines[0].body.len(), 2);
}

#[test]
fn errors_have_position_and_message() {
    let error = |body: &str| {
        let text = format!("routine 0 \"F\" (value %x: int) !0 {{\n{body}\n}}\n");
        parse(&text).unwrap_err().to_string()
    };
    assert_eq!(error("  %y = copy 1 !0"), "2:3: unknown variable `y`");
    assert_eq!(error("%x = cpoy 1 !0"), "2:6: unknown operation `cpoy`");
    assert_eq!(error("Θ"), "2:1: unexpected character `Θ`");
    assert_eq!(error("chekc set %x !0"), "2:1: unknown statement `chekc`");
    assert_eq!(error("check unset %x !0"), "2:7: unknown guard `unset`");
    assert_eq!(error("exit"), "3:1: expected a location such as `!3`, found `}`");
    assert_eq!(error("call 0 \"G\" () !0"), "2:8: routine 0 is not named `G`");
    assert_eq!(
        error("%x = copy 9223372036854775808 !0"),
        "2:11: 9223372036854775808 is out of range for an integer"
    );
    assert_eq!(parse("routine 1 \"F\"").unwrap_err().to_string(), "1:9: expected routine number 0");
}

#[test]
fn deep_nesting_is_an_error() {
    let nested = |depth: usize| {
        format!(
            "routine 0 \"F\" () !0 {{ {} {} }} locations {{ !0 = 0:0..0 }}",
            "if true !0 {".repeat(depth),
            "}".repeat(depth)
        )
    };
    let deepest = parse(&nested(MAX_DEPTH)).unwrap();
    assert_eq!(verify(&deepest), Ok(()));
    assert_round_trip(&deepest);
    for open in [
        "while @0 !0 { } test true {",
        "forall @0 #0 = 1 to 2 !0 {",
        "for @0 #0 = 1 to 2 !0 {",
        "foreach @0 #0 in #0 !0 {",
        "block @0 !0 {",
    ] {
        let deepest = parse(&nested(MAX_DEPTH).replace("if true !0 {", open)).unwrap();
        assert!(verify(&deepest).is_err());
        assert_round_trip(&deepest);
    }
    for depth in [MAX_DEPTH + 1, 100_000] {
        let error = parse(&nested(depth)).unwrap_err();
        assert_eq!(error.message, "nesting exceeds 512 levels");
    }
}
