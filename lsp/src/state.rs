//! State that the threads of the server share: the latest documents and their analyses.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::Value;

use crate::analysis::Analysis;
use crate::document::Snapshot;
use crate::position::Encoding;
use crate::protocol::types::Uri;
use crate::protocol::wire::{ErrorCode, Message, Request, RequestId};
use crate::toolchain::{Catalogue, LIBRARY};

/// The abilities of a client that change answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Abilities {
    /// The unit of characters.
    pub(crate) encoding: Encoding,
    /// Completions may contain placeholders.
    pub(crate) snippets: bool,
    /// The client asks for diagnostics.
    pub(crate) pulls: bool,
    /// The client can be told to ask again: for diagnostics, inlay hints, code lenses.
    pub(crate) refreshes: [bool; 3],
}

/// The reason why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The client cancelled it.
    Cancelled,
    /// The document changed.
    Modified,
    /// The parameters are invalid.
    Invalid(String),
    /// It cannot be done, for this reason.
    Failed(String),
    /// The server does not know the request.
    Unknown(String),
}

impl Refusal {
    /// Returns its code in the protocol, and the message.
    pub(crate) fn parts(self) -> (i32, String) {
        match self {
            Refusal::Cancelled => (ErrorCode::RequestCanceled as i32, "cancelled".to_owned()),
            Refusal::Modified => {
                (ErrorCode::ContentModified as i32, "the document changed".to_owned())
            }
            Refusal::Invalid(why) => (ErrorCode::InvalidParams as i32, why),
            Refusal::Failed(why) => (ErrorCode::RequestFailed as i32, why),
            Refusal::Unknown(method) => {
                (ErrorCode::MethodNotFound as i32, format!("unknown request `{method}`"))
            }
        }
    }
}

/// The analyses of a document.
struct Known {
    latest: Arc<Analysis>,
    /// The last one without syntax errors.
    parsed: Option<Arc<Analysis>>,
    /// The last one without errors.
    correct: Option<Arc<Analysis>>,
}

/// The result of a test that a command ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestResult {
    /// The version of the document.
    pub(crate) version: i32,
    /// Did all cases pass?
    pub(crate) passed: bool,
    /// The number of cases.
    pub(crate) cases: u64,
    /// The reason of the failure.
    pub(crate) failure: String,
}

/// The shared state.
pub(crate) struct State<'a> {
    pub(crate) abilities: Abilities,
    /// The program `star`, for commands; `None` if there is none.
    pub(crate) program: Option<PathBuf>,
    send: &'a (dyn Fn(Message) + Sync),
    latest: Mutex<Snapshot>,
    known: Mutex<BTreeMap<String, Known>>,
    /// Only one thread analyses at a time.
    analysing: Mutex<()>,
    results: Mutex<BTreeMap<(String, u32), TestResult>>,
    catalogue: OnceLock<Catalogue>,
    n_requests: AtomicU32,
}

/// Locks data. A thread that panicked leaves it valid: each change is one assignment.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> State<'a> {
    pub(crate) fn new(
        abilities: Abilities,
        program: Option<PathBuf>,
        send: &'a (dyn Fn(Message) + Sync),
    ) -> Self {
        State {
            abilities,
            program,
            send,
            latest: Mutex::default(),
            known: Mutex::default(),
            analysing: Mutex::default(),
            results: Mutex::default(),
            catalogue: OnceLock::new(),
            n_requests: AtomicU32::new(0),
        }
    }

    /// Sends a message to the client.
    pub(crate) fn send(&self, message: Message) {
        (self.send)(message);
    }

    /// Asks the client to repeat requests, if it can.
    pub(crate) fn refresh(&self, method: &str, possible: bool) {
        if possible {
            let number = self.n_requests.fetch_add(1, Ordering::Relaxed);
            let id = RequestId::from(format!("star-{number}"));
            let request = Request { id, method: method.to_owned(), params: Value::Null };
            self.send(Message::Request(request));
        }
    }

    /// Returns the latest documents.
    pub(crate) fn latest(&self) -> Snapshot {
        lock(&self.latest).clone()
    }

    /// Replaces the latest documents.
    pub(crate) fn set_latest(&self, snapshot: Snapshot) {
        lock(&self.known).retain(|uri, _| snapshot.document(&Uri(uri.clone())).is_some());
        *lock(&self.latest) = snapshot;
    }

    /// Returns the documentation of the library.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        self.catalogue.get_or_init(|| Catalogue::library(&LIBRARY))
    }

    /// Returns the analysis of a document, and computes it if necessary.
    pub(crate) fn analysis(&self, snapshot: &Snapshot, uri: &Uri) -> Option<Arc<Analysis>> {
        let current = || {
            let known = lock(&self.known);
            let latest = known.get(&uri.0).map(|known| Arc::clone(&known.latest));
            latest.filter(|analysis| analysis.is_current(snapshot))
        };
        if let Some(found) = current() {
            return Some(found);
        }
        let _one_at_a_time = lock(&self.analysing);
        if let Some(found) = current() {
            return Some(found);
        }
        let analysis = Arc::new(Analysis::new(snapshot, uri, self.abilities.encoding)?);
        if snapshot.document(uri).is_some() {
            self.keep(&analysis);
        }
        Some(analysis)
    }

    fn keep(&self, analysis: &Arc<Analysis>) {
        let mut all = lock(&self.known);
        let parsed = (!analysis.has_syntax_errors()).then(|| Arc::clone(analysis));
        let correct = (!analysis.compilation.has_errors()).then(|| Arc::clone(analysis));
        let latest = Arc::clone(analysis);
        match all.get_mut(&analysis.uri.0) {
            // An answer about an older version must not replace a newer one.
            Some(known) if known.latest.version > analysis.version => {}
            Some(known) => {
                known.latest = latest;
                known.parsed = parsed.or(known.parsed.take());
                known.correct = correct.or(known.correct.take());
            }
            None => {
                all.insert(analysis.uri.0.clone(), Known { latest, parsed, correct });
            }
        }
    }

    /// Returns the last analysis of a document.
    pub(crate) fn last_known(&self, uri: &Uri) -> Option<Arc<Analysis>> {
        Some(Arc::clone(&lock(&self.known).get(&uri.0)?.latest))
    }

    /// Returns the last analysis of a document without syntax errors.
    pub(crate) fn last_parsed(&self, uri: &Uri) -> Option<Arc<Analysis>> {
        lock(&self.known).get(&uri.0)?.parsed.clone()
    }

    /// Returns the last analysis of a document without errors.
    pub(crate) fn last_correct(&self, uri: &Uri) -> Option<Arc<Analysis>> {
        lock(&self.known).get(&uri.0)?.correct.clone()
    }

    /// Records the result of the test at a line of a document.
    pub(crate) fn record(&self, uri: &Uri, line: u32, result: TestResult) {
        lock(&self.results).insert((uri.0.clone(), line), result);
    }

    /// Returns the result of the test at a line of a document.
    pub(crate) fn result(&self, uri: &Uri, line: u32) -> Option<TestResult> {
        lock(&self.results).get(&(uri.0.clone(), line)).cloned()
    }

    /// Forgets the results of tests of a document.
    pub(crate) fn forget_results(&self, uri: &Uri) {
        lock(&self.results).retain(|(of, _), _| *of != uri.0);
    }
}

/// The context of a request.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) state: &'a State<'a>,
    /// The documents when the request arrived.
    pub(crate) snapshot: &'a Snapshot,
    /// Set when the answer is no longer wanted.
    pub(crate) cancelled: &'a AtomicBool,
}

impl Context<'_> {
    /// Returns the analysis of a document.
    ///
    /// # Errors
    /// If the document cannot be read, or the request was cancelled.
    pub(crate) fn analysis(&self, uri: &Uri) -> Result<Arc<Analysis>, Refusal> {
        self.go_on()?;
        let found = self.state.analysis(self.snapshot, uri);
        self.go_on()?;
        found.ok_or_else(|| Refusal::Failed(format!("cannot read `{}`", uri.0)))
    }

    /// Tests whether the request is still wanted.
    ///
    /// # Errors
    /// If it was cancelled.
    pub(crate) fn go_on(&self) -> Result<(), Refusal> {
        match self.cancelled.load(Ordering::Relaxed) {
            true => Err(Refusal::Cancelled),
            false => Ok(()),
        }
    }

    /// Tests whether a document still has the version of the snapshot.
    ///
    /// # Errors
    /// If it changed.
    pub(crate) fn is_latest(&self, uri: &Uri) -> Result<(), Refusal> {
        let version = |snapshot: &Snapshot| snapshot.document(uri).map(|one| one.version);
        match version(&lock(&self.state.latest)) == version(self.snapshot) {
            true => Ok(()),
            false => Err(Refusal::Modified),
        }
    }
}
