//! Definitions, references, renaming, symbols, calls, hover.

use serde_json::{Value, json};

use crate::client::{Client, edited, slice};

const LIB: &str = "/* Returns k + 1.

   k: a number. */
function NEXT(k: integer): integer;
begin NEXT:=k+1 end;

const limit = 7;
";

const MAIN: &str = "import \"lib.star\";

/* Counts the ones of X.
   Example: none. */
procedure COUNT(X: slice(n); var c: integer);
var Y: slice(n); i: integer;
begin
  Y:=X; c:=0; /* ж */ i:=NEXT(limit);
  while SOME(Y) do begin i:=STEP(Y); c:=NEXT(c) end
end;

program P(X: slice; var c: integer);
begin COUNT(X,c) end.
";

fn open() -> Client {
    let mut client = Client::new();
    client.write("lib.star", LIB);
    client.open("main.star", MAIN);
    client
}

fn place(text: &str, word: &str, add: usize) -> Value {
    crate::client::position(text, text.find(word).unwrap() + add)
}

#[test]
fn definitions_lead_to_declarations_in_all_files() {
    let mut client = open();
    let mut target = |word: &str, add| {
        let found = client.at("textDocument/definition", "main.star", &place(MAIN, word, add));
        let uri = found["uri"].as_str().unwrap_or_default().to_owned();
        let text = match uri.rsplit('/').next().unwrap() {
            "main.star" => MAIN.to_owned(),
            "lib.star" => LIB.to_owned(),
            "" => return String::new(),
            _ => std::fs::read_to_string(uri.strip_prefix("file://").unwrap()).unwrap(),
        };
        let name = uri.rsplit('/').next().unwrap().to_owned();
        format!("{name} {} {}", found["range"]["start"]["line"], slice(&text, &found["range"]))
    };
    assert_eq!(target("NEXT(limit)", 2), "lib.star 3 NEXT");
    assert_eq!(target("limit", 0), "lib.star 6 limit");
    assert_eq!(target("COUNT(X,c)", 5), "main.star 4 COUNT");
    assert_eq!(target("STEP(Y)", 5), "main.star 5 Y");
    assert_eq!(target("n); var c", 0), "main.star 4 n");
    assert_eq!(target("lib.star", 3), "lib.star 0 ");
    assert_eq!(target("STEP", 0), "");
    client.close();
}

#[test]
fn definitions_of_library_routines_are_in_a_file() {
    let mut client = Client::new();
    let text = "procedure P(var T: table); var X: slice(T); begin SET(X); MIN(T,X,X) end;";
    client.open("a.star", text);
    let found = client.at("textDocument/definition", "a.star", &place(text, "MIN", 1));
    let path = found["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    let library = std::fs::read_to_string(path).unwrap();
    assert_eq!(slice(&library, &found["range"]), "MIN");
    client.close();
}

#[test]
fn references_and_highlights_cover_the_workspace() {
    let mut client = open();
    let more = json!({ "context": { "includeDeclaration": true } });
    let all = client
        .at_with("textDocument/references", "main.star", &place(MAIN, "NEXT(limit)", 0), more)
        .unwrap();
    let files: Vec<&str> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uri"].as_str().unwrap().rsplit('/').next().unwrap())
        .collect();
    assert_eq!(files, ["lib.star", "lib.star", "main.star", "main.star"]);
    let found = client.at("textDocument/documentHighlight", "main.star", &place(MAIN, "Y: sl", 0));
    let kinds: Vec<u64> =
        found.as_array().unwrap().iter().map(|one| one["kind"].as_u64().unwrap()).collect();
    // Declaration, assignment, SOME, STEP.
    assert_eq!(kinds, [3, 3, 2, 3]);
    client.close();
}

#[test]
fn renaming_changes_all_files_and_no_meaning() {
    let mut client = open();
    client.write("other.star", "import \"lib.star\"; program Q; begin print(NEXT(1)) end.");
    let mut rename = |word: &str, new: &str| {
        let at = place(MAIN, word, 0);
        client.at_with("textDocument/rename", "main.star", &at, json!({ "newName": new }))
    };
    let changes = rename("NEXT(limit)", "SUCC").unwrap()["changes"].clone();
    let of = |changes: &Value, name: &str, text: &str| {
        let uri = changes.as_object().unwrap().keys().find(|uri| uri.ends_with(name)).unwrap();
        edited(text, &changes[uri])
    };
    assert_eq!(of(&changes, "lib.star", LIB).matches("SUCC").count(), 2);
    assert_eq!(of(&changes, "main.star", MAIN).matches("SUCC").count(), 2);
    assert!(changes.as_object().unwrap().keys().any(|uri| uri.ends_with("other.star")));
    let changes = rename("Y:=X", "Rest").unwrap()["changes"].clone();
    let new = of(&changes, "main.star", MAIN);
    assert!(new.contains("var Rest: slice(n)") && new.contains("STEP(Rest)"), "{new}");
    let refused = |result: Result<Value, (i32, String)>| result.unwrap_err().1;
    assert_eq!(refused(rename("Y:=X", "1x")), "`1x` is not a valid name");
    assert_eq!(refused(rename("Y:=X", "begin")), "`begin` is not a valid name");
    let why = refused(rename("Y:=X", "i"));
    assert_eq!(why, "cannot rename `Y` to `i`: `i` is declared twice");
    // `limit` would hide the imported constant.
    let why = refused(rename("Y:=X", "limit"));
    assert!(why.starts_with("cannot rename `Y` to `limit`"), "{why}");
    let why = refused(rename("STEP", "TAKE"));
    assert_eq!(why, "cannot rename `STEP`: it is a word of the language");
    client.close();
}

#[test]
fn hover_shows_documentation_types_and_sizes() {
    let mut client = open();
    // Sizes come from the plan, which a request for hints computes.
    let range = json!({ "start": place(MAIN, "import", 0), "end": place(MAIN, "end.", 0) });
    let uri = client.uri("main.star");
    let params = json!({ "textDocument": { "uri": uri }, "range": range });
    client.request("textDocument/inlayHint", params).unwrap();
    let mut hover = |word: &str| {
        let found = client.at("textDocument/hover", "main.star", &place(MAIN, word, 0));
        found["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let text = hover("NEXT(limit)");
    assert!(text.starts_with("```star\nfunction NEXT(k: integer): integer\n```"), "{text}");
    assert!(text.contains("Returns k + 1."), "{text}");
    let text = hover("Y: slice");
    assert!(text.contains("var Y: slice(n)") && text.contains("Variable of `COUNT`"), "{text}");
    assert!(text.contains("**Size:** n components"), "{text}");
    assert!(text.contains("**Row space:** `n`, shared with `X`"), "{text}");
    assert!(hover("limit").contains("const limit = 7;"));
    let text = hover("STEP");
    assert!(text.contains("STEP(Y)") && text.contains("Cost:** 1"), "{text}");
    assert!(hover("while").contains("a loop") || hover("while").contains("A loop"));
    assert_eq!(hover("ж"), "");
    client.close();
}

#[test]
fn symbols_and_calls_form_hierarchies() {
    let mut client = open();
    let symbols = client.of("textDocument/documentSymbol", "main.star");
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["lib.star", "COUNT", "P"]);
    let children: Vec<&str> = symbols[1]["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(children, ["X", "c", "Y", "i"]);
    let found = client.request("workspace/symbol", json!({ "query": "next" })).unwrap();
    assert_eq!(found[0]["name"], "NEXT");
    let at = place(MAIN, "NEXT(limit)", 1);
    let items = client.at("textDocument/prepareCallHierarchy", "main.star", &at);
    assert_eq!(items[0]["name"], "NEXT");
    let params = json!({ "item": items[0] });
    let calls = client.request("callHierarchy/incomingCalls", params).unwrap();
    assert_eq!(calls[0]["from"]["name"], "COUNT");
    assert_eq!(calls[0]["fromRanges"].as_array().unwrap().len(), 2);
    let at = place(MAIN, "COUNT(X,c)", 1);
    let items = client.at("textDocument/prepareCallHierarchy", "main.star", &at);
    let params = json!({ "item": items[0] });
    let calls = client.request("callHierarchy/outgoingCalls", params).unwrap();
    assert_eq!(calls[0]["to"]["name"], "NEXT");
    client.close();
}

#[test]
fn half_typed_text_keeps_the_last_answers() {
    let mut client = open();
    client.diagnostics("main.star");
    let broken = MAIN.replace("c:=NEXT(c) end", "c:=NEXT(c end");
    client.change("main.star", &broken);
    let at = place(&broken, "NEXT(c end", 1);
    let found = client.at("textDocument/definition", "main.star", &at);
    assert!(found["uri"].as_str().unwrap().ends_with("lib.star"), "{found}");
    let unknown = MAIN.replace("COUNT(X,c) end.", "COUNTS(X,c) end.");
    client.change("main.star", &unknown);
    let at = place(&unknown, "COUNTS(X,c)", 7);
    let found = client.at("textDocument/definition", "main.star", &at);
    assert_eq!(slice(&unknown, &found["range"]), "X", "{found}");
    client.close();
}

#[test]
fn links_lead_to_imports_and_data() {
    let mut client = open();
    client.write("road.gr", "");
    client.open("a.star", "import \"lib.star\"; program P; var T: table; begin read(T,\"road.gr\",\"adjacency\"); read(T,\"none\",\"arcs\") end.");
    let links = client.of("textDocument/documentLink", "a.star");
    let targets: Vec<&str> = links
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["target"].as_str().unwrap().rsplit('/').next().unwrap())
        .collect();
    assert_eq!(targets, ["lib.star", "road.gr"]);
    client.close();
}

#[test]
fn renaming_changes_headers_of_tests() {
    let mut client = Client::new();
    let text = "/* @test sums
   run SUM
   n = 1..3
   k = {n + 1}
   bench n = 9
   expect value = {n + k}
   ensures FINE */
function SUM(n,k: integer): integer; begin SUM:=n+k end;
function FINE(n,k: integer): boolean; begin FINE:=n<k end;
";
    client.open("main.star", text);
    let mut rename = |word: &str, new: &str| {
        let at = place(text, word, 0);
        let changes =
            client.at_with("textDocument/rename", "main.star", &at, json!({ "newName": new }));
        let changes = changes.unwrap()["changes"].clone();
        edited(text, changes.as_object().unwrap().values().next().unwrap())
    };
    assert_eq!(rename("SUM(n", "ADD"), text.replace("SUM", "ADD"));
    assert_eq!(rename("FINE(n", "GOOD"), text.replace("FINE", "GOOD"));
    let renamed = rename("n,k: integer): integer", "m");
    let (head, _) = renamed.split_once("function").unwrap();
    let of_header = "   m = 1..3\n   k = {m + 1}\n   bench m = 9\n   expect value = {m + k}";
    assert!(head.contains(of_header), "{head}");
    assert!(renamed.contains("SUM(m,k: integer): integer; begin SUM:=m+k end"), "{renamed}");
    client.close();
}
