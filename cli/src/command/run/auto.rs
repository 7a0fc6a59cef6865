//! `--backend auto`: the CPU backend compiles the program and selects the layouts of files. Once
//! the arguments are loaded, the GPU is considered, and only then is an adapter opened.

use star_harness::Compiled;
use star_harness::choice::{Choice, ChoiceInput, choose};
use star_os::engine::{self, Argument, DeviceOptions, Engine};
use star_os::failure::{Failure, refused_by_backend};
use star_os::report::Reporter;
use star_vm::CompileOptions;

use super::Ready;

/// Returns the backend for which a program is compiled first.
pub(super) fn first(name: &str) -> &str {
    if name == engine::AUTO { engine::DEFAULT } else { name }
}

/// Compiles the program for the chosen backend; returns a line with the choice and its reason.
pub(super) fn settle(
    (compiled, engine): (Compiled, &Engine),
    device: &DeviceOptions<'_>,
    options: CompileOptions,
    ready: &Ready,
    arguments: &[Argument],
    reporter: &Reporter,
) -> Result<Compiled, Failure> {
    let (program, entry) = (&ready.lowered.program, ready.entry);
    let cpu_intrinsics = &engine.caps.intrinsics;
    let Choice { backend, why } =
        choose(&ChoiceInput { program, entry, arguments, options, cpu_intrinsics });
    if backend == engine.caps.name {
        reporter.summary(&format!("backend {backend}: {why}"));
        return Ok(compiled);
    }
    match Engine::find_on(backend, device) {
        Ok(better) => {
            reporter.summary(&format!("backend {backend}: {why}"));
            let compiled = better.machine(options).compile(program.clone());
            let refused = |error| refused_by_backend("the program cannot run", &error);
            Ok(compiled.map_err(refused)?)
        }
        Err(missing) => {
            let name = engine.caps.name;
            reporter.summary(&format!(
                "backend {name}: {backend} would suit ({why}), but {}",
                missing.message
            ));
            Ok(compiled)
        }
    }
}
