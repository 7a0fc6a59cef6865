//! A contestant of this program as a process: the protocol over standard input and output.

use std::io::{self, BufRead, Write};

use super::failure::Failure;
use super::protocol::{Answer, Request};
use super::side::{Local, Side};

/// Opens it and answers until there are no more requests.
///
/// # Errors
/// If standard input or output fails.
pub(super) fn serve(
    open: impl FnOnce() -> Result<Local, Failure>,
    input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut say = |answer: &Answer| {
        output.write_all(answer.line().as_bytes())?;
        output.flush()
    };
    let mut side = match open() {
        Ok(side) => side,
        Err(failure) => return say(&Answer::Failed(failure)),
    };
    say(&Answer::Hello(side.hello().clone()))?;
    for line in input.lines() {
        let line = line?;
        let answer = match Request::parse(&line) {
            Some(Request::Run(runs)) => side.run(runs).map(|seconds| Answer::Ran { runs, seconds }),
            Some(Request::Digest) => side.digest().map(Answer::Digest),
            None => Err(Failure::peer(format!("an unknown request: {}", line.trim()))),
        };
        say(&answer.unwrap_or_else(Answer::Failed))?;
    }
    Ok(())
}
