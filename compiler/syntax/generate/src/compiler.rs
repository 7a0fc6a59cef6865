//! The parser of the compiler.

use std::error::Error;
use std::fs;

use crate::repository;

const PARSER: &str = "compiler/syntax/src/generated/grammar.rs";

/// Generates the checked-in parser.
///
/// # Errors
/// If the grammar is wrong, or a file cannot be accessed.
pub(crate) fn write() -> Result<(), Box<dyn Error>> {
    fs::write(repository(PARSER), generate()?)?;
    Ok(())
}

/// Generates the parser of the current grammar.
fn generate() -> Result<String, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    lalrpop::Configuration::new()
        .set_in_dir(repository("compiler/syntax/src"))
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
        let parser = fs::read_to_string(repository(PARSER)).expect("the parser is checked in");
        let current = generate().expect("the grammar has no conflicts");
        assert!(parser == current, "the grammar has changed: run `cargo run -p star-grammar`");
    }
}
