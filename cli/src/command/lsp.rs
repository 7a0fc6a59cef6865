//! `star lsp`: serves editors with the Language Server Protocol.

use clap::Args;
use star_base::{Code, Diagnostic};
use star_os::exit::Exit;

/// Arguments of `star lsp`.
#[derive(Args, Debug)]
#[command(after_help = "\
Editors start this command; `docs/src/editor.md` shows how to set them up. It
reads requests from standard input and writes answers to standard output. It
checks programs while they are typed, and runs them only when a command of the
editor asks for it.")]
pub(crate) struct LspArgs {
    /// Use standard input and output, which is the only transport
    #[arg(long)]
    stdio: bool,
}

/// Serves one client until it disconnects.
///
/// # Errors
/// E0608 if the client violates the protocol.
pub(crate) fn run(args: &LspArgs) -> Result<Exit, Diagnostic> {
    let LspArgs { stdio: _ } = args;
    let program = std::env::current_exe().ok();
    let served = star_lsp::serve_stdio(star_lsp::Options { program });
    served.map(|()| Exit::Success).map_err(|why| {
        Diagnostic::new(Code::Usage, format!("the client violates the protocol: {why}"))
            .help("`star lsp` is started by an editor")
    })
}
