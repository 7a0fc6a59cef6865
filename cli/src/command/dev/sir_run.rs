//! `star dev --run`: runs SIR on a backend and shows results and counts.

use star::pipeline::{EntryPoint, describe, refused_by_backend};
use star_base::{Code, Diagnostic, SourceMap, text};
use star_bind::{Param, Reading, Signature, UnknownNames, bind, load};
use star_ir::{Mode, Program, Routine, RoutineId, Simple, StmtKind, visit};
use star_os::access::{Access, Grants};
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::files::{Console, Disk};
use star_os::flags::Flags;
use star_os::host::RunHost;
use star_os::machines::Machine;
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::watchdog::Sentry;
use star_value::{Argument, Value};
use star_vm::{CompileOptions, Control, Outcome, Stats};

use super::DevArgs;
use crate::results;

/// Runs a routine of a verified program, without intrinsics, so that the SIR itself runs.
///
/// # Errors
/// Everything that ends it before its first step.
pub(super) fn run(
    mut program: Program,
    chosen: RoutineId,
    sources: &SourceMap,
    args: &DevArgs,
    flags: &Flags,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let machine = Machine::find(&args.backend)?;
    let signature = signature(program.routine(chosen));
    let binding = bind(&signature, &args.arguments, false, UnknownNames::Refused)?;
    let access = Access::new(&args.file, Grants::default())?;
    let limits = args.limits.limits(&machine)?;
    let settings = binding.settings.clone();
    let console = Console { flags, reporter };
    let reading = Reading { files: &Disk, observer: &console, settings: &settings };
    let _clock = args.limits.max_time.map(|time| Sentry::clock(flags, time)).transpose()?;
    let loaded = load(&signature, binding, None, reading, limits.memory.unwrap_or(u64::MAX))?;
    let mut arguments = loaded.arguments;
    let point = EntryPoint::of(&mut program, chosen);
    if point.is_function() {
        arguments.push(Argument::new(Value::Unset, false));
    }

    let options = CompileOptions { intrinsics: false, ..args.limits.options() };
    let compiled = machine.with(options).compile(program.clone());
    let compiled =
        compiled.map_err(|error| refused_by_backend("the program cannot run", &error))?;
    let ready = compiled.load_laid_out(point.routine, arguments, limits.memory, &flags.interrupt);
    let mut ready =
        ready.map_err(|error| refused_by_backend("no memory for the arguments", &error))?;
    let mut host = RunHost::new(output, &access, console, &settings);
    let mut control = Control {
        interrupt: &flags.interrupt,
        deadline: &flags.deadline,
        limits,
        host: &mut host,
        profile: None,
        stats: Stats::default(),
    };
    let outcome = ready.run(&mut control);
    let stats = control.stats;
    let exit = match outcome {
        Outcome::Done => {
            let values = ready.into_results(&flags.interrupt);
            let values =
                values.map_err(|error| refused_by_backend("no memory for the results", &error))?;
            results::print(
                output,
                &star_bind::results::names(&signature, point.is_function()),
                &values,
                &results::Origins::default(),
            );
            Exit::Success
        }
        stop @ (Outcome::Trap(_)
        | Outcome::Limit { .. }
        | Outcome::Unsupported { .. }
        | Outcome::DeviceLost { .. }
        | Outcome::Internal(_)) => {
            let diagnostic = describe(stop, &program);
            reporter.diagnostic(sources, &diagnostic);
            Exit::of(diagnostic.code)
        }
    };
    output.flush();
    let steps = stats.steps.saturating_sub(u64::from(point.is_function()));
    reporter.cost(&Stats { steps, ..stats }, 0);
    Ok(exit)
}

/// Returns the routine with this name, or the only one not called by others.
pub(super) fn entry(
    program: &Program,
    proc: Option<&str>,
    file: &str,
) -> Result<RoutineId, Diagnostic> {
    let which = |message: String, ids: &[RoutineId]| {
        let names = ids.iter().map(|&id| &program.routine(id).name);
        Diagnostic::new(Code::WhichRoutine, message)
            .help(format!("select one with `--proc NAME`: {}", text::quoted_list(names)))
    };
    let all: Vec<RoutineId> = (0..).map(RoutineId).take(program.routines.len()).collect();
    if let Some(name) = proc {
        return program.find(name).ok_or_else(|| {
            which(format!("`{file}` has no routine `{}`", text::one_line(name)), &all)
        });
    }
    let mut called = Vec::new();
    for (caller, routine) in (0..).map(RoutineId).zip(&program.routines) {
        visit::walk(&routine.body, &mut |stmt| {
            if let StmtKind::Simple(Simple::Call { callee, .. }) = &stmt.kind
                && *callee != caller
            {
                called.push(*callee);
            }
        });
    }
    let roots: Vec<RoutineId> = all.iter().copied().filter(|id| !called.contains(id)).collect();
    match (roots.as_slice(), all.as_slice()) {
        ([only], _) => Ok(*only),
        (_, []) => {
            let message = format!("`{file}` has no routine to run");
            Err(Diagnostic::new(Code::NothingToRun, message))
        }
        ([], _) => Err(which(format!("all routines of `{file}` call one another"), &all)),
        ([_, _, ..], _) => Err(which(
            format!("`{file}` has several routines that are not called by others"),
            &roots,
        )),
    }
}

/// Returns the signature used to bind values to the routine.
fn signature(routine: &Routine) -> Signature {
    let params = routine.params.iter().map(|param| {
        let var = routine.var(param.var);
        Param { by_ref: param.mode == Mode::Ref, ..Param::value(&var.name, var.ty.kind()) }
    });
    Signature { name: routine.name.clone(), params: params.collect() }
}
