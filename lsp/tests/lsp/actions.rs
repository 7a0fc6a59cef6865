//! Code actions: each is applied, and its result must compile.

use serde_json::{Value, json};

use crate::client::{Client, edited, unmarked};

/// Applies the action with this title at the marked selection, and returns the new text.
fn applied(marked: &str, title: &str) -> String {
    let mut client = Client::new();
    let (text, _) = unmarked(marked);
    let places = client.open("a.star", marked);
    let to = places.last().unwrap().clone();
    let actions = client.actions("a.star", &places[0], &to);
    let titles: Vec<&str> = actions.iter().map(|one| one["title"].as_str().unwrap()).collect();
    let found = actions.iter().find(|one| one["title"] == title);
    let found = found.unwrap_or_else(|| panic!("no `{title}` in {titles:?} for\n{text}"));
    let changes = found["edit"]["changes"].as_object().unwrap();
    let new = edited(&text, changes.values().next().unwrap());
    client.diagnostics("a.star");
    client.change("a.star", &new);
    let left = client.diagnostics("a.star");
    assert!(left.iter().all(|one| one["severity"] != 1), "{new}\n{left:#?}");
    client.close();
    new
}

fn titles(marked: &str) -> Vec<String> {
    let mut client = Client::new();
    let places = client.open("a.star", marked);
    let to = places.last().unwrap().clone();
    let actions = client.actions("a.star", &places[0], &to);
    client.close();
    actions.iter().map(|one: &Value| one["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn fixes_of_the_compiler_are_applied() {
    let new = applied("procedure P(var i: integer); begin i |= 1 end;", "Write `:=`");
    assert!(new.contains("i := 1"), "{new}");
    let new = applied(
        "procedure P(var X: slice; var i: integer); begin if X(1)| then i:=1 end;",
        "Write `= 1`",
    );
    assert!(new.contains("X(1) = 1 then"), "{new}");
    let new =
        applied("procedure P(var weight: word); begin SET(wieght|) end;", "Change to `weight`");
    assert!(new.contains("SET(weight)"), "{new}");
}

#[test]
fn all_certain_fixes_are_applied_at_once() {
    let text = "procedure P(var i: integer); begin i = 1|; i = 2; if i=1 then i:=2; else i:=3 end;";
    let new = applied(text, "Apply all certain fixes");
    let expected =
        "procedure P(var i: integer); begin i := 1; i := 2; if i=1 then i:=2 else i:=3 end;";
    assert_eq!(new, expected);
}

#[test]
fn unused_variables_and_imports_are_greyed_and_removed() {
    let text =
        "import \"star:mst\";\nprocedure P(var i: integer);\nvar j, k: integer;\nbegin i := 1 end;";
    let mut client = Client::new();
    client.open("a.star", text);
    let found = client.diagnostics("a.star");
    let codes: Vec<&str> = found.iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["W0111", "W0108", "W0108"]);
    assert!(found.iter().all(|one| one["tags"] == json!([1])), "{found:#?}");
    client.close();
    let new = applied(&text.replace("k:", "|k:"), "Remove `k`");
    assert_eq!(new, text.replace(", k", ""));
    let new = applied(&text.replace("\"star", "|\"star"), "Remove the import");
    assert_eq!(new, text.split_once('\n').unwrap().1);
    // Fixes that an editor applies whenever a text is saved leave them.
    let marked = text.replace("begin", "|begin");
    assert!(!titles(&marked).contains(&"Apply all certain fixes".to_owned()));
}

#[test]
fn unknown_variables_are_declared_with_their_type() {
    let cases = [
        ("procedure P(T: table); begin |X:=COL(1,T) end;", "X: slice"),
        ("procedure P(T: table); begin |w:=ROW(1,T) end;", "w: word"),
        ("procedure P(T: table); begin foreach |k in COL(1,T) do exit end;", "k: integer"),
        ("procedure P(T: table); begin |b:=SOME(COL(1,T)) end;", "b: boolean"),
        ("procedure P(T: table); var i: integer; begin |j:=i+1 end;", "j: integer"),
        ("procedure P(T: table); begin MATCH(T,COL(1,T),ROW(1,T),|Z) end;", "Z: slice"),
    ];
    for (text, declaration) in cases {
        let new = applied(text, &format!("Declare `{declaration}`"));
        assert!(new.contains(&format!("{declaration};")), "{new}");
    }
}

#[test]
fn modules_are_imported() {
    let text = "/* A file. */\n\nprocedure P(var T: table(n,n)); begin |WARSHALL(n,T) end;\n";
    let new = applied(text, "Import \"star:closure\"");
    assert!(new.starts_with("/* A file. */\n\nimport \"star:closure\";\n\nprocedure"), "{new}");
}

#[test]
fn a_missing_end_is_added() {
    let text = "procedure P(var X: slice);\nbegin\n  while SOME(X) do\n  begin\n    FRST(X); CLR(X)\nend;|\n";
    let new = applied(text, "Add the missing `end`");
    assert_eq!(new.matches("end").count(), 2, "{new}");
}

#[test]
fn imports_are_organised() {
    let text = "|import \"star:paths\";\nimport \"star:closure\";\nimport \"star:closure\";\n\
                procedure P(var T: table(n,n)); begin WARSHALL(n,T) end;\n";
    let new = applied(text, "Organise imports");
    assert!(new.starts_with("import \"star:closure\";\nprocedure"), "{new}");
}

#[test]
fn responder_loops_become_foreach() {
    let text = "procedure P(X: slice; var c: integer);\nvar i: integer;\nbegin\n  c:=0;\n  \
                |while SOME(X) do\n  begin\n    i:=STEP(X);\n    c:=c+i\n  end\nend;\n";
    let new = applied(text, "Convert to `foreach`");
    assert!(new.contains("foreach i in X do\n  begin\n    c:=c+i\n  end\nend;"), "{new}");
    // X outlives the routine: it must be empty.
    let new = applied(&text.replace("P(X: slice", "P(var X: slice"), "Convert to `foreach`");
    assert!(new.contains("end;\n  CLR(X)\nend;"), "{new}");
    for other in [
        text.replace("c:=c+i", "c:=NUMB(X)"),
        text.replace("c:=c+i", "i:=c"),
        text.replace("SOME(X)", "ONE(X)"),
    ] {
        assert!(!titles(&other).contains(&"Convert to `foreach`".to_owned()), "{other}");
    }
}

#[test]
fn variables_are_inlined() {
    let text = "procedure P(T: table; var X: slice);\nvar Y: slice; i: integer;\nbegin\n  i:=2;\n  \
                |Y:=COL(i,T) and X;\n  X:=Y or COL(1,T)\nend;\n";
    let new = applied(text, "Inline variable `Y`");
    let expected = "procedure P(T: table; var X: slice);\nvar i: integer;\nbegin\n  i:=2;\n  \
                    X:=(COL(i,T) and X) or COL(1,T)\nend;\n";
    assert_eq!(new, expected);
    for other in [
        text.replace("X:=Y or", "i:=1; X:=Y or"),
        text.replace("and X", "and COL(STEP(X),T)"),
        text.replace("X:=Y or COL(1,T)", "Y:=X; X:=Y"),
        text.replace("X:=Y or COL(1,T)", "X(1):=Y(1)"),
    ] {
        assert!(!titles(&other).contains(&"Inline variable `Y`".to_owned()), "{other}");
    }
}

#[test]
fn statements_become_a_procedure() {
    let text = "/* Text. */\nprocedure P(T: table; var X: slice);\nvar Y: slice; i: integer;\nbegin\n  \
                i:=1;\n  |Y:=COL(i,T);\n  X:=X or Y;|\n  FRST(X)\nend;\n";
    let new = applied(text, "Extract to procedure `EXTRACTED`");
    let expected = "procedure EXTRACTED(T: table; var X: slice; i: integer);\nvar Y: slice;\nbegin\n  \
                    Y:=COL(i,T);\n  X:=X or Y;\nend;\n\n/* Text. */\nprocedure P";
    assert!(new.starts_with(expected), "{new}");
    assert!(new.contains("i:=1;\n  EXTRACTED(T,X,i);\n  FRST(X)"), "{new}");
    let half = text.replace("|Y:=COL(i,T)", "Y:=|COL(i,T)");
    assert!(!titles(&half).iter().any(|one| one.starts_with("Extract")), "{half}");
    let leaves = text.replace("X:=X or Y;|", "exit;|");
    assert!(!titles(&leaves).iter().any(|one| one.starts_with("Extract")), "{leaves}");
}

#[test]
fn tests_are_added_from_calls() {
    let text = "procedure Q(n: integer; var X: slice); begin SET(X); X(n):=0 end;\n\n\
                program P(X: slice);\nbegin |Q(2,X) end.\n";
    let new = applied(text, "Add a test of `Q`");
    let expected = "/* @test Q\n   run Q\n   n = 2\n   X = 101 */\n\nprogram P";
    assert!(new.contains(expected), "{new}");
}

#[test]
fn kinds_filter_actions() {
    let mut client = Client::new();
    let places = client.open("a.star", "procedure P(var i: integer); begin i |= 1 end;");
    let params = serde_json::json!({
        "textDocument": { "uri": client.uri("a.star") },
        "range": { "start": places[0], "end": places[0] },
        "context": { "diagnostics": [], "only": ["source.fixAll"] },
    });
    let actions = client.request("textDocument/codeAction", params).unwrap();
    let actions = actions.as_array().unwrap();
    assert_eq!(actions.len(), 1, "{actions:?}");
    assert_eq!(actions[0]["kind"], "source.fixAll");
    client.close();
}
