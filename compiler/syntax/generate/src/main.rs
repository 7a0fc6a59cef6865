//! Makes `compiler/syntax/src/generated/grammar.rs` from `compiler/syntax/src/grammar.lalrpop`.
//!
//! The parser is checked in, so that nobody who builds Star has to build LALRPOP first: with its regular
//! expressions it is about an eighth of the work of a build from nothing. After a change of the grammar:
//! `cargo run -p star-grammar`. The test of this crate fails while the two do not agree.

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

/// The parser that the compiler is built with.
fn checked_in() -> PathBuf {
    sources().join("generated/grammar.rs")
}

/// The parser of the grammar as it is now.
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
    fn the_parser_checked_in_is_the_grammars() {
        let parser = fs::read_to_string(checked_in()).expect("the parser is checked in");
        let current = generate().expect("the grammar has no conflicts");
        assert!(parser == current, "the grammar has changed: run `cargo run -p star-grammar`");
    }
}
