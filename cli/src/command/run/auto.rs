//! `--backend auto`: the CPU backend compiles the program and selects the layouts of files. Once
//! the arguments are loaded, the GPU is considered, and only then is an adapter opened.

use star::pipeline::choice::{Choice, ChoiceInput, choose};
use star::pipeline::{Compiled, refused_by_backend};
use star_ir::{Program, RoutineId};
use star_os::failure::Failure;
use star_os::machines::{self, Argument, DeviceOptions, Machine};
use star_os::report::Reporter;
use star_vm::CompileOptions;

/// Returns the backend for which a program is compiled first.
pub(super) fn first(name: &str) -> &str {
    if name == machines::AUTO { machines::DEFAULT } else { name }
}

/// Chooses the backend and reports why; returns the program compiled for it, unless it is that of
/// `machine`.
pub(super) fn settle(
    (machine, device): (&Machine, &DeviceOptions<'_>),
    options: CompileOptions,
    (program, entry): (&Program, RoutineId),
    (arguments, tables): (&[Argument], &[(usize, usize)]),
    reporter: &Reporter,
) -> Result<Option<Compiled>, Failure> {
    let caps = machine.caps();
    let cpu_intrinsics = &caps.intrinsics;
    let Choice { backend, why } =
        choose(&ChoiceInput { program, entry, arguments, tables, options, cpu_intrinsics });
    if backend == caps.name {
        reporter.summary(&format!("backend {backend}: {why}"));
        return Ok(None);
    }
    match Machine::find_on(backend, device) {
        Ok(better) => {
            reporter.summary(&format!("backend {backend}: {why}"));
            let compiled = better.with(options).compile(program.clone());
            let refused = |error| refused_by_backend("the program cannot run", &error);
            Ok(Some(compiled.map_err(refused)?))
        }
        Err(missing) => {
            let name = caps.name;
            reporter.summary(&format!(
                "backend {name}: {backend} would suit ({why}), but {}",
                missing.message
            ));
            Ok(None)
        }
    }
}
