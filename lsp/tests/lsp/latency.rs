//! Latency: diagnostics after a key, and completion, in the largest module of the library.
//!
//! Limits apply to builds with optimisation; `STAR_LATENCY=1` prints the figures of any build.

#![allow(clippy::print_stdout, reason = "the figures are asked for by an environment variable")]

use std::time::{Duration, Instant};

use crate::client::{Client, position};

#[test]
fn answers_come_while_typing() {
    let modules = star_stdlib::MODULES.iter();
    let (name, original) = modules.max_by_key(|(_, text)| text.len()).unwrap();
    let original = original.replace('|', "!");
    let mut client = Client::new();
    client.open("a.star", &original);
    client.diagnostics("a.star");
    let middle = original[original.len() / 2..].find("begin\n").unwrap() + original.len() / 2 + 6;
    let at = position(&original, middle);
    let (mut diagnosed, mut completed) = (Vec::new(), Vec::new());
    for n in 0..20 {
        let mut text = original.clone();
        text.insert_str(middle, &"x".repeat(n + 1));
        let begin = Instant::now();
        client.change("a.star", &text);
        client.diagnostics("a.star");
        diagnosed.push(begin.elapsed());
        let begin = Instant::now();
        client.at("textDocument/completion", "a.star", &at);
        completed.push(begin.elapsed());
    }
    client.close();
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let (diagnosed, completed) = (median(&mut diagnosed), median(&mut completed));
    if std::env::var_os("STAR_LATENCY").is_some() {
        println!("{name}: diagnostics {diagnosed:?}, completion {completed:?}");
    }
    if !cfg!(debug_assertions) {
        assert!(diagnosed <= Duration::from_millis(50), "{name}: diagnostics {diagnosed:?}");
        assert!(completed <= Duration::from_millis(20), "{name}: completion {completed:?}");
    }
}
