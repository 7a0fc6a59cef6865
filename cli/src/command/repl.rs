//! `star repl`: an interactive or piped session.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use star_os::access::Grants;
use star_os::exit::{EXIT_HELP, Exit};
use star_os::failure::Failure;
use star_os::limits::{LimitArgs, default_memory};
use star_os::machines::{self, Machine};
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::size_args::available_memory;
use star_repl::session::{Session, Settings};

use crate::inline::Inline;
use crate::repl::plain::Plain;
use crate::repl::{pipe, terminal};
use crate::text;

/// Arguments of `star repl`.
#[derive(Args, Debug)]
#[command(after_long_help = long_help())]
pub(crate) struct ReplArgs {
    /// Star files whose routines and constants are loaded at the start
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// Use the layouts of a graph for undefined names, as for `star run`
    ///
    /// Examples are `P`, `Cost` and `n`.
    #[arg(long, value_name = "FILE")]
    graph: Option<String>,

    /// Select the backend
    #[arg(long, value_name = "NAME", default_value = machines::DEFAULT)]
    backend: String,

    /// Reload a loaded file that changes, at a terminal immediately, else before the next entry
    #[arg(long)]
    watch: bool,

    /// Trap on overflow of ADD or SUBT
    #[arg(long)]
    checked: bool,

    /// Select how the terminal shows the pictures of `:draw`
    #[arg(long, value_name = "PROTOCOL", default_value = "auto")]
    inline: Inline,

    /// Keep the history in FILE, which is new, empty or a history
    ///
    /// Defaults to `star/history` in the state folder (`XDG_STATE_HOME`, or `~/.local/state`).
    #[arg(long, value_name = "FILE", conflicts_with = "no_history")]
    history: Option<PathBuf>,

    /// Do not keep a history
    #[arg(long)]
    no_history: bool,

    /// Allow lines to read and import files in a folder
    #[arg(long, value_name = "DIR")]
    allow_read: Vec<PathBuf>,

    /// Allow lines to write files in a folder
    #[arg(long, value_name = "DIR")]
    allow_write: Vec<PathBuf>,

    #[command(flatten)]
    limits: LimitArgs,
}

fn long_help() -> String {
    format!(
        "\
Examples:
  star repl
  star repl closure.star
  echo 'X := '\\''0110'\\''; NUMB(X)' | star repl

`:help` lists the commands of a session. Without a terminal there is no prompt,
a failed line does not stop the following ones, and the exit code is that of the
first failure.

{EXIT_HELP}"
    )
}

/// Runs a session.
///
/// # Errors
/// E0607 if the backend is unknown, E0608 if it does not support a limit, E0509 if no history can
/// be kept in the requested file.
pub(crate) fn run(
    args: &ReplArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let machine = Machine::find(&args.backend)?;
    args.limits.limits(&machine)?;
    let settings = Settings {
        time: false,
        watch: args.watch,
        cost: false,
        limits: args.limits.clone(),
        memory: default_memory(&machine.caps(), available_memory()),
        checked: args.checked,
    };
    let grants = Grants { read: &args.allow_read, write: &args.allow_write, ..Grants::default() };
    let mut session = Session::new(machine, settings, *reporter, grants)?;
    if io::stdin().is_terminal() {
        session.allow_commands_to_write();
    }
    let at_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let idle = match at_terminal {
        // The prompt reads Ctrl-C as a key.
        true => std::sync::Arc::default(),
        false => session.idle().clone(),
    };
    if let Err(error) = session.flags().catch_in_session(idle) {
        let why = text::reason(&error);
        reporter.warning(&format!("Ctrl-C ends the session, not only the line: {why}"));
    }
    output.stop_at(session.flags());
    if let Some(file) = &args.graph {
        session.offer(file);
    }
    args.inline.warn_if_unused(output, reporter);
    let mut sink = Plain::new(output, *reporter, args.inline);
    pipe::load(&mut session, &args.files, &mut sink);
    if let Some(file) = &args.history {
        terminal::check_history(file)?;
    }
    if at_terminal {
        let history = match (&args.history, args.no_history) {
            (_, true) => None,
            (Some(file), false) => Some(file.clone()),
            (None, false) => terminal::history_file(),
        };
        return terminal::run(&mut session, history, &mut sink).map(|()| Exit::Success);
    }
    Ok(pipe::run(&mut session, &mut io::stdin().lock(), &mut sink))
}
