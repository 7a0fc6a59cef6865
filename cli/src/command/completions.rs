//! `star completions`: scripts that complete commands in a shell.

use clap::{Args, Command};
use clap_complete::Shell;

use star_os::output::Output;

/// What `star completions` is told.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs, command: &mut Command, output: &mut Output) {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "star", &mut script);
    output.write(&String::from_utf8_lossy(&script));
}
