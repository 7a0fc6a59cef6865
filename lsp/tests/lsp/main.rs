//! The server over an in-memory connection: each test is a session of a client.

#![allow(clippy::unwrap_used, reason = "what a test cannot set up is its failure")]

mod actions;
mod client;
mod commands;
mod edits;
mod latency;
mod names;
mod views;
mod writing;
