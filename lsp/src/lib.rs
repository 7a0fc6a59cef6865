//! The language server of Star.
//!
//! * [`server`]: the loop over the messages of a client; [`transport`]: how they arrive;
//!   [`worker`]: the threads that answer requests; [`state`]: the analyses that they share.
//! * [`document`]: open documents; [`position`], [`uri`]: the units and names of the protocol.
//! * [`analysis`]: what the compiler knows about a document.
//! * [`features`]: the answers, one file for each request.
//! * [`toolchain`] and [`protocol`]: the only modules that name the crates of the toolchain and of
//!   the protocol.
//!
//! The server runs programs only when a command asks for it ([`features::commands`]).

mod analysis;
mod document;
mod features;
mod position;
pub mod protocol;
mod server;
mod shipped;
mod state;
mod toolchain;
mod transport;
mod uri;
mod worker;

pub use server::{Options, serve, serve_stdio};
