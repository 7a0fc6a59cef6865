//! Panics of decoders that are not ours: damaged files are no fault of the toolchain.

use std::cell::Cell;
#[cfg(feature = "arrow")]
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Does a reader on this thread catch panics, so that nobody has to be told of one?
pub fn panics_are_caught() -> bool {
    CAUGHT.get()
}

/// The result of `work`; `None` if it panics.
#[cfg(feature = "arrow")]
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    CAUGHT.set(true);
    // What it leaves half done is dropped with the reader.
    let done = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(false);
    done.ok()
}
