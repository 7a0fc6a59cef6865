//! Measurements that need the toolchain from inside.
//!
//! `star-benches front-end [MB]`: reads and checks a generated file of that size (10 by default) and
//! prints bytes per second of each step, medians of nine runs after one that does not count.
//!
//! `star-benches edge-list [MB]`: reads a generated SNAP list of that size (200 by default).
//!
//! `star-benches adjacency [VERTICES] [ARCS]`: reads a generated list (200000 and 4000000 by default) and
//! lays it out as an adjacency table; prints times, and the most memory that the process ever had.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints figures")]

mod graphs;

use std::fmt::Write;
use std::process::ExitCode;
use std::time::Instant;

use star_base::FileId;
use star_compiler::{Library, LoadError, Source, SourceLoader};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("front-end") => {
            let megabytes = args.get(1).map_or(Ok(10), |text| text.parse());
            match megabytes {
                Ok(megabytes) => front_end(megabytes),
                Err(_) => {
                    eprintln!("the size is a number of megabytes");
                    return ExitCode::from(2);
                }
            }
        }
        Some(what @ ("edge-list" | "adjacency")) => {
            let numbers: Result<Vec<u64>, _> = args[1..].iter().map(|text| text.parse()).collect();
            let Ok(numbers) = numbers else {
                eprintln!("sizes are whole numbers");
                return ExitCode::from(2);
            };
            let number = |idx: usize, default| numbers.get(idx).copied().unwrap_or(default);
            let done = match what {
                "edge-list" => graphs::edge_list(number(0, 200)),
                _ => graphs::adjacency(number(0, 200_000), number(1, 4_000_000)),
            };
            if let Err(error) = done {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
        _ => {
            eprintln!(
                "usage: star-benches front-end [MB] | edge-list [MB] | adjacency [VERTICES] [ARCS]"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// The routines of the library's Dijkstra module again and again, under new names.
fn program(megabytes: usize) -> String {
    let (_, module) = star_stdlib::MODULES
        .iter()
        .find(|(name, _)| *name == "paths")
        .expect("the library has a module `paths`");
    let mut text = String::with_capacity(megabytes * 1_000_000 + module.len());
    for copy in 0.. {
        if text.len() >= megabytes * 1_000_000 {
            break;
        }
        let mut renamed = (*module).to_owned();
        for name in ["FLOYD", "DIJKSTRA", "BELLMAN_FORD"] {
            renamed =
                renamed.replace(&format!("procedure {name}"), &format!("procedure {name}_{copy}"));
        }
        text.push_str(&renamed);
        // Writing to a string does not fail.
        let _ = writeln!(text);
    }
    text
}

struct OneText(String);

impl SourceLoader for OneText {
    fn load(&mut self, path: &str, _: Option<&str>) -> Result<Source, LoadError> {
        Ok(Source { name: path.to_owned(), bytes: self.0.clone().into_bytes() })
    }
}

fn front_end(megabytes: usize) {
    let text = program(megabytes);
    let n_lines = text.lines().count();
    println!("a file of {} bytes, {n_lines} lines", text.len());
    report("lex and parse", text.len(), || {
        let parsed = star_syntax::parse(FileId(0), &text);
        assert!(parsed.diagnostics.is_empty(), "the generated program parses");
        parsed.file.items.len()
    });
    let library = Library { basic: star_stdlib::BASIC, modules: star_stdlib::MODULES };
    let mut loader = OneText(text.clone());
    report("lex, parse, resolve, check and lower", text.len(), || {
        let compilation = star_compiler::check("generated.star", &mut loader, &library);
        assert!(!compilation.has_errors(), "the generated program has no errors");
        compilation.hir.routines.len()
    });
}

/// Times `work` and prints the median speed.
fn report(what: &str, n_bytes: usize, mut work: impl FnMut() -> usize) {
    work();
    let mut seconds: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(work());
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let speed = |seconds: f64| n_bytes as f64 / seconds / 1e6;
    println!(
        "{what}: {:.1} MB/s (median of 9; {:.1} to {:.1})",
        speed(seconds[4]),
        speed(seconds[8]),
        speed(seconds[0])
    );
}
