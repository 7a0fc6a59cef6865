//! Handling of panics in third-party decoders: damaged files are not a defect of the toolchain.

use std::cell::Cell;
#[cfg(feature = "arrow")]
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether a reader on this thread catches panics, so that a panic need not be reported.
pub fn panics_are_caught() -> bool {
    CAUGHT.get()
}

/// Returns the result of `work`; `None` if it panics.
#[cfg(feature = "arrow")]
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    CAUGHT.set(true);
    // Partial state is dropped with the reader.
    let done = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(false);
    done.ok()
}
