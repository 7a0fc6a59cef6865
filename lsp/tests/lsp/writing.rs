//! Diagnostics, completion, signatures and formatting while a text is typed.

use serde_json::{Value, json};

use crate::client::{Client, edited, slice, unmarked};

fn codes(found: &[Value]) -> Vec<&str> {
    found.iter().map(|one| one["code"].as_str().unwrap()).collect()
}

fn labels(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn diagnostics_are_published_for_each_version() {
    let mut client = Client::new();
    let text = "procedure P(var X: slice);\nvar i: integer;\nbegin\n\t/*Я😀*/ X = Y; i:=Z\nend;\n";
    client.open("a.star", text);
    let found = client.diagnostics("a.star");
    assert_eq!(codes(&found), ["W0101", "E0201", "E0201"]);
    assert_eq!(slice(text, &found[0]["range"]), "=");
    assert_eq!(slice(text, &found[1]["range"]), "Y");
    assert_eq!(found[0]["tags"], json!([2]));
    client.change("a.star", "procedure P(var X: slice); begin SET(X) end;");
    assert_eq!(client.diagnostics("a.star"), Vec::<Value>::new());
    client.close();
}

#[test]
fn related_places_and_headers_are_shown() {
    let mut client = Client::new();
    let text =
        "procedure P(var X: slice; w: word); begin X:=w end;\n/* @test\n   run Q\n   = 3 */\n";
    client.open("a.star", text);
    let found = client.diagnostics("a.star");
    assert_eq!(codes(&found), ["E0301", "E0703"]);
    let related = &found[0]["relatedInformation"][0];
    assert_eq!(slice(text, &related["location"]["range"]), "X");
    assert!(found[0]["message"].as_str().unwrap().contains("\nhelp: `CONVERT`"), "{found:?}");
    client.close();
}

#[test]
fn documents_that_import_a_changed_one_are_checked_again() {
    let mut client = Client::new();
    client.open("lib.star", "procedure Q(var X: slice); begin SET(X) end;");
    client.open("a.star", "import \"lib.star\"; procedure P(var X: slice); begin Q(X) end;");
    assert_eq!(client.diagnostics("lib.star"), Vec::<Value>::new());
    assert_eq!(client.diagnostics("a.star"), Vec::<Value>::new());
    client.change("lib.star", "procedure R(var X: slice); begin SET(X) end;");
    assert_eq!(codes(&client.diagnostics("a.star")), ["E0202"]);
    client.change("lib.star", "procedure Q(var X: slice); begin SET(X end;");
    let found = client.diagnostics("a.star");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.starts_with("error in the imported file: "), "{message}");
    client.close();
}

#[test]
fn a_client_can_ask_for_diagnostics() {
    let mut client = Client::with(json!({ "textDocument": { "diagnostic": {} } }));
    client.open("a.star", "procedure P; begin X end;");
    let report = client.of("textDocument/diagnostic", "a.star");
    assert_eq!(report["kind"], "full");
    assert_eq!(codes(report["items"].as_array().unwrap()), ["E0202"]);
    let params = json!({
        "textDocument": { "uri": client.uri("a.star") }, "previousResultId": report["resultId"],
    });
    let again = client.request("textDocument/diagnostic", params).unwrap();
    assert_eq!(again["kind"], "unchanged");
    assert!(client.received.is_empty(), "{:?}", client.received);
    client.close();
}

#[test]
fn completion_knows_what_is_visible() {
    let mut client = Client::new();
    client.write("lib.star", "procedure HELP(k: integer); begin end; const most = 3;");
    let places = client.open(
        "a.star",
        "import \"lib.star\";\nprocedure P(T: table; var Y: slice);\nvar count: integer;\nbegin\n  |c\nend;\n",
    );
    let found = client.at("textDocument/completion", "a.star", &places[0]);
    let names = labels(&found);
    for name in ["count", "T", "Y", "most", "HELP", "P", "MATCH", "COL", "begin", "foreach … do"]
    {
        assert!(names.iter().any(|one| one == name), "{name}: {names:?}");
    }
    let item = |name: &str| {
        found["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|item| item["label"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(item("count")["detail"], "integer");
    assert_eq!(item("HELP")["textEdit"]["newText"], "HELP(${1:k})");
    let resolved = client.request("completionItem/resolve", item("MATCH")).unwrap();
    let text = resolved["documentation"]["value"].as_str().unwrap();
    assert!(text.starts_with("```star\nprocedure MATCH("), "{text}");
    client.close();
}

#[test]
fn completion_survives_half_typed_text() {
    let mut client = Client::new();
    let good = "procedure P(T: table);\nvar weight: word(T);\nbegin\n  weight:=ROW(1,T)\nend;\n";
    client.open("a.star", good);
    client.diagnostics("a.star");
    for text in [
        "procedure P(T: table);\nvar weight: word(T);\nbegin\n  weight:=ROW(1,T); we|\nend;\n",
        "procedure P(T: table);\nvar weight: word(T);\nbegin\n  weight:=ROW(1,T); if (we|\nend;\n",
        "procedure P(T: table);\nvar weight: word(T);\nbegin\n  weight:=ROW(we|",
    ] {
        let places = client.change("a.star", text);
        let found = client.at("textDocument/completion", "a.star", &places[0]);
        assert!(labels(&found).contains(&"weight".to_owned()), "{text}");
    }
    client.close();
}

#[test]
fn completion_imports_what_is_not_visible() {
    let mut client = Client::new();
    let places = client.open("a.star", "procedure P(var T: table);\nbegin\n  warsh|\nend;\n");
    let found = client.at("textDocument/completion", "a.star", &places[0]);
    let items = found["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["label"] == "WARSHALL").unwrap();
    assert_eq!(item["additionalTextEdits"][0]["newText"], "import \"star:closure\";\n\n");
    client.close();
}

#[test]
fn completion_inside_strings_offers_files_and_layouts() {
    let mut client = Client::new();
    client.write("road.gr", "");
    client.write("lib.star", "");
    let places = client.open(
        "a.star",
        "import \"|\"; program P; var T: table; begin read(T,\"|\",\"adj|\") {|} end.",
    );
    let mut at = |idx: usize| labels(&client.at("textDocument/completion", "a.star", &places[idx]));
    let modules = at(0);
    assert!(modules.contains(&"star:closure".to_owned()), "{modules:?}");
    assert!(modules.contains(&"lib.star".to_owned()) && !modules.contains(&"road.gr".to_owned()));
    assert_eq!(at(1), ["lib.star", "road.gr"]);
    let layouts = at(2);
    assert!(layouts.contains(&"adjacency".to_owned()) && layouts.contains(&"grid".to_owned()));
    assert_eq!(at(3), Vec::<String>::new());
    client.close();
}

#[test]
fn completion_knows_columns_of_data_files() {
    let mut client = Client::new();
    client.write("trips.csv", "from,start,price\nHarbour,2026-05-01,2.40\nStation,2026-05-02,\n");
    client.write("road.gr", "p sp 2 1\na 1 2 7\n");
    let places = client.open(
        "a.star",
        "program P; var T: table; begin read(T, \"trips.csv\", \"fi|\") end.\n\
         /* @test t\n   run Q\n   P = |\n   T = field:|\n   w = 1, code:from=H|\n   \
         n = distances:|\n   expect| */ /* no header\n = | */",
    );
    let mut at = |idx: usize| client.at("textDocument/completion", "a.star", &places[idx]);
    let found = at(0);
    let names = labels(&found);
    for name in ["field:price", "code:from=", "records", "adjacency"] {
        assert!(names.iter().any(|one| one == name), "{name}: {names:?}");
    }
    let detail = |name: &str| {
        let all = found["items"].as_array().unwrap();
        all.iter().find(|item| item["label"] == name).unwrap()["detail"].clone()
    };
    assert_eq!(detail("field:from"), "texts: Harbour, Station");
    assert_eq!(detail("field:start"), "dates");
    let names = labels(&at(1));
    for name in ["trips.csv", "road.gr", "distances:", "field:"] {
        assert!(names.iter().any(|one| one == name), "{name}: {names:?}");
    }
    assert_eq!(
        labels(&at(2)),
        ["field:from:trips.csv", "field:start:trips.csv", "field:price:trips.csv"]
    );
    assert!(labels(&at(3)).is_empty());
    assert_eq!(labels(&at(4)), ["distances:road.gr", "distances:trips.csv"]);
    assert!(labels(&at(5)).is_empty() && labels(&at(6)).is_empty());
    client.close();
}

#[test]
fn signatures_mark_the_parameter() {
    let mut client = Client::new();
    let places = client
        .open("a.star", "procedure P(T: table; var X: slice); begin MATCH(T,|X); REP(1,2,| end;");
    let found = client.at("textDocument/signatureHelp", "a.star", &places[0]);
    let label = found["signatures"][0]["label"].as_str().unwrap();
    assert!(label.starts_with("procedure MATCH("), "{label}");
    assert_eq!(found["activeParameter"], 1);
    let range = &found["signatures"][0]["parameters"][1]["label"];
    let (start, end) = (range[0].as_u64().unwrap() as usize, range[1].as_u64().unwrap() as usize);
    assert_eq!(&label[start..end], "X");
    let found = client.at("textDocument/signatureHelp", "a.star", &places[1]);
    assert_eq!(found["signatures"][0]["label"], "REP(i,j,v,w)");
    assert_eq!(found["activeParameter"], 2);
    client.close();
}

#[test]
fn formatting_returns_small_edits() {
    let mut client = Client::new();
    let text = "PROCEDURE P(var X: slice);\nBEGIN  /* ж */\nSET( X );CLR(X) ;\nEND;\n";
    client.open("a.star", text);
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let uri = client.uri("a.star");
    let params = json!({ "textDocument": { "uri": uri }, "options": options });
    let edits = client.request("textDocument/formatting", params).unwrap();
    let formatted = edited(text, &edits);
    assert!(formatted.starts_with("procedure P(var X: slice);\nbegin"), "{formatted}");
    assert!(formatted.contains("SET(X);"), "{formatted}");
    let start = json!({ "line": 2, "character": 0 });
    let end = json!({ "line": 2, "character": 5 });
    let params = json!({
        "textDocument": { "uri": uri }, "options": options, "range": { "start": start, "end": end },
    });
    let edits = client.request("textDocument/rangeFormatting", params).unwrap();
    assert!(edited(text, &edits).starts_with("PROCEDURE"), "{edits}");
    // A text that does not parse stays as it is.
    client.change("a.star", "procedure P; begin ( end;");
    let params = json!({ "textDocument": { "uri": uri }, "options": options });
    assert_eq!(client.request("textDocument/formatting", params).unwrap(), json!([]));
    client.close();
}

#[test]
fn new_lines_are_indented_while_typing() {
    let mut client = Client::new();
    let marked = "procedure P(var X: slice);\nbegin\n  while SOME(X) do\n|\nend;\n";
    let (text, _) = unmarked(marked);
    let places = client.open("a.star", marked);
    let more = json!({ "ch": "\n", "options": { "tabSize": 2, "insertSpaces": true } });
    let edits =
        client.at_with("textDocument/onTypeFormatting", "a.star", &places[0], more).unwrap();
    assert!(edited(&text, &edits).contains("do\n    \nend;"), "{edits}");
    client.close();
}

#[test]
fn records_are_checked_while_they_are_typed() {
    let mut client = Client::new();
    client.open("a.star", "");
    let head = "type R(h) = record a: uint(h); end: bit end;\n\
        procedure P(T: table(m) of R(h); var i: integer); begin ";
    for (body, expected) in [
        ("i:=argmin(T.a where T.a > 3)", vec![]),
        ("i:=T[1].a + count(T.end)", vec![]),
        ("i:=T[", vec!["E0105"]),
        ("i:=T.", vec!["E0105"]),
        ("i:=T.b", vec!["E0315"]),
    ] {
        let text = format!("{head}{body} end;");
        client.change("a.star", &text);
        assert_eq!(codes(&client.diagnostics("a.star")), expected, "{body}");
        let symbols = client.of("textDocument/documentSymbol", "a.star");
        assert!(symbols.as_array().is_some_and(|found| !found.is_empty()), "{symbols}");
        client.of("textDocument/semanticTokens/full", "a.star");
    }
    client.close();
}
