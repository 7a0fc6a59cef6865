//! From a checked program to SIR that a backend compiles.

use star_base::{Diagnostic, Kind};
use star_compiler::hir::RoutineId as HirId;
use star_compiler::{Compilation, LowerOptions, Lowered, SourceLoader};
use star_ir::{Program, RoutineId};
use star_opt::{Optimised, Options, Remark, Report};
use star_stdlib::LIBRARY;

use super::function_entry::with_result;
use super::outcome::{broken_pass, internal};

/// Reads and checks the file `path` with its imports, or the library module `star:NAME`.
pub fn check(path: &str, loader: &mut dyn SourceLoader) -> Compilation {
    star_compiler::check(path, loader, &LIBRARY)
}

/// A lowered program after passes.
pub struct Build {
    /// The program, and the numbers of its routines.
    pub lowered: Lowered,
    /// The reports of passes on its loops.
    pub remarks: Vec<Remark>,
}

/// A routine that can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// The routine, or the wrapper that returns the value of a function as its last argument.
    pub routine: RoutineId,
    /// The type of the value, if it is a function.
    pub result: Option<Kind>,
}

impl Build {
    /// Lowers a program without errors, and applies the passes of `passes`, if any.
    ///
    /// # Errors
    /// An internal error.
    pub fn new(
        compilation: &Compilation,
        lowering: &LowerOptions,
        passes: Option<&Options>,
    ) -> Result<Self, Diagnostic> {
        let mut lowered = star_compiler::lower(compilation, lowering).map_err(|error| *error)?;
        let remarks = match passes {
            Some(passes) => optimise(&mut lowered.program, passes)?.remarks,
            None => Vec::new(),
        };
        Ok(Build { lowered, remarks })
    }

    /// Returns the entry point of a routine of the file itself, as [`EntryPoint::of`] does.
    ///
    /// # Errors
    /// An internal error: the routine was not lowered.
    pub fn entry_point(&mut self, id: HirId) -> Result<EntryPoint, Diagnostic> {
        let found = self.lowered.routine(id);
        let found = found.ok_or_else(|| internal("the routine to run was not lowered"))?;
        Ok(EntryPoint::of(&mut self.lowered.program, found))
    }
}

impl EntryPoint {
    /// Returns the entry point of a routine. That of a function is a wrapper, which is added to the
    /// program.
    pub fn of(program: &mut Program, routine: RoutineId) -> Self {
        let function = program.routine(routine);
        let result = function.result.map(|value| function.var(value).ty.kind());
        let routine = with_result(program, routine).unwrap_or(routine);
        EntryPoint { routine, result }
    }

    /// Returns whether the routine is a function.
    pub fn is_function(&self) -> bool {
        self.result.is_some()
    }
}

/// Optimises a program and returns the report of the passes.
///
/// # Errors
/// An internal error of a pass.
pub fn optimise(program: &mut Program, options: &Options) -> Result<Report, Diagnostic> {
    star_opt::optimise(program, options).map_err(|pass| broken_pass(&pass))
}

/// Optimises the parts of `program` that it does not share with the previously optimised program.
///
/// # Errors
/// An internal error of a pass.
pub fn reoptimise(
    program: Program,
    options: &Options,
    earlier: Option<&Optimised>,
) -> Result<Optimised, Diagnostic> {
    star_opt::reoptimise(program, options, earlier).map_err(|pass| broken_pass(&pass))
}
