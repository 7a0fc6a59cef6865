//! Standard output. Where its reader ends first, as in `star-benches kernels | head`, the program
//! ends quietly, as `star` does.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::process;

/// How the program ends when nobody reads it any more, as a shell shows it.
const PIPE: i32 = 141;

/// How it ends when its output cannot be written.
const UNWRITTEN: i32 = 1;

/// Prints a line, as `println` does.
macro_rules! say {
    ($($part:tt)*) => { $crate::say::line(format_args!($($part)*)) };
}
pub(crate) use say;

/// Prints a line.
pub(crate) fn line(text: Arguments<'_>) {
    let mut stdout = io::stdout().lock();
    let Err(error) = writeln!(stdout, "{text}").and_then(|()| stdout.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        process::exit(PIPE);
    }
    eprintln!("cannot write to standard output: {error}");
    process::exit(UNWRITTEN);
}
