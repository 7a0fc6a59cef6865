use star_base::{SourceFile, SourceMap};

use super::*;

fn read(text: &str) -> (Vec<Header>, Vec<(String, String)>) {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("t.star", text.to_owned()));
    let parsed = star_syntax::parse(file, text);
    let (headers, faults) = headers(file, text, &parsed);
    let faults = faults.iter().map(|fault| {
        assert_eq!(fault.code, Code::BadHeader);
        (sources.slice(fault.span().expect("a place")).to_owned(), fault.message.clone())
    });
    let faults = faults.collect();
    (headers, faults)
}

fn one(text: &str) -> Header {
    let (headers, faults) = read(text);
    assert_eq!(faults, [], "{text}");
    headers.into_iter().next().expect("a header")
}

/// Returns the location and message of the only error of a header with this body.
fn fault(body: &str) -> (String, String) {
    let (_, faults) = read(&format!("/* @test t\n   {body} */"));
    assert_eq!(faults.len(), 1, "{body}: {faults:?}");
    faults.into_iter().next().expect("a fault")
}

fn texts(values: &[Values]) -> Vec<String> {
    let text = |template: &Template| template.text(&|_| Some(7)).expect("computable");
    values
        .iter()
        .map(|values| match values {
            Values::One(template) => text(template),
            Values::Range { from, to, .. } => format!("[{}, {}]", text(from), text(to)),
        })
        .collect()
}

fn values(right: &str) -> Vec<String> {
    texts(&one(&format!("/* @test t\n x = {right} */")).definitions[0].values)
}

const FULL: &str = "\
proc P; begin end;
/* @test closure of random graphs
   run      WARSHALL-C --max-steps 1000
   n        = 0, 1,2, 31..33
   // a remark
   m        = {3*n div 2}
   P        = adjacency: gen gnp -n {n}
              -p 0.1
   expect P = 011
              001
   expect value = {n}
   ensures  CLOSED
   same as  WARSHALL
   fails    t0101 line 12
   prints
     011

       1
   bench n  = 500
*/
(* @bench *)
";

#[test]
fn every_line_is_parsed() {
    let (headers, faults) = read(FULL);
    assert_eq!(faults, []);
    let [test, bench] = &headers[..] else { panic!("{headers:?}") };
    assert_eq!((test.kind, test.title.as_str()), (HeaderKind::Test, "closure of random graphs"));
    assert_eq!(test.routine.as_ref().map(|name| name.text.as_str()), Some("WARSHALL-C"));
    assert_eq!(test.options.as_ref().map(|name| name.text.as_str()), Some("--max-steps 1000"));
    let names: Vec<&str> = test.definitions.iter().map(|it| it.name.text.as_str()).collect();
    assert_eq!(names, ["n", "m", "P"]);
    assert_eq!(texts(&test.definitions[0].values), ["0", "1", "2", "[31, 33]"]);
    assert_eq!(texts(&test.definitions[1].values), ["10"]);
    assert_eq!(texts(&test.definitions[2].values), ["adjacency: gen gnp -n 7 -p 0.1"]);
    let kinds: Vec<String> = test
        .expectations
        .iter()
        .map(|it| match &it.what {
            Expected::Value { name, value } => {
                format!("{} = {}", name.text, value.text(&|_| Some(7)).unwrap())
            }
            Expected::Ensures(name) => format!("ensures {}", name.text),
            Expected::SameAs(name) => format!("same as {}", name.text),
            Expected::Fails { code, line } => format!("fails {code} {line:?}"),
            Expected::Prints(text) => format!("prints {text:?}"),
        })
        .collect();
    let expected = [
        "P = 011 001",
        "value = 7",
        "ensures CLOSED",
        "same as WARSHALL",
        "fails T0101 Some(12)",
        "prints \"011\\n\\n  1\\n\"",
    ];
    assert_eq!(kinds, expected);
    assert!(test.is_benchmark() && bench.is_benchmark());
    assert_eq!((bench.kind, bench.title.as_str()), (HeaderKind::Bench, ""));
    assert_eq!(test.fails(), Some(Code::IndexTrap));
}

#[test]
fn a_header_with_several_routines_is_read_once_for_each() {
    let (headers, faults) = read(
        "/* @bench both
   run A-1, B --checked
   n = 5
   published n=5: 1 s \"K40\" */",
    );
    assert_eq!(faults, []);
    let shown: Vec<String> = headers
        .iter()
        .map(|header| {
            let text = |name: &Option<Name>| name.as_ref().map_or("", |it| &it.text).to_owned();
            let (routine, options) = (text(&header.routine), text(&header.options));
            format!("{} {routine} {options} {}", header.title, header.published.len())
        })
        .collect();
    assert_eq!(shown, ["both A-1 --checked 1", "both B --checked 0"]);
    assert_eq!(headers[0].span, headers[1].span);
}

#[test]
fn locations_refer_to_the_file() {
    let header = one(FULL);
    let slice = |span: Span| &FULL[span.range()];
    assert_eq!(slice(header.span), "@test closure of random graphs");
    assert_eq!(slice(header.definitions[2].name.span), "P");
    assert_eq!(
        header.bench[0].name.span.range(),
        FULL.find("n  = 500").map(|at| at..at + 1).unwrap()
    );
    assert!(slice(header.definitions[2].span).ends_with("-p 0.1"));
    assert!(slice(header.expectations[0].span).starts_with("expect P = 011\n"));
    assert_eq!(slice(header.expectations[2].span), "ensures  CLOSED");
    assert!(slice(header.expectations[5].span).ends_with("       1"));
}

#[test]
fn commas_separate_values_before_blanks_or_between_integers() {
    assert_eq!(values("0,1,2..4"), ["0", "1", "[2, 4]"]);
    assert_eq!(values("a.gr, b,c.gr"), ["a.gr", "b,c.gr"]);
    assert_eq!(values("\"a, b\", c"), ["a, b", "c"]);
    assert_eq!(
        values("gen table --widths 16,16 --rows {n}"),
        ["gen table --widths 16,16 --rows 7"]
    );
    assert_eq!(values("{n}, {n}..{n}"), ["7", "[7, 7]"]);
    assert_eq!(values("../x"), ["../x"]);
    assert_eq!(values(""), [""]);
    assert_eq!(values("a{{b}}"), ["a{b}"]);
    let widths = one("/* @test t\n widths = 8,4 */");
    assert_eq!(texts(&widths.definitions[0].values), ["8,4"]);
}

#[test]
fn header_words_can_be_names() {
    let header = one("/* @test t\n run = 1\n expect = 2\n prints = 3\n bench = 4 */");
    let names: Vec<&str> = header.definitions.iter().map(|it| it.name.text.as_str()).collect();
    assert_eq!(names, ["run", "expect", "prints", "bench"]);
}

#[test]
fn invalid_headers_report_the_location() {
    let at = |body: &str, place: &str, message: &str| {
        assert_eq!(fault(body), (place.to_owned(), message.to_owned()), "{body}");
    };
    at("expects P = 1", "expects", "unknown line of a header: `expects`");
    at("2n = 1", "2n = 1", "`2n` is not a name");
    at("n = 1\n   n = 2", "n", "duplicate values of `n`");
    at("n = 1, , 2", "1, , 2", "missing value of `n` in the list");
    at("n = {1 +}", "1 +", "`1 +` is not an integer expression");
    at("n = {1", "{", "a `{` without a matching `}`");
    at("n = 1}", "}", "a `}` without a `{` before it");
    at("run", "run", "expected a routine after `run`");
    at("run A B", "B", "expected only options after the routine");
    at("run A\n   run B", "run B", "duplicate `run`");
    at("run A,", "run A,", "expected a routine next to `,`");
    at("run A, B, A", "A", "duplicate routine `A`");
    at("expect P", "expect P", "expected a name with a value after `expect`");
    at("expect P =", "expect P =", "missing value of `P`");
    at("expect P = 1\n   expect P = 2", "expect P = 2", "duplicate line");
    at("ensures", "ensures", "expected a routine after `ensures`");
    at("same as A B", "B", "expected only one routine after `same as`");
    at("same A", "same", "unknown line of a header: `same`");
    at("fails", "fails", "expected a code after `fails`");
    at("fails T0199", "T0199", "no run ends with the code `T0199`");
    at("fails W0101", "W0101", "no run ends with the code `W0101`");
    at("fails T0101 12", "12", "expected `line N` after the code");
    at("fails T0101 line x", "line x", "expected `line N` after the code");
    at("fails T0101\n   fails T0102", "fails T0102", "duplicate line");
    at("prints a\n   prints b", "prints b", "duplicate line");
    at("bench", "bench", "expected a name with values after `bench`");
    at("bench n = 1\n   bench n = 2", "n", "duplicate values of `n`");
}

#[test]
fn only_known_words_follow_the_at_sign() {
    let (headers, faults) = read("/* @tset t */ /* @test */ // @author me\n// @test t\n/*@*/");
    assert_eq!(headers.len(), 1);
    let messages: Vec<&str> = faults.iter().map(|(_, message)| message.as_str()).collect();
    let expected =
        ["unknown header `@tset`", "a header in a comment of one line", "unknown header `@`"];
    assert_eq!(messages, expected);
    assert_eq!(faults[0].0, "@tset");
    let (headers, faults) = read("proc P;\n/* @test t */\nbegin end;");
    assert_eq!((headers.len(), faults[0].1.as_str()), (0, "a header inside a routine"));
    let (_, faults) = read("/* @bench\n bench n = 1 */");
    assert_eq!(faults[0].1, "`bench` inside a benchmark");
}

#[test]
fn several_errors_are_reported_together() {
    let (headers, faults) = read("/* @test t\n  foo\n  n = 1\n  bar */");
    assert_eq!((headers.len(), faults.len()), (1, 2));
    assert_eq!(headers[0].definitions.len(), 1);
}

#[test]
fn the_reader_never_panics() {
    for end in 0..FULL.len() {
        if FULL.is_char_boundary(end) {
            read(&format!("{} */", &FULL[..end]));
        }
    }
    read("/* @test Я\n   Я = {Я}, «1»..2\n   ensures Я Я\n   fails Я */");
    read("{ @test t\n n = {1} }");
}
