//! `star repl`.
#![allow(
    dead_code,
    unused_imports,
    reason = "the session that shows values comes with its own commit"
)]

mod show;
mod step;
