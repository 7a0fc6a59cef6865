//! The grids and problems of the MovingAI path-finding benchmarks.

pub(crate) mod map;
pub(crate) mod scenarios;

use star_base::Code;

use crate::error::Fault;
use crate::scan::Scanner;

/// Skips the expected word, ignoring case.
fn expect(scanner: &mut Scanner, expected: &str) -> Result<(), Fault> {
    let mut word = Vec::new();
    take(scanner, &mut word, &format!("`{expected}`"))?;
    if word.eq_ignore_ascii_case(expected.as_bytes()) {
        return Ok(());
    }
    let quoted = scanner.quoted();
    let message = format!("expected `{expected}`, found {quoted}");
    Err(scanner.at_token(Code::BadFormat, message))
}

/// Reads a word that must be present; `what` names it in messages.
fn take(scanner: &mut Scanner, word: &mut Vec<u8>, what: &str) -> Result<(), Fault> {
    scanner.take_word(word)?;
    if !word.is_empty() {
        return Ok(());
    }
    let (code, end) = match scanner.peek()? {
        None => (Code::Truncated, "file"),
        Some(_) => (Code::BadFormat, "line"),
    };
    Err(scanner.here(code, format!("expected {what}, found the end of the {end}")))
}
