//! Semantic tokens, folding, selections, hints, lenses.

use serde_json::{Value, json};

use crate::client::{Client, position, slice};

const TEXT: &str = "/* Adds\n   ж */\nconst n = 2;
procedure P(T: table(r,h); var X: slice(r));
var i: integer; Y: slice; w: word;
begin
  Y:=COL(1,T); w:=ROW(1,T); i:=h;
  for i:=1 to n do
    X:=X or COL(i,T);
  X:=X and Y
end;

/* @test one
   run P
   T = 10 01
   X = 00
   expect X = 10 */
program M(var X: slice);
var T: table(2,2);
begin P(T,X) end.
";

fn whole(client: &Client, name: &str, text: &str) -> Value {
    json!({
        "textDocument": { "uri": client.uri(name) },
        "range": { "start": position(text, 0), "end": position(text, text.len()) },
    })
}

#[test]
fn semantic_tokens_tell_what_names_are() {
    let mut client = Client::new();
    client.open("a.star", TEXT);
    let found = client.of("textDocument/semanticTokens/full", "a.star");
    let data: Vec<u64> =
        found["data"].as_array().unwrap().iter().map(|one| one.as_u64().unwrap()).collect();
    let (mut line, mut start) = (0, 0);
    let mut shown = Vec::new();
    let kinds = client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    for token in data.chunks(5) {
        start = if token[0] == 0 { start + token[1] } else { token[1] };
        line += token[0];
        let range = json!({
            "start": { "line": line, "character": start },
            "end": { "line": line, "character": start + token[2] },
        });
        shown.push(format!(
            "{} {} {}",
            slice(TEXT, &range),
            kinds[token[3] as usize].as_str().unwrap(),
            token[4]
        ));
    }
    for expected in [
        "/* Adds comment 0",
        "   ж */ comment 0",
        "n variable 3",
        "P function 1",
        "T parameter 1",
        "r parameter 3",
        "slice type 0",
        "Y variable 1",
        "COL macro 8",
        "Y variable 4",
        "for keyword 0",
    ] {
        assert!(shown.iter().any(|one| one == expected), "{expected}: {shown:#?}");
    }
    client.close();
}

#[test]
fn hyphens_belong_to_the_names_of_procedures() {
    let mut client = Client::new();
    client.open(
        "a.star",
        "procedure A - B; begin end; procedure C(k: integer); begin A-B; k:=k-1 end;",
    );
    let found = client.of("textDocument/semanticTokens/full", "a.star");
    let data: Vec<u64> =
        found["data"].as_array().unwrap().iter().map(|one| one.as_u64().unwrap()).collect();
    let kinds: String = data.chunks(5).map(|token| token[3].to_string()).collect();
    // A keyword and three parts of a name; the same three parts, then `k:=k-1 end`.
    assert!(kinds.starts_with("0666") && kinds.ends_with("666848430"), "{kinds}");
    client.close();
}

#[test]
fn folds_and_selections_follow_the_structure() {
    let mut client = Client::new();
    client.open("a.star", TEXT);
    let folds = client.of("textDocument/foldingRange", "a.star");
    let lines: Vec<(u64, u64)> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["startLine"].as_u64().unwrap(), one["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(lines, [(0, 1), (5, 10), (3, 10), (12, 16), (17, 19)]);
    let at = position(TEXT, TEXT.find("i,T);\n  X").unwrap());
    let params = json!({ "textDocument": { "uri": client.uri("a.star") }, "positions": [at] });
    let found = client.request("textDocument/selectionRange", params).unwrap();
    let mut texts = Vec::new();
    let mut one = &found[0];
    while one.is_object() {
        texts.push(slice(TEXT, &one["range"]).lines().next().unwrap());
        one = &one["parent"];
    }
    let expected = [
        "i",
        "COL(i,T)",
        "X or COL(i,T)",
        "X:=X or COL(i,T)",
        "for i:=1 to n do",
        "procedure P(T: table(r,h); var X: slice(r));",
        "/* Adds",
    ];
    assert_eq!(texts, expected);
    client.close();
}

#[test]
fn hints_show_sizes_parameters_and_loops() {
    let mut client = Client::new();
    let text = TEXT.replace("P(T,X) end.", "P(T,(X)) end.").replace("(X)) end", "X) end");
    client.open("a.star", &text);
    let params = whole(&client, "a.star", &text);
    let hints = client.request("textDocument/inlayHint", params).unwrap();
    let shown: Vec<String> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|hint| {
            let label = &hint["label"];
            let label = label.as_str().or(label[0]["value"].as_str()).unwrap();
            format!("{} {label}", hint["position"]["line"])
        })
        .collect();
    assert!(shown.contains(&"4 (r)".to_owned()), "{shown:?}");
    assert!(shown.contains(&"4 (h)".to_owned()), "{shown:?}");
    assert!(shown.iter().any(|one| one.starts_with("7 ")), "{shown:?}");
    // With an error, the hints of the last text without errors remain.
    let broken = text.replace("X:=X and Y\n", "X:=X and Q\n");
    client.change("a.star", &broken);
    let params = whole(&client, "a.star", &broken);
    let again = client.request("textDocument/inlayHint", params).unwrap();
    assert!(again.as_array().unwrap().len() >= hints.as_array().unwrap().len() - 1, "{again}");
    client.close();
}

#[test]
fn a_hint_leads_to_a_reason_in_an_import() {
    let mut client = Client::new();
    let text = "import \"star:paths\";\nprogram P(C: slice; Next: table; code: table);\n\
        var x: integer;\nbegin\n  foreach x in C do print(VERTEX(ROW(x,Next),code));\nend.\n";
    client.open("a.star", text);
    let params = whole(&client, "a.star", text);
    let hints = client.request("textDocument/inlayHint", params).unwrap();
    let all = hints.as_array().unwrap();
    let uris: Vec<&str> =
        all.iter().filter_map(|hint| hint["label"][0]["location"]["uri"].as_str()).collect();
    assert!(matches!(uris[..], [uri] if uri.ends_with("paths.star")), "{hints}");
    client.close();
}

#[test]
fn arguments_have_the_names_of_parameters() {
    let mut client = Client::new();
    let text = "procedure Q(k: integer; b: boolean); begin end; program P; begin Q(3,true) end.";
    client.open("a.star", text);
    let params = whole(&client, "a.star", text);
    let hints = client.request("textDocument/inlayHint", params).unwrap();
    let shown: Vec<&str> =
        hints.as_array().unwrap().iter().filter_map(|hint| hint["label"].as_str()).collect();
    assert_eq!(shown, ["k:", "b:"]);
    client.close();
}

#[test]
fn lenses_offer_programs_tests_and_plans() {
    let mut client = Client::new();
    client.open("a.star", TEXT);
    let lenses = client.of("textDocument/codeLens", "a.star");
    let mut titles: Vec<&str> = lenses
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| lens["command"]["title"].as_str().unwrap())
        .collect();
    titles.sort_unstable();
    assert_eq!(titles.len(), 3, "{titles:?}");
    assert!(titles[0].starts_with("Plan: "), "{titles:?}");
    assert_eq!(titles[1..], ["▶ Run", "▶ Run test (1 case)"]);
    client.close();
}
