//! The search against the source's programme and against all polylines, and whole requests against the definition.

mod reference;
mod requests;
mod searches;

use std::sync::LazyLock;

use crate::workers::Workers;

/// Two threads.
fn threads() -> &'static Workers<'static> {
    static THREADS: LazyLock<Workers<'static>> =
        LazyLock::new(|| Workers::new(Some(2), Workers::NEVER).unwrap());
    &THREADS
}
