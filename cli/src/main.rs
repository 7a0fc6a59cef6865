//! The command `star`.

use std::process::ExitCode;

fn main() -> ExitCode {
    star_cli::main()
}
