//! Passes the commit and the compiler version to `star` for benchmark files. The commit is unknown
//! without git or outside a working copy of this repository.

#![allow(clippy::print_stdout, reason = "a build script passes values to cargo on standard output")]

use std::path::Path;
use std::process::Command;

/// Sources of the binary, relative to the folder of this file.
const SOURCES: [&str; 8] =
    ["cli", "compiler", "harness", "io", "stdlib", "vm", "Cargo.toml", "Cargo.lock"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    if let Some(version) = said(Command::new(rustc).arg("--version")) {
        println!("cargo::rustc-env=STAR_RUSTC={version}");
    }
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=STAR_COMMIT={commit}");
    }
}

/// Returns the commit, followed by `+` if sources of the binary were changed since.
fn commit() -> Option<String> {
    let top = said(&mut git(&["rev-parse", "--show-toplevel"]))?;
    let here = std::env::var("CARGO_MANIFEST_DIR").ok()?;
    // The sources may be part of a different repository.
    if Path::new(&here).parent()?.canonicalize().ok()? != Path::new(&top).canonicalize().ok()? {
        return None;
    }
    let log = said(&mut git(&["rev-parse", "--git-path", "logs/HEAD"]))?;
    println!("cargo::rerun-if-changed={log}");
    for source in SOURCES {
        println!("cargo::rerun-if-changed=../{source}");
    }
    let commit = said(&mut git(&["rev-parse", "--short=12", "HEAD"]))?;
    let mut status = git(&["status", "--porcelain", "--untracked-files=no", "--"]);
    let changed = said(status.args(SOURCES.map(|source| format!("../{source}"))));
    Some(if changed.is_some() { commit + "+" } else { commit })
}

fn git(arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(arguments);
    command
}

/// Returns the output of a command that succeeds, unless it is empty.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
