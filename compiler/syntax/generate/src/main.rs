//! Generates the parsers that are checked in, so that neither building Star nor installing the
//! grammar in an editor requires their generators: LALRPOP with its regular expressions is about an
//! eighth of a clean build.
//!
//! | parser | grammar |
//! |---|---|
//! | `compiler/syntax/src/generated/grammar.rs` | `compiler/syntax/src/grammar.lalrpop` |
//! | `editors/tree-sitter-star/src/` | `editors/tree-sitter-star/grammar.js`, read by Node |
//!
//! After a change of a grammar: `cargo run -p star-grammar`. The tests of this crate fail if a
//! parser differs from its grammar.

mod compiler;
mod editors;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    compiler::write()?;
    editors::write()
}

/// Returns the path of a file of the repository.
fn repository(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../..", path].iter().collect()
}
