//! Hostile programs: each ends in one clear message or runs, and never panics.

use star_base::Code;
use star_ir::LimitKind;
use star_tests::case::prints;
use star_tests::run::{LIMITS, Program};
use star_tests::{check, messages};
use star_value::Value;
use star_vm::{Limits, Outcome};

/// Returns the codes of the errors in a text, each once.
fn errors(text: &str) -> Vec<&'static str> {
    let compilation = check(text);
    let mut codes: Vec<&str> = compilation
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .map(|diagnostic| diagnostic.code.as_str())
        .collect();
    codes.dedup();
    codes
}

fn program(body: &str) -> String {
    format!(
        "program M; var i, x: integer; b: boolean; X: slice(3); begin SET(X); x := 1; {body} end."
    )
}

#[test]
fn a_million_nested_constructs_give_one_message() {
    let n = 1_000_000;
    for (open, middle, close) in
        [("(", "1", ")"), ("X(", "1", ")"), ("WORD(", "1", ")"), ("-(", "1", ")")]
    {
        let text = program(&format!("x := {}{middle}{}", open.repeat(n), close.repeat(n)));
        assert_eq!(errors(&text), ["E0108"], "{open}");
    }
    for (open, close) in
        [("begin ", " end"), ("while b do ", ""), ("if b then ", ""), ("repeat ", " until b")]
    {
        let text = program(&format!("{}x := 1{}", open.repeat(n), close.repeat(n)));
        assert_eq!(errors(&text), ["E0108"], "{open}");
    }
    assert_eq!(errors(&program(&format!("b := {}true", "not ".repeat(n)))), ["E0108"]);
}

#[test]
fn long_flat_programs_run() {
    let n = 100_000;
    assert_eq!(
        prints(&program(&format!("x := 1{}; print(x)", " + 1".repeat(n)))),
        format!("{}\n", n + 1)
    );
    let all = format!("b := true{}; print(b)", " and true".repeat(n));
    assert_eq!(prints(&program(&all)), "true\n");
    let arms = "if x = 0 then i := 1 else ".repeat(n / 4);
    assert_eq!(prints(&program(&format!("{arms} i := 2; print(i)"))), "2\n");
    assert_eq!(prints(&program(&format!("{} print(x)", "x := 1; ".repeat(n)))), "1\n");
    let print = format!("print(x{})", ", x".repeat(n));
    assert_eq!(prints(&program(&print)).len(), n + 2);
}

#[test]
fn rejects_texts_that_are_not_programs() {
    assert!(errors("").is_empty(), "an empty file must not have an error");
    assert_eq!(errors("\0\0\0"), ["E0101"]);
    assert_eq!(errors("hello world"), ["E0105"]);
    assert_eq!(errors(&"@".repeat(100_000)), ["E0101"]);
    assert_eq!(errors(&"9".repeat(100_000)), ["E0104"]);
    let compilation = check(&"x ".repeat(100_000));
    assert!(compilation.diagnostics.len() < 50, "{}", messages(&compilation).len());
}

#[test]
fn unknown_names_are_reported_once_each_and_bounded() {
    let uses: String = (0..20_000).map(|i| format!("x := y{i} + y{i}; ")).collect();
    let compilation = check(&program(&uses));
    let unknown = compilation.diagnostics.iter().filter(|d| d.code == Code::UnknownName).count();
    assert!((900..=1000).contains(&unknown), "{unknown}");
    let twice = check(&program("x := kount; x := kount"));
    assert_eq!(messages(&twice).len(), 1, "{:?}", messages(&twice));
}

fn limit(text: &str, limits: Limits) -> LimitKind {
    let program = Program::new(text);
    match program.run_within("M", Vec::new(), limits).outcome {
        Outcome::Limit { kind, .. } => kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn endless_programs_end_at_their_limits() {
    let steps = Limits { steps: Some(1000), ..LIMITS };
    assert_eq!(limit(&program("while true do x := 1"), steps), LimitKind::Steps { limit: 1000 });
    let depth = Limits { depth: 500, ..LIMITS };
    let recursion = "procedure F; begin F end; program M; begin F end.";
    assert_eq!(limit(recursion, depth), LimitKind::Depth { limit: 500 });
    let output = Limits { output: Some(100), ..LIMITS };
    assert_eq!(limit(&program("while true do print(x)"), output), LimitKind::Output { limit: 100 });
    let huge = "program M; var T: table(1000000,1000000); begin T(1,1) := 1 end.";
    assert!(matches!(limit(huge, LIMITS), LimitKind::Memory { .. }));
}

#[test]
fn mismatched_arguments_are_not_internal_errors() {
    for text in
        ["procedure P(X: slice(3)); begin end;", "procedure P(X: slice(k)); begin print(k) end;"]
    {
        let program = Program::new(text);
        let bits = star_tests::bits("01");
        let run = program.run("P", vec![Value::Slice(bits)]);
        assert!(!matches!(run.outcome, Outcome::Internal(_)), "{:?}", run.outcome);
    }
}
