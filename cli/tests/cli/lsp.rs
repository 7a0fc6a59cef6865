//! `star lsp` over standard input and output, and `star check --fix`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Folder;

/// A server process and its client.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start() -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_star"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Server { child, input, output, next: 1 }
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == json!(id) && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn begin(&mut self) {
        let params = json!({ "processId": null, "rootUri": null, "capabilities": {} });
        let answer = self.request("initialize", params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "star lsp");
        self.notify("initialized", json!({}));
    }
}

const TESTED: &str = "procedure TWICE(var k: integer); begin k:=2*k end;

/* @test doubles
   run TWICE
   k = 1, 2
   ensures POSITIVE */
function POSITIVE(k: integer): boolean; begin POSITIVE:=k>0 end;

/* @test fails
   run TWICE
   k = 1
   expect k = 3 */
program P(n: integer); begin print(n) end.
";

#[test]
fn tests_run_from_a_lens_and_show_their_result() {
    let folder = Folder::new(&[]);
    let uri = format!("file://{}", folder.path("a.star").display());
    let mut server = Server::start();
    server.begin();
    let document = json!({ "uri": uri, "languageId": "star", "version": 1, "text": TESTED });
    // The file is not saved.
    server.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let lenses = |server: &mut Server| {
        let params = json!({ "textDocument": { "uri": uri } });
        let lenses = server.request("textDocument/codeLens", params)["result"].clone();
        let lenses = lenses.as_array().unwrap().clone();
        lenses.into_iter().map(|lens| lens["command"].clone()).collect::<Vec<Value>>()
    };
    let before = lenses(&mut server);
    assert_eq!(before[0]["title"], "▶ Run test (2 cases)");
    let mut shown = String::new();
    for command in &before[..2] {
        let params = json!({ "command": "star.test", "arguments": command["arguments"] });
        let answer = server.request("workspace/executeCommand", params);
        shown += answer["result"].as_str().unwrap();
    }
    let failed = "failed: fails: `k` differs from the expected value\n  expected 3\n  found 2\n";
    assert!(shown.contains(failed), "{shown}");
    let after = lenses(&mut server);
    assert_eq!(after[0]["title"], "✓ passed, 2 cases");
    let failed = after[1]["title"].as_str().unwrap();
    assert!(failed.starts_with("✗ failed: "), "{failed}");
    assert!(server.request("shutdown", Value::Null)["result"].is_null());
    server.notify("exit", Value::Null);
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn the_server_ends_with_its_client() {
    let mut server = Server::start();
    server.begin();
    server.input = None;
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn malformed_and_endless_input_ends_the_server() {
    let folder = Folder::new(&[]);
    for (input, why) in [
        ("cat /dev/zero", "a line of a header is too long"),
        (r"printf 'Content-Length: 99999999999\r\n\r\n'", "invalid Content-Length"),
        (r"printf 'Content-Length: 18446744073709551615\r\n\r\n'", "invalid Content-Length"),
        (r"printf 'Content-Length: 9\r\n\r\n{}'", "the input ends after 2 of 9 bytes"),
        (r"printf 'Content-Length: 2\r\n\r\n{}'", "malformed message"),
    ] {
        let ran = folder.shell(&format!("{input} | (ulimit -v 2000000; $STAR lsp)"));
        ran.fails(2, &["error[E0608]: the client violates the protocol", why]);
    }
}

#[test]
fn fixed_comparisons_of_components_are_correct() {
    let folder = Folder::new(&[]);
    let text = "program P;\nvar X: slice(3); b: boolean;\nbegin\n  SET(X); b := true;\n  \
                if X(1) = true then print(1);\n  if false <> X(2) then print(2);\n  \
                b := X(1) or b;\n  if X(3) = b then print(3);\n  if X(1) then print(4)\nend.\n";
    folder.write("a.star", text.as_bytes());
    let ran = folder.star(&["check", "--fix", "a.star"]);
    assert!(ran.stderr.contains("5 edits applied\nok, 1 file"), "{}", ran.stderr);
    folder.star(&["run", "a.star"]).prints("1\n2\n3\n4\n");
}

#[test]
fn check_reports_files_that_it_cannot_fix() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(&[]);
    folder.write("a.star", b"program P; var i: integer; begin i = 1 end.\n");
    folder.write("b.star", b"program P; var i: integer; begin i = 1 end.\n");
    fs::set_permissions(folder.path("a.star"), fs::Permissions::from_mode(0o444)).unwrap();
    let ran = folder.star(&["check", "--fix", "a.star", "b.star"]);
    ran.fails(5, &["error[E0509]: a.star: the file is read-only", "1 edit applied"]);
    assert!(fs::read_to_string(folder.path("b.star")).unwrap().contains("i := 1"));
}

#[test]
fn check_removes_unused_variables_without_an_effect_only() {
    let folder = Folder::new(&[]);
    for (declared, left) in [
        ("var a: integer; b: slice(3); begin", "begin"),
        ("var a, b: integer; begin", "begin"),
        ("var b: slice(3); begin", "begin"),
        ("var b: slice(T); c: integer; begin", "begin"),
        ("var b: slice(F(k)); begin", "var b: slice(F(k)); begin"),
        ("var b: slice(10 div k); begin", "var b: slice(10 div k); begin"),
        ("var b: slice(k); begin", "var b: slice(k); begin"),
    ] {
        let whole = |section: &str| {
            format!(
                "function F(k: integer): integer; begin F:=k end;\n\
                 procedure P(k: integer; T: table); {section} print(k,rows(T),F(k)) end;\n"
            )
        };
        folder.write("a.star", whole(declared).as_bytes());
        assert_eq!(folder.star(&["check", "--fix", "a.star"]).code, 0, "{declared}");
        assert_eq!(fs::read_to_string(folder.path("a.star")).unwrap(), whole(left), "{declared}");
    }
}

#[test]
fn check_writes_the_fixed_standard_input() {
    let folder = Folder::new(&[("m.star", "procedure Q(var i: integer); begin i := 1 end;\n")]);
    let star = |text: &str| folder.star_with_input(&["check", "--fix", "-"], text);
    let text = "import \"m.star\";\nprocedure P(var i: integer); begin i = 1; Q(i) end;\n";
    let ran = star(text);
    ran.prints(&text.replace("i = 1", "i := 1"));
    assert!(ran.stderr.ends_with("\n1 edit applied\nok, 1 file\n"), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("note: <stdin>:2:38: write `:=`\n"), "{}", ran.stderr);
    let wrong = "procedure P(var i: integer); begin i = 1; j := 2 end;\n";
    let ran = star(wrong);
    assert_eq!((ran.code, ran.stdout), (1, wrong.replace("i = 1", "i := 1")));
    assert!(
        ran.stderr.contains("E0201") && ran.stderr.contains("1 edit applied"),
        "{}",
        ran.stderr
    );
    let right = "procedure P(var i: integer); begin i := 1 end;\n";
    star(right).prints(right);
    let ran = folder.star_with_input(&["check", "-"], wrong);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
}

#[test]
fn second_imports_of_a_file_are_removed() {
    let folder = Folder::new(&[
        ("m.star", "const N = 1;\n"),
        ("both.star", "import \"m.star\";\nimport \"./m.star\";\n"),
    ]);
    let routine = "procedure P(var i: integer); begin i := N end;\n";
    let text = format!("import \"m.star\";\nimport \"m.star\";\n{routine}");
    folder.write("a.star", text.as_bytes());
    let ran = folder.star(&["check", "a.star"]);
    assert_eq!(ran.stderr.matches("warning[W0111]: `m.star` is imported twice").count(), 1);
    assert_eq!(folder.star(&["check", "--fix", "a.star"]).code, 0);
    let fixed = fs::read_to_string(folder.path("a.star")).unwrap();
    assert_eq!(fixed, format!("import \"m.star\";\n{routine}"));
    let ran = folder.star(&["check", "both.star"]);
    assert!(ran.stderr.contains("warning[W0111]: `./m.star` is imported twice"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("nothing in this file uses"), "{}", ran.stderr);
}

#[test]
fn unread_variables_leave_the_effects_of_their_values() {
    let folder = Folder::new(&[]);
    let with = |value: &str| {
        let text = format!(
            "function F(n: integer): integer; begin F := n end;\n\
             procedure P(var X: slice);\nvar i: integer;\nbegin i := {value} end;\n"
        );
        folder.write("a.star", text.as_bytes());
        folder.star(&["check", "a.star"]).stderr
    };
    for value in ["STEP(X)", "1 + STEP(X)"] {
        let said = with(value);
        let help = "remove it, but keep the statement `STEP(X)`, which has an effect";
        assert!(said.contains("W0108") && said.contains(help), "{said}");
    }
    let said = with("F(2)");
    assert!(said.contains("statements that set it, unless `F(2)` has an effect"), "{said}");
    let said = with("NUMB(X)");
    assert!(said.contains("remove it, together with the statements that set it\n"), "{said}");
}

#[test]
fn check_applies_certain_fixes() {
    let folder = Folder::new(&[]);
    let text = "procedure P(var i: integer); begin i = 1; if i=1 then i:=2; else SETT(i) end;\n";
    folder.write("a.star", text.as_bytes());
    let ran = folder.star(&["check", "--fix", "a.star"]);
    assert!(ran.stderr.contains("2 edits applied"), "{}", ran.stderr);
    assert!(ran.stderr.contains("E0202"), "{}", ran.stderr);
    let fixed = fs::read_to_string(folder.path("a.star")).unwrap();
    let expected = text.replace("i = 1", "i := 1").replace("2; else", "2 else");
    assert_eq!(fixed, expected);
    let ran = folder.star(&["check", "--fix", "a.star"]);
    assert!(!ran.stderr.contains("applied"), "{}", ran.stderr);
}

#[test]
fn fixes_are_shown_without_writing_them() {
    let draft = "program P;\nvar i: integer;\nbegin\n  i = 1;\n  print(i)\nend.\n";
    let folder = Folder::new(&[("a.star", draft), ("b.star", "program Q; begin print(1) end.\n")]);
    let shown = folder.star(&["check", "--diff", "a.star", "b.star"]);
    assert_eq!(shown.code, 1, "{shown:?}");
    assert!(shown.stdout.contains("-  i = 1;\n+  i := 1;\n"), "{shown:?}");
    assert!(shown.stderr.contains("1 file would change\n"), "{shown:?}");
    assert_eq!(std::fs::read_to_string(folder.path("a.star")).unwrap(), draft);
    // The fixes say what they change, and nothing is left to show.
    let fixed = folder.star(&["check", "--fix", "a.star", "b.star"]);
    let note = "note: a.star:4:5: write `:=`\n1 edit applied\nok, 2 files\n";
    assert_eq!((fixed.code, fixed.stderr.as_str()), (0, note));
    folder.star(&["check", "--diff", "a.star", "b.star"]).prints("");
    // The text of standard input is checked as it is.
    let shown = folder.star_with_input(&["check", "--diff", "-"], draft);
    assert_eq!((shown.code, shown.stdout.contains("+  i := 1;")), (1, true), "{shown:?}");
    folder.star(&["check", "--diff", "--fix", "a.star"]).fails(2, &["cannot be used with"]);
}
