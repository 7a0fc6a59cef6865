//! The threads that answer requests.
//!
//! One thread answers what a client waits for while the user types, one lowers and optimises
//! programs for inlay hints and code lenses, and one carries out commands. Each has a queue. A
//! request that the client cancels, or that an edit makes obsolete, is answered at once and never
//! begun.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::document::Snapshot;
use crate::features::{self, diagnostics};
use crate::protocol::types::Uri;
use crate::protocol::wire::{Message, Request, RequestId, Response};
use crate::state::{Context, Refusal, State, lock};

/// A request with the documents when it arrived.
struct Job {
    request: Request,
    snapshot: Snapshot,
    cancelled: Arc<AtomicBool>,
}

#[derive(Default)]
struct Pending {
    jobs: VecDeque<Job>,
    /// The documents whose diagnostics are to be published.
    documents: VecDeque<Uri>,
    /// The requests that are being answered.
    running: BTreeMap<RequestId, Arc<AtomicBool>>,
    closed: bool,
}

/// The queue of a thread.
#[derive(Default)]
pub(crate) struct Queue {
    pending: Mutex<Pending>,
    changed: Condvar,
}

enum Work {
    Answer(Box<Job>),
    Diagnose(Uri),
}

impl Queue {
    /// Adds a request.
    pub(crate) fn request(&self, request: Request, snapshot: Snapshot) {
        let job = Job { request, snapshot, cancelled: Arc::default() };
        lock(&self.pending).jobs.push_back(job);
        self.changed.notify_one();
    }

    /// Asks for the diagnostics of a document, once.
    pub(crate) fn diagnose(&self, uri: Uri) {
        let mut pending = lock(&self.pending);
        if !pending.documents.contains(&uri) {
            pending.documents.push_back(uri);
        }
        drop(pending);
        self.changed.notify_one();
    }

    /// Cancels a request. Returns whether it was still waiting, so that the caller answers it.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
        let mut pending = lock(&self.pending);
        if let Some(running) = pending.running.get(id) {
            running.store(true, Ordering::Relaxed);
        }
        let n_before = pending.jobs.len();
        pending.jobs.retain(|job| job.request.id != *id);
        pending.jobs.len() < n_before
    }

    /// Removes waiting requests that satisfy a condition and returns their numbers.
    pub(crate) fn remove(&self, obsolete: impl Fn(&Request) -> bool) -> Vec<RequestId> {
        let mut removed = Vec::new();
        lock(&self.pending).jobs.retain(|job| {
            let gone = obsolete(&job.request);
            if gone {
                removed.push(job.request.id.clone());
            }
            !gone
        });
        removed
    }

    /// Ends the thread after the work that it has begun.
    pub(crate) fn close(&self) {
        let mut pending = lock(&self.pending);
        pending.closed = true;
        pending.running.values().for_each(|running| running.store(true, Ordering::Relaxed));
        drop(pending);
        self.changed.notify_all();
    }

    fn next(&self) -> Option<Work> {
        let mut pending = lock(&self.pending);
        loop {
            if pending.closed {
                return None;
            }
            // Answers first: a client waits for them.
            if let Some(job) = pending.jobs.pop_front() {
                let cancelled = Arc::clone(&job.cancelled);
                pending.running.insert(job.request.id.clone(), cancelled);
                return Some(Work::Answer(Box::new(job)));
            }
            if let Some(uri) = pending.documents.pop_front() {
                return Some(Work::Diagnose(uri));
            }
            pending = self.changed.wait(pending).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Does the work of a queue until it is closed.
    pub(crate) fn work(&self, state: &State<'_>) {
        while let Some(work) = self.next() {
            match work {
                Work::Answer(job) => {
                    let response = answer(state, &job);
                    lock(&self.pending).running.remove(&job.request.id);
                    state.send(Message::Response(response));
                }
                Work::Diagnose(uri) => {
                    let publish = || diagnostics::publish(state, &uri);
                    // The next version of the text is tried again.
                    let _ = panic::catch_unwind(AssertUnwindSafe(publish));
                }
            }
        }
    }
}

fn answer(state: &State<'_>, job: &Job) -> Response {
    let Job { request, snapshot, cancelled } = job;
    let context = Context { state, snapshot, cancelled };
    let answer = || features::answer(&context, &request.method, request.params.clone());
    let answered = panic::catch_unwind(AssertUnwindSafe(answer));
    let answered = answered.unwrap_or_else(|_| {
        Err(Refusal::Failed(format!("internal error in `{}`", request.method)))
    });
    match answered {
        Ok(value) => Response { id: request.id.clone(), response_result: Ok(value) },
        Err(refusal) => {
            let (code, message) = refusal.parts();
            Response::new_err(request.id.clone(), code, message)
        }
    }
}
