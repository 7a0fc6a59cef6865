//! Generates `compiler/syntax/src/generated/grammar.rs` from `compiler/syntax/src/grammar.lalrpop`.
//!
//! The generated parser is checked in, so that building Star does not require LALRPOP, which with
//! its regular expressions is about an eighth of a clean build. After a change of the grammar:
//! `cargo run -p star-grammar`. The test of this crate fails if the two differ.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    fs::write(checked_in(), generate()?)?;
    Ok(())
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src")
}

/// Returns the path of the checked-in parser.
fn checked_in() -> PathBuf {
    sources().join("generated/grammar.rs")
}

/// Generates the parser of the current grammar.
fn generate() -> Result<String, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    lalrpop::Configuration::new()
        .set_in_dir(sources())
        .set_out_dir(folder.path())
        .emit_rerun_directives(false)
        .process()?;
    Ok(fs::read_to_string(folder.path().join("grammar.rs"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_in_parser_matches_the_grammar() {
        let parser = fs::read_to_string(checked_in()).expect("the parser is checked in");
        let current = generate().expect("the grammar has no conflicts");
        assert!(parser == current, "the grammar has changed: run `cargo run -p star-grammar`");
    }
}
