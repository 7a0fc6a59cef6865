//! Arguments and programs from files.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use star_base::{Code, SourceMap, text};
use star_bind::source::reads_at;
use star_bind::{
    ArgValue, Files, LoadedArguments, Observer, OpenFile, Origin, Param, Reading, Signature,
    UnknownNames, bind, load,
};
use star_compiler::{LoadError, MAX_SOURCE_BYTES, Source, SourceLoader};
use star_io::FileError;
use star_ir::RoutineId;
use star_value::Value;

use crate::args::{Args, of_kind};
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::pipeline::{Compiled, PlaceError, PlacedArguments, refused_by_backend};
use crate::program::{Parameter, Program, Routine};
use crate::run::Environment;

/// Arguments that come from files.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileArgs {
    texts: Vec<String>,
    graph: Option<String>,
}

impl FileArgs {
    /// Returns whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.graph.is_none()
    }
}

impl Args {
    /// Binds the remaining parameters to the graph in a file, as the option `--graph` of `star run`
    /// does: by their names and types.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn graph(mut self, file: &str) -> Result<Self, Error> {
        if let Err(error) = fs::metadata(file) {
            let message = format!("cannot open: {}", text::reason(&error));
            return Err(FileError::new(Code::CannotOpen, file, message).to_diagnostic().into());
        }
        self.files.graph = Some(file.to_owned());
        Ok(self)
    }

    /// Adds an argument as the command line of `star run` has it: a value, or a file with a layout,
    /// as in `Cost=weights-out:road.gr`.
    #[must_use]
    pub fn text(mut self, argument: &str) -> Self {
        self.files.texts.push(argument.to_owned());
        self
    }
}

impl Program {
    /// Reads and checks a program in a file. Its imports must be in the folder of the file, or
    /// below.
    ///
    /// # Errors
    /// [`Error::Invalid`], also if it cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = fs::canonicalize(path).ok();
        let mut loader = Folder { folder: file.and_then(|it| it.parent().map(Path::to_owned)) };
        Program::load(&path.display().to_string(), &mut loader)
    }
}

/// The files of a folder and those below.
struct Folder {
    /// Its canonical path.
    folder: Option<PathBuf>,
}

impl SourceLoader for Folder {
    fn load(&mut self, path: &str, importer: Option<&str>) -> Result<Source, LoadError> {
        let unreadable = |error: std::io::Error| LoadError::Unreadable(text::reason(&error));
        let folder = importer.and_then(|importer| Path::new(importer).parent());
        let path = folder.unwrap_or(Path::new("")).join(path);
        let found = fs::canonicalize(&path).map_err(unreadable)?;
        if importer.is_some() && !self.folder.as_ref().is_some_and(|it| found.starts_with(it)) {
            return Err(LoadError::NotAllowed {
                why: "it is outside the folder of the program".to_owned(),
                help: "`Program::load` reads programs from any place".to_owned(),
            });
        }
        // A pipe or device may have no end.
        if !fs::metadata(&found).map_err(unreadable)?.is_file() {
            return Err(LoadError::Unreadable("it is not a regular file".to_owned()));
        }
        let (most, mut bytes) = (MAX_SOURCE_BYTES as u64, Vec::new());
        let file = File::open(&found).map_err(unreadable)?;
        file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        match bytes.len() as u64 <= most {
            true => Ok(Source { name: path.display().to_string(), bytes }),
            false => Err(LoadError::TooLarge),
        }
    }
}

/// Any file on disk.
struct Disk;

impl Files for Disk {
    fn exists(&self, file: &str) -> bool {
        Path::new(file).exists()
    }

    fn open(&self, file: &str) -> Result<OpenFile, FileError> {
        let cannot = |error: std::io::Error| {
            let message = format!("cannot open: {}", text::reason(&error));
            FileError::new(Code::CannotOpen, file, message)
        };
        let input = File::open(file).map_err(cannot)?;
        let n_bytes = input.metadata().ok().filter(|it| it.is_file()).map(|it| it.len());
        let at = match n_bytes {
            Some(_) => reads_at(File::open(file).map_err(cannot)?),
            None => None,
        };
        Ok(OpenFile { input: Box::new(input), n_bytes, at, progress: Box::new(|_| {}) })
    }
}

/// The flags of a run, while its files are read.
struct Reader<'e, 'r>(&'e Environment<'r>);

impl Observer for Reader<'_, '_> {
    fn stop(&self) -> Option<Code> {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        match (is_set(self.0.interrupt), is_set(self.0.deadline)) {
            (true, _) => Some(Code::Interrupted),
            (false, true) => Some(Code::TimeLimit),
            (false, false) => None,
        }
    }

    fn note(&self, _: &str) {}

    fn warning(&self, _: &str) {}
}

/// Reads the files among the arguments, and loads the values of the parameters on the backend.
pub(crate) fn place_arguments(
    args: Args,
    routine: &Routine,
    (compiled, entry): (&Compiled, RoutineId),
    environment: &Environment<'_>,
) -> Result<PlacedArguments, Error> {
    let Args { values, files: FileArgs { mut texts, graph } } = args;
    let params = routine.params.iter().map(|param| {
        let Parameter { name, kind, by_ref, takes_value, fields, text } = param.clone();
        Param { name, by_ref, takes_value, kind, fields, text }
    });
    let signature = Signature { name: routine.name().to_owned(), params: params.collect() };
    let mut typed = Vec::new();
    for (name, value) in values {
        let idx = routine.param(&name)?;
        let value = of_kind(&routine.params[idx], value)?;
        // Other parameters may depend on a number; of other values only the presence counts.
        let text = match &value {
            Value::Unset => String::new(),
            Value::Int(_) | Value::Bool(_) | Value::Str(_) => value.to_string(),
            Value::Slice(_) | Value::Word(_) | Value::Table(_) => "0".to_owned(),
        };
        texts.push(format!("{name}={text}"));
        typed.push((idx, value));
    }
    let bound = bind(&signature, &texts, graph.is_some(), UnknownNames::Refused);
    let mut binding =
        bound.map_err(|faults| Error::Invalid(Diagnostics::new(&SourceMap::new(), faults)))?;
    for (idx, value) in typed {
        if value != Value::Unset {
            binding.origins[idx] = Origin::Argument(ArgValue::Value(value));
        }
    }
    binding.wishes = compiled.preferences(entry);
    binding.leave = compiled.leaves();
    let settings = binding.settings.clone();
    let observer = Reader(environment);
    let reading = Reading { files: &Disk, observer: &observer, settings: &settings };
    let max_bytes = environment.limits.memory.unwrap_or(u64::MAX);
    let loaded = load(&signature, binding, graph.as_deref(), reading, max_bytes);
    let LoadedArguments { arguments, mut tables, .. } =
        loaded.map_err(|error| error.to_diagnostic())?;
    let refused = |error| refused_by_backend("no memory for the arguments", &error);
    let mut placed = compiled.place();
    for (idx, argument) in arguments.into_iter().enumerate() {
        let Some(table) = tables.remove(&idx) else {
            placed.add(argument).map_err(refused)?;
            continue;
        };
        placed.add_left(table, &observer).map_err(|error| match error {
            PlaceError::Source(error) => error.to_diagnostic(),
            PlaceError::Backend(error) => refused(error),
        })?;
    }
    Ok(placed)
}
