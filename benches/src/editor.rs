//! Latency of the language server: diagnostics after a key, and completion.

use std::thread;
use std::time::Instant;

use serde_json::{Value, json};
use star_lsp::protocol::wire::{Connection, Message, Notification, Request, RequestId};
use star_lsp::{Options, serve};

use crate::results::Figure;
use crate::say::say;
use crate::timing::median;

/// The document that is edited.
const URI: &str = "file:///module.star";

/// The number of keys pressed.
const N_KEYS: usize = 40;

/// Returns the median times to the diagnostics after a key, and to a completion, in the middle of
/// the largest module of the library.
///
/// # Errors
/// If the server violates the protocol.
pub(crate) fn figures() -> Result<Vec<Figure>, String> {
    let (name, text) = star_stdlib::MODULES
        .iter()
        .max_by_key(|(_, text)| text.len())
        .ok_or("the library has no modules")?;
    let (server, connection) = Connection::memory();
    let server = thread::spawn(move || serve(&server, Options::default()));
    let mut client = Client { connection, n_requests: 0 };
    let times = client.times(text);
    drop(client);
    let [diagnostics, completion] = times?;
    server.join().map_err(|_| "the server failed")??;
    let n_lines = text.lines().count();
    let figure = |what: &str, seconds: Vec<f64>| {
        let seconds = median(seconds);
        say!("{what} in `star:{name}`, {n_lines} lines: {:.2} ms", 1e3 * seconds);
        Figure::new(&format!("{what}, `star:{name}`"), ("lines", n_lines), seconds, &[])
    };
    Ok(vec![figure("diagnostics after a key", diagnostics), figure("completion", completion)])
}

/// A client in the process of the server.
struct Client {
    connection: Connection,
    n_requests: i32,
}

impl Client {
    /// Types a word after a `begin` in the middle of a text; returns the seconds to the diagnostics
    /// after each key, and to the completion there.
    fn times(&mut self, text: &str) -> Result<[Vec<f64>; 2], String> {
        self.answer(
            "initialize",
            json!({ "processId": null, "rootUri": null, "capabilities": {} }),
        )?;
        self.notify("initialized", json!({}))?;
        let document = json!({ "uri": URI, "languageId": "star", "version": 0, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))?;
        self.diagnostics()?;
        let n_lines = text.lines().count();
        let mut lines = text.lines().enumerate().skip(n_lines / 2);
        let (line, begin) =
            lines.find(|(_, line)| line.trim_end().ends_with("begin")).ok_or("no `begin`")?;
        let column = begin.trim_end().encode_utf16().count();
        let mut times = [Vec::new(), Vec::new()];
        for n_typed in 0..N_KEYS {
            let typed = if n_typed == 0 { " x" } else { "x" };
            let at =
                json!({ "line": line, "character": column + n_typed + usize::from(n_typed > 0) });
            let after = json!({ "line": line, "character": column + n_typed + 2 });
            let begin = Instant::now();
            self.notify(
                "textDocument/didChange",
                json!({
                    "textDocument": { "uri": URI, "version": n_typed + 1 },
                    "contentChanges": [{ "range": { "start": at, "end": at }, "text": typed }],
                }),
            )?;
            self.diagnostics()?;
            times[0].push(begin.elapsed().as_secs_f64());
            let begin = Instant::now();
            let params = json!({ "textDocument": { "uri": URI }, "position": after });
            self.answer("textDocument/completion", params)?;
            times[1].push(begin.elapsed().as_secs_f64());
        }
        self.answer("shutdown", Value::Null)?;
        self.notify("exit", Value::Null)?;
        Ok(times)
    }

    fn send(&self, message: Message) -> Result<(), String> {
        self.connection.sender.send(message).map_err(|error| error.to_string())
    }

    fn receive(&self) -> Result<Message, String> {
        self.connection.receiver.recv().map_err(|error| error.to_string())
    }

    fn notify(&self, method: &str, params: Value) -> Result<(), String> {
        self.send(Message::Notification(Notification { method: method.to_owned(), params }))
    }

    /// Sends a request and waits for its answer.
    fn answer(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.n_requests += 1;
        let id = RequestId::from(self.n_requests);
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        self.send(Message::Request(request))?;
        loop {
            if let Message::Response(response) = self.receive()?
                && response.id == id
            {
                return response.response_result.map_err(|error| error.message);
            }
        }
    }

    /// Waits for the diagnostics of the document.
    fn diagnostics(&self) -> Result<(), String> {
        loop {
            if let Message::Notification(found) = self.receive()?
                && found.method == "textDocument/publishDiagnostics"
            {
                return Ok(());
            }
        }
    }
}
