//! The front ends of `star repl`: [`pipe`] and [`terminal`], with [`plain`], which writes events as
//! text. The session is in `star-repl`.

mod editor;
pub(crate) mod pipe;
pub(crate) mod plain;
pub(crate) mod terminal;
