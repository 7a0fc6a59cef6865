//! The grids and problems of the MovingAI benchmarks for path finding.

pub(crate) mod map;
pub(crate) mod scenarios;

use star_base::Code;

use crate::error::Fault;
use crate::scan::Scanner;

/// Passes over a word that must stand here, in any letter case.
fn expect(scanner: &mut Scanner, expected: &str) -> Result<(), Fault> {
    let mut word = Vec::new();
    take(scanner, &mut word, &format!("`{expected}`"))?;
    if word.eq_ignore_ascii_case(expected.as_bytes()) {
        return Ok(());
    }
    let quoted = scanner.quoted();
    let message = format!("{quoted} where `{expected}` should stand");
    Err(scanner.at_token(Code::BadFormat, message))
}

/// Takes a word that must not be missing; `what` names it in messages.
fn take(scanner: &mut Scanner, word: &mut Vec<u8>, what: &str) -> Result<(), Fault> {
    scanner.take_word(word)?;
    if !word.is_empty() {
        return Ok(());
    }
    let (code, end) = match scanner.peek()? {
        None => (Code::Truncated, "file"),
        Some(_) => (Code::BadFormat, "line"),
    };
    Err(scanner.here(code, format!("the {end} ends where {what} should stand")))
}
