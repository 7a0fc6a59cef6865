//! Comparison of the search with the programme of the source and with all polylines, and of whole
//! requests with the definition.

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
