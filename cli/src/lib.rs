//! `star`: checks and runs Star programs.
//!
//! * [`command`]: the subcommands, one file each; [`usage`]: command lines that do not parse;
//!   [`mod@view`]: pictures of data, [`inline`] in a terminal.
//! * A run: star-bind resolves the sources of parameter values, star-edge provides backends, files,
//!   flags and passes, [`function_entry`] makes functions runnable; [`results`] are written to an
//!   [`output_target`], [`profile`] and [`records`] to files.
//! * [`times`]: durations of the parts of a run.
//! * [`repl`]: terminal and pipe front ends for the sessions of star-repl.
//! * [`explain`]: report on the compilation of a program; [`doctor`]: system information;
//!   [`headers`]: tests and benchmarks in comments.
//!
//! Nothing here depends on how programs are compiled, values are stored or file formats are read.

#![allow(
    clippy::result_large_err,
    reason = "a message is created once, where a command ends, and its fields are public and plain"
)]

mod command;
mod doctor;
mod explain;
mod headers;
mod inline;
mod output_target;
mod placed_results;
mod profile;
mod records;
mod repl;
mod results;
mod times;
mod usage;
mod view;

use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use std::thread;

use clap::{CommandFactory, Parser, Subcommand};
use star_base::{Code, Diagnostic, SourceMap, text};
use star_os::exit::Exit;
use star_os::failure::{Failure, internal};
use star_os::output::Output;
use star_os::report::{ErrorFormat, Reporter};
use star_os::size_args::{address_space_left, stack_limit};
use star_os::watchdog::LEAST_BYTES;

use crate::usage::Refusal;

/// Toolchain for Star, the language of the STAR machine
#[derive(Parser, Debug)]
#[command(name = "star", version, arg_required_else_help = true)]
#[command(after_help = "Examples:
  star repl
  star run closure.star --graph road.gr
  star graph paths roads.csv Oslo
  star check closure.star
  star fmt closure.star
  star gen gnm -n 1000 -m 5000 -o random.gr
  star doc MATCH
  star explain E0602")]
struct Cli {
    /// Select the format of messages
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    error_format: ErrorFormat,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run a program or a routine
    Run(Box<command::run::RunArgs>),
    /// Find components, paths, trees and degrees of a graph
    Graph(Box<command::graph::GraphArgs>),
    /// Start an interactive session
    Repl(Box<command::repl::ReplArgs>),
    /// Check programs without running them
    Check(command::check::CheckArgs),
    /// Format Star files in place
    Fmt(command::fmt::FmtArgs),
    /// Show, write, check or test documentation
    Doc(command::doc::DocArgs),
    /// Serve editors over standard input and output
    Lsp(command::lsp::LspArgs),
    /// Run the tests in Star files on several backends
    Test(Box<command::test::TestArgs>),
    /// Explain a message code
    Explain(command::explain::ExplainArgs),
    /// Create a folder with a program, test, benchmark and data
    New(command::new::NewArgs),
    /// Draw bits, a graph or a grid of numbers
    View(command::view::ViewArgs),
    /// Generate a random graph, table, terrain or image
    #[command(name = "gen")]
    Generate(Box<command::generate::GenArgs>),
    /// Apply updates of moving objects and answer queries
    Moving(Box<command::moving::MovingArgs>),
    /// Show the compiler output for a program
    Dev(command::dev::DevArgs),
    /// Run the benchmarks in program headers
    Bench(Box<command::bench::BenchArgs>),
    /// Compare two benchmark files and report significant changes
    #[command(name = "benchcmp")]
    BenchCompare(command::benchcmp::CompareArgs),
    /// Create an HTML page from benchmark files of Star and its peers
    #[command(name = "benchpage")]
    BenchPage(command::benchpage::PageArgs),
    /// Show system information: processor, memory, file limits, backends
    Doctor(command::doctor::DoctorArgs),
    /// Print a completion script for a shell
    Completions(command::completions::CompletionsArgs),
    /// Write the manual pages of all commands to a folder
    Man(command::man::ManArgs),
}

/// Stack size of the thread that runs the command, whatever `ulimit -s` permits.
const STACK_BYTES: usize = 8 << 20;

/// Address space that the allocator may try to reserve for a thread, with that of the stack. If it
/// is refused, every allocation of the thread takes a page and several system calls.
const THREAD_BYTES: u64 = 160 << 20;

/// Runs the command of this process.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // A refused command needs no other stack than that of the process. The test comes first, since
    // the allocator reserves address space for each thread.
    if let Err(diagnostic) = check_address_space() {
        return star(&arguments, Some(diagnostic)).into();
    }
    let is_tight = address_space_left().is_some_and(|left| left < THREAD_BYTES);
    if is_tight && stack_limit().is_none_or(|most| most >= STACK_BYTES as u64) {
        reserve_stack();
        return star(&arguments, None).into();
    }
    let thread = thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES);
    let of_thread = arguments.clone();
    match thread.spawn(move || star(&of_thread, None)) {
        Ok(thread) => thread.join().unwrap_or(Exit::Internal).into(),
        // On a system without threads, the stack of the process must suffice.
        Err(_) => star(&arguments, None).into(),
    }
}

/// Grows the stack of the process, so that the limit on its address space cannot refuse this later.
#[inline(never)]
#[allow(clippy::large_stack_arrays, reason = "it touches the pages of the stack")]
fn reserve_stack() {
    // The arguments and the environment are on the stack, too.
    std::hint::black_box(&mut [0_u8; STACK_BYTES / 4 * 3]);
}

/// Runs a command in this thread, for programs that are started in another way than `star`. The
/// first argument is the name of the program.
pub fn command(arguments: &[OsString]) -> Exit {
    star(arguments, check_address_space().err())
}

/// Runs a command, or refuses it.
fn star(arguments: &[OsString], refusal: Option<Diagnostic>) -> Exit {
    #[cfg(unix)]
    {
        // If the system refuses, a write beyond the limit ends the process.
        let _ = star_os::flags::survive_large_files();
    }
    let mut output = Output::stdout();
    let (exit, reporter) = match Cli::try_parse_from(arguments) {
        Ok(Cli { error_format, command }) => {
            let reporter = Reporter::new(error_format);
            let exit = match refusal {
                None => guarded(&command, &reporter, &mut output),
                Some(diagnostic) => Failure::from(diagnostic).report(&reporter),
            };
            (exit, reporter)
        }
        Err(error) => {
            let lossy = arguments.iter().map(|arg| arg.to_string_lossy().into_owned());
            let arguments: Vec<String> = lossy.collect();
            let reporter = Reporter::new(usage::format_of(&arguments));
            let refusal = usage::refusal(&error, output.is_terminal());
            let refusal = refusal.naming(&error, &arguments);
            (refused(refusal, &reporter, &mut output), reporter)
        }
    };
    let (exit, lost) = output.finish(exit);
    if let Some(diagnostic) = lost {
        Failure::from(diagnostic).with_limit_options().report(&reporter);
    }
    exit
}

/// Runs the command; converts a panic into a diagnostic.
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
    star_os::file_roles::begin();
    match command {
        Command::Run(args) => command::run::run(args, reporter, output),
        Command::Graph(args) => command::graph::run(args, reporter, output),
        Command::Repl(args) => command::repl::run(args, reporter, output),
        Command::Check(args) => Ok(command::check::run(args, reporter, output)?),
        Command::Fmt(args) => Ok(command::fmt::run(args, reporter, output)),
        Command::Lsp(args) => Ok(command::lsp::run(args)?),
        Command::Test(args) => command::test::run(args, reporter, output),
        Command::Explain(args) => {
            command::explain::run(args, output)?;
            Ok(Exit::Success)
        }
        Command::Doc(args) => command::doc::run(args, &mut Cli::command(), reporter, output),
        Command::New(args) => command::new::run(args, reporter, output),
        Command::View(args) => command::view::run(args, reporter, output),
        Command::Generate(args) => command::generate::run(args, reporter, output),
        Command::Moving(args) => command::moving::run(args, reporter, output),
        Command::Dev(args) => command::dev::run(args, reporter, output),
        Command::Bench(args) => command::bench::run(args, reporter, output),
        Command::BenchCompare(args) => command::benchcmp::run(args, reporter, output),
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
        Command::Man(args) => {
            command::man::run(args, Cli::command(), reporter)?;
            Ok(Exit::Success)
        }
    }
}

/// Refuses an address space that is too small: a refused allocation of few bytes would end the
/// process.
fn check_address_space() -> Result<(), Diagnostic> {
    let Some(left) = address_space_left().filter(|left| *left < LEAST_BYTES) else {
        return Ok(());
    };
    let (left, least) = (text::bytes(left), text::bytes(LEAST_BYTES));
    let message = format!("the system leaves {left} of address space; a command needs {least}");
    Err(Diagnostic::new(Code::MemoryLimit, message)
        .help("`ulimit -v` shows the limit in KiB; raise it"))
}

/// Handles a command line without a valid command.
fn refused(refusal: Refusal, reporter: &Reporter, output: &mut Output) -> Exit {
    match refusal {
        Refusal::Answer(text) => {
            output.write_styled(&text);
            Exit::Success
        }
        Refusal::Help(text) => {
            reporter.summary(text.trim_end());
            Exit::Usage
        }
        Refusal::Fault(diagnostic) => Failure::from(diagnostic).report(reporter),
    }
}
