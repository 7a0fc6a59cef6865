//! The loop over the messages of a client: keeps the documents and hands requests to threads.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::document::{Settings, Snapshot};
use crate::features::{self, Thread, capabilities};
use crate::position::Encoding;
use crate::protocol::types::{
    CancelParams, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, Id,
    InitializeParams, Uri, WorkspaceFolders,
};
use crate::protocol::wire::{Connection, Message, Notification, Request, RequestId, Response};
use crate::protocol::{notification, to_json};
use crate::state::{Abilities, Refusal, State};
use crate::worker::Queue;
use crate::{transport, uri};

/// The stack of a thread that compiles.
const STACK_BYTES: usize = 64 << 20;

/// Options of a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The program `star` that runs tests, benchmarks and programs when a command asks for it.
    pub program: Option<PathBuf>,
}

/// Serves a client over standard input and output until it disconnects.
///
/// # Errors
/// A violation of the protocol, or a broken connection.
pub fn serve_stdio(options: Options) -> Result<(), String> {
    let (connection, transport) = transport::stdio()?;
    let served = serve(&connection, options);
    // The writing thread ends when nothing can send any more.
    drop(connection);
    transport.end().and(served)
}

/// Serves a client until it disconnects.
///
/// # Errors
/// A violation of the protocol.
pub fn serve(connection: &Connection, options: Options) -> Result<(), String> {
    let failed = |error: crate::protocol::wire::ProtocolError| error.to_string();
    let (id, params) = connection.initialize_start().map_err(failed)?;
    let params: InitializeParams =
        serde_json::from_value(params).map_err(|error| format!("invalid `initialize`: {error}"))?;
    let abilities = abilities(&params);
    let given = params.initialization_options.as_ref().map(to_json).unwrap_or_default();
    let commands: BTreeSet<String> = strings(&given["clientCommands"]).collect();
    let result = capabilities::result(&abilities, &commands);
    connection.initialize_finish(id, result).map_err(failed)?;

    let send = |message: Message| {
        // A client that is gone needs no messages.
        let _ = connection.sender.send(message);
    };
    let state = State::new(abilities, options.program, &send);
    let mut snapshot = Snapshot::default();
    snapshot.folders = Arc::new(folders(&params));
    snapshot.settings = Arc::new(settings(&given));
    state.set_latest(snapshot.clone());
    let [answers, plans, commands] = [(); 3].map(|()| Queue::default());
    let queues = Queues { answers: &answers, plans: &plans, commands: &commands };
    thread::scope(|scope| {
        for queue in queues.all() {
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            let state = &state;
            thread.spawn_scoped(scope, move || queue.work(state)).map_err(|error| {
                queues.close();
                format!("cannot start a thread: {error}")
            })?;
        }
        let mut server = Server { state: &state, snapshot, queues };
        let served = server.run(connection);
        queues.close();
        served
    })
}

fn abilities(params: &InitializeParams) -> Abilities {
    // Only a few of several hundred fields matter, most of them nested options.
    let client = to_json(&params.capabilities);
    let offers = |path: &str| client.pointer(path).and_then(Value::as_bool).unwrap_or(false);
    let general = params.capabilities.general.as_ref();
    let encodings = general.and_then(|general| general.position_encodings.as_deref());
    Abilities {
        encoding: Encoding::select(encodings),
        snippets: offers("/textDocument/completion/completionItem/snippetSupport"),
        pulls: client.pointer("/textDocument/diagnostic").is_some(),
        refreshes: [
            offers("/workspace/diagnostics/refreshSupport"),
            offers("/workspace/inlayHint/refreshSupport"),
            offers("/workspace/codeLens/refreshSupport"),
        ],
    }
}

fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let of_workspace = match &params.workspace_folders_initialize_params.workspace_folders {
        Some(WorkspaceFolders::WorkspaceFolderList(folders)) => {
            folders.iter().filter_map(|folder| uri::path_of(&folder.uri)).collect()
        }
        Some(WorkspaceFolders::Null) | None => Vec::new(),
    };
    if of_workspace.is_empty() {
        #[allow(deprecated, reason = "clients without workspace folders send only this one")]
        let root = params.root_uri.as_ref().and_then(uri::path_of);
        return root.into_iter().collect();
    }
    of_workspace
}

fn strings(list: &Value) -> impl Iterator<Item = String> + '_ {
    list.as_array().into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned))
}

fn settings(given: &Value) -> Settings {
    Settings { allow_read: strings(&given["allowRead"]).map(PathBuf::from).collect() }
}

struct Server<'a> {
    state: &'a State<'a>,
    snapshot: Snapshot,
    queues: Queues<'a>,
}

/// The queues of all threads.
#[derive(Clone, Copy)]
struct Queues<'a> {
    answers: &'a Queue,
    plans: &'a Queue,
    commands: &'a Queue,
}

impl<'a> Queues<'a> {
    fn all(&self) -> [&'a Queue; 3] {
        [self.answers, self.plans, self.commands]
    }

    fn close(&self) {
        self.all().iter().for_each(|queue| queue.close());
    }
}

impl Server<'_> {
    fn run(&mut self, connection: &Connection) -> Result<(), String> {
        for message in &connection.receiver {
            match message {
                Message::Request(request) => {
                    if connection.handle_shutdown(&request).map_err(|error| error.to_string())? {
                        return Ok(());
                    }
                    let queue = match features::thread_of(&request.method) {
                        Thread::Answers => self.queues.answers,
                        Thread::Plans => self.queues.plans,
                        Thread::Commands => self.queues.commands,
                    };
                    queue.request(request, self.snapshot.clone());
                }
                Message::Notification(one) if one.method == "exit" => return Ok(()),
                Message::Notification(one) => self.notified(one),
                // Answers to requests to refresh carry nothing.
                Message::Response(_) => {}
            }
        }
        Ok(())
    }

    fn notified(&mut self, Notification { method, params }: Notification) {
        match method.as_str() {
            "textDocument/didOpen" => {
                self.with(&method, params, |server, params: DidOpenTextDocumentParams| {
                    let document = params.text_document;
                    server.snapshot.open(document.uri.clone(), document.version, document.text);
                    server.changed(&document.uri);
                });
            }
            "textDocument/didChange" => {
                self.with(&method, params, |server, params: DidChangeTextDocumentParams| {
                    let uri = params.text_document.text_document_identifier.uri;
                    let version = params.text_document.version;
                    let encoding = server.state.abilities.encoding;
                    server.snapshot.change(&uri, version, params.content_changes, encoding);
                    server.changed(&uri);
                });
            }
            "textDocument/didClose" => {
                self.with(&method, params, |server, params: DidCloseTextDocumentParams| {
                    let uri = params.text_document.uri;
                    server.snapshot.close(&uri);
                    server.state.forget_results(&uri);
                    server.changed(&uri);
                });
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.everything_changed(),
            "workspace/didChangeConfiguration" => {
                self.with(&method, params, |server, params: DidChangeConfigurationParams| {
                    let given = to_json(params.settings);
                    let ours = given.get("star").cloned().unwrap_or(given);
                    server.snapshot.settings = Arc::new(settings(&ours));
                    server.everything_changed();
                });
            }
            "workspace/didChangeWorkspaceFolders" => {
                self.with(&method, params, |server, params: DidChangeWorkspaceFoldersParams| {
                    let mut folders = (*server.snapshot.folders).clone();
                    let removed: Vec<PathBuf> = params
                        .event
                        .removed
                        .iter()
                        .filter_map(|one| uri::path_of(&one.uri))
                        .collect();
                    folders.retain(|folder| !removed.contains(folder));
                    folders
                        .extend(params.event.added.iter().filter_map(|one| uri::path_of(&one.uri)));
                    server.snapshot.folders = Arc::new(folders);
                    server.everything_changed();
                });
            }
            "$/cancelRequest" => self.with(&method, params, |server, params: CancelParams| {
                let id = match params.id {
                    Id::Int(number) => RequestId::from(number),
                    Id::String(text) => RequestId::from(text),
                };
                let queues = server.queues.all();
                if queues.iter().filter(|queue| queue.cancel(&id)).count() > 0 {
                    server.refuse(id, Refusal::Cancelled);
                }
            }),
            // The protocol lets a server ignore notifications.
            _ => {}
        }
    }

    /// Parses parameters and applies `change`.
    fn with<P: DeserializeOwned>(
        &mut self,
        method: &str,
        params: Value,
        change: impl FnOnce(&mut Self, P),
    ) {
        match serde_json::from_value(params) {
            Ok(params) => change(self, params),
            Err(error) => {
                let message = format!("invalid `{method}`: {error}");
                let params = serde_json::json!({ "type": 1, "message": message });
                self.state.send(notification("window/logMessage", params));
            }
        }
    }

    /// Publishes a change of a document, and drops requests that it makes obsolete.
    fn changed(&mut self, uri: &Uri) {
        self.state.set_latest(self.snapshot.clone());
        let concerns = |request: &Request| {
            features::is_renewed(&request.method)
                && request.params.pointer("/textDocument/uri").and_then(Value::as_str)
                    == Some(&uri.0)
        };
        for queue in self.queues.all() {
            for id in queue.remove(concerns) {
                self.refuse(id, Refusal::Modified);
            }
        }
        self.queues.answers.diagnose(uri.clone());
    }

    fn everything_changed(&mut self) {
        self.snapshot.generation += 1;
        self.state.set_latest(self.snapshot.clone());
        for document in self.snapshot.documents() {
            self.queues.answers.diagnose(document.uri.clone());
        }
    }

    fn refuse(&self, id: RequestId, refusal: Refusal) {
        let (code, message) = refusal.parts();
        self.state.send(Message::Response(Response::new_err(id, code, message)));
    }
}
