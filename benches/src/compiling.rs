//! How long modules of the library are compiled, step by step and pass by pass.

use std::time::{Duration, Instant};

use star_compiler::LowerOptions;
use star_opt::{Options, PASSES, Verify};
use star_stdlib::LIBRARY;
use star_vm::{Backend, CompileOptions, cpu};

use crate::front_end::OneText;
use crate::program::median;
use crate::say::say;

/// Runs of which the median is taken.
const RUNS: usize = 21;

/// Compiles the module of this name for the CPU backend, and prints what each step takes.
pub(crate) fn run(module: &str) -> Result<(), String> {
    let found = star_stdlib::MODULES.iter().find(|(name, _)| *name == module);
    let (_, text) = found.ok_or_else(|| format!("the library has no module `{module}`"))?;
    let mut steps: Vec<(String, Vec<Duration>)> = Vec::new();
    let mut sums = Vec::new();
    let mut step = |at: usize, name: &str, time: Duration| {
        if steps.len() == at {
            steps.push((name.to_owned(), Vec::new()));
        }
        steps[at].1.push(time);
    };
    let backend = cpu::Cpu::default();
    let mut n_routines = 0;
    for _ in 0..RUNS {
        let mut sum = Duration::ZERO;
        let mut took = |at: usize, name: &str, start: Instant, counts: bool| {
            let time = start.elapsed();
            sum += if counts { time } else { Duration::ZERO };
            step(at, name, time);
        };
        let start = Instant::now();
        let name = format!("star:{module}");
        let compilation = star_compiler::check(&name, &mut OneText((*text).to_owned()), &LIBRARY);
        if compilation.has_errors() {
            return Err(format!("`{name}` has errors"));
        }
        took(0, "read and check", start, true);
        let start = Instant::now();
        let made = star_compiler::lower(&compilation, &LowerOptions::default());
        took(1, "lower", start, true);
        let mut program = made.map_err(|error| error.message)?.program;
        n_routines = program.routines.len();
        let mut alone = program.clone();
        let start = Instant::now();
        star_opt::optimise(&mut program, &Options { verify: Verify::Never, ..Options::default() })
            .map_err(|error| error.to_string())?;
        took(2, "passes", start, true);
        // One by one each pass is followed by the verifier; together those over one routine share
        // it.
        for (at, pass) in (3..).zip(PASSES) {
            let others = PASSES.iter().map(|pass| pass.name).filter(|name| *name != pass.name);
            let disabled = others.map(str::to_owned).collect();
            let start = Instant::now();
            star_opt::optimise(&mut alone, &Options { disabled, verify: Verify::Never })
                .map_err(|error| error.to_string())?;
            took(at, &format!("  {} alone", pass.name), start, false);
        }
        let start = Instant::now();
        let code = backend.compile(program, &CompileOptions::default(), None);
        took(3 + PASSES.len(), "compile for cpu", start, true);
        code.map_err(|error| error.to_string())?;
        sums.push(sum);
    }
    say!("`star:{module}`, {} routines, milliseconds, medians of {RUNS}", n_routines);
    steps.push(("in all".to_owned(), sums));
    for (name, times) in &mut steps {
        say!("{name}: {:.2}", median(times).as_secs_f64() * 1e3);
    }
    Ok(())
}
