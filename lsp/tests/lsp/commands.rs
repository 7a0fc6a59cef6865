//! Commands, cancellation and other messages of the protocol.

use serde_json::{Value, json};

use crate::client::Client;

#[test]
fn the_plan_is_shown_without_running_anything() {
    let mut client = Client::new();
    let text = "procedure P(T: table; var X: slice);\nvar i: integer;\nbegin\n  for i:=1 to size(T) do\n    X:=X or COL(i,T)\nend;\n";
    client.open("a.star", text);
    let argument = json!({ "uri": client.uri("a.star") });
    let params = json!({ "command": "star.plan", "arguments": [argument] });
    let shown = client.request("workspace/executeCommand", params).unwrap();
    assert!(shown.as_str().unwrap().starts_with("line 4: "), "{shown}");
    let params = json!({ "command": "star.run", "arguments": [argument] });
    let refused = client.request("workspace/executeCommand", params).unwrap_err();
    assert_eq!(refused.1, "this server cannot run programs");
    client.close();
}

#[test]
fn requests_are_cancelled_and_unknown_ones_refused() {
    let mut client = Client::new();
    client.open("a.star", "procedure P; begin end;");
    assert_eq!(client.request("star/unknown", Value::Null).unwrap_err().0, -32601);
    assert_eq!(client.request("textDocument/hover", json!({})).unwrap_err().0, -32602);
    // Of many requests, one that is cancelled is answered, with or without a result.
    let uri = client.uri("a.star");
    let params = json!({ "textDocument": { "uri": uri } });
    let ids: Vec<_> =
        (0..20).map(|_| client.send("textDocument/codeLens", params.clone())).collect();
    client.notify("$/cancelRequest", json!({ "id": 22 }));
    let mut refused = 0;
    let mut left = ids.len();
    for id in &ids {
        // Answers may come in another order: cancelled ones first.
        match client.answer_in_any_order(id) {
            Ok(_) => {}
            Err((code, _)) => {
                assert_eq!(code, -32800);
                refused += 1;
            }
        }
        left -= 1;
    }
    assert!(left == 0 && refused <= 1);
    client.close();
}

#[test]
fn obsolete_requests_are_refused() {
    let mut client = Client::new();
    client.open("a.star", "procedure P; begin end;");
    let params = json!({ "textDocument": { "uri": client.uri("a.star") } });
    let ids: Vec<_> =
        (0..5).map(|_| client.send("textDocument/codeLens", params.clone())).collect();
    client.change("a.star", "procedure Q; begin end;");
    for id in &ids {
        if let Err((code, _)) = client.answer_in_any_order(id) {
            assert_eq!(code, -32801);
        }
    }
    client.close();
}

#[test]
fn invalid_notifications_do_not_end_the_server() {
    let mut client = Client::new();
    client.notify("textDocument/didOpen", json!({ "textDocument": 3 }));
    client.notify("textDocument/didChange", Value::Null);
    client.notify("star/unknown", Value::Null);
    client.open("a.star", "procedure P; begin end;");
    assert_eq!(client.diagnostics("a.star"), Vec::<Value>::new());
    client.close();
}

#[test]
fn documents_without_a_file_are_checked() {
    let mut client = Client::new();
    let document = json!({
        "uri": "untitled:Untitled-1", "languageId": "star", "version": 1,
        "text": "procedure P; begin X end;",
    });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let params = json!({ "textDocument": { "uri": "untitled:Untitled-1" } });
    let symbols = client.request("textDocument/documentSymbol", params).unwrap();
    assert_eq!(symbols[0]["name"], "P");
    client.close();
}
