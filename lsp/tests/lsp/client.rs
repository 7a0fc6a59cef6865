//! A client: opens documents with marked positions, sends requests, reads answers.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use star_lsp::protocol::wire::{Connection, Message, Notification, Request, RequestId};
use star_lsp::{Options, serve};
use tempfile::TempDir;

/// The longest time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client with a folder and a server.
pub(crate) struct Client {
    pub(crate) folder: TempDir,
    connection: Option<Connection>,
    server: Option<JoinHandle<Result<(), String>>>,
    /// The capabilities of the server.
    pub(crate) capabilities: Value,
    next: i32,
    version: i32,
    /// Notifications that no test has looked at.
    pub(crate) received: VecDeque<Notification>,
    /// Answers that came before they were asked for.
    answers: Vec<Answer>,
}

/// The answer to a request.
type Answer = (RequestId, Result<Value, (i32, String)>);

impl Client {
    /// Starts a server for a client that can do everything but ask for diagnostics.
    pub(crate) fn new() -> Client {
        Client::with(json!({
            "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } },
        }))
    }

    /// Starts a server for a client with these capabilities.
    pub(crate) fn with(capabilities: Value) -> Client {
        Client::with_program(capabilities, None)
    }

    /// Starts a server that can run programs.
    pub(crate) fn with_program(capabilities: Value, program: Option<PathBuf>) -> Client {
        let (server, connection) = Connection::memory();
        let serve = move || serve(&server, Options { program });
        let server = std::thread::spawn(serve);
        let folder = tempfile::tempdir().unwrap();
        let mut client = Client {
            folder,
            connection: Some(connection),
            server: Some(server),
            capabilities: Value::Null,
            next: 1,
            version: 1,
            received: VecDeque::new(),
            answers: Vec::new(),
        };
        let root = client.uri("");
        let folders = json!([{ "uri": root.trim_end_matches('/'), "name": "test" }]);
        let params = json!({
            "processId": null, "rootUri": null, "capabilities": capabilities,
            "workspaceFolders": folders,
        });
        client.capabilities = client.request("initialize", params).unwrap()["capabilities"].take();
        client.notify("initialized", json!({}));
        client
    }

    /// Returns the URI of a file in the folder.
    pub(crate) fn uri(&self, name: &str) -> String {
        let folder = self.folder.path().canonicalize().unwrap();
        format!("file://{}/{name}", folder.display())
    }

    /// Writes a file without opening it.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        let message = Notification { method: method.to_owned(), params };
        let connection = self.connection.as_ref().unwrap();
        connection.sender.send(Message::Notification(message)).unwrap();
    }

    /// Sends a request without waiting for its answer.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> RequestId {
        let id = RequestId::from(self.next);
        self.next += 1;
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        let connection = self.connection.as_ref().unwrap();
        connection.sender.send(Message::Request(request)).unwrap();
        id
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: &RequestId) -> Result<Value, (i32, String)> {
        let begin = Instant::now();
        loop {
            let left = PATIENCE.checked_sub(begin.elapsed()).expect("an answer in time");
            let connection = self.connection.as_ref().unwrap();
            match connection.receiver.recv_timeout(left).expect("an answer") {
                Message::Response(response) if response.id == *id => {
                    return response.response_result.map_err(|error| (error.code, error.message));
                }
                Message::Response(response) => panic!("unexpected {response:?}"),
                Message::Notification(one) => self.received.push_back(one),
                Message::Request(_) => {}
            }
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        let id = self.send(method, params);
        self.answer(&id)
    }

    /// Opens a document; returns its positions marked with `|`, which are removed.
    pub(crate) fn open(&mut self, name: &str, marked: &str) -> Vec<Value> {
        let (text, places) = unmarked(marked);
        self.version += 1;
        let document = json!({
            "uri": self.uri(name), "languageId": "star", "version": self.version, "text": text,
        });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        places
    }

    /// Replaces the text of a document.
    pub(crate) fn change(&mut self, name: &str, marked: &str) -> Vec<Value> {
        let (text, places) = unmarked(marked);
        self.version += 1;
        let document = json!({ "uri": self.uri(name), "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.notify("textDocument/didChange", params);
        places
    }

    /// Sends a request about a position.
    pub(crate) fn at(&mut self, method: &str, name: &str, position: &Value) -> Value {
        self.at_with(method, name, position, json!({})).unwrap()
    }

    /// Sends a request about a position with further parameters.
    pub(crate) fn at_with(
        &mut self,
        method: &str,
        name: &str,
        position: &Value,
        mut more: Value,
    ) -> Result<Value, (i32, String)> {
        more["textDocument"] = json!({ "uri": self.uri(name) });
        more["position"] = position.clone();
        self.request(method, more)
    }

    /// Sends a request about a document.
    pub(crate) fn of(&mut self, method: &str, name: &str) -> Value {
        let params = json!({ "textDocument": { "uri": self.uri(name) } });
        self.request(method, params).unwrap()
    }

    /// Waits for the next diagnostics of a document.
    pub(crate) fn diagnostics(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        let begin = Instant::now();
        loop {
            let is_it = |one: &Notification| {
                one.method == "textDocument/publishDiagnostics" && one.params["uri"] == json!(uri)
            };
            if let Some(at) = self.received.iter().position(is_it) {
                let found = self.received.remove(at).unwrap();
                return found.params["diagnostics"].as_array().unwrap().clone();
            }
            let left = PATIENCE.checked_sub(begin.elapsed()).expect("diagnostics in time");
            let connection = self.connection.as_ref().unwrap();
            match connection.receiver.recv_timeout(left).expect("diagnostics") {
                Message::Notification(one) => self.received.push_back(one),
                Message::Request(_) => {}
                Message::Response(response) => panic!("unexpected {response:?}"),
            }
        }
    }

    /// Returns the titles of the actions for a range, with their edits.
    pub(crate) fn actions(&mut self, name: &str, from: &Value, to: &Value) -> Vec<Value> {
        let params = json!({
            "textDocument": { "uri": self.uri(name) },
            "range": { "start": from, "end": to },
            "context": { "diagnostics": [] },
        });
        let actions = self.request("textDocument/codeAction", params).unwrap();
        actions.as_array().unwrap().clone()
    }

    /// Ends the session.
    pub(crate) fn close(mut self) {
        self.request("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        self.connection = None;
        assert_eq!(self.server.take().unwrap().join().unwrap(), Ok(()));
    }
}

/// Returns a text without its marks, and their positions in UTF-16.
pub(crate) fn unmarked(marked: &str) -> (String, Vec<Value>) {
    let mut text = String::new();
    let mut places = Vec::new();
    for piece in marked.split_inclusive('|') {
        match piece.strip_suffix('|') {
            Some(piece) => {
                text += piece;
                places.push(position(&text, text.len()));
            }
            None => text += piece,
        }
    }
    (text, places)
}

/// Returns the position of a byte in UTF-16.
pub(crate) fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": before[start..].encode_utf16().count() })
}

/// Returns the byte at a position.
pub(crate) fn offset(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut units = position["character"].as_u64().unwrap() as usize;
    let mut at = start;
    for character in text[start..].chars() {
        if units == 0 {
            break;
        }
        units -= character.len_utf16().min(units);
        at += character.len_utf8();
    }
    at
}

/// Returns the text after edits, which must not overlap.
pub(crate) fn edited(text: &str, edits: &Value) -> String {
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().unwrap();
            (offset(text, &range["start"]), offset(text, &range["end"]), new)
        })
        .collect();
    edits.sort_by_key(|&(start, end, _)| (start, end));
    let mut result = String::new();
    let mut at = 0;
    for (start, end, new) in edits {
        assert!(at <= start, "edits overlap");
        result += &text[at..start];
        result += new;
        at = end;
    }
    result + &text[at..]
}

/// Returns the text in a range.
pub(crate) fn slice<'t>(text: &'t str, range: &Value) -> &'t str {
    &text[offset(text, &range["start"])..offset(text, &range["end"])]
}

impl Client {
    /// Waits for the answer to a request; keeps those to others.
    pub(crate) fn answer_in_any_order(&mut self, id: &RequestId) -> Result<Value, (i32, String)> {
        loop {
            if let Some(at) = self.answers.iter().position(|(known, _)| known == id) {
                return self.answers.remove(at).1;
            }
            let connection = self.connection.as_ref().unwrap();
            match connection.receiver.recv_timeout(PATIENCE).expect("an answer") {
                Message::Response(response) => {
                    let result = response.response_result;
                    let result = result.map_err(|error| (error.code, error.message));
                    self.answers.push((response.id, result));
                }
                Message::Notification(one) => self.received.push_back(one),
                Message::Request(_) => {}
            }
        }
    }
}
