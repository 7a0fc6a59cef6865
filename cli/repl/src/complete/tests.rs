//! Tests of completion; `|` marks the cursor.

use super::*;

fn names() -> Names {
    let signature =
        |name: &str, params: &str| Signature { name: name.to_owned(), params: params.to_owned() };
    let strings = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
    Names {
        values: strings(&["P", "Pairs", "x", "NUM", "E"]),
        fields: [("E".to_owned(), strings(&["tail", "end", "w"]))].into(),
        routines: vec![
            signature("WARSHALL", "(n: integer; var P: table)"),
            signature("WARSHALL-C", "(n: integer; var P: table)"),
            signature("WARSHALL-R", "(n: integer; var P: table)"),
            signature("MATCH", "(T: table(n,k); X: slice(n); v: word(k); var Z: slice(n))"),
        ],
        unimported: [("DIJKSTRA", "star:paths"), ("DIJON", "star:paths"), ("GABOW", "star:mst")]
            .map(|(name, module)| (signature(name, "(n: integer)"), module.to_owned()))
            .into(),
        modules: strings(&["star:closure", "star:paths"]),
        layouts: strings(&["adjacency", "arcs", "weights-out"]),
        backends: strings(&["cpu", "reference"]),
    }
}

struct Folder;

impl Files for Folder {
    fn names_in(&self, folder: &str) -> Vec<String> {
        let list: &[&str] = match folder {
            "" => &["road.gr", "data/", "closure.star", ".hidden", "a\u{1b}b"],
            "data/" => &["town.gr", "town.star"],
            _ => &[],
        };
        list.iter().map(|&name| name.to_owned()).collect()
    }
}

/// Returns the line with each candidate inserted.
fn completed(line: &str) -> String {
    let position = line.find('|').unwrap();
    let text = line.replace('|', "");
    let found = complete(&text, position, &names(), &Folder);
    let lines = found.candidates.iter();
    lines.map(|name| format!("{}{name}", &text[..found.start])).collect::<Vec<_>>().join(" / ")
}

#[test]
fn fields_are_completed_after_a_dot() {
    for (line, expected) in [
        ("E.|", "E.end / E.tail / E.w"),
        ("E.t|", "E.tail"),
        ("E[i].e|", "E[i].end"),
        ("x:=sum(E.w where E[x+Y[1]].t|", "x:=sum(E.w where E[x+Y[1]].tail"),
        ("E.x|", ""),
        ("P.t|", "P.table / P.then / P.to / P.true / P.type"),
        ("]].t|", "]].table / ]].then / ]].to / ]].true / ]].type"),
    ] {
        assert_eq!(completed(line), expected, "{line}");
    }
}

#[test]
fn names_are_completed_in_their_published_spelling() {
    for (line, expected) in [
        ("P|", "P / Pairs"),
        ("X := nu|", "X := NUM / X := NUMB"),
        ("X := NUMB|", "X := NUMB"),
        ("beg|", "begin"),
        ("BEG|", "begin"),
        ("Print|", "print"),
        ("war|", "WARSHALL / WARSHALL-C / WARSHALL-R"),
        ("WARSHALL-|", "WARSHALL-C / WARSHALL-R"),
        ("if ZERO(X) then warshall-c|", "if ZERO(X) then WARSHALL-C"),
        ("y := 5-NUMB|", "y := 5-NUMB"),
        ("COL(1,Pa|)", "COL(1,Pairs"),
        ("begin\n  fore|", "begin\n  foreach"),
        ("|", ""),
        ("X := |", ""),
        ("12|", ""),
        ("zzz|", ""),
        ("// P|", ""),
        ("X := '0|", ""),
    ] {
        assert_eq!(completed(line), expected, "{line}");
    }
}

#[test]
fn completes_commands_and_their_arguments() {
    for (line, expected) in [
        (":re|", ":reload / :reset"),
        (":t|", ":time / :type"),
        (":lo|", ":load "),
        (":q|", ":quit"),
        (":time o|", ":time off / :time on"),
        (":backend r|", ":backend reference"),
        (":limits st|", ":limits steps="),
        (":help star:|", ":help star:closure / :help star:paths"),
        (":help mat|", ":help MATCH"),
        (":load c|", ":load closure.star"),
        (":load data/|", ":load data/town.gr / :load data/town.star"),
        (":dump Pa|", ":dump Pairs"),
        (":dump P r|", ":dump P road.gr"),
        (":info x|", ":info x"),
        (":type NUMB(P|", ":type NUMB(P / :type NUMB(Pairs"),
        (":step war|", ":step WARSHALL / :step WARSHALL-C / :step WARSHALL-R"),
        (":quit x|", ""),
        (":nonsense x|", ""),
    ] {
        assert_eq!(completed(line), expected, "{line}");
    }
}

#[test]
fn completes_files_modules_and_layouts_in_strings() {
    for (line, expected) in [
        ("read(T, \"r|", "read(T, \"road.gr"),
        ("read(T, \"|", "read(T, \"closure.star / read(T, \"data/ / read(T, \"road.gr"),
        ("read(T, \".h|", "read(T, \".hidden"),
        (
            "read(T, \"road.gr\", \"a|",
            "read(T, \"road.gr\", \"adjacency / read(T, \"road.gr\", \"arcs",
        ),
        ("write(T, \"data/town.g|", "write(T, \"data/town.gr"),
        ("import \"star:|", "import \"star:closure / import \"star:paths"),
        ("import \"data/|", "import \"data/town.star"),
        (
            "import \"|",
            "import \"closure.star / import \"data/ / import \"star:closure / import \"star:paths",
        ),
    ] {
        assert_eq!(completed(line), expected, "{line}");
    }
}

#[test]
fn routines_of_modules_are_completed_with_their_import() {
    for (line, expected) in [
        ("x := 1; GAB|", "import \"star:mst\"; x := 1; GABOW"),
        ("gab|", "import \"star:mst\"; GABOW"),
        ("import \"star:mst\"; gab|", "import \"star:mst\"; GABOW"),
        // Several candidates, an entry of several lines, the argument of a command.
        ("DIJ|", "DIJKSTRA / DIJON"),
        ("begin\n  GAB|", "begin\n  GABOW"),
        (":type GAB|", ":type GABOW"),
    ] {
        assert_eq!(completed(line), expected, "{line}");
    }
    assert_eq!(hint("GABOW(", &names()).as_deref(), Some("   GABOW(n: integer)"));
}

#[test]
fn hints_show_the_signature_of_the_open_call() {
    let shown = |text: &str| hint(text, &names()).unwrap_or_default();
    assert_eq!(shown("WARSHALL("), "   WARSHALL(n: integer; var P: table)");
    assert_eq!(shown("warshall-c(3, "), "   WARSHALL-C(n: integer; var P: table)");
    assert_eq!(shown("WARSHALL(NUMB("), "   NUMB(Y)");
    assert_eq!(shown("WARSHALL(NUMB(X), "), "   WARSHALL(n: integer; var P: table)");
    assert_eq!(shown("WARSHALL((1"), "   WARSHALL(n: integer; var P: table)");
    assert_eq!(shown("y:=x-NUMB("), "   NUMB(Y)");
    for none in ["", "WARSHALL", "WARSHALL(3, P)", "(1", "nobody(", "WARSHALL( // "] {
        assert_eq!(shown(none), "", "{none}");
    }
}

#[test]
fn colours_preserve_the_text() {
    let text = "If X(1)='1' then print(\"end\") // while\nelse begin {if} end";
    let shown = coloured(text, 0);
    let expected = "\x1b[1mIf\x1b[0m X(1)=\x1b[32m'1'\x1b[0m \x1b[1mthen\x1b[0m \
                    print(\x1b[32m\"end\"\x1b[0m) \x1b[2m// while\x1b[0m\n\x1b[1melse\x1b[0m \
                    \x1b[1mbegin\x1b[0m \x1b[2m{if}\x1b[0m \x1b[1mend\x1b[0m";
    assert_eq!(shown, expected);
    assert!(matches!(coloured("X := Y", 0), Cow::Borrowed("X := Y")));
    assert!(matches!(coloured(":load begin", 0), Cow::Borrowed(_)));
    let pasted = "begin WARSHALL(1, ".repeat(MAX_TYPED);
    assert!(matches!(coloured(&pasted, 0), Cow::Borrowed(_)));
    assert_eq!(hint(&pasted, &names()), None);
}
