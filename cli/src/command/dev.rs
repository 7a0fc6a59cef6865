//! `star dev`: what the compiler makes of a program, for people who work on it.

use std::fs;

use clap::{Args, ValueEnum};
use star_base::{Code, Diagnostic};
use star_compiler::LowerOptions;

use super::{Lints, compile};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::report::Reporter;
use crate::text;

/// What `star dev` is told.
#[derive(Args, Debug)]
pub(crate) struct DevArgs {
    /// Print this level of FILE
    #[arg(long, value_name = "LEVEL", requires = "file", conflicts_with = "verify")]
    dump: Option<Level>,

    /// Read the SIR text of a file and verify it
    #[arg(long, value_name = "SIR")]
    verify: Option<String>,

    /// A Star program; `-` is standard input
    #[arg(value_name = "FILE", requires = "dump")]
    file: Option<String>,
}

/// A level of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// The syntax tree.
    Ast,
    /// Names resolved, expressions typed.
    Hir,
    /// What a backend is given.
    Sir,
}

/// Dumps or verifies.
///
/// # Errors
/// If the SIR text cannot be read or does not verify.
pub(crate) fn run(
    args: &DevArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match (&args.dump, &args.verify, &args.file) {
        (_, Some(sir), _) => verify(sir).map(|()| Exit::Success),
        (Some(level), None, Some(file)) => Ok(dump(*level, file, reporter, output)),
        (_, None, _) => {
            let message = "`star dev` needs `--dump LEVEL FILE` or `--verify SIR`";
            Err(Diagnostic::new(Code::Usage, message).into())
        }
    }
}

fn dump(level: Level, file: &str, reporter: &Reporter, output: &mut Output) -> Exit {
    let (compilation, tally) = compile(file, Lints::Hidden, reporter);
    let text = match (level, compilation.root_tree()) {
        (_, None) => return Exit::Compile,
        // A tree is there for a program with errors, too.
        (Level::Ast, Some(tree)) => format!("{tree:#?}\n"),
        (Level::Hir | Level::Sir, Some(_)) if compilation.has_errors() => return Exit::Compile,
        (Level::Hir, Some(_)) => star_compiler::dump_hir(&compilation),
        (Level::Sir, Some(_)) => {
            match star_compiler::lower(&compilation, &LowerOptions::default()) {
                Ok(lowered) => star_ir::print(&lowered.program),
                Err(error) => {
                    reporter.diagnostic(&compilation.sources, &error);
                    return Exit::Internal;
                }
            }
        }
    };
    output.write(&text);
    match tally.errors {
        0 => Exit::Success,
        _ => Exit::Compile,
    }
}

fn verify(path: &str) -> Result<(), Failure> {
    let program = match fs::read_to_string(path) {
        Err(error) => {
            let message = format!("cannot read `{path}`: {}", text::reason(&error));
            return Err(Diagnostic::new(Code::SourceUnreadable, message).into());
        }
        Ok(text) => star_ir::parse(&text),
    };
    let program = program
        .map_err(|error| Diagnostic::new(Code::UnexpectedToken, format!("{path}:{error}")))?;
    star_ir::verify(&program).map_err(|errors| {
        let of_error = |error: &star_ir::VerifyError| {
            Diagnostic::new(Code::Internal, format!("{path}: {error}"))
        };
        errors.iter().map(of_error).collect::<Vec<_>>().into()
    })
}
