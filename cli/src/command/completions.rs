//! `star completions`: completion scripts for shells.

use clap::{Args, Command};
use clap_complete::Shell;

use star_os::output::Output;

/// Arguments of `star completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// Shell that will use the script
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs, command: &mut Command, output: &mut Output) {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "star", &mut script);
    output.write(&String::from_utf8_lossy(&script));
}
