//! A checked program, and the calls of its routines.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use star_base::{Diagnostic, Kind, did_you_mean};
use star_compiler::{Entry, LoadError, LowerOptions, Source, SourceLoader};
use star_opt::Options;
use star_vm::{CompileOptions, DynBackend};

use crate::args::Args;
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::outputs::Outputs;
use crate::pipeline::{
    self, Build, Compilation, Compiled, EntryPoint, Machine, refused_by_backend,
};
use crate::run::Run;

/// A checked program. Its code is compiled at the first call, once for each machine and kind of
/// limits.
pub struct Program {
    compilation: Compilation,
    routines: Vec<Routine>,
    overflow_traps: bool,
    machine: OnceCell<Machine>,
    compiled: RefCell<Vec<Rc<CompiledProgram>>>,
}

/// A routine that can be called.
pub(crate) struct Routine {
    entry: Entry,
    pub(crate) params: Vec<Parameter>,
    /// The names of its results.
    pub(crate) results: Arc<[String]>,
}

/// A parameter of a routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The kind of its values.
    pub kind: Kind,
    /// Is it a `var` parameter, which is also a result?
    pub by_ref: bool,
    /// May the routine read the value that it is given?
    pub takes_value: bool,
    /// The fields of its rows, if it is a table of records.
    pub fields: Vec<star_base::record::RecordField>,
    /// If a file determines it: the text whose code it is.
    pub text: Option<star_base::record::FieldText>,
}

/// A program compiled for a machine.
pub(crate) struct CompiledProgram {
    backend: Rc<DynBackend>,
    options: CompileOptions,
    pub(crate) compiled: Compiled,
    /// The entry points of all routines.
    pub(crate) points: Vec<EntryPoint>,
}

/// A text that imports only modules of the library.
struct OneText<'a>(&'a str);

/// The name of a program that has no file.
const NAME: &str = "program.star";

impl SourceLoader for OneText<'_> {
    fn load(&mut self, path: &str, importer: Option<&str>) -> Result<Source, LoadError> {
        match importer {
            None => Ok(Source { name: path.to_owned(), bytes: self.0.as_bytes().to_vec() }),
            Some(_) => Err(LoadError::Unreadable("this program has no files".to_owned())),
        }
    }
}

impl Program {
    /// Parses and checks a program. It may import modules of the library, as `"star:closure"`.
    ///
    /// ```
    /// let error = star::Program::parse("procedure P(var n: integer); begin n := m end;");
    /// let error = error.err().expect("`m` is unknown").to_string();
    /// assert!(error.starts_with("program.star:1:41: error["), "{error}");
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        Program::load(NAME, &mut OneText(text))
    }

    /// Reads and checks the program `path` with its imports, all of which come from `loader`.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn load(path: &str, loader: &mut dyn SourceLoader) -> Result<Self, Error> {
        Program::of(pipeline::check(path, loader))
    }

    /// Takes a checked program.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it has errors.
    pub fn of(compilation: Compilation) -> Result<Self, Error> {
        if compilation.has_errors() {
            let errors = compilation.diagnostics.iter().filter(|it| it.is_error()).cloned();
            return Err(Error::Invalid(Diagnostics::new(&compilation.sources, errors.collect())));
        }
        let routines = compilation.entries().into_iter().map(Routine::of).collect();
        Ok(Program {
            compilation,
            routines,
            overflow_traps: false,
            machine: OnceCell::new(),
            compiled: RefCell::default(),
        })
    }

    /// Lets the overflow of `ADD` and `SUBT` trap.
    #[must_use]
    pub fn trap_overflow(mut self) -> Self {
        self.overflow_traps = true;
        self.compiled.get_mut().clear();
        self
    }

    /// Returns the checked program.
    pub fn compilation(&self) -> &Compilation {
        &self.compilation
    }

    /// Returns the warnings about the program.
    pub fn warnings(&self) -> Diagnostics {
        self.diagnostics(self.compilation.diagnostics.clone())
    }

    /// Returns the names of its routines, in order.
    pub fn routines(&self) -> impl Iterator<Item = &str> {
        self.routines.iter().map(|routine| routine.entry.name.as_str())
    }

    /// Returns the parameters of a routine; `None` if there is no routine of this name.
    pub fn parameters(&self, name: &str) -> Option<&[Parameter]> {
        let routine = self.routines.iter().find(|routine| routine.entry.name == name)?;
        Some(&routine.params)
    }

    /// Calls a routine on the CPU, without limits but that of nested calls.
    ///
    /// # Errors
    /// As for [`Program::run`] and [`Run::call`].
    pub fn call(&self, name: &str, args: Args) -> Result<Outputs, Error> {
        self.run(name)?.call(args)
    }

    /// Prepares calls of a routine, with a choice of machine, limits and more.
    ///
    /// # Errors
    /// [`Error::UnknownRoutine`].
    pub fn run(&self, name: &str) -> Result<Run<'_>, Error> {
        let found = self.routines.iter().position(|routine| routine.entry.name == name);
        let found = found.ok_or_else(|| Error::UnknownRoutine {
            name: name.to_owned(),
            meant: did_you_mean(name, self.routines()).map(str::to_owned),
        })?;
        Ok(Run::new(self, found, self.machine.get_or_init(Machine::cpu).clone()))
    }

    pub(crate) fn routine(&self, idx: usize) -> &Routine {
        &self.routines[idx]
    }

    pub(crate) fn diagnostics(&self, list: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::new(&self.compilation.sources, list)
    }

    /// Returns the program compiled for a machine.
    pub(crate) fn compiled(&self, machine: &Machine) -> Result<Rc<CompiledProgram>, Error> {
        let Machine { name: _, backend, options } = machine;
        let mut known = self.compiled.borrow_mut();
        let is_same =
            |it: &&Rc<CompiledProgram>| Rc::ptr_eq(&it.backend, backend) && it.options == *options;
        if let Some(found) = known.iter().find(is_same) {
            return Ok(Rc::clone(found));
        }
        let lowering = LowerOptions {
            checked: self.overflow_traps,
            cost_places: options.profile,
            ..LowerOptions::default()
        };
        let mut passes = Options::default();
        if options.profile {
            // Time is attributed to the running routine, and calls are counted.
            passes.disabled.push("inline".to_owned());
        }
        let passes = options.optimise.then_some(&passes);
        let mut build = Build::new(&self.compilation, &lowering, passes)?;
        let points = self.routines.iter().map(|routine| build.entry_point(routine.entry.id));
        let points = points.collect::<Result<Vec<EntryPoint>, Diagnostic>>()?;
        let compiled = machine.compile(build.lowered.program);
        let compiled =
            compiled.map_err(|error| refused_by_backend("the program cannot run", &error))?;
        let (backend, options) = (Rc::clone(backend), *options);
        let new = Rc::new(CompiledProgram { backend, options, compiled, points });
        known.push(Rc::clone(&new));
        Ok(new)
    }
}

impl Routine {
    fn of(entry: Entry) -> Self {
        let params: Vec<Parameter> = entry
            .params
            .iter()
            .map(|param| Parameter {
                name: param.name.clone(),
                // A checked program has no parameters without a type.
                kind: param.kind.known().unwrap_or(Kind::Handle),
                by_ref: param.by_ref,
                takes_value: param.takes_value,
                fields: param.fields.clone(),
                text: param.text.clone(),
            })
            .collect();
        let results = params.iter().filter(|param| param.by_ref).map(|param| param.name.clone());
        let is_function = entry.kind == star_syntax::ast::RoutineKind::Function;
        let value = is_function.then(|| entry.name.clone());
        Routine { results: results.chain(value).collect(), params, entry }
    }

    /// Returns the name.
    pub(crate) fn name(&self) -> &str {
        &self.entry.name
    }

    /// Returns the index of a parameter.
    pub(crate) fn param(&self, name: &str) -> Result<usize, Error> {
        let found = self.params.iter().position(|param| param.name == name);
        found.ok_or_else(|| Error::UnknownParameter {
            routine: self.name().to_owned(),
            name: name.to_owned(),
            meant: did_you_mean(name, self.params.iter().map(|param| param.name.as_str()))
                .map(str::to_owned),
        })
    }
}
