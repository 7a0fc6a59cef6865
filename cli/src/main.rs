//! `star`: checks and runs Star programs.
//!
//! * [`command`]: the subcommands, one file each; [`usage`]: command lines that do not parse; [`mod@view`]: pictures of data.
//! * A run: star-bind finds out where the parameters of a routine get their values, star-os has the backends, files,
//!   flags and passes, [`function_entry`] makes functions runnable; [`results`] go to an [`output_target`], [`profile`] and [`records`]
//!   to files.
//! * [`times`]: how long the parts of a run took.
//! * [`repl`]: a terminal and a pipe for the sessions of star-repl.
//! * [`explain`]: what a backend made of a program; [`doctor`]: what the machine has; [`headers`]: the tests and benchmarks in comments.
//!
//! Nothing here knows how a program is compiled, a value stored or a file format read.

#![allow(
    clippy::result_large_err,
    reason = "a message is made once, where a command ends, and its fields are public and plain"
)]

mod command;
mod doctor;
mod explain;
mod function_entry;
mod headers;
mod output_target;
mod profile;
mod records;
mod repl;
mod results;
mod times;
mod usage;
mod view;

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use star_base::{SourceMap, text};
use star_os::exit::Exit;
use star_os::failure::{Failure, internal};
use star_os::output::Output;
use star_os::report::{ErrorFormat, Reporter};

use crate::usage::Refusal;

/// The toolchain for Star, the language of the STAR-machine
#[derive(Parser, Debug)]
#[command(name = "star", version, arg_required_else_help = true)]
#[command(after_help = "Examples:
  star repl
  star run closure.star --graph road.gr
  star check closure.star
  star fmt closure.star
  star gen gnm -n 1000 -m 5000 -o random.gr
  star doc MATCH
  star explain E0602")]
struct Cli {
    /// The form of messages
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    error_format: ErrorFormat,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run a program, or a routine of a file
    Run(Box<command::run::RunArgs>),
    /// Type lines that run at once: try statements, routines, files
    Repl(Box<command::repl::ReplArgs>),
    /// Say what is wrong with programs, without running them
    Check(command::check::CheckArgs),
    /// Format programs: layout, `:=`, the spelling of keywords and built-ins
    Fmt(command::fmt::FmtArgs),
    /// Show, write, check or test the documentation of the library and of your own files
    Doc(command::doc::DocArgs),
    /// Run the tests in the comments of Star files, on several backends
    Test(Box<command::test::TestArgs>),
    /// Explain the code of a message
    Explain(command::explain::ExplainArgs),
    /// Make a folder with a program, a test, a benchmark and data to begin with
    New(command::new::NewArgs),
    /// Draw a file: bits, a graph, numbers in a grid
    View(command::view::ViewArgs),
    /// Make a random graph, table, terrain or image, and write it to a file
    #[command(name = "gen")]
    Generate(Box<command::generate::GenArgs>),
    /// Keep objects that move: take a stream of updates, answer a stream of questions
    Moving(Box<command::moving::MovingArgs>),
    /// Show what the compiler makes of a program
    Dev(command::dev::DevArgs),
    /// Run the benchmarks that the headers of programs describe
    Bench(Box<command::bench::BenchArgs>),
    /// Say what changed between two files of benchmarks, and whether that means anything
    #[command(name = "benchcmp")]
    BenchCompare(command::benchcmp::CompareArgs),
    /// Show files of benchmarks, ours and those of peers, on one page
    #[command(name = "benchpage")]
    BenchPage(command::benchpage::PageArgs),
    /// Say what this machine has: processor, memory, files, backends
    Doctor(command::doctor::DoctorArgs),
    /// Print a script that completes commands in a shell
    Completions(command::completions::CompletionsArgs),
}

fn main() -> ExitCode {
    #[cfg(unix)]
    {
        // If the system refuses, such a write ends the process.
        let _ = star_os::flags::survive_large_files();
    }
    let mut output = Output::stdout();
    let (exit, reporter) = match Cli::try_parse() {
        Ok(Cli { error_format, command }) => {
            let reporter = Reporter::new(error_format);
            (guarded(&command, &reporter, &mut output), reporter)
        }
        Err(error) => {
            let lossy = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned());
            let reporter = Reporter::new(usage::format_of(&lossy.collect::<Vec<_>>()));
            let refusal = usage::refusal(&error, output.is_terminal());
            (refused(refusal, &reporter, &mut output), reporter)
        }
    };
    let (exit, lost) = output.finish(exit);
    if let Some(diagnostic) = lost {
        Failure::from(diagnostic).report(&reporter);
    }
    exit.into()
}

/// Runs the command; a panic is a message like any other.
fn guarded(command: &Command, reporter: &Reporter, output: &mut Output) -> Exit {
    let for_hook = *reporter;
    panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
        if star_io::panics_are_caught() {
            return;
        }
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let what = info.payload_as_str().unwrap_or("a panic");
        let diagnostic = internal(&format!("{what} ({place})"));
        for_hook.diagnostic(&SourceMap::new(), &diagnostic);
    }));
    let done = panic::catch_unwind(AssertUnwindSafe(|| dispatch(command, reporter, output)));
    match done {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => failure.report(reporter),
        Err(_) => Exit::Internal,
    }
}

fn dispatch(command: &Command, reporter: &Reporter, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => command::run::run(args, reporter, output),
        Command::Repl(args) => command::repl::run(args, reporter, output),
        Command::Check(args) => Ok(command::check::run(args, reporter)?),
        Command::Fmt(args) => Ok(command::fmt::run(args, reporter, output)),
        Command::Test(args) => command::test::run(args, reporter, output),
        Command::Explain(args) => {
            command::explain::run(args, output)?;
            Ok(Exit::Success)
        }
        Command::Doc(args) => command::doc::run(args, reporter, output),
        Command::New(args) => command::new::run(args, output),
        Command::View(args) => command::view::run(args, reporter),
        Command::Generate(args) => command::generate::run(args, reporter, output),
        Command::Moving(args) => command::moving::run(args, reporter, output),
        Command::Dev(args) => command::dev::run(args, reporter, output),
        Command::Bench(args) => command::bench::run(args, reporter, output),
        Command::BenchCompare(args) => command::benchcmp::run(args, output),
        Command::BenchPage(args) => {
            command::benchpage::run(args, reporter)?;
            Ok(Exit::Success)
        }
        Command::Doctor(args) => {
            command::doctor::run(args, output);
            Ok(Exit::Success)
        }
        Command::Completions(args) => {
            command::completions::run(args, &mut Cli::command(), output);
            Ok(Exit::Success)
        }
    }
}

/// Answers a command line that names no command.
fn refused(refusal: Refusal, reporter: &Reporter, output: &mut Output) -> Exit {
    match refusal {
        Refusal::Answer(text) => {
            output.write(&text);
            Exit::Success
        }
        Refusal::Help(text) => {
            reporter.summary(text.trim_end());
            Exit::Usage
        }
        Refusal::Fault(diagnostic) => Failure::from(diagnostic).report(reporter),
    }
}
