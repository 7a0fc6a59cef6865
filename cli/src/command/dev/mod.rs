//! `star dev`: compiler output for developers of the compiler; [`mod@run`] runs SIR.

mod sir_run;

use std::path::Path;

use clap::{Args, ValueEnum};
use star::pipeline::Build;
use star::pipeline::backends::register_code;
use star_base::{Code, Diagnostic, SourceMap};
use star_compiler::{Compilation, LowerOptions, MAX_SOURCE_BYTES};
use star_ir::Program;
use star_opt::PASSES;
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::flags::Flags;
use star_os::limits::LimitArgs;
use star_os::machines;
use star_os::output::Output;
use star_os::passes;
use star_os::report::Reporter;
use star_os::sources::ImportArgs;
use star_os::watchdog::{Scope, Sentry};
use star_os::whole_file;
use star_report::columns::{self, Align};

use super::{Lints, compile};

/// Arguments of `star dev`.
#[derive(Args, Debug)]
#[command(
    after_long_help = long_help(),
    mut_arg("max_steps", |arg| arg.requires("run")),
    mut_arg("max_output", |arg| arg.requires("run")),
    mut_arg("max_depth", |arg| arg.requires("run"))
)]
pub(crate) struct DevArgs {
    /// SIR text if the name ends in `.sir`, else a Star program
    ///
    /// `-` reads a Star program from standard input.
    #[arg(value_name = "FILE")]
    file: String,

    /// Print this level of the compiler
    #[arg(long, value_name = "LEVEL", default_value = "sir")]
    dump: Level,

    /// Verify the SIR without printing it
    #[arg(long)]
    verify: bool,

    /// Apply these passes in this order; `all` applies the whole list
    ///
    /// The verifier runs after the last pass and, if it finds a fault, after each pass.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    passes: Vec<String>,

    /// Run the SIR and show results and counts instead of printing it
    #[arg(long, conflicts_with = "verify")]
    run: bool,

    /// Values for parameters of the routine, as for `star run`
    #[arg(value_name = "NAME=VALUE", requires = "run")]
    arguments: Vec<String>,

    /// Run this routine, if several are not called by others
    #[arg(long, value_name = "NAME", requires = "run")]
    proc: Option<String>,

    /// Select the backend
    #[arg(long, value_name = "NAME", default_value = machines::DEFAULT, requires = "run")]
    backend: String,

    #[command(flatten)]
    imports: ImportArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

/// A level of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Syntax tree
    Ast,
    /// Tree with resolved names and typed expressions
    Hir,
    /// Input of the backends
    Sir,
    /// Register code of the GPU backend
    Registers,
}

fn long_help() -> String {
    let mut help = "\
Examples:
  star dev closure.star
  star dev --passes all closure.star
  star dev --passes unreachable loop.sir
  star dev --passes all --run loop.sir n=5 X=0101
  star dev --passes all --dump registers closure.star

The output can be read back; the counts of passes are comments.

Passes:
"
    .to_owned();
    let passes = PASSES.iter().map(|pass| [format!("  {}", pass.name), pass.about.to_owned()]);
    help += &columns::lines([Align::Left; 2], passes);
    help
}

/// Prints a level, or applies passes to the SIR and prints or runs it.
///
/// # Errors
/// If the SIR text cannot be read or does not verify, a pass is unknown, or the watchdog thread
/// cannot be started.
pub(crate) fn run(
    args: &DevArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command without a message");
    output.stop_at(&flags);
    let sentry = Sentry::over_compiler(&flags, args.limits.bounds(Scope::Command), reporter);
    let is_sir = Path::new(&args.file).extension().is_some_and(|extension| extension == "sir");
    match args.dump {
        Level::Ast | Level::Hir if is_sir => Err(usage(
            "a `.sir` file has no syntax tree and no \
            HIR",
        )),
        Level::Ast | Level::Hir if args.verify || args.run || !args.passes.is_empty() => {
            Err(usage("`--verify`, `--passes` and `--run` require SIR"))
        }
        Level::Ast => Ok(dump_tree(args, reporter, output)?),
        Level::Hir => Ok(checked(args, reporter)?.map_or(Exit::Compile, |compilation| {
            output.write(&star_compiler::dump_hir(&compilation));
            Exit::Success
        })),
        Level::Registers if args.verify || args.run => {
            Err(usage("`--verify` and `--run` require SIR"))
        }
        Level::Sir | Level::Registers => {
            let (mut program, sources) = match is_sir {
                true => (read(&args.file, &flags)?, SourceMap::new()),
                false => match checked(args, reporter)? {
                    Some(compilation) => (lower(&compilation)?, compilation.sources),
                    None => return Ok(Exit::Compile),
                },
            };
            let entry = match args.run {
                true => Some(sir_run::entry(&program, args.proc.as_deref(), &args.file)?),
                false => None,
            };
            let names: Vec<&str> = args.passes.iter().map(|name| name.trim()).collect();
            let report = star_opt::apply(&mut program, &names);
            let report = report.map_err(|error| passes::not_applied(&error))?;
            if let Some(entry) = entry {
                drop(sentry);
                return sir_run::run(program, entry, &sources, args, &flags, reporter, output);
            }
            if args.dump == Level::Registers {
                let listing = register_code(program)
                    .ok_or_else(|| usage("this build does not include the GPU backend"))?;
                output.write(&listing);
                return Ok(Exit::Success);
            }
            if !args.verify {
                let fired = report.fired.iter().map(|(name, count)| format!("; {name}: {count}\n"));
                output.write(&fired.collect::<String>());
                output.write(&star_ir::print(&program));
            }
            Ok(Exit::Success)
        }
    }
}

fn usage(message: &str) -> Failure {
    Diagnostic::new(Code::Usage, message).into()
}

/// Dumps the syntax tree, even for a program with errors.
fn dump_tree(args: &DevArgs, reporter: &Reporter, output: &mut Output) -> Result<Exit, Failure> {
    let mut loader = args.imports.loader()?;
    let (compilation, tally) = compile(&mut loader, &args.file, Lints::Hidden, reporter);
    if let Some(tree) = compilation.root_tree() {
        output.write(&format!("{tree:#?}\n"));
    }
    Ok(match tally.errors {
        0 => Exit::Success,
        _ => Exit::Compile,
    })
}

/// Returns a program without errors; errors are reported.
fn checked(args: &DevArgs, reporter: &Reporter) -> Result<Option<Compilation>, Failure> {
    let mut loader = args.imports.loader()?;
    let (compilation, _) = compile(&mut loader, &args.file, Lints::Hidden, reporter);
    Ok((!compilation.has_errors()).then_some(compilation))
}

/// Returns the SIR of a program without errors.
fn lower(compilation: &Compilation) -> Result<Program, Failure> {
    Ok(Build::new(compilation, &LowerOptions::default(), None)?.lowered.program)
}

/// Reads and verifies a SIR file.
fn read(path: &str, flags: &Flags) -> Result<Program, Failure> {
    let bytes = whole_file::read_named(path, MAX_SOURCE_BYTES, flags)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Diagnostic::new(Code::NotUtf8, format!("`{path}` is not valid UTF-8")))?;
    let program = star_ir::parse(&text)
        .map_err(|error| Diagnostic::new(Code::UnexpectedToken, format!("{path}:{error}")))?;
    star_ir::verify(&program).map_err(|errors| {
        let of_error = |error: &star_ir::VerifyError| {
            Diagnostic::new(Code::Internal, format!("{path}: {error}"))
        };
        errors.iter().map(of_error).collect::<Vec<_>>()
    })?;
    Ok(program)
}
