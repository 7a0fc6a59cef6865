//! Tests of the formatter, rule by rule. star-tests applies it to all sources.

use proptest::prelude::*;

use super::*;
use crate::loader::{LoadError, Source};

/// Some files to import.
struct Files(&'static [(&'static str, &'static str)]);

impl SourceLoader for Files {
    fn load(&mut self, path: &str, _: Option<&str>) -> Result<Source, LoadError> {
        match self.0.iter().find(|(name, _)| *name == path) {
            Some((name, text)) => {
                Ok(Source { name: (*name).to_owned(), bytes: text.as_bytes().into() })
            }
            None => Err(LoadError::Unreadable("no such file".to_owned())),
        }
    }
}

fn format_with(files: Files, text: &str) -> Result<String, Vec<Diagnostic>> {
    let source = SourceFile::new("test.star", text.to_owned());
    let mut files = files;
    FORMATTER.with(|formatter| {
        let formatted = formatter.format(&source, &mut files);
        // The division into parts does not affect the result.
        for least in [1, usize::MAX] {
            assert_eq!(formatter.format_parts(&source, &mut files, least), formatted, "{text}");
        }
        formatted
    })
}

thread_local! {
    // Reads the library once.
    static FORMATTER: Formatter = Formatter::new(star_stdlib::LIBRARY);
}

#[track_caller]
fn format(text: &str) -> String {
    let once = format_with(Files(&[]), text).unwrap_or_else(|found| panic!("{found:#?}"));
    assert_eq!(format_with(Files(&[]), &once).as_ref(), Ok(&once), "not a fixed point");
    once
}

/// Formats the statements of a routine.
#[track_caller]
fn body(text: &str) -> String {
    let whole = format(&format!("proc P;\nbegin\n{text}\nend;\n"));
    let inner = whole.strip_prefix("proc P;\nbegin\n").and_then(|rest| rest.strip_suffix("end;\n"));
    inner.unwrap_or(&whole).to_owned()
}

#[test]
fn parallel_loops_have_a_layout() {
    let text =
        "FORALL  i In X WHERE Y ( i )=1 Do Z( i ):=0; forall i in 1 .. n do begin Z(i):=1 end";
    assert_eq!(
        body(text),
        "  forall i in X where Y(i)=1 do Z(i):=0;\n  forall i in 1..n do begin Z(i):=1 end\n"
    );
}

#[test]
fn types_fields_and_reductions_have_a_layout() {
    let text = "TYPE Arc( b ,h )=RECORD tail ,end: uint( b );w \"weight\":Array [ 1 .. h ] Of bit;
alive:bit END ;proc P(E:table( m ) OF Arc( b,h );var X:slice( m ));
begin E . tail:=E [ 1 ] . tail;E.w [ 2 ] ( 1 ):=0;X:=E.tail < 3;
print(Sum( E.tail Where X ),min( E.tail WHERE X Else 0 )) end;";
    let expected = "\
type Arc(b,h) = record tail,end: uint(b); w \"weight\": array[1..h] of bit;
                       alive: bit end;

proc P(E: table(m) of Arc(b,h); var X: slice(m));
begin
  E.tail:=E[1].tail; E.w[2](1):=0; X:=E.tail<3;
  print(Sum(E.tail where X),min(E.tail where X else 0))
end;
";
    assert_eq!(format(text), expected);
}

#[test]
fn the_first_line_names_the_program_that_runs_the_text() {
    let text = "#!/usr/bin/env -S star run\nproc P;\nbegin\nend;\n";
    assert_eq!(format(text), text);
}

#[test]
fn layout_matches_the_library() {
    let text = "PROC P ( n:Integer ;Var T:table( n , h ) ) ; Var X,\nY:slice;i : integer ;
Begin For i=1 TO n DO Begin X := not COL ( i ,T ) ; Y = X And ( not Y );\n end ; end;";
    let expected = "\
proc P(n: integer; var T: table(n,h));
var X,Y: slice; i: integer;
begin
  for i:=1 to n do
  begin
    X:=not COL(i,T); Y:=X and (not Y);
  end;
end;
";
    assert_eq!(format(text), expected);
}

#[test]
fn a_routine_may_have_several_sections_of_variables() {
    let text =
        "proc P; VAR a:integer; // first\n b: integer;\n\nvar X: slice;var Y:slice; begin end;";
    let expected = "\
proc P;
var a: integer; // first
    b: integer;
var X: slice;
var Y: slice;
begin end;
";
    assert_eq!(format(text), expected);
    assert_eq!(format(expected), expected);
}

#[test]
fn signs_bind_tightly_and_words_are_spaced() {
    assert_eq!(body("x : = -1+2 * ( a-b )div 3"), "  x:=-1+2*(a-b) div 3\n");
    assert_eq!(body("while (a<=b)and not c do x:=¬ X"), "  while (a<=b) and not c do x:=¬X\n");
    assert_eq!(body("for i:= - 1 to - 5 do ;"), "  for i:=-1 to -5 do;\n");
    assert_eq!(body("WARSHALL - adapt ( n , P )"), "  WARSHALL-adapt(n,P)\n");
    assert_eq!(body("L :x:=1; goto L"), "  L: x:=1;\n  goto L\n");
    assert_eq!(body("x := 'Ab' ; y:=\"A  b\""), "  x:='Ab'; y:=\"A  b\"\n");
}

#[test]
fn blocks_and_branches() {
    let text = "if a then begin x:=1; y:=2; end else if b then begin\nx:=3 end else y:=4";
    let expected = "  if a then begin x:=1; y:=2; end
  else if b then
  begin
    x:=3
  end
  else y:=4
";
    assert_eq!(body(text), expected);
    assert_eq!(body("if a then x:=1 else y:=2;"), "  if a then x:=1 else y:=2;\n");
    assert_eq!(body("if a then\nx:=1 else y:=2"), "  if a then\n    x:=1\n  else y:=2\n");
    assert_eq!(
        body("while a do for i:=1 to 2 do begin if b\nthen c end"),
        "  while a do\n    for i:=1 to 2 do\n    begin\n      if b then c\n    end\n"
    );
    let long = "x".repeat(60);
    assert_eq!(
        body(&format!("while a do begin {long}:=1; y:=2; {long}:=3 end")),
        format!("  while a do\n  begin\n    {long}:=1;\n    y:=2;\n    {long}:=3\n  end\n")
    );
    assert_eq!(body("repeat x:=1; y:=2 until a"), "  repeat x:=1; y:=2 until a\n");
    assert_eq!(body("repeat x:=1;\ny:=2; until\na"), "  repeat\n    x:=1;\n    y:=2;\n  until a\n");
    assert_eq!(body("if a then else if b then ; "), "  if a then\n  else if b then;\n");
}

#[test]
fn blank_lines_stay_between_statements() {
    assert_eq!(body("\n\nx:=1;\n\n\n\ny:=2;\nz:=3;\n\n"), "  x:=1;\n\n  y:=2;\n  z:=3;\n");
    let two = format("proc A; begin end;proc B;begin end;\n\n\n\n\nproc C;begin end;");
    assert_eq!(two, "proc A;\nbegin end;\n\nproc B;\nbegin end;\n\n\nproc C;\nbegin end;\n");
}

#[test]
fn long_lines_break_at_the_outermost_level() {
    let long = "x".repeat(40);
    assert_eq!(
        body(&format!("if ({long}=1) and ({long}=2) and (y=3) then z:=1")),
        format!("  if ({long}=1) and ({long}=2)\n     and (y=3) then z:=1\n")
    );
    assert_eq!(
        body(&format!("F({long},G({long},a),bbbbbbbbb,c)")),
        format!("  F({long},G({long},a),\n    bbbbbbbbb,c)\n")
    );
    let string = format!("\"{}\"", "s".repeat(90));
    assert_eq!(body(&format!("assert(x=1,{string})")), format!("  assert(x=1,\n      {string})\n"));
}

#[test]
fn deeper_nesting_is_indented_further() {
    let text = "result_of_all:=total_number_of_vertices_in_graph*(total_number_of_arcs_in_graph\
        -how_many_of_them_are_left*(total_number_of_vertices_in_graph+1))+total_number_of_arcs_in_graph;";
    let expected = "  result_of_all:=total_number_of_vertices_in_graph
          *(total_number_of_arcs_in_graph
            -how_many_of_them_are_left*(total_number_of_vertices_in_graph+1))
      +total_number_of_arcs_in_graph;
";
    assert_eq!(body(text), expected);
    let text = "result_of_all:=total_number_of_vertices_in_graph_and_in_its_complement\
        +total_number_of_arcs_in_graph_and_complement*(total_number_of_arcs_in_graph_and_in_complement\
        -how_many_of_them_are_left_when_all_is_done*total_number_of_vertices_in_graph_and_so_on);";
    let expected = "  result_of_all:=total_number_of_vertices_in_graph_and_in_its_complement
      +total_number_of_arcs_in_graph_and_complement
       *(total_number_of_arcs_in_graph_and_in_complement
         -how_many_of_them_are_left_when_all_is_done*total_number_of_vertices_in_graph_and_so_on);
";
    assert_eq!(body(text), expected);
}

#[test]
fn constants_stay_aligned() {
    let text = "const A    = 1;\nconst LONG = 2;   // two\n\nconst B=3;\n";
    assert_eq!(format(text), "const A    = 1;\nconst LONG = 2;   // two\n\nconst B = 3;\n");
}

#[test]
fn comments_stay_in_place() {
    let text = "/* head */


/* P does
     this and that. */
proc P(a: integer; // the first
  b: integer /* the second */);
{ no variables }
begin // begins
        (* own
           line *)
    x:=1;       // aligned
    yy:=22;     // with this
                // and this
    if a then x:=1 // then
    /* otherwise */
    else x:=2;
    f(a, /* inside */ b);
    z:=1;// close
  // last
end; // of P
// end of file";
    let expected = "/* head */


/* P does
     this and that. */
proc P(a: integer; // the first
       b: integer /* the second */);
{ no variables }
begin // begins
  (* own
     line *)
  x:=1;         // aligned
  yy:=22;       // with this
                // and this
  if a then x:=1 // then
  /* otherwise */
  else x:=2;
  f(a, /* inside */ b);
  z:=1; // close
  // last
end; // of P
// end of file
";
    assert_eq!(format(text), expected);
}

#[test]
fn built_ins_and_library_names_get_published_spelling() {
    assert_eq!(body("i:=Step(X); Clr(Y); y:=SIZE(T)"), "  i:=STEP(X); CLR(Y); y:=size(T)\n");
    assert_eq!(body("match(T,X,v,Z); Less(T,X,v,Z)"), "  MATCH(T,X,v,Z); LESS(T,X,v,Z)\n");
    assert_eq!(body("w:=Word(1,2); Col(1,T):=row(1,T)"), "  w:=WORD(1,2); COL(1,T):=ROW(1,T)\n");
    // No built-in or library procedure has this number of parameters.
    assert_eq!(body("match(T); step(X,Y)"), "  match(T); step(X,Y)\n");
    let import = "import \"star:closure\";\n\nproc P;\nbegin\n  warshall - ADAPT(n,P);\nend;\n";
    assert!(format(import).contains("  WARSHALL-adapt(n,P);\n"));
}

#[test]
fn declared_names_keep_their_spelling() {
    let keeps = |text: &str| assert_eq!(format(text), text);
    // A local, a parameter, a name bound by a size, a routine, a constant.
    keeps("proc P;\nvar Step: slice;\nbegin\n  i:=Step(1);\nend;\n");
    keeps("proc P(Step: slice(Fnd));\nbegin\n  i:=Step(1)+Fnd;\nend;\n");
    keeps(
        "function Step(i: integer): integer;\nbegin\n  Step:=i;\nend;\n\nproc P;\nbegin\n  i:=Step(1);\nend;\n",
    );
    keeps("const Exit = 1;\n\nproc P;\nbegin\n  i:=Exit;\nend;\n");
    // The published spelling means something else here.
    keeps("proc P;\nvar STEP: slice;\nbegin\n  i:=step(X);\nend;\n");
    keeps(
        "function STEP(i: integer): integer;\nbegin\n  STEP:=i;\nend;\n\nproc P;\nbegin\n  i:=Step(X);\nend;\n",
    );
    // The user's routine, in another letter case than declared.
    keeps("proc Mine;\nbegin end;\n\nproc P;\nbegin\n  MINE;\nend;\n");
}

#[test]
fn imported_names_keep_their_spelling() {
    let text = "import \"a.star\";\n\nproc P;\nbegin\n  i:=Step(X); clr(X);\nend;\n";
    let files = Files(&[("a.star", "function Step(i: integer): integer; begin Step:=i end;")]);
    let expected = text.replace("clr", "CLR");
    assert_eq!(format_with(files, text).as_deref(), Ok(expected.as_str()));
    // Its declarations are unknown.
    assert_eq!(format_with(Files(&[]), text).as_deref(), Ok(text));
    assert_eq!(format_with(Files(&[("a.star", "proc P; x")]), text).as_deref(), Ok(text));
}

#[test]
fn line_endings_and_marks_are_kept() {
    let text = "\u{feff}proc P;\r\nbegin\r\n  x = 1;   \r\n/* a\r\n   b */\r\nend;";
    let expected = "\u{feff}proc P;\r\nbegin\r\n  x:=1;\r\n  /* a\r\n     b */\r\nend;\r\n";
    assert_eq!(format(text), expected);
    assert_eq!(format("\u{feff}"), "\u{feff}");
    assert_eq!(format(" \n\n\t"), "");
    assert_eq!(format("// a \r\r\n\n// b\r\n"), "// a\r\n\r\n// b\r\n");
    assert_eq!(format(";;"), ";;\n");
}

#[test]
fn invalid_texts_return_their_errors() {
    let found = format_with(Files(&[]), "proc P; begin if a then b; else c end;").unwrap_err();
    let codes: Vec<&str> = found.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
    assert_eq!(codes, ["E0106"]);
}

/// Formats; the result must be stable and have the same contents.
fn holds(text: &str) {
    let Ok(once) = format_with(Files(&[]), text) else { return };
    let again = format_with(Files(&[]), &once);
    assert_eq!(again.as_ref(), Ok(&once), "{text:?}");
}

const SOUP: &str = "(proc P;|begin|begin |end|end;|if |a|then|else|;|; |:=|=|x|X|\\(|\\)|'01'|\"s\"|/\\* c \\*/|\
    // c\n|\\{ c\n  d \\}|\n|\n\n|\t|\r\n|1|-|and|not |while |do|for |to|repeat |until |var |integer|slice|: |,|const |\\.|\u{feff}){0,40}";

/// Generates long expressions of sums, products and arguments.
fn expressions() -> impl Strategy<Value = String> {
    let name = "[a-z]{3}_[a-z]{1,40}";
    name.prop_recursive(5, 40, 4, |inner| {
        let operators = prop::collection::vec(prop::sample::select(vec!["+", "-", "*"]), 3);
        let operands = prop::collection::vec(inner.clone(), 2..=4);
        let joined = (operators, operands).prop_map(|(operators, operands)| {
            let (first, others) = operands.split_first().unwrap();
            let others = operators.iter().zip(others);
            others.fold(first.clone(), |text, (operator, operand)| text + operator + operand)
        });
        prop_oneof![
            4 => joined,
            2 => inner.clone().prop_map(|text| format!("({text})")),
            1 => prop::collection::vec(inner, 1..4).prop_map(|args| format!("f_({})", args.join(","))),
        ]
    })
}

/// An operator or comma: its nesting depth, and the column if a line begins with it or with the
/// next token.
struct Operator {
    parentheses: usize,
    level: usize,
    column: Option<usize>,
}

/// Returns the operators of an expression, and the smallest number of open parentheses between each
/// and the preceding one.
fn operators(text: &str) -> Vec<(Operator, usize)> {
    let (mut found, mut parentheses, mut fewest) = (Vec::new(), 0, 0);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        for (at, c) in code.chars().enumerate() {
            let binds = match c {
                '(' => {
                    parentheses += 1;
                    continue;
                }
                ')' => {
                    parentheses -= 1;
                    fewest = fewest.min(parentheses);
                    continue;
                }
                ',' => 0,
                '+' | '-' => 1,
                '*' => 2,
                _ => continue,
            };
            let column = match c {
                ',' if at + 1 == code.len() => lines.peek().copied().map(indent),
                _ => (at == 0).then(|| indent(line)),
            };
            let level = 3 * parentheses + binds;
            found.push((Operator { parentheses, level, column }, fewest));
            fewest = parentheses;
        }
    }
    found
}

/// Asserts that every line that begins with an operator is indented more than those of enclosing
/// expressions, and aligned with those of the same expression.
fn indentation_says_what_is_nested(text: &str) {
    let operators = operators(text);
    for (idx, (one, _)) in operators.iter().enumerate() {
        let Some(column) = one.column else { continue };
        let (mut fewest, mut loosest) = (usize::MAX, one.level);
        for (other, open) in &operators[idx + 1..] {
            fewest = fewest.min(*open);
            let enclosed_by = other.level.min(one.level);
            let parentheses = other.parentheses.min(one.parentheses);
            if let Some(other_column) = other.column
                && fewest >= parentheses
                && loosest >= enclosed_by
            {
                assert_eq!(column.cmp(&other_column), one.level.cmp(&other.level), "{text}");
            }
            loosest = loosest.min(other.level);
        }
    }
}

#[test]
fn division_into_parts_is_invisible() {
    for (name, text) in star_stdlib::BASIC.iter().chain(star_stdlib::MODULES) {
        assert!(format_with(Files(&[]), text).is_ok(), "{name}");
        // As many lines as possible, and as few as possible.
        for text in [text.replace("; ", ";\n\n"), text.replace(";\n", "; ")] {
            let _ = format_with(Files(&[]), &text);
        }
    }
    let between =
        "const A = 1; // a\nconst BB = 2; // b\n\nconst C = 3;\nimport \"star:mst\"; /* c */
program P; /* d */ var i: integer; begin /* e */ i:=1; // f\n  i = 2; // g\n  // h\n  i:=3 /* i
  */; i:=4; /* j\n*/ i:=5;\n\n\n  ; i:=6;\n  begin i:=7;\n i:=8 end;\n\n  // k\nend. // l
// m\n\nproc Q; var w: word; begin\n MIN:=1;\n set(w); // n\n  frst(w)\nend; proc R; begin end";
    format(between);
}

#[test]
fn parts_are_as_long_as_their_longest_statement() {
    let statements = "i:=i+1;\nif i=1 then\nbegin i:=2;\ni:=3;\nend;\n";
    let text = format!("proc P;\nvar i: integer;\nbegin\n{}end;\n", statements.repeat(1000));
    let n_toks: Vec<usize> =
        Parts::new(&text, lexemes(&text), 1).map(|part| part.toks.len()).collect();
    assert_eq!(n_toks.len(), 2 * 1000 + 1);
    assert_eq!(n_toks.iter().max(), Some(&16));
    assert_eq!(n_toks.iter().sum::<usize>(), lexemes(&text).count());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn formatter_never_panics_on_text(text in "\\PC{0,60}") {
        holds(&text);
    }

    #[test]
    fn formatter_never_panics_on_tokens(text in SOUP) {
        holds(&text);
        holds(&format!("proc P; begin {text} end;"));
        holds(&format!("proc P({text} a: integer {text}); begin end;"));
    }

    #[test]
    fn long_expressions_are_indented_by_nesting(text in expressions()) {
        let text = body(&format!("result:={text};"));
        indentation_says_what_is_nested(text.split_once(":=").unwrap().1);
    }
}
